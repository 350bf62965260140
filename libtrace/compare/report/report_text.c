/*
 * Reports for people: aligned text for a terminal, and Markdown for a comment on a pull request.
 * report_kinds.c lists them.
 */
#include "base/text/text.h"
#include "compare/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_TOP     40
#define MARKDOWN_TOP 50
#define UNSURE_TOP   5
#define NAME_WIDTH   44
#define WIDE         120 /* columns of a terminal where names are one above the other */

static const struct {
    enum tk_verdict verdict;
    const char *title, *colour;
} sections[] = {
    {TK_REGRESSED, "Regressed", "\033[31m"}, {TK_IMPROVED, "Improved", "\033[32m"},
    {TK_ADDED, "Added", "\033[36m"},         {TK_REMOVED, "Removed", "\033[36m"},
    {TK_RENAMED, "Renamed", "\033[36m"},     {TK_INCONCLUSIVE, "Inconclusive", "\033[33m"},
};

#define SECTIONS (sizeof sections / sizeof *sections)

static size_t limit_of(enum tk_verdict verdict, size_t top)
{
    return verdict == TK_INCONCLUSIVE && top > UNSURE_TOP ? UNSURE_TOP : top;
}

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

static void print_name(struct tk_print *p, const struct tk_change *c)
{
    tk_print_name(p, c->name);
    if (c->to) {
        tk_print(p, " -> ");
        tk_print_name(p, c->to);
    }
}

static void print_about(struct tk_print *p, const struct tk_change *c)
{
    tk_print(p, "  [%s", tk_change_kind_name((enum tk_change_kind)c->kind));
    if (c->group->n) {
        tk_print(p, ", ");
        tk_print_name(p, c->group);
    }
    tk_print(p, "]");
}

static void print_line(struct tk_print *p, const struct tk_change *c, const char *colour,
                       const struct tk_report_setup *setup)
{
    struct tk_print_line l = tk_print_line(p, setup->width);
    tk_print(p, "  ");
    print_name(p, c);
    if (!setup->width || setup->width > WIDE)
        tk_print_pad(p, l.from, NAME_WIDTH);
    tk_print_piece(&l);
    tk_print(p, "  %s", colour);
    tk_report_change(p, c);
    tk_print(p, "%s", *colour ? "\033[0m" : "");
    tk_print_piece(&l);
    print_about(p, c);
    tk_print_piece(&l);
    if (has_spark(c)) {
        tk_print(p, "  ");
        print_spark(p, c->spark[0], setup->ascii);
        tk_print(p, " > ");
        print_spark(p, c->spark[1], setup->ascii);
        tk_print_piece(&l);
    }
    tk_report_detail(p, c);
    if (c->runs)
        tk_print(p, "  %u runs a side would tell", c->runs);
    if (c->cause) {
        tk_print(p, "  because of ");
        tk_print_name(p, c->cause->name);
    }
    tk_print_piece(&l);
    tk_print(p, "\n");
}

static void print_section(struct tk_print *p, const struct tk_comparison *c, size_t section,
                          const struct tk_report_setup *setup)
{
    size_t shown = 0, n = tk_report_count(c, sections[section].verdict);
    const size_t top = limit_of(sections[section].verdict, setup->top ? setup->top : TEXT_TOP);
    if (n == 0)
        return;
    tk_print(p, "\n%s\n", sections[section].title);
    for (size_t i = 0; i < c->changes.n && shown < top; i++)
        if (c->changes.v[i].verdict == sections[section].verdict) {
            print_line(p, &c->changes.v[i], setup->colour ? sections[section].colour : "", setup);
            shown++;
        }
    if (n > shown)
        tk_print(p, "  and %zu more\n", n - shown);
}

static bool is_explained(const struct tk_change *c)
{
    return c->verdict == TK_UNCHANGED && c->cause;
}

/* What moved only because something else did. */
static void print_explained(struct tk_print *p, const struct tk_comparison *c,
                            const struct tk_report_setup *setup)
{
    size_t n = 0, top = setup->top ? setup->top : TEXT_TOP;
    for (size_t i = 0; i < c->changes.n; i++)
        if (is_explained(&c->changes.v[i]) && n++ < top) {
            if (n == 1)
                tk_print(p, "\nMoved with others\n");
            print_line(p, &c->changes.v[i], "", setup);
        }
    if (n > top)
        tk_print(p, "  and %zu more\n", n - top);
}

