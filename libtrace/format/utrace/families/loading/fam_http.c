/*
 * HTTP requests (events 8.5). A request becomes a fact when it is completed; at the end those that never
 * were.
 */
#include "base/record_map.h"
#include "base/wrap.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"

enum {
    REQUEST,
    STARTED,
    COMPLETED,
    DURATION,
    STATUS,
    BYTES,
    HOST,
    URL,
    PRIORITY,
    CATEGORY,
    DISPATCHER,
    RANGES,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [REQUEST] = {"request_id", TK_HEX, 0, NULL, "key in the capture; keys can be reused"},
    [STARTED] = {"start", TK_TIME, 0, NULL, "when it was sent; empty if that is not in the capture"},
    [COMPLETED] = {"end", TK_TIME, 0, NULL, "when the response arrived; empty if that is not in the capture"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [STATUS] = {"status", TK_UINT, 0, NULL, "HTTP status code"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "content length of the response"},
    [HOST] = {"host", TK_TEXT, 0, NULL, "host"},
    [URL] = {"url", TK_TEXT, 0, NULL, "requested URL"},
    [PRIORITY] = {"priority", TK_INT, 0, NULL, "priority"},
    [CATEGORY] = {"category", TK_TEXT, 0, NULL, "category"},
    [DISPATCHER] = {"dispatcher", TK_TEXT, 0, NULL, "dispatcher that sent it"},
    [RANGES] = {"ranges", TK_UINT, 0, NULL, "ranges of chunks that were added to it"},
};

const struct tk_table tk_ut_table_http = {
    .name = "http",
    .help = "HTTP requests, as they end",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
    .sort_by = "dur",
};

enum { R_TIME, R_REQUEST, R_URL, R_FIELDS, R_THREAD_ID, R_THREAD, R_COLUMNS = R_THREAD + TK_THREAD_COLUMNS };

static const struct tk_column range_columns[R_COLUMNS] = {
    [R_TIME] = {"time", TK_TIME, 0, NULL, "time, if the event has one"},
    [R_REQUEST] = {"request_id", TK_HEX, 0, NULL, "key of the request in the capture"},
    [R_URL] = {"url", TK_TEXT, 0, NULL, "requested URL, if the start of the request is in the capture"},
    [R_FIELDS] = {"fields", TK_RECORD, 0, NULL, "the fields of the event"},
    [R_THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that added it"},
    [R_THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that added it"),
};

const struct tk_table tk_ut_table_http_ranges = {
    .name = "http_ranges",
    .help = "ranges of chunks that were added to HTTP requests",
    .columns = range_columns,
    .n_columns = R_COLUMNS,
    .schema = 2,
};

struct request {
    uint32_t thread, ranges;
    uint64_t seq;
    int64_t started;
    uint64_t category, dispatcher;
    int64_t priority;
    const struct tk_str *url;
};

struct state {
    struct tk_record_map requests;
    struct tk_ut_id_names categories, dispatchers;
};

enum { N_KEY, N_NAME };

static int on_category(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    return tk_ut_id_names_put(feed, &s->categories, ev, tk_ut_u64(ev, N_KEY), N_NAME, 2);
}

static int on_dispatcher(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    return tk_ut_id_names_put(feed, &s->dispatchers, ev, tk_ut_u64(ev, N_KEY), N_NAME, 2);
}

/* What is known from its start. */
static void fill_started(const struct state *s, uint64_t key, const struct request *r, struct tk_cell *row)
{
    row[REQUEST] = tk_cell_of_hex(key);
    row[STARTED] = tk_cell_of_time(r->started);
    row[URL] = tk_cell_of_nonempty(r->url);
    row[RANGES] = tk_cell_of_uint(r->ranges);
    row[PRIORITY] = tk_cell_of_int(r->priority);
    row[CATEGORY] = tk_cell_of_nonempty(tk_ut_id_names_get(&s->categories, r->category));
    row[DISPATCHER] = tk_cell_of_nonempty(tk_ut_id_names_get(&s->dispatchers, r->dispatcher));
}

static int say_open(struct tk_ut_feed *feed, struct state *s, uint64_t key, const struct request *r)
{
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_http,
                                    (struct tk_ut_row_key){r->thread, r->seq, true, r->started, INT64_MAX});
    if (!row)
        return TK_ENOMEM;
    fill_started(s, key, r, row);
    return TK_OK;
}

enum { S_REQUEST, S_TIME, S_PRIORITY, S_CATEGORY, S_URL, S_DISPATCHER };

static int on_started(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, S_REQUEST);
    struct request *r = tk_record_map_get(&s->requests, key);
    int rc = r ? say_open(feed, s, key, r) : TK_OK;
    if (rc != TK_OK)
        return rc;
    if (!r && s->requests.count >= feed->capture->ctx->limits.held_events) {
        tk_health_limit(&feed->out->health, TK_LIMIT_held_events, ev->offset, 1,
                        "an HTTP request was left out");
        return TK_OK;
    }
    const struct tk_str *url = tk_ut_str(feed, ev, S_URL, 2);
    if (!url || !(r = tk_record_map_put(&s->requests, key)))
        return TK_ENOMEM;
    *r = (struct request){.thread = ev->tid,
                          .seq = ev->seq,
                          .started = tk_ut_since(feed, tk_ut_u64(ev, S_TIME)),
                          .category = tk_ut_u64(ev, S_CATEGORY),
                          .dispatcher = tk_ut_u64(ev, S_DISPATCHER),
                          .priority = (int64_t)tk_ut_u64(ev, S_PRIORITY),
                          .url = url};
    return TK_OK;
}

enum { A_REQUEST };

/* What an event says of a range differs between versions, so its fields are displayed as they are. */
static int on_range(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, A_REQUEST);
    struct request *r = tk_record_map_get(&s->requests, key);
    struct tk_ut_row_key place = {.thread = ev->tid, .seq = ev->seq};
    if (r)
        r->ranges++;
    if (!tk_ut_requested_row(feed, &tk_ut_table_http_ranges))
        return TK_OK;
    place.timed = tk_ut_event_time(feed, ev, &place.begin);
    place.end = place.begin;
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_http_ranges, place);
    struct tk_record *record = tk_arena_alloc(&feed->out->arena, sizeof *record);
    const struct tk_ut_event *kept = tk_ut_event_keep(feed, ev, &feed->out->arena);
    if (!row || !record || !kept)
        return TK_ENOMEM;
    *record = (struct tk_record){&ev->type->record, kept};
    if (place.timed)
        row[R_TIME] = tk_cell_of_time(place.begin);
    row[R_REQUEST] = tk_cell_of_hex(key);
    row[R_URL] = tk_cell_of_nonempty(r ? r->url : NULL);
    row[R_FIELDS] = (struct tk_cell){.kind = TK_RECORD, .v.p = record};
    return TK_OK;
}

