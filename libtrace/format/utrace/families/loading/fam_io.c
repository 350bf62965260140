/*
 * I/O dispatcher and store (events 8.4). A request is made, taken by a backend, and completed; or it fails,
 * or no backend takes it. Keys are addresses and are used again, so a request is sent and forgotten when it
 * ends; at the end those that never did are sent.
 */
#include "base/record_map.h"
#include "base/wrap.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"

enum {
    CREATED,
    STARTED,
    ENDED,
    WAIT,
    SERVICE,
    STATE,
    SIZE,
    OFFSET,
    BYTES,
    BACKEND,
    CHUNK,
    CHUNK_TYPE,
    BATCH,
    IN_FLIGHT,
    CALLSTACK,
    THREAD_ID,
    THREAD,
    COLUMNS = THREAD + TK_THREAD_COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [CREATED] = {"created", TK_TIME, 0, NULL, "when it was created; empty if that is not in the capture"},
    [STARTED] = {"start", TK_TIME, 0, NULL, "when a backend accepted it"},
    [ENDED] = {"end", TK_TIME, 0, NULL, "when it was completed or abandoned"},
    [WAIT] = {"wait", TK_DURATION, 0, NULL, "time from created to start"},
    [SERVICE] = {"service", TK_DURATION, 0, NULL, "time from start to end"},
    [STATE] = {"state", TK_TEXT, 0, NULL,
               "completed, failed, unresolved (no backend accepted it), open (no end in the capture) or "
               "replaced (its key was reused before it ended)"},
    [SIZE] = {"requested_bytes", TK_SIZE, 0, NULL, "bytes requested"},
    [OFFSET] = {"offset", TK_UINT, TK_COL_EXTRA, "bytes", "offset of the requested bytes in the chunk"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "bytes read"},
    [BACKEND] = {"backend", TK_TEXT, 0, NULL, "backend that accepted it"},
    [CHUNK] = {"chunk", TK_HEX, 0, NULL, "hash of the chunk's id"},
    [CHUNK_TYPE] = {"chunk_type", TK_UINT, 0, NULL, "type of the chunk"},
    [BATCH] = {"batch_id", TK_HEX, TK_COL_EXTRA, NULL, "id of its batch"},
    [IN_FLIGHT] = {"in_flight", TK_UINT, 0, "requests",
                   "number of requests in flight when it was created, including itself"},
    [CALLSTACK] = {"callstack_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the callstack that made it"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that made it"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that made it"),
};

const struct tk_table tk_ut_table_io = {
    .name = "io",
    .help = "requests to the I/O store, as they end",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .sort_by = "service",
};

enum { B_BATCH, B_ISSUED, B_RESOLVED, B_DURATION, B_SIZE, B_COLUMNS };

