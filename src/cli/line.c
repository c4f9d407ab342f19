// line.c - one line at a time, edited with libedit where there is a terminal and the library.
//
// A terminal gives no sign of pasting, but a paste is faster than any hand: more input that is
// there at the moment when a line ends belongs to the same message.
#include "cli/line.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef HEED_LIBEDIT
#include <histedit.h>
#endif

enum { HISTORY_LINES = 500, PASTE_MS = 30 };

struct LineReader {
    bool is_terminal;
    bool goes_on; // the line that is read now belongs to the message before it
#ifdef HEED_LIBEDIT
    EditLine *editor; // NULL: lines are not edited
    History *history;
    bool is_interrupted;
#endif
};

static const char *prompt_text(const LineReader *r) {
    return r->goes_on ? ". " : "> ";
}

// ---------------------------------------------------------------- without editing
// The rest of a line without its newline is added; false at the end of input.
static LineEnd read_plain(LineReader *r, StrBuilder *line) {
    if (r->is_terminal) {
        fputs(prompt_text(r), stdout);
        fflush(stdout);
    }
    size_t begin = line->n;
    for (int c; (c = getc(stdin)) != '\n';) {
        if (c == EOF) {
            bool was_interrupted = ferror(stdin) && errno == EINTR;
            clearerr(stdin);
            if (r->is_terminal) printf("\n");
            if (was_interrupted) return LINE_INTERRUPTED;
            return line->n > begin ? LINE_READ : LINE_OVER;
        }
        if (line->n >= LINE_BYTES_MAX) return LINE_TOO_LONG;
        str_add_byte(line, (char)c);
    }
    return LINE_READ;
}

// ---------------------------------------------------------------- with libedit
#ifdef HEED_LIBEDIT
static LineReader *reader_of(EditLine *editor) {
    void *reader = NULL;
    el_get(editor, EL_CLIENTDATA, &reader);
    return reader;
}

static char *prompt(EditLine *editor) {
    static char text[8]; // libedit wants one that is not const
    snprintf(text, sizeof text, "%s", prompt_text(reader_of(editor)));
    return text;
}

// Ctrl-C is a key while a line is edited: a signal would leave the terminal as it is.
static unsigned char interrupt(EditLine *editor, int key) {
    (void)key;
    reader_of(editor)->is_interrupted = true;
    return CC_EOF;
}

// Editing needs to know how the terminal writes characters; without a hint it is UTF-8.
static void choose_locale(void) {
    if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
        if (!setlocale(LC_CTYPE, "C.UTF-8")) setlocale(LC_CTYPE, "en_US.UTF-8");
}

// Without the terminal's means to shift the rest of a line, libedit draws it anew: its shifting
// goes wrong where double-width characters meet the edge.
static void forget_shifting(EditLine *editor) {
    static const char *const means[] = {"ic", "IC", "im", "ei", "dc", "DC", "dm", "ed"};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        el_set(editor, EL_SETTC, means[i], "", NULL);
}

static void open_editor(LineReader *r) {
    HistEvent event;
    choose_locale();
    r->editor = el_init("heed", stdin, stdout, stderr);
    if (!r->editor) return;
    r->history = history_init();
    if (r->history) {
        history(r->history, &event, H_SETSIZE, HISTORY_LINES);
        history(r->history, &event, H_SETUNIQUE, 1);
        el_set(r->editor, EL_HIST, history, r->history);
    }
    el_set(r->editor, EL_CLIENTDATA, r);
    el_set(r->editor, EL_PROMPT, prompt);
    el_set(r->editor, EL_EDITOR, "emacs");
    el_set(r->editor, EL_ADDFN, "heed-interrupt", "forgets the line", interrupt);
    el_set(r->editor, EL_BIND, "^C", "heed-interrupt", NULL);
    el_set(r->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(r->editor, EL_SETTY, "-d", "-isig", NULL);
    forget_shifting(r->editor);
}

static LineEnd read_edited(LineReader *r, StrBuilder *line) {
    int n = 0;
    r->is_interrupted = false;
    const char *text = el_gets(r->editor, &n);
    if (r->is_interrupted) printf("^C\n");
    if (r->is_interrupted) return LINE_INTERRUPTED;
    if (!text || n <= 0) {
        printf("\n");
        return LINE_OVER;
    }
    if (line->n + (size_t)n > LINE_BYTES_MAX) return LINE_TOO_LONG;
    HistEvent event;
    if (r->history && n > 1) history(r->history, &event, H_ENTER, text);
    if (text[n - 1] == '\n') n--;
    str_add(line, (Str){text, (size_t)n});
    return LINE_READ;
}
#endif

// ---------------------------------------------------------------- messages
LineReader *line_open(Arena *arena, bool is_terminal) {
    LineReader *r = arena_new(arena, LineReader, 1);
    r->is_terminal = is_terminal;
#ifdef HEED_LIBEDIT
    if (is_terminal) open_editor(r);
#endif
    return r;
}

void line_close(LineReader *reader) {
    if (!reader) return;
#ifdef HEED_LIBEDIT
    if (reader->history) history_end(reader->history);
    if (reader->editor) el_end(reader->editor);
#endif
}

static LineEnd read_line(LineReader *r, StrBuilder *line) {
#ifdef HEED_LIBEDIT
    if (r->editor) return read_edited(r, line);
#endif
    return read_plain(r, line);
}

static bool more_is_there(void) {
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&in, 1, PASTE_MS) > 0 && (in.revents & POLLIN);
}

LineEnd line_read(LineReader *r, Arena *arena, Str *text) {
    StrBuilder message = str_builder(arena);
    LineEnd end;
    r->goes_on = false;
    while ((end = read_line(r, &message)) == LINE_READ) {
        if (!r->is_terminal) break;
        bool is_continued = message.n > 0 && message.data[message.n - 1] == '\\';
        if (is_continued) message.n--;
        bool is_command = message.n > 0 && message.data[0] == '/';
        if (!is_continued && (is_command || !more_is_there())) break;
        str_add_byte(&message, '\n');
        r->goes_on = true;
    }
    // Input that ends in the middle of a message still gives what came before.
    if (end == LINE_OVER && message.n > 0) end = LINE_READ;
    *text = str_trim(str_built(&message));
    return end;
}
