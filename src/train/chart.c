// chart.c - scales first, then the parts from back to front.
//
// Widths of text are estimated from terminal columns, since a page may show it in any font.
// Colours are written out for light and again for dark, because renderers outside of browsers know
// neither custom properties nor media queries.
#include "train/chart.h"

#include <math.h>
#include <stdio.h>

#include "base/svg.h"
#include "base/term.h"

enum {
    WIDTH = 480,
    MARGIN = 16,
    GUTTER = 48, // left of a plot, for the names of its marks
    TITLE_FONT = 18,
    FONT = 13,
    SMALL = 12,
    LINE = 19, // from one line of words to the next
    KEY_ROW = 20,
    PANEL_HEAD = 26, // above a plot
    PANEL_FOOT = 36, // below it
    MARK_X = 84,     // from one mark of an axis to the next, about
    MARK_Y = 44,
    BIN_SHARE = 2 // points drawn for each unit of width
};
static const double PLOT = WIDTH - MARGIN - GUTTER - MARGIN;

static const char style[] =
    "text{font-family:" SVG_FONT ";fill:#1b1a17}"
    "text.quiet{fill:#6c6a63}.sheet{fill:#ffffff}.grid{stroke:#e3e1db}.frame{stroke:#bdbab2}"
    ".level{stroke:#6c6a63}path,line{fill:none}.faint{opacity:.3}"
    ".s0{stroke:#6d34d4}.s1{stroke:#c2410c}.s2{stroke:#0b7a53}.s3{stroke:#2159d6}"
    ".s4{stroke:#4d4b45}.s5{stroke:#8a6d00}.d0{fill:#6d34d4}.d1{fill:#c2410c}.d2{fill:#0b7a53}"
    ".d3{fill:#2159d6}.d4{fill:#4d4b45}.d5{fill:#8a6d00}"
    "@media (prefers-color-scheme:dark){"
    "text{fill:#f0eee9}text.quiet{fill:#9b988f}.sheet{fill:#191b1f}.grid{stroke:#2d3036}"
    ".frame{stroke:#4a4e56}.level{stroke:#9b988f}"
    ".s0{stroke:#b99bff}.s1{stroke:#ff9a6b}.s2{stroke:#58cfa2}.s3{stroke:#86aeff}"
    ".s4{stroke:#c3c0b8}.s5{stroke:#e0c23c}.d0{fill:#b99bff}.d1{fill:#ff9a6b}.d2{fill:#58cfa2}"
    ".d3{fill:#86aeff}.d4{fill:#c3c0b8}.d5{fill:#e0c23c}}";
static const char *const dashes[CHART_STYLES] = {"", "7 3", "2 3", "9 3 2 3", "12 4", "4 2"};

// ---------------------------------------------------------------- numbers in words
Str chart_count(Arena *arena, double n) {
    static const char *const unit[] = {"", " k", " M", " B", " T"};
    int i = 0;
    for (; n >= 999.5 && i < 4; i++) n /= 1000;
    int digits = n == floor(n) || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2;
    return str_printf(arena, "%.*f%s", digits, n, unit[i]);
}

typedef struct TimeUnit {
    double seconds;
    const char *name;
} TimeUnit;

static TimeUnit time_unit(double longest) {
    if (longest >= 3 * 3600) return (TimeUnit){3600, "h"};
    if (longest >= 180) return (TimeUnit){60, "min"};
    return (TimeUnit){1, "s"};
}

Str chart_seconds(Arena *arena, double seconds) {
    TimeUnit unit = time_unit(seconds);
    double n = seconds / unit.seconds;
    return str_printf(arena, "%.*f %s",
                      n >= 99.95 || n == floor(n) ? 0
                      : n >= 9.995                ? 1
                                                  : 2,
                      n, unit.name);
}

static Str mark_name(Arena *arena, const Axis *axis, double value, double longest) {
    if (axis->unit == AXIS_COUNT) return chart_count(arena, value);
    if (axis->unit == AXIS_PLAIN) return str_printf(arena, "%.4g", value);
    TimeUnit unit = time_unit(longest);
    return str_printf(arena, "%.4g %s", value / unit.seconds, unit.name);
}

// ---------------------------------------------------------------- scales
// Values from low to high lie between two places of the drawing.
typedef struct Scale {
    const Axis *axis;
    double low, high;
    double from, to;
} Scale;

