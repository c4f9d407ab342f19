// attention_svg.c - sizes first, then the parts from back to front.
//
// Widths of text are estimated from terminal columns, since a page may show it in any font: labels
// get more room than they need.  Colours are written out for light and again for dark, because
// renderers outside of browsers know neither custom properties nor media queries.
#include "look/attention_svg.h"

#include <math.h>
#include <stdio.h>

#include "base/svg.h"
#include "base/term.h"

enum {
    MARGIN = 28,
    LABEL_COLUMNS_MAX = 14, // a longer label is cut
    UPRIGHT_COLUMNS = 2,    // a longer label is turned where it stands over a column
    ARCS_PER_TOKEN = 3,
    CAPTION_FONT = 14,
    CAPTION_LINE = 21,
    LEGEND = 52, // height
    HEADER = 66
};

const char attention_style[] =
    "text{font-family:" SVG_FONT ";fill:#1b1a17}"
    "text.quiet{fill:#6c6a63}.sheet{fill:#ffffff}.band{fill:#f7f6f3}.rule{stroke:#bdbab2}"
    ".dot{fill:#bdbab2}.mark{fill:#6d34d4}.arc{stroke:#6d34d4;fill:none}.tip{fill:#6d34d4}"
    "@media (prefers-color-scheme:dark){"
    "text{fill:#f0eee9}text.quiet{fill:#9b988f}.sheet{fill:#191b1f}.band{fill:#22252a}"
    ".rule{stroke:#4a4e56}.dot{fill:#4a4e56}.mark{fill:#b99bff}.arc{stroke:#b99bff}"
    ".tip{fill:#b99bff}}";

// Where everything stands.  x grows to the right, y downwards.
typedef struct Sheet {
    StrBuilder *out;
    const AttentionMap *map;
    Arena *arena; // of the builder
    Str *label;   // (n) cut to fit
    double pitch; // of rows and columns
    double font;  // of labels
    double axis;  // x where arcs begin and end
    double room;  // how far arcs reach from there
    double left;  // x of the matrix
    double top;   // y of the matrix
    double width; // of all
} Sheet;

