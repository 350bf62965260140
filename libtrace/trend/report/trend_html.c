/*
 * The page of a trend: one HTML file without a script. trend_report_kinds.c lists it.
 */
#include "compare/report/report_html.h"
#include "trend/report/report_in.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOP = 60,          /* groups of a section */
    MEMBERS = 20,      /* series of a group */
    MOST_SERIES = 300, /* rows of the list of series, */
    MOST_RUNS = 500,   /* and of that of runs */
    WIDE = 620,
    NARROW = 240,
    HIGH = 110,
    LOW = 56,
    CAUSES = 3 /* timers under a figure */
};

typedef void say_event(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e);

static void say_subject(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    (void)t;
    tk_trend_subject(p, e, tk_print_name);
}

static void say_size(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    tk_trend_size(p, t, e, tk_print_name);
}

static void say_values(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    (void)t;
    tk_trend_values(p, e, tk_print_name);
}

static void say_night(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    tk_trend_night(p, t, e->night, tk_print_name);
}

static void say_detail(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    tk_trend_detail(p, t, e, tk_print_name);
    tk_trend_owner(p, e, tk_print_name);
}

static void say_notes(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    tk_trend_notes(p, t, e, tk_print_name);
}

static void print_said(struct tk_print *p, say_event *say, const struct tk_trend *t,
                       const struct tk_trend_event *e)
{
    struct tk_print text = {0};
    say(&text, t, e);
    tk_report_html_text(p, &text);
}

/* ---- events ---- */

static bool says_way(const struct tk_trend_event *e)
{
    return e->kind != TK_TREND_MACHINE && (!e->series || e->series->worse != TK_HISTORY_NEITHER);
}

static void print_event(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                        bool member, bool notes)
{
    const char *class = !says_way(e) ? "" : e->worse ? "regressed" : "improved";
    const char *way = !says_way(e) ? "· changed" : e->worse ? "▲ worse" : "▼ better";
    tk_print(p, "<tr><td class=\"%s\">%s</td><td class=\"what%s\">%s", class, way, member ? " d1" : "",
             member ? "" : "<strong>");
    print_said(p, say_subject, t, e);
    tk_print(p, member ? "<small>" : "</strong><small>");
    print_said(p, say_detail, t, e);
    tk_print(p, "</small>");
    if (notes) {
        tk_print(p, "<small>");
        print_said(p, say_notes, t, e);
        tk_print(p, "</small>");
    }
    tk_print(p, "</td><td>");
    print_said(p, say_size, t, e);
    tk_print(p, "</td><td>");
    print_said(p, say_values, t, e);
    tk_print(p, "</td><td>");
    print_said(p, say_night, t, e);
    tk_print(p, "</td><td>");
    if (e->series)
        tk_trend_chart(p, t, e->series, e->night, NARROW, LOW);
    tk_print(p, "</td></tr>\n");
}

static void print_group(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_group *g)
{
    print_event(p, t, g->head, false, g->first);
    for (size_t i = 0; i < g->n && i < MEMBERS; i++)
        print_event(p, t, g->members[i], true, false);
    if (g->n > MEMBERS)
        tk_print(p, "<tr><td></td><td>and %zu more series at the same %s</td></tr>\n", g->n - MEMBERS,
                 tk_trend_unit(t));
}

static void print_section(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *groups,
                          enum tk_trend_section section, size_t top)
{
    static const char *const columns[] = {"which way", "what", "change", "values", "since", "over time"};
    const struct tk_html h = tk_print_html(p);
    const size_t all = tk_trend_groups_count(groups, section);
    char id[16], caption[96];
    size_t displayed = 0;
    if (!all)
        return;
    const char *title = tk_trend_section_title(section);
    snprintf(id, sizeof id, "%d", (int)section);
    snprintf(caption, sizeof caption, "%s, the newest first", title);
    tk_html_section(h, id, "%s: %zu", title, all);
    tk_html_table(h, "section", id, TK_HTML_FOCUS, caption);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        tk_html_column(h, "", columns[i]);
    tk_html_rows(h);
    for (size_t i = 0; i < groups->v.n && displayed < top; i++)
        if (groups->v.v[i].section == section) {
            print_group(p, t, &groups->v.v[i]);
            displayed++;
        }
    tk_html_table_end(h);
    tk_html_more(h, all, displayed, "more");
    tk_html_section_end(h);
}

