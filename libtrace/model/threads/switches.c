/*
 * Tables `switches` (a row a thread of the operating system) and `cores` (a row a core): how long threads of
 * the operating system ran and did not run, and what cores did. A thread that is not on a core waits, or
 * another one was put in its place; the capture does not say which.
 */
#include "base/wrap.h"
#include "model/threads/switch_list.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <inttypes.h>

enum {
    SYSTEM_ID,
    THREAD_ID,
    THREAD,
    COUNT = THREAD + TK_THREAD_COLUMNS,
    TOTAL,
    LENGTHS,
    WAITS = LENGTHS + TK_DISTRIBUTION_COLUMNS,
    WAITING,
    WAIT_LENGTHS,
    WAKEUPS = WAIT_LENGTHS + TK_DISTRIBUTION_COLUMNS,
    WAKING,
    PREEMPTED,
    READY,
    BLOCKED,
    CORES,
    MOVES,
    FIRST,
    LAST,
    COLUMNS
};

#define EXTRA TK_COL_EXTRA

static const struct tk_column columns[COLUMNS] = {
    [SYSTEM_ID] = {"system_id", TK_INT, 0, NULL, "thread id of the operating system"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "name of the thread, which may belong to another process"),
    [COUNT] = {"count", TK_UINT, 0, "runs", "number of times that it ran on a core"},
    [TOTAL] = {"running", TK_DURATION, 0, NULL, "total duration of these"},
    TK_DISTRIBUTION_LENGTHS(LENGTHS, "", 0, "shortest of these times", "longest of these times",
                            "mean of these times", "these times (to 0.8 %)"),
    [WAITS] = {"waits", TK_UINT, EXTRA, "waits", "number of gaps between these"},
    [WAITING] = {"waiting", TK_DURATION, 0, NULL, "total time off core, waiting or preempted"},
    TK_DISTRIBUTION_LENGTHS(WAIT_LENGTHS, "wait_", TK_DISTRIBUTION_ALL & ~TK_DISTRIBUTION_BIT(MAX),
                            "shortest time off core", "longest time off core", "mean time off core",
                            "the times off core (to 0.8 %)"),
    [WAKEUPS] = {"wakeups", TK_UINT, 0, "wakeups",
                 "runs before which an event woke it; empty: such events are not recorded"},
    [WAKING] = {"waking", TK_DURATION, 0, NULL,
                "part of waiting from such an event to the run; empty: not recorded"},
    [PREEMPTED] = {"preempted", TK_UINT, 0, "runs",
                   "runs at whose end it could have gone on; empty: end states are not recorded"},
    [READY] = {"ready", TK_DURATION, 0, NULL, "part of waiting behind these; empty: not recorded"},
    [BLOCKED] =
        {"blocked", TK_DURATION, 0, NULL,
         "part of waiting behind runs that ended in an uninterruptible wait, such as for a disk; empty: "
         "not recorded"},
    [CORES] = {"cores", TK_UINT, 0, "cores", "number of cores that it ran on"},
    [MOVES] = {"migrations", TK_UINT, EXTRA, "moves", "number of migrations to another core"},
    [FIRST] = {"first", TK_TIME, EXTRA, NULL, "start of the first run on a core"},
    [LAST] = {"last", TK_TIME, EXTRA, NULL, "end of the last run on a core"},
};

static const struct tk_table table = {
    .name = "switches",
    .help = "operating system threads: time on a core, and time off it",
    .schema = 2,
    .columns = columns,
    .n_columns = COLUMNS,
    .sort_by = "running",
};

enum { CORE, CORE_COUNT, CORE_BUSY, CORE_OWN, CORE_IDLE, CORE_THREADS, CORE_COLUMNS };

static const struct tk_column core_columns[CORE_COLUMNS] = {
    [CORE] = {"core", TK_UINT, 0, NULL, "number of the core"},
    [CORE_COUNT] = {"count", TK_UINT, 0, "runs", "number of times that a thread ran on it"},
    [CORE_BUSY] = {"busy", TK_DURATION, 0, NULL, "total duration of these"},
    [CORE_OWN] = {"own", TK_DURATION, 0, NULL,
                  "part of busy that belongs to threads of the captured program"},
    [CORE_IDLE] = {"idle", TK_DURATION, 0, NULL, "idle time"},
    [CORE_THREADS] = {"threads", TK_UINT, 0, "threads", "number of threads that ran on it"},
};

static const struct tk_table core_table = {
    .name = "cores",
    .help = "processor cores and what ran on them",
    .schema = 2,
    .columns = core_columns,
    .n_columns = CORE_COLUMNS,
};

