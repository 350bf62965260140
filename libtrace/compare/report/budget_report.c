/*
 * Budget reports for terminals and as JSON, and proposed budget files. They are written from the results of
 * budget.c.
 */
#include "compare/report/budget.h"

#include <math.h>
#include <string.h>

#define LEAST_MS 0.02 /* smaller timers get no budget */

#define LEVEL 7 /* letters of the longest verdict */

static void print_value_budget_report(struct tk_print *p, const struct tk_budget *b)
{
    tk_print_real(p, b->value, 5);
    tk_print(p, " of ");
    tk_print_real(p, tk_budget_limit(b), 5);
    tk_print(p, "%s%s", *b->unit ? " " : "", b->unit);
}

static void print_budget(struct tk_print *p, const struct tk_budget *b, const struct tk_report_setup *setup)
{
    static const char *const colours[] = {"\033[32m", "\033[35m", "\033[35m", "\033[31m"};
    struct tk_print_line l = tk_print_line(p, setup->width);
    tk_print(p, "%s ", tk_change_kind_name((enum tk_change_kind)b->kind));
    tk_print_name(p, b->name);
    tk_print_pad(p, l.from, 44);
    const char *level = tk_budget_level_name((enum tk_budget_level)b->level);
    tk_print(p, "  %s%s%s", setup->colour ? colours[b->level] : "", level, setup->colour ? "\033[0m" : "");
    tk_print_piece(&l);
    tk_print(p, "%*s", (int)(LEVEL + 2 - strlen(level)), "");
    if (b->why)
        tk_print(p, "%s", b->why);
    else
        print_value_budget_report(p, b);
    tk_print_piece(&l);
    if (b->region) {
        tk_print(p, "  in region %s", b->region);
        tk_print_piece(&l);
    }
    if (b->has_frames || b->run || b->where) {
        tk_print(p, "  worst: ");
        tk_budget_place(p, b);
        tk_print_piece(&l);
    }
    tk_print(p, "\n");
}

void tk_budgets_text(struct tk_print *p, const struct tk_budgets *all, const struct tk_report_setup *setup)
{
    tk_report_sides_text(p, &all->sides, setup->width ? setup->width : TK_REPORT_WIDTH);
    tk_report_faults_summary(p, &all->faults, "");
    if (all->faults.v.n)
        tk_print(p, "\n");
    tk_report_faults_text(p, &all->faults);
    for (int level = TK_BUDGET_ERROR; level >= TK_BUDGET_PASSED; level--)
        for (size_t i = 0; i < all->v.n; i++)
            if (all->v.v[i].level == level)
                print_budget(p, &all->v.v[i], setup);
}

void tk_budgets_json(struct tk_print *p, const struct tk_budgets *all, const struct tk_report_setup *setup)
{
    (void)setup;
    tk_print(p, "{\"schema\":1,\"verdict\":\"%s\"",
             tk_sides_flawed(&all->sides) ? "not comparable"
                                          : tk_budget_level_name((enum tk_budget_level)all->worst));
    tk_report_faults_json(p, &all->faults);
    tk_report_sides_json(p, &all->sides);
    tk_print(p, ",\"budgets\":[");
    for (size_t i = 0; i < all->v.n; i++) {
        const struct tk_budget *b = &all->v.v[i];
        tk_print(p, "%s\n{\"kind\":\"%s\",\"name\":", i ? "," : "",
                 tk_change_kind_name((enum tk_change_kind)b->kind));
        tk_print_json(p, b->name);
        tk_print(p, ",\"thread\":");
        if (b->where)
            tk_print_json(p, b->where);
        else
            tk_print(p, "null");
        tk_print(p, ",\"verdict\":\"%s\",\"unit\":\"%s\",\"value\":",
                 tk_budget_level_name((enum tk_budget_level)b->level), b->unit);
        tk_print_real(p, b->value, 9);
        tk_print(p, ",\"warning\":");
        tk_print_real(p, b->warning, 9);
        tk_print(p, ",\"error\":");
        tk_print_real(p, b->error, 9);
        tk_print(p, ",\"region\":");
        if (b->region)
            tk_print_json_c(p, b->region);
        else
            tk_print(p, "null");
        if (b->why) {
            tk_print(p, ",\"why\":");
            tk_print_json_c(p, b->why);
        }
        tk_print(p, ",\"run\":%zu", b->run);
        if (b->has_frames) {
            tk_print(p, ",\"frames\":[%llu,%llu],\"time_ms\":", (unsigned long long)b->first_frame,
                     (unsigned long long)b->last_frame);
            tk_print_real(p, b->ms, 9);
        }
        tk_print(p, "}");
    }
    tk_print(p, "\n]}\n");
}

