// edit.c - heed edit: one fact in a model changed, and what else changed with it.
#include <string.h>
#include <unistd.h>

#include "base/term.h"
#include "cli/edit_set.h"
#include "cli/saving.h"
#include "cli/screen.h"
#include "export/export.h"
#include "model/weights.h"

typedef struct EditCommand {
    Setup setup;
    Editing editing;
    const char *prompt, *subject, *answer, *target, *type, *set;
    int64_t layer, limit;
    bool has_layer, has_limit, force, as_json, every_layer;
    TextList asked;
    // made from them
    FactText text;
    FactText *other; // (n_texts) the prompt, and what else is asked
    FactSaid *before, *after;
    int n_texts;
    ExportOptions options;
    Edit edit;
    Progress progress;
} EditCommand;

// ---------------------------------------------------------------- what the model says
static bool ask_all(EditCommand *c, FactSaid *said, Error *err) {
    Setup *s = &c->setup;
    for (int i = 0; i < c->n_texts; i++) {
        Fact fact;
        if (!fact_read(s->model, &s->arena, c->other[i], &fact, err) ||
            !fact_ask(&c->editing.run, s->model, &fact, &said[i], err))
            return false;
    }
    return true;
}

// The prompt, then what --ask names, each with the new answer behind it.
static void gather(EditCommand *c) {
    Arena *arena = &c->setup.arena;
    c->n_texts = 1 + c->asked.n;
    c->other = arena_new(arena, FactText, c->n_texts);
    c->before = arena_new(arena, FactSaid, c->n_texts);
    c->after = arena_new(arena, FactSaid, c->n_texts);
    for (int i = 0; i < c->n_texts; i++) {
        Str prompt = str_from(i ? c->asked.text[i - 1] : c->prompt);
        c->other[i] =
            (FactText){.prompt = prompt, .answer = fact_answer(arena, prompt, str_from(c->answer))};
    }
    c->other[0].subject = str_from(c->subject);
    c->text = c->other[0];
}

// ---------------------------------------------------------------- telling
static Str token_words(EditCommand *c, int32_t id) {
    const Tokenizer *t = c->setup.model->tokenizer;
    return screen_visible(&c->setup.arena, str_trim(tokenizer_piece(t, id, true)));
}

static const char *tensor_type(const EditCommand *c) {
    const Tensor *down = &c->setup.model->layer[c->edit.spec.layer].channel.down;
    return dtype_name(c->options.has_adapted_type ? c->options.adapted_type : down->dtype);
}

static void print_person(EditCommand *c) {
    Arena *arena = &c->setup.arena;
    StrBuilder out = str_builder(arena);
    int columns = term_columns(STDOUT_FILENO, 100);
    for (int i = 0; i < c->n_texts; i++) {
        const FactSaid *b = &c->before[i], *a = &c->after[i];
        screen_wrap(&out, screen_visible(arena, c->other[i].prompt), 0, 4, columns);
        Str line =
            str_printf(arena,
                       "\"%.*s\" %.2f%%, was %.2f%%; likeliest \"%.*s\" %.1f%%, was \"%.*s\" "
                       "%.1f%%",
                       STR_ARG(screen_visible(arena, c->other[i].answer)), 100 * a->answer,
                       100 * b->answer, STR_ARG(token_words(c, a->likeliest)), 100 * a->likeliest_p,
                       STR_ARG(token_words(c, b->likeliest)), 100 * b->likeliest_p);
        str_add_c(&out, "    ");
        screen_wrap(&out, line, 4, 4, columns);
    }
    Str words = str_printf(
        arena,
        "Layer %d%s, %lld steps; what is added answers the fact's key with %.1f times what the "
        "layer said.",
        c->edit.spec.layer, c->has_layer ? "" : " (by tracing)", (long long)c->edit.step,
        edit_relative_size(&c->edit));
    str_add_byte(&out, '\n');
    screen_wrap(&out, words, 0, 0, columns);
    if (c->target)
        screen_wrap(&out,
                    str_printf(arena,
                               "%s has blk.%d.ffn_down.weight anew, as %s, and all else as it was.",
                               c->target, c->edit.spec.layer, tensor_type(c)),
                    0, 0, columns);
    printf("%.*s", STR_ARG(out));
}