static bool is_shown(const Axis *axis, double v) {
    return isfinite(v) && !(axis->is_log && v <= 0);
}

static double place(const Scale *s, double v) {
    double share = s->axis->is_log ? log(v / s->low) / log(s->high / s->low)
                                   : (v - s->low) / (s->high - s->low);
    return s->from + share * (s->to - s->from);
}

static void widen(Scale *s, double v) {
    if (!is_shown(s->axis, v)) return;
    s->low = fmin(s->low, v);
    s->high = fmax(s->high, v);
}

// False if there is nothing to show.  A margin is left above and below the values of y.
static bool scale_close(Scale *s, double margin) {
    if (!(s->low <= s->high)) return false;
    if (s->axis->is_log) {
        if (s->low == s->high) s->low /= 1.5, s->high *= 1.5;
        double more = pow(s->high / s->low, margin);
        s->low /= more, s->high *= more;
        return true;
    }
    if (s->axis->from_zero) s->low = fmin(s->low, 0);
    if (s->low == s->high) s->high = s->low + fmax(fabs(s->low), 1) * 0.1;
    double more = margin * (s->high - s->low);
    if (!(s->axis->from_zero && s->low == 0)) s->low -= more;
    s->high += more;
    return true;
}

// The distance of marks: 1, 2 or 5 times a power of ten, in the axis' unit.
static double mark_step(const Scale *s) {
    double marks = s->to > s->from ? (s->to - s->from) / MARK_X : (s->from - s->to) / MARK_Y;
    double unit = s->axis->unit == AXIS_SECONDS ? time_unit(s->high).seconds : 1;
    double rough = (s->high - s->low) / unit / marks, power = pow(10, floor(log10(rough)));
    double digit = rough / power;
    return (digit > 7 ? 10 : digit > 3 ? 5 : digit > 1.5 ? 2 : 1) * power * unit;
}

// Calls draw for each mark.
typedef struct Panel Panel;
typedef void DrawMark(Panel *p, const Scale *s, double value);

static void each_mark(Panel *p, const Scale *s, DrawMark *draw) {
    if (!s->axis->is_log || s->high / s->low < 10) {
        double step = mark_step(s);
        for (double i = ceil(s->low / step); i * step <= s->high; i++) draw(p, s, i * step);
        return;
    }
    // Powers of ten; where there are few of them, 2 and 5 times them too.
    bool is_short = s->high / s->low < 1000;
    for (double power = floor(log10(s->low)); power <= log10(s->high); power++) {
        static const double digits[] = {1, 2, 5};
        for (int i = 0; i < (is_short ? 3 : 1); i++) {
            double v = digits[i] * pow(10, power);
            if (v >= s->low && v <= s->high) draw(p, s, v);
        }
    }
}

// ---------------------------------------------------------------- parts
struct Panel {
    StrBuilder *out;
    const ChartPanel *panel;
    int number;
    Scale x, y;
};

