/*
 * A trend as Markdown, for a comment or a page of CI.
 */
#include "trend/report/report_in.h"

#include <math.h>

#define TOP 50 /* events of a section */

static void print_row(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                      const char *before, bool notes)
{
    tk_print(p, "| %s", before);
    tk_trend_subject(p, e, tk_print_markdown);
    tk_print(p, " | ");
    tk_trend_size(p, t, e, tk_print_markdown);
    tk_print(p, " | ");
    tk_trend_values(p, e, tk_print_markdown);
    tk_print(p, " | ");
    tk_trend_night(p, t, e->night, tk_print_markdown);
    tk_print(p, " | ");
    tk_trend_detail(p, t, e, tk_print_markdown);
    tk_trend_owner(p, e, tk_print_markdown);
    if (notes)
        tk_trend_notes(p, t, e, tk_print_markdown);
    tk_print(p, " |\n");
}

/* What is no news is folded away. */
static bool is_folded(enum tk_trend_section section)
{
    return section != TK_TREND_REGRESSED && section != TK_TREND_MACHINES;
}

static void begin_section(struct tk_print *p, enum tk_trend_section section, size_t n)
{
    if (is_folded(section))
        tk_print(p, "\n<details><summary>%s (%zu)</summary>\n", tk_trend_section_title(section), n);
    else
        tk_print(p, "\n### %s (%zu)\n", tk_trend_section_title(section), n);
    tk_print(p, "\n| series | change | values | since | |\n|---|---|---|---|---|\n");
}

static void print_section(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *groups,
                          enum tk_trend_section section, const struct tk_report_setup *setup)
{
    size_t all = tk_trend_groups_count(groups, section), top = setup->top ? setup->top : TOP, displayed = 0;
    if (!all || p->n > TK_REPORT_MARKDOWN_MOST)
        return;
    begin_section(p, section, all);
    for (size_t i = 0; i < groups->v.n && displayed < top && p->n < TK_REPORT_MARKDOWN_MOST; i++) {
        const struct tk_trend_group *g = &groups->v.v[i];
        if (g->section != section)
            continue;
        print_row(p, t, g->head, "", g->first);
        for (size_t k = 0; k < g->n && p->n < TK_REPORT_MARKDOWN_MOST; k++)
            print_row(p, t, g->members[k], "&nbsp;&nbsp;", false);
        displayed++;
    }
    if (all > displayed)
        tk_print(p, "\nand %zu more\n", all - displayed);
    if (is_folded(section))
        tk_print(p, "\n</details>\n");
}

static void print_said(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *groups,
                       void (*say)(struct tk_print *, const struct tk_trend *,
                                   const struct tk_trend_groups *),
                       const char *around)
{
    struct tk_print text = {0};
    say(&text, t, groups);
    tk_print(p, "%s", around);
    tk_print_through(p, &text, tk_print_markdown);
    tk_print(p, "%s\n", around);
}

void tk_trend_report_markdown(struct tk_print *p, const struct tk_trend *t,
                              const struct tk_report_setup *setup)
{
    struct tk_trend_groups groups;
    if (tk_trend_groups_make(&groups, t)) {
        p->failed = true;
    } else {
        print_said(p, t, &groups, tk_trend_lead, "**");
        tk_print(p, "\n");
        print_said(p, t, &groups, tk_trend_todo, "");
        for (int s = 0; s < TK_TREND_SECTIONS; s++)
            print_section(p, t, &groups, (enum tk_trend_section)s, setup);
        tk_print(p, "\n<details>\n<summary>How it was tested</summary>\n\n");
        tk_trend_method(p, t, "- ", tk_print_markdown);
        tk_print(p, "\n</details>\n");
    }
    tk_trend_groups_release(&groups);
}