/* Of a thread or a core, runs put together that follow each other. */
struct use {
    struct tk_distribution runs, gaps;
    int64_t first, last;
    uint32_t core; /* its number, of a core */
    uint64_t own;
    uint64_t wakeups, waking;           /* of a thread */
    uint64_t preempted, ready, blocked; /* where `ends` */
    bool ends;                          /* states at the ends of runs are recorded */
    uint8_t end_state;                  /* of the last run */
    uint32_t partner;                   /* the last core, or thread */
    uint64_t moves;
    TK_VEC(uint32_t) partners; /* all cores, or threads */
    struct tk_map seen;        /* those */
};

struct switches {
    struct tk_collector g;
    struct tk_switch_list list;
    TK_VEC(struct use) uses; /* by place of the thread; cores are looked up by number */
    bool wakes;              /* wake-ups are recorded */
};

static int start_switches(void *self)
{
    struct switches *s = self;
    tk_switch_list_init(&s->list, s->g.view->ctx);
    return 0;
}

static void release_use(void *thing)
{
    struct use *use = thing;
    tk_distribution_release(&use->runs);
    tk_distribution_release(&use->gaps);
    tk_vec_release(&use->partners);
    tk_map_release(&use->seen);
}

static void release_switches(void *self)
{
    tk_switch_list_release(&((struct switches *)self)->list);
}

static int take_switches(void *self, const struct tk_fact *fact)
{
    return tk_switch_list_feed(&((struct switches *)self)->list, fact);
}

/* ---- sums ---- */

static int64_t selected(const struct tk_query_context *view, int64_t begin, int64_t end)
{
    return tk_wrap_sub(tk_select_before(view->select, end), tk_select_before(view->select, begin));
}

static int meet(struct use *use, uint32_t partner)
{
    use->moves += use->runs.count && use->partner != partner;
    use->partner = partner;
    if (tk_map_get(&use->seen, partner) != TK_MAP_NONE)
        return 0;
    return tk_map_put(&use->seen, partner, 0) || tk_vec_push(&use->partners, partner);
}

/* Time off a core in front of a run, by why it was off: of the end of the run before, and who woke it. */
static int add_gap(const struct tk_query_context *view, struct use *use, const struct tk_switch *s)
{
    const int64_t gap = selected(view, use->last, s->begin);
    if (tk_run_end_is_ready(use->end_state))
        use->ready += (uint64_t)gap;
    else if (use->end_state == TK_RUN_END_BLOCKED || use->end_state == TK_RUN_END_KILLABLE)
        use->blocked += (uint64_t)gap;
    if (s->wake != TK_NOT_WOKEN)
        use->waking += (uint64_t)selected(view, s->wake > use->last ? s->wake : use->last, s->begin);
    return tk_distribution_add_length(&use->gaps, gap);
}

/* Adds a run; those before began no later. */
static int add_run_switches(const struct tk_query_context *view, struct use *use, const struct tk_switch *s,
                            uint32_t partner)
{
    if (!tk_select_touches(view->select, s->begin, s->end))
        return 0;
    if (!use->runs.count)
        use->first = use->last = s->begin;
    if (meet(use, partner))
        return -1;
    if (s->begin > use->last && add_gap(view, use, s))
        return -1;
    use->wakeups += s->wake != TK_NOT_WOKEN;
    use->preempted += tk_run_end_is_ready(s->end_state);
    use->ends |= s->end_state != TK_RUN_END_UNKNOWN;
    use->end_state = s->end_state;
    use->last = s->end > use->last ? s->end : use->last;
    return tk_distribution_add_length(&use->runs, selected(view, s->begin, s->end));
}

static struct use *use_at(struct switches *s, size_t at)
{
    if (tk_vec_reach(&s->uses, at + 1))
        return NULL;
    return &s->uses.v[at];
}

/* ---- threads ---- */

static int sum_threads(void *self)
{
    struct switches *s = self;
    if (tk_switch_list_finish(&s->list, s->g.view->dict))
        return -1;
    struct tk_switch_reading r = tk_switches_from_first(&s->list);
    for (const struct tk_switch *run; (run = tk_switches_next(&r));) {
        struct use *use = use_at(s, run->thread);
        if (!use || add_run_switches(s->g.view, use, run, run->core))
            return -1;
        s->wakes |= run->wake != TK_NOT_WOKEN;
    }
    return 0;
}

/* Uses lie as their threads do. */
static const struct tk_system_thread *thread_of_switches(const struct switches *s, const struct use *use)
{
    return &s->list.threads.v.v[use - s->uses.v];
}

static bool is_visible_switches(const void *self, const void *thing)
{
    const struct switches *s = self;
    const struct use *use = thing;
    return use->runs.count && tk_system_thread_selected(thread_of_switches(s, use), s->g.view);
}

