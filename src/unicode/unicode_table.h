// unicode_table.h - the generated arrays behind unicode.h; only unicode.c and normalize.c read
// them.
//
// A property of code point c is block[index[c >> 7] << 7 | (c & 127)]: equal blocks are stored
// once.
#ifndef HEED_UNICODE_UNICODE_TABLE_H
#define HEED_UNICODE_UNICODE_TABLE_H

#include <stdint.h>

enum { UNICODE_BLOCK_BITS = 7 };

extern const uint16_t unicode_class_index[0x110000 >> UNICODE_BLOCK_BITS];
extern const uint8_t unicode_class_block[]; // UnicodeCategory, + 32 for White_Space
extern const uint8_t unicode_combining_index[0x110000 >> UNICODE_BLOCK_BITS];
extern const uint8_t unicode_combining_block[]; // canonical combining class
extern const uint8_t unicode_quick_index[0x110000 >> UNICODE_BLOCK_BITS];
extern const uint8_t unicode_quick_block[]; // bit NormalForm: that form may change the character

typedef struct UnicodePair {
    int32_t from, to;
} UnicodePair;
extern const UnicodePair unicode_lower_pair[], unicode_upper_pair[]; // by `from`
extern const int unicode_n_lower, unicode_n_upper;

// The full decomposition of `code_point`: pool[offset .. offset + n).  A second entry with
// is_compatible = 1 stands where NFKD differs from NFD.  Sorted by code point, then by kind.
typedef struct UnicodeDecomposition {
    int32_t code_point;
    uint8_t is_compatible, n;
    uint16_t offset;
} UnicodeDecomposition;
extern const UnicodeDecomposition unicode_decomposition[];
extern const int unicode_n_decompositions;
extern const int32_t unicode_decomposition_pool[];

typedef struct UnicodeComposition {
    int32_t first, second, composite;
} UnicodeComposition;
extern const UnicodeComposition unicode_composition[]; // by first, then second
extern const int unicode_n_compositions;

#endif
