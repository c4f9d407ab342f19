// unicode.c - looks into the generated tables, and the arithmetic of Hangul (Unicode 3.12), whose
// 11 172 syllables are computed and not stored.
#include "unicode/unicode.h"

#include <string.h>

#include "unicode/unicode_table.h"

enum { CODE_POINTS = 0x110000, CLASS_CATEGORY = 31, CLASS_WHITE_SPACE = 32 };
enum {
    HANGUL_S = 0xAC00,
    HANGUL_L = 0x1100,
    HANGUL_V = 0x1161,
    HANGUL_T = 0x11A7, // one before the first trailing consonant
    HANGUL_N_L = 19,
    HANGUL_N_V = 21,
    HANGUL_N_T = 28,
    HANGUL_N_S = HANGUL_N_L * HANGUL_N_V * HANGUL_N_T
};

// Position of a code point in the blocks of a two-stage table.
static int block_position(int block, int32_t c) {
    return block << UNICODE_BLOCK_BITS | (c & ((1 << UNICODE_BLOCK_BITS) - 1));
}

static bool is_code_point(int32_t c) {
    return c >= 0 && c < CODE_POINTS;
}

static bool is_hangul(int32_t c) {
    return c >= HANGUL_S && c < HANGUL_S + HANGUL_N_S;
}

int unicode_kind(int32_t c) {
    if (!is_code_point(c)) return UNICODE_CATEGORY_CN;
    int block = unicode_class_index[c >> UNICODE_BLOCK_BITS];
    return unicode_class_block[block_position(block, c)];
}

UnicodeCategory unicode_category(int32_t code_point) {
    return (UnicodeCategory)(unicode_kind(code_point) & CLASS_CATEGORY);
}

uint32_t unicode_class_of_kind(int kind) {
    uint32_t bit = (uint32_t)1 << (kind & CLASS_CATEGORY);
    return kind & CLASS_WHITE_SPACE ? bit | UNICODE_WHITE_SPACE : bit;
}

uint32_t unicode_class(int32_t code_point) {
    return unicode_class_of_kind(unicode_kind(code_point));
}

static int32_t mapped(const UnicodePair *pair, int n, int32_t code_point) {
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (pair[middle].from < code_point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && pair[low].from == code_point ? pair[low].to : code_point;
}

int32_t unicode_lower(int32_t code_point) {
    if (code_point < 128) {
        return code_point >= 'A' && code_point <= 'Z' ? code_point + 32 : code_point;
    }
    return mapped(unicode_lower_pair, unicode_n_lower, code_point);
}

int32_t unicode_upper(int32_t code_point) {
    if (code_point < 128) {
        return code_point >= 'a' && code_point <= 'z' ? code_point - 32 : code_point;
    }
    return mapped(unicode_upper_pair, unicode_n_upper, code_point);
}

int unicode_combining(int32_t code_point) {
    if (!is_code_point(code_point)) return 0;
    int block = unicode_combining_index[code_point >> UNICODE_BLOCK_BITS];
    return unicode_combining_block[block_position(block, code_point)];
}

bool unicode_may_change(int32_t code_point, NormalForm form) {
    if (!is_code_point(code_point)) return false;
    int block = unicode_quick_index[code_point >> UNICODE_BLOCK_BITS];
    return unicode_quick_block[block_position(block, code_point)] >> form & 1;
}

static int decompose_hangul(int32_t c, int32_t *out) {
    int32_t s = c - HANGUL_S;
    out[0] = HANGUL_L + s / (HANGUL_N_V * HANGUL_N_T);
    out[1] = HANGUL_V + s % (HANGUL_N_V * HANGUL_N_T) / HANGUL_N_T;
    out[2] = HANGUL_T + s % HANGUL_N_T;
    return out[2] == HANGUL_T ? 2 : 3;
}

int unicode_decompose(int32_t code_point, bool is_compatible, int32_t *out) {
    out[0] = code_point;
    if (!unicode_may_change(code_point, is_compatible ? NORMAL_NFKD : NORMAL_NFD)) return 1;
    if (is_hangul(code_point)) return decompose_hangul(code_point, out);
    int low = 0, high = unicode_n_decompositions;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (unicode_decomposition[middle].code_point < code_point)
            low = middle + 1;
        else
            high = middle;
    }
    const UnicodeDecomposition *found = NULL;
    for (int i = low; i < unicode_n_decompositions; i++) {
        const UnicodeDecomposition *d = &unicode_decomposition[i];
        if (d->code_point != code_point) break;
        if (is_compatible || !d->is_compatible) found = d;
    }
    if (!found) return 1;
    memcpy(out, &unicode_decomposition_pool[found->offset], found->n * sizeof *out);
    return found->n;
}

static int32_t compose_hangul(int32_t first, int32_t second) {
    if (first < 0 || second < 0) return -1; // no code point, and no difference to be taken
    int32_t l = first - HANGUL_L, v = second - HANGUL_V, t = second - HANGUL_T;
    if (l >= 0 && l < HANGUL_N_L && v >= 0 && v < HANGUL_N_V) {
        return HANGUL_S + (l * HANGUL_N_V + v) * HANGUL_N_T;
    }
    if (is_hangul(first) && (first - HANGUL_S) % HANGUL_N_T == 0 && t > 0 && t < HANGUL_N_T) {
        return first + t;
    }
    return -1;
}

int32_t unicode_compose(int32_t first, int32_t second) {
    int low = 0, high = unicode_n_compositions;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const UnicodeComposition *c = &unicode_composition[middle];
        if (c->first < first || (c->first == first && c->second < second))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < unicode_n_compositions && unicode_composition[low].first == first &&
        unicode_composition[low].second == second) {
        return unicode_composition[low].composite;
    }
    return compose_hangul(first, second);
}
