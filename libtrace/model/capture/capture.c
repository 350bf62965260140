/*
 * Table `capture`: the capture at a glance. Its last time is that of the ends of the threads, which is a
 * lower bound; where another table of the same query has the capture read, it is that of all its events.
 */
#include "base/health/health.h"
#include "model/capture/capture_in.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FORMAT,
    APP,
    PROJECT,
    PLATFORM,
    ENGINE,
    BUILD,
    BRANCH,
    HOST,
    RECORDED,
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
    [FORMAT] = {"format", TK_TEXT, 0, NULL, "file format"},
    [APP] = {"app", TK_TEXT, 0, NULL, "the program that was recorded"},
    [PROJECT] = {"project", TK_TEXT, 0, NULL, "its project"},
    [PLATFORM] = {"platform", TK_TEXT, 0, NULL, "platform it ran on"},
    [ENGINE] = {"engine", TK_TEXT, 0, NULL, "engine version"},
    [BUILD] = {"build", TK_TEXT, 0, NULL, "build version"},
    [BRANCH] = {"branch", TK_TEXT, 0, NULL, "source branch"},
    [HOST] = {"host", TK_TEXT, 0, NULL, "user and machine"},
    [RECORDED] = {"recorded", TK_TEXT, 0, NULL, "start of the capture, in UTC"},
    [START] = {"start_cycle", TK_UINT, 0, "cycles", "clock value at the start of the capture"},
    [FREQUENCY] = {"frequency", TK_UINT, 0, "Hz", "clock cycles per second"},
    [EPOCH] = {"epoch", TK_REAL, 0, "s", "start of the capture, in seconds since 1970"},
    [FIRST] = {"first", TK_TIME, 0, NULL, "the least of the times with which threads begin"},
    [LAST] = {"last", TK_TIME, 0, NULL, "last time that was read"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL,
                  "from the start (or the first event, if it came late) to the last time that was read"},
    [THREADS] = {"threads", TK_UINT, 0, "threads", "number of known threads"},
    [TIMERS] = {"timers", TK_UINT, 0, "timers", "number of defined CPU timers, without scoped events"},
    [SIZE] = {"bytes", TK_SIZE, 0, NULL, "decompressed size of the file"},
    [EMPTY] = {"empty", TK_BOOL, 0, NULL, "does the capture have no events?"},
    [TRUNCATED] = {"truncated", TK_BOOL, 0, NULL, "does the file end in the middle of a record?"},
    [DAMAGED] = {"damaged", TK_BOOL, 0, NULL,
                 "was damage found in the part that was read? Empty if nothing was"},
    [FAULTS] = {"faults", TK_UINT, 0, "faults",
                "number of faults that are damage, in the part that was read, if any was"},
    [NOTICES] = {"notices", TK_UINT, 0, "faults",
                 "number of faults that are notices, in the part that was read, if any was"},
};

static const struct tk_table table = {
    .name = "capture",
    .help = "summary of the capture; times refer to the part that this query reads",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
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

/* What follows a label in a text of lines "label value"; no value where none begins with it. */
static struct tk_cell line_of(struct tk_cell text, const char *label)
{
    const size_t n = strlen(label);
    const char *p = text.v.p, *end = text.kind == TK_TEXT && text.enc == TK_ENC_UTF8 ? p + text.n : p;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        if ((size_t)(stop - p) > n && memcmp(p, label, n) == 0)
            return (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)((size_t)(stop - p) - n), .v.p = p + n};
        p = stop + (stop < end);
    }
    return (struct tk_cell){.kind = TK_NONE};
}

/* Of a session that says host and system in one text; its user is reported as login@host (name). */
static void fill_host(const struct tk_dict *dict, struct tk_cell *row)
{
    struct tk_cell info = tk_session_value(dict, "HostInfo");
    if (row[APP].kind == TK_NONE)
        row[APP] = tk_session_value(dict, "ProgramName");
    if (row[PLATFORM].kind == TK_NONE)
        row[PLATFORM] = line_of(info, "OS: ");
    row[HOST] = line_of(info, "User: ");
}

