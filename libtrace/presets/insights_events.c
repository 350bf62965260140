/*
 * Insights: every scope, timeline after timeline, in each by begin with parents before children. Scopes come
 * in order of their ends, so they wait in a sorter.
 */
#include "base/err.h"
#include "base/text/glob.h"
#include "io/scratch/spill.h"
#include "presets/presets_in.h"
#include "tracekit/queries.h"

#include <stdlib.h>

enum { SORT_BYTES = 32 << 20, MOST_COLUMNS = 64 };

/* The order of timelines: GPUs, queues, threads as they are displayed, threads that only scopes tell of. */
struct record {
    uint64_t place; /* of the track: class above, number below */
    uint64_t seq;
    int64_t begin, end;
    uint32_t track, timer, depth;
};

struct events {
    struct tk_insights *x;
    struct tk_calls calls;
    struct tk_external_sort *sorter;
    bool *picked; /* owned: by timer */
    uint8_t columns[MOST_COLUMNS];
    size_t n_columns;
};

/* ---- columns ---- */

enum { THREAD_ID, THREAD_NAME, TIMER_ID, TIMER_NAME, START, END, DURATION, DEPTH, COLUMNS };

static const char *const column_names[COLUMNS] = {"ThreadId",  "ThreadName", "TimerId",  "TimerName",
                                                  "StartTime", "EndTime",    "Duration", "Depth"};

/* An exact name, or a pattern for all that match, in their order. */
static int add_columns(struct events *e, const char *item, struct tk_err *err)
{
    const size_t before = e->n_columns;
    for (unsigned i = 0; i < COLUMNS; i++) {
        const char *name = column_names[i];
        if (!tk_glob(item, strlen(item), name, strlen(name), true))
            continue;
        if (e->n_columns == MOST_COLUMNS)
            return tk_err_set(err, TK_EUSAGE, "more than %d columns", MOST_COLUMNS);
        e->columns[e->n_columns++] = (uint8_t)i;
    }
    if (e->n_columns == before)
        return tk_err_set(err, TK_EMATCH, "table 'timing_events' has no column '%s'", item);
    return TK_OK;
}

static int find_columns(struct events *e, struct tk_err *err)
{
    static const char *const usual[] = {"ThreadId", "TimerId", "StartTime", "EndTime", "Depth"};
    const struct tk_query *query = e->x->job->query;
    const char *const *wanted = query->n_columns ? query->columns : usual;
    const size_t n = query->n_columns ? query->n_columns : sizeof usual / sizeof *usual;
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = add_columns(e, wanted[i], err);
    return rc;
}

/* ---- reading ---- */

static int take_track_events(void *self, struct tk_call_track *track, struct tk_err *err)
{
    struct events *e = self;
    (void)err;
    track->wanted = tk_insights_thread_passes(e->x, track->name);
    return TK_OK;
}

static uint64_t place_of_events(const struct events *e, const struct tk_call *call)
{
    enum { GPU, QUEUE, THREAD, UNKNOWN };
    const struct tk_call_track *track = &e->calls.tracks.v[call->track];
    const uint32_t rank = track->gpu ? TK_MAP_NONE : tk_map_get(&e->x->rank, track->thread);
    if (track->gpu)
        return (uint64_t)(tk_insights_is_old_gpu(track) ? GPU : QUEUE) << 32 | track->thread;
    return rank == TK_MAP_NONE ? (uint64_t)UNKNOWN << 32 | call->track : (uint64_t)THREAD << 32 | rank;
}

static int take_end_events(void *self, const struct tk_call *call, struct tk_err *err)
{
    struct events *e = self;
    const struct record record = {.place = place_of_events(e, call),
                                  .seq = call->seq,
                                  .begin = call->begin,
                                  .end = call->end,
                                  .track = call->track,
                                  .timer = call->timer,
                                  .depth = call->depth};
    return tk_external_sort_add(e->sorter, &record, err);
}

