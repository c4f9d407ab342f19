// roles.h - what the heads of a model are for, measured on text whose truth is known.
//
// A role says at which tokens a head should look from a token: the one before, the first, where the
// same token stood, what came after it there (induction), whom a pronoun means, a verb's object and
// subject.  A head's margin is the mean weight that it gives there, less a baseline: what the same
// head gives in the same text at the same distance where the role asks for nothing; for the token
// before and the first, what even attention would give.  A role is named where its margin is at
// least ROLE_MARGIN and twice its standard error; the head is unclear otherwise.
//
// Looks at a text's first token count for that role alone: heads with nothing to do look there.
#ifndef HEED_LOOK_ROLES_H
#define HEED_LOOK_ROLES_H

#include "base/json.h"
#include "look/attention.h"

#define ROLE_MARGIN 0.2
enum { ROLE_TOKENS_MAX = 256 }; // a longer text is cut

typedef enum Role {
    ROLE_PREVIOUS,
    ROLE_FIRST,
    ROLE_SAME,
    ROLE_INDUCTION,
    ROLE_ANTECEDENT,
    ROLE_OBJECT,
    ROLE_SUBJECT,
    ROLES,
    ROLE_UNCLEAR = ROLES
} Role;
extern const char *const role_names[ROLES + 1];

// Token `row` should look at the tokens from .. to-1, which stand before it.
typedef struct RoleTarget {
    Role role;
    int64_t row, from, to;
} RoleTarget;

// A text with labels on its bytes, those of docs/world.md: ent/X, pron/X, S, V, O.
typedef struct RoleLabel {
    int from, to;
    Str label;
} RoleLabel;
typedef struct RoleText {
    Str text;
    const RoleLabel *label; // (n_labels)
    int n_labels;
} RoleText;

typedef struct RoleScore {
    int64_t n;                        // looks
    double weight, baseline, squares; // sums: of weights, baselines, squared differences
} RoleScore;
double role_margin(const RoleScore *score); // NaN where nothing was asked
double role_error(const RoleScore *score);
// Of a head's scores (ROLES).
Role role_named(const RoleScore *score);

// Adds what a pattern (n, n) gives to the targets to the scores (ROLES).
void role_measure(const float *pattern, int64_t n, const RoleTarget *target, int64_t n_targets,
                  Arena *arena, RoleScore *score);

typedef struct Roles {
    Str model; // its name
    int layers, heads;
    RoleScore (*score)[ROLES]; // (layers * heads)
    int64_t n_texts, n_tokens;
} Roles;
static inline const RoleScore *roles_of(const Roles *roles, int layer, int head) {
    return roles->score[layer * roles->heads + head];
}

// Measures all heads with an open run that has no plan.  ERROR_USAGE for a model without attention.
MUST_USE bool roles_measure(Run *run, const Model *model, Arena *arena, const RoleText *text,
                            int64_t n_texts, Roles *roles, Error *err);
// Mean loss of the texts in nats a token, under the run's switches.
MUST_USE bool roles_loss(Run *run, const Model *model, Arena *arena, const RoleText *text,
                         int64_t n_texts, double *loss, Error *err);

// Adds a whole SVG document: every head with its role, the stronger the surer.
void roles_svg(StrBuilder *out, const Roles *roles);

#endif
