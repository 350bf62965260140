/*
 * The report that is looked at: one HTML file without a script. report_kinds.c lists it.
 */
#include "compare/report/report_html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Small pictures in the rows of a page of a comparison: values of single runs, intervals, lengths of calls.
 * Part of report_html.h.
 */

enum { WIDTH = 190, HEIGHT = 30 };

/* ---- intervals ---- */

#define AXIS_LOW   0.8
#define AXIS_HIGH  1.6
#define AXIS_LINES 5 /* each 0.2 */

/* Where a ratio is on the axis; what is beyond is at its ends. */
static double axis_x(double ratio)
{
    const double x = log(fmax(ratio, 1e-9) / AXIS_LOW) / log(AXIS_HIGH / AXIS_LOW) * (double)WIDTH;
    return fmin(fmax(x, 4), WIDTH - 4);
}

static void print_line(struct tk_print *p, const char *class, const double at[4])
{
    static const char *const keys[] = {"x1", "y1", "x2", "y2"};
    tk_print(p, "<line class=\"%s\"", class);
    for (size_t i = 0; i < 4; i++) {
        tk_print(p, " %s=\"", keys[i]);
        tk_print_fixed(p, at[i], 1);
        tk_print(p, "\"");
    }
    tk_print(p, "/>");
}

