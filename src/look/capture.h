// capture.h - a probe that copies named values of a forward into an arena.
//
//     Capture capture;
//     capture_init(&capture, &arena, (CaptureWant[]){{SITE_PATTERN, 3}, {SITE_RESID_POST, -1}}, 2);
//     run.probe = &capture.probe;
//     ... plan, forward ...
//     const Tensor *pattern = capture_find(&capture, SITE_PATTERN, 3);
//
// The run itself gets no new memory from it: with a capture that wants no pattern, the plan of a
// forward is the same as without one.  A dry run copies nothing.  Sites that are not wanted are not
// copied, and a pattern that is not wanted is not even made.
#ifndef HEED_LOOK_CAPTURE_H
#define HEED_LOOK_CAPTURE_H

#include "tensor/run.h"

enum { CAPTURE_WANTS_MAX = 64 };

typedef struct CaptureWant {
    Site site;
    int layer; // -1: of all layers.  Sites outside the blocks (embed, logits, ...) have layer 0
} CaptureWant;

// One copied value, in the order in which the forwards made them.
typedef struct Captured Captured;
struct Captured {
    Site site;
    int layer;
    Tensor value; // f32, contiguous, shape as in SITES; without a grad
    Captured *next;
};

typedef struct Capture {
    Probe probe; // for Run.probe; points back here, so a Capture must not move
    Arena *arena;
    CaptureWant want[CAPTURE_WANTS_MAX];
    int n_wants;
    Captured *first, *last;
    int64_t n; // copied values
} Capture;

// The list is copied; the values will live in `arena`, which nobody may rewind below them.
void capture_init(Capture *capture, Arena *arena, const CaptureWant *want, int n_wants);
// Forgets what was copied (the arena keeps its memory until the caller rewinds it).
void capture_forget(Capture *capture);
// The newest copy, or NULL.  Several forwards (the chunks of a long text) leave several copies:
// walk first .. next for all of them.
const Tensor *capture_find(const Capture *capture, Site site, int layer);

#endif
