// tokenizer_steps.c - the pipeline of a tokenizer.json (facts: Hugging Face tokenizers 0.23).
//
// Each of the four members is one object with a "type", or a Sequence of such objects.  A table
// maps types to functions; a type that is not in the table is refused by its name, because a step
// left out would give other ids without any sign of it.
#include "text/tokenizer_steps.h"

#include "base/json.h"
#include "unicode/normalize.h"

typedef struct Steps {
    Tokenizer *t;
    Arena *arena;
    StepsFound *found;
    Error *err;
} Steps;

typedef struct StepType {
    const char *type;
    bool (*read)(Steps *s, const Json *node);
} StepType;

// Reads `node` by `table`; a Sequence has its steps under `members`.  `depth` bounds nesting.
static bool read_step(Steps *s, const Json *node, const char *what, const StepType *table,
                      const char *members, int depth) {
    if (!node || node->kind == JSON_NULL) return true;
    Str type = json_string(json_get(node, "type"), STR(""));
    if (str_equal(type, STR("Sequence")) && depth < 4) {
        const Json *list = json_get(node, members);
        for (const Json *step = list ? list->child : NULL; step; step = step->next)
            if (!read_step(s, step, what, table, members, depth + 1)) return false;
        return true;
    }
    for (const StepType *entry = table; entry->type; entry++)
        if (str_equal(type, str_from(entry->type))) return entry->read(s, node);
    return error_set(s->err, ERROR_UNSUPPORTED, "tokenizer.json: %s \"%.*s\" is not supported",
                     what, STR_ARG(str_slice(type, 0, 64)));
}

static bool refuse(Steps *s, const char *what) {
    return error_set(s->err, ERROR_UNSUPPORTED, "tokenizer.json: %s", what);
}

static bool add_rewrite(Steps *s, Rewrite rewrite) {
    Tokenizer *t = s->t;
    if (t->n_rewrites == TOKENIZER_STEPS_MAX) return refuse(s, "normalizer: more than 16 steps");
    t->rewrite[t->n_rewrites++] = rewrite;
    return true;
}

static bool add_split(Steps *s, SplitStep split) {
    Tokenizer *t = s->t;
    if (s->found->has_byte_level) return refuse(s, "pre_tokenizer: a step after ByteLevel");
    if (t->n_splits == TOKENIZER_STEPS_MAX) return refuse(s, "pre_tokenizer: more than 16 steps");
    t->split[t->n_splits++] = split;
    if (split.kind == SPLIT_BY_LITERAL || split.kind == SPLIT_BY_BERT)
        s->found->has_other_split = true;
    if (split.kind == SPLIT_BY_PATTERN)
        s->found->splitter[s->found->n_splitters++] = split.splitter;
    return true;
}

// A literal that is looked for in texts: short, so that looking is linear.
static bool check_literal(Steps *s, Str literal, const char *what) {
    if (literal.n >= 1 && literal.n <= TOKENIZER_PATTERN_MAX) return true;
    return error_set(s->err, ERROR_UNSUPPORTED, "tokenizer.json: %s: a pattern of %zu bytes", what,
                     literal.n);
}

// ---- normalizer

static bool read_form(Steps *s, const Json *node) {
    Str type = json_string(json_get(node, "type"), STR(""));
    Rewrite step = {.kind = REWRITE_NORMAL_FORM};
    return normal_form_named(type, &step.form) && add_rewrite(s, step);
}

static bool read_lowercase(Steps *s, const Json *node) {
    (void)node;
    return add_rewrite(s, (Rewrite){.kind = REWRITE_LOWERCASE});
}

static bool read_replace(Steps *s, const Json *node) {
    const Json *pattern = json_get(node, "pattern");
    const Json *regex = json_get(pattern, "Regex");
    Rewrite step = {.kind = REWRITE_REPLACE,
                    .pattern = json_string(json_get(pattern, "String"), STR("")),
                    .content = json_string(json_get(node, "content"), STR(""))};
    if (!regex) return check_literal(s, step.pattern, "normalizer Replace") && add_rewrite(s, step);
    step.kind = REWRITE_REPLACE_MATCH;
    step.splitter =
        splitter_pattern(s->arena, json_string(regex, STR("")), SPLIT_REMOVED, false, s->err);
    return step.splitter && add_rewrite(s, step);
}

static bool read_prepend(Steps *s, const Json *node) {
    s->found->has_prefix_space = true;
    return add_rewrite(s, (Rewrite){.kind = REWRITE_PREPEND,
                                    .content = json_string(json_get(node, "prepend"), STR(""))});
}

