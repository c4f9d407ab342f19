// editing.h - what one edit and a set of them share: the layer's keys, the texts, the edit itself.
#ifndef HEED_CLI_EDITING_H
#define HEED_CLI_EDITING_H

#include "cli/cli.h"
#include "cli/passages.h"
#include "cli/progress.h"
#include "look/keys.h"
#include "look/patch.h"
#include "train/edit.h"

typedef struct Editing {
    Setup *setup;
    // options
    const char *text; // a file; NULL: the world
    int64_t seed, tokens, fronts;
    EditSpec spec;
    // made from them
    Run run;
    Passages passages;
    Keys keys;   // of the layer at hand
    Arena arena; // of the keys
} Editing;

// The options --text --tokens --fronts --steps --rate --reach --seed; NULL-terminated.
enum { EDITING_OPTIONS = 10 };
const Option *editing_options(Editing *e, Setup *setup, Option table[EDITING_OPTIONS]);

// After setup_open: the run and the texts.
MUST_USE bool editing_open(Editing *e, Error *err);
void editing_close(Editing *e); // accepts one that was never opened
// Reads the texts, as far as --tokens, for the keys of a layer.
MUST_USE bool editing_layer(Editing *e, int layer, Error *err);
// How much the feed-forward of each layer brings back at the subject's last token, added to
// effect (L): layers near by are put back together, since one alone may bring back little.
MUST_USE bool editing_trace(Editing *e, const FactText *fact, float *effect, Error *err);
// The largest of them.
int editing_largest(const Editing *e, const float *effect);
// Makes fact.answer the answer, with an addition to the layer at hand.  It lies in the setup's
// arena and stays until edit_undo.
MUST_USE bool editing_apply(Editing *e, const FactText *fact, Edit *edit, Error *err);

#endif
