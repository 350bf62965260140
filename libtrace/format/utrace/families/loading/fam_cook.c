/*
 * Cooking (events 8.6): per package and step the time spent, recorded as a sum or as scopes. Scopes of a
 * thread form one stack, whatever their step. One row for each package and step, at the end.
 */
#include "base/hash.h"
#include "base/record_map.h"
#include "base/wrap.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"

enum { PACKAGE_ID, PACKAGE, CLASS, STEP, COUNT, REPORTED, INCL, EXCL, TIME, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [PACKAGE_ID] = {"package_id", TK_UINT, 0, NULL, "number of the package"},
    [PACKAGE] = {"package", TK_TEXT, 0, NULL, "name of the package; empty if it was not recorded"},
    [CLASS] = {"class", TK_TEXT, 0, NULL, "class of its asset"},
    [STEP] =
        {"step", TK_TEXT, 0, NULL,
         "load, save, begin_cache (of cooked platform data), is_cached (the test for it), or its number; "
         "empty where nothing was measured"},
    [COUNT] = {"count", TK_UINT, 0, "calls", "number of measurements: recorded sums and completed scopes"},
    [REPORTED] = {"sum", TK_DURATION, 0, NULL, "time recorded as a sum (of `save` the last one)"},
    [INCL] = {"incl", TK_DURATION, 0, NULL, "inclusive time of its scopes"},
    [EXCL] = {"excl", TK_DURATION, 0, NULL, "exclusive time of its scopes"},
    [TIME] = {"time", TK_TIME, 0, NULL, "when the package was first named"},
};

const struct tk_table tk_ut_table_cook = {
    .name = "cook",
    .help = "cooking time by package and step, in order of first appearance",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
    .sort_by = "incl",
};

#define SAVE  1
#define STEPS 256

struct package {
    uint64_t id;
    const struct tk_str *name, *class_name;
    int64_t time;
    bool timed, measured;
};

struct sum {
    uint32_t package;
    uint8_t step;
    bool reported, scoped;
    uint64_t count;
    int64_t reported_cycles, incl, excl;
};

struct scope {
    uint32_t package;
    uint8_t step;
    int64_t begin, inside;
};

struct stack {
    TK_VEC(struct scope) scopes;
};

struct state {
    struct tk_map index; /* id -> place */
    TK_VEC(struct package) packages;
    struct tk_map sum_index; /* package * STEPS + step -> place */
    TK_VEC(struct sum) sums;
    struct tk_record_map threads; /* tid -> struct stack */
};

/* Packages may be measured before they are named. NULL if out of memory or the limit is reached. */
static struct package *package_of(struct tk_ut_feed *feed, struct state *s, uint64_t id, int *rc)
{
    uint32_t at = tk_map_get(&s->index, id);
    *rc = TK_OK;
    if (at != TK_MAP_NONE)
        return &s->packages.v[at];
    if (s->packages.n >= feed->capture->ctx->limits.rows) {
        tk_health_limit(&feed->out->health, TK_LIMIT_rows, TK_NO_OFFSET, 1, "a cooked package was left out");
        return NULL;
    }
    at = (uint32_t)s->packages.n;
    if (tk_vec_push(&s->packages, (struct package){.id = id}) || tk_map_put(&s->index, id, at)) {
        *rc = TK_ENOMEM;
        return NULL;
    }
    return &s->packages.v[at];
}

/* Valid until the next sum is made. */
static struct sum *sum_of_cook(struct state *s, uint32_t package, uint8_t step)
{
    uint64_t key = (uint64_t)package * STEPS + step;
    uint32_t at = tk_map_get(&s->sum_index, key);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)s->sums.n;
        if (tk_vec_push(&s->sums, ((struct sum){.package = package, .step = step})) ||
            tk_map_put(&s->sum_index, key, at))
            return NULL;
        s->packages.v[package].measured = true;
    }
    return &s->sums.v[at];
}

enum { ID, P_NAME, P_CYCLE };

static int on_package(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct package *p = package_of(feed, state, tk_ut_u64(ev, ID), &rc);
    if (!p)
        return rc;
    if (!(p->name = tk_ut_str(feed, ev, P_NAME, 2)))
        return TK_ENOMEM;
    if (!p->timed && tk_ut_has(ev, P_CYCLE)) {
        p->timed = true;
        p->time = tk_ut_since(feed, tk_ut_u64(ev, P_CYCLE));
    }
    return TK_OK;
}

