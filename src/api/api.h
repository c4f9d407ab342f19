// api.h - what the public handles hold.
#ifndef HEED_API_API_H
#define HEED_API_API_H

#include "generate/session.h"
#include "heed/heed.h"

struct HeedEngine {
    Model *model;
    Pool *pool;
    const Kernels *kernels;
};

struct HeedSession {
    HeedEngine *engine;
    Session *session;
    Arena answer; // of the last heed_generate
};

// Copies an inner error to the caller's; returns false.
bool api_fail(HeedError *error, const Error *err);

#endif
