/*
 * Run: from the tables of a query to readings.
 *
 * Tables are sent in the order requested. One that sends its rows while it reads has to come first in its
 * reading, so each of those begins a reading of its own, together with the tables behind it. Where the query
 * lets rows of several tables mix, there are two readings at most: one in file order, one in order of serial.
 */
#include "engine/run.h"

#include "engine/engine_in.h"
#include "fact/progress.h"
#include "model/threads/recorded_waits.h"
#include "query/builder.h"
#include "query/patterns.h"
#include "query/tables.h"

#include <stdlib.h>

enum { TK_COMPANIONS = 5 };

extern const struct tk_builder *const tk_companions[TK_COMPANIONS];

/* Takes their rows. */
extern const struct tk_sink tk_companion_sink;

/*
 * Tables that are made along where all of a capture is judged: who pairs begins and ends notes what does not
 * fit, and health says so whatever else is requested. Their rows go nowhere. run.c opens them.
 */

const struct tk_builder *const tk_companions[TK_COMPANIONS] = {&tk_builder_frame_stats, &tk_builder_regions,
                                                               &tk_builder_tasks, &tk_builder_task_waits,
                                                               &tk_builder_locks};

static int pass_table(void *self, const struct tk_table *table, struct tk_err *err)
{
    (void)self;
    (void)table;
    (void)err;
    return TK_OK;
}

static int pass_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    (void)rows;
    return pass_table(self, table, err);
}

const struct tk_sink tk_companion_sink = {.begin = pass_table, .rows = pass_rows, .end = pass_table};

/* The query that they are opened with: without what is said of columns and rows. */
static struct tk_query tk_companion_query(const struct tk_query *query)
{
    struct tk_query along = *query;
    along.columns = along.where = NULL;
    along.n_columns = along.n_where = 0;
    along.filtered = NULL;
    return along;
}

/* Where the order of tables is free: those with facts in order of serial come behind the others, and last
 * those that say what all of them found. */
enum { IN_FILE_ORDER, IN_SERIAL_ORDER, JUDGING };

static unsigned turn_of(const struct tk_builder *b)
{
    if (tk_builder_has(b, TK_BUILDER_JUDGES))
        return JUDGING;
    return tk_builder_has(b, TK_BUILDER_SERIAL) ? IN_SERIAL_ORDER : IN_FILE_ORDER;
}

static int open_table(struct tk_run *run, const struct tk_builder *b, const struct tk_sink *sink,
                      struct tk_err *err)
{
    struct tk_run_table *t = &run->tables[run->n++];
    t->builder = b;
    t->along = !sink;
    return tk_emit_open(&t->emit, b->table, sink ? run->view.query : &run->along,
                        sink ? sink : &tk_companion_sink, err);
}

/* Once, before the first of those who judge. */
static int open_companions(struct tk_run *run, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < run->n; i++)
        if (run->tables[i].along)
            return TK_OK;
    run->along = tk_companion_query(run->view.query);
    for (size_t i = 0; i < TK_COMPANIONS && rc == TK_OK; i++)
        rc = open_table(run, tk_companions[i], NULL, err);
    return rc;
}

static int open_tables(struct tk_run *run, const struct tk_builder *const *builders, size_t n_builders,
                       const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_query *query = run->view.query;
    int rc = TK_OK;
    for (size_t i = 0, n = 0; n < n_builders && rc == TK_OK; i++) {
        const struct tk_builder *b = builders[i % n_builders];
        if (query->mixed && turn_of(b) != i / n_builders)
            continue;
        if (tk_builder_has(b, TK_BUILDER_JUDGES) && !query->in_passing)
            rc = open_companions(run, err);
        if (rc == TK_OK)
            rc = open_table(run, b, sink, err);
        n++;
    }
    return rc;
}

/* Tables that separate work from waiting use the recorded waits, where there are some. */
static void ask_waits(struct tk_run *run, struct tk_run_table *t)
{
    const struct tk_capture *capture = run->view.capture;
    t->waits = t->slices & TK_SLICE_WORK && capture->ops->may_have(capture, TK_RECORDED_WAIT_FACTS);
    t->slices &= ~TK_SLICE_WORK;
    if (t->waits) {
        t->slices |= TK_RECORDED_WAIT_SLICES;
        t->facts |= TK_RECORDED_WAIT_FACTS;
    }
}

