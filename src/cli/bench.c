// bench.c - heed bench: tokens a second of a model, and how much of the machine that is.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "look/speed.h"
#include "model/weights.h"

enum { PREFILL = 512, DECODE = 64, READ_REPEAT = 3 };

typedef struct BenchCommand {
    Setup setup;
    int64_t prefill, decode, depth, repeat;
    const char *cache;
    bool has_prefill, has_decode, exact, as_json;
    // made from them
    const Kernels *kernels;
    size_t read_bytes;
    SpeedSpec spec;
    Progress progress;
} BenchCommand;

typedef struct BenchResult {
    int threads;
    Limits limits;
    Speed speed;
    SpeedCost cost;
    double prefill_share, decode_share;
} BenchResult;

// ---------------------------------------------------------------- memory for the buffer
// The number in a file of the system behind `key` ("": at its start), times `unit`; `otherwise`
// when there is none.
static double system_number(const char *path, const char *key, double unit, double otherwise) {
    char line[128];
    double found = otherwise;
    FILE *file = fopen(path, "r");
    if (!file) return otherwise;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        char *end, *number = line + strlen(key);
        double value = strtod(number, &end);
        if (end != number) found = value * unit;
        break;
    }
    fclose(file);
    return found;
}

// The buffer takes no more than half of the memory that is free, for the system and for this
// program's group; where nothing tells (not on Linux), the usual size is taken.
static size_t choose_read_bytes(void) {
    double plenty = 1e18;
    double free_bytes = system_number("/proc/meminfo", "MemAvailable:", 1024, plenty);
    double most = system_number("/sys/fs/cgroup/memory.max", "", 1, plenty); // "max": no limit
    double used = system_number("/sys/fs/cgroup/memory.current", "", 1, 0);
    if (most - used < free_bytes) free_bytes = most - used;
    if (free_bytes / 2 >= (double)LIMITS_READ_BYTES) return LIMITS_READ_BYTES;
    size_t least = (size_t)1 << 20, half = free_bytes > 0 ? (size_t)(free_bytes / 2) : 0;
    size_t bytes = half > least ? half : least;
    fprintf(stderr,
            "heed bench: memory is short: bandwidth is measured over %zu MB instead of %zu, "
            "part of which a cache may hold\n",
            bytes >> 20, LIMITS_READ_BYTES >> 20);
    return bytes;
}

// ---------------------------------------------------------------- measuring
static bool on_step(void *user, int64_t done, int64_t total) {
    BenchCommand *c = user;
    c->progress.total = total;
    progress_at(&c->progress, done, "");
    return cli_keep_going(NULL);
}

static bool measure_speed(BenchCommand *c, Pool *pool, BenchResult *r, Error *err) {
    Run run;
    if (!run_open(&run, pool, err)) return false;
    run.kernels = c->kernels;
    run.exact = c->exact;
    c->progress = progress_begin("measuring the model", "tokens", 0);
    bool ok = speed_measure(&run, c->setup.model, &c->spec, &r->speed, err);
    progress_end(&c->progress);
    r->cost = speed_cost(&run, c->setup.model, &c->spec);
    run_close(&run);
    return ok;
}

static bool measure(BenchCommand *c, Pool *pool, BenchResult *r, Error *err) {
    LimitsSpec limits = {.kernels = c->kernels,
                         .pool = pool,
                         .read_bytes = c->read_bytes,
                         .repeat = READ_REPEAT,
                         .on_step = on_step,
                         .user = c};
    r->threads = pool_threads(pool);
    c->progress = progress_begin("measuring the machine", "steps", 0);
    bool ok = limits_measure(&limits, &r->limits, err);
    progress_end(&c->progress);
    if (!ok || !measure_speed(c, pool, r, err)) return false;
    r->prefill_share = speed_prefill_share(&r->speed, &c->spec, &r->cost, &r->limits);
    r->decode_share = speed_decode_share(&r->speed, &r->cost, &r->limits);
    return true;
}

