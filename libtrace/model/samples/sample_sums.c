/*
 * Tables `sample_functions`, `sample_lines` and `sample_modules`: how many samples found a thread in a
 * function, a line, a module, and how many in what it had called. Only different stacks are added up, so that
 * their cost is that of the stacks. By thread where the query requests that.
 */
#include "base/sort.h"
#include "model/code/code_map.h"
#include "model/samples/sample_record.h"
#include "model/samples/samples_in.h"
#include "query/builder.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"
#include "tracekit/queries.h"

#include <stdlib.h>
#include <string.h>

enum {
    TK_SAMPLE_SUM_SYSTEM_ID,
    TK_SAMPLE_SUM_THREAD_ID,
    TK_SAMPLE_SUM_THREAD,
    TK_SAMPLE_SUM_FUNCTION = TK_SAMPLE_SUM_THREAD + TK_THREAD_COLUMNS,
    TK_SAMPLE_SUM_MODULE,
    TK_SAMPLE_SUM_FILE_NAME,
    TK_SAMPLE_SUM_LINE,
    TK_SAMPLE_SUM_OWN,
    TK_SAMPLE_SUM_OWN_SHARE,
    TK_SAMPLE_SUM_OWN_TIME,
    TK_SAMPLE_SUM_INCL,
    TK_SAMPLE_SUM_INCL_SHARE,
    TK_SAMPLE_SUM_INCL_TIME,
    TK_SAMPLE_SUM_RUNNING,
    TK_SAMPLE_SUM_WAITING,
    TK_SAMPLE_SUM_WAITS,
    TK_SAMPLE_SUM_WAKEUPS,
    TK_SAMPLE_SUM_INCL_RUNNING,
    TK_SAMPLE_SUM_INCL_WAITING,
    TK_SAMPLE_SUM_INCL_WAITS,
    TK_SAMPLE_SUM_INCL_WAKEUPS,
    TK_SAMPLE_SUM_OFFSETS,
    TK_SAMPLE_SUM_COLUMNS
};

/* In the order of these. */
enum tk_sample_sum_kind {
    TK_SAMPLES_BY_FUNCTION,
    TK_SAMPLES_BY_LINE,
    TK_SAMPLES_BY_MODULE,
    TK_SAMPLE_SUM_TABLES
};

extern const struct tk_table tk_sample_sum_tables[TK_SAMPLE_SUM_TABLES];

/*
 * Columns of the tables `sample_functions`, `sample_lines` and `sample_modules`, which sample_sums.c fills.
 */

#define THREAD_COLUMNS                                                                                       \
    [TK_SAMPLE_SUM_SYSTEM_ID] = {"system_id", TK_INT, TK_COL_EXTRA, NULL,                                    \
                                 "with --by thread: thread id of the operating system"},                     \
    [TK_SAMPLE_SUM_THREAD_ID] = {"thread_id", TK_UINT, TK_COL_GROUP, NULL, "with --by thread: its id"},      \
    [TK_SAMPLE_SUM_THREAD] = TK_THREAD_COLUMNS_AS(TK_COL_GROUP, "with --by thread: its name")

#define SUM_COLUMNS                                                                                          \
    [TK_SAMPLE_SUM_OWN] = {"excl", TK_UINT, 0, "samples", "samples in the function itself"},                 \
    [TK_SAMPLE_SUM_OWN_SHARE] = {"excl_share", TK_REAL, TK_COL_PART, NULL,                                   \
                                 "share of all samples, or of those of the thread, 0 to 1"},                 \
    [TK_SAMPLE_SUM_OWN_TIME] = {"excl_time", TK_DURATION, TK_COL_OPTIONAL, NULL,                             \
                                "estimated time, from the sampling interval if it is known"},                \
    [TK_SAMPLE_SUM_INCL_TIME] = {"incl_time", TK_DURATION, TK_COL_OPTIONAL, NULL, "estimated time"},         \
    [TK_SAMPLE_SUM_INCL] = {"incl", TK_UINT, 0, "samples", "samples in it or in functions that it called"},  \
    [TK_SAMPLE_SUM_INCL_SHARE] = {"incl_share", TK_REAL, TK_COL_PART, NULL,                                  \
                                  "share of all samples, or of those of the thread, 0 to 1"},                \
    RUN_COLUMNS(TK_SAMPLE_SUM_RUNNING, "", TK_COL_EXTRA | TK_COL_HUMAN_ONLY | TK_COL_OPTIONAL,               \
                "in the function itself"),                                                                   \
    RUN_COLUMNS(TK_SAMPLE_SUM_INCL_RUNNING, "incl_", TK_COL_EXTRA, "in it or in functions that it called"),  \
    [TK_SAMPLE_SUM_OFFSETS] = {"offsets", TK_TEXT, TK_COL_EXTRA | TK_COL_HUMAN_ONLY | TK_COL_OPTIONAL, NULL, \
                               TK_CODE_OFFSETS_HELP}