static int compare_events(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* ---- writing ---- */

static void put_cell_events(const struct events *e, struct tk_page *page, const struct record *r,
                            uint8_t column)
{
    const struct tk_fact_clock *clock = &e->calls.clock;
    const double begin = tk_calls_seconds(clock, r->begin), end = tk_calls_seconds(clock, r->end);
    const bool never = r->end == TK_CALL_NEVER;
    const struct tk_str *name = e->calls.timers.v[r->timer].name;
    switch (column) {
    case THREAD_ID:
        tk_page_u64(page, tk_insights_track_id(&e->calls.tracks.v[r->track]));
        return;
    case THREAD_NAME:
        tk_page_text(page, *e->calls.tracks.v[r->track].name);
        return;
    case TIMER_ID:
        tk_page_u64(page, r->timer);
        return;
    case TIMER_NAME:
        tk_page_text(page, name ? *name : (struct tk_str){.p = ""});
        return;
    case START:
        tk_page_general(page, begin, 9);
        return;
    case DEPTH:
        tk_page_u64(page, r->depth);
        return;
    default:
        if (never)
            tk_page_c(page, "inf");
        else if (column == END)
            tk_page_general(page, end, 9);
        else
            tk_page_fixed(page, end - begin, 9);
    }
}

static void put_record(const struct events *e, struct tk_page *page, const struct record *r)
{
    for (size_t i = 0; i < e->n_columns; i++)
        put_cell_events(e, page, r, e->columns[i]);
    tk_page_end(page);
}

static int write_rows(struct events *e, const struct tk_interval *intervals, struct tk_page *pages, size_t n,
                      struct tk_err *err)
{
    const void *next;
    int rc = tk_external_sort_start(e->sorter, err);
    if (rc < 0)
        return rc;
    while ((rc = tk_external_sort_next(e->sorter, &next, err)) == TK_ITEM) {
        const struct record *r = next;
        if (!e->picked[r->timer])
            continue;
        for (size_t i = 0; i < n; i++)
            if (tk_interval_touches(&intervals[i], r->begin, r->end))
                put_record(e, &pages[i], r);
        for (size_t i = 0; i < n; i++)
            if (tk_page_status(&pages[i]) < 0)
                return tk_page_status(&pages[i]);
    }
    return rc;
}

/* The files of up to TK_INSIGHTS_PAGES intervals. */
static int write_pages(struct events *e, const char *pattern, size_t first, size_t n, struct tk_err *err)
{
    struct tk_page *pages = calloc(TK_INSIGHTS_PAGES, sizeof *pages);
    const struct tk_interval *intervals = e->x->intervals.v.v + first;
    int rc = pages ? TK_OK : tk_err_nomem(err, "the files of an export");
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        rc = tk_insights_open(e->x, &pages[i], pattern, &intervals[i], NULL, 0, 0, err);
        for (size_t k = 0; rc == TK_OK && k < e->n_columns; k++)
            tk_page_c(&pages[i], column_names[e->columns[k]]);
        if (rc == TK_OK)
            tk_page_end(&pages[i]);
    }
    if (rc == TK_OK)
        rc = write_rows(e, intervals, pages, n, err);
    rc = tk_insights_close(pages, n, rc, err);
    free(pages);
    return rc;
}

int tk_insights_events(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    static const struct tk_call_taker taker = {.track = take_track_events, .end = take_end_events};
    struct events e = {.x = x, .calls = {.closes = true, .taker = &taker}};
    e.calls.self = &e;
    int rc = find_columns(&e, err);
    if (rc == TK_OK)
        rc = tk_external_sort_open(&e.sorter, x->job->options->spool_dir, sizeof(struct record),
                                   compare_events, SORT_BYTES, err);
    if (rc == TK_OK)
        rc = tk_calls_read(&e.calls, x->job, err);
    if (rc == TK_OK && !(e.picked = tk_insights_pick_timers(x, &e.calls)))
        rc = tk_err_nomem(err, "names of timers");
    if (rc == TK_OK)
        rc = tk_insights_check_timers(x, &e.calls, err);
    for (size_t at = 0; at < x->intervals.v.n && rc == TK_OK; at += TK_INSIGHTS_PAGES) {
        const size_t left = x->intervals.v.n - at;
        rc = write_pages(&e, pattern, at, left < TK_INSIGHTS_PAGES ? left : TK_INSIGHTS_PAGES, err);
    }
    free(e.picked);
    tk_external_sort_close(e.sorter);
    tk_calls_release(&e.calls);
    return rc;
}

/*
 * Insights: the list of counters, and the changes of each. Counters are numbered in the order of the list.
 */

int tk_insights_counters(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    static const char *const head[] = {"Id", "Type", "Name"};
    static const char *const types[2][2] = {{"Int64", "Int64|ResetEveryFrame"},
                                            {"Double", "Double|ResetEveryFrame"}};
    struct tk_counter_list list = {.spill = NULL};
    struct tk_page page;
    int rc = tk_counter_list_read(&list, x->job, err);
    if (rc == TK_OK)
        rc = tk_insights_open(x, &page, pattern, &x->intervals.v.v[0], NULL, 0, 0, err);
    if (rc == TK_OK) {
        tk_page_head(&page, head, 3);
        for (size_t i = 0; i < list.v.n; i++) {
            tk_page_u64(&page, i);
            tk_page_c(&page, types[list.v.v[i].real][list.v.v[i].clears]);
            tk_page_text(&page, *list.v.v[i].name);
            tk_page_end(&page);
        }
        rc = tk_page_commit(&page, err);
    }
    tk_counter_list_release(&list);
    return rc;
}

