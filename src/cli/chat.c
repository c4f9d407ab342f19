// chat.c - heed chat: a conversation in the model's own layout.
//
// Each turn the whole conversation is laid out anew by the model's template; the session keeps what
// it has in common with the turn before, so only the new part is computed.
#include <unistd.h>

#include "base/file.h"
#include "base/term.h"
#include "cli/cli.h"
#include "cli/line.h"
#include "cli/screen.h"
#include "generate/chat_tokens.h"
#include "generate/generate.h"

typedef struct ChatCommand {
    Setup setup;
    SamplingSetup sampling;
    const char *system;
    int64_t n_max;
    // made from them
    Session *session;
    ChatTemplate *layout;
    LineReader *reader;
    bool is_terminal; // a person types; else a program
    Arena talk;       // of the conversation
    ChatMessage message[CHAT_MESSAGES_MAX];
    int64_t n, n_turns;
} ChatCommand;

static const char help[] = "/help         this text\n"
                           "/reset        begin anew\n"
                           "/system TEXT  begin anew, told TEXT\n"
                           "/save FILE    write all as JSON\n"
                           "//TEXT        say /TEXT\n"
                           "\\ at the end   go on in the next line\n"
                           "Ctrl-C stops an answer, Ctrl-D ends.\n";

// ---------------------------------------------------------------- conversation
static void add_message(ChatCommand *c, const char *role, Str content) {
    c->message[c->n++] = (ChatMessage){str_from(role), str_copy(&c->talk, content)};
}

static void begin_anew(ChatCommand *c, Str system) {
    Str kept = str_copy(&c->setup.arena, system); // it may lie in the memory that is given up
    arena_back(&c->talk, (ArenaMark){0});
    c->n = 0;
    if (kept.n) add_message(c, "system", kept);
}

static Str system_text(const ChatCommand *c) {
    bool has_system = c->n > 0 && str_equal(c->message[0].role, STR("system"));
    return has_system ? c->message[0].content : STR("");
}

