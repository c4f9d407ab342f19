// corpus.c - from texts to tokens, and from tokens to samples.
#include "train/corpus.h"

#include <string.h>

#include "base/map.h"
#include "base/utf8.h"

enum { PIECE_BYTES = 1 << 20 }; // a text is encoded in pieces of about this size

typedef struct Maker {
    const CorpusSpec *spec;
    Corpus *corpus;
    Arena *arena; // tokens grow at its end, and nothing else is pushed meanwhile
    Arena scratch;
    int32_t end; // end-of-text token, -1: none
    int64_t n_done, n_total;
    Error *err;
} Maker;

// ---------------------------------------------------------------- tokens
static void put(Maker *m, int32_t id) {
    Corpus *c = m->corpus;
    int32_t *at = arena_push_aligned(m->arena, sizeof id, c->id ? sizeof id : 64);
    if (!c->id) c->id = at;
    *at = id;
    c->n++;
}

static void put_end(Maker *m) {
    if (m->end >= 0) put(m, m->end);
}

static bool put_text(Maker *m, Str text) {
    Tokens tokens;
    ArenaMark mark = arena_mark(&m->scratch);
    if (!tokenizer_encode(m->spec->tokenizer, &m->scratch, text, (EncodeOptions){0}, &tokens,
                          m->err))
        return false;
    for (int64_t i = 0; i < tokens.n; i++) put(m, tokens.token[i].id);
    arena_back(&m->scratch, mark);
    m->n_done += (int64_t)text.n;
    if (!m->spec->go_on || m->spec->go_on(m->spec->user, m->n_done, m->n_total)) return true;
    return error_set(m->err, ERROR_CANCELLED, "stopped while reading the texts");
}

// Where a text may be cut without changing its tokens: behind a newline that a letter, or anything
// but white space, follows.
static size_t cut_after(Str text, size_t at) {
    for (; at < text.n; at++)
        if (text.data[at - 1] == '\n' && (unsigned char)text.data[at] > ' ') return at;
    return text.n;
}

static bool put_document(Maker *m, Str text) {
    for (size_t from = 0; from < text.n;) {
        size_t to = text.n - from > PIECE_BYTES ? cut_after(text, from + PIECE_BYTES) : text.n;
        if (!put_text(m, str_slice(text, from, to))) return false;
        from = to;
    }
    put_end(m);
    return true;
}

static bool put_paragraphs(Maker *m, Str text) {
    for (size_t from = 0; from < text.n;) {
        size_t gap = str_find(text, STR("\n\n"), from), to = gap < text.n ? gap : text.n;
        Str paragraph = str_trim(str_slice(text, from, to));
        if (paragraph.n && !put_document(m, paragraph)) return false;
        from = to + 2;
    }
    return true;
}

static int64_t invalid_bytes(Str text) {
    int64_t n = 0;
    for (int length; text.n; text = str_slice(text, (size_t)length, text.n))
        if (utf8_decode(text, &length) < 0) n += length;
    return n;
}

static bool put_file(Maker *m, Str text) {
    m->corpus->n_bytes += (int64_t)text.n;
    m->corpus->n_invalid += invalid_bytes(text);
    return m->spec->documents == DOCUMENTS_FILES ? put_document(m, text) : put_paragraphs(m, text);
}

// ---------------------------------------------------------------- pairs
// One line: instruction TAB answer, then what belongs to it.
static bool put_pair(Maker *m, Str line, int64_t number, Sample *pair) {
    size_t tab = str_find(line, STR("\t"), 0);
    if (tab >= line.n)
        return error_set(m->err, ERROR_USAGE, "line %lld of the pairs has no tab",
                         (long long)number);
    size_t next = str_find(line, STR("\t"), tab + 1);
    Str answer = str_slice(line, tab + 1, next < line.n ? next : line.n);
    pair->first = m->corpus->n;
    if (!put_text(m, str_slice(line, 0, tab)) || !put_text(m, STR("\n"))) return false;
    pair->given = m->corpus->n - pair->first;
    if (!put_text(m, answer)) return false;
    put_end(m);
    pair->n = m->corpus->n - pair->first;
    if (pair->n > m->corpus->longest) m->corpus->longest = pair->n;
    if (pair->n - 1 <= m->spec->context && pair->n > pair->given) return true;
    return error_set(m->err, ERROR_USAGE, "line %lld of the pairs has %lld tokens and %s",
                     (long long)number, (long long)pair->n,
                     pair->n > pair->given ? "the context is shorter" : "no answer");
}

