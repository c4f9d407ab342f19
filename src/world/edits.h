// edits.h - facts to be changed in a model: what must change with them, and what must not.
//
// For knowledge editing (Meng et al. 2022, arXiv 2202.05262): a fact that training tells often, an
// object that is to take the place of its own, the same asked in other words, the same relation
// asked of others, and other things asked of the same subject.
#ifndef HEED_WORLD_EDITS_H
#define HEED_WORLD_EDITS_H

#include "world/probes.h"

enum { EDITS = 50, PARAPHRASES = 3, NEIGHBOURS = 5 };

// Builds edit `i` of EDITS in a language, half of them capitals, in `arena`:
//
//     {"phenomenon": "edit", "lang", "subject", "relation", "prompt", "old", "new",
//      "paraphrases": [{"prompt", "old", "new"}], "neighbours": [{"prompt", "right"}],
//      "same_subject": [{"prompt", "right"}]}
//
// Prompts and continuations are cut as those of probes are; "subject" stands in every prompt but
// those of the neighbours.
Str edit_json(Arena *arena, World *world, int i, Language language);

#endif
