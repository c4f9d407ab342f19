// server.c - the daemon: routes, bodies, answers.
//
// A thread for each connection, so that a slow reader or a long computation holds up nobody else;
// the labs themselves are behind one lock.
#include "serve/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "serve/connections.h"
#include "serve/guard.h"
#include "serve/page.h"

enum { HEADER_BYTES_MAX = 32 << 10, PART_BYTES = 64 << 10 };

struct Server {
    ServerOptions options;
    struct MHD_Daemon *daemon;
    int port;
    Connections connections;
    pthread_mutex_t lock; // of the labs
    Models models;
    int client; // socket of the connection whose answer is computed; under the lock
    atomic_bool is_closing;
};

// What is known of one request between the calls of its handler.
typedef struct Exchange {
    Server *server;
    Connection *connection;
    char *body;
    size_t n, capacity;
    double begun; // when its header was there
    bool is_too_long;
} Exchange;

// ---------------------------------------------------------------- answers
// The page may load nothing but its own files, WebAssembly among them, and be framed by nobody
// else.
static const char *const security_headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
     "style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
     "form-action 'none'; frame-ancestors 'self'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"}};

// Bytes on their way out.  Each part that is taken gives the reader more time.
typedef struct Outgoing {
    Server *server;
    Connection *connection;
    char *bytes;
    size_t n;
} Outgoing;

static ssize_t hand_out(void *user, uint64_t position, char *to, size_t room) {
    Outgoing *o = user;
    size_t left = o->n - (size_t)position, n = left < room ? left : room;
    connections_allow(&o->server->connections, o->connection, STALL_SECONDS);
    if (n == 0) return MHD_CONTENT_READER_END_OF_STREAM;
    memcpy(to, o->bytes + position, n);
    return (ssize_t)n;
}

static void free_outgoing(void *user) {
    Outgoing *o = user;
    free(o->bytes);
    free(o);
}

static Connection *connection_of(struct MHD_Connection *mhd) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

