// connections.h - how long each connection may take for what it is doing.
//
// The timeout of libmicrohttpd begins again with every byte, so a client that sends one byte a
// second would hold its connection for ever.  Here each phase has a deadline; connections_end_late
// closes those that have passed it.
#ifndef HEED_SERVE_CONNECTIONS_H
#define HEED_SERVE_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>

enum {
    CONNECTIONS_MAX = 64,
    HEADER_SECONDS = 10, // from the connection to the end of the header
    BODY_SECONDS = 10,   // of the body, and one more for each KiB that has come
    IDLE_SECONDS = 15,   // between two requests, and for the header of the next
    STALL_SECONDS = 30   // that a reader may take for a part of the answer
};

typedef struct Connection {
    bool is_open;
    int socket;
    double deadline; // on clock_seconds; infinite while the answer is computed
} Connection;

typedef struct Connections {
    pthread_mutex_t lock;
    Connection slot[CONNECTIONS_MAX];
} Connections;

void connections_init(Connections *c);
void connections_drop(Connections *c);
// A new connection; NULL: there are too many.
Connection *connections_add(Connections *c, int socket);
void connections_remove(Connections *c, Connection *connection);                // accepts NULL
void connections_allow(Connections *c, Connection *connection, double seconds); // from now on
void connections_end_late(Connections *c);

#endif