static void put_said(EditCommand *c, JsonWriter *w, const char *key, const FactSaid *said) {
    json_key(w, key);
    json_begin_object(w);
    json_key(w, "answer");
    json_put_number(w, said->answer);
    json_key(w, "likeliest");
    json_begin_object(w);
    json_key(w, "id");
    json_put_integer(w, said->likeliest);
    cli_json_piece(w, tokenizer_piece(c->setup.model->tokenizer, said->likeliest, true));
    json_key(w, "probability");
    json_put_number(w, said->likeliest_p);
    json_end_object(w);
    json_end_object(w);
}

static void print_json(EditCommand *c) {
    StrBuilder out = str_builder(&c->setup.arena);
    JsonWriter writer = json_writer(&out, 0), *w = &writer;
    json_begin_object(w);
    json_key(w, "layer");
    json_put_integer(w, c->edit.spec.layer);
    json_key(w, "steps");
    json_put_integer(w, c->edit.step);
    json_key(w, "relative_size");
    json_put_number(w, edit_relative_size(&c->edit));
    json_key(w, "target");
    if (c->target)
        json_put_string(w, str_from(c->target));
    else
        json_put_null(w);
    json_key(w, "type");
    json_put_string(w, str_from(tensor_type(c)));
    json_key(w, "prompts");
    json_begin_array(w);
    for (int i = 0; i < c->n_texts; i++) {
        json_begin_object(w);
        json_key(w, "prompt");
        json_put_string(w, c->other[i].prompt);
        json_key(w, "answer");
        json_put_string(w, c->other[i].answer);
        put_said(c, w, "before", &c->before[i]);
        put_said(c, w, "after", &c->after[i]);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
    str_add_byte(&out, '\n');
    fwrite(out.data, 1, out.n, stdout);
}

// ---------------------------------------------------------------- writing
typedef struct Records {
    const EditRecord *record;
    int64_t n;
    Arena *arena;
} Records;

static void put_keys(const void *user, GgufWriter *writer) {
    const Records *r = user;
    edit_records_put(writer, r->arena, r->record, r->n);
}

static bool keep_going(void *user, int64_t done, int64_t total) {
    EditCommand *c = user;
    (void)total;
    progress_at(&c->progress, done, "");
    return cli_keep_going(NULL);
}

static bool write_model(EditCommand *c, Error *err) {
    Setup *s = &c->setup;
    const EditRecord *old;
    int64_t n;
    if (!edit_records_read(s->model, &s->arena, &old, &n, err)) return false;
    EditRecord *all = arena_new(&s->arena, EditRecord, n + 1);
    for (int64_t i = 0; i < n; i++) all[i] = old[i];
    all[n] = (EditRecord){c->edit.spec.layer, c->text.prompt, c->text.subject, c->text.answer};
    Records records = {all, n + 1, &s->arena};
    ExportExtra extra = {.put_keys = put_keys, .user = &records};
    c->options.extra = &extra;
    c->options.pool = s->pool;
    c->options.go_on = keep_going;
    c->options.user = c;
    c->progress = progress_begin("writing", "values", weights_count(s->model).total);
    bool ok = model_save_gguf(s->model, c->target, c->options, err);
    progress_end(&c->progress);
    return ok;
}

// ---------------------------------------------------------------- one fact
static bool choose_layer(EditCommand *c, int *layer, Error *err) {
    const Config *config = &c->setup.model->config;
    float *effect = arena_new(&c->setup.arena, float, config->layers);
    *layer = (int)c->layer;
    if (c->has_layer || !keys_check(c->setup.model, 0, err)) return c->has_layer;
    FactText old = c->text; // what the model would say now is what is looked for
    Fact fact;
    FactSaid said;
    if (!fact_read(c->setup.model, &c->setup.arena, old, &fact, err) ||
        !fact_ask(&c->editing.run, c->setup.model, &fact, &said, err))
        return false;
    old.answer = tokenizer_piece(c->setup.model->tokenizer, said.likeliest, true);
    if (!editing_trace(&c->editing, &old, effect, err)) return false;
    *layer = editing_largest(&c->editing, effect);
    return true;
}

static bool edit_one(EditCommand *c, Error *err) {
    int layer;
    gather(c);
    if (!editing_open(&c->editing, err) || !choose_layer(c, &layer, err) ||
        !keys_check(c->setup.model, layer, err) || !ask_all(c, c->before, err) ||
        !editing_layer(&c->editing, layer, err) ||
        !editing_apply(&c->editing, &c->text, &c->edit, err))
        return false;
    if (!ask_all(c, c->after, err) || (c->target && !write_model(c, err))) return false;
    if (c->as_json)
        print_json(c);
    else
        print_person(c);
    return true;
}

// ---------------------------------------------------------------- command
static bool check_options(EditCommand *c, const Positionals *rest, Error *err) {
    if (rest->n != 1) return error_set(err, ERROR_USAGE, "give one MODEL");
    if (c->setup.lora)
        return error_set(err, ERROR_USAGE,
                         "--lora: an adapter lies where an edit would: make it a part of the model "
                         "first (heed convert --lora)");
    if (c->set && (c->prompt || c->subject || c->answer || c->target || c->type || c->asked.n))
        return error_set(err, ERROR_USAGE,
                         "--set edits in memory alone: leave -p, --subject, --new, --ask, --type "
                         "and -o");
    if (!c->set && (c->every_layer || c->has_limit))
        return error_set(err, ERROR_USAGE, "--every-layer and --limit are for --set");
    if (c->every_layer && c->has_layer)
        return error_set(err, ERROR_USAGE, "give --layer or --every-layer, not both");
    if (c->set) return true;
    if (!c->prompt || !c->subject || !*c->subject || !c->answer)
        return error_set(err, ERROR_USAGE, "give --prompt, --subject and --new, or --set");
    c->options.has_adapted_type = true;
    c->options.adapted_type = DTYPE_F32;
    if (!c->type) return true;
    if (strcmp(c->type, "same") == 0) {
        c->options.has_adapted_type = false;
        return true;
    }
    return dtype_from_name(c->type, &c->options.adapted_type) ||
           error_set(err, ERROR_USAGE, "--type: no such type: '%s'", c->type);
}

static bool edit(EditCommand *c, const Positionals *rest, Error *err) {
    Setup *s = &c->setup;
    if (!check_options(c, rest, err) || !setup_open(s, rest->text[0], err)) return false;
    if (c->target && !saving_check_target(s, c->target, c->force, err)) return false;
    if (c->target && !model_check_gguf(s->model, c->options, err)) return false;
    if (!setup_pack(s, err)) return false;
    cli_catch_interrupt();
    if (!c->set) return edit_one(c, err);
    return edit_set(&c->editing,
                    (EditSetSpec){.path = c->set,
                                  .layer = c->has_layer ? (int)c->layer : -1,
                                  .every_layer = c->every_layer,
                                  .limit = c->has_limit ? c->limit : 0,
                                  .as_json = c->as_json},
                    err);
}

static int run(int argc, char **argv) {
    static EditCommand c; // its tables are large
    Option setup[SETUP_OPTIONS], editing[EDITING_OPTIONS];
    const Option own[] = {
        {"--prompt", 'p', OPTION_TEXT, &c.prompt, "TEXT", "a text that breaks off before the fact"},
        {"--subject", 0, OPTION_TEXT, &c.subject, "TEXT", "whom it is about: a part of the prompt"},
        {"--new", 0, OPTION_TEXT, &c.answer, "TEXT", "what is to go on with it from now on"},
        {"--output", 'o', OPTION_TEXT, &c.target, "FILE",
         "write the edited model as a GGUF (default: only show what would change)"},
        {"--type", 0, OPTION_TEXT, &c.type, "TYPE",
         "of the edited matrix in it: f32 (default), f16, ..., or same: the type it had"},
        {"--force", 0, OPTION_FLAG, &c.force, NULL, "replace a file that is there"},
        {"--layer", 'l', OPTION_INT, &c.layer, "L",
         "whose feed-forward is edited (default: that which brings the fact back most)", 0, 1 << 20,
         &c.has_layer},
        {"--ask", 0, OPTION_TEXTS, &c.asked, "TEXT",
         "show before and after what goes on with this; may be given again"},
        {"--set", 0, OPTION_TEXT, &c.set, "FILE",
         "score a set of edits (docs/world.md), each undone; world: the mini-world's own"},
        {"--limit", 0, OPTION_INT, &c.limit, "N", "of a set, the first N", 1, 1e6, &c.has_limit},
        {"--every-layer", 0, OPTION_FLAG, &c.every_layer, NULL, "score the set in each layer"},
        {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print JSON (docs/json.md)"},
        {0}};
    const Option *const tables[] = {own, editing_options(&c.editing, &c.setup, editing),
                                    setup_model_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_edit, tables, argc, argv, &rest, &code)) return code;
    bool ok = edit(&c, &rest, &err);
    editing_close(&c.editing);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_edit, &err);
}

const Command command_edit = {
    "edit", "MODEL -p TEXT --subject TEXT --new TEXT [-o FILE]",
    "change one fact in a model (a rank-one edit), or score a set of such", run};