// Sends a copy of the bytes.
static enum MHD_Result send_bytes(Server *s, struct MHD_Connection *mhd, unsigned status,
                                  const char *type, Str bytes) {
    Outgoing *o = calloc(1, sizeof *o);
    char *copy = malloc(bytes.n + 1);
    if (!o || !copy) {
        free(o);
        free(copy);
        return MHD_NO;
    }
    if (bytes.n) memcpy(copy, bytes.data, bytes.n);
    *o = (Outgoing){s, connection_of(mhd), copy, bytes.n};
    struct MHD_Response *response =
        MHD_create_response_from_callback(bytes.n, PART_BYTES, hand_out, o, free_outgoing);
    if (!response) {
        free_outgoing(o);
        return MHD_NO;
    }
    connections_allow(&s->connections, o->connection, STALL_SECONDS);
    MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof security_headers / sizeof *security_headers; i++)
        MHD_add_response_header(response, security_headers[i][0], security_headers[i][1]);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET, HEAD, POST");
    enum MHD_Result result = MHD_queue_response(mhd, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(Server *s, struct MHD_Connection *mhd, unsigned status,
                              const char *kind, const char *message) {
    Error err = {0};
    Arena arena;
    if (!arena_init(&arena, 1 << 20, &err)) return MHD_NO;
    StrBuilder out = str_builder(&arena);
    JsonWriter json = json_writer(&out, 0);
    json_begin_object(&json);
    json_key(&json, "error");
    json_begin_object(&json);
    json_key(&json, "kind");
    json_put_string(&json, str_from(kind));
    json_key(&json, "message");
    json_put_string(&json, str_from(message));
    json_end_object(&json);
    json_end_object(&json);
    enum MHD_Result result = send_bytes(s, mhd, status, "application/json", str_built(&out));
    arena_drop(&arena);
    return result;
}

static enum MHD_Result refuse_error(Server *s, struct MHD_Connection *mhd, const Error *err) {
    static const unsigned status[] = {[ERROR_USAGE] = MHD_HTTP_BAD_REQUEST,
                                      [ERROR_FORMAT] = MHD_HTTP_BAD_REQUEST,
                                      [ERROR_UNSUPPORTED] = MHD_HTTP_BAD_REQUEST,
                                      [ERROR_LIMIT] = MHD_HTTP_BAD_REQUEST,
                                      [ERROR_IO] = MHD_HTTP_INTERNAL_SERVER_ERROR,
                                      [ERROR_MEMORY] = MHD_HTTP_SERVICE_UNAVAILABLE,
                                      [ERROR_CANCELLED] = MHD_HTTP_SERVICE_UNAVAILABLE};
    return refuse(s, mhd, status[err->kind], error_kind_words(err->kind), err->text);
}

// ---------------------------------------------------------------- routes
static enum MHD_Result send_file(Server *s, struct MHD_Connection *mhd, const char *path) {
    Error err = {0};
    Arena arena;
    Str bytes;
    if (!arena_init(&arena, 64 << 20, &err)) return refuse_error(s, mhd, &err);
    enum MHD_Result result =
        page_find(s->options.web, path, &arena, &bytes)
            ? send_bytes(s, mhd, MHD_HTTP_OK, page_type(path), bytes)
            : refuse(s, mhd, MHD_HTTP_NOT_FOUND, "not found", "there is no such page");
    arena_drop(&arena);
    return result;
}

static enum MHD_Result send_models(Server *s, struct MHD_Connection *mhd, bool only_first) {
    Error err = {0};
    Arena arena;
    if (!arena_init(&arena, 16 << 20, &err)) return refuse_error(s, mhd, &err);
    StrBuilder out = str_builder(&arena);
    JsonWriter json = json_writer(&out, 0);
    pthread_mutex_lock(&s->lock); // who prepares a model moves its weights
    if (only_first)
        lab_put_model(&json, s->options.models->item[0].model);
    else
        models_put(s->options.models, &json);
    pthread_mutex_unlock(&s->lock);
    enum MHD_Result result = send_bytes(s, mhd, MHD_HTTP_OK, "application/json", str_built(&out));
    arena_drop(&arena);
    return result;
}

// Asked by the lab between the parts of an answer: is the client still there?
static bool keep_going(void *user) {
    Server *s = user;
    char byte;
    if (atomic_load(&s->is_closing)) return false;
    return recv(s->client, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}

static bool record(const Server *s, Str trace, Error *err) {
    if (!s->options.record) return true;
    FileWriter *file = file_create(s->options.record, err);
    if (!file) return false;
    file_write(file, trace.data, trace.n);
    return file_commit(file, err);
}

static enum MHD_Result send_trace(Exchange *e, struct MHD_Connection *mhd) {
    Server *s = e->server;
    Error err = {0};
    Str trace;
    connections_allow(&s->connections, e->connection, HUGE_VAL);
    pthread_mutex_lock(&s->lock);
    s->client = e->connection ? e->connection->socket : -1;
    Str request = {e->body, e->n};
    Lab *lab = models_lab(&s->models, request, &err);
    bool ok = lab && lab_answer(lab, request, &trace, &err) && record(s, trace, &err);
    enum MHD_Result result = ok ? send_bytes(s, mhd, MHD_HTTP_OK, "application/octet-stream", trace)
                                : refuse_error(s, mhd, &err);
    pthread_mutex_unlock(&s->lock);
    return result;
}

// ---------------------------------------------------------------- requests
static enum MHD_Result count_host(void *user, enum MHD_ValueKind kind, const char *key,
                                  const char *value) {
    (void)kind, (void)value;
    static const char name[] = "host";
    size_t i = 0;
    while (name[i] && (key[i] | 0x20) == name[i]) i++;
    if (!name[i] && !key[i]) ++*(int *)user;
    return MHD_YES;
}

static Headers headers_of(struct MHD_Connection *mhd) {
    Headers h = {.host = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, "Host"),
                 .origin = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, "Origin"),
                 .content_type = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, "Content-Type")};
    MHD_get_connection_values(mhd, MHD_HEADER_KIND, count_host, &h.n_hosts);
    return h;
}

