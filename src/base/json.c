// json.c - a strict reader of RFC 8259.
//
// Recursive descent under a depth limit, one function a rule of the grammar.  The tree costs up to
// 50 bytes a byte of hostile text ("[0,0,0..."), so every allocation is checked against the arena:
// a text too large for it is refused, not fatal.
#include "base/json.h"

#include <string.h>

#include "base/map.h"
#include "base/utf8.h"

// Objects of more keys than this look for duplicates in a hash table.
enum { PAIRWISE_MAX = 16 };

typedef struct Parser {
    Arena *arena;
    Str text;
    size_t at;
    int depth;
    Error *err;
} Parser;

static bool parse_value(Parser *p, Json *value);

static bool refuse(Parser *p, const char *what) {
    return error_set(p->err, ERROR_FORMAT, "JSON: byte %zu: %s", p->at, what);
}

// Memory from the arena, or NULL and an error when there is not enough left.
static void *parser_push(Parser *p, size_t bytes) {
    if (arena_fits(p->arena, bytes)) return arena_push(p->arena, bytes);
    error_set(p->err, ERROR_LIMIT, "JSON: byte %zu: too large for its memory", p->at);
    return NULL;
}

static void skip_space(Parser *p) {
    while (p->at < p->text.n) {
        char c = p->text.data[p->at];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
        p->at++;
    }
}

// The next byte, or -1 at the end.
static int peek(const Parser *p) {
    return p->at < p->text.n ? (unsigned char)p->text.data[p->at] : -1;
}

static bool take(Parser *p, char c) {
    if (peek(p) != (unsigned char)c) return false;
    p->at++;
    return true;
}

static bool take_word(Parser *p, Str word) {
    if (!str_starts(str_slice(p->text, p->at, p->text.n), word)) return refuse(p, "unknown word");
    p->at += word.n;
    return true;
}

// ---- strings --------------------------------------------------------------------------------

// Four hexadecimal digits, or -1.
static int32_t take_hex(Parser *p) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int c = peek(p), digit;
        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if (c >= 'a' && c <= 'f')
            digit = c - 'a' + 10;
        else if (c >= 'A' && c <= 'F')
            digit = c - 'A' + 10;
        else
            return -1;
        value = value * 16 + digit;
        p->at++;
    }
    return value;
}

// What follows "\u".  Characters past U+FFFF come as two escapes, a high and a low surrogate
// (RFC 8259, section 7).
static bool take_unicode_escape(Parser *p, int32_t *code_point) {
    int32_t high = take_hex(p);
    if (high < 0) return refuse(p, "\\u needs four hexadecimal digits");
    *code_point = high;
    if (high < 0xD800 || high > 0xDFFF) return true;
    if (high > 0xDBFF || !take(p, '\\') || !take(p, 'u')) return refuse(p, "lone surrogate");
    int32_t low = take_hex(p);
    if (low < 0xDC00 || low > 0xDFFF) return refuse(p, "lone surrogate");
    *code_point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

// What follows a backslash, written to out; *n is the number of bytes.
static bool take_escape(Parser *p, char out[4], int *n) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    int c = peek(p);
    if (c == 'u') {
        p->at++;
        int32_t code_point = 0;
        if (!take_unicode_escape(p, &code_point)) return false;
        *n = utf8_encode(code_point, out);
        return true;
    }
    const char *letter = c > 0 ? strchr(letters, c) : NULL;
    if (!letter) return refuse(p, "unknown escape");
    p->at++;
    out[0] = meanings[letter - letters];
    *n = 1;
    return true;
}

// The position of the quote that ends the string whose first byte is at p->at; SIZE_MAX if none.
static size_t string_end(const Parser *p) {
    for (size_t i = p->at; i < p->text.n; i++) {
        if (p->text.data[i] == '"') return i;
        if (p->text.data[i] == '\\') i++;
    }
    return SIZE_MAX;
}

