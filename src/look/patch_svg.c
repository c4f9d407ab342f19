// patch_svg.c - three panels, one for each kind of value: tokens run down, layers run across.
#include <math.h>

#include "base/svg.h"
#include "base/term.h"
#include "look/attention_svg.h"
#include "look/patch.h"

enum {
    MARGIN = 28,
    HEAD = 104, // above the first panel
    CELL = 20,  // side
    TITLE = 44, // of a panel, with its numbers of layers
    GAP = 18,
    FONT = 14,
    LABEL_COLUMNS_MAX = 16,
    CAPTION_LINE = 21
};

// Where the panels stand.
typedef struct Sheet {
    StrBuilder *out;
    const Patch *patch;
    double left, width;
} Sheet;

static void add_text(StrBuilder *out, double x, double y, const char *attributes, Str text) {
    str_add_format(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    svg_add_text(out, text);
    str_add_c(out, "</text>\n");
}

// What brings back is a mark, the stronger the more; what takes away more is a ring.
static void add_cell(const Sheet *s, PatchPlace place, int64_t token, int layer, double y) {
    const Patch *p = s->patch;
    double share = patch_share(p, place, token, layer), x = s->left + layer * CELL;
    double points = 100 * (double)p->effect[place][token * p->layers + layer];
    str_add_format(s->out,
                   "<g><title>%s %d, token %lld: %+.2f points</title>"
                   "<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>",
                   patch_place_words(place), layer, (long long)token, points, x, y, CELL - 1,
                   CELL - 1);
    if (share >= 0.005)
        str_add_format(s->out,
                       "<rect class=\"mark\" opacity=\"%.2f\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" "
                       "height=\"%d\"/>",
                       0.08 + 0.92 * fmin(share, 1), x, y, CELL - 1, CELL - 1);
    if (share <= -0.005)
        str_add_format(s->out,
                       "<circle class=\"rule\" fill=\"none\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>",
                       x + CELL / 2.0, y + CELL / 2.0);
    str_add_c(s->out, "</g>\n");
}

static double add_panel(const Sheet *s, PatchPlace place, double y) {
    const Patch *p = s->patch;
    int step = p->layers > 16 ? 5 : 1;
    add_text(s->out, MARGIN, y + 16, "font-size=\"15\" font-weight=\"600\"",
             str_from(patch_place_words(place)));
    for (int l = 0; l < p->layers; l += step)
        add_text(s->out, s->left + l * CELL + CELL / 2.0, y + TITLE - 6,
                 "class=\"quiet\" font-size=\"11\" text-anchor=\"middle\"",
                 str_printf(s->out->arena, "%d", l));
    y += TITLE;
    for (int64_t i = 0; i < p->n; i++, y += CELL) {
        Str label = term_cut(p->label[i], LABEL_COLUMNS_MAX);
        add_text(s->out, MARGIN, y + CELL - 6,
                 p->is_subject[i] ? "font-size=\"14\" font-weight=\"700\"" : "font-size=\"14\"",
                 label);
        for (int l = 0; l < p->layers; l++) add_cell(s, place, i, l, y);
    }
    return y + GAP;
}

void patch_svg(StrBuilder *out, const Patch *p) {
    Sheet s = {.out = out, .patch = p};
    int columns = 1, panels = 0, lines = 0;
    for (int64_t i = 0; i < p->n; i++) {
        int width = term_width(term_cut(p->label[i], LABEL_COLUMNS_MAX));
        columns = width > columns ? width : columns;
    }
    for (PatchPlace place = 0; place < PATCH_PLACES; place++) panels += p->effect[place] != NULL;
    s.left = MARGIN + columns * FONT * 0.62 + 10;
    s.width = fmax(s.left + p->layers * CELL + MARGIN, 560);
    Str words = patch_words(p, out->arena), rest = words;
    int caption = (int)((s.width - 2 * MARGIN) / (FONT * 0.56));
    for (; rest.n; lines++) term_line(&rest, caption);
    double panel = TITLE + (double)p->n * CELL + GAP;
    Str title = str_printf(out->arena, "Causal tracing of %.*s", STR_ARG(p->model));
    svg_begin(out, (SvgHead){s.width, HEAD + panels * panel + (lines + 1) * CAPTION_LINE, title,
                             words, attention_style});
    add_text(out, MARGIN, MARGIN + 20, "font-size=\"22\" font-weight=\"700\"",
             STR("What brings the answer back"));
    add_text(out, MARGIN, MARGIN + 42, "class=\"quiet\" font-size=\"13\"", p->model);
    add_text(
        out, MARGIN, MARGIN + 60, "class=\"quiet\" font-size=\"12\"",
        STR("tokens down, the subject bold \xc2\xb7 layers across \xc2\xb7 the darker, the more "
            "comes back"));
    double y = HEAD;
    for (PatchPlace place = 0; place < PATCH_PLACES; place++)
        if (p->effect[place]) y = add_panel(&s, place, y);
    for (y += FONT; words.n; y += CAPTION_LINE)
        add_text(out, MARGIN, y, "font-size=\"14\"", term_line(&words, caption));
    str_add_c(out, "</svg>\n");
}