static void add_words(StrBuilder *out, double x, double y, const char *attributes, Str words) {
    str_add_format(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    svg_add_text(out, words);
    str_add_c(out, "</text>\n");
}

static void draw_x_mark(Panel *p, const Scale *s, double value) {
    char attributes[64];
    double x = place(s, value);
    Str name = mark_name(p->out->arena, s->axis, value, s->high);
    bool is_last = x > s->to - 16;
    snprintf(attributes, sizeof attributes, "class=\"quiet\" font-size=\"%d\" text-anchor=\"%s\"",
             SMALL, is_last ? "end" : "middle");
    str_add_format(p->out,
                   "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", x, x,
                   p->y.to, p->y.from);
    add_words(p->out, is_last ? s->to : x, p->y.from + 16, attributes, name);
}

static void draw_y_mark(Panel *p, const Scale *s, double value) {
    char attributes[64];
    double y = place(s, value);
    Str name = mark_name(p->out->arena, s->axis, value, s->high);
    snprintf(attributes, sizeof attributes, "class=\"quiet\" font-size=\"%d\" text-anchor=\"end\"",
             SMALL);
    str_add_format(p->out,
                   "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                   p->x.from, p->x.to, y, y);
    add_words(p->out, p->x.from - 6, y + 4, attributes, name);
}

// Many values fall on one place: the least and the greatest of a bin stand for a faint line, the
// last one for others.
typedef struct Bin {
    int64_t number; // -1: empty
    double x, low, high, last;
} Bin;

static void flush(StrBuilder *out, const Scale *y, Bin *bin, bool is_faint, bool *is_down) {
    if (bin->number < 0) return;
    if (is_faint && bin->low < bin->high)
        str_add_format(out, "%c%.1f %.1fV%.1f", *is_down ? 'L' : 'M', bin->x, place(y, bin->low),
                       place(y, bin->high));
    else
        str_add_format(out, "%c%.1f %.1f", *is_down ? 'L' : 'M', bin->x, place(y, bin->last));
    *is_down = true;
    bin->number = -1;
}

static void add_path(Panel *p, const ChartLine *line) {
    Bin bin = {.number = -1};
    bool is_down = false;
    for (int64_t i = 0; i < line->n; i++) {
        double v = line->y[i];
        if (!is_shown(p->x.axis, line->x[i])) continue;
        if (!is_shown(p->y.axis, v)) {
            flush(p->out, &p->y, &bin, line->is_faint, &is_down);
            is_down = false;
            continue;
        }
        double x = place(&p->x, line->x[i]);
        int64_t number = (int64_t)(x * BIN_SHARE);
        if (number != bin.number) {
            flush(p->out, &p->y, &bin, line->is_faint, &is_down);
            bin = (Bin){number, x, v, v, v};
        }
        bin = (Bin){number, x, fmin(bin.low, v), fmax(bin.high, v), v};
    }
    flush(p->out, &p->y, &bin, line->is_faint, &is_down);
}

static void draw_line(Panel *p, const ChartLine *line) {
    str_add_format(p->out,
                   "<path class=\"s%d%s\" stroke-width=\"%s\" stroke-linejoin=\"round\" "
                   "stroke-dasharray=\"%s\" d=\"",
                   line->style, line->is_faint ? " faint" : "", line->is_faint ? "1" : "2",
                   line->is_faint || p->panel->n_lines == 1 ? "" : dashes[line->style]);
    add_path(p, line);
    str_add_c(p->out, "\"/>\n");
    for (int64_t i = 0; line->has_points && i < line->n; i++)
        if (is_shown(p->x.axis, line->x[i]) && is_shown(p->y.axis, line->y[i]))
            str_add_format(p->out, "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>\n",
                           line->style, place(&p->x, line->x[i]), place(&p->y, line->y[i]));
}

static void draw_level(Panel *p) {
    double y = place(&p->y, p->panel->level);
    str_add_format(p->out,
                   "<line class=\"level\" stroke-dasharray=\"4 4\" x1=\"%.1f\" x2=\"%.1f\" "
                   "y1=\"%.1f\" y2=\"%.1f\"/>\n",
                   p->x.from, p->x.to, y, y);
    add_words(p->out, p->x.to - 4, y + 15, "class=\"quiet\" font-size=\"12\" text-anchor=\"end\"",
              p->panel->level_name);
}

// ---------------------------------------------------------------- a panel
static bool make_scales(Panel *p, double top) {
    const ChartPanel *panel = p->panel;
    p->x = (Scale){&panel->x, HUGE_VAL, -HUGE_VAL, MARGIN + GUTTER, MARGIN + GUTTER + PLOT};
    p->y = (Scale){&panel->y, HUGE_VAL, -HUGE_VAL, top + panel->height, top};
    bool has_level = panel->level > 0;
    for (int i = 0; i < panel->n_lines; i++) {
        const ChartLine *line = &panel->line[i];
        for (int64_t k = 0; k < line->n; k++) {
            if (!is_shown(&panel->y, line->y[k])) continue;
            widen(&p->x, line->x[k]);
            if (!line->is_faint) widen(&p->y, line->y[k]);
        }
    }
    bool has_values = scale_close(&p->x, panel->x.is_log ? 0.02 : 0);
    if (has_level) widen(&p->y, panel->level);
    return scale_close(&p->y, 0.04) && has_values;
}

static void draw_panel(StrBuilder *out, const ChartPanel *panel, int number, double y) {
    Panel p = {.out = out, .panel = panel, .number = number};
    double top = y + PANEL_HEAD;
    add_words(out, MARGIN, y + 16, "font-size=\"14\" font-weight=\"600\"", str_from(panel->title));
    if (!make_scales(&p, top)) {
        add_words(out, MARGIN + GUTTER, top + panel->height / 2, "class=\"quiet\" font-size=\"13\"",
                  STR("no values"));
        return;
    }
    each_mark(&p, &p.x, draw_x_mark);
    each_mark(&p, &p.y, draw_y_mark);
    add_words(out, p.x.to, y + 16, "class=\"quiet\" font-size=\"12\" text-anchor=\"end\"",
              str_from(panel->y.label));
    str_add_format(out,
                   "<clipPath id=\"plot%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                   "height=\"%.1f\"/></clipPath>\n<g clip-path=\"url(#plot%d)\">\n",
                   number, p.x.from, p.y.to, PLOT, panel->height, number);
    for (int i = 0; i < panel->n_lines; i++) draw_line(&p, &panel->line[i]);
    str_add_c(out, "</g>\n");
    if (panel->level > 0) draw_level(&p);
    str_add_format(out, "<path class=\"frame\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", p.x.from, p.y.to,
                   p.y.from, p.x.to);
}

// ---------------------------------------------------------------- the whole
static void draw_key(StrBuilder *out, const ChartKey *key, double y) {
    str_add_format(out,
                   "<path class=\"s%d\" stroke-width=\"2.5\" stroke-dasharray=\"%s\" "
                   "d=\"M%d %.1fh30\"/>\n",
                   key->style, dashes[key->style], MARGIN, y - 4);
    if (key->has_points)
        str_add_format(out, "<circle class=\"d%d\" cx=\"%d\" cy=\"%.1f\" r=\"3\"/>\n", key->style,
                       MARGIN + 15, y - 4);
    double room = WIDTH - 2 * MARGIN - 38 - 0.58 * FONT * term_width(key->value) - 12;
    Str name = term_cut(key->name, (int)(room / (0.58 * FONT)));
    add_words(out, MARGIN + 38, y, "font-size=\"13\"", name);
    add_words(out, WIDTH - MARGIN, y, "font-size=\"13\" text-anchor=\"end\"", key->value);
}

static double height_of(const Chart *chart, int n_lines) {
    double height = MARGIN + TITLE_FONT + 6 + n_lines * LINE + 12 + chart->n_keys * KEY_ROW + 14;
    for (int i = 0; i < chart->n_panels; i++)
        height += PANEL_HEAD + chart->panel[i].height + PANEL_FOOT;
    return height;
}

void chart_svg(StrBuilder *out, const Chart *chart) {
    const int columns = (int)((WIDTH - 2 * MARGIN) / (0.5 * FONT));
    int n_lines = 0;
    for (Str words = chart->words; words.n; n_lines++) term_line(&words, columns);
    double height = height_of(chart, n_lines), y = MARGIN + TITLE_FONT;
    str_add_format(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
                   "viewBox=\"0 0 %d %.0f\" style=\"max-width:100%%;height:auto\" role=\"img\" "
                   "aria-labelledby=\"title words\">\n<title id=\"title\">",
                   WIDTH * 3 / 2, height * 1.5, WIDTH, height);
    svg_add_text(out, chart->title);
    str_add_c(out, "</title>\n<desc id=\"words\">");
    svg_add_text(out, chart->words);
    str_add_format(out,
                   "</desc>\n<style>%s</style>\n"
                   "<rect class=\"sheet\" width=\"100%%\" height=\"100%%\"/>\n",
                   style);
    add_words(out, MARGIN, y, "font-size=\"18\" font-weight=\"700\"",
              term_cut(chart->title, (int)((WIDTH - 2 * MARGIN) / (0.56 * TITLE_FONT))));
    y += 6;
    for (Str words = chart->words; words.n;) {
        y += LINE;
        add_words(out, MARGIN, y, "font-size=\"13\"", term_line(&words, columns));
    }
    y += 12;
    for (int i = 0; i < chart->n_keys; i++) {
        y += KEY_ROW;
        draw_key(out, &chart->key[i], y);
    }
    y += 14;
    for (int i = 0; i < chart->n_panels; i++) {
        draw_panel(out, &chart->panel[i], i, y);
        y += PANEL_HEAD + chart->panel[i].height + PANEL_FOOT;
    }
    str_add_c(out, "</svg>\n");
}
