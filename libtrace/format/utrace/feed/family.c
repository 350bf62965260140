/*
 * What families call.
 */
#include "format/utrace/feed/family.h"

#include "base/sort.h"
#include "base/text/glob.h"

#include <string.h>

/*
 * Times of events.
 */

/* Fields that usually hold a time, the first one that a type has. */
static const char *const time_fields[] = {"Cycle",           "StartCycle",      "CycleAndId",
                                          "Timestamp",       "StartTime",       "Time",
                                          "GPUTimestampTOP", "GPUTimestampBOP", "CPUTimestamp"};

/* Batches of CPU scopes and the flag bits of their numbers (events 2.3). */
static const struct {
    const char *name;
    uint8_t bits;
} batches[] = {{"CpuProfiler.EventBatch", 1},
               {"CpuProfiler.EndCapture", 1},
               {"CpuProfiler.EventBatchV2", 2},
               {"CpuProfiler.EventBatchV3", 2}};

/* What the recorder reports itself has times since the start (wire 5.1). */
static bool is_relative(const struct tk_ut_type *type)
{
    return strcmp(type->record.name, "$Trace.BandwidthStats") == 0 ||
           strcmp(type->record.name, "$Trace.MemoryStats") == 0;
}

struct tk_ut_time_rule tk_ut_time_rule_of(const struct tk_ut_type *type)
{
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        if (strcmp(type->record.name, batches[i].name) == 0)
            return (struct tk_ut_time_rule){.field = tk_ut_type_field(type, "Data"),
                                            .shift = batches[i].bits};
    for (size_t i = 0; i < sizeof time_fields / sizeof *time_fields; i++) {
        const struct tk_ut_field *f = tk_ut_type_field(type, time_fields[i]);
        if (f && f->info == 3 && f->size == 8)
            return (struct tk_ut_time_rule){.field = f,
                                            .relative = is_relative(type),
                                            .clock = type->role == TK_UT_ROLE_NEW_TRACE ||
                                                     type->role == TK_UT_ROLE_TIMING};
    }
    return (struct tk_ut_time_rule){0};
}

/* The first time of a batch is absolute, or counts from the start of the clock. */
static bool batch_time(const struct tk_ut_time_rule *rule, const struct tk_ut_event *ev, uint64_t start,
                       int64_t *time)
{
    struct tk_bytes bytes = {ev->attachment, ev->n_attachment};
    if (rule->field)
        bytes = tk_ut_event_bytes(ev, rule->field);
    struct tk_cur c = tk_cur_of(bytes.p, bytes.n);
    const uint64_t cycle = tk_varint(&c, "time") >> rule->shift;
    *time = (int64_t)(cycle < start ? cycle : cycle - start);
    return tk_cur_ok(&c);
}

bool tk_ut_time_by_rule(const struct tk_ut_time_rule *rule, const struct tk_ut_event *ev, uint64_t start,
                        int64_t *time)
{
    if (rule->shift)
        return batch_time(rule, ev, start, time);
    if (rule->field) {
        const uint64_t cycle = tk_ut_event_number(ev, rule->field);
        *time = rule->relative ? (int64_t)cycle : (int64_t)(cycle - start);
        return true;
    }
    *time = ev->stamp;
    return ev->stamped;
}

/*
 * A batch in the making.
 */

void tk_ut_batch_clear(struct tk_ut_batch *out)
{
    out->facts.n = out->runs.n = 0;
    out->n_chunks = 0;
    tk_arena_clear(&out->arena);
    tk_arena_clear(&out->columns);
}

void tk_ut_batch_release(struct tk_ut_batch *out)
{
    for (size_t i = 0; i < out->chunks.n; i++)
        out->free_chunk(out->chunks.v[i]);
    tk_vec_release(&out->chunks);
    tk_vec_release(&out->facts);
    tk_vec_release(&out->runs);
    tk_arena_release(&out->arena);
    tk_arena_release(&out->columns);
    tk_health_release(&out->health);
}

int tk_ut_emit(struct tk_ut_feed *feed, const struct tk_fact *fact)
{
    return tk_vec_push(&feed->out->facts, *fact) ? TK_ENOMEM : TK_OK;
}

int tk_ut_define(struct tk_ut_feed *feed, const struct tk_fact *fact)
{
    struct tk_ut_capture *c = feed->capture;
    if (c->definitions.n >= c->ctx->limits.definitions) {
        tk_health_limit(feed->index ? &c->ctx->health : &feed->out->health, TK_LIMIT_definitions,
                        TK_NO_OFFSET, 1, "a definition was left out");
        return TK_OK;
    }
    if (tk_vec_push(&c->definitions, *fact))
        return TK_ENOMEM;
    return feed->index ? TK_OK : tk_ut_emit(feed, fact);
}

int tk_ut_look_ahead(struct tk_ut_feed *feed, const struct tk_ut_capture **out)
{
    struct tk_ut_capture *c = feed->capture;
    int rc = TK_OK;
    *out = NULL;
    if (!feed->request || !feed->request->named || c->complete || !c->read_ahead)
        return TK_OK;
    if (!c->looked_ahead)
        rc = c->read_ahead(c);
    c->looked_ahead = true;
    *out = c->ahead;
    return rc;
}