static const struct tk_column batch_columns[B_COLUMNS] = {
    [B_BATCH] = {"batch_id", TK_HEX, 0, NULL, "key of the batch; keys can be reused"},
    [B_ISSUED] = {"issued", TK_TIME, 0, NULL, "when it was created"},
    [B_RESOLVED] = {"resolved", TK_TIME, 0, NULL, "when it was done; empty if that is not in the capture"},
    [B_DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [B_SIZE] = {"requested_bytes", TK_SIZE, 0, NULL, "bytes requested in total"},
};

const struct tk_table tk_ut_table_io_batches = {
    .name = "io_batches",
    .help = "batches of requests to the I/O dispatcher (recorders before 5.0), as they end",
    .columns = batch_columns,
    .n_columns = B_COLUMNS,
    .sort_by = "dur",
};

struct request {
    uint32_t thread, chunk, callstack, in_flight;
    uint8_t chunk_type;
    bool created, started;
    int64_t created_at, started_at;
    uint64_t seq, batch, offset, size, backend;
};

struct issued {
    uint32_t thread;
    uint64_t seq;
    int64_t time;
};

struct state {
    struct tk_record_map requests, batches;
    struct tk_ut_id_names backends;
};

static bool capacity(struct tk_ut_feed *feed, const struct tk_record_map *live, const struct tk_ut_event *ev)
{
    if (live->count < feed->capture->ctx->limits.held_events)
        return true;
    tk_health_limit(&feed->out->health, TK_LIMIT_held_events, ev->offset, 1, "an I/O request was left out");
    return false;
}

/* ---- requests ---- */

struct ending {
    const char *state;
    bool timed, completed;
    int64_t time;
    uint64_t bytes;
};

static void fill_times_io(const struct request *r, const struct ending *end, struct tk_cell *row)
{
    if (r->created)
        row[CREATED] = tk_cell_of_time(r->created_at);
    if (r->started)
        row[STARTED] = tk_cell_of_time(r->started_at);
    if (end->timed)
        row[ENDED] = tk_cell_of_time(end->time);
    if (r->created && r->started)
        row[WAIT] = tk_ut_cell_since(CREATED, tk_wrap_sub(r->started_at, r->created_at));
    if (r->started && end->timed)
        row[SERVICE] = tk_ut_cell_since(STARTED, tk_wrap_sub(end->time, r->started_at));
}

static int64_t first_time(const struct request *r, const struct ending *end)
{
    return r->created ? r->created_at : r->started ? r->started_at : end->time;
}

static int say_io(struct tk_ut_feed *feed, struct state *s, const struct request *r, const struct ending *end)
{
    struct tk_ut_row_key key = {r->thread, r->seq, true, first_time(r, end),
                                end->timed ? end->time : INT64_MAX};
    struct tk_cell *row =
        tk_ut_requested_row(feed, &tk_ut_table_io) ? tk_ut_row(feed, &tk_ut_table_io, key) : NULL;
    if (!row)
        return tk_ut_requested_row(feed, &tk_ut_table_io) ? TK_ENOMEM : TK_OK;
    fill_times_io(r, end, row);
    row[STATE] = tk_cell_of_c(end->state);
    if (end->completed)
        row[BYTES] = tk_cell_of_size(end->bytes);
    if (r->started)
        row[BACKEND] = tk_cell_of_nonempty(tk_ut_id_names_get(&s->backends, r->backend));
    if (!r->created)
        return TK_OK;
    row[SIZE] = tk_cell_of_size(r->size);
    row[OFFSET] = tk_cell_of_uint(r->offset);
    row[CHUNK] = tk_cell_of_hex(r->chunk);
    row[CHUNK_TYPE] = tk_cell_of_uint(r->chunk_type);
    row[BATCH] = tk_cell_of_hex(r->batch);
    row[IN_FLIGHT] = tk_cell_of_uint(r->in_flight);
    row[CALLSTACK] = tk_cell_of_uint(r->callstack);
    return TK_OK;
}

enum { C_CYCLE, C_REQUEST, C_BATCH, C_CHUNK, C_TYPE, C_CALLSTACK, C_OFFSET, C_SIZE };

static int on_create(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, C_REQUEST);
    struct request *r = tk_record_map_get(&s->requests, key);
    struct ending replaced = {.state = "replaced"};
    int rc = r ? say_io(feed, s, r, &replaced) : TK_OK;
    if (rc != TK_OK || (!r && !capacity(feed, &s->requests, ev)))
        return rc;
    if (!(r = tk_record_map_put(&s->requests, key)))
        return TK_ENOMEM;
    *r = (struct request){.thread = ev->tid,
                          .seq = ev->seq,
                          .created = true,
                          .created_at = tk_ut_since(feed, tk_ut_u64(ev, C_CYCLE)),
                          .batch = tk_ut_u64(ev, C_BATCH),
                          .chunk = (uint32_t)tk_ut_u64(ev, C_CHUNK),
                          .chunk_type = (uint8_t)tk_ut_u64(ev, C_TYPE),
                          .callstack = (uint32_t)tk_ut_u64(ev, C_CALLSTACK),
                          .offset = tk_ut_u64(ev, C_OFFSET),
                          .size = tk_ut_u64(ev, C_SIZE),
                          .in_flight = (uint32_t)s->requests.count};
    return TK_OK;
}

enum { CYCLE, REQUEST, THIRD };

/* A request from before the recording began has no size and no time of its making. */
static int on_started(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, REQUEST);
    struct request *r = tk_record_map_get(&s->requests, key);
    if (!r && !capacity(feed, &s->requests, ev))
        return TK_OK;
    if (!r && !(r = tk_record_map_put(&s->requests, key)))
        return TK_ENOMEM;
    if (!r->created) {
        r->thread = ev->tid;
        r->seq = ev->seq;
    }
    r->started = true;
    r->started_at = tk_ut_since(feed, tk_ut_u64(ev, CYCLE));
    r->backend = tk_ut_u64(ev, THIRD);
    return TK_OK;
}

static int end_io(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, struct ending end)
{
    uint64_t key = tk_ut_u64(ev, REQUEST);
    struct request unknown = {.thread = ev->tid, .seq = ev->seq};
    const struct request *r = tk_record_map_get(&s->requests, key);
    end.timed = true;
    end.time = tk_ut_since(feed, tk_ut_u64(ev, CYCLE));
    int rc = say_io(feed, s, r ? r : &unknown, &end);
    tk_record_map_remove(&s->requests, key);
    return rc;
}

static int on_completed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_io(feed, state, ev,
                  (struct ending){.state = "completed", .completed = true, .bytes = tk_ut_u64(ev, THIRD)});
}

static int on_failed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_io(feed, state, ev, (struct ending){.state = "failed"});
}

