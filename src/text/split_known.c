// split_known.c - the published pre-tokenizer patterns as rules, and the names GGUF files give
// them.
//
// The expressions are those of the models' tokenizer.json files; where an inference engine uses a
// simplified one (for gpt-4o and tekken), the original holds.  The tests run every pattern against
// PCRE2 and against Hugging Face tokenizers.
#include <string.h>

#include "text/split_pattern.h"

#define N_RANGES(ranges) .range = (ranges), .n_ranges = sizeof(ranges) / sizeof(ranges)[0]

// ---- sets of characters; the comment is how the expressions write them

static const CharSet space = {.range = (const int32_t[][2]){{' ', ' '}}, .n_ranges = 1};
static const CharSet white_space = {.classes = UNICODE_WHITE_SPACE}; // \s
static const CharSet newline = {.classes = SPLIT_NEWLINE};           // [\r\n]
static const CharSet newline_or_slash = {.classes = SPLIT_NEWLINE,   // [\r\n/]
                                         .range = (const int32_t[][2]){{'/', '/'}},
                                         .n_ranges = 1};
static const CharSet letter = {.classes = UNICODE_L};                            // \p{L}
static const CharSet letter_or_mark = {.classes = UNICODE_L | UNICODE_M};        // [\p{L}\p{M}]
static const CharSet number = {.classes = UNICODE_N};                            // \p{N}
static const CharSet punctuation = {.classes = UNICODE_P};                       // \p{P}
static const CharSet punctuation_or_symbol = {.classes = UNICODE_P | UNICODE_S}; // [\p{P}\p{S}]
// [^\s\p{L}\p{N}], [^\s\p{L}\p{M}\p{N}] and [^\s\p{L}\p{N}\r\n]
static const CharSet other = {.classes = UNICODE_WHITE_SPACE | UNICODE_L | UNICODE_N,
                              .is_negated = true};
static const CharSet other_not_mark = {
    .classes = UNICODE_WHITE_SPACE | UNICODE_L | UNICODE_M | UNICODE_N, .is_negated = true};
// [^\r\n\p{L}\p{N}] and [^\r\n\p{L}\p{P}\p{S}]
static const CharSet before_word = {.classes = SPLIT_NEWLINE | UNICODE_L | UNICODE_N,
                                    .is_negated = true};
static const CharSet before_word_v3 = {.classes = SPLIT_NEWLINE | UNICODE_L | UNICODE_P | UNICODE_S,
                                       .is_negated = true};

