// candidates.c - cutting a large vocabulary down without sorting it.
//
// One pass counts members and mass in buckets of equal width below the highest rank.  The prefix
// ends in the first bucket that brings the sum up to what is asked; only the members of that bucket
// are gathered and sorted.  They are few: the buckets are 1/32 nat wide, and only the last one,
// which takes all that is 64 nats down (a probability of e^-64), may be full.  Where that guess
// fails the bucket is heap-sorted: no logits make this slower than a sort of the vocabulary.
//
// Sums run over buckets from the top, inside a bucket by id, at the end by rank: a fixed order.
#include "generate/candidates.h"

#include <math.h>
#include <string.h>

#include "generate/softmax.h"

enum { BUCKETS_MAX = 2048, BUCKET_MEMBERS = 8 }; // so many members in the mean, or more

static const double RANGE_MAX = 64; // nats from the first bucket to the last

void candidates_init(CandidateSet *set, Arena *arena, int64_t n_vocab) {
    *set = (CandidateSet){
        .n_vocab = n_vocab,
        .id = arena_new(arena, int32_t, n_vocab),
        .logit = arena_new(arena, double, n_vocab),
        .weight = arena_new(arena, double, n_vocab),
        .rank = arena_new(arena, double, n_vocab),
        .order = arena_new(arena, int32_t, n_vocab),
        .bucket_count = arena_new(arena, int64_t, BUCKETS_MAX),
        .bucket_mass = arena_new(arena, double, BUCKETS_MAX),
    };
}

bool candidates_load(CandidateSet *set, const float *logits, Error *err) {
    if (!logits_check(logits, set->n_vocab, err)) return false;
    set->n = set->n_vocab;
    set->has_weight = false;
    for (int64_t i = 0; i < set->n; i++) {
        set->id[i] = (int32_t)i;
        set->logit[i] = (double)logits[i];
    }
    return true;
}

void candidates_weigh(CandidateSet *set) {
    if (set->has_weight) return;
    set->total = softmax_weigh(set->logit, set->n, set->weight);
    set->has_weight = true;
}

int64_t candidates_left(const CandidateSet *set) {
    int64_t n = 0;
    for (int64_t i = 0; i < set->n; i++) n += set->logit[i] > -HUGE_VAL;
    return n;
}

// ---- sorting indices by rank

static bool precedes(const double *rank, int32_t a, int32_t b) {
    return rank[a] > rank[b] || (rank[a] == rank[b] && a < b);
}

// Moves order[at] down until its children, at 2*at+1 and 2*at+2, precede it.
static void sift_down(int32_t *order, int64_t at, int64_t n, const double *rank) {
    int32_t moving = order[at];
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= n) break;
        if (child + 1 < n && precedes(rank, order[child], order[child + 1])) child++;
        if (!precedes(rank, moving, order[child])) break;
        order[at] = order[child];
        at = child;
    }
    order[at] = moving;
}

// Heap sort: in place, and n log n whatever the input.  Members arrive by id, so equal ranks are
// sorted already: the usual case of a large bucket.
static void sort_order(int32_t *order, int64_t n, const double *rank) {
    int64_t n_sorted = 1;
    while (n_sorted < n && precedes(rank, order[n_sorted - 1], order[n_sorted])) n_sorted++;
    if (n_sorted >= n) return;
    for (int64_t at = n / 2 - 1; at >= 0; at--) sift_down(order, at, n, rank);
    for (int64_t last = n - 1; last > 0; last--) {
        int32_t first = order[0];
        order[0] = order[last];
        order[last] = first;
        sift_down(order, 0, last, rank);
    }
}

// ---- the cut

// Bucket 0 begins at the highest rank, and each is 1 / scale nats wide.
typedef struct Scale {
    double highest, scale;
    int n_buckets;
} Scale;

static Scale scale_of(const double *rank, int64_t n) {
    double highest = -HUGE_VAL, lowest = HUGE_VAL;
    for (int64_t i = 0; i < n; i++) {
        highest = rank[i] > highest ? rank[i] : highest;
        lowest = rank[i] < lowest ? rank[i] : lowest;
    }
    double range = highest - lowest < RANGE_MAX ? highest - lowest : RANGE_MAX;
    int64_t wanted = n / BUCKET_MEMBERS + 1;
    int n_buckets = wanted < BUCKETS_MAX ? (int)wanted : BUCKETS_MAX;
    if (range < 1e-300) n_buckets = 1; // the quotient would overflow
    return (Scale){highest, n_buckets > 1 ? (n_buckets - 1) / range : 0, n_buckets};
}

