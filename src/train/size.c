// size.c - rules of thumb, each with its reason.
#include "train/size.h"

#include <math.h>

#include "base/memory.h"

enum {
    MINUTES = 10, // where neither time nor size is given
    TOKENS_PER_PARAMETER = 20,
    EPOCHS_MOST = 30,    // beyond, small models only learn the text by heart
    WIDTH_STEP = 64,     // whole vectors, whole heads
    WIDTH_PER_LAYER = 64 // the shape of GPT-2: 768 wide, 12 layers
};

int64_t size_vocab(int64_t text_bytes) {
    double wanted = 1024 * sqrt((double)text_bytes / 1e6);
    int64_t vocab = 512;
    while (vocab < 32768 && (double)vocab * 1.42 < wanted) vocab *= 2;
    return vocab;
}

// Parameters that the time allows: 6 operations a parameter and token.
static double parameters_wanted(const Settings *s, const SizeHints *hints, int64_t n_tokens) {
    if (s->params > 0) return (double)s->params;
    double minutes = s->minutes > 0 ? s->minutes : MINUTES;
    double by_time = sqrt(hints->flops * 60 * minutes / (6 * TOKENS_PER_PARAMETER));
    double by_text = (double)n_tokens * EPOCHS_MOST / TOKENS_PER_PARAMETER;
    return fmax(fmin(by_time, by_text), 5e4);
}

// A block of width C has about 12 C^2 weights, and there is one for every 64 of C; the embedding
// adds V C.
static int64_t width_for(double parameters, int64_t vocab) {
    int64_t width = WIDTH_STEP;
    for (;; width += WIDTH_STEP) {
        double c = (double)(width + WIDTH_STEP);
        double blocks = fmax(1, floor(c / WIDTH_PER_LAYER)) * 12 * c * c;
        if (blocks + (double)vocab * c > parameters * 1.15 || c > 8192) return width;
    }
}

static bool is_gated(const Settings *s) {
    return s->arch != ARCH_GPT2 && s->arch != ARCH_BERT;
}

static void fit_shape(Settings *s, double parameters) {
    if (s->width == 0) s->width = width_for(parameters, s->vocab);
    if (s->layers == 0) {
        double block = 12.0 * (double)s->width * (double)s->width;
        double left = parameters - (double)s->vocab * (double)s->width;
        s->layers = (int64_t)fmin(fmax(2, round(left / block)), (double)s->width / 24);
        if (s->layers < 1) s->layers = 1;
    }
    if (s->heads == 0) {
        int64_t head_width = s->width <= 256 ? 32 : 64;
        s->heads = s->width % head_width == 0 ? s->width / head_width : 1;
    }
    if (s->kv_heads == 0) s->kv_heads = s->heads;
    if (s->ffn_width > 0) return;
    // A gated layer has three matrices: 8/3 C instead of 4 C.  The experts that digest a token cost
    // together what one layer would.
    int64_t shares = s->experts ? s->experts_used : 1;
    s->ffn_width = !is_gated(s) ? 4 * s->width : (8 * s->width / (3 * shares) + 31) / 32 * 32;
}

// With so many experts in a layer: all, or those that a token meets.
static double parameters_with(const Settings *s, int64_t experts) {
    double c = (double)s->width, f = (double)s->ffn_width;
    double attention = (2 + 2 * (double)s->kv_heads / (double)s->heads) * c * c;
    double channel = (is_gated(s) ? 3 : 2) * c * f * (s->experts ? (double)experts : 1);
    return (double)s->layers * (attention + channel) + (double)s->vocab * c * (s->untied ? 2 : 1);
}

// About 4096 tokens a step for a million parameters, more for more.
static void fit_batch(Settings *s, const SizeHints *hints, double parameters, int64_t n_tokens) {
    if (s->context == 0) {
        s->context = parameters < 5e5 ? 128 : parameters < 2e7 ? 256 : 512;
        if (s->context < hints->longest - 1) s->context = hints->longest - 1;
        if (hints->longest == 0 && s->context > n_tokens - 1) s->context = n_tokens - 1;
    }
    if (s->batch > 0) return;
    double tokens = fmin(fmax(4096 * sqrt(parameters / 1e6), 1024), 32768);
    s->batch = (int64_t)fmax(1, round(tokens / (double)s->context));
}

static void fit_steps(Settings *s, const SizeHints *hints, double parameters, int64_t n_tokens) {
    if (s->steps > 0) return;
    double sample = hints->sample > 0 ? hints->sample : (double)s->context;
    double step_tokens = (double)(s->batch * s->accumulate) * sample;
    double tokens = TOKENS_PER_PARAMETER * parameters;
    if (s->minutes > 0 || s->params == 0) {
        double minutes = s->minutes > 0 ? s->minutes : MINUTES;
        tokens = hints->flops * 60 * minutes / (6 * parameters);
    }
    tokens = fmin(tokens, (double)n_tokens * EPOCHS_MOST);
    s->steps = (int64_t)fmax(20, round(tokens / step_tokens));
}

// Weight, gradient and two moments: the least that learning takes.
static bool check_memory(const Settings *s, Error *err) {
    double parameters = parameters_with(s, s->experts), bytes = 16 * parameters;
    double all = (double)memory_of_machine();
    if (all == 0 || bytes <= all || s->lora) return true;
    return error_set(err, ERROR_MEMORY,
                     "%.0f M parameters take %.1f GB of memory to learn, and the machine has %.1f",
                     parameters / 1e6, bytes / 1e9, all / 1e9);
}

static bool check_context(const Settings *s, const SizeHints *hints, int64_t n_tokens, Error *err) {
    if (s->context < n_tokens || hints->longest) return true;
    return error_set(err, ERROR_USAGE, "context: %lld tokens; the text has only %lld to learn from",
                     (long long)s->context, (long long)n_tokens);
}

bool size_fit(Settings *s, const SizeHints *hints, int64_t n_tokens, Error *err) {
    fit_shape(s, parameters_wanted(s, hints, n_tokens));
    double parameters = parameters_with(s, s->experts_used);
    fit_batch(s, hints, parameters, n_tokens);
    fit_steps(s, hints, parameters, n_tokens);
    // Peaks that work for AdamW fall about with the cube root of the size.
    if (s->rate == 0) s->rate = fmin(3e-3, 3e-3 * pow(1e6 / fmax(parameters, 1e6), 1.0 / 3));
    if (s->validate_every == 0) s->validate_every = s->steps / 20 > 0 ? s->steps / 20 : 1;
    if (s->sample_every == 0) s->sample_every = s->validate_every;
    if (s->save_every == 0) s->save_every = s->validate_every;
    if (s->width % s->heads != 0) // one of them was fitted
        return error_set(err, ERROR_USAGE, "heads: %lld do not divide a width of %lld",
                         (long long)s->heads, (long long)s->width);
    return check_context(s, hints, n_tokens, err) && check_memory(s, err);
}
