/*
 * Table `capture`: the capture at a glance. Its times are those of the ends of the threads, which are
 * lower bounds; where another table of the same query has the capture read, they are those of all its events.
 */
#include "health/health_reread.h"
#include "model/tables.h"
#include "query/context_cells.h"

#include <math.h>
#include <string.h>

enum {
    FORMAT,
    APP,
    PROJECT,
    PLATFORM,
    ENGINE,
    BUILD,
    BRANCH,
    START,
    FREQUENCY,
    EPOCH,
    FIRST,
    LAST,
    DURATION,
    THREADS,
    TIMERS,
    SIZE,
    EMPTY,
    TRUNCATED,
    DAMAGED,
    FAULTS,
    NOTICES,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [FORMAT] = {"format", TK_TEXT, 0, NULL, "kind of capture"},
    [APP] = {"app", TK_TEXT, 0, NULL, "the program that was recorded"},
    [PROJECT] = {"project", TK_TEXT, 0, NULL, "its project"},
    [PLATFORM] = {"platform", TK_TEXT, 0, NULL, "what it ran on"},
    [ENGINE] = {"engine", TK_TEXT, 0, NULL, "version of its engine"},
    [BUILD] = {"build", TK_TEXT, 0, NULL, "version of its build"},
    [BRANCH] = {"branch", TK_TEXT, 0, NULL, "branch it was built from"},
    [START] = {"start_cycle", TK_UINT, 0, "cycles", "clock at the start of the capture"},
    [FREQUENCY] = {"frequency", TK_UINT, 0, "Hz", "cycles a second"},
    [EPOCH] = {"epoch", TK_REAL, 0, "s", "start of the capture, in seconds since 1970"},
    [FIRST] = {"first", TK_TIME, 0, NULL, "least time of what was read"},
    [LAST] = {"last", TK_TIME, 0, NULL, "greatest time of what was read"},
    [DURATION] = {"duration", TK_SPAN, 0, NULL,
                  "from the start, or the first event where that came late, to the greatest time of what was "
                  "read"},
    [THREADS] = {"threads", TK_UINT, 0, "threads", "threads that are known"},
    [TIMERS] = {"timers", TK_UINT, 0, "timers", "timers that are defined"},
    [SIZE] = {"size", TK_SIZE, 0, NULL, "size of the file, unpacked"},
    [EMPTY] = {"empty", TK_BOOL, 0, NULL, "is there no event at all?"},
    [TRUNCATED] = {"truncated", TK_BOOL, 0, NULL, "does the file end in the middle of something?"},
    [DAMAGED] = {"damaged", TK_BOOL, 0, NULL, "is there damage in what was read?"},
    [FAULTS] = {"faults", TK_UINT, 0, "faults", "faults that are damage, in what was read"},
    [NOTICES] = {"notices", TK_UINT, 0, "faults", "faults that are no damage, in what was read"},
};

static const struct tk_table table = {
    .name = "capture",
    .help = "the capture at a glance; its times are of what is read for this query",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_SINGLE,
};

/* Columns that are what the session says. */
static const struct {
    unsigned column;
    const char *key;
} from_session[] = {
    {APP, "AppName"},          {PROJECT, "ProjectName"}, {PLATFORM, "Platform"},
    {ENGINE, "EngineVersion"}, {BUILD, "BuildVersion"},  {BRANCH, "Branch"},
};

static bool is_key(const struct tk_str *key, const char *name)
{
    return key->n == strlen(name) && memcmp(key->p, name, key->n) == 0;
}

static struct tk_cell session_value(const struct tk_dict *dict, const char *key)
{
    for (size_t i = 0; i < dict->session.n; i++) {
        if (is_key(dict->session.v[i].key, key))
            return dict->session.v[i].value;
    }
    return (struct tk_cell){.kind = TK_NONE};
}

/* The clock begins with the program. Where the first event comes more than a part of a second later, the
 * recording began late. */
static int64_t beginning(const struct tk_query_context *view)
{
    enum { SOON = 10 };
    const bool late = view->from >= 0 && (uint64_t)view->from > view->dict->clock.frequency / SOON;
    return late && view->from <= view->last_time ? view->from : 0;
}

static void fill_clock(const struct tk_query_context *view, struct tk_cell *row)
{
    const struct tk_fact_clock *clock = &view->dict->clock;
    if (clock->frequency) {
        row[START] = tk_cell_of_uint(clock->start);
        row[FREQUENCY] = tk_cell_of_uint(clock->frequency);
        if (!isnan(clock->epoch))
            row[EPOCH] = tk_cell_of_real(clock->epoch);
    }
    if (view->has_time) {
        if (!view->ends)
            row[FIRST] = tk_query_context_time(view, view->first_time);
        row[LAST] = tk_query_context_time(view, view->last_time);
        row[DURATION] = tk_query_context_between(view, beginning(view), view->last_time);
    }
}

static uint64_t count_threads(const struct tk_dict *dict)
{
    uint64_t n = 0;
    for (size_t i = 0; i < dict->threads.n; i++)
        n += dict->threads.v[i].defined;
    return n;
}

static void fill_health(const struct tk_query_context *view, struct tk_cell *row)
{
    struct tk_health known;
    uint64_t faults[2] = {0, 0};
    tk_health_reread_known(&view->ctx->health, view->ctx->earlier, &known);
    for (int kind = 0; kind < TK_HEALTH_COUNT; kind++)
        faults[tk_health_is_damage((enum tk_health_kind)kind) ? 1 : 0] += known.counts[kind];
    row[DAMAGED] = tk_cell_of_bool(tk_health_damaged(&known));
    tk_health_release(&known);
    row[FAULTS] = tk_cell_of_uint(faults[1]);
    row[NOTICES] = tk_cell_of_uint(faults[0]);
}

static void fill_file(const struct tk_query_context *view, struct tk_cell *row)
{
    const struct tk_capture *capture = view->capture;
    row[FORMAT] = tk_cell_of_c(view->ctx->format ? view->ctx->format->name : NULL);
    row[SIZE] = tk_cell_of_size(view->ctx->size);
    row[EMPTY] = tk_cell_of_bool(capture->ops->empty(capture));
    row[TRUNCATED] = tk_cell_of_bool(capture->ops->truncated(capture));
}

static int finish_capture(void *self, struct tk_emit *emit, struct tk_err *err)
{
    const struct tk_query_context *view = self;
    struct tk_cell *row = tk_emit_row(emit);
    (void)err;
    if (!row)
        return tk_emit_status(emit);
    for (size_t i = 0; i < sizeof from_session / sizeof from_session[0]; i++)
        row[from_session[i].column] = session_value(view->dict, from_session[i].key);
    fill_file(view, row);
    fill_clock(view, row);
    row[THREADS] = tk_cell_of_uint(count_threads(view->dict));
    row[TIMERS] = tk_cell_of_uint(view->dict->timers.n);
    fill_health(view, row);
    return TK_OK;
}

const struct tk_builder tk_builder_capture = {
    .table = &table,
    .traits = TK_BUILDER_ENDS,
    .open = tk_query_context_open,
    .finish = finish_capture,
};