static bool machine_differs(const struct tk_comparison *c)
{
    return fabs(c->machine - 1) >= 0.005;
}

static void print_machine(struct tk_print *p, const struct tk_comparison *c)
{
    if (!machine_differs(c))
        return;
    tk_print(p, "all timers together differ by ");
    tk_report_percent(p, c->machine);
    tk_print(p, ", which is taken for an effect of the machine and out of the figures of timers");
}

/* What was printed from `from` on in lines of the width, broken between words. */
static void break_line(struct tk_print *p, size_t from, size_t width)
{
    size_t begin = from, blank = 0;
    for (size_t i = from; width && !p->failed && i <= p->n; i++) {
        if (i < p->n && p->v[i] != ' ')
            continue;
        if (blank && tk_utf8_width(p->v + begin, i - begin) > width) {
            p->v[blank] = '\n';
            begin = blank + 1;
        }
        blank = i;
    }
}

void tk_report_text(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    static void (*const heads[])(struct tk_print *, const struct tk_comparison *) = {
        tk_report_headline, tk_report_method, print_machine};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const size_t from = p->n;
        heads[i](p, c);
        break_line(p, from, setup->width);
        tk_print(p, "%s", p->n > from ? "\n" : "");
    }
    tk_report_faults_text(p, &c->faults);
    for (size_t i = 0; i < SECTIONS; i++)
        print_section(p, c, i, setup);
    print_explained(p, c, setup);
}

/* ---- Markdown ---- */

static void markdown_detail(struct tk_print *p, const struct tk_change *c)
{
    struct tk_print text = {0};
    tk_report_detail(&text, c);
    const struct tk_str detail = {.p = text.v, .n = (uint32_t)text.n};
    if (text.n)
        tk_print_markdown(p, &detail);
    p->failed |= text.failed;
    free(text.v);
}

static void markdown_row(struct tk_print *p, const struct tk_change *c)
{
    tk_print(p, "| ");
    tk_print_markdown(p, c->name);
    if (c->to) {
        tk_print(p, " → ");
        tk_print_markdown(p, c->to);
    }
    tk_print(p, " | %s", tk_change_kind_name((enum tk_change_kind)c->kind));
    if (c->group->n) {
        tk_print(p, ", ");
        tk_print_markdown(p, c->group);
    }
    tk_print(p, " | ");
    tk_report_change(p, c);
    markdown_detail(p, c);
    if (c->runs)
        tk_print(p, "; %u runs a side would tell", c->runs);
    if (c->cause) {
        tk_print(p, "; because of ");
        tk_print_markdown(p, c->cause->name);
    }
    tk_print(p, " |\n");
}

static void markdown_section(struct tk_print *p, const struct tk_comparison *c, size_t section, size_t top)
{
    size_t shown = 0, n = tk_report_count(c, sections[section].verdict);
    top = limit_of(sections[section].verdict, top);
    if (n == 0)
        return;
    tk_print(p, "\n### %s: %zu\n\n| what | where | from, to |\n|---|---|---|\n", sections[section].title, n);
    for (size_t i = 0; i < c->changes.n && shown < top && p->n < TK_REPORT_MARKDOWN_MOST; i++)
        if (c->changes.v[i].verdict == sections[section].verdict) {
            markdown_row(p, &c->changes.v[i]);
            shown++;
        }
    if (n > shown)
        tk_print(p, "\nand %zu more\n", n - shown);
}

void tk_report_markdown(struct tk_print *p, const struct tk_comparison *c,
                        const struct tk_report_setup *setup)
{
    tk_print(p, "## ");
    tk_report_headline(p, c);
    tk_print(p, "\n\n");
    tk_report_method(p, c);
    tk_print(p, ".\n");
    if (machine_differs(c)) {
        tk_print(p, "\n");
        print_machine(p, c);
        tk_print(p, ".\n");
    }
    tk_report_faults_markdown(p, &c->faults);
    for (size_t i = 0; i < SECTIONS; i++)
        markdown_section(p, c, i, setup->top ? setup->top : MARKDOWN_TOP);
}