// ---------------------------------------------------------------- for a person
static void print_head(const BenchCommand *c) {
    const Model *m = c->setup.model;
    WeightCount count = weights_count(m);
    Arena *arena = (Arena *)(uintptr_t)&c->setup.arena;
    printf("%.*s: %.1f M parameters in %.1f MB\n", STR_ARG(screen_visible(arena, m->name)),
           (double)count.total / 1e6, (double)count.bytes / 1e6);
    printf("kernels %s; the processor has %s; cache %s%s\n", c->kernels->name, kernels_features(),
           dtype_name(c->spec.cache), c->exact ? "; exact" : "");
    printf("\n%-9s%-26s%9s%9s%9s   %s\n", "threads", "tokens a second", "least", "median", "most",
           "share of the limit");
}

static void print_line(const char *threads, const char *work, const SpeedSpread *s, double share,
                       const char *limit) {
    printf("%-9s%-26s%9.1f%9.1f%9.1f   %.0f %% of %s\n", threads, work, s->least, s->median,
           s->most, 100 * share, limit);
}

static void print_limits(const Limits *l) {
    printf("%9slimits: read %.1f GB/s (%d stream%s%s), f32 %.0f GFLOP/s, ", "", l->read / 1e9,
           1 << l->read_pattern / 2, l->read_pattern / 2 ? "s" : "",
           l->read_pattern % 2 ? ", prefetch" : "", l->f32 / 1e9);
    if (l->bf16 > 0)
        printf("bf16 %.0f GFLOP/s, ", l->bf16 / 1e9);
    else
        printf("no bf16, ");
    printf("int8 %.0f GOP/s\n", l->int8 / 1e9);
}

static void print_person(const BenchCommand *c, const BenchResult *r) {
    char threads[16], work[48], limit[32];
    snprintf(threads, sizeof threads, "%d", r->threads);
    snprintf(work, sizeof work, "prefill of %lld", (long long)c->spec.n_prefill);
    snprintf(limit, sizeof limit, "%s", arithmetic_name(r->cost.arithmetic));
    print_line(threads, work, &r->speed.prefill, r->prefill_share, limit);
    snprintf(work, sizeof work, "decode of %lld at depth %lld", (long long)c->spec.n_decode,
             (long long)c->spec.depth);
    print_line("", work, &r->speed.decode, r->decode_share, "reading");
    print_limits(&r->limits);
    fflush(stdout);
}

static void print_foot(const BenchCommand *c, const BenchResult *r) {
    printf("\nA token of the prompt takes %.1f million operations, a decoded one reads %.1f MB.\n"
           "Of %lld repetitions after one to warm up.\n",
           r->cost.prefill_ops / (double)c->spec.n_prefill / 1e6, r->cost.decode_bytes / 1e6,
           (long long)c->repeat);
}

// ---------------------------------------------------------------- for a program
static void put_number(JsonWriter *w, const char *key, double number) {
    json_key(w, key);
    json_put_number(w, number);
}

static void put_integer(JsonWriter *w, const char *key, int64_t number) {
    json_key(w, key);
    json_put_integer(w, number);
}

static void put_string(JsonWriter *w, const char *key, const char *text) {
    json_key(w, key);
    json_put_string(w, str_from(text));
}

static void put_spread(JsonWriter *w, const SpeedSpread *s, double share) {
    put_number(w, "tokens_per_second", s->median);
    put_number(w, "share_of_limit", share);
    put_number(w, "least", s->least);
    put_number(w, "most", s->most);
}

static void put_limits(JsonWriter *w, const Limits *l) {
    json_key(w, "limits");
    json_begin_object(w);
    put_number(w, "read_gb_s", l->read / 1e9);
    put_number(w, "f32_gflops", l->f32 / 1e9);
    put_number(w, "bf16_gflops", l->bf16 / 1e9);
    put_number(w, "int8_gops", l->int8 / 1e9);
    put_integer(w, "read_bytes", (int64_t)l->read_bytes);
    put_integer(w, "read_streams", 1 << l->read_pattern / 2);
    json_end_object(w);
}