static int on_unresolved(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_io(feed, state, ev, (struct ending){.state = "unresolved"});
}

enum { N_BACKEND, N_NAME };

static int on_backend(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    return tk_ut_id_names_put(feed, &s->backends, ev, tk_ut_u64(ev, N_BACKEND), N_NAME, 2);
}

/* ---- batches ---- */

static int say_batch(struct tk_ut_feed *feed, uint64_t key, const struct issued *b, const int64_t *end,
                     uint64_t bytes)
{
    struct tk_ut_row_key at = {b->thread, b->seq, true, b->time, end ? *end : INT64_MAX};
    if (!tk_ut_requested_row(feed, &tk_ut_table_io_batches))
        return TK_OK;
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_io_batches, at);
    if (!row)
        return TK_ENOMEM;
    row[B_BATCH] = tk_cell_of_hex(key);
    row[B_ISSUED] = tk_cell_of_time(b->time);
    if (end) {
        row[B_RESOLVED] = tk_cell_of_time(*end);
        row[B_DURATION] = tk_ut_cell_since(B_ISSUED, tk_wrap_sub(*end, b->time));
        row[B_SIZE] = tk_cell_of_size(bytes);
    }
    return TK_OK;
}

static int on_issued(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, REQUEST);
    struct issued *b = tk_record_map_get(&s->batches, key);
    int rc = b ? say_batch(feed, key, b, NULL, 0) : TK_OK;
    if (rc != TK_OK || (!b && !capacity(feed, &s->batches, ev)))
        return rc;
    if (!(b = tk_record_map_put(&s->batches, key)))
        return TK_ENOMEM;
    *b = (struct issued){ev->tid, ev->seq, tk_ut_since(feed, tk_ut_u64(ev, CYCLE))};
    return TK_OK;
}

static int on_resolved(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, REQUEST);
    int64_t time = tk_ut_since(feed, tk_ut_u64(ev, CYCLE));
    const struct issued *b = tk_record_map_get(&s->batches, key);
    if (!b) {
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_END_UNMATCHED, ev->offset, 1,
                       "an I/O batch ends that did not begin");
        return TK_OK;
    }
    int rc = say_batch(feed, key, b, &time, tk_ut_u64(ev, THIRD));
    tk_record_map_remove(&s->batches, key);
    return rc;
}

/* ---- */

static int finish_io(struct tk_ut_feed *feed, void *state)
{
    struct state *s = state;
    const struct ending open = {.state = "open"};
    uint64_t key;
    int rc = TK_OK;
    for (uint32_t i = 0; i < s->requests.n && rc == TK_OK; i++) {
        const struct request *r = tk_record_map_at(&s->requests, i, &key);
        rc = r ? say_io(feed, s, r, &open) : TK_OK;
    }
    for (uint32_t i = 0; i < s->batches.n && rc == TK_OK; i++) {
        const struct issued *b = tk_record_map_at(&s->batches, i, &key);
        rc = b ? say_batch(feed, key, b, NULL, 0) : TK_OK;
    }
    tk_record_map_clear(&s->requests);
    tk_record_map_clear(&s->batches);
    return rc;
}

static void begin_io(void *state)
{
    struct state *s = state;
    tk_record_map_release(&s->requests);
    tk_record_map_release(&s->batches);
    tk_record_map_init(&s->requests, sizeof(struct request));
    tk_record_map_init(&s->batches, sizeof(struct issued));
    tk_ut_id_names_release(&s->backends);
}

static const struct tk_ut_bind binds[] = {
    {"IoStore.BackendName", on_backend, false, {"BackendHandle", "Name"}},
    {"IoStore.RequestCreate",
     on_create,
     false,
     {"Cycle", "RequestHandle", "BatchHandle", "ChunkIdHash", "ChunkType", "CallstackId", "Offset", "Size"}},
    {"IoStore.RequestStarted", on_started, false, {"Cycle", "RequestHandle", "BackendHandle"}},
    {"IoStore.RequestCompleted", on_completed, false, {"Cycle", "RequestHandle", "Size"}},
    {"IoStore.RequestFailed", on_failed, false, {"Cycle", "RequestHandle"}},
    {"IoStore.RequestUnresolved", on_unresolved, false, {"Cycle", "RequestHandle"}},
    {"IoDispatcher.BatchIssued", on_issued, false, {"Cycle", "BatchId"}},
    {"IoDispatcher.BatchResolved", on_resolved, false, {"Cycle", "BatchId", "TotalSize"}},
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_io, &tk_ut_table_io_batches, NULL};

const struct tk_ut_family tk_ut_fam_io = {.name = "io",
                                          .rows = tables,
                                          .binds = binds,
                                          .state = sizeof(struct state),
                                          .begin = begin_io,
                                          .finish = finish_io,
                                          .release = begin_io};