static int on_class(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct package *p = package_of(feed, state, tk_ut_u64(ev, ID), &rc);
    if (p && !(p->class_name = tk_ut_str(feed, ev, P_NAME, 2)))
        return TK_ENOMEM;
    return rc;
}

enum { S_TIME = 1, S_STEP };

static int on_stat(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    int rc;
    uint8_t step = (uint8_t)tk_ut_u64(ev, S_STEP);
    struct package *p = package_of(feed, s, tk_ut_u64(ev, ID), &rc);
    struct sum *sum = p ? sum_of_cook(s, (uint32_t)(p - s->packages.v), step) : NULL;
    int64_t cycles = (int64_t)tk_ut_u64(ev, S_TIME);
    if (!sum)
        return p ? TK_ENOMEM : rc;
    sum->reported = true;
    sum->count++;
    if (step == SAVE)
        sum->reported_cycles = cycles;
    else
        sum->reported_cycles = tk_wrap_add(sum->reported_cycles, cycles);
    return TK_OK;
}

static struct stack *stack_of(struct state *s, uint32_t tid)
{
    struct stack *stack = tk_record_map_get(&s->threads, tid);
    return stack ? stack : tk_record_map_put(&s->threads, tid);
}

static int on_begin_cook(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    int rc;
    struct package *p = package_of(feed, s, tk_ut_u64(ev, ID), &rc);
    struct stack *stack = p ? stack_of(s, ev->tid) : NULL;
    if (!stack)
        return p ? TK_ENOMEM : rc;
    struct scope scope = {.package = (uint32_t)(p - s->packages.v),
                          .step = (uint8_t)tk_ut_u64(ev, S_STEP),
                          .begin = tk_ut_since(feed, tk_ut_u64(ev, S_TIME))};
    if (stack->scopes.n >= feed->capture->ctx->limits.open_scopes) {
        tk_health_limit(&feed->out->health, TK_LIMIT_open_scopes, ev->offset, 1,
                        "a cook scope of thread %u was left out", ev->tid);
        return TK_OK;
    }
    return tk_vec_push(&stack->scopes, scope) ? TK_ENOMEM : TK_OK;
}

/* Adds a scope that ends, and says the one around it. */
static int close_scope(struct tk_ut_feed *feed, struct state *s, struct stack *stack, uint32_t tid,
                       int64_t end)
{
    const struct scope scope = stack->scopes.v[--stack->scopes.n];
    struct sum *sum = sum_of_cook(s, scope.package, scope.step);
    if (!sum)
        return TK_ENOMEM;
    if (end < scope.begin) {
        tk_health_note(&feed->out->health, TK_HEALTH_TIME_BACKWARDS, TK_NO_OFFSET, 1,
                       "a cook scope of thread %u ends before it begins", tid);
        end = scope.begin;
    }
    int64_t length = tk_wrap_sub(end, scope.begin);
    sum->scoped = true;
    sum->count++;
    sum->incl = tk_wrap_add(sum->incl, length);
    sum->excl = tk_wrap_add(sum->excl, tk_wrap_sub(length, scope.inside));
    if (stack->scopes.n) {
        struct scope *around = &stack->scopes.v[stack->scopes.n - 1];
        around->inside = tk_wrap_add(around->inside, length);
    }
    return TK_OK;
}

/* Scopes above the one that ends have lost their end; they count for nothing. */
static int on_end_cook(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct stack *stack = tk_record_map_get(&s->threads, ev->tid);
    uint32_t package = tk_map_get(&s->index, tk_ut_u64(ev, ID));
    uint8_t step = (uint8_t)tk_ut_u64(ev, S_STEP);
    size_t i = stack ? stack->scopes.n : 0;
    while (i && (stack->scopes.v[i - 1].package != package || stack->scopes.v[i - 1].step != step))
        i--;
    if (!i) {
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_END_UNMATCHED, ev->offset, 1,
                       "a cook scope of thread %u ends that did not begin", ev->tid);
        return TK_OK;
    }
    if (stack->scopes.n > i)
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_OPEN, ev->offset, stack->scopes.n - i,
                       "cook scopes of thread %u have no end", ev->tid);
    stack->scopes.n = i;
    return close_scope(feed, s, stack, ev->tid, tk_ut_since(feed, tk_ut_u64(ev, S_TIME)));
}