static void print_json(BenchCommand *c, const BenchResult *r) {
    StrBuilder out = str_builder(&c->setup.arena);
    JsonWriter w = json_writer(&out, 2);
    json_begin_object(&w);
    put_integer(&w, "threads", r->threads);
    json_key(&w, "prefill");
    json_begin_object(&w);
    put_integer(&w, "tokens", c->spec.n_prefill);
    put_spread(&w, &r->speed.prefill, r->prefill_share);
    put_number(&w, "operations_per_token", r->cost.prefill_ops / (double)c->spec.n_prefill);
    put_string(&w, "arithmetic", arithmetic_name(r->cost.arithmetic));
    json_end_object(&w);
    json_key(&w, "decode");
    json_begin_object(&w);
    put_integer(&w, "depth", c->spec.depth);
    put_spread(&w, &r->speed.decode, r->decode_share);
    put_integer(&w, "tokens", c->spec.n_decode);
    put_number(&w, "bytes_per_token", r->cost.decode_bytes);
    json_end_object(&w);
    put_limits(&w, &r->limits);
    put_string(&w, "version", HEED_VERSION);
    put_string(&w, "kernels", c->kernels->name);
    put_string(&w, "features", kernels_features());
    put_string(&w, "cache", dtype_name(c->spec.cache));
    put_integer(&w, "repeat", c->repeat);
    json_end_object(&w);
    printf("%s\n", str_built(&out).data);
}

// ---------------------------------------------------------------- the command
// What the user left open follows the model: its context may be short.
static bool make_spec(BenchCommand *c, Error *err) {
    int64_t context = c->setup.model->config.context;
    DType cache = c->exact ? DTYPE_F32 : DTYPE_F16;
    if (*c->cache && !dtype_from_name(c->cache, &cache))
        return error_set(err, ERROR_USAGE, "--cache: no such type: %s", c->cache);
    if (!c->has_prefill && c->prefill > context) c->prefill = context;
    if (!c->has_decode && c->decode > context - c->depth && c->depth < context)
        c->decode = context - c->depth;
    c->spec = (SpeedSpec){.n_prefill = c->prefill,
                          .n_decode = c->decode,
                          .depth = c->depth,
                          .repeat = (int)c->repeat,
                          .cache = cache,
                          .on_step = on_step,
                          .user = c};
    c->kernels = c->setup.kernels ? c->setup.kernels : kernels_best();
    return speed_check(c->setup.model, &c->spec, err);
}

static bool bench(BenchCommand *c, const Positionals *rest, Error *err) {
    BenchResult result;
    if (rest->n != 1) return error_set(err, ERROR_USAGE, "give one MODEL");
    if (!setup_open(&c->setup, rest->text[0], err) || !setup_pack(&c->setup, err) ||
        !make_spec(c, err))
        return false;
    c->read_bytes = choose_read_bytes();
    if (!c->as_json) print_head(c);
    // A person who names no number of threads sees one and all.
    if (!c->as_json && c->setup.threads == 0 && pool_threads(c->setup.pool) > 1) {
        if (!measure(c, NULL, &result, err)) return false;
        print_person(c, &result);
    }
    if (!measure(c, c->setup.pool, &result, err)) return false;
    if (c->as_json) {
        print_json(c, &result);
        return true;
    }
    print_person(c, &result);
    print_foot(c, &result);
    return true;
}

static int run(int argc, char **argv) {
    BenchCommand c = {0};
    c.prefill = PREFILL;
    c.decode = DECODE;
    c.repeat = 5;
    c.cache = "";
    Option setup[SETUP_OPTIONS];
    const Option own[] = {
        {"--prefill", 0, OPTION_INT, &c.prefill, "N", "tokens of the prompt (default 512)", 1,
         1 << 24, &c.has_prefill},
        {"--decode", 0, OPTION_INT, &c.decode, "N", "tokens to decode (default 64)", 1, 1 << 24,
         &c.has_decode},
        {"--depth", 0, OPTION_INT, &c.depth, "N",
         "tokens that are remembered when decoding begins (default 0)", 0, 1 << 24},
        {"--repeat", 0, OPTION_INT, &c.repeat, "N", "repetitions (default 5)", 1, 1000},
        {"--cache", 0, OPTION_TEXT, &c.cache, "TYPE",
         "type of remembered keys and values: f16, f32, q8_0 (default f16; f32 with --exact)"},
        {"--exact", 0, OPTION_FLAG, &c.exact, NULL, "f32 activations throughout"},
        {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "for programs: with all cores or --threads"},
        {0}};
    const Option *const tables[] = {own, setup_model_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_bench, tables, argc, argv, &rest, &code)) return code;
    bool ok = bench(&c, &rest, &err);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_bench, &err);
}

const Command command_bench = {"bench", "MODEL",
                               "tokens a second, and how much of this machine that is", run};