/* Of context switches. The runs of a thread are shared out by the samples in them. */
#define RUN_COLUMNS(first, prefix, flag, where)                                                              \
    [first] = {prefix "running", TK_DURATION, flag, NULL, "time on a core " where ", by context switches"},  \
    [first + 1] = {prefix "waiting", TK_DURATION, flag, NULL, "time off core that began " where},            \
    [first + 2] = {prefix "waits", TK_UINT, flag, "waits",                                                   \
                   "number of times that a thread went off core " where},                                    \
    [first + 3] = {prefix "wakeups", TK_UINT, flag, "wake-ups",                                              \
                   "number of times that a thread came back on a core " where}

#define FUNCTION_HELP "function; one row for all of a module without any"
#define MODULE_COLUMN                                                                                        \
    {                                                                                                        \
        "module", TK_TEXT, 0, NULL, "executable or library"                                                  \
    }

static const struct tk_column function_columns[TK_SAMPLE_SUM_COLUMNS] = {
    THREAD_COLUMNS,
    [TK_SAMPLE_SUM_FUNCTION] = {"function", TK_TEXT, 0, NULL, FUNCTION_HELP},
    [TK_SAMPLE_SUM_MODULE] = MODULE_COLUMN,
    [TK_SAMPLE_SUM_FILE_NAME] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file of the first sample"},
    [TK_SAMPLE_SUM_LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "line of the first sample"},
    SUM_COLUMNS,
};

static const struct tk_column line_columns[TK_SAMPLE_SUM_COLUMNS] = {
    THREAD_COLUMNS,
    [TK_SAMPLE_SUM_FUNCTION] = {"function", TK_TEXT, 0, NULL, FUNCTION_HELP},
    [TK_SAMPLE_SUM_MODULE] = MODULE_COLUMN,
    [TK_SAMPLE_SUM_FILE_NAME] = {"file", TK_TEXT, 0, NULL, "source file; empty if it is not known"},
    [TK_SAMPLE_SUM_LINE] = {"line", TK_UINT, 0, NULL, "line in it"},
    SUM_COLUMNS,
};

static const struct tk_column module_columns[TK_SAMPLE_SUM_COLUMNS] = {
    THREAD_COLUMNS,
    [TK_SAMPLE_SUM_FUNCTION] = {"function", TK_TEXT, TK_COL_EXTRA, NULL, "a function of it"},
    [TK_SAMPLE_SUM_MODULE] = {"module", TK_TEXT, 0, NULL, "executable or library; empty: none"},
    [TK_SAMPLE_SUM_FILE_NAME] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "a source file of it"},
    [TK_SAMPLE_SUM_LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "a line of it"},
    SUM_COLUMNS,
};

const struct tk_table tk_sample_sum_tables[TK_SAMPLE_SUM_TABLES] = {
    {.name = "sample_functions",
     .schema = 2,
     .help = "stack samples by function, inlined ones too: exclusive and inclusive",
     .columns = function_columns,
     .n_columns = TK_SAMPLE_SUM_COLUMNS,
     .sort_by = "excl"},
    {.name = "sample_lines",
     .schema = 2,
     .help = "stack samples by source line",
     .columns = line_columns,
     .n_columns = TK_SAMPLE_SUM_COLUMNS,
     .sort_by = "excl"},
    {.name = "sample_modules",
     .schema = 2,
     .help = "stack samples by executable and library",
     .columns = module_columns,
     .n_columns = TK_SAMPLE_SUM_COLUMNS,
     .sort_by = "excl"},
};

/* Sums of a function, line or module, perhaps of a thread. */
struct sum {
    struct tk_sample_place place;
    uint32_t thread; /* place; of no meaning for all threads together */
    uint32_t number; /* in the order in which they were met: place of its times */
    uint64_t own, incl;
    size_t last; /* the stack that was added last, from 1 */
};