static bool parse_string(Parser *p, Str *string) {
    if (!take(p, '"')) return refuse(p, "a string was expected");
    size_t end = string_end(p);
    if (end == SIZE_MAX) return refuse(p, "the string does not end");
    // Unescaped text is never longer than escaped text.
    char *out = parser_push(p, end - p->at + 1);
    if (!out) return false;
    size_t n = 0;
    while (p->at < end) {
        size_t start = p->at;
        while (p->at < end && p->text.data[p->at] != '\\') {
            if ((unsigned char)p->text.data[p->at] < 0x20)
                return refuse(p, "control character in a string");
            p->at++;
        }
        Str plain = str_slice(p->text, start, p->at);
        if (!utf8_valid(plain)) return refuse(p, "ill-formed UTF-8 before this place");
        memcpy(out + n, plain.data, plain.n);
        n += plain.n;
        int length = 0;
        if (take(p, '\\')) {
            char bytes[4];
            if (!take_escape(p, bytes, &length)) return false;
            memcpy(out + n, bytes, (size_t)length);
            n += (size_t)length;
        }
    }
    p->at = end + 1;
    out[n] = '\0';
    *string = (Str){out, n};
    return true;
}

// ---- numbers --------------------------------------------------------------------------------

static size_t skip_digits(Parser *p) {
    size_t start = p->at;
    while (peek(p) >= '0' && peek(p) <= '9') p->at++;
    return p->at - start;
}

static bool parse_number(Parser *p, Json *value) {
    size_t start = p->at;
    take(p, '-');
    if (!take(p, '0') && skip_digits(p) == 0) return refuse(p, "a value was expected");
    bool is_whole = true;
    if (take(p, '.')) {
        is_whole = false;
        if (skip_digits(p) == 0) return refuse(p, "digits were expected after the point");
    }
    if (take(p, 'e') || take(p, 'E')) {
        is_whole = false;
        if (!take(p, '+')) take(p, '-');
        if (skip_digits(p) == 0) return refuse(p, "digits were expected in the exponent");
    }
    if (peek(p) >= '0' && peek(p) <= '9') return refuse(p, "a number may not start with 0");
    Str text = str_slice(p->text, start, p->at);
    value->kind = JSON_NUMBER;
    value->is_integer = is_whole && str_int(text, &value->integer);
    if (value->is_integer && value->integer != 0) {
        value->number = (double)value->integer;
        return true;
    }
    return str_number(text, &value->number) || refuse(p, "the number is too large"); // -0 also
}

// ---- arrays and objects ---------------------------------------------------------------------

static Json *add_child(Parser *p, Json *parent, Json **last) {
    Json *child = parser_push(p, sizeof *child);
    if (!child) return NULL;
    *child = (Json){.kind = JSON_NULL};
    *(*last ? &(*last)->next : &parent->child) = child;
    *last = child;
    parent->count++;
    return child;
}

// Parses elements or members up to the closing bracket; the opening one has been taken.
static bool parse_children(Parser *p, Json *parent, char closing) {
    Json *last = NULL;
    skip_space(p);
    if (take(p, closing)) return true;
    for (;;) {
        Json *child = add_child(p, parent, &last);
        if (!child) return false;
        skip_space(p);
        if (parent->kind == JSON_OBJECT) {
            if (!parse_string(p, &child->key)) return false;
            skip_space(p);
            if (!take(p, ':')) return refuse(p, "':' was expected");
        }
        if (!parse_value(p, child)) return false;
        skip_space(p);
        if (take(p, closing)) return true;
        if (!take(p, ','))
            return refuse(p,
                          closing == ']' ? "',' or ']' was expected" : "',' or '}' was expected");
    }
}

static bool refuse_duplicate(Parser *p, Str key) {
    return error_set(p->err, ERROR_FORMAT,
                     "JSON: byte %zu: the object that ends here has the key \"%.*s\" twice", p->at,
                     (int)(key.n < 100 ? key.n : 100), key.data);
}

