// main.c - the program: finds the command, runs it, turns errors into one line and an exit code.
//
// Only this folder prints and exits.  Exit codes: 0 done, 1 the request failed, 2 wrong usage.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/term.h"
#include "cli/cli.h"

static const Command *const commands[] = {
    &command_run,      &command_chat, &command_next,    &command_attend,   &command_info,
    &command_tokenize, &command_eval, &command_convert, &command_quantize, &command_bench,
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_overview(FILE *out) {
    fprintf(out, "heed %s - a transformer language-model engine that you can see into\n\n",
            HEED_VERSION);
    fprintf(out, "usage: heed COMMAND ...          heed COMMAND --help tells its options\n\n");
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  heed %-9s %-30s %s\n", commands[i]->name, commands[i]->arguments,
                commands[i]->summary);
    fprintf(out, "\nMODEL is a .gguf file or a Hugging Face folder.\n");
}

static void print_help(const Command *command, const Option *const *tables) {
    Error err = {0};
    Arena arena;
    if (!arena_init(&arena, ARENA_DEFAULT, &err)) return;
    StrBuilder text = str_builder(&arena);
    str_add_format(&text, "usage: heed %s %s\n%s.\n\n", command->name, command->arguments,
                   command->summary);
    options_help(&text, tables, term_columns(STDOUT_FILENO, 80));
    fputs(str_built(&text).data, stdout);
    arena_drop(&arena);
}

// ---------------------------------------------------------------- for the commands
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    if (interrupted) _exit(130); // asked twice: at once
    interrupted = 1;
}

bool cli_keep_going(void *user) {
    (void)user;
    return !interrupted;
}

void cli_forget_interrupt(void) {
    interrupted = 0;
}

int cli_fail(const Command *command, const Error *err) {
    fflush(stdout);
    fprintf(stderr, "heed %s: %s\n", command->name, err->text);
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
    memcpy(all, tables, sizeof *tables * (size_t)n);
    all[n] = help;
    all[n + 1] = NULL;
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

int main(int argc, char **argv) {
    log_to(print_message, NULL, LOG_WARNING);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_interrupt}, NULL);
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_overview(argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("heed %s\n", HEED_VERSION);
        return 0;
    }
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(argv[1], commands[i]->name) != 0) continue;
        int code = commands[i]->run(argc - 1, argv + 1);
        if (fflush(stdout) == 0 && !ferror(stdout)) return code;
        fprintf(stderr, "heed %s: cannot write the output\n", commands[i]->name);
        return 1;
    }
    fprintf(stderr, "heed: no command '%s'; heed --help lists them\n", argv[1]);
    return 2;
}