static int64_t count_lines(Str text) {
    int64_t n = 0;
    for (size_t i = 0; i < text.n; i++) n += text.data[i] == '\n';
    return n + 1;
}

// `pairs` has room for every line.
static bool put_pairs(Maker *m, Str text, Sample *pairs, int64_t *n) {
    int64_t number = 0;
    m->corpus->n_bytes += (int64_t)text.n;
    m->corpus->n_invalid += invalid_bytes(text);
    for (size_t from = 0; from < text.n;) {
        size_t end = str_find(text, STR("\n"), from), to = end < text.n ? end : text.n;
        Str line = str_slice(text, from, to);
        number++;
        from = to + 1;
        if (str_trim(line).n == 0) continue;
        if (!put_pair(m, line, number, &pairs[*n])) return false;
        ++*n;
    }
    return true;
}

// ---------------------------------------------------------------- the whole
static int64_t bytes_of(const Str *text, int64_t n) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < n; i++) bytes += (int64_t)text[i].n;
    return bytes;
}

static bool make_texts(Maker *m) {
    const CorpusSpec *s = m->spec;
    Corpus *c = m->corpus;
    for (int64_t i = 0; i < s->n_texts; i++)
        if (!put_file(m, s->text[i])) return false;
    c->n_train = c->n;
    for (int64_t i = 0; i < s->n_validation; i++)
        if (!put_file(m, s->validation[i])) return false;
    if (s->n_validation == 0) c->n_train -= (int64_t)(s->validation_share * (double)c->n);
    if (c->n_train >= 2) return true;
    return error_set(m->err, ERROR_USAGE,
                     "the text has %lld tokens: there is nothing to learn from", (long long)c->n);
}

static bool make_pairs(Maker *m, Sample *pairs) {
    const CorpusSpec *s = m->spec;
    Corpus *c = m->corpus;
    for (int64_t i = 0; i < s->n_texts; i++)
        if (!put_pairs(m, s->text[i], pairs, &c->n_stretches)) return false;
    c->n_train_stretches = c->n_stretches;
    for (int64_t i = 0; i < s->n_validation; i++)
        if (!put_pairs(m, s->validation[i], pairs, &c->n_stretches)) return false;
    if (s->n_validation == 0)
        c->n_train_stretches -= (int64_t)(s->validation_share * (double)c->n_stretches);
    c->n_train = c->n_train_stretches < c->n_stretches ? pairs[c->n_train_stretches].first : c->n;
    c->stretch = pairs;
    if (c->n_train_stretches >= 1) return true;
    return error_set(m->err, ERROR_USAGE, "there are no pairs to learn from");
}

// ---------------------------------------------------------------- an encoder's documents
// Cuts tokens [from, to) where a document ends, and where it is longer than the context; `out` may
// be NULL.  Returns how many stretches there are.
static int64_t cut_documents(const Maker *m, int64_t from, int64_t to, Sample *out) {
    enum { AROUND = 2 };
    const int32_t *id = m->corpus->id;
    int64_t n = 0, longest = m->spec->context - AROUND;
    for (int64_t first = from, end; first < to; first = end) {
        for (end = first; end < to && end - first < longest && id[end] != m->end; end++) {}
        if (end > first && out) out[n] = (Sample){.first = first, .n = end - first};
        n += end > first;
        if (end < to && id[end] == m->end) end++;
    }
    return n;
}

static bool make_documents(Maker *m) {
    Corpus *c = m->corpus;
    if (m->spec->context < 3)
        return error_set(m->err, ERROR_USAGE, "context: an encoder needs 3 tokens at least");
    if (!make_texts(m)) return false;
    c->n_train_stretches = cut_documents(m, 0, c->n_train, NULL);
    c->n_stretches = c->n_train_stretches + cut_documents(m, c->n_train, c->n, NULL);
    if (c->n_train_stretches == 0)
        return error_set(m->err, ERROR_USAGE, "there are no documents to learn from");
    Sample *stretch = arena_new(m->arena, Sample, c->n_stretches);
    cut_documents(m, 0, c->n_train, stretch);
    cut_documents(m, c->n_train, c->n, stretch + c->n_train_stretches);
    c->stretch = stretch;
    return true;
}