static bool check_keys(Parser *p, const Json *object) {
    if (object->count <= PAIRWISE_MAX) {
        for (const Json *a = object->child; a; a = a->next) {
            for (const Json *b = object->child; b != a; b = b->next) {
                if (str_equal(a->key, b->key)) return refuse_duplicate(p, a->key);
            }
        }
        return true;
    }
    ArenaMark mark = arena_mark(p->arena);
    if (!parser_push(p, map_bytes(object->count))) return false;
    arena_back(p->arena, mark);
    Map map = map_make(p->arena, object->count);
    bool ok = true;
    for (const Json *member = object->child; member && ok; member = member->next) {
        if (!map_add(&map, member->key, 0)) ok = refuse_duplicate(p, member->key);
    }
    arena_back(p->arena, mark);
    return ok;
}

static bool parse_container(Parser *p, Json *value, JsonKind kind, char closing) {
    if (p->depth == JSON_DEPTH_MAX) {
        return error_set(p->err, ERROR_LIMIT, "JSON: byte %zu: nested deeper than %d", p->at,
                         (int)JSON_DEPTH_MAX);
    }
    p->at++;
    p->depth++;
    value->kind = kind;
    if (!parse_children(p, value, closing)) return false;
    p->depth--;
    return kind == JSON_ARRAY || check_keys(p, value);
}

static bool parse_value(Parser *p, Json *value) {
    skip_space(p);
    switch (peek(p)) {
    case '{': return parse_container(p, value, JSON_OBJECT, '}');
    case '[': return parse_container(p, value, JSON_ARRAY, ']');
    case '"': value->kind = JSON_STRING; return parse_string(p, &value->string);
    case 't':
        value->kind = JSON_BOOL;
        value->boolean = true;
        return take_word(p, STR("true"));
    case 'f': value->kind = JSON_BOOL; return take_word(p, STR("false"));
    case 'n': return take_word(p, STR("null"));
    case -1: return refuse(p, "the text ends where a value was expected");
    default: return parse_number(p, value);
    }
}

Json *json_parse(Arena *arena, Str text, size_t limit, Error *err) {
    if (text.n > limit) {
        error_set(err, ERROR_LIMIT, "JSON: %zu bytes, limit %zu", text.n, limit);
        return NULL;
    }
    Parser p = {.arena = arena, .text = text, .err = err};
    Json *root = parser_push(&p, sizeof *root);
    if (!root) return NULL;
    *root = (Json){.kind = JSON_NULL};
    if (!parse_value(&p, root)) return NULL;
    skip_space(&p);
    if (p.at != text.n) {
        refuse(&p, "more text after the value");
        return NULL;
    }
    return root;
}

// ---- looks ----------------------------------------------------------------------------------

const Json *json_get(const Json *object, const char *key) {
    if (!object || object->kind != JSON_OBJECT) return NULL;
    Str wanted = str_from(key);
    for (const Json *member = object->child; member; member = member->next) {
        if (str_equal(member->key, wanted)) return member;
    }
    return NULL;
}

const Json *json_at(const Json *array, int64_t index) {
    if (!array || array->kind != JSON_ARRAY || index < 0) return NULL;
    const Json *element = array->child;
    while (element && index-- > 0) element = element->next;
    return element;
}

Str json_string(const Json *value, Str otherwise) {
    return value && value->kind == JSON_STRING ? value->string : otherwise;
}

int64_t json_integer(const Json *value, int64_t otherwise) {
    return value && value->kind == JSON_NUMBER && value->is_integer ? value->integer : otherwise;
}

double json_number(const Json *value, double otherwise) {
    return value && value->kind == JSON_NUMBER ? value->number : otherwise;
}

bool json_bool(const Json *value, bool otherwise) {
    return value && value->kind == JSON_BOOL ? value->boolean : otherwise;
}
