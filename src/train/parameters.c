// parameters.c - the list of a model, and its pieces.
#include "train/parameters.h"

#include "model/weights.h"

static int64_t pieces_of(const Parameter *p) {
    return (parameter_count(p) + PIECE_VALUES - 1) / PIECE_VALUES;
}

Parameters parameters_make(Arena *arena, const Parameter *list, int64_t n) {
    Parameters all = {.list = list, .n = n};
    for (int64_t i = 0; i < n; i++) {
        const Parameter *p = &list[i];
        require(p->value && p->grad && p->rows >= 1 && p->cols >= 1);
        require(p->rule != RULE_MUON || p->rows > 1);
        all.n_pieces += pieces_of(p);
        all.n_values += parameter_count(p);
    }
    Piece *piece = arena_new(arena, Piece, all.n_pieces);
    all.piece = piece;
    for (int64_t i = 0; i < n; i++) {
        int64_t count = parameter_count(&list[i]);
        for (int64_t from = 0; from < count; from += PIECE_VALUES) {
            int64_t left = count - from;
            *piece++ = (Piece){i, from, left < PIECE_VALUES ? left : PIECE_VALUES};
        }
    }
    return all;
}

// ---------------------------------------------------------------- of a model
typedef struct Collector {
    const Model *model;
    Arena *arena;
    Parameter *list; // NULL while counting
    int64_t n;
    Rule hidden_rule;
} Collector;

// Each expert of a mixture is a matrix of its own.
static void collect(void *user, const Weight *weight, int layer) {
    Collector *c = user;
    int n = weight->form == FORM_EXPERTS ? weight->parts : 1;
    if (!weight->tensor->grad) return;
    for (int i = 0; c->list && i < n; i++) {
        char name[WEIGHT_NAME_MAX];
        weight_name(c->model->arch, weight, layer, false, name);
        Tensor part = *weight->tensor, *t = &part;
        if (n > 1) part = tensor_slice(weight->tensor, i * part.dim[0] / n, part.dim[0] / n);
        bool is_matrix = t->rank > 1 && tensor_rows(t) > 1;
        c->list[c->n + i] =
            (Parameter){.name = str_c(c->arena, str_from(name)),
                        .value = tensor_f32(t),
                        .grad = t->grad,
                        .rows = tensor_rows(t),
                        .cols = tensor_cols(t),
                        .rule = is_matrix && layer >= 0 ? c->hidden_rule : RULE_ADAMW,
                        .is_decayed = is_matrix};
    }
    c->n += n;
}

Parameters parameters_of_model(Arena *arena, Model *model, Rule hidden_rule) {
    Collector c = {.model = model, .arena = arena, .hidden_rule = hidden_rule};
    weights_each(model, collect, &c);
    c.list = arena_new(arena, Parameter, c.n);
    c.n = 0;
    weights_each(model, collect, &c);
    return parameters_make(arena, c.list, c.n);
}
