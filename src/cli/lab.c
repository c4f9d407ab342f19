// lab.c - heed lab: serves the page in which models can be looked into, on this machine only.
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "cli/cli.h"
#include "model/weights.h"
#ifdef HEED_MICROHTTPD
#include "serve/server.h"
#endif

enum { PORT_USUAL = 4333, TICK_MILLISECONDS = 200 }; // 4333 spells heed on a telephone

typedef struct LabCommand {
    Setup setup; // of the first model
    int64_t port;
    const char *web, *record;
    bool has_port, no_open;
#ifdef HEED_MICROHTTPD
    Model *model[SERVED_MAX]; // as `models` lists them
    ServedModels models;
#endif
} LabCommand;

#ifdef HEED_MICROHTTPD
// ---------------------------------------------------------------- models
static bool is_listed(const LabCommand *c, const char *name) {
    for (int i = 0; i < c->models.n; i++)
        if (strcmp(c->models.item[i].name, name) == 0) return true;
    return false;
}

// A model is brought into panels when it is first looked at: none costs memory before.
static bool prepare(void *user, int i, Error *err) {
    LabCommand *c = user;
    return c->setup.no_repack || weights_pack(c->model[i], c->setup.pool, err);
}

static bool list(LabCommand *c, const char *name, Model *model) {
    if (!model) return false;
    c->model[c->models.n] = model;
    c->models.item[c->models.n++] = (ServedModel){name, model};
    return true;
}

// The models that were named, then the built-in ones; of equal names the first.
static bool open_models(LabCommand *c, const Positionals *rest, Error *err) {
    const BuiltinModel *builtin = builtin_model(0);
    c->models.prepare = prepare;
    c->models.user = c;
    if (rest->n > SERVED_MAX / 2)
        return error_set(err, ERROR_USAGE, "at most %d models", SERVED_MAX / 2);
    if (c->setup.lora && rest->n != 1)
        return error_set(err, ERROR_USAGE, "--lora wants one MODEL, to which it belongs");
    const char *first = rest->n ? rest->text[0] : builtin->name;
    if (!setup_open(&c->setup, first, err) || !list(c, first, c->setup.model)) return false;
    ModelOptions options = {.no_mmap = c->setup.no_mmap};
    for (int i = 1; i < rest->n; i++)
        if (!is_listed(c, rest->text[i]) &&
            !list(c, rest->text[i], model_open(rest->text[i], options, err)))
            return false;
    for (int i = 0; (builtin = builtin_model(i)); i++) {
        const char *name = builtin->name;
        if (!is_listed(c, name) &&
            !list(c, name, model_open_gguf_bytes(builtin_file(builtin), name, err)))
            return false;
    }
    return true;
}

// The first belongs to the setup.
static void close_models(LabCommand *c) {
    for (int i = 1; i < c->models.n; i++) model_close(c->model[i]);
    setup_close(&c->setup);
}

// ---------------------------------------------------------------- serving
// The browser is a program of its own and may take its time: nobody waits for it.
static void open_browser(const char *url) {
#ifdef __APPLE__
    static const char opener[] = "open";
#else
    static const char opener[] = "xdg-open";
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
#endif
    pid_t child = fork();
    if (child != 0) return;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(127);
    execlp(opener, opener, url, (char *)NULL);
    _exit(127);
}

// The port that was asked for, else the usual one, else any.
static Server *open_server(const LabCommand *c, Error *err) {
    ServerOptions options = {.models = &c->models,
                             .lab = {.pool = c->setup.pool, .kernels = c->setup.kernels},
                             .port = c->has_port ? (int)c->port : PORT_USUAL,
                             .web = c->web,
                             .record = c->record};
    Server *server = server_open(options, err);
    if (server || c->has_port || err->kind != ERROR_IO) return server;
    *err = (Error){0};
    options.port = 0;
    return server_open(options, err);
}

static bool serve(LabCommand *c, const Positionals *rest, Error *err) {
    if (!open_models(c, rest, err)) return false;
    cli_catch_interrupt();
    Server *server = open_server(c, err);
    if (!server) return false;
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", server_port(server));
    printf("%s\n", url);
    fflush(stdout);
    fprintf(stderr, "The lab is open at this address, on this machine only. Ctrl-C closes it.\n");
    if (!c->no_open) open_browser(url);
    while (cli_keep_going(NULL)) {
        poll(NULL, 0, TICK_MILLISECONDS);
        server_tick(server);
    }
    server_close(server);
    return true;
}
#else
static void close_models(LabCommand *c) {
    setup_close(&c->setup);
}

static bool serve(LabCommand *c, const Positionals *rest, Error *err) {
    (void)c, (void)rest;
    return error_set(err, ERROR_UNSUPPORTED, "this heed was built without libmicrohttpd: no lab");
}
#endif

static int run(int argc, char **argv) {
    LabCommand c = {0};
    Option setup[SETUP_OPTIONS];
    const Option own[] = {
        {"--port", 'p', OPTION_INT, &c.port, "N",
         "port on 127.0.0.1 (default 4333, or any free one); 0: any", 0, 65535, &c.has_port},
        {"--no-open", 0, OPTION_FLAG, &c.no_open, NULL, "do not open a browser"},
        {"--web", 0, OPTION_TEXT, &c.web, "DIR", "serve the page's files from a folder"},
        {"--record", 0, OPTION_TEXT, &c.record, "FILE",
         "keep the newest trace in a file (docs/trace.md)"},
        {0}};
    const Option *const tables[] = {own, setup_model_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_lab, tables, argc, argv, &rest, &code)) return code;
    bool ok = serve(&c, &rest, &err);
    close_models(&c);
    return ok ? 0 : cli_fail(&command_lab, &err);
}

const Command command_lab = {"lab", "[MODEL...]", "open a page in which models can be looked into",
                             run};
