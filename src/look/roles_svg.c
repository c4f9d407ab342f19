// roles_svg.c - every head of a model with its role: layers run down, heads run across.
#include <math.h>

#include "base/svg.h"
#include "look/attention_svg.h"
#include "look/roles.h"

enum { MARGIN = 28, LEFT = 64, TOP = 96, CELL_WIDTH = 88, CELL = 44, GAP = 6 };

static void add_text(StrBuilder *out, double x, double y, const char *attributes, Str text) {
    str_add_format(out, "<text x=\"%.0f\" y=\"%.0f\" %s>", x, y, attributes);
    svg_add_text(out, text);
    str_add_c(out, "</text>\n");
}

static void add_head(StrBuilder *out, const Roles *roles, int layer, int head) {
    const RoleScore *score = roles_of(roles, layer, head);
    Role role = role_named(score);
    double x = LEFT + head * (CELL_WIDTH + GAP), y = TOP + layer * (CELL + GAP);
    double margin = role == ROLE_UNCLEAR ? 0 : fmin(role_margin(&score[role]), 1);
    str_add_format(out,
                   "<rect class=\"band\" x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" "
                   "rx=\"4\"/><rect class=\"mark\" opacity=\"%.2f\" x=\"%.0f\" y=\"%.0f\" "
                   "width=\"%.1f\" height=\"5\"><title>Layer %d, head %d",
                   x, y, CELL_WIDTH, CELL, margin > 0 ? 1.0 : 0.0, x, y + CELL - 5,
                   CELL_WIDTH * margin, layer, head);
    for (int r = 0; r < ROLES; r++)
        if (score[r].n) str_add_format(out, "; %s %+.2f", role_names[r], role_margin(&score[r]));
    str_add_c(out, "</title></rect>\n");
    if (!score[ROLE_PREVIOUS].n) return; // a layer without attention, or no texts
    add_text(out, x + 8, y + 20,
             role == ROLE_UNCLEAR ? "class=\"quiet\" font-size=\"13\"" : "font-size=\"13\"",
             str_from(role_names[role]));
    if (role == ROLE_UNCLEAR) return;
    add_text(out, x + 8, y + 35, "class=\"quiet\" font-size=\"11\"",
             str_printf(out->arena, "%.2f", role_margin(&score[role])));
}

void roles_svg(StrBuilder *out, const Roles *roles) {
    double width = LEFT + roles->heads * (CELL_WIDTH + GAP) + MARGIN;
    double height = TOP + roles->layers * (CELL + GAP) + MARGIN;
    Str title = str_printf(out->arena, "Roles of the heads of %.*s", STR_ARG(roles->model));
    svg_begin(out, (SvgHead){width < 560 ? 560 : width, height, title,
                             STR("Each head with its role and the margin over the baseline."),
                             attention_style});
    add_text(out, MARGIN, MARGIN + 20, "font-size=\"22\" font-weight=\"700\"",
             STR("Roles of heads"));
    add_text(out, MARGIN, MARGIN + 42, "class=\"quiet\" font-size=\"13\"", roles->model);
    for (int l = 0; l < roles->layers; l++) {
        add_text(out, MARGIN, TOP + l * (CELL + GAP) + 26, "class=\"quiet\" font-size=\"12\"",
                 str_printf(out->arena, "%d", l));
        for (int h = 0; h < roles->heads; h++) add_head(out, roles, l, h);
    }
    str_add_c(out, "</svg>\n");
}
