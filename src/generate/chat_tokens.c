// chat_tokens.c - rendering twice, lining the two up, and encoding with that knowledge.
//
// A placeholder is four private-use characters: a mark and the number of its message in base 64.
// Contents are absent from the rendering with placeholders, so nothing can imitate one there.
#include "generate/chat_tokens.h"

#include <string.h>

#include "base/utf8.h"

enum { DIGITS = 3, PLACEHOLDER_BYTES = 3 * (1 + DIGITS) }; // each character is 3 bytes of UTF-8

// ---------------------------------------------------------------- rendering
static Json *add_member(Arena *arena, Json *parent, const char *key, JsonKind kind) {
    Json *json = arena_new(arena, Json, 1), **end = &parent->child;
    while (*end) end = &(*end)->next;
    *end = json;
    json->kind = kind;
    if (key) json->key = str_from(key);
    parent->count++;
    return json;
}

static void add_string(Arena *arena, Json *parent, const char *key, Str value) {
    add_member(arena, parent, key, JSON_STRING)->string = value;
}

static Str special_text(const Tokenizer *t, int32_t id) {
    return id >= 0 ? tokenizer_piece(t, id, true) : STR("");
}

static const char mark[] = "\xef\xa3\xb0"; // U+F8F0

static Str placeholder(Arena *arena, int64_t message) {
    StrBuilder b = str_builder(arena);
    str_add_c(&b, mark);
    for (int digit = DIGITS - 1; digit >= 0; digit--) { // U+E000 .. U+E03F
        str_add_c(&b, "\xee\x80");
        str_add_byte(&b, (char)(0x80 | (message >> (6 * digit) & 63)));
    }
    return str_built(&b);
}

static bool render(Arena *arena, const ChatSpec *spec, bool with_placeholders, Str *text,
                   Error *err) {
    Json *variables = arena_new(arena, Json, 1);
    const Vocab *vocab = tokenizer_vocab(spec->tokenizer);
    variables->kind = JSON_OBJECT;
    add_string(arena, variables, "bos_token", special_text(spec->tokenizer, vocab->bos));
    add_string(arena, variables, "eos_token", special_text(spec->tokenizer, vocab->eos));
    add_member(arena, variables, "add_generation_prompt", JSON_BOOL)->boolean = spec->is_reply_next;
    Json *messages = add_member(arena, variables, "messages", JSON_ARRAY);
    for (int64_t i = spec->n - 1; i >= 0; i--) { // from the back: each is put in front
        Json *message = arena_new(arena, Json, 1);
        *message = (Json){.kind = JSON_OBJECT, .next = messages->child};
        messages->child = message;
        messages->count++;
        add_string(arena, message, "role", spec->message[i].role);
        add_string(arena, message, "content",
                   with_placeholders ? placeholder(arena, i) : spec->message[i].content);
    }
    return chat_render(spec->layout, arena, variables, text, err);
}

// ---------------------------------------------------------------- whose bytes are whose
// A stretch of the rendered text that came out of a content.
typedef struct Range {
    size_t from, to;
} Range;

typedef struct Places {
    Range *range; // (n) in order
    int64_t n;
} Places;

// The placeholder at or after `from`: its position and message.
static size_t find_placeholder(Str outline, size_t from, int64_t *message) {
    size_t at = str_find(outline, (Str){mark, sizeof mark - 1}, from);
    if (at == SIZE_MAX || at + PLACEHOLDER_BYTES > outline.n) return SIZE_MAX;
    *message = 0;
    for (int digit = 1; digit <= DIGITS; digit++)
        *message = *message << 6 | (outline.data[at + 3 * (size_t)digit + 2] & 63);
    return at;
}

static bool continues(Str text, size_t at, Str with) {
    return str_starts(str_slice(text, at, text.n), with);
}

// How the template wrote a content: as it is, or without white space at its end, start or both.
static bool match_content(Str text, size_t at, Str content, Str next, size_t *end) {
    Str trimmed = str_trim(content);
    size_t start = trimmed.n ? (size_t)(trimmed.data - content.data) : content.n;
    Str forms[] = {content, str_slice(content, 0, start + trimmed.n),
                   str_slice(content, start, content.n), trimmed};
    for (int i = 0; i < 4; i++) {
        *end = at + forms[i].n;
        bool is_last = next.n == 0;
        if (continues(text, at, forms[i]) &&
            (is_last ? *end == text.n : continues(text, *end, next)))
            return true;
    }
    return false;
}

// Walks the outline (the rendering with placeholders) and the text side by side.  False: they do
// not line up.
static bool line_up(Arena *arena, const ChatSpec *spec, Str outline, Str text, Places *places) {
    int64_t message, n_max = (int64_t)(outline.n / PLACEHOLDER_BYTES);
    places->range = arena_new(arena, Range, n_max + 1);
    places->n = 0;
    size_t hole = find_placeholder(outline, 0, &message);
    size_t at = hole == SIZE_MAX ? outline.n : hole;
    if (!continues(text, 0, str_slice(outline, 0, at))) return false;
    while (hole != SIZE_MAX) {
        if (message >= spec->n) return false;
        Str content = spec->message[message].content;
        size_t rest = hole + PLACEHOLDER_BYTES, end;
        hole = find_placeholder(outline, rest, &message);
        Str next = str_slice(outline, rest, hole == SIZE_MAX ? outline.n : hole);
        if (next.n == 0 && hole != SIZE_MAX) return false; // nothing between two contents
        if (!match_content(text, at, content, next, &end)) return false;
        places->range[places->n++] = (Range){at, end};
        at = end + next.n;
    }
    return at == text.n;
}