struct sum_runs {
    struct tk_sample_run_times own, incl;
};

struct sums {
    struct tk_collector g;
    enum tk_sample_sum_kind kind;
    struct tk_sample_stacks stacks;
    TK_VEC(struct sum) v;
    TK_VEC(struct sum_runs) v_runs; /* by number, where there are runs */
    TK_VEC(uint32_t) rows;          /* by number of a place: 1 + in v; not by thread */
    TK_VEC(uint64_t) totals;        /* samples by thread */
    size_t stack;                   /* that is being added, from 1 */
    uint32_t thread;
    uint64_t count;
    int64_t period;
    struct tk_switch_list switches;   /* where the columns of runs are requested */
    struct tk_sample_run_times *runs; /* owned; by stack, once all is read; NULL: there is none */
    struct tk_code_offsets offsets;   /* by number of a row, where their column is requested */
};

#define RUNS_REQUESTED (UINT64_C(0xff) << TK_SAMPLE_SUM_RUNNING)

static bool by_thread(const struct sums *s)
{
    return (s->g.view->query->by & TK_BY_THREAD) != 0;
}

static int start_functions(void *self)
{
    struct sums *s = self;
    tk_sample_stacks_init(&s->stacks, s->g.view);
    tk_switch_list_init(&s->switches, s->g.view->ctx);
    s->stacks.keeps_times = s->stacks.keeps_all = s->g.columns & RUNS_REQUESTED;
    return 0;
}

static int start_lines(void *self)
{
    ((struct sums *)self)->kind = TK_SAMPLES_BY_LINE;
    return start_functions(self);
}

static int start_modules(void *self)
{
    ((struct sums *)self)->kind = TK_SAMPLES_BY_MODULE;
    return start_functions(self);
}

static uint64_t text_key(const struct tk_str *text)
{
    return (uint64_t)(uintptr_t)text;
}

/* What is one row. Equal texts have one address. */
static uint64_t key_of(const struct sums *s, const struct tk_sample_place *place)
{
    uint64_t key = tk_hash_pair(text_key(place->module), by_thread(s) ? s->thread + UINT64_C(1) : 0);
    if (s->kind != TK_SAMPLES_BY_MODULE)
        key = tk_hash_pair(key, text_key(place->function));
    if (s->kind == TK_SAMPLES_BY_LINE)
        key = tk_hash_pair(tk_hash_pair(key, text_key(place->file)), place->line);
    return key;
}

static struct sum *reach(struct sums *s, const struct tk_sample_place *place)
{
    uint64_t key = key_of(s, place);
    uint32_t at = tk_map_get(&s->g.index, key);
    if (at != TK_MAP_NONE)
        return &s->v.v[at];
    struct sum made = {.place = *place, .thread = s->thread, .number = (uint32_t)s->v.n};
    if (s->v.n >= TK_MAP_NONE - 1 || tk_vec_push(&s->v, made) ||
        (s->runs && tk_vec_reach(&s->v_runs, s->v.n)) || tk_map_put(&s->g.index, key, (uint32_t)s->v.n - 1))
        return NULL;
    return &s->v.v[s->v.n - 1];
}

/* The row of a place that was met before is known by its number. */
static struct sum *reach_known(struct sums *s, const struct tk_sample_place *place)
{
    if (by_thread(s))
        return reach(s, place);
    if (tk_vec_reach(&s->rows, place->number + (size_t)1))
        return NULL;
    uint32_t *row = &s->rows.v[place->number];
    struct sum *sum = *row ? &s->v.v[*row - 1] : reach(s, place);
    *row = sum ? (uint32_t)(sum - s->v.v) + 1 : 0;
    return sum;
}

static void add_runs(struct tk_sample_run_times *to, const struct tk_sample_run_times *more)
{
    to->running += more->running;
    to->waiting += more->waiting;
    to->waits += more->waits;
    to->wakeups += more->wakeups;
}

static int add_offset(struct sums *s, const struct sum *sum, const struct tk_sample_place *place, bool own)
{
    const bool wanted = s->g.columns >> TK_SAMPLE_SUM_OFFSETS & 1;
    if (place->known || !wanted)
        return 0;
    return tk_code_offsets_add(&s->offsets, sum->number, place->offset, s->stack, own, s->count);
}

