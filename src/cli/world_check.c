// world_check.c - the proof of the mini-world in figures: for a person, or as JSON.
#include "cli/world.h"

#include <stdio.h>
#include <string.h>

static double percent(int64_t part, int64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

// ---------------------------------------------------------------- for a person
static void print_variety(const char *name, const Variety *v) {
    printf("%-8s %10lld %11lld %10lld %7.1f %10lld %9.1f %7.1f %7lld\n", name,
           (long long)v->documents, (long long)v->bytes, (long long)v->units,
           percent(v->texts.distinct, v->documents), (long long)v->sentences.total,
           percent(v->sentences.distinct, v->sentences.total),
           percent(v->sentences.most, v->sentences.total), (long long)v->types.distinct);
}

static void print_corpus(const WorldCheck *c) {
    printf("corpus    documents       bytes     tokens distinct  sentences  distinct  top one   "
           "types\n");
    print_variety("Chinese", &c->language[ZH]);
    print_variety("English", &c->language[EN]);
    print_variety("all", &c->all);
    printf("written at %.1f MB/s; %lld spans; tokens: characters of Chinese, words and marks; the "
           "rest "
           "in %%\n\n",
           (double)c->all.bytes / 1e6 / c->seconds, (long long)c->spans);
    printf("genre         documents  bytes (%%)\n");
    for (int i = 0; i < GENRES; i++)
        printf("%-12s %10.1f %10.1f\n", genres[i].name,
               percent(c->genre_documents[i], c->all.documents),
               percent(c->genre_bytes[i], c->all.bytes));
}

static void print_faults(const WorldCheck *c) {
    int64_t total = 0;
    for (int i = 0; i < N_FAULTS; i++) total += c->faults[i];
    printf("\nfaults of %d kinds: %lld\n", N_FAULTS, (long long)total);
    for (int i = 0; i < N_FAULTS; i++) {
        if (!c->faults[i]) continue;
        printf("%8lld  %s\n", (long long)c->faults[i], fault_words((Fault)i));
        printf("          %s\n", c->example[i]);
    }
}

static void print_leaks(const WorldCheck *c) {
    printf("\nprobes           items   chance  combination seen  text seen\n");
    for (int i = 0; i < PHENOMENA; i++) {
        const Leaks *l = &c->leaks[i];
        if (l->items)
            printf("%-14s %7lld %8.3f %17lld %10lld\n", phenomena[i].name, (long long)l->items,
                   l->chance, (long long)l->in_key, (long long)l->in_text);
    }
    printf("of %lld documents for validation %lld (%.1f %%) are in training too\n",
           (long long)c->valid_documents, (long long)c->valid_seen,
           percent(c->valid_seen, c->valid_documents));
}

static void print_balances(const WorldCheck *c) {
    printf("\nbalance                                        share     of\n");
    for (int i = 0; i < c->n_balances; i++) {
        const Balance *b = &c->balance[i];
        char what[96];
        if (strchr(b->what, ':'))
            snprintf(what, sizeof what, "%s", b->what);
        else
            snprintf(what, sizeof what, "%s: %s", b->what, b->first);
        int width = 44; // columns, where a Chinese character of three bytes takes two
        for (const char *p = what; *p; p++)
            if ((unsigned char)*p >= 0xc0) width++;
        printf("%-*s %6.1f %% %6lld\n", width, what, percent(b->n_first, b->n), (long long)b->n);
    }
}

void world_check_print(const WorldCheck *c) {
    print_corpus(c);
    print_faults(c);
    print_leaks(c);
    print_balances(c);
}

// ---------------------------------------------------------------- JSON
static void put_number(JsonWriter *w, const char *key, double value) {
    json_key(w, key);
    json_put_number(w, value);
}

static void put_variety(JsonWriter *w, const char *name, const Variety *v) {
    json_key(w, name);
    json_begin_object(w);
    put_number(w, "documents", (double)v->documents);
    put_number(w, "bytes", (double)v->bytes);
    put_number(w, "tokens", (double)v->units);
    put_number(w, "distinct_documents", (double)v->texts.distinct);
    put_number(w, "sentences", (double)v->sentences.total);
    put_number(w, "distinct_sentences", (double)v->sentences.distinct);
    put_number(w, "most_frequent_sentence", (double)v->sentences.most);
    put_number(w, "types", (double)v->types.distinct);
    json_end_object(w);
}

static void put_lists(JsonWriter *w, const WorldCheck *c) {
    json_key(w, "faults");
    json_begin_array(w);
    for (int i = 0; i < N_FAULTS; i++) {
        if (!c->faults[i]) continue;
        json_begin_object(w);
        json_key(w, "what");
        json_put_string(w, str_from(fault_words((Fault)i)));
        put_number(w, "n", (double)c->faults[i]);
        json_end_object(w);
    }
    json_end_array(w);
    json_key(w, "probes");
    json_begin_array(w);
    for (int i = 0; i < PHENOMENA; i++) {
        json_begin_object(w);
        json_key(w, "name");
        json_put_string(w, str_from(phenomena[i].name));
        put_number(w, "n", (double)c->leaks[i].items);
        put_number(w, "chance", c->leaks[i].chance);
        put_number(w, "leaked", (double)(c->leaks[i].in_key + c->leaks[i].in_text));
        json_end_object(w);
    }
    json_end_array(w);
    json_key(w, "balance");
    json_begin_array(w);
    for (int i = 0; i < c->n_balances; i++) {
        json_begin_object(w);
        json_key(w, "what");
        json_put_string(w, str_from(c->balance[i].what));
        put_number(w, "share", percent(c->balance[i].n_first, c->balance[i].n) / 100);
        put_number(w, "n", (double)c->balance[i].n);
        json_end_object(w);
    }
    json_end_array(w);
}

void world_check_json(const WorldCheck *c, JsonWriter *w) {
    char why[256] = "";
    json_begin_object(w);
    json_key(w, "passed");
    json_put_bool(w, world_check_passes(c, why));
    put_number(w, "mb_per_second", (double)c->all.bytes / 1e6 / c->seconds);
    put_variety(w, "zh", &c->language[ZH]);
    put_variety(w, "en", &c->language[EN]);
    put_variety(w, "all", &c->all);
    put_lists(w, c);
    json_end_object(w);
}
