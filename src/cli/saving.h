// saving.h - what convert and quantize share: where a model may be written to, how far it is, and
// what was written.
#ifndef HEED_CLI_SAVING_H
#define HEED_CLI_SAVING_H

#include "cli/cli.h"
#include "cli/progress.h"
#include "export/export.h"

typedef struct Saving {
    Setup setup;
    // options
    const char *target, *type;
    bool force, as_json, no_tokenizer;
    // made from them
    ExportReport report;
    Progress progress;
} Saving;

// The options -o --type --lora --force --no-tokenizer --threads --json; NULL-terminated.
enum { SAVING_OPTIONS = 9 };
const Option *saving_options(Saving *s, Option table[SAVING_OPTIONS]);

// Refuses a target that is there (but for `force`), a part of the open model, standard output.
MUST_USE bool saving_check_target(Setup *setup, const char *path, bool force, Error *err);
// Opens the model and fills what the options say; checks the target.
MUST_USE bool saving_open(Saving *s, const Positionals *rest, ExportOptions *options, Error *err);
// Writes the model and prints what was written.
MUST_USE bool saving_write(Saving *s, bool is_folder, ExportOptions options, Error *err);
void saving_close(Saving *s);

#endif
