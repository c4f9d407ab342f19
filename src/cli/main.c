// main.c - the program: finds the command, runs it, turns errors into one line and an exit code.
//
// Only this folder prints and exits.  Exit codes: 0 done, 1 the request failed, 2 wrong usage;
// after Ctrl-C the signal itself, which shells show as 130.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/term.h"
#include "builtin/builtin.h"
#include "cli/cli.h"
#include "cli/screen.h"

static const Command *const commands[] = {
#define X(name) &command_##name,
    COMMANDS(X)
#undef X
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_overview(FILE *out) {
    Error err = {0};
    Arena arena;
    if (!arena_init(&arena, ARENA_DEFAULT, &err)) return;
    int columns = term_columns(fileno(out), 80);
    StrBuilder text = str_builder(&arena);
    Str title =
        STR("heed " HEED_VERSION " - a transformer language-model engine that you can see into");
    screen_wrap(&text, title, 0, 0, columns);
    str_add_c(&text, "\nusage: heed COMMAND [ARGUMENT...]\n\n");
    for (int i = 0; i < N_COMMANDS; i++) {
        str_add_format(&text, "  %-9s ", commands[i]->name);
        screen_wrap(&text, str_from(commands[i]->summary), 12, 12, columns);
    }
    str_add_c(&text, "\nheed COMMAND --help tells what it takes.\n");
    fputs(str_built(&text).data, out);
    arena_drop(&arena);
}

static void print_help(const Command *command, const Option *const *tables) {
    Error err = {0};
    Arena arena;
    if (!arena_init(&arena, ARENA_DEFAULT, &err)) return;
    int columns = term_columns(STDOUT_FILENO, 80);
    StrBuilder text = str_builder(&arena);
    str_add_format(&text, "heed %s - ", command->name);
    screen_wrap(&text, str_from(command->summary), 8 + (int)strlen(command->name), 4, columns);
    Str usage =
        str_printf(&arena, "\nusage: heed %s [OPTION...] %s", command->name, command->arguments);
    screen_wrap(&text, usage, 0, 7, columns);
    if (strstr(command->arguments, "MODEL")) {
        Str models = str_printf(&arena,
                                "MODEL is a .gguf file, a Hugging Face folder or a built-in "
                                "model: %.*s.",
                                STR_ARG(builtin_names(&arena)));
        screen_wrap(&text, models, 0, 0, columns);
    }
    str_add_byte(&text, '\n');
    options_help(&text, tables, columns);
    fputs(str_built(&text).data, stdout);
    arena_drop(&arena);
}

// ---------------------------------------------------------------- for the commands
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    if (interrupted) _exit(128 + signal_number); // asked twice: at once
    interrupted = signal_number;
}

void cli_catch_interrupt(void) {
    struct sigaction inherited = {0};
    sigaction(SIGINT, NULL, &inherited);
    if (inherited.sa_handler == SIG_IGN) return; // a job in the background is not asked
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_interrupt}, NULL);
}

bool cli_keep_going(void *user) {
    (void)user;
    return !interrupted;
}

void cli_forget_interrupt(void) {
    interrupted = 0;
}

int cli_fail(const Command *command, const Error *err) {
    char line[sizeof err->text];
    for (size_t i = 0; i < sizeof line; i++) {
        unsigned char c = (unsigned char)err->text[i];
        line[i] = (c > 0 && c < 0x20) || c == 0x7f ? '?' : err->text[i];
    }
    fflush(stdout);
    fprintf(stderr, "heed %s: %s\n", command->name, line);
    if (err->kind != ERROR_USAGE) return 1;
    fprintf(stderr, "heed %s --help tells how it is used.\n", command->name);
    return 2;
}

bool cli_parse(const Command *command, const Option *const *tables, int argc, char **argv,
               Positionals *rest, int *exit_code) {
    Error err = {0};
    bool wants_help = false;
    const Option help[] = {{"--help", 'h', OPTION_FLAG, &wants_help, NULL, "this text"}, {0}};
    const Option *all[16];
    int n = 0;
    while (tables[n] && n < 14) n++;
    all[0] = tables[0];
    all[1] = help; // behind the options of the command itself
    memcpy(all + 2, tables + 1, sizeof *tables * (size_t)n);
    bool ok = options_parse(all, argc, argv, rest, &err);
    *exit_code = ok ? 0 : 2;
    if (ok && wants_help) print_help(command, all);
    if (ok) return !wants_help;
    cli_fail(command, &err);
    return false;
}

static void print_message(void *user, LogLevel level, const char *line) {
    (void)user, (void)level;
    fprintf(stderr, "heed: %s\n", line);
}

// ---------------------------------------------------------------- which command
static const Command *find_command(const char *name) {
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0) return commands[i];
    return NULL;
}

static int unknown_command(const char *name) {
    const char *nearest = NULL;
    int best = WORD_FAR + 1;
    for (int i = 0; i < N_COMMANDS; i++) {
        int d = options_distance(name, strlen(name), commands[i]->name);
        if (d < best) nearest = commands[i]->name;
        if (d < best) best = d;
    }
    fprintf(stderr, "heed: no command '%s'", name);
    if (nearest) fprintf(stderr, "; did you mean %s?", nearest);
    fprintf(stderr, "\nheed --help lists the commands.\n");
    return 2;
}

static int run_command(int argc, char **argv) {
    bool wants_help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
                                   strcmp(argv[1], "help") == 0);
    if (argc < 2 || (wants_help && argc == 2)) {
        print_overview(argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("heed %s\n", HEED_VERSION);
        return 0;
    }
    const char *name = argv[wants_help ? 2 : 1];
    const Command *command = find_command(name);
    if (!command) return unknown_command(name);
    if (wants_help) return command->run(2, (char *[]){argv[2], (char[]){"--help"}, NULL});
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    log_to(print_message, NULL, LOG_WARNING);
    int code = run_command(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "heed: cannot write the output\n");
        code = 1;
    }
    if (interrupted) { // a shell ends its loop only if it sees us die of the signal
        sigaction(SIGINT, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        raise(SIGINT);
    }
    return code;
}
