/* heed.h - a transformer language-model engine that you can see into.
 *
 *     HeedError error;
 *     HeedEngine *engine = heed_engine_open("model.gguf", NULL, &error);
 *     if (!engine) { fprintf(stderr, "%s\n", error.text); return 1; }
 *
 * Link with `pkg-config --cflags --libs heed`.  Usable from C and C++. */
#ifndef HEED_H
#define HEED_H

#include "heed/engine.h"
#include "heed/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
HEED_API const char *heed_version(void);

#ifdef __cplusplus
}
#endif

#endif