static struct tk_cell step_cell(uint8_t step)
{
    static const char *const names[] = {"load", "save", "begin_cache", "is_cached"};
    static const char *const others[] = {"4", "5", "6", "7", "8", "9"};
    if (step < 4)
        return tk_cell_of_c(names[step]);
    return step < 10 ? tk_cell_of_c(others[step - 4]) : tk_cell_of_uint(step);
}

static int say_cook(struct tk_ut_feed *feed, const struct package *p, const struct sum *sum)
{
    struct tk_ut_row_key key = TK_UT_ROW_ANY;
    key.timed = p->timed;
    key.begin = key.end = p->time;
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_cook, key);
    if (!row)
        return TK_ENOMEM;
    row[PACKAGE_ID] = tk_cell_of_uint(p->id);
    row[PACKAGE] = tk_cell_of_nonempty(p->name);
    row[CLASS] = tk_cell_of_nonempty(p->class_name);
    if (p->timed)
        row[TIME] = tk_cell_of_time(p->time);
    if (!sum)
        return TK_OK;
    row[STEP] = step_cell(sum->step);
    row[COUNT] = tk_cell_of_uint(sum->count);
    if (sum->reported)
        row[REPORTED] = tk_cell_of_span(sum->reported_cycles);
    if (sum->scoped) {
        row[INCL] = tk_cell_of_span(sum->incl);
        row[EXCL] = tk_cell_of_span(sum->excl);
    }
    return TK_OK;
}

static void note_open(struct tk_ut_feed *feed, const struct state *s)
{
    for (uint32_t i = 0; i < s->threads.n; i++) {
        uint64_t tid;
        const struct stack *stack = tk_record_map_at(&s->threads, i, &tid);
        if (stack && stack->scopes.n)
            tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_OPEN, TK_NO_OFFSET, stack->scopes.n,
                           "cook scopes of thread %u have no end", (unsigned)tid);
    }
}

/* Packages without a measurement have a row, too. */
static int finish_cook(struct tk_ut_feed *feed, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    note_open(feed, s);
    for (size_t i = 0; i < s->sums.n && rc == TK_OK; i++)
        if (s->sums.v[i].count)
            rc = say_cook(feed, &s->packages.v[s->sums.v[i].package], &s->sums.v[i]);
    for (size_t i = 0; i < s->packages.n && rc == TK_OK; i++)
        if (!s->packages.v[i].measured)
            rc = say_cook(feed, &s->packages.v[i], NULL);
    return rc;
}

static void begin_cook(void *state)
{
    struct state *s = state;
    for (uint32_t i = 0; i < s->threads.n; i++) {
        uint64_t tid;
        struct stack *stack = tk_record_map_at(&s->threads, i, &tid);
        if (stack)
            tk_vec_release(&stack->scopes);
    }
    tk_record_map_release(&s->threads);
    tk_record_map_init(&s->threads, sizeof(struct stack));
    tk_map_release(&s->index);
    tk_map_release(&s->sum_index);
    tk_vec_release(&s->packages);
    tk_vec_release(&s->sums);
}

static const struct tk_ut_bind binds[] = {
    {"CookTrace.Package", on_package, false, {"Id", "Name", "Cycle"}},
    {"CookTrace.PackageAssetClass", on_class, false, {"Id", "ClassName"}},
    {"CookTrace.PackageStat", on_stat, false, {"Id", "Duration", "StatType"}},
    {"CookTrace.PackageStatBeginScope", on_begin_cook, false, {"Id", "Time", "StatType"}},
    {"CookTrace.PackageStatEndScope", on_end_cook, false, {"Id", "Time", "StatType"}},
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_cook, NULL};

const struct tk_ut_family tk_ut_fam_cook = {.name = "cook",
                                            .rows = tables,
                                            .binds = binds,
                                            .state = sizeof(struct state),
                                            .begin = begin_cook,
                                            .finish = finish_cook,
                                            .release = begin_cook};