// ---------------------------------------------------------------- text
static void add_line(Sheet *s, double x, double y, const char *attributes, Str text) {
    str_add_format(s->out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    svg_add_text(s->out, text);
    str_add_c(s->out, "</text>\n");
}

static int caption_columns(const Sheet *s) {
    return (int)((s->width - 2 * MARGIN) / (CAPTION_FONT * 0.56));
}

static int count_lines(Str words, int columns) {
    int n = 0;
    for (; words.n; n++) term_line(&words, columns);
    return n;
}

// ---------------------------------------------------------------- layout
static Str cut_label(Arena *arena, Str label) {
    if (term_width(label) <= LABEL_COLUMNS_MAX) return label;
    Str cut = term_cut(label, LABEL_COLUMNS_MAX - 1);
    return str_printf(arena, "%.*s\xe2\x80\xa6", STR_ARG(cut));
}

static Sheet lay_out(StrBuilder *out, const AttentionMap *map) {
    Sheet s = {.out = out, .map = map, .arena = out->arena};
    int columns = 1;
    s.label = arena_new(s.arena, Str, map->n);
    for (int64_t i = 0; i < map->n; i++) {
        s.label[i] = cut_label(s.arena, map->label[i]);
        int width = term_width(s.label[i]);
        columns = width > columns ? width : columns;
    }
    s.pitch = map->n <= 8 ? 36 : map->n <= 16 ? 30 : map->n <= 32 ? 24 : 20;
    s.font = s.pitch <= 20 ? 12 : s.pitch <= 24 ? 14 : s.pitch <= 30 ? 16 : 18;
    double side = s.pitch * (double)map->n, label_width = columns * s.font * 0.6;
    double turned = columns <= UPRIGHT_COLUMNS ? s.font * 1.4 : label_width * 0.75 + s.font;
    s.room = fmin(fmax(side * 0.42, 90), 300);
    s.axis = MARGIN + s.room;
    s.left = s.axis + 10 + label_width + 8;
    s.top = HEADER + MARGIN + turned;
    s.width = s.left + side + MARGIN + (columns <= UPRIGHT_COLUMNS ? 0 : turned - s.font / 2);
    if (s.width < 560) s.width = 560;
    return s;
}

static double row_y(const Sheet *s, int64_t i) {
    return s->top + ((double)i + 0.5) * s->pitch;
}

// ---------------------------------------------------------------- parts
// Above a column: short labels stand upright, others rise to the right from its middle.
static void draw_column_label(Sheet *s, int64_t i) {
    char attributes[96];
    double x = s->left + ((double)i + 0.5) * s->pitch, y = s->top - 8;
    if (term_width(s->label[i]) <= UPRIGHT_COLUMNS) {
        snprintf(attributes, sizeof attributes, "font-size=\"%.0f\" text-anchor=\"middle\"",
                 s->font);
        add_line(s, x, y, attributes, s->label[i]);
        return;
    }
    x -= 4, y -= 2;
    snprintf(attributes, sizeof attributes,
             "font-size=\"%.0f\" transform=\"rotate(-45 %.1f %.1f)\"", s->font, x, y);
    add_line(s, x, y + s->font * 0.36, attributes, s->label[i]);
}

static void draw_labels(Sheet *s) {
    double side = s->pitch * (double)s->map->n;
    for (int64_t i = 0; i < s->map->n; i++) {
        char attributes[32];
        double y = row_y(s, i);
        if (i % 2 == 0)
            str_add_format(s->out,
                           "<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                           "height=\"%.1f\"/>\n",
                           s->axis + 4, y - s->pitch / 2, s->left - s->axis - 4 + side, s->pitch);
        snprintf(attributes, sizeof attributes, "font-size=\"%.0f\"", s->font);
        add_line(s, s->axis + 10, y + s->font * 0.36, attributes, s->label[i]);
        draw_column_label(s, i);
    }
}

static void draw_square(Sheet *s, int64_t i, int64_t j) {
    const AttentionMap *map = s->map;
    double weight = (double)map->weight[i * map->n + j];
    double side = s->pitch * 0.92 * sqrt(weight > 1 ? 1 : weight);
    double x = s->left + ((double)j + 0.5) * s->pitch, y = row_y(s, i);
    if (side < 2.2) {
        if (weight > 0 || j <= i)
            str_add_format(s->out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"0.9\"/>\n", x,
                           y);
        return;
    }
    str_add_format(s->out,
                   "<rect class=\"mark\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                   "rx=\"%.1f\"><title>",
                   x - side / 2, y - side / 2, side, side, fmin(side * 0.14, 3));
    svg_add_text(s->out, map->label[i]);
    str_add_c(s->out, " \xe2\x86\x92 ");
    svg_add_text(s->out, map->label[j]);
    str_add_format(s->out, "  %.1f%%</title></rect>\n", 100 * weight);
}

static void draw_matrix(Sheet *s) {
    double side = s->pitch * (double)s->map->n;
    for (int64_t i = 0; i < s->map->n; i++)
        for (int64_t j = 0; j < s->map->n; j++) draw_square(s, i, j);
    str_add_format(s->out,
                   "<rect class=\"rule\" fill=\"none\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                   "height=\"%.1f\"/>\n",
                   s->left, s->top, side, side);
}

// Out to the left, round, and back to the token that is looked at, with a head there.  Looks
// upwards leave a token above its middle and arrive below the other's middle, so that coming and
// going stay apart.
static void draw_arc(Sheet *s, int64_t i, int64_t j, double weight) {
    double off = s->pitch * 0.2 * (j > i ? -1 : 1), share = s->pitch * 0.42 * weight;
    double from = row_y(s, i) - off, to = row_y(s, j) + off;
    double longest = (double)(s->map->n > 2 ? s->map->n - 1 : 2);
    double far = fabs((double)(i - j)) / longest;
    double reach = i == j ? s->pitch * 0.8 : s->room * (0.12 + 0.84 * pow(far, 0.85)) / 0.75;
    double wing = share / 2 + 2.6, head = fmin(10, wing * 0.9 + 2), tip = s->axis - 1;
    // A head without a task looks at the first token: shown, but not in front of the rest.
    double opacity = j == 0 && i > 0 ? 0.16 : 0.35 + 0.65 * weight;
    str_add_format(s->out,
                   "<g opacity=\"%.2f\"><path class=\"arc\" stroke-width=\"%.1f\" "
                   "d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>"
                   "<path class=\"tip\" d=\"M%.1f %.1fl%.1f %.1fl0 %.1fZ\"/></g>\n",
                   opacity, 0.7 + share, tip, from, tip - reach, from, tip - reach, to, tip - head,
                   to, tip, to, -head, -wing, 2 * wing);
}

static void draw_arcs(Sheet *s) {
    for (int pass = 0; pass < 2; pass++) // looks at the first token lie behind
        for (int64_t i = 0; i < s->map->n; i++) {
            int64_t column[ARCS_PER_TOKEN];
            int n = attention_strongest(s->map, i, ARCS_PER_TOKEN, column);
            for (int k = n - 1; k >= 0; k--) {
                double weight = (double)s->map->weight[i * s->map->n + column[k]];
                bool is_behind = column[k] == 0 && i > 0;
                if (i + column[k] > 0 && weight >= 0.05 && is_behind == (pass == 0))
                    draw_arc(s, i, column[k], weight);
            }
        }
}

static void draw_legend(Sheet *s, double y) {
    static const double weights[] = {1, 0.25, 0.05};
    double x = MARGIN + 230;
    add_line(s, MARGIN, y + 4.5, "class=\"quiet\" font-size=\"12\"",
             STR("rows look at columns \xc2\xb7 area is weight"));
    for (int k = 0; k < 3; k++) {
        double side = s->pitch * 0.92 * sqrt(weights[k]);
        str_add_format(s->out,
                       "<rect class=\"mark\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                       "rx=\"%.1f\"/>",
                       x, y - side / 2, side, side, fmin(side * 0.14, 3));
        Str words = str_printf(s->arena, "%.0f%%", 100 * weights[k]);
        add_line(s, x + side + 5, y + 4.5, "class=\"quiet\" font-size=\"12\"", words);
        x += side + 50;
    }
}

bool attention_svg(StrBuilder *out, const AttentionMap *map, Error *err) {
    if (map->n < 1 || map->n > ATTENTION_SVG_TOKENS_MAX)
        return error_set(err, ERROR_LIMIT, "the text has %lld tokens: a drawing shows up to %d",
                         (long long)map->n, ATTENTION_SVG_TOKENS_MAX);
    Sheet s = lay_out(out, map);
    Str title = attention_title(map, s.arena), words = attention_words(map, s.arena);
    double bottom = s.top + s.pitch * (double)map->n, caption = bottom + LEGEND + 20;
    double height = caption + count_lines(words, caption_columns(&s)) * CAPTION_LINE + 8;
    svg_begin(out, (SvgHead){s.width, height,
                             str_printf(s.arena, "Attention of %.*s. %.*s", STR_ARG(map->model),
                                        STR_ARG(title)),
                             words, attention_style});
    add_line(&s, MARGIN, MARGIN + 20, "font-size=\"22\" font-weight=\"700\"", title);
    add_line(&s, MARGIN, MARGIN + 42, "class=\"quiet\" font-size=\"13\"", map->model);
    draw_labels(&s);
    draw_arcs(&s);
    draw_matrix(&s);
    draw_legend(&s, bottom + LEGEND / 2.0);
    for (double y = caption; words.n; y += CAPTION_LINE)
        add_line(&s, MARGIN, y, "font-size=\"14\"", term_line(&words, caption_columns(&s)));
    str_add_c(out, "</svg>\n");
    return true;
}
