// connections.c - deadlines of connections.
#include "serve/connections.h"

#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"

void connections_init(Connections *c) {
    memset(c->slot, 0, sizeof c->slot);
    pthread_mutex_init(&c->lock, NULL);
}

void connections_drop(Connections *c) {
    pthread_mutex_destroy(&c->lock);
}

Connection *connections_add(Connections *c, int socket) {
    Connection *found = NULL;
    pthread_mutex_lock(&c->lock);
    for (int i = 0; i < CONNECTIONS_MAX && !found; i++)
        if (!c->slot[i].is_open) found = &c->slot[i];
    if (found) *found = (Connection){true, socket, clock_seconds() + HEADER_SECONDS};
    pthread_mutex_unlock(&c->lock);
    return found;
}

void connections_remove(Connections *c, Connection *connection) {
    if (!connection) return;
    pthread_mutex_lock(&c->lock);
    connection->is_open = false;
    pthread_mutex_unlock(&c->lock);
}

void connections_allow(Connections *c, Connection *connection, double seconds) {
    if (!connection) return;
    pthread_mutex_lock(&c->lock);
    connection->deadline = clock_seconds() + seconds;
    pthread_mutex_unlock(&c->lock);
}

// The owner closes the socket when it sees the end, and takes it out of the table before that: so
// under the lock a slot's socket is its own.
void connections_end_late(Connections *c) {
    double now = clock_seconds();
    pthread_mutex_lock(&c->lock);
    for (int i = 0; i < CONNECTIONS_MAX; i++)
        if (c->slot[i].is_open && now > c->slot[i].deadline) shutdown(c->slot[i].socket, SHUT_RDWR);
    pthread_mutex_unlock(&c->lock);
}
