// state.h - what a model remembers of one sequence: of every layer either the keys and values of
// all positions, or the few numbers that a recurrent mixer carries over.
//
// Keys and values can be cut back to any position.  What is carried has forgotten how it came
// about: the state keeps snapshots of it at some positions, and can be cut back to these.
//
// Its memory is reserved whole and committed as it fills.  Belongs to one thread at a time.
#ifndef HEED_MODEL_STATE_H
#define HEED_MODEL_STATE_H

#include "model/model.h"

typedef struct LayerState {
    KvCache cache; // attention
    float *carry;  // (config_carry) the others; NULL: attention
} LayerState;

enum {
    STATE_SNAPSHOTS = 8,
    STATE_SNAPSHOT_EVERY = 64 // positions, where tokens come one by one
};

typedef struct Snapshot {
    int64_t n;    // positions that it remembers
    float *carry; // (n_carry)
} Snapshot;

typedef struct State {
    const Model *model;
    DType dtype;
    int64_t capacity;  // positions
    int64_t n;         // positions remembered
    LayerState *layer; // (L)
    float *carry;      // (n_carry) of all layers, one after the other
    int64_t n_carry;
    Snapshot snapshot[STATE_SNAPSHOTS]; // the first n_snapshots, by position
    int n_snapshots;
    char *memory;
    size_t bytes; // reserved
} State;

// Can the model's keys and values, if it has any, be kept in this type?
bool state_type_fits(const Model *model, DType dtype);
// An empty memory for `capacity` positions, keys and values in F32, F16 or Q8_0.  NULL and
// ERROR_UNSUPPORTED when the head width does not fit the type, ERROR_MEMORY when the system
// refuses.
MUST_USE State *state_open(const Model *model, DType dtype, int64_t capacity, Error *err);
void state_close(State *state); // accepts NULL

// After a forward: the state now remembers n positions.  Takes a snapshot of what is carried, if
// the forward had several rows or the last snapshot is long ago.
void state_reach(State *state, int64_t n);
// Takes a snapshot here, for a cut that is sure to come.
void state_mark(State *state);
// The last position up to n to which the state can be cut back: n itself where all layers are
// attention, else that of a snapshot, or 0.
int64_t state_nearest(const State *state, int64_t n);
// Forgets all positions from n on.  ERROR_UNSUPPORTED where that is not state_nearest(state, n).
MUST_USE bool state_cut(State *state, int64_t n, Error *err);
// Makes `to` remember what `from` does, but for its snapshots; both of one model, type, and enough
// capacity.
void state_fork(State *to, const State *from);

// Bytes in use for the positions remembered; bytes that one more position takes, and bytes that
// are there whatever the number of positions (snapshots not counted).
size_t state_bytes(const State *state);
size_t state_bytes_per_position(const Model *model, DType dtype);
size_t state_bytes_carried(const Model *model);

// The memory as bytes, and back.  Restoring checks model shape, type, length and a checksum.
Str state_save(const State *state, Arena *arena);
MUST_USE bool state_restore(State *state, Str saved, Error *err);

#endif
