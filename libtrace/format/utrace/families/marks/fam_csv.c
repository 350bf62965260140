/*
 * CSV profiler (events 4.3): timers and values of frames as changes of series, and table `csv_events`
 * with what else it records.
 *
 * Timers become lengths of time that are added in the frame of their end; which frame that is, the model
 * finds out.
 */
#include "format/utrace/families/marks/marks_in.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"
#include "format/utrace/schema/printf_args.h"

enum { NUMBER, NUMBER_NAME };

/* Texts of before 4.26 are attached: wide ones, but for the names of inline statistics. */
enum { NARROW = 1, WIDE = 2 };

static int on_category(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_str *name = tk_ut_str(feed, ev, NUMBER_NAME, WIDE);
    return name ? tk_ut_csv_category(state, (int32_t)tk_ut_u64(ev, NUMBER), name) : TK_ENOMEM;
}

enum { STAT, STAT_CATEGORY, STAT_NAME };

static int define_csv(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev, bool inlined)
{
    const struct tk_str *name = tk_ut_str(feed, ev, STAT_NAME, inlined ? NARROW : WIDE);
    if (!name)
        return TK_ENOMEM;
    return tk_ut_csv_define(state, tk_ut_u64(ev, STAT), (int32_t)tk_ut_u64(ev, STAT_CATEGORY), name, inlined);
}

static int on_inline(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return define_csv(feed, state, ev, true);
}

static int on_declared(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return define_csv(feed, state, ev, false);
}

/* ---- series ---- */

enum { CYCLE = 1, VALUE, OPERATION };

static bool wants_values(const struct tk_ut_feed *feed)
{
    return tk_ut_requested(feed, TK_FACT_MASK(SERIES_VALUE));
}

static int change(struct tk_ut_feed *feed, struct tk_ut_csv *csv, const struct tk_ut_event *ev, uint32_t stat,
                  enum tk_ut_csv_form form, struct tk_fact_counter_value value)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_SERIES_VALUE, tk_ut_since(feed, tk_ut_u64(ev, CYCLE)));
    uint32_t series;
    int rc = tk_ut_csv_series(feed, csv, stat, ev->tid, form, &series);
    if (rc != TK_OK || series == TK_MAP_NONE)
        return rc;
    fact.u.counter_value = value;
    fact.u.counter_value.id = series;
    return tk_ut_emit(feed, &fact);
}

static struct tk_fact_counter_value added(int64_t i)
{
    return (struct tk_fact_counter_value){.op = TK_COUNTER_ADD, .number.v.i = i};
}

static int count_use(struct tk_ut_feed *feed, struct tk_ut_csv *csv, const struct tk_ut_event *ev,
                     uint32_t stat)
{
    return csv->counts ? change(feed, csv, ev, stat, TK_UT_CSV_COUNT, added(1)) : TK_OK;
}

/* A stretch of a timer that ends with the event. One without length adds nothing. */
static int stretch(struct tk_ut_feed *feed, struct tk_ut_csv *csv, const struct tk_ut_event *ev,
                   struct tk_ut_csv_begun begun)
{
    int64_t cycles = (int64_t)(tk_ut_u64(ev, CYCLE) - begun.cycle);
    if (cycles < 0)
        tk_health_note(&feed->out->health, TK_HEALTH_TIME_BACKWARDS, ev->offset, 1,
                       "a timer of thread %u ends before it begins", ev->tid);
    return cycles > 0 ? change(feed, csv, ev, begun.stat, TK_UT_CSV_TIMER, added(cycles)) : TK_OK;
}

/* What an event of a statistic is about. */
struct use {
    struct tk_ut_csv_thread *thread;
    uint32_t stat;
};

static int use_of(struct tk_ut_feed *feed, struct tk_ut_csv *csv, const struct tk_ut_event *ev,
                  struct use *out)
{
    out->thread = tk_ut_csv_thread(feed, csv, ev->tid);
    out->stat = tk_ut_csv_stat(csv, tk_ut_u64(ev, STAT));
    return out->thread && out->stat != TK_MAP_NONE ? TK_OK : TK_ENOMEM;
}