/* ---- values ---- */

struct values {
    struct tk_insights *x;
    struct tk_counter_list list;
    struct tk_intern names;
    struct tk_map counts; /* address of a name of files -> counters so far */
    const struct tk_interval *interval;
    struct tk_page page;
};

/* Wants the counters whose names fit, letters of either case. */
static int pick_pattern(struct values *v, const char *pattern, struct tk_err *err)
{
    bool any = false;
    for (size_t i = 0; i < v->list.v.n; i++) {
        struct tk_counter_entry *c = &v->list.v.v[i];
        const bool fits = tk_glob(pattern, strlen(pattern), c->name->p, c->name->n, true);
        c->wanted |= fits;
        any |= fits;
    }
    return any ? TK_OK : tk_err_set(err, TK_EMATCH, "no counter matches '%s'", pattern);
}

/* Picks counters by their names; all of them where no name is requested. */
static int pick(struct values *v, size_t *n, struct tk_err *err)
{
    const struct tk_export_options *opt = v->x->job->options;
    int rc = TK_OK;
    for (size_t i = 0; i < v->list.v.n; i++)
        v->list.v.v[i].wanted = opt->n_counters == 0;
    for (size_t k = 0; k < opt->n_counters && rc == TK_OK; k++)
        rc = pick_pattern(v, opt->counters[k], err);
    *n = 0;
    for (size_t i = 0; i < v->list.v.n; i++)
        *n += v->list.v.v[i].wanted;
    return rc;
}

static int put_value_counters(void *ctx, const struct tk_counter_value *value, struct tk_err *err)
{
    struct values *v = ctx;
    (void)err;
    if (value->time < v->interval->from || value->time >= v->interval->to)
        return TK_OK;
    tk_page_fixed(&v->page, tk_calls_seconds(&v->x->intervals.clock, value->time), 9);
    if (value->real)
        tk_page_fixed(&v->page, value->v.r, 9);
    else
        tk_page_i64(&v->page, value->v.i);
    tk_page_end(&v->page);
    return tk_page_status(&v->page);
}

static int write_page(struct values *v, const char *pattern, size_t counter, const struct tk_str *name,
                      uint32_t number, struct tk_err *err)
{
    static const char *const head[] = {"Time", "Value"};
    int rc = tk_insights_open(v->x, &v->page, pattern, v->interval, name, number, 0, err);
    if (rc < 0)
        return rc;
    tk_page_head(&v->page, head, 2);
    rc = tk_counter_list_walk(&v->list, counter, put_value_counters, v, err);
    return tk_insights_close(&v->page, 1, rc, err);
}

static int write_counter(struct values *v, const char *pattern, size_t counter, struct tk_err *err)
{
    const struct tk_str *name = tk_interval_name(&v->names, v->list.v.v[counter].name);
    const uint32_t before = name ? tk_map_get(&v->counts, (uint64_t)(uintptr_t)name) : TK_MAP_NONE;
    const uint32_t number = before == TK_MAP_NONE ? 0 : before;
    int rc = TK_OK;
    if (!name || tk_map_put(&v->counts, (uint64_t)(uintptr_t)name, number + 1))
        return tk_err_nomem(err, "counters");
    for (size_t i = 0; i < v->x->intervals.v.n && rc == TK_OK; i++) {
        v->interval = &v->x->intervals.v.v[i];
        rc = write_page(v, pattern, counter, name, number, err);
    }
    return rc;
}

int tk_insights_counter_values(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    struct values v = {.x = x};
    size_t n = 0;
    int rc = tk_counter_list_read(&v.list, x->job, err);
    if (rc == TK_OK && x->job->query->n_columns)
        rc = tk_err_set(err, TK_EUSAGE, "the columns of table 'counter_values' cannot be chosen");
    if (rc == TK_OK)
        rc = pick(&v, &n, err);
    if (rc == TK_OK && n > 1 && !tk_interval_has_counter(pattern))
        rc = tk_err_set(err, TK_EUSAGE, "several counters need {counter} in the name of the file");
    if (rc == TK_OK)
        rc = tk_counter_list_values(&v.list, x->job, &x->intervals.clock, err);
    for (size_t i = 0; i < v.list.v.n && rc == TK_OK; i++)
        if (v.list.v.v[i].wanted)
            rc = write_counter(&v, pattern, i, err);
    tk_counter_list_release(&v.list);
    tk_map_release(&v.counts);
    tk_intern_release(&v.names);
    return rc;
}
