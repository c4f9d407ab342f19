// server.h - the lab over HTTP, for the browser on this machine and nobody else.
//
//     GET  /            the page, and its files
//     GET  /api/models  which models there are: {"models": [{"name", "model"}]}
//     GET  /api/model   what the first of them is
//     POST /api/trace   a request, answered with a trace (docs/trace.md), or {"error": {...}}
//
// Listens on 127.0.0.1 only.  Pages of other sites cannot reach it: the Host header must name this
// machine, an Origin must be this server's own, a request must be application/json, and no answer
// allows another origin.  Answers are computed one at a time; one whose client has gone is stopped.
#ifndef HEED_SERVE_SERVER_H
#define HEED_SERVE_SERVER_H

#include "serve/models.h"

typedef struct Server Server;

typedef struct ServerOptions {
    const ServedModels *models; // one at least; outlive the server
    LabOptions lab;             // keep_going and user are the server's own
    int port;                   // 0: any free one
    const char *web;            // folder of the page's files; NULL: those inside the program
    const char *record;         // file that keeps the newest trace; NULL: none
} ServerOptions;

// ERROR_IO when the port is taken.
MUST_USE Server *server_open(ServerOptions options, Error *err);
int server_port(const Server *server);
// Ends connections that are past their time: to be called a few times a second.
void server_tick(Server *server);
// Stops what is being computed and waits for the end of all connections.  Accepts NULL.
void server_close(Server *server);

#endif