enum { E_REQUEST, E_TIME, E_STATUS, E_LENGTH, E_HOST };

static int on_completed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, E_REQUEST);
    int64_t end = tk_ut_since(feed, tk_ut_u64(ev, E_TIME));
    const struct request *r = tk_record_map_get(&s->requests, key);
    const struct tk_str *host = tk_ut_str(feed, ev, E_HOST, 2);
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_http, tk_ut_row_of(ev, r ? r->started : end, end));
    if (!host || !row)
        return TK_ENOMEM;
    row[REQUEST] = tk_cell_of_hex(key);
    row[COMPLETED] = tk_cell_of_time(end);
    row[STATUS] = tk_cell_of_uint(tk_ut_u64(ev, E_STATUS));
    row[BYTES] = tk_cell_of_size(tk_ut_u64(ev, E_LENGTH));
    row[HOST] = tk_cell_of_nonempty(host);
    if (!r)
        return TK_OK;
    row[DURATION] = tk_ut_cell_since(STARTED, tk_wrap_sub(end, r->started));
    fill_started(s, key, r, row);
    tk_record_map_remove(&s->requests, key);
    return TK_OK;
}

static int finish_http(struct tk_ut_feed *feed, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    for (uint32_t i = 0; i < s->requests.n && rc == TK_OK; i++) {
        uint64_t key;
        const struct request *r = tk_record_map_at(&s->requests, i, &key);
        if (r)
            rc = say_open(feed, s, key, r);
    }
    tk_record_map_clear(&s->requests);
    return rc;
}

static void begin_http(void *state)
{
    struct state *s = state;
    tk_record_map_release(&s->requests);
    tk_record_map_init(&s->requests, sizeof(struct request));
    tk_ut_id_names_release(&s->categories);
    tk_ut_id_names_release(&s->dispatchers);
}

static const struct tk_ut_bind binds[] = {
    {"Http.CategoryCreated", on_category, false, {"Category", "Name"}},
    {"Http.DispatcherCreated", on_dispatcher, false, {"Dispatcher", "Name"}},
    {"Http.RequestStarted",
     on_started,
     false,
     {"Request", "StartTime", "Priority", "Category", "Url", "Dispatcher"}},
    {"Http.ChunkRangeAdded", on_range, false, {"Request"}},
    {"Http.RequestCompleted",
     on_completed,
     false,
     {"Request", "CompletionTime", "StatusCode", "ContentLength", "Host"}},
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_http, &tk_ut_table_http_ranges, NULL};

const struct tk_ut_family tk_ut_fam_http = {.name = "http",
                                            .rows = tables,
                                            .binds = binds,
                                            .state = sizeof(struct state),
                                            .begin = begin_http,
                                            .finish = finish_http,
                                            .release = begin_http};
