/*
 * The page of a trend for a terminal, in 80 columns.
 */
#include "trend/report/report_in.h"

#include <math.h>

#define TOP     20 /* events of a section */
#define MEMBERS 3  /* series of an event */
#define SPARK   60
#define INDENT  8  /* of further lines of an event */
#define VALUES  12 /* series whose values are displayed where nothing was tested */

static const char *const colours[TK_TREND_SECTIONS] = {
    [TK_TREND_REGRESSED] = "\033[31m", [TK_TREND_MACHINES] = "\033[1m", [TK_TREND_CHANGED] = "",
    [TK_TREND_DRIFTS] = "\033[35m",    [TK_TREND_OPEN] = "\033[31m",    [TK_TREND_SUSPECTS] = "\033[35m"};

static bool is_wide(const struct tk_report_setup *setup)
{
    return (setup->width ? setup->width : TK_REPORT_WIDTH) >= TK_REPORT_OWNERS_FROM;
}

/* Prints with a piece at a time, so that no line is longer than the terminal. */
static void print_member(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                         const struct tk_report_setup *setup)
{
    struct tk_print_line l = tk_print_line(p, setup->width);
    tk_print(p, "      ");
    tk_trend_subject(p, e, tk_print_name);
    tk_print_piece(&l);
    tk_print(p, "  ");
    tk_trend_size(p, t, e, tk_print_name);
    tk_print_piece(&l);
    tk_print(p, "  ");
    tk_trend_values(p, e, tk_print_name);
    tk_print_piece(&l);
    if (is_wide(setup)) {
        tk_trend_owner(p, e, tk_print_name);
        tk_print_piece(&l);
    }
    tk_print(p, "\n");
}

static void print_head(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_group *g,
                       const struct tk_report_setup *setup)
{
    const struct tk_trend_event *e = g->head;
    const char *colour = setup->colour ? colours[g->section] : "";
    struct tk_print_line l = tk_print_line(p, setup->width);
    tk_print(p, "  %s", colour);
    tk_trend_subject(p, e, tk_print_name);
    tk_print_piece(&l);
    tk_print(p, "  ");
    tk_trend_size(p, t, e, tk_print_name);
    tk_print(p, "%s", *colour ? "\033[0m" : "");
    tk_print_piece(&l);
    if (e->series) {
        tk_print(p, "  ");
        tk_trend_values(p, e, tk_print_name);
        tk_print_piece(&l);
    }
    tk_print(p, "\n");
    const size_t from = p->n;
    tk_print(p, "      from ");
    tk_trend_night(p, t, e->night, tk_print_name);
    tk_print(p, "; ");
    tk_trend_detail(p, t, e, tk_print_name);
    if (is_wide(setup))
        tk_trend_owner(p, e, tk_print_name);
    if (g->first)
        tk_trend_notes(p, t, e, tk_print_name);
    tk_print_wrap(p, from, setup->width, INDENT);
    tk_print(p, "\n");
}

static void print_group(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_group *g,
                        const struct tk_report_setup *setup)
{
    print_head(p, t, g, setup);
    if (g->head->series && setup->plot) {
        tk_trend_plot(p, t, g->head->series, "      ", SPARK, setup->ascii);
    } else if (g->head->series) {
        tk_print(p, "      ");
        tk_trend_spark(p, t, g->head->series, SPARK, setup->ascii);
        tk_print(p, "\n");
    }
    for (size_t i = 0; i < g->n && i < MEMBERS; i++)
        print_member(p, t, g->members[i], setup);
    if (g->n > MEMBERS)
        tk_print(p, "      and %zu more series at the same %s\n", g->n - MEMBERS, tk_trend_unit(t));
}

static void print_section(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *groups,
                          enum tk_trend_section section, const struct tk_report_setup *setup)
{
    size_t all = tk_trend_groups_count(groups, section), top = setup->top ? setup->top : TOP, displayed = 0;
    if (!all)
        return;
    tk_print(p, "\n%s (%zu)\n", tk_trend_section_title(section), all);
    for (size_t i = 0; i < groups->v.n && displayed < top; i++)
        if (groups->v.v[i].section == section) {
            print_group(p, t, &groups->v.v[i], setup);
            displayed++;
        }
    if (all > top)
        tk_print(p, "  and %zu more\n", all - top);
}

/* Without enough nights values are all there is: those of the frames first. */
static void print_values(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup)
{
    size_t displayed = 0;
    tk_print(p, "\nValues\n");
    for (int kind = 0; kind < TK_HISTORY_KINDS; kind++)
        for (size_t i = 0; i < t->levels.n && displayed < VALUES; i++) {
            const struct tk_trend_level *l = &t->levels.v[i];
            if (l->series->kind != kind || isnan(l->now))
                continue;
            size_t from = p->n;
            tk_print(p, "  ");
            tk_trend_spark(p, t, l->series, SPARK, setup->ascii);
            tk_print(p, "  ");
            tk_print_real(p, l->now, 4);
            tk_print(p, " ");
            tk_print_name(p, l->series->unit);
            tk_print_pad(p, from, 34);
            tk_print(p, "  ");
            tk_print_name(p, l->series->name);
            tk_print(p, "\n");
            displayed++;
        }
    if (t->levels.n > displayed)
        tk_print(p, "  and %zu more series\n", t->levels.n - displayed);
}

static void print_said(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *groups,
                       const struct tk_report_setup *setup,
                       void (*say)(struct tk_print *, const struct tk_trend *,
                                   const struct tk_trend_groups *))
{
    const size_t from = p->n;
    say(p, t, groups);
    tk_print_break(p, from, setup->width ? setup->width : TK_REPORT_WIDTH);
    tk_print(p, "\n");
}

static void print_method(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup)
{
    tk_print(p, "\nHow it was tested\n");
    const size_t from = p->n;
    tk_trend_method(p, t, "  ", tk_print_name);
    tk_print_wrap(p, from, setup->width, 4);
}

void tk_trend_report_text(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup)
{
    struct tk_trend_groups groups;
    if (tk_trend_groups_make(&groups, t)) {
        p->failed = true;
    } else {
        print_said(p, t, &groups, setup, tk_trend_lead);
        print_said(p, t, &groups, setup, tk_trend_todo);
        for (int s = 0; s < TK_TREND_SECTIONS; s++)
            print_section(p, t, &groups, (enum tk_trend_section)s, setup);
        if (t->history->nights < TK_TREND_NIGHTS)
            print_values(p, t, setup);
        print_method(p, t, setup);
    }
    tk_trend_groups_release(&groups);
}