/* The date of a day counted from 1970-01-01, by the rules of the Gregorian calendar. */
static void date_of(int64_t day, int *year, int *month, int *of_month)
{
    int64_t z = day + 719468, era = z / 146097, of_era = z % 146097; /* days since 0000-03-01 */
    int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;
    *of_month = (int)(of_year - (153 * m + 2) / 5 + 1);
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = (int)(y + era * 400 + (*month <= 2));
}

static struct tk_cell recorded(double epoch, struct tk_emit *emit)
{
    char text[32];
    int year, month, day;
    if (!(epoch >= 0 && epoch < 253402300800.0)) /* to the end of 9999 */
        return (struct tk_cell){.kind = TK_NONE};
    int64_t seconds = (int64_t)epoch, of_day = seconds % 86400;
    date_of(seconds / 86400, &year, &month, &day);
    int n = snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day,
                     (int)(of_day / 3600), (int)(of_day / 60 % 60), (int)(of_day % 60));
    const char *kept = n > 0 ? tk_emit_bytes(emit, text, (size_t)n) : NULL;
    return kept ? (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)n, .v.p = kept}
                : (struct tk_cell){.kind = TK_NONE};
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
        /* clocks of other tools may begin below 0 */
        row[START] =
            clock->start > INT64_MAX ? tk_cell_of_int((int64_t)clock->start) : tk_cell_of_uint(clock->start);
        row[FREQUENCY] = tk_cell_of_uint(clock->frequency / tk_fact_clock_parts(clock));
        if (!isnan(clock->epoch))
            row[EPOCH] = tk_cell_of_real(clock->epoch);
    }
    if (view->has_time) {
        row[FIRST] = tk_query_context_time(view, view->from);
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

/* Scoped events, work of GPUs and what stands for definitions that are missing are timers as soon as one is
 * met: how many there are depends on what is requested. */
static uint64_t count_timers(const struct tk_dict *dict)
{
    static const bool counts[] = {[TK_TIMER_SPEC] = true, [TK_TIMER_METADATA] = true, [TK_TIMER_ZONE] = true};
    uint64_t n = 0;
    for (size_t i = 0; i < dict->timers.n; i++) {
        const struct tk_fact_timer *timer = &dict->timers.v[i].info;
        n += timer->name && timer->kind < sizeof counts / sizeof counts[0] && counts[timer->kind];
    }
    return n;
}

/* Where no event was read, none found does not mean that there are none. */
static struct tk_cell found(const struct tk_query_context *view, uint64_t faults, struct tk_cell cell)
{
    const bool all = view->ctx->read || view->capture->ops->empty(view->capture);
    return all || faults ? cell : (struct tk_cell){.kind = TK_NONE};
}

static void fill_health(const struct tk_query_context *view, struct tk_cell *row)
{
    struct tk_health known;
    uint64_t faults[2] = {0, 0};
    tk_health_reread_known(&view->ctx->health, view->ctx->earlier, &known);
    for (int kind = 0; kind < TK_HEALTH_COUNT; kind++)
        faults[tk_health_is_damage((enum tk_health_kind)kind) ? 1 : 0] += known.counts[kind];
    row[DAMAGED] = found(view, faults[1], tk_cell_of_bool(tk_health_damaged(&known)));
    tk_health_release(&known);
    row[FAULTS] = found(view, faults[1], tk_cell_of_uint(faults[1]));
    row[NOTICES] = found(view, faults[0], tk_cell_of_uint(faults[0]));
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
        row[from_session[i].column] = tk_session_value(view->dict, from_session[i].key);
    fill_host(view->dict, row);
    row[RECORDED] = recorded(view->dict->clock.epoch, emit);
    fill_file(view, row);
    fill_clock(view, row);
    row[THREADS] = tk_cell_of_uint(count_threads(view->dict));
    row[TIMERS] = tk_cell_of_uint(count_timers(view->dict));
    fill_health(view, row);
    return TK_OK;
}

const struct tk_builder tk_builder_capture = {
    .table = &table,
    .needs = {.ends = true},
    .open = tk_query_context_open,
    .finish = finish_capture,
};