/* Whose scopes a table takes. */
static void ask_lanes(const struct tk_run *run, struct tk_run_table *t)
{
    const struct tk_builder *b = t->builder;
    bool named = run->view.query->select.n_timers || tk_builder_has(b, TK_BUILDER_NAMED);
    if (tk_builder_has(b, TK_BUILDER_QUEUES))
        t->facts |= TK_FACT_MASK(GPU_SCOPES);
    for (unsigned kind = TK_LANE_THREAD; kind <= TK_LANE_GPU_WORK; kind++)
        if (t->facts & tk_lane_fact(kind))
            t->lanes |= 1u << kind;
    if (!(b->facts & TK_FACT_MASK(GPU_SCOPES)) && !named)
        t->lanes &= ~(1u << TK_LANE_GPU_WORK);
}

/* What the tables want; what they want to know beforehand (TK_PRESCAN_...). */
static unsigned ask_tables(struct tk_run *run)
{
    bool frames = false;
    uint32_t traits = 0;
    unsigned beforehand = 0;
    for (size_t i = 0; i < run->n; i++) {
        struct tk_run_table *t = &run->tables[i];
        const struct tk_builder *b = t->builder;
        uint64_t columns = tk_emit_columns(t->emit);
        t->facts = b->facts;
        if (b->wants)
            t->facts |= b->wants(&run->view, columns);
        if (b->slices)
            t->slices = b->slices(&run->view, columns, &frames);
        ask_lanes(run, t);
        ask_waits(run, t);
        traits |= b->traits;
        beforehand |= b->beforehand ? b->beforehand(&run->view) : 0;
    }
    return (frames ? TK_PRESCAN_FRAMES : 0) | (traits & TK_BUILDER_SWITCHES ? TK_PRESCAN_SWITCHES : 0) |
           (traits & TK_BUILDER_REGIONS ? TK_PRESCAN_REGIONS : 0) |
           (traits & TK_BUILDER_UNIT ? TK_PRESCAN_UNIT : 0) | beforehand;
}

/* Facts that may be answered by what is known of the capture. Of its extent readings ask by themselves. */
static uint64_t known_facts(const struct tk_run *run, unsigned wanted)
{
    const struct tk_selection *select = &run->view.query->select;
    uint64_t facts = TK_FACT_MASK(EXTENT);
    if (wanted || select->has_frames || select->n_regions || select->from_bookmark || select->to_bookmark)
        return TK_FACT_ALL;
    for (size_t i = 0; i < run->n; i++)
        facts |= run->tables[i].facts;
    return facts;
}

static int scan(struct tk_run *run, unsigned wanted, struct tk_err *err)
{
    struct tk_query_context *view = &run->view;
    const struct tk_prescan_wish wish = {wanted, view->query->allocators};
    int rc = tk_scope_memory_load(&run->memory, view->ctx, known_facts(run, wanted), err);
    if (rc == TK_OK)
        rc = tk_prescan_run(&run->scan, view->ctx, view->capture, &run->memory, &view->query->select, &wish,
                            err);
    tk_pattern_learn_threads(&run->select.threads, &run->scan.dict);
    tk_pattern_learn_threads(&run->whole.threads, &run->scan.dict);
    view->frames = wanted & TK_PRESCAN_FRAMES ? &run->scan.frames : NULL;
    view->switches = wanted & TK_PRESCAN_SWITCHES ? &run->scan.switches : NULL;
    view->moments = wanted & TK_PRESCAN_SAMPLES ? &run->scan.moments : NULL;
    view->places = wanted & TK_PRESCAN_PLACES ? &run->scan.places : NULL;
    view->regions = wanted & TK_PRESCAN_REGIONS ? &run->scan.regions : NULL;
    view->frame_list = wanted & TK_PRESCAN_FRAME_TYPES ? &run->scan.frame_list : NULL;
    return rc;
}