static bool has_space_csv(struct tk_ut_feed *feed, const struct tk_ut_event *ev, size_t open)
{
    if (open < feed->capture->ctx->limits.open_scopes)
        return true;
    tk_health_limit(&feed->out->health, TK_LIMIT_open_scopes, ev->offset, 1,
                    "a timer of thread %u was left out", ev->tid);
    return false;
}

static int no_begin(struct tk_ut_feed *feed, const struct tk_ut_event *ev)
{
    tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_END_UNMATCHED, ev->offset, 1,
                   "a timer of thread %u ends without a begin", ev->tid);
    return TK_OK;
}

/* Place of the innermost open timer of a statistic; n where there is none. */
static size_t innermost(const struct tk_ut_csv_begun *v, size_t n, uint32_t stat)
{
    for (size_t i = n; i-- > 0;)
        if (v[i].stat == stat)
            return i;
    return n;
}

static void take_out(struct tk_ut_csv_begun *v, size_t *n, size_t at)
{
    for (size_t i = at; i + 1 < *n; i++)
        v[i] = v[i + 1];
    --*n;
}

static int on_begin_csv(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct use use;
    if (!wants_values(feed))
        return TK_OK;
    if (use_of(feed, state, ev, &use) != TK_OK)
        return TK_ENOMEM;
    struct tk_ut_csv_begun begun = {use.stat, tk_ut_u64(ev, CYCLE)};
    if (!has_space_csv(feed, ev, use.thread->timers.n))
        return TK_OK;
    return tk_vec_push(&use.thread->timers, begun) ? TK_ENOMEM : TK_OK;
}

static int on_end_csv(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct use use;
    if (!wants_values(feed))
        return TK_OK;
    if (use_of(feed, state, ev, &use) != TK_OK)
        return TK_ENOMEM;
    size_t at = innermost(use.thread->timers.v, use.thread->timers.n, use.stat);
    if (at == use.thread->timers.n)
        return no_begin(feed, ev);
    int rc = stretch(feed, state, ev, use.thread->timers.v[at]);
    take_out(use.thread->timers.v, &use.thread->timers.n, at);
    return rc == TK_OK ? count_use(feed, state, ev, use.stat) : rc;
}

/* The exclusive timer that runs stops while another one does. */
static int on_begin_exclusive(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct use use;
    int rc = TK_OK;
    if (!wants_values(feed))
        return TK_OK;
    if (use_of(feed, state, ev, &use) != TK_OK)
        return TK_ENOMEM;
    struct tk_ut_csv_begun begun = {use.stat, tk_ut_u64(ev, CYCLE)};
    if (!has_space_csv(feed, ev, use.thread->exclusive.n))
        return TK_OK;
    if (use.thread->exclusive.n)
        rc = stretch(feed, state, ev, use.thread->exclusive.v[use.thread->exclusive.n - 1]);
    if (rc == TK_OK && tk_vec_push(&use.thread->exclusive, begun))
        rc = TK_ENOMEM;
    return rc;
}

/* Only the last one runs: one further down that ends had its time already. */
static int on_end_exclusive(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct use use;
    int rc = TK_OK;
    if (!wants_values(feed))
        return TK_OK;
    if (use_of(feed, state, ev, &use) != TK_OK)
        return TK_ENOMEM;
    struct tk_ut_csv_thread *t = use.thread;
    size_t at = innermost(t->exclusive.v, t->exclusive.n, use.stat);
    if (at == t->exclusive.n)
        return no_begin(feed, ev);
    bool runs = at + 1 == t->exclusive.n;
    if (runs)
        rc = stretch(feed, state, ev, t->exclusive.v[at]);
    take_out(t->exclusive.v, &t->exclusive.n, at);
    if (runs && t->exclusive.n)
        t->exclusive.v[t->exclusive.n - 1].cycle = tk_ut_u64(ev, CYCLE);
    return rc == TK_OK ? count_use(feed, state, ev, use.stat) : rc;
}

