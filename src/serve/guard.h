// guard.h - who may ask: the checks before a request is looked at.
#ifndef HEED_SERVE_GUARD_H
#define HEED_SERVE_GUARD_H

#include <stdbool.h>

typedef struct Headers {
    const char *host;   // NULL: none
    int n_hosts;        // how many times it is there
    const char *origin; // NULL: none
    const char *content_type;
} Headers;

// NULL, or why not: the request does not come from a page of this server, or from a program on this
// machine that names it.
const char *guard_refusal(const Headers *headers, int port);
// Is it application/json, with whatever parameters?
bool guard_is_json(const Headers *headers);

#endif