/* Would others see their facts in another order, because those who judge all of a capture read along?
 * Definitions come as they stand in the file in any case. */
static bool disturbs(const struct tk_run *run, size_t first, size_t table)
{
    bool judges = false, others = false;
    for (size_t i = first; i <= table; i++) {
        const struct tk_run_table *t = &run->tables[i];
        const bool judge = t->along || (tk_builder_has(t->builder, TK_BUILDER_JUDGES) && t->facts);
        if (!judge && tk_builder_has(t->builder, TK_BUILDER_SERIAL))
            return false;
        judges |= judge;
        others |= !judge && !tk_builder_has(t->builder, TK_BUILDER_ANY_ORDER) &&
                  t->facts & ~(TK_FACT_DEFINITIONS | TK_FACT_MASK(STREAM) | TK_FACT_MASK(EXTENT));
    }
    return judges && others;
}

/* Would rows that are sent while they are read come in another order, because a table behind them has facts
 * in order of serial? */
static bool reorders(const struct tk_run *run, size_t first, size_t table)
{
    if (!tk_builder_has(run->tables[table].builder, TK_BUILDER_SERIAL))
        return false;
    for (size_t i = first; i < table; i++) {
        const struct tk_builder *b = run->tables[i].builder;
        if (tk_builder_has(b, TK_BUILDER_STREAMS) &&
            !tk_builder_has(b, TK_BUILDER_SERIAL | TK_BUILDER_ANY_ORDER))
            return true;
    }
    return false;
}

/* Does a table have to begin a reading of its own, behind those from `first` on? Where rows may come mixed,
 * only the order of facts parts tables. */
static bool begins_reading(const struct tk_run *run, size_t first, size_t table)
{
    const struct tk_builder *b = run->tables[table].builder;
    if (tk_run_all_time(run, table) != tk_run_all_time(run, table - 1))
        return true;
    if (!run->view.query->mixed)
        return tk_builder_has(b, TK_BUILDER_STREAMS) || disturbs(run, first, table) ||
               reorders(run, first, table);
    return turn_of(b) != IN_FILE_ORDER && turn_of(run->tables[table - 1].builder) == IN_FILE_ORDER;
}

static int read_tables(struct tk_run *run, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t first = 0, end; first < run->n && rc == TK_OK; first = end) {
        for (end = first + 1; end < run->n && !begins_reading(run, first, end); end++)
            ;
        rc = tk_reading_run(run, first, end, err);
    }
    return rc;
}

static void release_run(struct tk_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        tk_emit_close(run->tables[i].emit);
    free(run->tables);
    tk_prescan_release(&run->scan);
    tk_scope_memory_release(&run->memory);
    tk_select_release(&run->select);
    tk_select_release(&run->whole);
    tk_dict_release(&run->nothing);
}

int tk_run(struct tk_context *ctx, struct tk_capture *capture, const struct tk_builder *const *builders,
           size_t n_builders, const struct tk_query *query, const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_run run = {.tables = calloc(n_builders + TK_COMPANIONS + 1, sizeof *run.tables)};
    run.view = (struct tk_query_context){
        .ctx = ctx, .capture = capture, .dict = &run.nothing, .select = &run.select, .query = query};
    if (!run.tables)
        return tk_err_nomem(err, "the tables of a query");
    int rc = tk_dict_init(&run.nothing, &ctx->limits, err);
    if (rc == TK_OK)
        rc = tk_select_init(&run.select, &query->select, err);
    if (rc == TK_OK)
        rc = tk_select_init(&run.whole, &query->select, err);
    if (rc == TK_OK)
        rc = open_tables(&run, builders, n_builders, sink, err);
    if (rc == TK_OK)
        rc = scan(&run, ask_tables(&run), err);
    if (rc == TK_OK)
        rc = read_tables(&run, err);
    release_run(&run);
    return rc;
}

int tk_run_stopped(void *context)
{
    const struct tk_context *ctx = context;
    return tk_progress(ctx, ctx->size, ctx->size, NULL) < 0;
}