static bool is_get(const char *method) {
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

// When the header is there: refuses (which closes the connection), or waits for the rest.
static enum MHD_Result begin(Exchange *e, struct MHD_Connection *mhd, const char *path,
                             const char *method) {
    Server *s = e->server;
    Headers headers = headers_of(mhd);
    const char *refusal = guard_refusal(&headers, s->port);
    bool is_trace = strcmp(path, "/api/trace") == 0;
    if (refusal) return refuse(s, mhd, MHD_HTTP_FORBIDDEN, "forbidden", refusal);
    if (is_trace ? strcmp(method, "POST") != 0 : !is_get(method))
        return refuse(s, mhd, MHD_HTTP_METHOD_NOT_ALLOWED, "wrong method",
                      "traces are asked for with POST /api/trace, all else with GET");
    if (is_trace && !guard_is_json(&headers))
        return refuse(s, mhd, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "wrong type",
                      "a request is application/json");
    e->begun = clock_seconds();
    connections_allow(&s->connections, e->connection, BODY_SECONDS);
    return MHD_YES;
}

// When all of it is there.
static enum MHD_Result answer(Exchange *e, struct MHD_Connection *mhd, const char *path) {
    if (e->is_too_long)
        return refuse(e->server, mhd, MHD_HTTP_CONTENT_TOO_LARGE, "limit exceeded",
                      "a request has at most 1 MiB");
    if (strcmp(path, "/api/trace") == 0) return send_trace(e, mhd);
    if (strcmp(path, "/api/models") == 0) return send_models(e->server, mhd, false);
    if (strcmp(path, "/api/model") == 0) return send_models(e->server, mhd, true);
    return send_file(e->server, mhd, path);
}

static void take_body(Exchange *e, const char *data, size_t n) {
    size_t wanted = e->n + n;
    if (wanted > LAB_REQUEST_BYTES_MAX) e->is_too_long = true;
    if (e->is_too_long) return;
    if (wanted > e->capacity) {
        size_t capacity = wanted < 4096 ? 4096 : 2 * wanted;
        char *body = realloc(e->body, capacity);
        e->is_too_long = !body;
        if (!body) return;
        e->body = body;
        e->capacity = capacity;
    }
    memcpy(e->body + e->n, data, n);
    e->n = wanted;
    double allowed = BODY_SECONDS + (double)e->n / 1024;
    connections_allow(&e->server->connections, e->connection, e->begun + allowed - clock_seconds());
}

static enum MHD_Result handle(void *user, struct MHD_Connection *mhd, const char *path,
                              const char *method, const char *version, const char *data, size_t *n,
                              void **state) {
    (void)version;
    Exchange *e = *state;
    if (!e) {
        e = *state = calloc(1, sizeof *e);
        if (!e) return MHD_NO;
        *e = (Exchange){.server = user, .connection = connection_of(mhd)};
        return begin(e, mhd, path, method);
    }
    if (*n > 0) {
        take_body(e, data, *n);
        *n = 0;
        return MHD_YES;
    }
    return answer(e, mhd, path);
}

// Paths are taken as they come: no name here needs an escape, and none may hide a NUL.
static size_t keep_escapes(void *user, struct MHD_Connection *mhd, char *text) {
    (void)user, (void)mhd;
    return strlen(text);
}

static void finish(void *user, struct MHD_Connection *mhd, void **state,
                   enum MHD_RequestTerminationCode why) {
    Server *s = user;
    Exchange *e = *state;
    (void)why;
    connections_allow(&s->connections, connection_of(mhd), IDLE_SECONDS);
    if (!e) return;
    free(e->body);
    free(e);
    *state = NULL;
}

static void notice(void *user, struct MHD_Connection *mhd, void **context,
                   enum MHD_ConnectionNotificationCode code) {
    Server *s = user;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
        *context = info ? connections_add(&s->connections, info->connect_fd) : NULL;
    } else {
        connections_remove(&s->connections, *context);
        *context = NULL;
    }
}

// ---------------------------------------------------------------- life
// A socket that listens on this machine only, and not in the programs that heed starts; *port is
// the one that it got.  -1: the port is taken, or the system refuses.
static int open_socket(int *port) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)*port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof address;
    if (fd < 0) return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (struct sockaddr *)&address, n) == 0 && listen(fd, CONNECTIONS_MAX) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &n) == 0) {
        *port = ntohs(address.sin_port);
        return fd;
    }
    close(fd);
    return -1;
}

// The port is known before the first request can come: its Host header has to name it.
static bool listen_on(Server *s, Error *err) {
    int fd = open_socket(&s->port);
    if (fd < 0)
        return error_set(err, ERROR_IO, "cannot listen on 127.0.0.1:%d: is the port taken?",
                         s->port);
    s->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC, 0, NULL,
        NULL, handle, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)STALL_SECONDS, MHD_OPTION_NOTIFY_COMPLETED, finish,
        s, MHD_OPTION_NOTIFY_CONNECTION, notice, s, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_END);
    if (s->daemon) return true;
    close(fd);
    return error_set(err, ERROR_IO, "the HTTP server does not start");
}

Server *server_open(ServerOptions options, Error *err) {
    Server *s = calloc(1, sizeof *s);
    if (!s) {
        error_set(err, ERROR_MEMORY, "no memory for a server");
        return NULL;
    }
    s->options = options;
    s->port = options.port;
    options.lab.keep_going = keep_going;
    options.lab.user = s;
    connections_init(&s->connections);
    pthread_mutex_init(&s->lock, NULL);
    s->models = (Models){.served = options.models, .options = options.lab};
    if (listen_on(s, err)) return s;
    server_close(s);
    return NULL;
}

int server_port(const Server *server) {
    return server->port;
}

void server_tick(Server *server) {
    connections_end_late(&server->connections);
}

void server_close(Server *s) {
    if (!s) return;
    atomic_store(&s->is_closing, true);
    if (s->daemon) MHD_stop_daemon(s->daemon);
    models_close(&s->models);
    connections_drop(&s->connections);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