static int custom(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev, struct tk_number number)
{
    static const uint8_t operations[] = {TK_COUNTER_SET, TK_COUNTER_MIN, TK_COUNTER_MAX, TK_COUNTER_ADD};
    uint64_t operation = tk_ut_u64(ev, OPERATION);
    struct use use;
    if (!wants_values(feed))
        return TK_OK;
    if (operation >= sizeof operations || !tk_ut_has(ev, VALUE)) {
        tk_ut_bad_payload(feed, ev, tk_ut_has(ev, VALUE) ? "it has no known operation" : "it has no value");
        return TK_OK;
    }
    if (use_of(feed, state, ev, &use) != TK_OK)
        return TK_ENOMEM;
    struct tk_fact_counter_value value = {.op = operations[operation], .number = number};
    int rc = change(feed, state, ev, use.stat, TK_UT_CSV_VALUE, value);
    return rc == TK_OK ? count_use(feed, state, ev, use.stat) : rc;
}

/* Signed, also where the protocol cannot say so (wire 3.9). */
static int on_int(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const unsigned bits = tk_ut_has(ev, VALUE) ? 8u * ev->bound[VALUE]->size : 0;
    return custom(feed, state, ev,
                  (struct tk_number){.v.i = tk_ut_printf_signed(tk_ut_u64(ev, VALUE), bits)});
}

static int on_real(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return custom(feed, state, ev,
                  (struct tk_number){.real = true, .v.r = tk_ut_event_real(ev, ev->bound[VALUE])});
}

/* ---- events ---- */

enum { TIME, KIND, CATEGORY, KEY, TEXT, THREAD_ID, THREAD, COLUMNS = THREAD + TK_THREAD_COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "time; empty for metadata, which has none"},
    [KIND] = {"kind", TK_TEXT, 0, NULL, "event, metadata, begin or end (of a capture of the CSV profiler)"},
    [CATEGORY] = {"category", TK_TEXT, TK_COL_EXTRA, NULL, "category of an event"},
    [KEY] = {"key", TK_TEXT, 0, NULL, "key of metadata"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "text of an event, value of metadata, or file of a CSV capture"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread that recorded it"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that recorded it"),
};

const struct tk_table tk_ut_table_csv_events = {
    .name = "csv_events",
    .help = "events and metadata of the CSV profiler, in the order in which they were recorded",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

static int say_row_csv(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const char *kind, bool timed,
                       const struct tk_str *const *texts)
{
    int64_t time = tk_ut_since(feed, tk_ut_u64(ev, 0));
    struct tk_ut_row_key key = tk_ut_row_of(ev, time, time);
    struct tk_cell *row;
    if (!tk_ut_requested_row(feed, &tk_ut_table_csv_events))
        return TK_OK;
    key.timed = timed;
    if (!(row = tk_ut_row(feed, &tk_ut_table_csv_events, key)))
        return TK_ENOMEM;
    if (timed)
        row[TIME] = tk_cell_of_time(time);
    row[KIND] = tk_cell_of_c(kind);
    row[CATEGORY] = tk_cell_of_nonempty(texts[0]);
    row[KEY] = tk_cell_of_nonempty(texts[1]);
    row[TEXT] = tk_cell_of_nonempty(texts[2]);
    return TK_OK;
}

enum { EVENT_CYCLE, EVENT_CATEGORY, EVENT_TEXT };

static int on_event(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_ut_csv *csv = state;
    int32_t category = (int32_t)tk_ut_u64(ev, EVENT_CATEGORY);
    const struct tk_str *text = tk_ut_str(feed, ev, EVENT_TEXT, WIDE);
    uint32_t at = tk_map_get(&csv->category_index, (uint32_t)category);
    const struct tk_str *whole = text ? tk_ut_csv_prefixed(feed, csv, category, text) : NULL;
    const struct tk_str *const texts[] = {at == TK_MAP_NONE ? NULL : csv->categories.v[at], NULL, whole};
    return whole ? say_row_csv(feed, ev, "event", true, texts) : TK_ENOMEM;
}

enum { META_KEY, META_VALUE, META_OFFSET };

/* Before 4.26 both texts are attached, the value from byte ValueOffset on. */
static int on_metadata(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_intern *strings = &feed->capture->strings;
    const struct tk_str *texts[3] = {NULL};
    (void)state;
    if (tk_ut_has(ev, META_KEY)) {
        texts[1] = tk_ut_str(feed, ev, META_KEY, WIDE);
        texts[2] = tk_ut_str(feed, ev, META_VALUE, WIDE);
    } else {
        size_t n = ev->n_attachment, key = (size_t)tk_ut_u64(ev, META_OFFSET);
        key = key < n ? key : n;
        texts[1] = tk_ut_text(strings, ev->attachment, key, WIDE);
        texts[2] = tk_ut_text(strings, n ? ev->attachment + key : NULL, n - key, WIDE);
    }
    return texts[1] && texts[2] ? say_row_csv(feed, ev, "metadata", false, texts) : TK_ENOMEM;
}

enum { BEGIN_CYCLE, BEGIN_RENDER, BEGIN_RHI, BEGIN_COUNTS, BEGIN_FILE };

static int on_begin_capture(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_str *const texts[] = {NULL, NULL, tk_ut_str(feed, ev, BEGIN_FILE, WIDE)};
    if (!texts[2])
        return TK_ENOMEM;
    int rc = say_row_csv(feed, ev, "begin", true, texts);
    if (rc != TK_OK || !wants_values(feed))
        return rc;
    return tk_ut_csv_capture(feed, state, (uint32_t)tk_ut_u64(ev, BEGIN_RENDER),
                             (uint32_t)tk_ut_u64(ev, BEGIN_RHI), tk_ut_u64(ev, BEGIN_COUNTS) != 0);
}

static int on_end_capture(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_str *const texts[3] = {NULL};
    (void)state;
    return say_row_csv(feed, ev, "end", true, texts);
}

/* ---- the family ---- */

static void begin_csv(void *state)
{
    tk_ut_csv_begin(state);
}

/* Timers that are open still: their time is in no frame. */
static void note_open(struct tk_ut_feed *feed, const struct tk_ut_csv_thread *thread)
{
    size_t n = thread->timers.n + thread->exclusive.n;
    if (n)
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_OPEN, TK_NO_OFFSET, n,
                       "%zu timers of frames of thread %u have no end", n, thread->id);
}