static const int32_t ascii_digit_range[][2] = {{'0', '9'}};
static const CharSet ascii_digit = {N_RANGES(ascii_digit_range)};
static const int32_t ascii_letter_range[][2] = {{'A', 'Z'}, {'a', 'z'}};
static const CharSet ascii_letter = {N_RANGES(ascii_letter_range)};
static const int32_t ascii_punctuation_range[][2] = {
    {'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}};
static const CharSet ascii_punctuation = {N_RANGES(ascii_punctuation_range)};

// [\p{P}\$\+<=>\^~\|] and the same with ` : ASCII symbols count as punctuation.
static const int32_t default_symbol_range[][2] = {{'$', '$'}, {'+', '+'}, {'<', '>'},
                                                  {'^', '^'}, {'|', '|'}, {'~', '~'}};
static const CharSet default_symbol = {.classes = UNICODE_P, N_RANGES(default_symbol_range)};
static const int32_t falcon_symbol_range[][2] = {{'$', '$'}, {'+', '+'}, {'<', '>'}, {'^', '^'},
                                                 {'`', '`'}, {'|', '|'}, {'~', '~'}};
static const CharSet falcon_symbol = {.classes = UNICODE_P, N_RANGES(falcon_symbol_range)};

// [^(\s|.,!?...)] with the full stops and commas of several scripts.
static const int32_t sentence_mark_range[][2] = {
    {'!', '!'},       {'(', ')'},       {',', ','},       {'.', '.'},
    {'?', '?'},       {'|', '|'},       {0x060C, 0x060C}, {0x06D4, 0x06D4},
    {0x0964, 0x0964}, {0x2026, 0x2026}, {0x3001, 0x3002}, {0xFF0C, 0xFF0C}};
static const CharSet not_sentence_mark = {
    .classes = UNICODE_WHITE_SPACE, .is_negated = true, N_RANGES(sentence_mark_range)};

// [\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF] and [\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]
static const int32_t cjk_range[][2] = {{0x0800, 0x9FA5}, {0xAC00, 0xD7FF}};
static const CharSet cjk = {N_RANGES(cjk_range)};
static const int32_t cjk_v3_range[][2] = {{0x3040, 0x30FF}, {0x4E00, 0x9FA5}};
static const CharSet cjk_v3 = {N_RANGES(cjk_v3_range)};

// [!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]
static const int32_t wide_punctuation_range[][2] = {
    {'!', '/'}, {':', '~'}, {0x2018, 0x201F}, {0x3000, 0x3002}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF5E}};
static const CharSet wide_punctuation = {N_RANGES(wide_punctuation_range)};

// The cased letters of Latin, Greek, Cyrillic and a few other scripts, as deepseek-llm lists them.
#define CASED_LETTERS                                                                          \
    "A-Za-z\u00B5\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u01BA\u01BC-\u01BF\u01C4-\u0293\u0295-"     \
    "\u02AF\u0370-\u0373\u0376\u0377\u037B-\u037D\u037F\u0386\u0388-\u038A\u038C\u038E-\u03A1" \
    "\u03A3-\u03F5\u03F7-\u0481\u048A-\u052F\u0531-\u0556\u10A0-\u10C5\u13A0-\u13F5\u13F8-"    \
    "\u13FD\u1C90-\u1CBA\u1CBD-\u1CBF\u1D00-\u1D2B\u1D6B-\u1D77\u1D79-\u1D9A\u1E00-\u1F15"     \
    "\u1F18-\u1F1D\u1F20-\u1F45\u1F48-\u1F4D\u1F50-\u1F57\u1F59\u1F5B\u1F5D\u1F5F-\u1F7D"      \
    "\u1F80-\u1FB4\u1FB6-\u1FBC\u1FBE\u1FC2-\u1FC4\u1FC6-\u1FCC\u1FD0-\u1FD3\u1FD6-\u1FDB"     \
    "\u1FE0-\u1FEC\u1FF2-\u1FF4\u1FF6-\u1FFC\u2102\u2107\u210A-\u2113\u2115\u2119-\u211D"      \
    "\u2124\u2126\u2128\u212A-\u212D\u212F-\u2134\u2139\u213C-\u213F\u2145-\u2149\u214E\u2183" \
    "\u2184\u2C00-\u2C7B\u2C7E-\u2CE4\u2CEB-\u2CEE\u2CF2\u2CF3\uA640-\uA66D\uA680-\uA69B"      \
    "\uA722-\uA76F\uA771-\uA787\uA78B-\uA78E\uAB70-\uABBF\uFB00-\uFB06\uFB13-\uFB17\uFF21-"    \
    "\uFF3A\uFF41-\uFF5A\U00010400-\U0001044F\U000104B0-\U000104D3\U000104D8-\U000104FB"       \
    "\U00010C80-\U00010CB2\U00010CC0-\U00010CF2\U000118A0-\U000118DF\U0001E900-\U0001E943"
static const int32_t cased_letter_range[][2] = {
    {0x41, 0x5A},       {0x61, 0x7A},       {0xB5, 0xB5},       {0xC0, 0xD6},
    {0xD8, 0xF6},       {0xF8, 0x1BA},      {0x1BC, 0x1BF},     {0x1C4, 0x293},
    {0x295, 0x2AF},     {0x370, 0x373},     {0x376, 0x377},     {0x37B, 0x37D},
    {0x37F, 0x37F},     {0x386, 0x386},     {0x388, 0x38A},     {0x38C, 0x38C},
    {0x38E, 0x3A1},     {0x3A3, 0x3F5},     {0x3F7, 0x481},     {0x48A, 0x52F},
    {0x531, 0x556},     {0x10A0, 0x10C5},   {0x13A0, 0x13F5},   {0x13F8, 0x13FD},
    {0x1C90, 0x1CBA},   {0x1CBD, 0x1CBF},   {0x1D00, 0x1D2B},   {0x1D6B, 0x1D77},
    {0x1D79, 0x1D9A},   {0x1E00, 0x1F15},   {0x1F18, 0x1F1D},   {0x1F20, 0x1F45},
    {0x1F48, 0x1F4D},   {0x1F50, 0x1F57},   {0x1F59, 0x1F59},   {0x1F5B, 0x1F5B},
    {0x1F5D, 0x1F5D},   {0x1F5F, 0x1F7D},   {0x1F80, 0x1FB4},   {0x1FB6, 0x1FBC},
    {0x1FBE, 0x1FBE},   {0x1FC2, 0x1FC4},   {0x1FC6, 0x1FCC},   {0x1FD0, 0x1FD3},
    {0x1FD6, 0x1FDB},   {0x1FE0, 0x1FEC},   {0x1FF2, 0x1FF4},   {0x1FF6, 0x1FFC},
    {0x2102, 0x2102},   {0x2107, 0x2107},   {0x210A, 0x2113},   {0x2115, 0x2115},
    {0x2119, 0x211D},   {0x2124, 0x2124},   {0x2126, 0x2126},   {0x2128, 0x2128},
    {0x212A, 0x212D},   {0x212F, 0x2134},   {0x2139, 0x2139},   {0x213C, 0x213F},
    {0x2145, 0x2149},   {0x214E, 0x214E},   {0x2183, 0x2184},   {0x2C00, 0x2C7B},
    {0x2C7E, 0x2CE4},   {0x2CEB, 0x2CEE},   {0x2CF2, 0x2CF3},   {0xA640, 0xA66D},
    {0xA680, 0xA69B},   {0xA722, 0xA76F},   {0xA771, 0xA787},   {0xA78B, 0xA78E},
    {0xAB70, 0xABBF},   {0xFB00, 0xFB06},   {0xFB13, 0xFB17},   {0xFF21, 0xFF3A},
    {0xFF41, 0xFF5A},   {0x10400, 0x1044F}, {0x104B0, 0x104D3}, {0x104D8, 0x104FB},
    {0x10C80, 0x10CB2}, {0x10CC0, 0x10CF2}, {0x118A0, 0x118DF}, {0x1E900, 0x1E943},
};
static const CharSet cased_letter = {N_RANGES(cased_letter_range)};

// ---- the patterns

// Alternatives that many patterns share.
#define LINES \
    { .shape = SPLIT_LINES }
#define BLANKS \
    { .shape = SPLIT_BLANKS }
#define WHITE_SPACE \
    { .shape = SPLIT_RUN, .set = &white_space }
#define RUN(...) \
    { .shape = SPLIT_RUN, __VA_ARGS__ }

#define RE_CONTRACTION "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define RE_BLANKS      "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define RE_UPPER       "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define RE_LOWER       "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define RE_BEFORE      "[^\\r\\n\\p{L}\\p{N}]?"

static const SplitPattern gpt2 = {
    .regex = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    .n_rules = 6,
    .rule = {{.shape = SPLIT_CONTRACTION},
             RUN(.lead = &space, .set = &letter),
             RUN(.lead = &space, .set = &number),
             RUN(.lead = &space, .set = &other),
             BLANKS,
             WHITE_SPACE}};

// llama-bpe, qwen2, qwen35 and seed-coder differ in digits, marks and the tail of punctuation.
static const SplitPattern llama3 = {
    .regex = RE_CONTRACTION "|" RE_BEFORE "\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
                            "|" RE_BLANKS,
    .n_rules = 7,
    .rule = {{.shape = SPLIT_CONTRACTION, .ignores_case = true},
             RUN(.lead = &before_word, .set = &letter),
             RUN(.set = &number, .max = 3),
             RUN(.lead = &space, .set = &other, .tail = &newline),
             LINES,
             BLANKS,
             WHITE_SPACE}};
static const SplitPattern qwen2 = {.regex = RE_CONTRACTION
                                   "|" RE_BEFORE "\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
                                   "|" RE_BLANKS,
                                   .n_rules = 7,
                                   .rule = {{.shape = SPLIT_CONTRACTION, .ignores_case = true},
                                            RUN(.lead = &before_word, .set = &letter),
                                            RUN(.set = &number, .max = 1),
                                            RUN(.lead = &space, .set = &other, .tail = &newline),
                                            LINES,
                                            BLANKS,
                                            WHITE_SPACE}};
static const SplitPattern qwen35 = {
    .regex = RE_CONTRACTION "|" RE_BEFORE "[\\p{L}\\p{M}]+|\\p{N}"
                            "| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" RE_BLANKS,
    .n_rules = 7,
    .rule = {{.shape = SPLIT_CONTRACTION, .ignores_case = true},
             RUN(.lead = &before_word, .set = &letter_or_mark),
             RUN(.set = &number, .max = 1),
             RUN(.lead = &space, .set = &other_not_mark, .tail = &newline),
             LINES,
             BLANKS,
             WHITE_SPACE}};
static const SplitPattern seed_coder = {
    .regex = RE_CONTRACTION "|" RE_BEFORE "\\p{L}+|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+"
                            "|" RE_BLANKS,
    .n_rules = 7,
    .rule = {{.shape = SPLIT_CONTRACTION, .ignores_case = true},
             RUN(.lead = &before_word, .set = &letter),
             RUN(.set = &number, .max = 1),
             RUN(.lead = &space, .set = &other),
             LINES,
             BLANKS,
             WHITE_SPACE}};

static const SplitPattern gpt4o = {
    .regex = RE_BEFORE RE_UPPER "*" RE_LOWER "+" RE_CONTRACTION "?|" RE_BEFORE RE_UPPER "+" RE_LOWER
                                "*" RE_CONTRACTION "?"
                                "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" RE_BLANKS,
    .n_rules = 7,
    .rule = {{.shape = SPLIT_CASED_LOWER,
              .lead = &before_word,
              .has_contraction = true,
              .ignores_case = true},
             {.shape = SPLIT_CASED_UPPER,
              .lead = &before_word,
              .has_contraction = true,
              .ignores_case = true},
             RUN(.set = &number, .max = 3),
             RUN(.lead = &space, .set = &other, .tail = &newline_or_slash),
             LINES,
             BLANKS,
             WHITE_SPACE}};
static const SplitPattern tekken = {
    .regex = RE_BEFORE RE_UPPER "*" RE_LOWER "+|" RE_BEFORE RE_UPPER "+" RE_LOWER "*"
                                "|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" RE_BLANKS,
    .n_rules = 7,
    .rule = {{.shape = SPLIT_CASED_LOWER, .lead = &before_word},
             {.shape = SPLIT_CASED_UPPER, .lead = &before_word},
             RUN(.set = &number, .max = 1),
             RUN(.lead = &space, .set = &other, .tail = &newline_or_slash),
             LINES,
             BLANKS,
             WHITE_SPACE}};

static const SplitPattern deepseek_v3 = {
    .regex = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
             "|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|" RE_BLANKS,
    .n_rules = 6,
    .rule = {{.shape = SPLIT_LED_RUN, .lead = &ascii_punctuation, .set = &ascii_letter},
             RUN(.lead = &before_word_v3, .set = &letter_or_mark),
             RUN(.lead = &space, .set = &punctuation_or_symbol, .tail = &newline),
             LINES,
             BLANKS,
             WHITE_SPACE}};

static const SplitPattern cased_words = {.regex = "\\s?[" CASED_LETTERS "]+",
                                         .n_rules = 1,
                                         .rule = {RUN(.lead = &white_space, .set = &cased_letter)}};
static const SplitPattern wide_punctuations = {
    .regex = "\\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]+",
    .n_rules = 1,
    .rule = {RUN(.lead = &white_space, .set = &wide_punctuation)}};
static const SplitPattern space_words = {
    .regex = "\\s?\\p{L}+", .n_rules = 1, .rule = {RUN(.lead = &white_space, .set = &letter)}};
static const SplitPattern punctuations = {
    .regex = "\\s?\\p{P}+", .n_rules = 1, .rule = {RUN(.lead = &white_space, .set = &punctuation)}};
static const SplitPattern sentence_parts = {
    .regex = " ?[^(\\s|.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C)]+",
    .n_rules = 1,
    .rule = {RUN(.lead = &space, .set = &not_sentence_mark)}};
static const SplitPattern cjk_runs = {.regex = "[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+",
                                      .n_rules = 1,
                                      .rule = {RUN(.set = &cjk)}};
static const SplitPattern cjk_v3_runs = {.regex = "[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+",
                                         .n_rules = 1,
                                         .rule = {RUN(.set = &cjk_v3)}};
static const SplitPattern default_symbols = {
    .regex = "[\\p{P}\\$\\+<=>\\^~\\|]+", .n_rules = 1, .rule = {RUN(.set = &default_symbol)}};
static const SplitPattern falcon_symbols = {
    .regex = "[\\p{P}\\$\\+<=>\\^~\\|`]+", .n_rules = 1, .rule = {RUN(.set = &falcon_symbol)}};
static const SplitPattern newlines = {
    .regex = "[\\r\\n]", .n_rules = 1, .rule = {RUN(.set = &newline, .max = 1)}};
static const SplitPattern trailing_space = {
    .regex = "\\s+$", .n_rules = 1, .rule = {{.shape = SPLIT_TRAILING}}};
static const SplitPattern digits_1 = {
    .regex = "\\p{N}", .n_rules = 1, .rule = {RUN(.set = &number, .max = 1)}};
static const SplitPattern digits_3 = {
    .regex = "\\p{N}{1,3}", .n_rules = 1, .rule = {RUN(.set = &number, .max = 3)}};
static const SplitPattern digits_any = {
    .regex = "\\p{N}+", .n_rules = 1, .rule = {RUN(.set = &number)}};
static const SplitPattern three_ascii_digits = {
    .regex = "[0-9][0-9][0-9]",
    .n_rules = 1,
    .rule = {RUN(.set = &ascii_digit, .min = 3, .max = 3)}};

static const SplitPattern *const known_pattern[] = {&gpt2,
                                                    &llama3,
                                                    &qwen2,
                                                    &qwen35,
                                                    &seed_coder,
                                                    &gpt4o,
                                                    &tekken,
                                                    &deepseek_v3,
                                                    &cased_words,
                                                    &wide_punctuations,
                                                    &space_words,
                                                    &punctuations,
                                                    &sentence_parts,
                                                    &cjk_runs,
                                                    &cjk_v3_runs,
                                                    &newlines,
                                                    &default_symbols,
                                                    &falcon_symbols,
                                                    &digits_1,
                                                    &digits_3,
                                                    &digits_any,
                                                    &trailing_space,
                                                    &three_ascii_digits};

// Other spellings that find the same matches in every text.
static const struct {
    const char *regex;
    const SplitPattern *pattern;
} other_spelling[] = {
    // tiktoken's cl100k_base and models that took it over: what the possessive signs keep is never
    // given back anyway, and \s* reaches the last newline with [\r\n] as with [\r\n]+.
    {"'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}"
     "| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+",
     &llama3},
    {"'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}"
     "| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+",
     &qwen2},
    // A single blank before a word is then what lies between two matches: the same piece.
    {"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)", &gpt2},
};

// ---- the names

// The first name of a row is the one that splitter_gguf_name gives.
static const struct {
    const char *names; // separated by spaces
    const SplitPattern *step[SPLIT_STEPS_MAX];
} name_row[] = {
    {"gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert "
     "jina-v1-en jina-v2-code roberta-bpe mpt olmo jais trillion granite-docling",
     {&gpt2}},
    {"smollm starcoder refact command-r codeshell exaone minerva-7b", {&digits_1, &gpt2}},
    {"llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 dbrx smaug-bpe glm4 "
     "chatglm-bpe",
     {&llama3}},
    {"qwen2 stablelm2 deepseek-r1-qwen kormo f2llmv2 hunyuan grok-2 megrez solar-open bailingmoe "
     "bailingmoe2 llada-moe",
     {&qwen2}},
    {"qwen35", {&qwen35}},
    {"seed-coder", {&seed_coder}},
    {"gpt-4o llama4 kanana2 minimax-m2", {&gpt4o}},
    {"tekken", {&tekken}},
    {"deepseek-llm",
     {&newlines, &cased_words, &wide_punctuations, &trailing_space, &cjk_runs, &digits_any}},
    {"deepseek-coder", {&newlines, &space_words, &punctuations, &cjk_runs, &digits_1}},
    {"deepseek-v3 hunyuan-dense joyai-llm", {&digits_3, &cjk_v3_runs, &deepseek_v3}},
    {"falcon", {&falcon_symbols, &gpt2, &three_ascii_digits}},
    {"default", {&default_symbols, &gpt2, &digits_any, &three_ascii_digits}},
    {"bloom poro-chat gpt3-finnish", {&sentence_parts}},
    {"viking", {&sentence_parts, &digits_1}},
};

enum {
    N_KNOWN = sizeof known_pattern / sizeof known_pattern[0],
    N_SPELLINGS = sizeof other_spelling / sizeof other_spelling[0],
    N_NAME_ROWS = sizeof name_row / sizeof name_row[0]
};

// Equal, where a line break in the text stands for the escape that a pattern writes: files hold
// both "[\r\n]" with the two control characters and with two backslashed letters.
static bool is_regex(Str text, const char *regex) {
    size_t i = 0;
    for (; i < text.n && *regex; i++) {
        char c = text.data[i];
        if (c == '\n' || c == '\r') {
            if (regex[0] != '\\' || regex[1] != (c == '\n' ? 'n' : 'r')) return false;
            regex += 2;
        } else if (c != *regex++) {
            return false;
        }
    }
    return i == text.n && !*regex;
}

const SplitPattern *split_pattern_known(Str regex) {
    for (int i = 0; i < N_KNOWN; i++) {
        if (is_regex(regex, known_pattern[i]->regex)) return known_pattern[i];
    }
    for (int i = 0; i < N_SPELLINGS; i++) {
        if (is_regex(regex, other_spelling[i].regex)) return other_spelling[i].pattern;
    }
    return NULL;
}

static bool has_word(const char *words_, Str word) {
    Str rest = str_from(words_);
    while (rest.n) {
        size_t end = str_find(rest, STR(" "), 0);
        if (str_equal(str_slice(rest, 0, end), word)) return true;
        rest = end == SIZE_MAX ? STR("") : str_slice(rest, end + 1, rest.n);
    }
    return false;
}

int split_name_patterns(Str name, const SplitPattern *steps[SPLIT_STEPS_MAX]) {
    for (int i = 0; i < N_NAME_ROWS; i++) {
        if (!has_word(name_row[i].names, name)) continue;
        int n = 0;
        while (n < SPLIT_STEPS_MAX && name_row[i].step[n]) {
            steps[n] = name_row[i].step[n];
            n++;
        }
        return n;
    }
    return 0;
}

Str split_name_find(const SplitPattern *const *steps, int n) {
    for (int i = 0; i < N_NAME_ROWS; i++) {
        int same = 0;
        while (same < SPLIT_STEPS_MAX && same < n && name_row[i].step[same] == steps[same]) same++;
        if (same != n || (n < SPLIT_STEPS_MAX && name_row[i].step[n])) continue;
        Str names = str_from(name_row[i].names);
        return str_slice(names, 0, str_find(names, STR(" "), 0));
    }
    return STR("");
}