// ---------------------------------------------------------------- encoding
static bool encode(Arena *arena, const ChatSpec *spec, Str text, bool parse_special, Tokens *tokens,
                   Error *err) {
    EncodeOptions options = {.parse_special = parse_special};
    return tokenizer_encode(spec->tokenizer, arena, text, options, tokens, err);
}

static bool is_control(const ChatSpec *spec, const Token *token) {
    return tokenizer_kind(spec->tokenizer, token->id) == TOKEN_CONTROL && token->end > token->start;
}

// Does a control token have bytes of a content?  Both lists are in order.
static bool touches_content(const ChatSpec *spec, const Tokens *tokens, const Places *places) {
    int64_t p = 0;
    for (int64_t i = 0; i < tokens->n; i++) {
        const Token *t = &tokens->token[i];
        if (!is_control(spec, t)) continue;
        while (p < places->n && places->range[p].to <= (size_t)t->start) p++;
        if (p < places->n && places->range[p].from < (size_t)t->end &&
            places->range[p].from < places->range[p].to)
            return true;
    }
    return false;
}

static void add_id(StrBuilder *ids, int32_t id) {
    str_add(ids, (Str){(const char *)&id, sizeof id});
}

static void add_ids(StrBuilder *ids, const Tokens *tokens) {
    for (int64_t i = 0; i < tokens->n; i++) add_id(ids, tokens->token[i].id);
}

static bool add_plain(Arena *arena, const ChatSpec *spec, Str text, StrBuilder *ids, Error *err) {
    Tokens tokens;
    if (text.n == 0) return true;
    if (!encode(arena, spec, text, false, &tokens, err)) return false;
    add_ids(ids, &tokens);
    return true;
}

// Only the template's own stretches are searched for control tokens; what lies between two of
// these, whoever wrote it, is encoded as plain text in one piece.
static bool encode_guarded(Arena *arena, const ChatSpec *spec, Str text, const Places *places,
                           StrBuilder *ids, Error *err) {
    size_t plain = 0, from = 0; // plain: what is not encoded yet
    for (int64_t p = 0; p <= places->n; p++) {
        size_t to = p < places->n ? places->range[p].from : text.n;
        Tokens tokens;
        if (!encode(arena, spec, str_slice(text, from, to), true, &tokens, err)) return false;
        for (int64_t i = 0; i < tokens.n; i++) {
            const Token *t = &tokens.token[i];
            if (!is_control(spec, t)) continue;
            if (!add_plain(arena, spec, str_slice(text, plain, from + (size_t)t->start), ids, err))
                return false;
            add_id(ids, t->id);
            plain = from + (size_t)t->end;
        }
        from = p < places->n ? places->range[p].to : text.n;
    }
    return add_plain(arena, spec, str_slice(text, plain, text.n), ids, err);
}

// The next control token at or after *i; NULL at the end.
static const Token *next_control(const ChatSpec *spec, const Tokens *tokens, int64_t *i) {
    while (*i < tokens->n) {
        const Token *t = &tokens->token[(*i)++];
        if (is_control(spec, t)) return t;
    }
    return NULL;
}

static bool same_controls(const ChatSpec *spec, const Tokens *a, const Tokens *b) {
    for (int64_t i = 0, j = 0;;) {
        const Token *x = next_control(spec, a, &i), *y = next_control(spec, b, &j);
        if (!x || !y) return !x && !y;
        if (x->id != y->id) return false;
    }
}

// ---------------------------------------------------------------- the whole
static bool check(const ChatSpec *spec, Error *err) {
    if (spec->n > CHAT_MESSAGES_MAX)
        return error_set(err, ERROR_LIMIT,
                         "a conversation of %lld messages, at most %d are allowed",
                         (long long)spec->n, CHAT_MESSAGES_MAX);
    for (int64_t i = 0; i < spec->n; i++)
        if (!utf8_valid(spec->message[i].content) || !utf8_valid(spec->message[i].role))
            return error_set(err, ERROR_FORMAT, "message %lld is not UTF-8", (long long)i + 1);
    return true;
}

bool chat_tokens(Arena *arena, const ChatSpec *spec, const int32_t **ids, int64_t *n, Error *err) {
    Str text, outline;
    Tokens whole, bare;
    Places places;
    StrBuilder list = str_builder(arena); // of int32_t
    if (!check(spec, err) || !render(arena, spec, false, &text, err) ||
        !render(arena, spec, true, &outline, err) || !encode(arena, spec, text, true, &whole, err))
        return false;
    if (line_up(arena, spec, outline, text, &places)) {
        if (!touches_content(spec, &whole, &places))
            add_ids(&list, &whole);
        else if (!encode_guarded(arena, spec, text, &places, &list, err))
            return false;
    } else {
        if (!encode(arena, spec, outline, true, &bare, err)) return false;
        if (!same_controls(spec, &whole, &bare))
            return error_set(
                err, ERROR_UNSUPPORTED,
                "a message contains control tokens of the model, and its chat template "
                "alters messages so that they cannot be told from its own");
        add_ids(&list, &whole);
    }
    *n = (int64_t)(list.n / sizeof(int32_t));
    *ids = (const int32_t *)(const void *)str_built(&list).data;
    return true;
}
