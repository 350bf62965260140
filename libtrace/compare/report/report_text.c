/*
 * The page of a comparison for a terminal: what changed one below the other, most important first, figures in
 * columns. report_kinds.c lists it.
 */
#include "base/text/text.h"
#include "compare/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Differential folded stacks, for tools that draw flame graphs of two profiles: a line for each path of
 * calls, `class;outermost;...;innermost BASELINE CANDIDATE`, own time in whole microseconds a frame. Paths
 * that take less than a thousandth of a frame are left out.
 */

/* A name without what separates names and figures. */
static void print_frame(struct tk_print *p, const struct tk_str *name)
{
    struct tk_print text = {0};
    tk_print_name(&text, name);
    for (size_t i = 0; i < text.n; i++)
        text.v[i] = text.v[i] == ';' ? ',' : text.v[i];
    tk_print_bytes(p, text.v, text.n);
    p->failed |= text.failed;
    free(text.v);
}

void tk_report_folded(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    (void)setup;
    for (size_t i = 0; i < c->paths.n; i++) {
        const struct tk_comparison_path *path = &c->paths.v[i];
        if (llround(path->us[0]) <= 0 && llround(path->us[1]) <= 0)
            continue;
        print_frame(p, path->group);
        tk_print(p, ";");
        tk_print_name(p, path->text);
        tk_print(p, " %lld %lld\n", llround(fmax(path->us[0], 0)), llround(fmax(path->us[1], 0)));
    }
}

#define MOST_ROWS   40
#define LEAST_WIDTH 50
#define NARROW      72 /* narrower than this, intervals are among the notes */
#define MOST_WIDTH  120
#define GAP         2       /* at least, between columns */
#define INDENT      "     " /* of what is said below a name */

enum { BEFORE, AFTER, CHANGE, INTERVAL, COLUMNS };

static const struct {
    const char *title;
    size_t width; /* with the gap in front */
} columns[COLUMNS] = {{"before", 11}, {"after", 11}, {"change", 10}, {"95 % interval", 20}};

struct page {
    struct tk_print *p;
    const struct tk_report_setup *setup;
    size_t columns; /* that there is space for */
    size_t name;    /* width of the column of names */
    bool title;     /* there was a table */
    bool bars;      /* there were some */
    bool adjusted;  /* there was a change that differs from the one as measured */
};

static void fit_columns(struct page *page, bool intervals)
{
    size_t width = page->setup->width ? page->setup->width : TK_REPORT_WIDTH;
    width = width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : width;
    page->columns = width < NARROW || !intervals ? INTERVAL : COLUMNS;
    page->name = width;
    for (size_t i = 0; i < page->columns; i++)
        page->name -= columns[i].width;
}

/* ---- the columns ---- */

static void print_right(struct tk_print *p, const char *text, size_t n, size_t width)
{
    size_t have = tk_utf8_width(text, n);
    for (have = have + GAP < width ? have : width - GAP; have < width; have++)
        tk_print_bytes(p, " ", 1);
    tk_print_bytes(p, text, n);
}

static void print_figure(struct tk_print *text, const struct tk_change *c, size_t column)
{
    if (column == INTERVAL && !tk_report_is_adjusted(c))
        tk_report_interval(text, c);
    else if (column == INTERVAL)
        return; /* it stands by the adjusted figure */
    else if (column == BEFORE || column == AFTER)
        tk_report_side_value(text, c, column == AFTER);
    else if (c->verdict != TK_RENAMED)
        tk_report_ratio(text, tk_report_measured(c));
}

static void print_figures(const struct page *page, const struct tk_change *c, const char *colour)
{
    for (size_t i = 0; i < page->columns; i++) {
        struct tk_print text = {0};
        print_figure(&text, c, i);
        if (i == CHANGE && text.n)
            tk_print(page->p, "%s", colour);
        if (text.n)
            print_right(page->p, text.v, text.n, columns[i].width);
        if (i == CHANGE && text.n && *colour)
            tk_print(page->p, "\033[0m");
        page->p->failed |= text.failed;
        free(text.v);
    }
}

static void print_title(struct page *page, const char *title)
{
    page->title = true;
    tk_print(page->p, "\n");
    const size_t from = page->p->n;
    tk_print(page->p, "%s", title);
    tk_print_pad(page->p, from, page->name);
    for (size_t i = 0; i < page->columns; i++)
        print_right(page->p, columns[i].title, strlen(columns[i].title), columns[i].width);
    tk_print(page->p, "\n");
}

