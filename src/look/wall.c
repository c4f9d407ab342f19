// wall.c - one forward with all patterns kept, small pictures of them, and a sheet with all.
#include "look/wall.h"

#include <string.h>

#include "base/svg.h"
#include "base/term.h"
#include "look/attention_svg.h"

// ---------------------------------------------------------------- the patterns
bool wall_make(Run *run, const Model *model, Arena *arena, const int32_t *ids, int64_t n,
               Wall *wall, Error *err) {
    const Config *c = &model->config;
    Capture capture;
    if (!attention_check_text(model, ids, n, WALL_TOKENS_MAX, err)) return false;
    if (!arena_fits(arena, sizeof(float) * (size_t)(c->layers * c->heads * (n * n + 64))))
        return error_set(err, ERROR_LIMIT, "the text has %lld tokens: too many for the memory here",
                         (long long)n);
    capture_init(&capture, arena, &(CaptureWant){SITE_PATTERN, -1}, 1);
    if (!attention_capture(run, model, ids, n, c->layers, &capture, err)) return false;
    if (capture.n == 0) return error_set(err, ERROR_USAGE, "no layer of this model has attention");
    const float **pattern = arena_new(arena, const float *, c->layers);
    for (int l = 0; l < c->layers; l++) {
        const Tensor *found = capture_find(&capture, SITE_PATTERN, l);
        pattern[l] = found ? tensor_f32(found) : NULL;
    }
    *wall = (Wall){model->name, c->layers, c->heads, n, pattern};
    return true;
}

static const float *pattern_of(const Wall *wall, int layer, int head) {
    return wall->pattern[layer] + (int64_t)head * wall->n * wall->n;
}

void wall_picture(const Wall *wall, int layer, int head, int side, float *pixel) {
    const float *weight = pattern_of(wall, layer, head);
    int64_t n = wall->n;
    memset(pixel, 0, sizeof *pixel * (size_t)(side * side));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            float *at = &pixel[i * side / n * side + j * side / n];
            if (weight[i * n + j] > *at) *at = weight[i * n + j];
        }
}

// ---------------------------------------------------------------- shares and words
WallShares wall_shares(const Wall *wall, int layer, int head) {
    const float *weight = pattern_of(wall, layer, head);
    WallShares s = {0};
    int64_t n = wall->n;
    double rows = n > 1 ? (double)(n - 1) : 1;
    for (int64_t i = 1; i < n; i++) {
        s.first += (double)weight[i * n] / rows;
        s.before += (double)weight[i * n + i - 1] / rows;
        s.itself += (double)weight[i * n + i] / rows;
    }
    return s;
}

Str wall_words(const Wall *wall, Arena *arena) {
    static const char *const words[] = {"Looks most at the first token", "at the token before",
                                        "at itself"};
    struct {
        int layer, head;
        double share;
    } most[3] = {{0, 0, -1}, {0, 0, -1}, {0, 0, -1}};
    int n_heads = 0, n_resting = 0;
    StrBuilder b = str_builder(arena);
    if (wall->n < 2) return STR("The only token looks at itself.");
    for (int l = 0; l < wall->layers; l++)
        for (int h = 0; wall->pattern[l] && h < wall->heads; h++) {
            WallShares s = wall_shares(wall, l, h);
            double share[] = {s.first, s.before, s.itself};
            n_heads++;
            n_resting += s.first > 0.5;
            for (int k = 0; k < 3; k++) {
                if (share[k] <= most[k].share) continue;
                most[k].layer = l;
                most[k].head = h;
                most[k].share = share[k];
            }
        }
    for (int k = 0; k < 3; k++)
        str_add_format(&b, "%s: layer %d, head %d (%.0f%%)%s", words[k], most[k].layer,
                       most[k].head, 100 * most[k].share, k < 2 ? "; " : ". ");
    str_add_format(&b, "%d of %d heads give the first token more than half.", n_resting, n_heads);
    return str_built(&b);
}

// ---------------------------------------------------------------- the sheet
enum {
    MARGIN = 28,
    LEFT = 64,  // x of the first picture
    TOP = 96,   // y of the first
    CELL = 64,  // side of a picture
    PITCH = 72, // from one to the next
    PIXELS_MAX = 24,
    CAPTION_LINE = 21
};