const struct tk_str *tk_ut_own_text(struct tk_ut_feed *feed, const struct tk_str *text)
{
    return tk_intern(&feed->capture->strings, text->p, text->n, text->enc);
}

struct tk_fact tk_ut_fact(const struct tk_ut_feed *feed, const struct tk_ut_event *ev, enum tk_fact_kind kind,
                          int64_t time)
{
    (void)feed;
    return (struct tk_fact){.kind = (uint16_t)kind,
                            .size = sizeof(struct tk_fact),
                            .thread = ev->tid,
                            .time = time,
                            .seq = ev->seq};
}

const struct tk_str *tk_ut_str(struct tk_ut_feed *feed, const struct tk_ut_event *ev, unsigned i,
                               unsigned width)
{
    return tk_ut_event_text(ev, ev->bound[i], width, &feed->capture->strings);
}

void tk_ut_bad_payload(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const char *what)
{
    if (!ev->incomplete) /* else that was reported */
        tk_health_note(&feed->out->health, TK_HEALTH_PAYLOAD_DAMAGED, ev->offset, 1,
                       "an event '%s' of thread %u: %s", ev->type->name->p, ev->tid, what);
}

/* ---- who wants what ---- */

bool tk_ut_requested_row(const struct tk_ut_feed *feed, const struct tk_table *table)
{
    if (!tk_ut_requested(feed, TK_FACT_MASK(ROW)))
        return false;
    for (size_t i = 0; i < feed->request->n_rows; i++)
        if (feed->request->rows[i] == table)
            return true;
    return false;
}

bool tk_ut_wants_record(const struct tk_request *request, const struct tk_ut_type *t)
{
    if (!(request->facts & TK_FACT_MASK(RECORD)) || (request->generic && t->record.family))
        return false;
    for (size_t i = 0; i < request->n_events; i++) {
        const char *pattern = request->events[i];
        if (tk_glob_typed(pattern, strlen(pattern), t->name->p, t->name->n))
            return true;
    }
    return request->n_events == 0;
}

bool tk_ut_bind_concerns(const struct tk_ut_bind *bind, const struct tk_ut_type *t)
{
    if (*bind->event == '*')
        return t->flags & TK_UT_FLAG_DEFINITION;
    if (*bind->event != *t->name->p) /* nearly always */
        return false;
    size_t n = strlen(bind->event);
    if (bind->event[n - 1] != '*')
        return strcmp(bind->event, t->name->p) == 0;
    return t->logger->n == n - 2 && memcmp(bind->event, t->name->p, n - 1) == 0;
}

bool tk_ut_event_time(const struct tk_ut_feed *feed, const struct tk_ut_event *ev, int64_t *time)
{
    return tk_ut_time_by_rule(&feed->times.v[ev->type->id], ev, feed->capture->clock.start, time);
}

const struct tk_ut_event *tk_ut_event_keep(const struct tk_ut_feed *feed, const struct tk_ut_event *ev,
                                           struct tk_arena *a)
{
    struct tk_ut_event *copy = tk_arena_alloc(a, sizeof *copy);
    struct tk_ut_blob *blobs = tk_arena_alloc(a, ev->n_blobs * sizeof *blobs);
    if (!copy || !blobs)
        return NULL;
    *copy = *ev;
    copy->bound = NULL;
    copy->references = feed->request->resolved ? &feed->capture->references : NULL;
    copy->scratch = a;
    copy->fixed = tk_arena_copy(a, ev->fixed, ev->n_fixed);
    copy->attachment = tk_arena_copy(a, ev->attachment, ev->n_attachment);
    copy->blobs = blobs;
    for (size_t i = 0; i < ev->n_blobs; i++) {
        blobs[i] = ev->blobs[i];
        if (!(blobs[i].p = tk_arena_copy(a, ev->blobs[i].p, ev->blobs[i].n)))
            return NULL;
    }
    return copy->fixed && copy->attachment ? copy : NULL;
}

/*
 * Rows of families.
 */

/*
 * Names of numbers.
 */

