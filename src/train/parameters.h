// parameters.h - what is trained: a flat list of arrays with their gradients, each with the rule
// that moves it.
//
// The list is cut once into pieces of at most PIECE_VALUES values, which threads share and sums go
// through in order: results do not depend on the number of threads.
#ifndef HEED_TRAIN_PARAMETERS_H
#define HEED_TRAIN_PARAMETERS_H

#include "model/model.h"

enum { PIECE_VALUES = 16384 };

typedef enum Rule {
    RULE_ADAMW,
    RULE_MUON // matrices only
} Rule;

typedef struct Parameter {
    const char *name;   // for messages
    float *value;       // (rows, cols); a vector has one row
    float *grad;        // the same shape
    int64_t rows, cols; // >= 1
    Rule rule;
    bool is_decayed;
} Parameter;

typedef struct Piece {
    int64_t parameter; // its number in the list
    int64_t from, n;   // values of it
} Piece;

typedef struct Parameters {
    const Parameter *list; // (n)
    int64_t n;
    const Piece *piece; // (n_pieces) in the order of the list
    int64_t n_pieces;
    int64_t n_values;
} Parameters;

// Cuts a list, which is not copied; the pieces live in the arena.
Parameters parameters_make(Arena *arena, const Parameter *list, int64_t n);

// Every weight of the model that has a gradient, in the order of the weight list.  Matrices are
// decayed, vectors are not.  With RULE_MUON that rule gets the matrices of the layers; embeddings,
// head and vectors have AdamW in any case (Jordan 2024).
Parameters parameters_of_model(Arena *arena, Model *model, Rule hidden_rule);

static inline int64_t parameter_count(const Parameter *p) {
    return p->rows * p->cols;
}

#endif