/* ---- a change ---- */

static void print_spark(struct tk_print *p, const uint16_t spark[TK_SPARK], bool ascii)
{
    static const char *const bars[][9] = {{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
                                          {" ", ".", ":", "-", "=", "+", "*", "#", "@"}};
    for (int i = 0; i < TK_SPARK; i++)
        tk_print(p, "%s", bars[ascii][(spark[i] * 8 + 999) / 1000]);
}

static bool has_spark(const struct tk_change *c)
{
    unsigned any = 0;
    for (int i = 0; i < TK_SPARK; i++)
        any |= c->spark[0][i] | c->spark[1][i];
    return any != 0;
}

/* Is a line broken behind the byte at i? Before a blank, and behind what stands between parts of a name. */
static bool ends_word(const struct tk_print *text, size_t i)
{
    const char *p = text->v;
    return i + 1 == text->n || p[i + 1] == ' ' || p[i] == '/' || (i && p[i] == ':' && p[i - 1] == ':');
}

/* A text, broken between its words. */
static void print_words(struct tk_print_line *l, struct tk_print *text)
{
    for (size_t i = 0, from = 0; i < text->n; i++)
        if (ends_word(text, i)) {
            tk_print_bytes(l->p, text->v + from, i + 1 - from);
            tk_print_piece(l);
            from = i + 1;
        }
    l->p->failed |= text->failed;
    free(text->v);
}

/* The name, and the figures alongside it, or below it where it is too long. */
static void print_head(const struct page *page, const struct tk_change *c, const char *colour)
{
    struct tk_print name = {0};
    struct tk_print_line l = tk_print_line(page->p, page->setup->width);
    const size_t from = page->p->n;
    tk_print_name(&name, c->name);
    if (c->to) {
        tk_print(&name, " -> ");
        tk_print_name(&name, c->to);
    }
    const bool fits = tk_utf8_width(name.v, name.n) + 2 <= page->name;
    tk_print(page->p, "  ");
    print_words(&l, &name);
    if (!fits)
        tk_print(page->p, "\n");
    tk_print_pad(page->p, fits ? from : page->p->n, page->name);
    print_figures(page, c, colour);
    tk_print(page->p, "\n");
}

static void print_bars(struct page *page, const struct tk_change *c)
{
    if (!has_spark(c))
        return;
    tk_print(page->p, "  [");
    print_spark(page->p, c->spark[0], page->setup->ascii);
    tk_print(page->p, "] [");
    print_spark(page->p, c->spark[1], page->setup->ascii);
    tk_print(page->p, "]");
    page->bars = true;
}

/* What is behind it, in a line of its own, as sentences with "; " between them. */
static void print_notes(struct page *page, const struct tk_change *c)
{
    struct tk_print text = {0};
    struct tk_print_line l = tk_print_line(page->p, page->setup->width);
    if (page->columns <= INTERVAL && !tk_report_is_adjusted(c) && isfinite(c->low) && isfinite(c->high)) {
        tk_print(&text, "; 95 %% interval ");
        tk_report_interval(&text, c);
    }
    const size_t before = text.n;
    tk_report_adjusted(&text, c, "; ");
    page->adjusted |= text.n != before;
    tk_report_detail(&text, c);
    tk_report_runs(&text, c, "; ");
    if (c->cause) {
        tk_print(&text, "; because of ");
        tk_print_name(&text, c->cause->name);
    }
    if (c->owner && c->owner->n &&
        (page->setup->width ? page->setup->width : TK_REPORT_WIDTH) >= TK_REPORT_OWNERS_FROM) {
        tk_print(&text, "; owner ");
        tk_print_name(&text, c->owner);
    }
    if (!text.n) {
        free(text.v);
        return;
    }
    text.n -= 2;
    memmove(text.v, text.v + 2, text.n); /* without the first "; " */
    tk_print(page->p, INDENT);
    print_words(&l, &text);
    tk_print(page->p, "\n");
}

static void print_path(const struct page *page, const struct tk_change *c)
{
    struct tk_print_line l = tk_print_line(page->p, page->setup->width);
    if (!tk_report_has_path(c))
        return;
    tk_print(page->p, INDENT "in ");
    tk_report_path(page->p, c, &l);
    tk_print(page->p, "\n");
}

static void print_change(struct page *page, const struct tk_change *c, const char *colour)
{
    struct tk_print_line l;
    print_head(page, c, colour);
    l = tk_print_line(page->p, page->setup->width);
    tk_print(page->p, INDENT);
    tk_report_what(page->p, c, tk_print_name);
    tk_print_piece(&l);
    print_bars(page, c);
    tk_print_piece(&l);
    tk_print(page->p, "\n");
    print_notes(page, c);
    print_path(page, c);
}

/* ---- sections ---- */

static void print_section(struct page *page, const struct tk_comparison *c, const struct tk_report_section *s)
{
    size_t displayed = 0, n = tk_report_count(c, s->verdict);
    const size_t top = tk_report_limit(s->verdict, page->setup->top ? page->setup->top : MOST_ROWS);
    if (n == 0)
        return;
    print_title(page, s->title);
    for (size_t i = 0; i < c->changes.n && displayed < top; i++)
        if (c->changes.v[i].verdict == s->verdict) {
            print_change(page, &c->changes.v[i], page->setup->colour ? s->colour : "");
            displayed++;
        }
    if (n > displayed)
        tk_print(page->p, "  and %zu more\n", n - displayed);
}

static bool is_explained(const struct tk_change *c)
{
    return c->verdict == TK_UNCHANGED && c->cause;
}

/* What moved only because something else did. */
static void print_explained(struct page *page, const struct tk_comparison *c)
{
    size_t n = 0, top = page->setup->top ? page->setup->top : MOST_ROWS;
    for (size_t i = 0; i < c->changes.n; i++)
        if (is_explained(&c->changes.v[i]) && n++ < top) {
            if (n == 1)
                print_title(page, "Moved with others");
            print_change(page, &c->changes.v[i], "");
        }
    if (n > top)
        tk_print(page->p, "  and %zu more\n", n - top);
}

typedef void say(struct tk_print *p, const struct tk_comparison *c);

static size_t width_of(const struct page *page)
{
    return page->setup->width ? page->setup->width : TK_REPORT_WIDTH;
}

static void print_said(struct page *page, const struct tk_comparison *c, say *const *said, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t from = page->p->n;
        said[i](page->p, c);
        tk_print_break(page->p, from, width_of(page));
        tk_print(page->p, "%s", page->p->n > from ? "\n" : "");
    }
}

