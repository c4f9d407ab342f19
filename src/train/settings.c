// settings.c - the table of settings, and text to and from it.
#include "train/settings.h"

#include <string.h>

static const Setting table[] = {
#define X(field, kind, least, most, otherwise, argument, help) \
    {#field,                                                   \
     SETTING_##kind,                                           \
     offsetof(Settings, field),                                \
     (double)(least),                                          \
     (double)(most),                                           \
     (double)(otherwise),                                      \
     argument,                                                 \
     help},
    SETTINGS(X)
#undef X
};
enum { N_SETTINGS = sizeof table / sizeof *table };

const Setting *settings_all(int *n) {
    *n = N_SETTINGS;
    return table;
}

static bool is_same_name(const char *name, Str typed) {
    if (strlen(name) != typed.n) return false;
    for (size_t i = 0; i < typed.n; i++)
        if (name[i] != typed.data[i] && !(name[i] == '_' && typed.data[i] == '-')) return false;
    return true;
}

const Setting *settings_find(Str name) {
    for (int i = 0; i < N_SETTINGS; i++)
        if (is_same_name(table[i].name, name)) return &table[i];
    return NULL;
}

// ---------------------------------------------------------------- values
static void *place(const Settings *s, const Setting *setting) {
    return (char *)(uintptr_t)s + setting->at;
}

static double number_of(const Settings *s, const Setting *setting) {
    const void *at = place(s, setting);
    switch (setting->kind) {
    case SETTING_INT: return (double)*(const int64_t *)at;
    case SETTING_NUMBER: return *(const double *)at;
    case SETTING_FLAG: return *(const bool *)at;
    case SETTING_WORD: return *(const int *)at;
    case SETTING_TEXT: return *(const char *)at != 0; // empty, or not
    }
    return 0;
}

static void put_number(Settings *s, const Setting *setting, double value) {
    void *at = place(s, setting);
    switch (setting->kind) {
    case SETTING_INT: *(int64_t *)at = (int64_t)value; break;
    case SETTING_NUMBER: *(double *)at = value; break;
    case SETTING_FLAG: *(bool *)at = value != 0; break;
    case SETTING_WORD: *(int *)at = (int)value; break;
    case SETTING_TEXT: memset(at, 0, sizeof(SettingText)); break;
    }
}

Settings settings_default(void) {
    Settings s = {0};
    for (int i = 0; i < N_SETTINGS; i++) put_number(&s, &table[i], table[i].otherwise);
    return s;
}

// Word i of "adamw|muon"; empty: there are fewer.
static Str word_at(const char *words, int i) {
    Str all = str_from(words);
    for (;; i--) {
        size_t bar = str_find(all, STR("|"), 0), end = bar < all.n ? bar : all.n;
        if (i == 0) return str_slice(all, 0, end);
        if (end == all.n) return STR("");
        all = str_slice(all, end + 1, all.n);
    }
}

static bool set_word(Settings *s, const Setting *setting, Str value, Error *err) {
    for (int i = 0; word_at(setting->argument, i).n; i++) {
        if (!str_equal(word_at(setting->argument, i), value)) continue;
        put_number(s, setting, i);
        return true;
    }
    return error_set(err, ERROR_USAGE, "%s: '%.*s' is none of %s", setting->name,
                     (int)(value.n < 40 ? value.n : 40), value.data, setting->argument);
}

static bool set_flag(Settings *s, const Setting *setting, Str value, Error *err) {
    bool is_on = str_equal(value, STR("true")) || str_equal(value, STR("1"));
    bool is_off = str_equal(value, STR("false")) || str_equal(value, STR("0"));
    if (!is_on && !is_off)
        return error_set(err, ERROR_USAGE, "%s: must be true or false", setting->name);
    put_number(s, setting, is_on);
    return true;
}

static bool set_text(Settings *s, const Setting *setting, Str value, Error *err) {
    SettingText *text = place(s, setting);
    if (value.n >= sizeof text->c || memchr(value.data, '\n', value.n))
        return error_set(err, ERROR_USAGE, "%s: at most %d bytes in one line", setting->name,
                         SETTING_TEXT_BYTES - 1);
    memset(text, 0, sizeof *text);
    memcpy(text->c, value.data, value.n);
    return true;
}

