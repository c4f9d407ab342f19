// unicode.h - properties of code points, Unicode 16.0.0.
//
// The version is that of Hugging Face tokenizers 0.23; unicode_table.c says more.  Cannot fail; any
// integer may be asked about: what is no code point (also -1, from utf8_decode) is unassigned (Cn).
#ifndef HEED_UNICODE_UNICODE_H
#define HEED_UNICODE_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

// General categories, in the order of the generated table.
// clang-format off
#define UNICODE_CATEGORIES(X) \
    X(LU) X(LL) X(LT) X(LM) X(LO) \
    X(MN) X(MC) X(ME) \
    X(ND) X(NL) X(NO) \
    X(PC) X(PD) X(PS) X(PE) X(PI) X(PF) X(PO) \
    X(SM) X(SC) X(SK) X(SO) \
    X(ZS) X(ZL) X(ZP) \
    X(CC) X(CF) X(CS) X(CO) X(CN)
// clang-format on

typedef enum UnicodeCategory {
#define X(name) UNICODE_CATEGORY_##name,
    UNICODE_CATEGORIES(X)
#undef X
} UnicodeCategory;

// Sets of code points by property: one bit a category, one for White_Space.
typedef enum UnicodeClass {
#define X(name) UNICODE_##name = 1 << UNICODE_CATEGORY_##name,
    UNICODE_CATEGORIES(X)
#undef X
        UNICODE_WHITE_SPACE = 1 << 30,
    UNICODE_L = UNICODE_LU | UNICODE_LL | UNICODE_LT | UNICODE_LM | UNICODE_LO,
    UNICODE_M = UNICODE_MN | UNICODE_MC | UNICODE_ME,
    UNICODE_N = UNICODE_ND | UNICODE_NL | UNICODE_NO,
    UNICODE_P =
        UNICODE_PC | UNICODE_PD | UNICODE_PS | UNICODE_PE | UNICODE_PI | UNICODE_PF | UNICODE_PO,
    UNICODE_S = UNICODE_SM | UNICODE_SC | UNICODE_SK | UNICODE_SO,
    UNICODE_Z = UNICODE_ZS | UNICODE_ZL | UNICODE_ZP
} UnicodeClass;

UnicodeCategory unicode_category(int32_t code_point);
// The bit of its category, and UNICODE_WHITE_SPACE if it is that: test with & against a set.
uint32_t unicode_class(int32_t code_point);
// A small number that says as much: the category, plus half of UNICODE_KINDS for white space.
enum { UNICODE_KINDS = 64 };
int unicode_kind(int32_t code_point);
uint32_t unicode_class_of_kind(int kind);
extern const uint32_t unicode_ascii_class[128]; // the same, for loops over mostly ASCII text

// Simple case mappings (one code point to one).  The full lowercase mapping differs for U+0130
// only, which becomes U+0069 U+0307; the full uppercase one for some hundred, e.g. U+00DF (SS).
int32_t unicode_lower(int32_t code_point);
int32_t unicode_upper(int32_t code_point);

// Canonical combining class, 0 for starters.
int unicode_combining(int32_t code_point);

// The normal forms of Unicode Standard Annex 15.
typedef enum NormalForm { NORMAL_NFC, NORMAL_NFD, NORMAL_NFKC, NORMAL_NFKD } NormalForm;

// False if the form leaves the character as it is beside whatever stands before it.
bool unicode_may_change(int32_t code_point, NormalForm form);
// The full decomposition under NFD or (is_compatible) NFKD, at most UNICODE_DECOMPOSITION_MAX code
// points; the character itself if it has none.  Returns their number.
enum { UNICODE_DECOMPOSITION_MAX = 18 };
int unicode_decompose(int32_t code_point, bool is_compatible, int32_t *out);
// The primary composite of two code points, -1 if there is none.
int32_t unicode_compose(int32_t first, int32_t second);

#endif
