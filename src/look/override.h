// override.h - a probe that puts values in the place of a forward's own: rows of a site are set to
// given numbers, or have numbers added to them, and the forward goes on with these.
//
//     Override override;
//     override_init(&override, &arena);
//     override_set(&override, (OverrideRow){SITE_RESID_POST, 3, row, values, false});
//     run.probe = &override.probe;
//     ... plan, forward ...
//
// A value is seen as rows of its last dimension: of a pattern (H, T, S) head h's row t is row
// h * T + t.
// Values that are set to what the forward itself would make there change no bit of its result.
//
// No gradient flows through what is set: not for a run with a tape.
#ifndef HEED_LOOK_OVERRIDE_H
#define HEED_LOOK_OVERRIDE_H

#include "tensor/run.h"

enum { OVERRIDE_ROWS_MAX = 1 << 14 };

typedef struct OverrideRow {
    Site site;
    int layer; // sites outside the blocks (embed, logits, ...) have layer 0
    int64_t row;
    const float *values; // as many as the site is wide; not copied
    bool adds;           // to what is there
} OverrideRow;

typedef struct Override {
    Probe probe; // for Run.probe; points back here, so an Override must not move
    Arena *arena;
    OverrideRow *row; // (n) in the order in which they were given
    int64_t n;
} Override;

// The list lives in `arena`.
void override_init(Override *override, Arena *arena);
void override_set(Override *override, OverrideRow row);
// Forgets all rows.
void override_forget(Override *override);

#endif
