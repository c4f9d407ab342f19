// masking.c - which tokens are hidden, and by what.
#include "train/masking.h"

#include <math.h>

#include "base/rng.h"

static const double MASKED = 0.8, REPLACED = 0.9; // borders of a number in [0, 1)

static bool is_ordinary(const Tokenizer *t, int32_t id) {
    TokenKind kind = tokenizer_kind(t, id);
    return kind != TOKEN_CONTROL && kind != TOKEN_UNKNOWN && kind != TOKEN_UNUSED;
}

bool masking_make(Masking *m, Arena *arena, const Tokenizer *t, double share, Error *err) {
    const Vocab *v = tokenizer_vocab(t);
    *m = (Masking){share, tokenizer_mask(t), v->bos, v->eos};
    if (m->mask < 0 || m->begin < 0 || m->end < 0)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the vocabulary has no %s: nothing can be learned from blanks",
                         m->mask < 0    ? "[MASK]"
                         : m->begin < 0 ? "token that begins a text ([CLS])"
                                        : "token that ends a text ([SEP])");
    int32_t *ordinary = arena_new(arena, int32_t, v->n_tokens);
    for (int32_t id = 0; id < v->n_tokens; id++)
        if (is_ordinary(t, id)) ordinary[m->n_ordinary++] = id;
    m->ordinary = ordinary;
    return true;
}

int64_t masking_count(const Masking *m, int64_t n) {
    int64_t count = llround(m->share * (double)n);
    return count > 1 ? count : n > 0;
}

static int32_t hidden(const Masking *m, Rng *rng, int32_t id) {
    double how = rng_uniform(rng);
    if (how < MASKED) return m->mask;
    return how < REPLACED && m->n_ordinary ? m->ordinary[rng_below(rng, (uint64_t)m->n_ordinary)]
                                           : id;
}

// In one pass (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S): every choice of that
// many tokens is as likely.
void masking_hide(const Masking *m, uint64_t key, int32_t *ids, int64_t n, int32_t *place) {
    Rng rng = rng_seed(key);
    int64_t wanted = masking_count(m, n);
    for (int64_t i = 0; i < n && wanted > 0; i++) {
        if (rng_below(&rng, (uint64_t)(n - i)) >= (uint64_t)wanted) continue;
        *place++ = (int32_t)i;
        ids[i] = hidden(m, &rng, ids[i]);
        wanted--;
    }
}