/* ---- series ---- */

static void print_value(struct tk_print *p, double v, const struct tk_str *unit)
{
    tk_print(p, "<data value=\"");
    tk_print_real(p, v, 9);
    tk_print(p, "\">");
    tk_print_real(p, v, 4);
    tk_print(p, "</data> ");
    const size_t skip = unit->n > 2 && memcmp(unit->p, "1/", 2) == 0; /* "3.5 /min" */
    const struct tk_str reported = {
        .p = (const char *)unit->p + skip, .n = unit->n - (uint32_t)skip, .enc = unit->enc};
    tk_print_xml(p, &reported);
}

static bool is_of_frames(const struct tk_trend_level *l)
{
    return l->series->kind == TK_HISTORY_FRAME || l->series->kind == TK_HISTORY_HITCHES;
}

/* The newest change of a series, for the line in its chart. */
static uint32_t newest_change(const struct tk_trend_level *l)
{
    return l->since ? l->since : UINT32_MAX;
}

/* The change that a chart marks: the newest of the series. */
static const struct tk_trend_event *change_of(const struct tk_trend *t, const struct tk_trend_level *l)
{
    const struct tk_trend_event *found = NULL;
    for (size_t i = 0; i < t->events.n; i++)
        if (t->events.v[i].series == l->series && t->events.v[i].kind == TK_TREND_STEP)
            found = &t->events.v[i];
    return found;
}

/* Did a timer become longer or shorter with the frames, in the same night? */
static bool goes_along(const struct tk_trend_event *e, const struct tk_trend_event *with)
{
    return e->series && (e->series->kind == TK_HISTORY_TIMER || e->series->kind == TK_HISTORY_GPU) &&
           e->kind == TK_TREND_STEP && e->night == with->night && e->worse == with->worse &&
           !isnan(e->before) && !isnan(e->after);
}

static double grown(const struct tk_trend_event *e)
{
    return fabs(e->after - e->before);
}

/* The timers that changed most with a change of frames, the greatest first; how many. */
static size_t find_causes(const struct tk_trend *t, const struct tk_trend_event *with,
                          const struct tk_trend_event *causes[CAUSES])
{
    size_t n = 0;
    for (size_t i = 0; i < t->events.n; i++) {
        const struct tk_trend_event *e = &t->events.v[i];
        if (!goes_along(e, with) || (n == CAUSES && grown(e) <= grown(causes[n - 1])))
            continue;
        size_t at = n < CAUSES ? n++ : n - 1;
        for (; at && grown(causes[at - 1]) < grown(e); at--)
            causes[at] = causes[at - 1];
        causes[at] = e;
    }
    return n;
}

static void print_causes(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_level *l)
{
    const struct tk_trend_event *with = change_of(t, l), *causes[CAUSES];
    const size_t n = with ? find_causes(t, with, causes) : 0;
    if (!with)
        return;
    tk_print(p, "<small>since ");
    print_said(p, say_night, t, with);
    tk_print(p, ": ");
    print_said(p, say_size, t, with);
    for (size_t i = 0; i < n; i++) {
        tk_print(p, i ? "; " : "<br>with it ");
        tk_print_xml(p, causes[i]->series->name);
        tk_print(p, " ");
        print_said(p, say_values, t, causes[i]);
    }
    tk_print(p, "</small>");
}

static bool is_flat(const struct tk_history_series *s)
{
    double first = NAN;
    for (size_t i = 0; i < s->values.n; i++) {
        first = isnan(first) ? s->values.v[i] : first;
        if (!isnan(s->values.v[i]) && (s->values.v[i] > first || s->values.v[i] < first))
            return false;
    }
    return true;
}

static void print_figure(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_level *l)
{
    const bool flat = is_flat(l->series);
    tk_print(p, "<figure><figcaption><b>");
    tk_print_xml(p, l->series->name);
    tk_print(p, flat ? "</b> in all runs " : "</b> middle since its last change ");
    print_value(p, l->now, l->series->unit);
    print_causes(p, t, l);
    tk_print(p, "</figcaption>");
    if (!flat)
        tk_trend_chart(p, t, l->series, newest_change(l), WIDE, HIGH);
    tk_print(p, "</figure>\n");
}