/* ---- proposals ---- */

#define ROUNDING 1e-12 /* what decimal places may take from a number */

/* A limit that the value keeps, in four digits. */
static void print_limit(struct tk_print *out, double limit, double value)
{
    double unit = limit != 0 ? pow(10, floor(log10(fabs(limit))) - 3) : 0;
    bool below = unit > 0 && round(limit / unit) * unit < value + fabs(value) * ROUNDING;
    tk_print_real(out, below ? limit + unit : limit, 4);
}

static void propose(struct tk_print *out, const struct tk_budget *b, double margin, bool *first)
{
    tk_print(out, "%s\n  {\"kind\": \"%s\", \"name\": ", *first ? "" : ",",
             tk_change_kind_name((enum tk_change_kind)b->kind));
    tk_print_json(out, b->name);
    if (b->thread) {
        tk_print(out, ", \"thread\": ");
        tk_print_json(out, b->thread);
    }
    tk_print(out, ", \"warning\": ");
    print_limit(out, b->value + fabs(b->value) * margin / 2, b->value);
    tk_print(out, ", \"error\": ");
    print_limit(out, b->value + fabs(b->value) * margin, b->value);
    tk_print(out, "}");
    *first = false;
}

static int add_report(struct tk_budgets *all, uint8_t kind, const struct tk_str *name,
                      const struct tk_str *thread)
{
    struct tk_budget b = {.kind = kind, .warning = NAN, .error = NAN};
    b.name = tk_intern(&all->names, name->p, name->n, (enum tk_encoding)name->enc);
    b.thread = thread && thread->n
                   ? tk_intern(&all->names, thread->p, thread->n, (enum tk_encoding)thread->enc)
                   : NULL;
    return b.name && !tk_vec_push(&all->v, b) ? 0 : -1;
}

static int list(struct tk_budgets *all, const struct tk_base_run *run)
{
    static const char *const percentiles[] = {"p50", "p95", "p99"};
    static const uint8_t kinds[TK_SERIES_KINDS] = {TK_CHANGE_TIMER,  TK_CHANGE_GPU, TK_CHANGE_COUNTER,
                                                   TK_CHANGE_MEMORY, TK_CHANGE_LOG, TK_CHANGE_LOADING};
    for (size_t i = 0; i < 3; i++) {
        const struct tk_str *name = tk_intern_c(&all->names, percentiles[i]);
        if (!name || add_report(all, TK_CHANGE_FRAME, name, NULL))
            return -1;
    }
    for (size_t i = 0; i < run->series.n; i++) {
        const struct tk_series *s = run->series.v[i];
        double ms = tk_base_ms(run, (double)s->own) / (double)run->frames.n;
        if (tk_series_is_counted(s->kind) || s->kind == TK_SERIES_COUNTER ||
            (s->kind == TK_SERIES_LOADING && s->group->n) || (tk_series_has_calls(s->kind) && ms < LEAST_MS))
            continue;
        if (add_report(all, kinds[s->kind], s->name, s->group))
            return -1;
    }
    return 0;
}

int tk_budgets_propose(struct tk_print *out, const struct tk_baseline *runs, double margin,
                       struct tk_err *err)
{
    struct tk_budgets all = {0};
    bool first = true;
    int rc = list(&all, runs->runs.v[0]) ? tk_err_nomem(err, "budgets") : tk_budgets_check(&all, runs, err);
    tk_print(out, "{\"budgets\": [");
    for (size_t i = 0; i < all.v.n && rc == TK_OK; i++)
        if (!all.v.v[i].why)
            propose(out, &all.v.v[i], margin, &first);
    tk_print(out, "\n]}\n");
    tk_budgets_release(&all);
    return rc;
}
