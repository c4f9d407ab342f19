// session.h - one text, growing: a model, what it remembers of the text, and the next logits.
//
// The caller names the text it wants as a whole (session_sync); the session keeps what it has in
// common with the last one, forgets the rest, and computes only what is new.  Long texts go through
// in chunks; a callback may stop them between two.  After a failure the session holds a prefix of
// the text and may be used again.
//
// Belongs to one thread at a time.
#ifndef HEED_GENERATE_SESSION_H
#define HEED_GENERATE_SESSION_H

#include "model/model.h"
#include "model/state.h"

typedef struct SessionOptions {
    Pool *pool;      // NULL: one thread
    int64_t context; // positions at most; 0: what the model was made for
    DType cache;     // of keys and values: F32, F16, Q8_0
    bool exact;      // f32 activations throughout
    int64_t chunk;   // tokens computed at once; 0: 512
    Switches switches;
    const Kernels *kernels;         // NULL: the best
    const Probe *probe;             // NULL: nobody looks
    bool (*keep_going)(void *user); // asked before each chunk; NULL: always
    void *user;
} SessionOptions;

typedef struct Session {
    const Model *model;
    SessionOptions options;
    Run run;
    State *state;
    int32_t *ids; // (context) the text so far
    int64_t n;    // its length
    int64_t context;
    float *logits;      // (V) after its last token
    int64_t n_computed; // tokens that went through the model since it was opened
    Arena arena;
} Session;

// Everything is allocated here: the forwards of a session cannot run out of memory.
MUST_USE Session *session_open(const Model *model, SessionOptions options, Error *err);
void session_close(Session *session); // accepts NULL

// Makes ids[0 .. n-1] the session's text, n >= 1.  ERROR_LIMIT past the context, ERROR_CANCELLED
// when keep_going says so, ERROR_IO when the model's file has shrunk, ERROR_FORMAT for an id past
// the vocabulary or a model that yields NaN.
MUST_USE bool session_sync(Session *session, const int32_t *ids, int64_t n, Error *err);
// Adds one token.
MUST_USE bool session_add(Session *session, int32_t id, Error *err);
// Takes over another session's text and memory (same model, cache type and context).
void session_fork(Session *to, const Session *from);

#endif
