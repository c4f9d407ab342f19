// convert.c - heed convert: Hugging Face folder to GGUF and back, or the same with other types.
#include <string.h>

#include "base/file.h"
#include "cli/saving.h"

typedef struct Convert {
    Saving saving;
    const char *to;
    int64_t shard_megabytes;
} Convert;

// A folder where the user says so, or where the target looks like one.
static bool is_folder_wanted(const Convert *c, bool *is_folder, Error *err) {
    Str target = str_from(c->saving.target);
    *is_folder = str_ends(target, STR("/")) || file_is_folder(c->saving.target);
    if (!*c->to) return true;
    bool wants_folder = strcmp(c->to, "hf") == 0;
    if (!wants_folder && strcmp(c->to, "gguf") != 0)
        return error_set(err, ERROR_USAGE, "--to is gguf or hf, not '%s'", c->to);
    if (!wants_folder && *is_folder)
        return error_set(err, ERROR_USAGE, "%.300s is a folder, and a GGUF is a file",
                         c->saving.target);
    *is_folder = wants_folder;
    return true;
}

static bool convert(Convert *c, const Positionals *rest, Error *err) {
    ExportOptions options = {.shard_bytes = c->shard_megabytes * 1000000};
    bool is_folder;
    return saving_open(&c->saving, rest, &options, err) && is_folder_wanted(c, &is_folder, err) &&
           saving_write(&c->saving, is_folder, options, err);
}

static int run(int argc, char **argv) {
    Convert c = {.to = "", .shard_megabytes = EXPORT_SHARD_BYTES / 1000000};
    Option saving[SAVING_OPTIONS];
    const Option own[] = {
        {"--to", 0, OPTION_TEXT, &c.to, "KIND",
         "gguf or hf (default: hf if TARGET is a folder or ends in /, else gguf)"},
        {"--shard-size", 0, OPTION_INT, &c.shard_megabytes, "MB",
         "largest file of weights in a folder (default 2000)", 1, 1 << 20},
        {0}};
    const Option *const tables[] = {saving_options(&c.saving, saving), own, NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_convert, tables, argc, argv, &rest, &code)) return code;
    bool ok = convert(&c, &rest, &err);
    saving_close(&c.saving);
    return ok ? 0 : cli_fail(&command_convert, &err);
}

const Command command_convert = {"convert", "MODEL -o TARGET",
                                 "turn a Hugging Face folder into a GGUF file, or back", run};