static int finish_csv(struct tk_ut_feed *feed, void *state)
{
    struct tk_ut_csv *csv = state;
    for (size_t i = 0; i < csv->threads.n; i++)
        note_open(feed, &csv->threads.v[i]);
    return tk_ut_csv_say_again(feed, csv);
}

static void release_csv(void *state)
{
    tk_ut_csv_release(state);
}

static const struct tk_ut_bind binds[] = {
    {"CsvProfiler.RegisterCategory", on_category, true, {"Index", "Name"}},
    {"CsvProfiler.DefineInlineStat", on_inline, true, {"StatId", "CategoryIndex", "Name"}},
    {"CsvProfiler.DefineDeclaredStat", on_declared, true, {"StatId", "CategoryIndex", "Name"}},
    {"CsvProfiler.BeginStat", on_begin_csv, false, {"StatId", "Cycle"}},
    {"CsvProfiler.EndStat", on_end_csv, false, {"StatId", "Cycle"}},
    {"CsvProfiler.BeginExclusiveStat", on_begin_exclusive, false, {"StatId", "Cycle"}},
    {"CsvProfiler.EndExclusiveStat", on_end_exclusive, false, {"StatId", "Cycle"}},
    {"CsvProfiler.CustomStatInt", on_int, false, {"StatId", "Cycle", "Value", "OpType"}},
    {"CsvProfiler.CustomStatFloat", on_real, false, {"StatId", "Cycle", "Value", "OpType"}},
    {"CsvProfiler.Event", on_event, false, {"Cycle", "CategoryIndex", "Text"}},
    {"CsvProfiler.BeginCapture",
     on_begin_capture,
     false,
     {"Cycle", "RenderThreadId", "RHIThreadId", "EnableCounts", "FileName"}},
    {"CsvProfiler.EndCapture", on_end_capture, false, {"Cycle"}},
    {"CsvProfiler.Metadata", on_metadata, false, {"Key", "Value", "ValueOffset"}},
    {0},
};

static const struct tk_table *const rows[] = {&tk_ut_table_csv_events, NULL};

const struct tk_ut_family tk_ut_fam_csv = {.name = "csv",
                                           .facts = TK_FACT_MASK(SERIES_VALUE),
                                           .rows = rows,
                                           .binds = binds,
                                           .state = sizeof(struct tk_ut_csv),
                                           .begin = begin_csv,
                                           .finish = finish_csv,
                                           .release = release_csv};
