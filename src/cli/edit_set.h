// edit_set.h - a set of edits, each made in memory, asked about, and undone.
#ifndef HEED_CLI_EDIT_SET_H
#define HEED_CLI_EDIT_SET_H

#include "cli/editing.h"

typedef struct EditSetSpec {
    const char *path; // a .jsonl file as `heed world --probes` writes it; "world": the world's own
    int layer;        // -1: the one that tracing names, of the whole set
    bool every_layer; // a score for each
    int64_t limit;    // > 0: the first so many
    bool as_json;
} EditSetSpec;

// After setup_open.  Prints the scores.
MUST_USE bool edit_set(Editing *editing, EditSetSpec spec, Error *err);

#endif
