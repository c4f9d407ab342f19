// cli.h - what the commands share: their table, how they parse, open a model, and fail.
#ifndef HEED_CLI_CLI_H
#define HEED_CLI_CLI_H

#include <stdio.h>

#include "base/json.h"
#include "base/pool.h"
#include "cli/options.h"
#include "generate/sampler.h"
#include "generate/session.h"

// One command, one file.  argv[0] is the command's name; the result is the exit code.
typedef struct Command {
    const char *name, *arguments, *summary;
    int (*run)(int argc, char **argv);
} Command;

// X(name) - every command, in the order in which help lists them; each is a file of this folder.
// clang-format off
#define COMMANDS(X) \
    X(run) X(chat) X(next) X(attend) X(lab) X(probe) X(heads) X(patch) X(edit) X(fill) X(embed) \
    X(train) X(compare) X(world) X(info) X(tokenize) X(tokenizer) X(eval) X(convert) X(quantize) X(bench)
// clang-format on

#define X(name) extern const Command command_##name;
COMMANDS(X)
#undef X

// ---------------------------------------------------------------- main.c
// Parses; --help is answered here.  False: stop with *exit_code.
MUST_USE bool cli_parse(const Command *command, const Option *const *tables, int argc, char **argv,
                        Positionals *rest, int *exit_code);
// Prints the error as one line, without control characters; returns the exit code that fits it.
int cli_fail(const Command *command, const Error *err);
// From here on Ctrl-C is noticed by those who ask cli_keep_going, and no longer ends the program.
void cli_catch_interrupt(void);
// False once the user has pressed Ctrl-C (a second Ctrl-C ends the program at once).
bool cli_keep_going(void *user);
void cli_forget_interrupt(void);

// ---------------------------------------------------------------- setup.c
// How a model is opened and run, as the user asked for it.
typedef struct Setup {
    // options
    int64_t threads, context;
    const char *cache, *lora;
    bool exact, no_mmap, no_cache, no_repack;
    // made from them
    Model *model;
    Pool *pool;
    const Kernels *kernels;
    Arena arena; // for whatever the command makes
} Setup;

// The options --lora --threads --no-mmap --no-repack, and those of a session with them: --ctx
// --cache --exact --no-cache; NULL-terminated.  `table` needs SETUP_OPTIONS entries.
enum { SETUP_OPTIONS = 10 };
const Option *setup_model_options(Setup *setup, Option table[SETUP_OPTIONS]);
const Option *setup_options(Setup *setup, Option table[SETUP_OPTIONS]);
// Opens model and pool; HEED_KERNELS names the kernels.
MUST_USE bool setup_open(Setup *setup, const char *path, Error *err);
// Brings the weights into panels, for whoever runs the model without a session.
MUST_USE bool setup_pack(Setup *setup, Error *err);
// The same, and opens a session.
MUST_USE Session *setup_session(Setup *setup, const Probe *probe, Error *err);
void setup_close(Setup *setup);

// Sampling as the user asked for it, else as the model's author did, else the seeds' default.
typedef struct SamplingSetup {
    SamplerOptions options;
    const char *order;
    TextList bias;
    int64_t seed;
    bool greedy;
    bool has_temperature, has_top_k, has_top_p, has_min_p, has_repetition, has_seed;
} SamplingSetup;
enum { SAMPLING_OPTIONS = 16 };
const Option *sampling_options(SamplingSetup *s, Option table[SAMPLING_OPTIONS]);
// Fills s->options from options, advice and defaults, and checks them.
MUST_USE bool sampling_finish(SamplingSetup *s, Setup *setup, Error *err);
// "temperature 0.7, top-p 0.9, seed 42": what is used, for the first line of output.
Str sampling_words(const SamplingSetup *s, Arena *arena);

// The prompt: `text`, else from `file` ("-": standard input), else from standard input unless a
// person sits there.  One newline at the end of a file is not part of it.  ERROR_USAGE when both
// or none is given.
MUST_USE bool setup_prompt(Setup *setup, const char *text, const char *file, Str *prompt,
                           Error *err);
// The type that --cache names; ERROR_USAGE for one that cannot be.
MUST_USE bool setup_cache_type(const char *name, DType *type, Error *err);
// Token ids of a text, with what the vocabulary puts in front of it.
MUST_USE bool setup_tokens(Setup *setup, Str text, bool parse_special, const int32_t **ids,
                           int64_t *n, Error *err);

// "text" of a token for a program: valid UTF-8, and "bytes" beside it where the piece is not
// (tokenize.c).
void cli_json_piece(JsonWriter *w, Str piece);

#endif