// Three strengths of ink, each for the weights in a range.
static const struct {
    float from, to;
    double opacity;
} inks[] = {{0.08f, 0.25f, 0.35}, {0.25f, 0.5f, 0.65}, {0.5f, 2, 1}};

// The pixels of one strength as one path, a rectangle for each run in a row.
static void add_ink(StrBuilder *out, const float *pixel, int side, int ink) {
    bool is_begun = false;
    for (int y = 0; y < side; y++)
        for (int x = 0, from; x < side; x++) {
            from = x;
            while (x < side && pixel[y * side + x] >= inks[ink].from &&
                   pixel[y * side + x] < inks[ink].to)
                x++;
            if (x == from) continue;
            if (!is_begun)
                str_add_format(out, "<path class=\"mark\" opacity=\"%.2f\" d=\"",
                               inks[ink].opacity);
            is_begun = true;
            str_add_format(out, "M%d %dh%dv1h-%dz", from, y, x - from, x - from);
        }
    if (is_begun) str_add_c(out, "\"/>");
}

static void add_picture(StrBuilder *out, const Wall *wall, int layer, int head) {
    float pixel[PIXELS_MAX * PIXELS_MAX];
    int side = wall->n < PIXELS_MAX ? (int)wall->n : PIXELS_MAX;
    WallShares s = wall_shares(wall, layer, head);
    wall_picture(wall, layer, head, side, pixel);
    str_add_format(out,
                   "<g transform=\"translate(%d %d) scale(%.4f)\"><title>Layer %d, head %d: first "
                   "token %.0f%%, token before %.0f%%, itself %.0f%%</title>"
                   "<rect class=\"band\" width=\"%d\" height=\"%d\"/>",
                   LEFT + head * PITCH, TOP + layer * PITCH, (double)CELL / side, layer, head,
                   100 * s.first, 100 * s.before, 100 * s.itself, side, side);
    for (int ink = 0; ink < 3; ink++) add_ink(out, pixel, side, ink);
    str_add_c(out, "</g>\n");
}

static void add_line(StrBuilder *out, int x, int y, const char *attributes, Str text) {
    str_add_format(out, "<text x=\"%d\" y=\"%d\" %s>", x, y, attributes);
    svg_add_text(out, text);
    str_add_c(out, "</text>\n");
}

static void add_number(StrBuilder *out, int x, int y, int number) {
    add_line(out, x, y, "class=\"quiet\" font-size=\"12\" text-anchor=\"middle\"",
             str_printf(out->arena, "%d", number));
}

void wall_svg(StrBuilder *out, const Wall *wall) {
    Str words = wall_words(wall, out->arena), rest = words;
    int width = LEFT + PITCH * wall->heads + MARGIN, y = TOP + PITCH * wall->layers + 2 * 16;
    if (width < 560) width = 560;
    int columns = (width - 2 * MARGIN) / 8, lines = 0;
    for (; rest.n; lines++) term_line(&rest, columns);
    Str title = str_printf(out->arena, "All heads of %.*s", STR_ARG(wall->model));
    svg_begin(out, (SvgHead){width, y + CAPTION_LINE * lines, title, words, attention_style});
    add_line(out, MARGIN, MARGIN + 20, "font-size=\"22\" font-weight=\"700\"",
             STR("All layers and heads"));
    add_line(out, MARGIN, MARGIN + 42, "class=\"quiet\" font-size=\"13\"", wall->model);
    for (int h = 0; h < wall->heads; h++) add_number(out, LEFT + h * PITCH + CELL / 2, TOP - 8, h);
    for (int l = 0; l < wall->layers; l++) {
        add_number(out, (MARGIN + LEFT) / 2, TOP + l * PITCH + CELL / 2 + 4, l);
        for (int h = 0; wall->pattern[l] && h < wall->heads; h++) add_picture(out, wall, l, h);
    }
    for (; words.n; y += CAPTION_LINE)
        add_line(out, MARGIN, y, "font-size=\"14\"", term_line(&words, columns));
    str_add_c(out, "</svg>\n");
}