static bool read_strip(Steps *s, const Json *node) {
    if (json_bool(json_get(node, "strip_left"), false) &&
        !add_rewrite(s, (Rewrite){.kind = REWRITE_STRIP_LEFT}))
        return false;
    return !json_bool(json_get(node, "strip_right"), false) ||
           add_rewrite(s, (Rewrite){.kind = REWRITE_STRIP_RIGHT});
}

// Each of its four steps can be off; accents go where letters become small, unless it says
// otherwise.
static bool read_bert_normalizer(Steps *s, const Json *node) {
    bool lowers = json_bool(json_get(node, "lowercase"), true);
    const Json *accents = json_get(node, "strip_accents");
    bool strips = accents && accents->kind == JSON_BOOL ? accents->boolean : lowers;
    const struct {
        bool is_on;
        Rewrite rewrite;
    } step[] = {{json_bool(json_get(node, "clean_text"), true), {.kind = REWRITE_CLEAN}},
                {json_bool(json_get(node, "handle_chinese_chars"), true),
                 {.kind = REWRITE_SPACE_IDEOGRAPHS}},
                {strips, {.kind = REWRITE_NORMAL_FORM, .form = NORMAL_NFD}},
                {strips, {.kind = REWRITE_DROP_MARKS}},
                {lowers, {.kind = REWRITE_LOWERCASE}}};
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        if (step[i].is_on && !add_rewrite(s, step[i].rewrite)) return false;
    return true;
}

static bool read_strip_accents(Steps *s, const Json *node) {
    (void)node;
    return add_rewrite(s, (Rewrite){.kind = REWRITE_DROP_MARKS});
}

bool steps_normalizer(Tokenizer *t, Arena *arena, const Json *node, StepsFound *found, Error *err) {
    static const StepType table[] = {{"NFC", read_form},
                                     {"NFD", read_form},
                                     {"NFKC", read_form},
                                     {"NFKD", read_form},
                                     {"Lowercase", read_lowercase},
                                     {"Replace", read_replace},
                                     {"Prepend", read_prepend},
                                     {"Strip", read_strip},
                                     {"StripAccents", read_strip_accents},
                                     {"BertNormalizer", read_bert_normalizer},
                                     {0}};
    Steps s = {t, arena, found, err};
    return read_step(&s, node, "normalizer", table, "normalizers", 0);
}

// ---- pre_tokenizer

static bool add_pattern(Steps *s, Str pattern, SplitBehaviour behaviour, bool invert) {
    SplitStep split = {.kind = SPLIT_BY_PATTERN, .drops = behaviour == SPLIT_REMOVED};
    split.splitter = splitter_pattern(s->arena, pattern, behaviour, invert, s->err);
    return split.splitter && add_split(s, split);
}

static bool read_behaviour(Steps *s, const Json *node, SplitBehaviour *behaviour) {
    static const char *const names[] = {"Isolated", "Removed", "MergedWithPrevious",
                                        "MergedWithNext", "Contiguous"};
    static const SplitBehaviour values[] = {SPLIT_ISOLATED, SPLIT_REMOVED,
                                            SPLIT_MERGED_WITH_PREVIOUS, SPLIT_MERGED_WITH_NEXT,
                                            SPLIT_CONTIGUOUS};
    Str name = json_string(json_get(node, "behavior"), STR("Isolated"));
    for (int i = 0; i < 5; i++) {
        *behaviour = values[i];
        if (str_equal(name, str_from(names[i]))) return true;
    }
    return error_set(s->err, ERROR_UNSUPPORTED, "tokenizer.json: pre_tokenizer behavior \"%.*s\"",
                     STR_ARG(str_slice(name, 0, 64)));
}

static bool read_byte_level(Steps *s, const Json *node) {
    if (json_bool(json_get(node, "add_prefix_space"), false)) {
        s->found->has_prefix_space = true;
        Rewrite space = {.kind = REWRITE_PREPEND_ONCE, .content = STR(" ")};
        if (!add_split(s, (SplitStep){.kind = SPLIT_BY_REWRITE, .rewrite = space})) return false;
    }
    if (json_bool(json_get(node, "use_regex"), true)) {
        SplitStep split = {.kind = SPLIT_BY_PATTERN};
        split.splitter = splitter_named(s->arena, STR("gpt-2"), s->err);
        if (!split.splitter || !add_split(s, split)) return false;
    }
    s->found->has_byte_level = true;
    return true;
}

