/*
 * A run as a row: its facts, its values, and the budgets that they exceed.
 */
#include "base/text/text.h"
#include "compare/baseline/run_info.h"
#include "night/night.h"
#include "table/sketch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tk_night_column tk_night_columns[TK_NIGHT_VALUES] = {
#define X(word, name, whole, digits, help) [TK_NIGHT_##word] = {name, help, whole, digits},
    TK_NIGHT_VALUES_OF(X)
#undef X
};

static const char *const facts[TK_NIGHT_FACTS] = {"capture",  "application", "build", "commit",  "branch",
                                                  "platform", "config",      "map",   "machine", "time"};

const char *tk_night_state_name(unsigned state)
{
    static const char *const names[] = {"ok", "cut", "short", "lost", "damaged", "crash"};
    return names[state];
}

static const struct tk_str *keep(struct tk_night *night, const struct tk_str *s)
{
    return s ? tk_intern(&night->names, s->p, s->n, (enum tk_encoding)s->enc) : NULL;
}

/* ---- frames ---- */

static int by_cycles(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* 0, or -1 if out of memory. */
static int fill_frames(struct tk_night_row *row, const struct tk_base_run *run)
{
    static const struct {
        uint8_t value;
        unsigned share;
    } shares[] = {{TK_NIGHT_P50, 50}, {TK_NIGHT_P95, 95}, {TK_NIGHT_P99, 99}, {TK_NIGHT_MAX, 100}};
    uint64_t *sorted = malloc((run->frames.n + 1) * sizeof *sorted);
    double sum = 0;
    size_t n = 0;
    if (!sorted)
        return -1;
    for (size_t i = 0; i < run->frames.n; i++)
        if (run->frames.v[i]) /* one that never ended has no length */
            sum += (double)(sorted[n++] = run->frames.v[i]);
    qsort(sorted, n, sizeof *sorted, by_cycles);
    for (size_t i = 0; i < sizeof shares / sizeof *shares && n; i++)
        row->v[shares[i].value] =
            tk_base_ms(run, (double)sorted[tk_sketch_rank(n, shares[i].share, 100) - 1]);
    row->v[TK_NIGHT_FRAMES] = (double)n;
    row->v[TK_NIGHT_SECONDS] = tk_base_ms(run, sum) / 1e3;
    free(sorted);
    return 0;
}

static double frames_over(const struct tk_base_run *run, double target)
{
    double n = 0;
    for (size_t i = 0; i < run->frames.n; i++)
        n += tk_is_late_at(tk_base_ms(run, (double)run->frames.v[i]), 1000 / target);
    return n;
}

static int fill_smoothness(const struct tk_night *night, struct tk_night_row *row,
                           const struct tk_base_run *run)
{
    static const struct {
        uint8_t value, word;
    } words[] = {{TK_NIGHT_LOW1, TK_SMOOTHNESS_LOW1},
                 {TK_NIGHT_HITCHES, TK_SMOOTHNESS_HITCHES},
                 {TK_NIGHT_HITCHES_MIN, TK_SMOOTHNESS_HITCHES_MIN},
                 {TK_NIGHT_HITCHES_LOADING, TK_SMOOTHNESS_LOADING},
                 {TK_NIGHT_HITCHES_STARTUP, TK_SMOOTHNESS_STARTUP},
                 {TK_NIGHT_HITCH_MS_S, TK_SMOOTHNESS_HITCH_RATIO},
                 {TK_NIGHT_UNEVEN, TK_SMOOTHNESS_UNEVEN}};
    const double target = night->options.target;
    struct tk_smoothness plain, aimed;
    if (!(row->v[TK_NIGHT_FRAMES] > 0))
        return 0;
    if (tk_base_run_smoothness(run, 0, 0, false, &plain))
        return -1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        row->v[words[i].value] = plain.v[words[i].word];
    if (!(target > 0))
        return 0;
    if (tk_base_run_smoothness(run, 0, target, false, &aimed))
        return -1;
    row->v[TK_NIGHT_MVP] = aimed.v[TK_SMOOTHNESS_MISSED];
    row->v[TK_NIGHT_LATE] = aimed.v[TK_SMOOTHNESS_LATE];
    row->v[TK_NIGHT_OVER_MS_S] = aimed.v[TK_SMOOTHNESS_HITCH_RATIO];
    row->v[TK_NIGHT_OVER] = frames_over(run, target);
    return 0;
}

/* ---- what bounds frames, and memory ---- */

/* The number at the end of n bytes. */
static double number_at_end(const char *p, size_t n)
{
    double v = 0, digit = 1;
    for (; n && p[n - 1] >= '0' && p[n - 1] <= '9'; n--, digit *= 10)
        v += digit * (p[n - 1] - '0');
    return v;
}

/* "game 12,limiter 588": numbers of frames, as runs keep them. */
static void fill_bound(struct tk_night_row *row, const struct tk_str *text)
{
    static const char *const names[] = {"game ", "render ", "rhi ", "gpu ", "limiter ", "waiting "};
    double frames[sizeof names / sizeof *names] = {0}, all = 0;
    for (uint32_t at = 0, end; text && at < text->n; at = end + 1) {
        for (end = at; end < text->n && text->p[end] != ','; end++)
            ;
        const double here = number_at_end(text->p + at, end - at);
        all += here;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (end - at > strlen(names[i]) && memcmp(text->p + at, names[i], strlen(names[i])) == 0)
                frames[i] += here;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && all > 0; i++)
        row->v[TK_NIGHT_GAME + i] = 100 * frames[i] / all;
}

static bool is_memory_counter(const struct tk_str *name)
{
    static const char *const words[] = {"usedphysical", "used physical", "physical memory used"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (size_t i = 0, n = strlen(words[w]); i + n <= name->n; i++) {
            size_t k = 0;
            while (k < n && (name->p[i + k] | 0x20) == words[w][k])
                k++;
            if (k == n)
                return true;
        }
    return false;
}

/* Allocations as a whole, else a counter of used memory. 0, or -1 if out of memory. */
static int fill_memory(struct tk_night *night, struct tk_night_row *row, const struct tk_base_run *run)
{
    static const struct tk_str all = {.p = "all allocations", .n = 15};
    char text[160];
    for (size_t i = 0; i < run->series.n; i++) {
        const struct tk_series *s = run->series.v[i];
        const bool allocated = s->kind == TK_SERIES_MEMORY && tk_str_order(s->name, &all) == 0;
        const bool counted =
            s->kind == TK_SERIES_COUNTER && !row->memory_source && is_memory_counter(s->name);
        if (!allocated && !counted)
            continue;
        snprintf(text, sizeof text, "counter:%.*s", (int)(s->name->n < 140 ? s->name->n : 140), s->name->p);
        row->v[TK_NIGHT_MEMORY] = s->high;
        row->memory_source = tk_intern_c(&night->names, allocated ? "allocations" : text);
        if (!row->memory_source)
            return -1;
        if (allocated)
            return 0;
    }
    return 0;
}

/* ---- metrics ---- */

/* The number of a metric's name; SIZE_MAX if out of memory. */
static size_t metric_number(struct tk_night *night, const struct tk_str *name)
{
    const struct tk_str *own = keep(night, name);
    size_t i = 0;
    while (i < night->metrics.n && night->metrics.v[i] != own)
        i++;
    return !own || (i == night->metrics.n && tk_vec_push(&night->metrics, own)) ? SIZE_MAX : i;
}

static int fill_metrics(struct tk_night *night, struct tk_night_row *row, const struct tk_base_run *run)
{
    const struct tk_night_metric none = {.value = NAN};
    for (size_t i = 0; i < run->metrics.n; i++) {
        const size_t at = metric_number(night, run->metrics.v[i].name);
        if (at == SIZE_MAX)
            return -1;
        while (row->metrics.n <= at)
            if (tk_vec_push(&row->metrics, none))
                return -1;
        if (run->metrics.v[i].measured)
            row->metrics.v[at].value = run->metrics.v[i].value;
    }
    return 0;
}

/* ---- budgets ---- */

static const struct tk_str *name_of_budget(struct tk_night *night, const struct tk_budget *b)
{
    char text[200];
    const char *kind = tk_change_kind_name((enum tk_change_kind)b->kind);
    const bool own = b->kind == TK_CHANGE_HITCH || b->kind == TK_CHANGE_SMOOTHNESS;
    snprintf(text, sizeof text, "%s%s%.*s%s", own ? "" : kind, own ? "" : " ",
             (int)(b->name->n < 160 ? b->name->n : 160), b->name->p, b->cell > 0 ? " by cell" : "");
    return tk_intern_c(&night->names, text);
}

static bool is(const struct tk_str *s, const char *text)
{
    return s->n == strlen(text) && memcmp(s->p, text, s->n) == 0;
}

/* The value that a budget is about: the mark of its cell; NULL: it has no column. */
static struct tk_night_mark *mark_of(struct tk_night *night, struct tk_night_row *row,
                                     const struct tk_budget *b)
{
    static const struct {
        const char *name;
        uint8_t value;
    } frames[] = {{"p50", TK_NIGHT_P50}, {"p95", TK_NIGHT_P95}, {"p99", TK_NIGHT_P99}, {"max", TK_NIGHT_MAX}};
    static const uint8_t words[TK_SMOOTHNESS_WORDS] = {[TK_SMOOTHNESS_HITCHES_MIN] = TK_NIGHT_HITCHES_MIN,
                                                       [TK_SMOOTHNESS_HITCH_RATIO] = TK_NIGHT_HITCH_MS_S,
                                                       [TK_SMOOTHNESS_MISSED] = TK_NIGHT_MVP,
                                                       [TK_SMOOTHNESS_LATE] = TK_NIGHT_LATE,
                                                       [TK_SMOOTHNESS_LOW1] = TK_NIGHT_LOW1,
                                                       [TK_SMOOTHNESS_UNEVEN] = TK_NIGHT_UNEVEN};
    const enum tk_smoothness_word word = tk_smoothness_word_of(b->name->p, b->name->n);
    if ((b->region && b->kind != TK_CHANGE_METRIC) || b->cell > 0)
        return NULL;
    if (b->kind == TK_CHANGE_HITCH && is(b->name, "hitches"))
        return &row->marks[TK_NIGHT_HITCHES_MIN];
    if (b->kind == TK_CHANGE_SMOOTHNESS && word < TK_SMOOTHNESS_WORDS && words[word])
        return &row->marks[words[word]];
    for (size_t i = 0; i < sizeof frames / sizeof *frames && b->kind == TK_CHANGE_FRAME; i++)
        if (is(b->name, frames[i].name))
            return &row->marks[frames[i].value];
    const size_t at = b->kind == TK_CHANGE_METRIC ? metric_number(night, b->name) : SIZE_MAX;
    return at < row->metrics.n ? &row->metrics.v[at].mark : NULL;
}

/* By how much it is over, as a part of the limit. */
static double excess_of(const struct tk_budget *b)
{
    const double limit = tk_budget_limit(b);
    return limit != 0 ? fabs(b->value - limit) / fabs(limit) : fabs(b->value);
}

/* Of what it is, for those who look up its owner. 0, or -1 if out of memory. */
static int keep_about(struct tk_night *night, struct tk_night_row *row, const struct tk_budget *b)
{
    const bool thread = b->kind == TK_CHANGE_THREAD;
    const struct tk_str *about[3] = {thread ? b->name : b->where, thread ? NULL : b->name, b->file};
    row->has_owner = tk_change_kind_is_owned(b->kind);
    for (int i = 0; i < 3; i++) {
        row->about[i] = row->has_owner ? keep(night, about[i]) : NULL;
        if (row->has_owner && about[i] && !row->about[i])
            return -1;
    }
    return 0;
}

static int take_budget(struct tk_night *night, struct tk_night_row *row, const struct tk_budget *b,
                       double *most)
{
    const bool over = b->level == TK_BUDGET_WARNING || b->level == TK_BUDGET_ERROR;
    const double rank = over ? (b->level == TK_BUDGET_ERROR ? 1e9 : 0) + excess_of(b) : -1;
    row->budgets[b->level]++;
    if (!over)
        return 0;
    const struct tk_str *name = name_of_budget(night, b);
    struct tk_night_mark *mark = mark_of(night, row, b);
    if (!name)
        return -1;
    if (mark && b->level > mark->level)
        *mark = (struct tk_night_mark){b->level, tk_budget_limit(b), name};
    if (rank <= *most)
        return 0;
    *most = rank;
    row->worst = name;
    return keep_about(night, row, b);
}

static int check_budgets(struct tk_night *night, struct tk_night_row *row, struct tk_base_run *run,
                         struct tk_err *err)
{
    struct tk_base_run *runs[1] = {run};
    const struct tk_baseline one = {.runs = {.v = runs, .n = 1}};
    struct tk_budgets *budgets = night->options.budgets;
    double most = -1;
    if (!budgets)
        return TK_OK;
    budgets->allow_short = true;
    int rc = tk_budgets_check(budgets, &one, err);
    for (size_t i = 0; i < budgets->v.n && rc == TK_OK; i++)
        if (take_budget(night, row, &budgets->v.v[i], &most))
            rc = tk_err_nomem(err, "the table of a night");
    return rc;
}

/* ---- the row ---- */

static uint8_t state_of(const struct tk_base_run *run)
{
    uint8_t state = tk_base_run_about(run, "end") ? TK_NIGHT_CRASH : TK_NIGHT_OK;
    static const uint8_t states[TK_FAULT_TIERS] = {TK_NIGHT_CUT, TK_NIGHT_LOST, TK_NIGHT_DAMAGED};
    for (size_t i = 0; i < run->faults.n; i++)
        state = states[run->faults.v[i].tier] > state ? states[run->faults.v[i].tier] : state;
    return state;
}

int tk_night_fill(struct tk_night *night, struct tk_night_row *row, struct tk_base_run *run,
                  struct tk_err *err)
{
    for (int i = 0; i < TK_NIGHT_VALUES; i++)
        row->v[i] = NAN;
    for (int i = 0; i < TK_NIGHT_FACTS; i++) {
        const struct tk_str *fact = tk_base_run_about(run, facts[i]);
        row->facts[i] = keep(night, fact);
        if (fact && !row->facts[i])
            return tk_err_nomem(err, "the table of a night");
    }
    row->state = state_of(run);
    if (!tk_base_run_is_unit(run) && (fill_frames(row, run) || fill_smoothness(night, row, run)))
        return tk_err_nomem(err, "the table of a night");
    fill_bound(row, tk_base_run_about(run, "bound"));
    if (fill_memory(night, row, run) || fill_metrics(night, row, run))
        return tk_err_nomem(err, "the table of a night");
    return check_budgets(night, row, run, err);
}
