// attend.c - heed attend: which tokens a head looks at, as a drawing in the terminal, SVG or JSON.
#include <unistd.h>

#include "base/file.h"
#include "base/term.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "look/attention_svg.h"
#include "look/wall.h"

enum { WALL_SIDE_MIN = 4, WALL_SIDE_MAX = 16, WALL_LEFT = 4 }; // columns: of a picture, of numbers
enum { LABEL_COLUMNS = 14, CELL_COLUMNS = 2, LOOK_COLUMNS = 22, LISTED = 3 };

typedef struct AttendCommand {
    Setup setup;
    const char *file, *svg;
    int64_t layer, head;
    bool is_mean, is_all, has_layer, has_head, as_json, as_list, special;
    // made from them
    const int32_t *ids;
    AttentionMap map;
    Wall wall; // with --all, instead of the map
} AttendCommand;

// ---------------------------------------------------------------- for programs
static void print_json(AttendCommand *c) {
    const AttentionMap *map = &c->map;
    StrBuilder out = str_builder(&c->setup.arena);
    JsonWriter w = json_writer(&out, 0);
    json_begin_object(&w);
    json_key(&w, "tokens");
    json_begin_array(&w);
    for (int64_t i = 0; i < map->n; i++) {
        json_begin_object(&w);
        json_key(&w, "id");
        json_put_integer(&w, c->ids[i]);
        cli_json_piece(&w, tokenizer_piece(c->setup.model->tokenizer, c->ids[i], true));
        json_end_object(&w);
    }
    json_end_array(&w);
    json_key(&w, "layer");
    json_put_integer(&w, map->layer);
    json_key(&w, "head");
    if (map->head == ATTENTION_ALL_HEADS)
        json_put_string(&w, STR("mean"));
    else
        json_put_integer(&w, map->head);
    json_key(&w, "weights");
    json_begin_array(&w);
    for (int64_t i = 0; i < map->n; i++) {
        json_begin_array(&w);
        for (int64_t j = 0; j < map->n; j++)
            json_put_number(&w, (double)map->weight[i * map->n + j]);
        json_end_array(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    fwrite(out.data, 1, out.n, stdout);
    printf("\n");
}

static bool write_svg(AttendCommand *c, Error *err) {
    StrBuilder out = str_builder(&c->setup.arena);
    if (c->is_all)
        wall_svg(&out, &c->wall);
    else if (!attention_svg(&out, &c->map, err))
        return false;
    FileWriter *file = file_create(c->svg, err);
    if (!file) return false;
    file_write(file, out.data, out.n);
    return file_commit(file, err);
}

// ---------------------------------------------------------------- for a person
static void print_padded(Str text, int columns) {
    Str cut = term_cut(text, columns);
    printf("%.*s%*s", STR_ARG(cut), columns - term_width(cut), "");
}

static void print_words(Str words, int columns) {
    while (words.n) {
        Str line = term_line(&words, columns);
        printf("%.*s\n", STR_ARG(line));
    }
}

static int label_columns(const AttentionMap *map) {
    int columns = 1;
    for (int64_t i = 0; i < map->n; i++) {
        int width = term_width(map->label[i]);
        columns = width > columns ? width : columns;
    }
    return columns < LABEL_COLUMNS ? columns : LABEL_COLUMNS;
}

// "cat 50%, it 26%": the strongest looks of token i, as many as fit.
static void print_looks(const AttentionMap *map, int64_t i, int n_max, int columns) {
    int64_t column[LISTED];
    int n = attention_strongest(map, i, n_max, column);
    for (int k = 0; k < n; k++) {
        Str label = term_cut(map->label[column[k]], LABEL_COLUMNS);
        double percent = 100 * (double)map->weight[i * map->n + column[k]];
        int width = term_width(label) + 5 + (k > 0 ? 2 : 0);
        if (k > 0 && (width > columns || percent < 0.5)) return;
        printf("%s%.*s %.0f%%", k > 0 ? ", " : "", STR_ARG(label), percent);
        columns -= width;
    }
}

static void print_list(const AttentionMap *map, int columns) {
    int labels = label_columns(map);
    for (int64_t i = 0; i < map->n; i++) {
        printf("%4lld ", (long long)i);
        print_padded(map->label[i], labels);
        printf(" \xe2\x86\x92 ");
        print_looks(map, i, LISTED, columns - labels - 8);
        printf("\n");
    }
}

// The number of each column, two wide: its tens where they begin, above its units.
static void print_column_numbers(int64_t n, int indent) {
    if (n > 10) {
        printf("%*s", indent, "");
        for (int64_t j = 10; j < n; j += 10)
            printf("%*s%2lld", j == 10 ? 20 : 18, "", (long long)j / 10 % 100);
        printf("\n");
    }
    printf("%*s", indent, "");
    for (int64_t j = 0; j < n; j++) printf("%2lld", (long long)j % 10);
    printf("\n");
}

static void print_matrix(const AttentionMap *map, int columns) {
    int labels = label_columns(map), matrix = (int)map->n * CELL_COLUMNS;
    int left = columns - 5 - labels - 1 - matrix - 4;
    print_column_numbers(map->n, 5 + labels + 1);
    for (int64_t i = 0; i < map->n; i++) {
        printf("%4lld ", (long long)i);
        print_padded(map->label[i], labels);
        printf(" ");
        for (int64_t j = 0; j < map->n; j++) {
            double weight = (double)map->weight[i * map->n + j];
            printf("%s", weight > 0 || j <= i ? screen_shade(weight) : "  ");
        }
        if (left >= LOOK_COLUMNS) {
            printf("  \xe2\x86\x92 ");
            print_looks(map, i, 1, left);
        }
        printf("\n");
    }
    printf("\n");
    print_words(STR("row looks at column: \xc2\xb7 under 3%, \xe2\x96\x91 3, \xe2\x96\x92 15, "
                    "\xe2\x96\x93 40, \xe2\x96\x88 75% and more"),
                columns);
}

static void print_person(AttendCommand *c) {
    const AttentionMap *map = &c->map;
    int columns = term_columns(STDOUT_FILENO, 100);
    Str title = attention_title(map, &c->setup.arena);
    print_words(str_printf(&c->setup.arena, "%.*s of %.*s", STR_ARG(title),
                           STR_ARG(screen_visible(&c->setup.arena, map->model))),
                columns);
    printf("\n");
    bool fits = 5 + label_columns(map) + 1 + map->n * CELL_COLUMNS <= columns;
    if (fits && !c->as_list)
        print_matrix(map, columns);
    else
        print_list(map, columns);
    print_words(attention_words(map, &c->setup.arena), columns);
}

// ---------------------------------------------------------------- all heads
// Two lines of pixels in one of text: a pixel is there from a fifth of a token's look on.
static void print_half_blocks(const float *upper, const float *lower, int side) {
    static const char *const blocks[] = {" ", "\xe2\x96\x84", "\xe2\x96\x80", "\xe2\x96\x88"};
    for (int x = 0; x < side; x++)
        printf("%s", blocks[2 * (upper[x] >= 0.2f) + (lower && lower[x] >= 0.2f)]);
}

// Heads from .. to-1 of a layer, side by side.
static void print_pictures(const Wall *wall, int layer, int from, int to, int side) {
    float pixel[WALL_SIDE_MAX * WALL_SIDE_MAX];
    for (int y = 0; y < side; y += 2) {
        printf(y == 0 && from == 0 ? "%3d " : "    ", layer);
        for (int h = from; h < to; h++) {
            wall_picture(wall, layer, h, side, pixel);
            print_half_blocks(pixel + y * side, y + 1 < side ? pixel + (y + 1) * side : NULL, side);
            printf(h + 1 < to ? " " : "\n");
        }
    }
}

// The largest pictures with which all heads stand side by side; else the smallest, in several rows.
static void print_wall(AttendCommand *c) {
    const Wall *wall = &c->wall;
    int columns = term_columns(STDOUT_FILENO, 100);
    int side = wall->n < WALL_SIDE_MAX ? (int)wall->n : WALL_SIDE_MAX;
    while (side > WALL_SIDE_MIN && WALL_LEFT + wall->heads * (side + 1) > columns) side--;
    int across = (columns - WALL_LEFT) / (side + 1);
    across = across < 1 ? 1 : across > wall->heads ? wall->heads : across;
    print_words(str_printf(&c->setup.arena, "All heads of %.*s: layers down, heads across",
                           STR_ARG(screen_visible(&c->setup.arena, wall->model))),
                columns);
    printf("\n%*s", WALL_LEFT, "");
    for (int h = 0; h < across; h++) printf("%-*d", side + 1, h);
    printf("\n");
    for (int l = 0; l < wall->layers; l++) {
        for (int h = 0; wall->pattern[l] && h < wall->heads; h += across)
            print_pictures(wall, l, h, h + across < wall->heads ? h + across : wall->heads, side);
        if (!wall->pattern[l]) printf("%3d no attention\n", l);
        printf("\n");
    }
    print_words(wall_words(wall, &c->setup.arena), columns);
}

// ---------------------------------------------------------------- command
static bool check_options(const AttendCommand *c, Error *err) {
    if (c->is_mean && c->has_head)
        return error_set(err, ERROR_USAGE, "give --head or --mean, not both");
    if (c->svg && c->as_json && str_equal(str_from(c->svg), STR("-")))
        return error_set(err, ERROR_USAGE, "give --json or --svg -, not both");
    if (c->is_all && (c->is_mean || c->has_head || c->has_layer || c->as_list || c->as_json))
        return error_set(err, ERROR_USAGE, "--all draws: only --svg goes with it");
    return true;
}

static bool attend(AttendCommand *c, const Positionals *rest, Error *err) {
    Str text;
    Run run;
    AttentionQuery query = {.layer = (int)c->layer,
                            .head = c->is_mean ? ATTENTION_ALL_HEADS : (int)c->head};
    if (rest->n < 1 || rest->n > 2) return error_set(err, ERROR_USAGE, "give MODEL and TEXT");
    if (!check_options(c, err)) return false;
    if (!setup_open(&c->setup, rest->text[0], err) ||
        !setup_prompt(&c->setup, rest->n == 2 ? rest->text[1] : NULL, c->file, &text, err) ||
        !setup_tokens(&c->setup, text, c->special, &query.ids, &query.n, err))
        return false;
    c->ids = query.ids;
    if (!setup_pack(&c->setup, err) || !run_open(&run, c->setup.pool, err)) return false;
    if (c->setup.kernels) run.kernels = c->setup.kernels;
    run.exact = true;
    bool ok = c->is_all ? wall_make(&run, c->setup.model, &c->setup.arena, query.ids, query.n,
                                    &c->wall, err)
                        : attention_map(&run, c->setup.model, &c->setup.arena, query, &c->map, err);
    run_close(&run);
    if (!ok) return false;
    if (c->svg && !write_svg(c, err)) return false;
    if (c->as_json)
        print_json(c);
    else if (c->is_all && !c->svg)
        print_wall(c);
    else if (!c->svg)
        print_person(c);
    return true;
}

static int run(int argc, char **argv) {
    AttendCommand c = {0};
    Option setup[SETUP_OPTIONS];
    const Option own[] = {
        {"--layer", 'l', OPTION_INT, &c.layer, "L", "the layer to look into (default 0, the first)",
         0, 1 << 20, &c.has_layer},
        {"--head", 'H', OPTION_INT, &c.head, "H", "the head of that layer (default 0)", 0, 1 << 20,
         &c.has_head},
        {"--mean", 0, OPTION_FLAG, &c.is_mean, NULL, "the mean of all heads instead of one"},
        {"--all", 0, OPTION_FLAG, &c.is_all, NULL, "small pictures of all heads of all layers"},
        {"--svg", 0, OPTION_TEXT, &c.svg, "FILE", "write a drawing; - is standard output"},
        {"--list", 0, OPTION_FLAG, &c.as_list, NULL,
         "the strongest looks of each token instead of a matrix"},
        {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print JSON (docs/json.md)"},
        {"--file", 'f', OPTION_TEXT, &c.file, "FILE",
         "the text from a file, without its last newline; - is standard input (default without "
         "TEXT)"},
        {"--special", 0, OPTION_FLAG, &c.special, NULL, "read control tokens in the text as such"},
        {0}};
    const Option *const tables[] = {own, setup_model_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_attend, tables, argc, argv, &rest, &code)) return code;
    bool ok = attend(&c, &rest, &err);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_attend, &err);
}

const Command command_attend = {"attend", "MODEL TEXT",
                                "show which tokens a head looks at: matrix, SVG, JSON", run};
