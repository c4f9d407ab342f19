// wall.h - every head of a model over one text at a glance: a wall of small pictures.
//
// Layers run down, heads run across.  A picture is a head's pattern, made smaller: the looking
// token in its row, the token looked at in its column.
#ifndef HEED_LOOK_WALL_H
#define HEED_LOOK_WALL_H

#include "look/attention.h"

enum { WALL_TOKENS_MAX = 256 };

typedef struct Wall {
    Str model; // its name
    int layers, heads;
    int64_t n;                   // tokens
    const float *const *pattern; // (layers) each (heads, n, n); NULL: the layer has no attention
} Wall;

// As attention_map, for all heads.  ERROR_USAGE if the model has no attention at all.
MUST_USE bool wall_make(Run *run, const Model *model, Arena *arena, const int32_t *ids, int64_t n,
                        Wall *wall, Error *err);

// A head's picture of side * side pixels, side <= n: each the largest weight it stands for.
void wall_picture(const Wall *wall, int layer, int head, int side, float *pixel);

// Shares that the tokens behind the first give on the mean.
typedef struct WallShares {
    double first, before, itself; // .. to the first token, the one before them, themselves
} WallShares;
WallShares wall_shares(const Wall *wall, int layer, int head);
// Which heads do so most, in sentences.
Str wall_words(const Wall *wall, Arena *arena);

// Adds a whole SVG document; a picture tells its numbers when pointed at.
void wall_svg(StrBuilder *out, const Wall *wall);

#endif
