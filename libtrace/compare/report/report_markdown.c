/*
 * The report for a comment on a pull request: Markdown. report_kinds.c lists it.
 */
#include "compare/report/report.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 50
#define OPEN_ROWS 10 /* rows of a table that is not folded away */

static void print_cell(struct tk_print *p, const struct tk_change *c, int side)
{
    tk_report_side_value(p, c, side);
    tk_print(p, " | ");
}

static void print_what(struct tk_print *p, const struct tk_change *c)
{
    tk_print_markdown(p, c->name);
    if (c->to) {
        tk_print(p, " → ");
        tk_print_markdown(p, c->to);
    }
    tk_print(p, " | ");
    tk_report_what(p, c, tk_print_markdown);
}

/* A sentence that was made for a line of text, as one of a cell. */
static void print_text(struct tk_print *p, struct tk_print *text, const char *between)
{
    const size_t skip = text->n > 2 && text->v[0] == ';' ? 2 : 0;
    if (text->n) {
        const struct tk_str s = {.p = text->v + skip, .n = (uint32_t)(text->n - skip)};
        tk_print(p, "%s", between);
        tk_print_markdown(p, &s);
    }
    p->failed |= text->failed;
    free(text->v);
}

static void print_notes(struct tk_print *p, const struct tk_change *c)
{
    struct tk_print detail = {0}, path = {0};
    const size_t from = p->n;
    tk_report_adjusted(&detail, c, "; ");
    tk_report_detail(&detail, c);
    print_text(p, &detail, "");
    if (tk_report_has_path(c)) {
        tk_report_path(&path, c, NULL);
        print_text(p, &path, p->n > from ? "; in " : "in ");
    }
    tk_report_runs(p, c, p->n > from ? "; " : "");
    if (c->cause) {
        tk_print(p, "%sbecause of ", p->n > from ? "; " : "");
        tk_print_markdown(p, c->cause->name);
    }
    if (c->owner && c->owner->n) {
        tk_print(p, "%sowner ", p->n > from ? "; " : "");
        tk_print_markdown(p, c->owner);
    }
}

static void print_row(struct tk_print *p, const struct tk_change *c, bool intervals)
{
    tk_print(p, "| ");
    print_what(p, c);
    tk_print(p, " | ");
    print_cell(p, c, 0);
    print_cell(p, c, 1);
    if (c->verdict != TK_RENAMED)
        tk_report_ratio(p, tk_report_measured(c));
    tk_print(p, " | ");
    if (intervals) {
        if (!tk_report_is_adjusted(c)) /* else it stands by the adjusted figure */
            tk_report_interval(p, c);
        tk_print(p, " | ");
    }
    print_notes(p, c);
    tk_print(p, " |\n");
}

static void print_table(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_section *s,
                        size_t n, size_t top)
{
    const bool intervals = c->design == TK_DESIGN_RUNS; /* two single runs have none */
    size_t displayed = 0;
    tk_print(p, "\n| what | where | before | after | change |%s |\n|---|---|--:|--:|--:|%s---|\n",
             intervals ? " 95 % interval |" : "", intervals ? "--:|" : "");
    for (size_t i = 0; i < c->changes.n && displayed < top && p->n < TK_REPORT_MARKDOWN_MOST; i++)
        if (c->changes.v[i].verdict == s->verdict) {
            print_row(p, &c->changes.v[i], intervals);
            displayed++;
        }
    if (n > displayed)
        tk_print(p, "\nand %zu more\n", n - displayed);
}

/* What is worse is in sight; of the rest what is long, or says little, is folded away. */
static void print_section(struct tk_print *p, const struct tk_comparison *c,
                          const struct tk_report_section *s, size_t top)
{
    const size_t n = tk_report_count(c, s->verdict);
    const bool folded = s->verdict != TK_REGRESSED && (n > OPEN_ROWS || s->verdict != TK_IMPROVED);
    if (n == 0 || p->n >= TK_REPORT_MARKDOWN_MOST)
        return;
    if (folded)
        tk_print(p, "\n<details>\n<summary>%s: %zu</summary>\n", s->title, n);
    else
        tk_print(p, "\n### %s: %zu\n", s->title, n);
    print_table(p, c, s, n, tk_report_limit(s->verdict, top));
    if (folded)
        tk_print(p, "\n</details>\n");
}

/* What is said, as a paragraph with something in front and behind; nothing where nothing is. */
static void print_said(struct tk_print *p, const struct tk_comparison *c,
                       void (*say)(struct tk_print *, const struct tk_comparison *), const char *before,
                       const char *behind)
{
    struct tk_print text = {0};
    say(&text, c);
    const bool any = text.n > 0;
    tk_print(p, "%s", any ? before : "");
    tk_print_through(p, &text, tk_print_markdown);
    tk_print(p, "%s", any ? behind : "");
}

static void print_words(struct tk_print *p)
{
    tk_print(p, "\n");
    for (const struct tk_report_word *w = tk_report_words; w->word; w++)
        if (strcmp(w->word, "Bars") != 0) /* no row has some */
            tk_print(p, "* %s: %s\n", w->word, w->means);
}

static void print_method(struct tk_print *p, const struct tk_comparison *c)
{
    tk_print(p, "\n<details>\n<summary>How it was compared</summary>\n");
    print_said(p, c, tk_report_method, "\n* ", "\n");
    print_said(p, c, tk_report_floors_said, "* ", "\n");
    print_said(p, c, tk_report_machine, "* ", "\n");
    print_said(p, c, tk_report_apart, "* ", "\n");
    print_words(p);
    tk_report_sides_markdown(p, &c->sides);
    tk_report_faults_markdown(p, &c->faults);
    tk_print(p, "\n</details>\n");
}

void tk_report_markdown(struct tk_print *p, const struct tk_comparison *c,
                        const struct tk_report_setup *setup)
{
    print_said(p, c, tk_report_lead, "**", "**\n");
    print_said(p, c, tk_report_todo, "\n", "\n");
    tk_report_warnings_markdown(p, &c->sides);
    print_said(p, c, tk_report_headline, "\n", "\n");
    for (size_t i = 0; i < TK_REPORT_SECTIONS; i++)
        print_section(p, c, &tk_report_sections[i], setup->top ? setup->top : MOST_ROWS);
    tk_report_hitches_markdown(p, c, setup->top ? setup->top : MOST_ROWS);
    print_method(p, c);
}