/* A function that occurs several times in a stack counts once. */
static int take_place(void *to, const struct tk_sample_place *place, bool own)
{
    struct sums *s = to;
    struct sum *sum = reach_known(s, place);
    if (!sum)
        return -1;
    sum->own += own ? s->count : 0;
    sum->incl += sum->last == s->stack ? 0 : s->count;
    if (s->runs && own)
        add_runs(&s->v_runs.v[sum->number].own, &s->runs[s->stack - 1]);
    if (s->runs && sum->last != s->stack)
        add_runs(&s->v_runs.v[sum->number].incl, &s->runs[s->stack - 1]);
    sum->last = s->stack;
    return add_offset(s, sum, place, own);
}

/* A sample before the selection can have time in it. */
static bool has_times(const struct sums *s, size_t i)
{
    const struct tk_sample_run_times *runs = s->runs ? &s->runs[i] : NULL;
    return runs && (runs->running || runs->waiting || runs->waits || runs->wakeups);
}

/* Is the thread of a stack one of the recorded process, whose modules are known? */
static bool is_own(const struct sums *s, const struct tk_sample_stack *stack)
{
    return s->stacks.threads.v.v[stack->thread].thread != TK_NO_THREAD;
}

/* Where threads are not distinguished, stacks of the same addresses are added up as the first of them. */
static void add_alike(struct sums *s)
{
    for (size_t i = 0; i < s->stacks.v.n && !by_thread(s) && !s->runs; i++) {
        struct tk_sample_stack *stack = &s->stacks.v.v[i], *first = &s->stacks.v.v[stack->alike];
        if (first == stack || is_own(s, first) != is_own(s, stack) ||
            !tk_sample_stack_selected(&s->stacks, stack) ||
            !tk_system_thread_selected(&s->stacks.threads.v.v[first->thread], s->g.view))
            continue;
        first->count += stack->count;
        stack->count = 0;
    }
}

static int add_stack(struct sums *s, size_t i)
{
    const struct tk_sample_stack *stack = &s->stacks.v.v[i];
    if (!(stack->count || has_times(s, i)) ||
        !tk_system_thread_selected(&s->stacks.threads.v.v[stack->thread], s->g.view))
        return 0;
    s->stack = i + 1;
    s->thread = stack->thread;
    s->count = stack->count;
    if (tk_vec_reach(&s->totals, stack->thread + (size_t)1))
        return -1;
    s->totals.v[stack->thread] += stack->count;
    return tk_sample_stack_walk(&s->stacks, stack, take_place, s);
}

static int settle_runs(struct sums *s)
{
    if (!s->switches.n)
        return 0;
    if (tk_switch_list_finish(&s->switches, s->g.view->dict))
        return -1;
    s->runs = tk_sample_runs(&s->stacks, &s->switches);
    return s->runs ? 0 : -1;
}

static int settle_sums(void *self)
{
    struct sums *s = self;
    int rc = tk_sample_stacks_settle(&s->stacks);
    if (rc == 0)
        rc = settle_runs(s);
    if (rc == 0)
        add_alike(s);
    s->period = tk_sample_period(s->g.view->dict);
    for (size_t i = 0; i < s->stacks.v.n && rc == 0; i++)
        rc = add_stack(s, i);
    return rc ? rc : tk_code_offsets_settle(&s->offsets);
}

static int by_own(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    if (x->own != y->own)
        return x->own > y->own ? -1 : 1;
    return (x->incl < y->incl) - (x->incl > y->incl);
}

static void fill_runs(const struct sums *s, const struct tk_sample_run_times *runs, struct tk_cell *cells)
{
    cells[0] = tk_query_context_span(s->g.view, (int64_t)runs->running);
    cells[1] = tk_query_context_span(s->g.view, (int64_t)runs->waiting);
    cells[2] = tk_cell_of_uint(runs->waits);
    cells[3] = tk_cell_of_uint(runs->wakeups);
}