bool settings_set(Settings *s, const Setting *setting, Str value, Error *err) {
    if (setting->kind == SETTING_WORD) return set_word(s, setting, value, err);
    if (setting->kind == SETTING_FLAG) return set_flag(s, setting, value, err);
    if (setting->kind == SETTING_TEXT) return set_text(s, setting, value, err);
    bool is_int = setting->kind == SETTING_INT;
    int64_t whole = 0;
    double number = 0;
    bool is_number = is_int ? str_int(value, &whole) : str_number(value, &number);
    if (is_int) number = (double)whole;
    if (!is_number || !(number >= setting->least && number <= setting->most))
        return error_set(err, ERROR_USAGE, "%s: must be a %snumber from %.15g to %.15g, not '%.*s'",
                         setting->name, is_int ? "whole " : "", setting->least, setting->most,
                         (int)(value.n < 40 ? value.n : 40), value.data);
    if (is_int)
        *(int64_t *)place(s, setting) = whole;
    else
        put_number(s, setting, number);
    return true;
}

Str setting_text(const Settings *s, const Setting *setting, Arena *arena) {
    if (setting->kind == SETTING_WORD)
        return word_at(setting->argument, *(const int *)place(s, setting));
    if (setting->kind == SETTING_TEXT) return str_from(place(s, setting));
    if (setting->kind == SETTING_FLAG)
        return *(const bool *)place(s, setting) ? STR("true") : STR("false");
    if (setting->kind == SETTING_INT)
        return str_printf(arena, "%lld", (long long)*(const int64_t *)place(s, setting));
    return str_printf(arena, "%.17g", number_of(s, setting));
}

// ---------------------------------------------------------------- lines
static bool read_line(Settings *s, Str line, Error *err) {
    size_t equals = str_find(line, STR("="), 0);
    if (equals >= line.n) return error_set(err, ERROR_USAGE, "want 'key = value'");
    Str key = str_trim(str_slice(line, 0, equals));
    const Setting *setting = settings_find(key);
    if (!setting)
        return error_set(err, ERROR_USAGE, "no setting is called '%.*s'",
                         (int)(key.n < 40 ? key.n : 40), key.data);
    return settings_set(s, setting, str_trim(str_slice(line, equals + 1, line.n)), err);
}

bool settings_read(Settings *s, Str text, const char *file, Error *err) {
    int number = 0;
    for (size_t from = 0; from < text.n;) {
        size_t end = str_find(text, STR("\n"), from), to = end < text.n ? end : text.n;
        Str line = str_slice(text, from, to);
        line = str_trim(str_slice(line, 0, str_find(line, STR("#"), 0)));
        from = to + 1;
        number++;
        if (line.n && !read_line(s, line, err)) return error_wrap(err, "%s: line %d", file, number);
    }
    return true;
}

void settings_write(const Settings *s, StrBuilder *out, bool all) {
    for (int i = 0; i < N_SETTINGS; i++) {
        const Setting *setting = &table[i];
        if (!all && number_of(s, setting) == setting->otherwise) continue;
        Str value = setting_text(s, setting, out->arena);
        str_add_format(out, "%s = %.*s\n", setting->name, STR_ARG(value));
    }
}

// ---------------------------------------------------------------- presets
static const struct {
    const char *name, *lines;
} presets[] = {
    // Radford et al. 2019, the smallest of the four
    {"gpt2-124m", "arch = gpt2\nlayers = 12\nwidth = 768\nheads = 12\ncontext = 1024\n"
                  "vocab = 50257\nbatch = 4\nrate = 0.0006\n"},
    // the two settings for tiny shakespeare that nanoGPT made known
    {"shakespeare-char", "arch = gpt2\ntokenizer = char\nlayers = 6\nwidth = 384\nheads = 6\n"
                         "context = 256\nbatch = 64\nsteps = 5000\nrate = 0.001\nbeta2 = 0.99\n"
                         "dropout = 0.2\nwarmup = 100\nvalidation_share = 0.1\n"},
    {"shakespeare-cpu", "arch = gpt2\ntokenizer = char\nlayers = 4\nwidth = 128\nheads = 4\n"
                        "context = 64\nbatch = 12\nsteps = 2000\nrate = 0.001\nbeta2 = 0.99\n"
                        "warmup = 100\nvalidation_share = 0.1\n"}};
enum { N_PRESETS = sizeof presets / sizeof *presets };

Str settings_preset(Str name) {
    for (int i = 0; i < N_PRESETS; i++)
        if (str_equal(name, str_from(presets[i].name))) return str_from(presets[i].lines);
    return STR("");
}

const char *settings_preset_name(int i) {
    return i < N_PRESETS ? presets[i].name : NULL;
}