/* What players feel, in large; what is the same in all runs last, without a chart. */
static void print_frames(struct tk_print *p, const struct tk_trend *t)
{
    bool begun = false;
    for (size_t i = 0; i < 2 * t->levels.n; i++) {
        const struct tk_trend_level *l = &t->levels.v[i % t->levels.n];
        if (!is_of_frames(l) || isnan(l->now) || is_flat(l->series) != (i >= t->levels.n))
            continue;
        if (!begun) {
            tk_html_section(tk_print_html(p), "frames", "Frame times");
            tk_print(p, "<div class=\"charts\">\n");
        }
        begun = true;
        print_figure(p, t, l);
    }
    if (begun)
        tk_print(p, "</div>\n</section>\n");
}

static void print_level(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_level *l)
{
    const struct tk_history_series *s = l->series;
    tk_print(p, "<tr><td class=\"what\">");
    tk_print_xml(p, s->name);
    if (s->group && s->group->n) {
        tk_print(p, "<small>");
        tk_print_xml(p, s->group);
        tk_print(p, "</small>");
    }
    tk_print(p, "</td><td>%s</td><td class=\"n\">", tk_history_kind_name((enum tk_history_kind)s->kind));
    print_value(p, l->now, s->unit);
    tk_print(p, "</td><td class=\"n\">%u</td><td class=\"n\">", l->since);
    if (!isnan(l->noise)) {
        tk_print_fixed(p, l->noise * 100, 2);
        tk_print(p, " %%");
    }
    tk_print(p, "</td><td>");
    tk_trend_chart(p, t, s, newest_change(l), NARROW, LOW);
    tk_print(p, "</td></tr>\n");
}

static void print_series(struct tk_print *p, const struct tk_trend *t)
{
    char noise[64];
    snprintf(noise, sizeof noise, "noise of a %s", tk_trend_unit(t));
    const struct tk_report_column columns[] = {{"series", false},   {"kind", false}, {"now", true},
                                               {"since no.", true}, {noise, true},   {"over time", false},
                                               {NULL, false}};
    size_t displayed = 0, all = 0;
    tk_html_section(tk_print_html(p), "series", "Series");
    tk_report_html_table(p, "series", "What each series is now", columns);
    for (size_t i = 0; i < t->levels.n; i++) {
        if (isnan(t->levels.v[i].now))
            continue;
        if (all++ < MOST_SERIES) {
            print_level(p, t, &t->levels.v[i]);
            displayed++;
        }
    }
    tk_html_table_end(tk_print_html(p));
    tk_html_more(tk_print_html(p), all, displayed, "more");
    tk_html_section_end(tk_print_html(p));
}

/* ---- runs ---- */

static void print_cell(struct tk_print *p, const struct tk_str *s)
{
    tk_print(p, "<td>");
    if (s)
        tk_print_xml(p, s);
    tk_print(p, "</td>");
}

/* The build, and the name of the run where that is no file's; else the name. */
static void print_run_name(struct tk_print *p, const struct tk_history *h, const struct tk_history_run *r)
{
    const bool build = r->build && r->build->n;
    tk_print(p, "<td>");
    tk_print_xml(p, build ? r->build : r->name);
    if (build && h->labelled && r->name != r->build) {
        tk_print(p, "<small>");
        tk_print_xml(p, r->name);
        tk_print(p, "</small>");
    }
    tk_print(p, "</td>");
}

static void print_runs(struct tk_print *p, const struct tk_history *h)
{
    static const struct tk_report_column columns[] = {{"no.", true},      {"build", false}, {"time", false},
                                                      {"machine", false}, {"frames", true}, {NULL, false}};
    tk_html_section(tk_print_html(p), "runs", "Runs: %zu", h->runs.n);
    tk_report_html_table(p, "runs", "The newest first; runs with one number are tested together", columns);
    for (size_t i = 0; i < h->runs.n && i < MOST_RUNS; i++) {
        const struct tk_history_run *r = &h->runs.v[h->runs.n - 1 - i];
        tk_print(p, "<tr><td class=\"n\">%u</td>", r->night);
        print_run_name(p, h, r);
        print_cell(p, r->time);
        print_cell(p, r->machine);
        tk_print(p, "<td class=\"n\">%llu</td></tr>\n", (unsigned long long)r->frames);
    }
    tk_html_table_end(tk_print_html(p));
    tk_html_more(tk_print_html(p), h->runs.n, MOST_RUNS, "earlier ones");
    tk_html_section_end(tk_print_html(p));
}