static void print_lead(struct page *page, const struct tk_comparison *c)
{
    static say *const lead[] = {tk_report_lead, tk_report_todo};
    static say *const counts[] = {tk_report_headline};
    print_said(page, c, lead, sizeof lead / sizeof *lead);
    tk_report_warnings_text(page->p, &c->sides, width_of(page));
    tk_print(page->p, "\n");
    print_said(page, c, counts, 1);
}

/* What the words mean that the tables had. */
static void print_legend(const struct page *page, const struct tk_comparison *c)
{
    const bool wanted[] = {page->title, page->title && page->columns > INTERVAL, page->adjusted,
                           page->title && tk_report_count(c, TK_INCONCLUSIVE), page->bars};
    bool begun = false;
    for (size_t i = 0; tk_report_words[i].word; i++) {
        if (!wanted[i])
            continue;
        tk_print(page->p, "%s", begun ? "" : "\n");
        begun = true;
        const size_t from = page->p->n;
        tk_print(page->p, "%s: %s", tk_report_words[i].word, tk_report_words[i].means);
        tk_print_break(page->p, from, width_of(page));
        tk_print(page->p, "\n");
    }
}

static void print_method(struct page *page, const struct tk_comparison *c)
{
    static say *const method[] = {tk_report_method, tk_report_floors_said, tk_report_machine,
                                  tk_report_apart};
    tk_print(page->p, "\nHow it was compared\n");
    print_said(page, c, method, sizeof method / sizeof *method);
    tk_report_sides_text(page->p, &c->sides, width_of(page));
    tk_report_faults_text(page->p, &c->faults);
}

void tk_report_text(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    struct page page = {.p = p, .setup = setup};
    fit_columns(&page, c->design == TK_DESIGN_RUNS);
    print_lead(&page, c);
    for (size_t i = 0; i < TK_REPORT_SECTIONS; i++)
        print_section(&page, c, &tk_report_sections[i]);
    print_explained(&page, c);
    tk_report_hitches_text(p, c, width_of(&page), setup->top ? setup->top : MOST_ROWS);
    print_legend(&page, c);
    print_method(&page, c);
}