static bool save(ChatCommand *c, const char *path, Error *err) {
    StrBuilder out = str_builder(&c->setup.arena);
    JsonWriter w = json_writer(&out, 2);
    json_begin_object(&w);
    json_key(&w, "model");
    json_put_string(&w, c->setup.model->name);
    json_key(&w, "messages");
    json_begin_array(&w);
    for (int64_t i = 0; i < c->n; i++) {
        json_begin_object(&w);
        json_key(&w, "role");
        json_put_string(&w, c->message[i].role);
        json_key(&w, "content");
        json_put_string(&w, c->message[i].content);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    str_add_byte(&out, '\n');
    FileWriter *file = file_create(path, err);
    if (!file) return false;
    file_write(file, out.data, out.n);
    return file_commit(file, err);
}

// ---------------------------------------------------------------- answering
static bool show(void *user, Str text) {
    (void)user;
    return screen_print(text) && cli_keep_going(NULL);
}

static void say_full(const ChatCommand *c, const char *what) {
    fprintf(stderr,
            "[%s the context of %lld tokens: /reset begins anew; heed chat --ctx N makes room "
            "for more]\n",
            what, (long long)c->session->context);
}

static void tell_end(const ChatCommand *c, const Generated *g) {
    if (g->reason == FINISH_CANCELLED && c->is_terminal) fprintf(stderr, "[stopped]\n");
    if (g->reason != FINISH_LENGTH) return;
    if (g->n == c->n_max)
        fprintf(stderr, "[cut at %lld tokens]\n", (long long)c->n_max);
    else
        say_full(c, "the answer has filled");
}

// The turn after a user's message.  Adds the answer, or takes the message back.
static bool answer(ChatCommand *c, Error *err) {
    const int32_t *ids;
    int64_t n;
    Arena *arena = &c->setup.arena;
    ChatSpec layout = {.layout = c->layout,
                       .tokenizer = c->setup.model->tokenizer,
                       .message = c->message,
                       .n = c->n,
                       .is_reply_next = true};
    if (!chat_tokens(arena, &layout, &ids, &n, err)) return false;
    if (n >= c->session->context) {
        say_full(c, "the conversation does not fit");
        c->n--;
        return true;
    }
    GenerateSpec spec = {.prompt = ids,
                         .n_prompt = n,
                         .tokens_max = c->n_max,
                         .sampling = c->sampling.options,
                         .on_text = show};
    spec.sampling.seed += (uint64_t)c->n_turns++; // each turn its own draws
    Generated g;
    if (!generate(c->session, arena, &spec, &g, err)) return false;
    printf("\n");
    fflush(stdout);
    tell_end(c, &g);
    add_message(c, "assistant", g.text);
    return true;
}

// One message and its answer.  What goes wrong is told and ends nothing while a person types; a
// program's conversation ends there.
static bool take_turn(ChatCommand *c, Str text, Error *err) {
    ArenaMark mark = arena_mark(&c->setup.arena);
    if (c->n + 2 > CHAT_MESSAGES_MAX) {
        fprintf(stderr, "[the conversation has %lld messages: /reset begins anew]\n",
                (long long)c->n);
        return true;
    }
    add_message(c, "user", text);
    bool ok = answer(c, err);
    if (!ok) c->n--;
    arena_back(&c->setup.arena, mark);
    if (!c->is_terminal) {
        if (ok && !cli_keep_going(NULL)) ok = error_set(err, ERROR_CANCELLED, "stopped");
        return ok;
    }
    if (!ok) fprintf(stderr, "[%s]\n", err->kind == ERROR_CANCELLED ? "stopped" : err->text);
    cli_forget_interrupt();
    printf("\n");
    return true;
}

// ---------------------------------------------------------------- commands within
// Is `line` the command `name`?  Its argument, trimmed, into `rest`.
static bool is_command(Str line, const char *name, Str *rest) {
    Str word = str_from(name);
    bool is_it = str_starts(line, word) && (line.n == word.n || line.data[word.n] == ' ');
    if (is_it) *rest = str_trim(str_slice(line, word.n, line.n));
    return is_it;
}

static void obey(ChatCommand *c, Str line) {
    Error err = {0};
    Str rest;
    ArenaMark mark = arena_mark(&c->setup.arena);
    if (is_command(line, "/help", &rest))
        fputs(help, stderr);
    else if (is_command(line, "/reset", &rest))
        begin_anew(c, system_text(c));
    else if (is_command(line, "/system", &rest))
        begin_anew(c, rest);
    else if (!is_command(line, "/save", &rest))
        fprintf(stderr, "[no such command; /help lists them]\n");
    else if (rest.n == 0)
        fprintf(stderr, "[/save FILE: give a file]\n");
    else if (!save(c, str_c(&c->setup.arena, rest), &err))
        fprintf(stderr, "[%s]\n", err.text);
    else
        fprintf(stderr, "[%lld message%s in %.*s]\n", (long long)c->n, c->n == 1 ? "" : "s",
                STR_ARG(rest));
    arena_back(&c->setup.arena, mark);
}

static bool converse(ChatCommand *c, Error *err) {
    ArenaMark mark = arena_mark(&c->setup.arena);
    for (bool goes_on = true; goes_on; arena_back(&c->setup.arena, mark)) {
        Str line;
        LineEnd end = line_read(c->reader, &c->setup.arena, &line);
        if (end == LINE_OVER) return true;
        if (end == LINE_TOO_LONG)
            return error_set(err, ERROR_LIMIT, "a message has more than %d bytes", LINE_BYTES_MAX);
        if (end == LINE_INTERRUPTED && !c->is_terminal)
            return error_set(err, ERROR_CANCELLED, "stopped");
        if (c->is_terminal) cli_forget_interrupt();
        if (end == LINE_INTERRUPTED || line.n == 0) continue;
        if (str_starts(line, STR("//")))
            goes_on = take_turn(c, str_slice(line, 1, line.n), err);
        else if (str_starts(line, STR("/")))
            obey(c, line);
        else
            goes_on = take_turn(c, line, err);
    }
    return false;
}

// ---------------------------------------------------------------- command
static bool open_all(ChatCommand *c, const Positionals *rest, Error *err) {
    if (rest->n != 1) return error_set(err, ERROR_USAGE, "give one MODEL");
    if (!setup_open(&c->setup, rest->text[0], err)) return false;
    const Model *m = c->setup.model;
    if (!m->tokenizer)
        return error_set(err, ERROR_UNSUPPORTED, "%s has no tokenizer", rest->text[0]);
    if (m->chat_template.n == 0)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%s has no chat template: it only goes on with texts (heed run)",
                         rest->text[0]);
    c->layout = chat_template(&c->setup.arena, m->chat_template, err);
    if (!c->layout || !sampling_finish(&c->sampling, &c->setup, err) ||
        !arena_init(&c->talk, ARENA_DEFAULT, err))
        return false;
    c->session = setup_session(&c->setup, NULL, err);
    return c->session != NULL;
}

static bool chat(ChatCommand *c, const Positionals *rest, Error *err) {
    if (!open_all(c, rest, err)) return false;
    c->is_terminal = term_is_terminal(STDIN_FILENO) && term_is_terminal(STDOUT_FILENO);
    c->reader = line_open(&c->setup.arena, c->is_terminal);
    begin_anew(c, str_from(c->system ? c->system : ""));
    Str words = sampling_words(&c->sampling, &c->setup.arena);
    Str name = screen_visible(&c->setup.arena, c->setup.model->name);
    fprintf(stderr, "%.*s: %.*s\n", STR_ARG(name), STR_ARG(words));
    if (c->is_terminal) fprintf(stderr, "/help lists commands, Ctrl-D ends.\n\n");
    return converse(c, err);
}

static int run(int argc, char **argv) {
    ChatCommand c = {.n_max = -1};
    Option setup[SETUP_OPTIONS], sampling[SAMPLING_OPTIONS];
    const Option own[] = {
        {"--system", 0, OPTION_TEXT, &c.system, "TEXT", "what the model is told about its part"},
        {"--tokens", 'n', OPTION_INT, &c.n_max, "N",
         "tokens of an answer at most (default: to the end of the context)", 0, 1 << 24},
        {0}};
    const Option *const tables[] = {own, sampling_options(&c.sampling, sampling),
                                    setup_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_chat, tables, argc, argv, &rest, &code)) return code;
    bool ok = chat(&c, &rest, &err);
    line_close(c.reader);
    session_close(c.session);
    arena_drop(&c.talk);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_chat, &err);
}

const Command command_chat = {"chat", "MODEL", "talk with a model, in its own layout", run};
