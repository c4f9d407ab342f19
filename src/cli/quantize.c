// quantize.c - heed quantize: a model as a GGUF of fewer bits, and what that costs.
#include <string.h>

#include "cli/saving.h"

static bool quantize(Saving *s, const char *layout, const Positionals *rest, Error *err) {
    ExportOptions options = {.in_panels = strcmp(layout, "native") == 0};
    if (!options.in_panels && strcmp(layout, "file") != 0)
        return error_set(err, ERROR_USAGE, "--layout is file or native, not '%s'", layout);
    if (!s->type && !options.in_panels)
        return error_set(err, ERROR_USAGE, "say which type with --type TYPE");
    return saving_open(s, rest, &options, err) && saving_write(s, false, options, err);
}

static int run(int argc, char **argv) {
    Saving s;
    Option saving[SAVING_OPTIONS];
    const char *layout = "file";
    const Option own[] = {
        {"--layout", 0, OPTION_TEXT, &layout, "LAYOUT",
         "file (default), or native: for heed alone, as it computes (docs/native.md)"},
        {0}};
    const Option *const tables[] = {saving_options(&s, saving), own, NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_quantize, tables, argc, argv, &rest, &code)) return code;
    bool ok = quantize(&s, layout, &rest, &err);
    saving_close(&s);
    return ok ? 0 : cli_fail(&command_quantize, &err);
}

const Command command_quantize = {"quantize", "MODEL -o OUT.gguf --type TYPE",
                                  "write a model in fewer bits, and tell what that costs", run};