int tk_ut_id_names_put(struct tk_ut_feed *feed, struct tk_ut_id_names *n, const struct tk_ut_event *ev,
                       uint64_t number, unsigned name, unsigned width)
{
    const struct tk_str *text = tk_ut_str(feed, ev, name, width);
    uint32_t at = tk_map_get(&n->index, number);
    if (!text)
        return TK_ENOMEM;
    if (at != TK_MAP_NONE) {
        n->names.v[at] = text;
        return TK_OK;
    }
    if (tk_vec_push(&n->names, text) || tk_map_put(&n->index, number, (uint32_t)n->names.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

const struct tk_str *tk_ut_id_names_get(const struct tk_ut_id_names *n, uint64_t number)
{
    uint32_t at = tk_map_get(&n->index, number);
    return at == TK_MAP_NONE || at >= n->names.n ? NULL : n->names.v[at];
}

void tk_ut_id_names_release(struct tk_ut_id_names *n)
{
    tk_map_release(&n->index);
    tk_vec_release(&n->names);
}

/*
 * Records that wait for those in front of them.
 */

uint64_t tk_ut_held_pending(const struct tk_ut_lane *lane)
{
    uint64_t carried = lane->n_carry ? lane->carry_offset : UINT64_MAX;
    uint64_t waiting = lane->group.events.n ? lane->group.events.v[0].ev.offset : UINT64_MAX;
    return waiting < carried ? waiting : carried;
}

/* Keeps the offset of a lane. */
static void put_lane(struct tk_ut_held *h, const struct tk_ut_lane *lane)
{
    uint64_t offset = tk_ut_held_pending(lane);
    unsigned i = 0;
    while (i < h->n_lanes && h->lanes[i].tid != lane->tid)
        i++;
    if (offset == UINT64_MAX || offset <= h->passed) {
        if (i < h->n_lanes)
            h->lanes[i] = h->lanes[--h->n_lanes];
        return;
    }
    if (i == h->n_lanes && h->n_lanes++ == TK_UT_HELD_LANES) {
        h->n_lanes--;
        return;
    }
    h->lanes[i].tid = lane->tid;
    h->lanes[i].offset = offset;
}

static uint64_t least(const struct tk_ut_held *h)
{
    uint64_t offset = UINT64_MAX;
    for (unsigned i = 0; i < h->n_lanes; i++)
        if (h->lanes[i].offset < offset)
            offset = h->lanes[i].offset;
    return offset;
}

static int compare_offsets(const void *a, const void *b)
{
    uint64_t one = ((const struct tk_fact *)a)->u.record.offset;
    uint64_t other = ((const struct tk_fact *)b)->u.record.offset;
    return (one > other) - (one < other);
}

/* Says a record, with a copy of its event that lives as long as the batch. */
static int say(struct tk_ut_feed *feed, const struct tk_fact *held)
{
    struct tk_fact fact = *held;
    const struct tk_ut_event *copy = tk_ut_event_keep(feed, held->u.record.rec.impl, &feed->out->arena);
    if (!copy)
        return TK_ENOMEM;
    fact.u.record.rec.impl = copy;
    if (copy->n_attachment)
        fact.u.record.attachment.v.p = copy->attachment;
    return tk_ut_emit(feed, &fact);
}

/* Says what waits and does not stand behind an offset. */
static int say_until(struct tk_ut_feed *feed, uint64_t offset)
{
    struct tk_ut_held *h = &feed->held;
    size_t n = 0;
    int rc = TK_OK;
    if (tk_sort(h->facts.v, h->facts.n, sizeof *h->facts.v, compare_offsets) != 0)
        return TK_ENOMEM;
    for (; n < h->facts.n && h->facts.v[n].u.record.offset <= offset && rc == TK_OK; n++)
        rc = say(feed, &h->facts.v[n]);
    memmove(h->facts.v, h->facts.v + n, (h->facts.n - n) * sizeof *h->facts.v);
    h->facts.n -= n;
    if (!h->facts.n)
        tk_arena_clear(&h->arena);
    return rc;
}

int tk_ut_held_look(struct tk_ut_feed *feed, const struct tk_ut_lane *lane)
{
    struct tk_ut_held *h = &feed->held;
    uint64_t before = h->behind;
    put_lane(h, lane);
    h->behind = least(h);
    if (h->arena.total + h->facts.n * sizeof *h->facts.v > TK_UT_HELD_BYTES) {
        h->passed = lane->packet;
        return tk_ut_held_flush(feed);
    }
    return h->facts.n && h->behind != before ? say_until(feed, h->behind) : TK_OK;
}

int tk_ut_held_flush(struct tk_ut_feed *feed)
{
    feed->held.n_lanes = 0;
    feed->held.behind = UINT64_MAX;
    return feed->held.facts.n ? say_until(feed, UINT64_MAX) : TK_OK;
}

void tk_ut_held_release(struct tk_ut_held *held)
{
    tk_vec_release(&held->facts);
    tk_arena_release(&held->arena);
}

struct tk_cell *tk_ut_row(struct tk_ut_feed *feed, const struct tk_table *table, struct tk_ut_row_key key)
{
    size_t bytes = table->n_columns * sizeof(struct tk_cell);
    struct tk_cell *cells = tk_arena_alloc(&feed->out->arena, bytes);
    struct tk_fact fact = {.kind = TK_FACT_ROW,
                           .size = sizeof fact,
                           .thread = key.thread,
                           .time = key.timed ? key.begin : 0,
                           .seq = key.seq};
    if (!cells)
        return NULL;
    memset(cells, 0, bytes);
    fact.u.row = (struct tk_fact_row){table, cells, key.end, key.timed};
    return tk_ut_emit(feed, &fact) == TK_OK ? cells : NULL;
}
