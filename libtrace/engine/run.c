/*
 * Run: from the tables of a query to readings.
 *
 * Tables are sent in the order requested. One that sends its rows while it reads has to come first in its
 * reading, so each of those begins a reading of its own, together with the tables behind it. Where the query
 * lets rows of several tables mix, there are two readings at most: one in file order, one in order of serial.
 */
#include "engine/run.h"

#include "engine/engine_in.h"
#include "fact/format.h"
#include "fact/progress.h"
#include "model/threads/work_kind.h"
#include "query/builder.h"
#include "query/select.h"
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
    static const unsigned turns[] = {[TK_NEEDS_SEQ_ORDER] = IN_SERIAL_ORDER, [TK_NEEDS_LAST] = JUDGING};
    return turns[b->needs.order];
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
        if (turn_of(b) == JUDGING && !query->in_passing)
            rc = open_companions(run, err);
        if (rc == TK_OK)
            rc = open_table(run, b, sink, err);
        n++;
    }
    return rc;
}

/* Tables that separate work from waiting use the recorded waits, where there are some. */
static void add_waits(const struct tk_run *run, struct tk_needs *needs)
{
    const struct tk_capture *capture = run->view.capture;
    needs->waits &= capture->ops->may_have(capture, TK_RECORDED_WAIT_FACTS);
    if (needs->waits) {
        needs->slices |= TK_RECORDED_WAIT_SLICES;
        needs->facts |= TK_RECORDED_WAIT_FACTS;
    }
}

/* Whose scopes a table takes. */
static void add_lanes(const struct tk_run *run, struct tk_run_table *t)
{
    struct tk_needs *needs = &t->needs;
    const bool named = run->view.query->select.n_timers || needs->lanes == TK_NEEDS_NAMED_QUEUES;
    if (needs->lanes != TK_NEEDS_LANES_OF_FACTS)
        needs->facts |= TK_FACT_MASK(GPU_SCOPES);
    for (unsigned kind = TK_LANE_THREAD; kind <= TK_LANE_GPU_WORK; kind++)
        if (needs->facts & tk_lane_fact(kind))
            t->lanes |= 1u << kind;
    if (!(t->builder->needs.facts & TK_FACT_MASK(GPU_SCOPES)) && !named)
        t->lanes &= ~(1u << TK_LANE_GPU_WORK);
}

static void add_lists(struct tk_needs_lists *all, const struct tk_needs_lists *more)
{
    all->switches |= more->switches;
    all->regions |= more->regions;
    all->moments |= more->moments;
    all->places |= more->places;
    all->roles |= more->roles;
    all->frames |= more->frames;
}

static bool wants_roles(const struct tk_run_table *t)
{
    const int role = tk_table_column(t->builder->table, "role");
    return role >= 0 && tk_emit_wants(t->emit, (unsigned)role);
}

/* What the tables need; the lists of all of them. */
static struct tk_needs_lists find_needs(struct tk_run *run)
{
    struct tk_needs_lists lists = {.frames = 0};
    for (size_t i = 0; i < run->n; i++) {
        struct tk_run_table *t = &run->tables[i];
        t->needs = t->builder->needs;
        if (t->builder->add_needs)
            t->builder->add_needs(&run->view, tk_emit_columns(t->emit), &t->needs);
        add_lanes(run, t);
        add_waits(run, &t->needs);
        t->needs.lists.roles |= wants_roles(t);
        add_lists(&lists, &t->needs.lists);
    }
    return lists;
}

static int scan(struct tk_run *run, const struct tk_needs_lists *lists, struct tk_err *err)
{
    struct tk_query_context *view = &run->view;
    const struct tk_prescan_wish wish = {*lists, view->query->allocators};
    const int rc = tk_prescan_run(&run->scan, view->ctx, view->capture, &view->query->select, &wish, err);
    tk_pattern_learn_threads(&run->select.threads, &run->scan.dict);
    tk_pattern_learn_threads(&run->whole.threads, &run->scan.dict);
    view->frames = lists->frames & TK_NEEDS_GAME_FRAMES ? &run->scan.frames : NULL;
    view->switches = lists->switches ? &run->scan.switches : NULL;
    view->moments = lists->moments ? &run->scan.moments : NULL;
    view->places = lists->places ? &run->scan.places : NULL;
    view->regions = lists->regions ? &run->scan.regions : NULL;
    view->frame_list = lists->frames & TK_NEEDS_ALL_FRAMES ? &run->scan.frame_list : NULL;
    return rc;
}

/* Would others see their facts in another order, because those who judge all of a capture read along?
 * Definitions come as they stand in the file in any case. */
static bool disturbs(const struct tk_run *run, size_t first, size_t table)
{
    bool judges = false, others = false;
    for (size_t i = first; i <= table; i++) {
        const struct tk_run_table *t = &run->tables[i];
        const enum tk_needs_order order = t->needs.order;
        const bool judge = t->along || (order == TK_NEEDS_LAST && t->needs.facts);
        if (!judge && order == TK_NEEDS_SEQ_ORDER)
            return false;
        judges |= judge;
        others |= !judge && order != TK_NEEDS_ANY_ORDER &&
                  t->needs.facts & ~(TK_FACT_DEFINITIONS | TK_FACT_MASK(STREAM) | TK_FACT_MASK(EXTENT));
    }
    return judges && others;
}

/* Would rows that are sent while they are read come in another order, because a table behind them has facts
 * in order of serial? */
static bool reorders(const struct tk_run *run, size_t first, size_t table)
{
    if (run->tables[table].needs.order != TK_NEEDS_SEQ_ORDER)
        return false;
    for (size_t i = first; i < table; i++) {
        const struct tk_needs *needs = &run->tables[i].needs;
        if (needs->streams && needs->order != TK_NEEDS_SEQ_ORDER && needs->order != TK_NEEDS_ANY_ORDER)
            return true;
    }
    return false;
}

/* Does a table have to begin a reading of its own, behind those from `first` on? Where rows may come mixed,
 * only the order of facts parts tables. */
static bool begins_reading(const struct tk_run *run, size_t first, size_t table)
{
    const struct tk_run_table *t = &run->tables[table];
    if (tk_run_all_time(run, table) != tk_run_all_time(run, table - 1))
        return true;
    if (!run->view.query->mixed)
        return t->needs.streams || disturbs(run, first, table) || reorders(run, first, table);
    return turn_of(t->builder) != IN_FILE_ORDER && turn_of(run->tables[table - 1].builder) == IN_FILE_ORDER;
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
    if (rc == TK_OK) {
        const struct tk_needs_lists lists = find_needs(&run);
        rc = scan(&run, &lists, err);
    }
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
