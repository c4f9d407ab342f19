// lab.c - heed lab: serves the page in which a model can be looked into, on this machine only.
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#ifdef HEED_MICROHTTPD
#include "serve/server.h"
#endif

enum { PORT_USUAL = 4333, TICK_MILLISECONDS = 200 }; // 4333 spells heed on a telephone

typedef struct LabCommand {
    Setup setup;
    int64_t port;
    const char *web, *record;
    bool has_port, no_open;
} LabCommand;

#ifdef HEED_MICROHTTPD
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
    ServerOptions options = {.model = c->setup.model,
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
    if (rest->n != 1) return error_set(err, ERROR_USAGE, "give one MODEL");
    if (!setup_open(&c->setup, rest->text[0], err)) return false;
    cli_catch_interrupt();
    if (!setup_pack(&c->setup, err)) return false;
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
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_lab, &err);
}

const Command command_lab = {"lab", "MODEL", "open a page in which the model can be looked into",
                             run};