static int bucket_of(Scale s, double rank) {
    if (s.n_buckets == 1) return 0;
    double at = (s.highest - rank) * s.scale;
    return at < s.n_buckets - 1 ? (int)at : s.n_buckets - 1;
}

static void fill_buckets(CandidateSet *set, const double *rank, Scale scale, bool by_mass) {
    memset(set->bucket_count, 0, (size_t)scale.n_buckets * sizeof set->bucket_count[0]);
    memset(set->bucket_mass, 0, (size_t)scale.n_buckets * sizeof set->bucket_mass[0]);
    for (int64_t i = 0; i < set->n; i++) {
        int bucket = bucket_of(scale, rank[i]);
        set->bucket_count[bucket]++;
        if (by_mass) set->bucket_mass[bucket] += set->weight[i];
    }
}

Cut candidates_cut(CandidateSet *set, const double *rank, int64_t count, double mass) {
    bool by_mass = mass < HUGE_VAL;
    Scale scale = scale_of(rank, set->n);
    fill_buckets(set, rank, scale, by_mass);
    // The last bucket that can end the prefix, should rounding keep the sum below `mass`.
    int last = scale.n_buckets - 1;
    while (last > 0 && (by_mass ? set->bucket_mass[last] == 0 : set->bucket_count[last] == 0))
        last--;
    int64_t n_above = 0;
    double mass_above = 0;
    int bucket = 0;
    for (; bucket < last; bucket++) {
        int64_t n_reached = n_above + set->bucket_count[bucket];
        double mass_reached = mass_above + set->bucket_mass[bucket];
        if (n_reached >= count || mass_reached >= mass) break;
        n_above = n_reached;
        mass_above = mass_reached;
    }
    int64_t n_members = 0;
    for (int64_t i = 0; i < set->n; i++) {
        if (bucket_of(scale, rank[i]) == bucket) set->order[n_members++] = (int32_t)i;
    }
    sort_order(set->order, n_members, rank);
    int32_t end = set->order[0];
    for (int64_t j = 0; j < n_members; j++) {
        int32_t i = set->order[j];
        if (by_mass && set->weight[i] == 0) continue;
        end = i;
        if (by_mass) mass_above += set->weight[i];
        if (++n_above >= count || mass_above >= mass) break;
    }
    return (Cut){rank[end], end};
}

static bool is_within(const double *rank, int64_t i, Cut cut) {
    return rank[i] > cut.rank || (rank[i] == cut.rank && i <= cut.index);
}

void candidates_keep(CandidateSet *set, const double *rank, Cut cut) {
    int64_t n = 0;
    // `rank` may be the logit, which moves: an entry is read before its place is written.
    for (int64_t i = 0; i < set->n; i++) {
        if (!is_within(rank, i, cut)) continue;
        set->id[n] = set->id[i];
        set->logit[n] = set->logit[i];
        set->weight[n] = set->weight[i];
        n++;
    }
    set->n = n;
    if (set->has_weight) set->total = sum_f64(set->weight, n);
}

void candidates_keep_only(CandidateSet *set, int64_t index) {
    set->id[0] = set->id[index];
    set->logit[0] = set->logit[index];
    set->n = 1;
    set->has_weight = false;
}

int64_t candidates_best(const CandidateSet *set) {
    int64_t best = 0;
    for (int64_t i = 1; i < set->n; i++) {
        if (set->logit[i] > set->logit[best]) best = i;
    }
    return best;
}

int64_t candidates_sort(CandidateSet *set, int64_t top) {
    if (top < 1) return 0;
    Cut cut = candidates_cut(set, set->logit, top, HUGE_VAL);
    int64_t n = 0;
    for (int64_t i = 0; i < set->n; i++) {
        if (is_within(set->logit, i, cut) && set->logit[i] > -HUGE_VAL)
            set->order[n++] = (int32_t)i;
    }
    sort_order(set->order, n, set->logit);
    return n;
}