bool corpus_make(Arena *arena, const CorpusSpec *spec, Corpus *corpus, Error *err) {
    *corpus = (Corpus){.tokenizer = spec->tokenizer};
    Maker m = {.spec = spec, .corpus = corpus, .arena = arena, .err = err};
    m.end = tokenizer_vocab(spec->tokenizer)->eos;
    m.n_total =
        bytes_of(spec->text, spec->n_texts) + bytes_of(spec->validation, spec->n_validation);
    if (!arena_init(&m.scratch, ARENA_DEFAULT, err)) return false;
    Sample *pairs = NULL;
    if (spec->pairs) {
        int64_t lines = 0;
        for (int64_t i = 0; i < spec->n_texts; i++) lines += count_lines(spec->text[i]);
        for (int64_t i = 0; i < spec->n_validation; i++) lines += count_lines(spec->validation[i]);
        pairs = arena_new(arena, Sample, lines);
    }
    bool ok = spec->pairs         ? make_pairs(&m, pairs)
              : spec->for_encoder ? make_documents(&m)
                                  : make_texts(&m);
    arena_drop(&m.scratch);
    uint64_t split = (uint64_t)corpus->n_train;
    if (ok)
        corpus->fingerprint = hash_bytes(corpus->id, sizeof *corpus->id * (size_t)corpus->n, split);
    return ok;
}

// ---------------------------------------------------------------- samples
int64_t corpus_samples(const Corpus *c, int64_t context) {
    if (c->stretch) return c->n_train_stretches;
    int64_t n = (c->n_train - 1) / context;
    return n > 0 ? n : 1;
}

double corpus_mean_sample(const Corpus *c, int64_t context) {
    if (!c->stretch) return (double)context;
    return (double)c->n_train / (double)c->n_train_stretches;
}

Draw draw_make(Arena *arena, const Corpus *corpus, int64_t context, uint64_t seed) {
    Draw d = {.corpus = corpus, .context = context, .seed = seed, .epoch = -1};
    d.n_samples = corpus_samples(corpus, context);
    // The offset may cost the last window; then the epoch has the same number, the last shorter.
    d.order = arena_new(arena, int32_t, d.n_samples);
    return d;
}

// The order of an epoch, and where its first window begins.
static void begin_epoch(Draw *d, int64_t epoch) {
    Rng rng = rng_seed(d->seed ^ (0x9e3779b97f4a7c15u * (uint64_t)(epoch + 1)));
    int64_t spare = d->corpus->n_train - 1 - d->n_samples * d->context;
    d->epoch = epoch;
    d->offset = spare > 0 ? (int64_t)rng_below(&rng, (uint64_t)spare + 1) : 0;
    for (int64_t i = 0; i < d->n_samples; i++) d->order[i] = (int32_t)i;
    for (int64_t i = d->n_samples - 1; i > 0; i--) {
        int64_t j = (int64_t)rng_below(&rng, (uint64_t)i + 1);
        int32_t swapped = d->order[i];
        d->order[i] = d->order[j];
        d->order[j] = swapped;
    }
}

static Sample window(int64_t first, int64_t end, int64_t context) {
    int64_t left = end - first;
    return (Sample){first, left < context + 1 ? left : context + 1, 1};
}

Sample draw_next(Draw *d) {
    int64_t epoch = d->counter / d->n_samples, i = d->counter % d->n_samples;
    if (epoch != d->epoch) begin_epoch(d, epoch);
    d->counter++;
    int64_t k = d->order[i];
    if (d->corpus->stretch) return d->corpus->stretch[k];
    return window(d->offset + k * d->context, d->corpus->n_train, d->context);
}

int64_t corpus_validation_samples(const Corpus *c, int64_t context) {
    if (c->stretch) return c->n_stretches - c->n_train_stretches;
    int64_t n = c->n - c->n_train;
    return n < 2 ? 0 : (n - 1 + context - 1) / context;
}

Sample corpus_validation(const Corpus *c, int64_t context, int64_t i) {
    if (c->stretch) return c->stretch[c->n_train_stretches + i];
    return window(c->n_train + i * context, c->n, context);
}