static void fill_sums(const void *self, const void *thing, struct tk_cell *row)
{
    const struct sums *s = self;
    const struct sum *sum = thing;
    const uint64_t samples = by_thread(s) ? s->totals.v[sum->thread] : s->stacks.samples;
    const double all = samples ? (double)samples : 1;
    if (by_thread(s))
        tk_system_thread_fill(&s->stacks.threads.v.v[sum->thread], s->g.view, &row[TK_SAMPLE_SUM_SYSTEM_ID]);
    row[TK_SAMPLE_SUM_FUNCTION] = tk_cell_of_text(sum->place.function);
    row[TK_SAMPLE_SUM_MODULE] = tk_cell_of_text(sum->place.module);
    row[TK_SAMPLE_SUM_FILE_NAME] = tk_cell_of_text(sum->place.file);
    if (sum->place.line)
        row[TK_SAMPLE_SUM_LINE] = tk_cell_of_uint(sum->place.line);
    row[TK_SAMPLE_SUM_OWN] = tk_cell_of_uint(sum->own);
    row[TK_SAMPLE_SUM_OWN_SHARE] = tk_cell_of_real((double)sum->own / all);
    row[TK_SAMPLE_SUM_OWN_TIME] = tk_sample_time(s->g.view, s->period, sum->own);
    row[TK_SAMPLE_SUM_INCL_TIME] = tk_sample_time(s->g.view, s->period, sum->incl);
    row[TK_SAMPLE_SUM_INCL] = tk_cell_of_uint(sum->incl);
    row[TK_SAMPLE_SUM_INCL_SHARE] = tk_cell_of_real((double)sum->incl / all);
    row[TK_SAMPLE_SUM_OFFSETS] = tk_code_offsets_cell(&s->offsets, sum->number, s->g.emit);
    if (!s->runs)
        return;
    fill_runs(s, &s->v_runs.v[sum->number].own, &row[TK_SAMPLE_SUM_RUNNING]);
    fill_runs(s, &s->v_runs.v[sum->number].incl, &row[TK_SAMPLE_SUM_INCL_RUNNING]);
}

static void release_sums(void *self)
{
    struct sums *s = self;
    tk_sample_stacks_release(&s->stacks);
    tk_vec_release(&s->totals);
    tk_vec_release(&s->rows);
    tk_vec_release(&s->v_runs);
    tk_switch_list_release(&s->switches);
    tk_code_offsets_release(&s->offsets);
    free(s->runs);
}

static int feed_sums(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct sums *s = self;
    (void)emit;
    for (size_t i = 0; s->g.columns & RUNS_REQUESTED && i < batch->n_facts; i++)
        if (batch->facts[i].kind == TK_FACT_SWITCH && tk_switch_list_feed(&s->switches, &batch->facts[i]))
            return tk_err_nomem(err, "context switches");
    return tk_sample_stacks_batch(&s->stacks, batch, "stack samples", err);
}

static int take_calls(void *self, const struct tk_slices *slices, unsigned worker)
{
    (void)worker;
    return tk_sample_stacks_take(&((struct sums *)self)->stacks, slices);
}

static int lane_calls(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    return tk_sample_stacks_lane(&((struct sums *)self)->stacks, end, "samples by timer", err);
}

/* A sample before the selection can have time in it: it has to be known whether it fell into a timer. */
static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    tk_sample_stacks_add_needs(view, wanted, needs);
    if (!(wanted & RUNS_REQUESTED))
        return;
    needs->facts |= TK_FACT_MASK(SWITCH);
    needs->all_time = needs->slices != 0;
}

static const struct tk_scope_hooks scope_hooks = {.take = take_calls, .lane = lane_calls};

#define SUMS(number, how)                                                                                    \
    .table = &tk_sample_sum_tables[number], .needs = {.facts = TK_SAMPLE_STACK_FACTS},                       \
    .scopes = &scope_hooks, .gathering = &(how), .add_needs = add_needs, .open = tk_collector_open,          \
    .feed = feed_sums, .finish = tk_collector_finish, .close = tk_collector_close

#define COLLECTING                                                                                           \
    .settle = settle_sums, .release = release_sums, TK_COLLECTOR_ROWS(struct sums, v), .order = by_own,      \
    .fill = fill_sums

static const struct tk_collecting of_functions = {
    .what = "sampled functions", .start = start_functions, COLLECTING};
static const struct tk_collecting of_lines = {.what = "sampled lines", .start = start_lines, COLLECTING};
static const struct tk_collecting of_modules = {
    .what = "sampled modules", .start = start_modules, COLLECTING};

const struct tk_builder tk_builder_sample_functions = {SUMS(0, of_functions)};
const struct tk_builder tk_builder_sample_lines = {SUMS(1, of_lines)};
const struct tk_builder tk_builder_sample_modules = {SUMS(2, of_modules)};