static void print_begin(struct tk_print *p, const char *label)
{
    tk_print(p, "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">", WIDTH, HEIGHT, label);
}

void tk_report_html_interval(struct tk_print *p, const struct tk_change *c)
{
    if (!isfinite(c->ratio) || c->verdict == TK_RENAMED)
        return;
    const double low = axis_x(isfinite(c->low) ? c->low : c->ratio),
                 high = axis_x(isfinite(c->high) ? c->high : c->ratio);
    print_begin(p, "the change with its interval");
    for (int i = 0; i < AXIS_LINES; i++) {
        const double at = AXIS_LOW + 0.2 * i;
        print_line(p, at > 0.95 && at < 1.05 ? "zero" : "axis",
                   (double[]){axis_x(at), 3, axis_x(at), HEIGHT - 3});
    }
    print_line(p, "whisker", (double[]){low, (double)HEIGHT / 2, high, (double)HEIGHT / 2});
    if (c->ratio > AXIS_HIGH || c->ratio < AXIS_LOW)
        tk_print(p, "<text x=\"%d\" y=\"%d\">%s</text>", c->ratio > 1 ? WIDTH - 14 : 2, HEIGHT - 3,
                 c->ratio > 1 ? "»" : "«");
    tk_print(p, "<circle class=\"point\" cx=\"");
    tk_print_fixed(p, axis_x(c->ratio), 1);
    tk_print(p, "\" cy=\"%d\" r=\"3.5\"/></svg>", HEIGHT / 2);
}

/* ---- runs ---- */

static void print_dot(struct tk_print *p, double x, bool after)
{
    if (!after) {
        tk_print(p, "<circle class=\"before\" cx=\"");
        tk_print_fixed(p, x, 1);
        tk_print(p, "\" cy=\"9\" r=\"3.4\"/>");
        return;
    }
    tk_print(p, "<path class=\"after\" d=\"M");
    tk_print_fixed(p, x, 1);
    tk_print(p, " 17l4 4l-4 4l-4 -4z\"/>");
}

/* What a run of one of the two sides has; NaN where its side has not got it at all. */
static double displayed_value(const struct tk_comparison *c, const struct tk_change *change, size_t run)
{
    const uint8_t side = c->run_sides.v[run];
    return side > 1 || isnan(side ? change->candidate : change->baseline)
               ? (double)NAN
               : tk_comparison_value(c, change, run);
}

void tk_report_html_runs(struct tk_print *p, const struct tk_comparison *c, const struct tk_change *change)
{
    double low = INFINITY, high = -INFINITY;
    if (change->verdict == TK_RENAMED) /* its values after are those of another name */
        return;
    for (size_t r = 0; change->values && r < c->run_sides.n; r++) {
        const double v = displayed_value(c, change, r);
        if (isfinite(v)) {
            low = fmin(low, v);
            high = fmax(high, v);
        }
    }
    if (!(low <= high))
        return;
    const double from = low - (high - low) * 0.06, width = high > low ? (high - low) * 1.12 : 1;
    print_begin(p, "the value of each run");
    for (size_t r = 0; r < c->run_sides.n; r++) {
        const double v = displayed_value(c, change, r);
        if (isfinite(v))
            print_dot(p, 5 + (v - from) / width * (WIDTH - 10), c->run_sides.v[r] == 1);
    }
    for (int side = 0; side < 2; side++) {
        const double mean = side ? change->candidate : change->baseline;
        const double x = 5 + (mean - from) / width * (WIDTH - 10);
        if (isfinite(mean) && x >= 0 && x <= (double)WIDTH)
            print_line(p, "mean", (double[]){x, side ? 15 : 3, x, side ? HEIGHT - 3 : 15});
    }
    tk_print(p, "</svg>");
}

/* ---- calls ---- */

static bool has_calls(const struct tk_change *c)
{
    for (int i = 0; i < TK_SPARK; i++)
        if (c->spark[0][i] || c->spark[1][i])
            return true;
    return false;
}

void tk_report_html_calls(struct tk_print *p, const struct tk_change *c)
{
    const double step = (double)WIDTH / 2 / TK_SPARK;
    if (!has_calls(c) || c->verdict == TK_RENAMED)
        return;
    tk_print(p,
             "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"how many calls are how long: before "
             "as a line, after "
             "filled\">",
             WIDTH / 2, HEIGHT);
    for (int i = 0; i < TK_SPARK; i++) {
        const double h = c->spark[1][i] / 1000.0 * (HEIGHT - 4);
        tk_print(p, "<rect class=\"after\" x=\"");
        tk_print_fixed(p, i * step, 1);
        tk_print(p, "\" y=\"");
        tk_print_fixed(p, HEIGHT - 1 - h, 1);
        tk_print(p, "\" width=\"");
        tk_print_fixed(p, step - 0.5, 1);
        tk_print(p, "\" height=\"");
        tk_print_fixed(p, h, 1);
        tk_print(p, "\"/>");
    }
    tk_print(p, "<polyline class=\"before\" points=\"");
    for (int i = 0; i < TK_SPARK; i++) {
        const double y = HEIGHT - 1 - c->spark[0][i] / 1000.0 * (HEIGHT - 4);
        for (int end = 0; end < 2; end++) {
            tk_print_fixed(p, (i + end) * step, 1);
            tk_print(p, ",");
            tk_print_fixed(p, y, 1);
            tk_print(p, " ");
        }
    }
    tk_print(p, "\"/></svg>");
}

enum { MOST_ROWS = 200 };

/* report/page/page.css and page/diff.css of this folder, with the hash for the policy. */
extern const char tk_diff_style[], tk_diff_style_hash[];

void tk_report_html_begin(struct tk_print *p, const char *title)
{
    const struct tk_html_style style = {tk_diff_style, tk_diff_style_hash, NULL, false};
    const struct tk_html h = tk_print_html(p);
    tk_html_head(h, &style);
    tk_html_put(h, title);
    tk_html_body(h, &style);
    tk_html_put(h, "<main>\n");
}

/* Names both sides, so that tabs of a browser differ. */
static void begin_comparison(struct tk_print *p, const struct tk_comparison *c)
{
    const struct tk_html_style style = {tk_diff_style, tk_diff_style_hash, NULL, tk_report_has_pictures(c)};
    struct tk_print title = {0};
    tk_print(&title, "Comparison of ");
    tk_report_side_named(&title, &c->sides, TK_RUN_BASELINE);
    tk_print(&title, " and ");
    tk_report_side_named(&title, &c->sides, TK_RUN_CANDIDATE);
    tk_html_head(tk_print_html(p), &style);
    tk_report_html_text(p, &title);
    tk_html_body(tk_print_html(p), &style);
    tk_html_put(tk_print_html(p), "<main>\n");
}

void tk_report_html_end(struct tk_print *p)
{
    tk_html_end(tk_print_html(p), "This file contains no script and loads nothing.", NULL);
}

void tk_report_html_table(struct tk_print *p, const char *name, const char *caption,
                          const struct tk_report_column *columns)
{
    const struct tk_html h = tk_print_html(p);
    tk_html_table(h, "table", name, TK_HTML_FOCUS, caption);
    for (; columns->title; columns++)
        tk_html_column(h, columns->numbers ? TK_HTML_NUMBERS : "", columns->title);
    tk_html_rows(h);
}

static void print_escaped_bytes(struct tk_print *p, const char *s, size_t n)
{
    const struct tk_str text = {.p = s, .n = (uint32_t)n};
    tk_print_xml(p, &text);
}

void tk_report_html_text(struct tk_print *p, struct tk_print *text)
{
    const size_t skip = text->n > 2 && text->v[0] == ';' ? 2 : 0;
    if (text->n > skip)
        print_escaped_bytes(p, text->v + skip, text->n - skip);
    p->failed |= text->failed;
    free(text->v);
    *text = (struct tk_print){0};
}

void tk_report_html_lines(struct tk_print *p, struct tk_print *text)
{
    size_t from = 0;
    for (size_t i = 0; i < text->n; i++) {
        if (text->v[i] != '\n')
            continue;
        if (i > from) {
            tk_print(p, "<li>");
            print_escaped_bytes(p, text->v + from, i - from);
            tk_print(p, "</li>\n");
        }
        from = i + 1;
    }
    p->failed |= text->failed;
    free(text->v);
    *text = (struct tk_print){0};
}

/* ---- rows ---- */

static const char *shape_of(enum tk_verdict verdict)
{
    static const char *const shapes[TK_VERDICTS] = {"·", "?", "▼", "▲", "+", "−", "→", "↷", "≠"};
    return shapes[verdict];
}

static void print_small(struct tk_print *p, struct tk_print *text)
{
    if (text->n) {
        tk_print(p, "<small>");
        tk_report_html_text(p, text);
        tk_print(p, "</small>");
    }
    free(text->v);
}

static void print_what(struct tk_print *p, const struct tk_change *c)
{
    struct tk_print where = {0}, detail = {0}, path = {0};
    tk_print(p, "<td class=\"what\"><strong>");
    tk_print_xml(p, c->name);
    if (c->to) {
        tk_print(p, " → ");
        tk_print_xml(p, c->to);
    }
    tk_print(p, "</strong>");
    tk_report_what(&where, c, tk_print_name);
    print_small(p, &where);
    tk_report_adjusted(&detail, c, "; ");
    tk_report_detail(&detail, c);
    print_small(p, &detail);
    if (tk_report_has_path(c)) {
        tk_print(&path, "in ");
        tk_report_path(&path, c, NULL);
    }
    print_small(p, &path);
    if (c->cause) {
        tk_print(p, "<small>because of ");
        tk_print_xml(p, c->cause->name);
        tk_print(p, "</small>");
    }
    if (c->owner && c->owner->n) {
        tk_print(p, "<small>owner ");
        tk_print_xml(p, c->owner);
        tk_print(p, "</small>");
    }
    if (c->runs) {
        tk_print(p, "<small>");
        tk_report_runs(p, c, "");
        tk_print(p, "</small>");
    }
    tk_print(p, "</td>");
}

static void print_number(struct tk_print *p, const struct tk_change *c, int side)
{
    struct tk_print text = {0};
    tk_print(p, "<td class=\"n\"><data value=\"");
    tk_print_real(p, side ? c->candidate : c->baseline, 9);
    tk_print(p, "\">");
    tk_report_side_value(&text, c, side);
    tk_report_html_text(p, &text);
    tk_print(p, "</data></td>");
}

/* ---- columns ---- */

typedef void print_cell(struct tk_print *p, const struct tk_comparison *all, const struct tk_change *c);

static void print_ratio(struct tk_print *p, const struct tk_comparison *all, const struct tk_change *c)
{
    (void)all;
    if (c->verdict != TK_RENAMED)
        tk_report_ratio(p, tk_report_measured(c));
}

static void print_interval(struct tk_print *p, const struct tk_comparison *all, const struct tk_change *c)
{
    (void)all;
    if (!tk_report_is_adjusted(c)) /* else it stands by the adjusted figure */
        tk_report_interval(p, c);
}

static void print_axis(struct tk_print *p, const struct tk_comparison *all, const struct tk_change *c)
{
    (void)all;
    tk_report_html_interval(p, c);
}

static void print_calls(struct tk_print *p, const struct tk_comparison *all, const struct tk_change *c)
{
    (void)all;
    tk_report_html_calls(p, c);
}

/* Behind verdict, name and the two values: columns that a table has where one of its rows has anything there.
 */
static const struct column {
    const char *title, *class;
    print_cell *print;
} columns[] = {
    {"change", " class=\"n\"", print_ratio}, {"95 % interval", " class=\"n\"", print_interval},
    {"0.8 to 1.6 times", "", print_axis},    {"runs: ○ before, ◆ after", "", tk_report_html_runs},
    {"calls by length", "", print_calls},
};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* Which rows a table has. */
typedef bool is_row(const struct tk_change *c, enum tk_verdict verdict);

static bool has_verdict(const struct tk_change *c, enum tk_verdict verdict)
{
    return c->verdict == verdict;
}

static bool is_of_frames(const struct tk_change *c, enum tk_verdict verdict)
{
    (void)verdict;
    return tk_change_is_of_frames(c->kind);
}

static bool is_used(struct tk_print *p, const struct column *column, const struct tk_comparison *all,
                    const struct tk_change *c)
{
    struct tk_print cell = {0};
    column->print(&cell, all, c);
    const bool used = cell.n > 0;
    p->failed |= cell.failed;
    free(cell.v);
    return used;
}

static void print_change(struct tk_print *p, const struct tk_comparison *all, const struct tk_change *c,
                         const bool *used)
{
    tk_print(p, "<tr><td class=\"verdict-word %s\">%s %s</td>", tk_verdict_name((enum tk_verdict)c->verdict),
             shape_of((enum tk_verdict)c->verdict), tk_verdict_name((enum tk_verdict)c->verdict));
    print_what(p, c);
    print_number(p, c, 0);
    print_number(p, c, 1);
    for (size_t k = 0; k < N_COLUMNS; k++) {
        if (!used[k])
            continue;
        tk_print(p, "<td%s>", columns[k].class);
        columns[k].print(p, all, c);
        tk_print(p, "</td>");
    }
    tk_print(p, "</tr>\n");
}

/* A table of at most `top` changes that `is` takes; how many it has. */
static size_t print_table(struct tk_print *p, const struct tk_comparison *c, is_row *is,
                          enum tk_verdict verdict, size_t top)
{
    const struct tk_html h = tk_print_html(p);
    bool used[N_COLUMNS] = {0};
    size_t displayed = 0;
    for (size_t i = 0; i < c->changes.n && displayed < top; i++) {
        if (!is(&c->changes.v[i], verdict))
            continue;
        displayed++;
        for (size_t k = 0; k < N_COLUMNS; k++)
            used[k] = used[k] || is_used(p, &columns[k], c, &c->changes.v[i]);
    }
    tk_html_column(h, "", "verdict");
    tk_html_column(h, "", "what");
    tk_html_column(h, TK_HTML_NUMBERS, "before");
    tk_html_column(h, TK_HTML_NUMBERS, "after");
    for (size_t k = 0; k < N_COLUMNS; k++)
        if (used[k])
            tk_html_column(h, columns[k].class, columns[k].title);
    tk_html_rows(h);
    displayed = 0;
    for (size_t i = 0; i < c->changes.n && displayed < top; i++)
        if (is(&c->changes.v[i], verdict)) {
            print_change(p, c, &c->changes.v[i], used);
            displayed++;
        }
    tk_html_table_end(h);
    return displayed;
}

static void print_changes(struct tk_print *p, const struct tk_comparison *c, enum tk_verdict verdict,
                          const char *title, size_t top)
{
    tk_html_table(tk_print_html(p), "table", tk_verdict_name(verdict), TK_HTML_FOCUS | TK_HTML_UNSEEN, title);
    const size_t displayed = print_table(p, c, has_verdict, verdict, top);
    tk_html_more(tk_print_html(p), tk_report_count(c, verdict), displayed, "more");
}

static void print_section(struct tk_print *p, const struct tk_comparison *c,
                          const struct tk_report_section *s, size_t top)
{
    const size_t n = tk_report_count(c, s->verdict);
    const bool folded = s->verdict == TK_INCONCLUSIVE;
    if (n == 0)
        return;
    tk_html_section(tk_print_html(p), tk_verdict_name(s->verdict), "%s: %zu", s->title, n);
    if (folded)
        tk_print(p, "<details>\n<summary>what could not be decided, largest first</summary>\n");
    print_changes(p, c, s->verdict, s->title, tk_report_limit(s->verdict, top));
    tk_print(p, folded ? "</details>\n</section>\n" : "</section>\n");
}

/* ---- the page ---- */

static void print_tile(struct tk_print *p, const struct tk_comparison *c, enum tk_verdict verdict,
                       const char *title)
{
    char text[64];
    snprintf(text, sizeof text, "%s %s", shape_of(verdict), title);
    tk_html_tile(tk_print_html(p), text, tk_report_count(c, verdict));
}

typedef void say(struct tk_print *p, const struct tk_comparison *c);

/* What is said, between two pieces of the page; nothing where nothing is. */
static void print_said(struct tk_print *p, const struct tk_comparison *c, say *said, const char *before,
                       const char *behind)
{
    struct tk_print text = {0};
    said(&text, c);
    const bool any = text.n > 0;
    tk_print(p, "%s", any ? before : "");
    tk_report_html_text(p, &text);
    tk_print(p, "%s", any ? behind : "");
}

static void print_warnings(struct tk_print *p, const struct tk_comparison *c)
{
    struct tk_print warnings = {0};
    tk_report_warnings_text(&warnings, &c->sides, 0);
    tk_print(p, warnings.n ? "<ul class=\"sides\">\n" : "");
    const bool any = warnings.n > 0;
    tk_report_html_lines(p, &warnings);
    tk_print(p, any ? "</ul>\n" : "");
}

static void print_head(struct tk_print *p, const struct tk_comparison *c)
{
    const bool bad = c->worse || tk_sides_flawed(&c->sides);
    tk_print(p, "<header><h1>Comparison</h1>\n<p class=\"verdict %s\">%s ", bad ? "regressed" : "",
             bad ? "▲" : "");
    print_said(p, c, tk_report_lead, "<strong>", "</strong></p>\n");
    print_said(p, c, tk_report_page_todo, "<p>", "");
    tk_print(p, "%s</p>\n",
             c->paths.n ? " <a href=\"#h-flame\">The tree of the difference</a> is below." : "");
    print_warnings(p, c);
    print_said(p, c, tk_report_headline, "<p>", "</p>\n");
    tk_print(p, "<dl class=\"tiles\">\n");
    for (size_t i = 0; i < TK_REPORT_SECTIONS; i++)
        print_tile(p, c, tk_report_sections[i].verdict, tk_report_sections[i].title);
    print_tile(p, c, TK_UNCHANGED, "Unchanged");
    tk_print(p, "</dl></header>\n");
}

/* How it was found, what the words mean, and what the sides are: at the end, and folded. */
static void print_method(struct tk_print *p, const struct tk_comparison *c)
{
    static say *const method[] = {tk_report_method, tk_report_floors_said, tk_report_machine,
                                  tk_report_apart};
    struct tk_print sides = {0}, faults = {0};
    tk_html_section(tk_print_html(p), "method", "How it was compared");
    tk_print(p, "<details>\n<summary>runs, floors, words, and what the sides are</summary>\n"
                "<ul class=\"sides\">\n");
    for (size_t i = 0; i < sizeof method / sizeof *method; i++)
        print_said(p, c, method[i], "<li>", "</li>\n");
    for (const struct tk_report_word *w = tk_report_words; w->word; w++)
        if (strcmp(w->word, "Bars") != 0) /* the page draws calls otherwise */
            tk_print(p, "<li>%s: %s</li>\n", w->word, w->means);
    tk_report_sides_text(&sides, &c->sides, 0);
    tk_report_faults_text(&faults, &c->faults);
    tk_report_html_lines(p, &sides);
    tk_report_html_lines(p, &faults);
    tk_print(p, "</ul>\n</details>\n</section>\n");
}

/* Frame times stand in front, whatever became of them. */
static void print_frames(struct tk_print *p, const struct tk_comparison *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->changes.n; i++)
        n += is_of_frames(&c->changes.v[i], TK_UNCHANGED);
    if (n == 0)
        return;
    tk_html_section(tk_print_html(p), "frames", "Frame times");
    tk_html_table(tk_print_html(p), "table", "frames", TK_HTML_FOCUS,
                  "Percentiles of frame times, and hitches a minute");
    print_table(p, c, is_of_frames, TK_UNCHANGED, n);
    tk_report_html_shares(p, c);
    tk_print(p, "</section>\n");
}

void tk_report_html(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    begin_comparison(p, c);
    print_head(p, c);
    print_frames(p, c);
    tk_report_html_pictures(p, c);
    for (size_t i = 0; i < TK_REPORT_SECTIONS; i++)
        print_section(p, c, &tk_report_sections[i], setup->top ? setup->top : MOST_ROWS);
    tk_report_hitches_html(p, c, setup->top ? setup->top : MOST_ROWS);
    tk_report_html_flame(p, c);
    print_method(p, c);
    tk_report_html_end(p);
}