static void fill_switches(const void *self, const void *thing, struct tk_cell *row)
{
    const struct switches *s = self;
    const struct tk_query_context *view = s->g.view;
    const struct use *use = thing;
    tk_system_thread_fill(thread_of_switches(s, use), view, &row[SYSTEM_ID]);
    row[COUNT] = tk_cell_of_uint(use->runs.count);
    row[TOTAL] = tk_query_context_span(view, (int64_t)use->runs.total);
    tk_distribution_put(view, TK_DURATION, &use->runs, &row[LENGTHS]);
    row[WAITS] = tk_cell_of_uint(use->gaps.count);
    row[WAITING] = tk_query_context_span(view, (int64_t)use->gaps.total);
    tk_distribution_put(view, TK_DURATION, &use->gaps, &row[WAIT_LENGTHS]);
    if (s->wakes) {
        row[WAKEUPS] = tk_cell_of_uint(use->wakeups);
        row[WAKING] = tk_query_context_span(view, (int64_t)use->waking);
    }
    if (use->ends) {
        row[PREEMPTED] = tk_cell_of_uint(use->preempted);
        row[READY] = tk_query_context_span(view, (int64_t)use->ready);
        row[BLOCKED] = tk_query_context_span(view, (int64_t)use->blocked);
    }
    row[CORES] = tk_cell_of_uint(use->partners.n);
    row[MOVES] = tk_cell_of_uint(use->moves);
    row[FIRST] = tk_query_context_time(view, use->first);
    row[LAST] = tk_query_context_time(view, use->last);
}

/* ---- cores ---- */

static struct use *core_of(struct switches *s, uint32_t core)
{
    uint32_t at = tk_map_get(&s->g.index, core);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)s->uses.n;
        struct use fresh = {.core = core};
        if (tk_map_put(&s->g.index, core, at) || tk_vec_push(&s->uses, fresh))
            return NULL;
    }
    return &s->uses.v[at];
}

static int sum_cores(void *self)
{
    struct switches *s = self;
    if (tk_switch_list_finish(&s->list, s->g.view->dict))
        return -1;
    struct tk_switch_reading r = tk_switches_from_first(&s->list);
    for (const struct tk_switch *run; (run = tk_switches_next(&r));) {
        const struct tk_system_thread *thread = &s->list.threads.v.v[run->thread];
        struct use *use = tk_system_thread_selected(thread, s->g.view) ? core_of(s, run->core) : NULL;
        if (!tk_system_thread_selected(thread, s->g.view))
            continue;
        if (!use || add_run_switches(s->g.view, use, run, run->thread))
            return -1;
        if (thread->thread != TK_NO_THREAD)
            use->own += (uint64_t)selected(s->g.view, run->begin, run->end);
    }
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    return (x->core > y->core) - (x->core < y->core);
}

static bool is_core_visible(const void *self, const void *thing)
{
    (void)self;
    return ((const struct use *)thing)->runs.count;
}

static void fill_core(const void *self, const void *thing, struct tk_cell *row)
{
    const struct switches *s = self;
    const struct use *use = thing;
    row[CORE] = tk_cell_of_uint(use->core);
    row[CORE_COUNT] = tk_cell_of_uint(use->runs.count);
    row[CORE_BUSY] = tk_query_context_span(s->g.view, (int64_t)use->runs.total);
    row[CORE_OWN] = tk_query_context_span(s->g.view, (int64_t)use->own);
    row[CORE_IDLE] = tk_query_context_span(s->g.view, (int64_t)use->gaps.total);
    row[CORE_THREADS] = tk_cell_of_uint(use->partners.n);
}

static const struct tk_collecting of_threads = {
    .what = "context switches",
    .start = start_switches,
    .take = take_switches,
    .settle = sum_threads,
    .release = release_switches,
    TK_COLLECTOR_ROWS(struct switches, uses),
    .release_thing = release_use,
    .displayed = is_visible_switches,
    .fill = fill_switches,
};

static const struct tk_collecting of_cores = {
    .what = "context switches",
    .start = start_switches,
    .take = take_switches,
    .settle = sum_cores,
    .release = release_switches,
    TK_COLLECTOR_ROWS(struct switches, uses),
    .release_thing = release_use,
    .order = by_number,
    .displayed = is_core_visible,
    .fill = fill_core,
};

const struct tk_builder tk_builder_switches = {
    .table = &table,
    .needs = {.facts = TK_SWITCH_FACTS},
    TK_COLLECTS(of_threads),
};

const struct tk_builder tk_builder_cores = {
    .table = &core_table,
    .needs = {.facts = TK_SWITCH_FACTS},
    TK_COLLECTS(of_cores),
};
