// chart.h - line charts, one above the other, as one SVG that stands by itself.
//
// 480 units wide, so that its text can be read on a phone; a wider page shows it larger.  Text is
// live, colours follow the reader's light or dark preference, lines differ in dashes as well as in
// colour.
#ifndef HEED_TRAIN_CHART_H
#define HEED_TRAIN_CHART_H

#include "base/str.h"

enum { CHART_STYLES = 6 }; // colours and dashes

// What an axis counts decides where its marks stand and what they are called.
typedef enum AxisUnit {
    AXIS_PLAIN,  // 3.5
    AXIS_COUNT,  // 20 M
    AXIS_SECONDS // 90 s, 15 min, 2 h
} AxisUnit;

typedef struct Axis {
    const char *label; // of y, above the plot: "nats a token"; the title says what x is
    AxisUnit unit;
    bool is_log; // values at or below 0 are left out
    bool from_zero;
} Axis;

typedef struct ChartLine {
    const double *x, *y; // (n) x ascending; a y that is not finite leaves a gap
    int64_t n;
    int style;       // 0 .. CHART_STYLES-1
    bool is_faint;   // the values behind a smoothed line, which do not decide the scale
    bool has_points; // a dot at each value
} ChartLine;

typedef struct ChartPanel {
    const char *title;
    Axis x, y;
    double height; // of the plot
    const ChartLine *line;
    int n_lines;
    double level; // a dashed line across, with its name; 0: none
    Str level_name;
} ChartPanel;

typedef struct ChartKey {
    int style;
    bool has_points;
    Str name, value; // "training", "3.41"
} ChartKey;

typedef struct Chart {
    Str title, words; // words: sentences below the title
    const ChartKey *key;
    int n_keys;
    const ChartPanel *panel;
    int n_panels;
} Chart;

// Adds the whole document.  A panel without a finite value says so.
void chart_svg(StrBuilder *out, const Chart *chart);

// "1.25 M", "640 k", "17": three digits of a number that counts something.
Str chart_count(Arena *arena, double n);
// "42 s", "12 min", "3.5 h".
Str chart_seconds(Arena *arena, double seconds);

#endif
