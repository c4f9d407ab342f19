// state.h - what a model remembers of one sequence: keys and values of every layer.
//
// Its memory is reserved whole and committed as it fills.  Belongs to one thread at a time.
#ifndef HEED_MODEL_STATE_H
#define HEED_MODEL_STATE_H

#include "model/model.h"

typedef struct State {
    const Model *model;
    DType dtype;
    int64_t capacity; // positions
    int64_t n;        // positions remembered
    KvCache *layer;   // (L)
    char *memory;
    size_t bytes; // reserved
} State;

// An empty memory for `capacity` positions in F32, F16 or Q8_0.  NULL and ERROR_UNSUPPORTED when
// the head width does not fit the type, ERROR_MEMORY when the system refuses.
MUST_USE State *state_open(const Model *model, DType dtype, int64_t capacity, Error *err);
void state_close(State *state); // accepts NULL

// Forgets all positions from n on.  Attention can; kinds that cannot will refuse here.
MUST_USE bool state_cut(State *state, int64_t n, Error *err);
// Makes `to` remember what `from` does; both of one model, type, and enough capacity.
void state_fork(State *to, const State *from);

// Bytes in use for the positions remembered, and bytes that one more position takes.
size_t state_bytes(const State *state);
size_t state_bytes_per_position(const Model *model, DType dtype);

// The memory as bytes, and back.  Restoring checks model shape, type, length and a checksum.
Str state_save(const State *state, Arena *arena);
MUST_USE bool state_restore(State *state, Str saved, Error *err);

#endif