/* ---- the page ---- */

/* What a page has in front comes first, and is what the page is called after. */
static void print_front(struct tk_print *p, const struct tk_report_setup *setup)
{
    if (!setup->front)
        return;
    tk_print(p, "<header><h1>Captures</h1></header>\n");
    tk_print_bytes(p, setup->front, setup->n_front);
}

static void print_head(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *groups,
                       const char *heading)
{
    struct tk_print lead = {0}, todo = {0};
    tk_trend_lead(&lead, t, groups);
    tk_trend_todo(&todo, t, groups);
    tk_print(p, "<header><%s>Trend</%s>\n<p class=\"verdict %s\">%s <strong>", heading, heading,
             t->worse ? "regressed" : "", t->worse ? "▲" : "");
    tk_report_html_text(p, &lead);
    tk_print(p, "</strong></p>\n<p>");
    tk_report_html_text(p, &todo);
    tk_print(p, "</p>\n<dl class=\"tiles\">\n");
    tk_html_tile(tk_print_html(p), "runs", t->history->runs.n);
    for (int s = 0; s < TK_TREND_SECTIONS; s++)
        tk_html_tile(tk_print_html(p), tk_trend_section_title((enum tk_trend_section)s),
                     tk_trend_groups_count(groups, (enum tk_trend_section)s));
    tk_print(p, "</dl></header>\n");
}

static void print_method(struct tk_print *p, const struct tk_trend *t)
{
    struct tk_print method = {0};
    tk_html_section(tk_print_html(p), "method", "How it was tested");
    tk_trend_method(&method, t, "", tk_print_name);
    tk_print(p, "<details>\n<summary>runs, the floor, and notes</summary>\n<ul class=\"sides\">\n");
    tk_report_html_lines(p, &method);
    tk_print(p, "</ul>\n</details>\n");
    tk_html_section_end(tk_print_html(p));
}

/* A page shows no folders: of runs that are files, their names alone. */
struct displayed {
    struct tk_trend trend;
    struct tk_history history;
    struct tk_history_run *runs; /* owned */
    struct tk_str *names;        /* owned, one a run */
};

static bool hide_folders(struct displayed *displayed, const struct tk_trend *t)
{
    const size_t n = t->history->runs.n;
    *displayed = (struct displayed){.trend = *t, .history = *t->history};
    displayed->runs = calloc(n + 1, sizeof *displayed->runs);
    displayed->names = calloc(n + 1, sizeof *displayed->names);
    if (!displayed->runs || !displayed->names)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t from = 0;
        displayed->runs[i] = t->history->runs.v[i];
        displayed->names[i] = *displayed->runs[i].name;
        for (size_t k = 0; k < displayed->names[i].n && !t->history->labelled; k++)
            if (strchr("/\\", displayed->names[i].p[k]))
                from = k + 1;
        displayed->names[i].p += from;
        displayed->names[i].n -= (uint32_t)from;
        displayed->runs[i].name = &displayed->names[i];
    }
    displayed->history.runs.v = displayed->runs;
    displayed->trend.history = &displayed->history;
    return true;
}

void tk_trend_report_html(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup)
{
    struct tk_trend_groups groups = {0};
    struct displayed displayed;
    if (!hide_folders(&displayed, t) || tk_trend_groups_make(&groups, &displayed.trend)) {
        p->failed = true;
    } else {
        tk_report_html_begin(p, setup->front ? "Captures" : "Trend");
        print_front(p, setup);
        print_head(p, &displayed.trend, &groups, setup->front ? "h2" : "h1");
        print_frames(p, &displayed.trend);
        for (int s = 0; s < TK_TREND_SECTIONS; s++)
            print_section(p, &displayed.trend, &groups, (enum tk_trend_section)s,
                          setup->top ? setup->top : TOP);
        print_series(p, &displayed.trend);
        print_runs(p, &displayed.history);
        print_method(p, &displayed.trend);
        tk_report_html_end(p);
    }
    tk_trend_groups_release(&groups);
    free(displayed.runs);
    free(displayed.names);
}
