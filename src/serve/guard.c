// guard.c - against pages of other sites: DNS rebinding (a name that comes to mean 127.0.0.1) shows
// in Host, cross-site requests show in Origin.
#include "serve/guard.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Does `text` begin with `words` (lower case), in whatever case?  What follows, or NULL.
static const char *after(const char *text, const char *words) {
    for (; *words; words++, text++)
        if (lower(*text) != *words) return NULL;
    return text;
}

static bool is_here(const char *host, int port) {
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char suffix[16];
    snprintf(suffix, sizeof suffix, ":%d", port);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rest = after(host, names[i]);
        if (rest && (strcmp(rest, suffix) == 0 || (port == 80 && !*rest))) return true;
    }
    return false;
}

const char *guard_refusal(const Headers *h, int port) {
    if (h->n_hosts != 1 || !is_here(h->host, port))
        return "the Host header must name this machine and port";
    if (!h->origin) return NULL;
    const char *host = after(h->origin, "http://");
    return host && is_here(host, port) ? NULL : "requests of other origins are refused";
}

bool guard_is_json(const Headers *h) {
    const char *rest = h->content_type ? after(h->content_type, "application/json") : NULL;
    return rest && (!*rest || *rest == ';' || *rest == ' ');
}