static bool read_split(Steps *s, const Json *node) {
    const Json *pattern = json_get(node, "pattern");
    SplitBehaviour behaviour;
    bool invert = json_bool(json_get(node, "invert"), false);
    if (!read_behaviour(s, node, &behaviour)) return false;
    const Json *regex = json_get(pattern, "Regex");
    if (regex) return add_pattern(s, json_string(regex, STR("")), behaviour, invert);
    SplitStep split = {.kind = SPLIT_BY_LITERAL,
                       .literal = json_string(json_get(pattern, "String"), STR("")),
                       .behaviour = behaviour,
                       .invert = invert};
    return check_literal(s, split.literal, "pre_tokenizer Split") && add_split(s, split);
}

// Old files have "add_prefix_space" where newer ones have "prepend_scheme".
static bool read_metaspace(Steps *s, const Json *node) {
    Str mark = json_string(json_get(node, "replacement"), STR("\xE2\x96\x81"));
    bool is_old = json_bool(json_get(node, "add_prefix_space"), true);
    Str scheme =
        json_string(json_get(node, "prepend_scheme"), is_old ? STR("always") : STR("never"));
    Rewrite marks = {.kind = REWRITE_REPLACE, .pattern = STR(" "), .content = mark};
    Rewrite prefix = {.kind = REWRITE_PREPEND_ONCE, .content = mark};
    if (str_equal(scheme, STR("first"))) prefix.kind = REWRITE_PREPEND_FIRST;
    if (!check_literal(s, mark, "pre_tokenizer Metaspace")) return false;
    if (!add_split(s, (SplitStep){.kind = SPLIT_BY_REWRITE, .rewrite = marks})) return false;
    if (!str_equal(scheme, STR("never"))) {
        s->found->has_prefix_space = true;
        if (!add_split(s, (SplitStep){.kind = SPLIT_BY_REWRITE, .rewrite = prefix})) return false;
    }
    if (!json_bool(json_get(node, "split"), true)) return true;
    return add_split(s, (SplitStep){.kind = SPLIT_BY_LITERAL,
                                    .literal = mark,
                                    .behaviour = SPLIT_MERGED_WITH_NEXT});
}

static bool read_digits(Steps *s, const Json *node) {
    bool is_single = json_bool(json_get(node, "individual_digits"), false);
    return add_pattern(s, is_single ? STR("\\p{N}") : STR("\\p{N}+"), SPLIT_ISOLATED, false);
}

// The original's \s and \w written out: PCRE2 means other sets by them (U+180E, marks, joiners).
#define WHITE "\\p{Z}\\x09-\\x0D\\x{85}"
#define WORD                                                                 \
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{200C}\\x{200D}\\x{24B6}-\\x{24E9}" \
    "\\x{1F130}-\\x{1F149}\\x{1F150}-\\x{1F169}\\x{1F170}-\\x{1F189}"

static bool read_whitespace(Steps *s, const Json *node) {
    (void)node;
    return add_pattern(s, STR("[" WORD "]+|[^" WORD WHITE "]+"), SPLIT_REMOVED, true);
}

static bool read_whitespace_split(Steps *s, const Json *node) {
    (void)node;
    return add_pattern(s, STR("[" WHITE "]"), SPLIT_REMOVED, false);
}

static bool read_punctuation(Steps *s, const Json *node) {
    SplitBehaviour behaviour;
    return read_behaviour(s, node, &behaviour) &&
           add_pattern(s, STR("[\\p{P}$+<=>^`|~]"), behaviour, false);
}

static bool read_bert_words(Steps *s, const Json *node) {
    (void)node;
    return add_split(s, (SplitStep){.kind = SPLIT_BY_BERT});
}

bool steps_pre_tokenizer(Tokenizer *t, Arena *arena, const Json *node, StepsFound *found,
                         Error *err) {
    static const StepType table[] = {{"ByteLevel", read_byte_level},
                                     {"Split", read_split},
                                     {"Metaspace", read_metaspace},
                                     {"Digits", read_digits},
                                     {"Whitespace", read_whitespace},
                                     {"WhitespaceSplit", read_whitespace_split},
                                     {"Punctuation", read_punctuation},
                                     {"BertPreTokenizer", read_bert_words},
                                     {0}};
    Steps s = {t, arena, found, err};
    return read_step(&s, node, "pre_tokenizer", table, "pretokenizers", 0);
}

// ---- post_processor

static bool add_affix(Steps *s, int64_t id, bool is_suffix) {
    Tokenizer *t = s->t;
    int *n = is_suffix ? &t->n_suffix : &t->n_prefix;
    if (id < 0 || id >= t->vocab.n_tokens)
        return refuse(s, "post_processor: a special token that is not in the vocabulary");
    if (*n == TOKENIZER_AFFIX_MAX) return refuse(s, "post_processor: more than 8 special tokens");
    (is_suffix ? t->suffix : t->prefix)[(*n)++] = (int32_t)id;
    return true;
}

// "single" is a list of special tokens around one Sequence, the text.
static bool read_template(Steps *s, const Json *node) {
    const Json *single = json_get(node, "single");
    bool is_suffix = false;
    for (const Json *item = single ? single->child : NULL; item; item = item->next) {
        const Json *special = json_get(item, "SpecialToken");
        if (!special) {
            if (is_suffix || !json_get(item, "Sequence"))
                return refuse(s, "post_processor: a template with more than one Sequence");
            is_suffix = true;
            continue;
        }
        Str name = json_string(json_get(special, "id"), STR(""));
        const Json *known = json_get(node, "special_tokens");
        known = known ? known->child : NULL;
        while (known && !str_equal(known->key, name)) known = known->next;
        const Json *ids = json_get(known, "ids");
        for (const Json *id = ids ? ids->child : NULL; id; id = id->next)
            if (!add_affix(s, json_integer(id, -1), is_suffix)) return false;
        if (!ids) return refuse(s, "post_processor: a template names a token without ids");
    }
    return is_suffix || refuse(s, "post_processor: a template without a Sequence");
}

// RobertaProcessing and BertProcessing: "cls" before, "sep" after, each [token, id].
static bool read_cls_sep(Steps *s, const Json *node) {
    return add_affix(s, json_integer(json_at(json_get(node, "cls"), 1), -1), false) &&
           add_affix(s, json_integer(json_at(json_get(node, "sep"), 1), -1), true);
}

// ByteLevel as a post-processor only trims the offsets that the library reports.
static bool read_nothing(Steps *s, const Json *node) {
    (void)s;
    (void)node;
    return true;
}

bool steps_post_processor(Tokenizer *t, const Json *node, Error *err) {
    static const StepType table[] = {{"TemplateProcessing", read_template},
                                     {"RobertaProcessing", read_cls_sep},
                                     {"BertProcessing", read_cls_sep},
                                     {"ByteLevel", read_nothing},
                                     {0}};
    Steps s = {.t = t, .err = err};
    return read_step(&s, node, "post_processor", table, "processors", 0);
}

// ---- decoder

static bool read_replace_decoder(Steps *s, const Json *node) {
    Str from = json_string(json_get(json_get(node, "pattern"), "String"), STR(""));
    Str to = json_string(json_get(node, "content"), STR(""));
    if (!str_equal(from, STR("\xE2\x96\x81")) || !str_equal(to, STR(" ")))
        return refuse(s, "decoder Replace of something else than U+2581 by a space");
    s->found->decodes_spaces = true;
    return true;
}

static bool read_strip_decoder(Steps *s, const Json *node) {
    int64_t start = json_integer(json_get(node, "start"), 0);
    int64_t stop = json_integer(json_get(node, "stop"), 0);
    Str content = json_string(json_get(node, "content"), STR(" "));
    if (start == 0 && stop == 0) return true;
    if (start != 1 || stop != 0 || !str_equal(content, STR(" ")))
        return refuse(s, "decoder Strip of something else than one space at the start");
    s->t->strips_first_space = true;
    return true;
}

static bool read_metaspace_decoder(Steps *s, const Json *node) {
    Str mark = json_string(json_get(node, "replacement"), STR("\xE2\x96\x81"));
    if (!str_equal(mark, STR("\xE2\x96\x81"))) return refuse(s, "decoder Metaspace: not U+2581");
    bool is_old = json_bool(json_get(node, "add_prefix_space"), true);
    Str scheme =
        json_string(json_get(node, "prepend_scheme"), is_old ? STR("always") : STR("never"));
    s->found->decodes_spaces = true;
    if (!str_equal(scheme, STR("never"))) s->t->strips_first_space = true;
    return true;
}

static bool read_wordpiece_decoder(Steps *s, const Json *node) {
    Str prefix = json_string(json_get(node, "prefix"), STR("##"));
    return str_equal(prefix, STR("##")) || refuse(s, "decoder WordPiece: its prefix is not ##");
}

bool steps_decoder(Tokenizer *t, const Json *node, StepsFound *found, Error *err) {
    static const StepType table[] = {{"ByteLevel", read_nothing},
                                     {"ByteFallback", read_nothing},
                                     {"Fuse", read_nothing},
                                     {"Replace", read_replace_decoder},
                                     {"Strip", read_strip_decoder},
                                     {"Metaspace", read_metaspace_decoder},
                                     {"WordPiece", read_wordpiece_decoder},
                                     {0}};
    Steps s = {.t = t, .found = found, .err = err};
    return read_step(&s, node, "decoder", table, "decoders", 0);
}
