/*
 * Collecting, decoding and joining of scopes: see scopes.h.
 */
#include "utrace/scopes.h"

#include <stdlib.h>
#include <string.h>

#include "utrace/cpu_decode.h"
#include "utrace/peek_batch.h"
#include "utrace/timers.h"

#define CHUNK_BYTES (8u << 10) /* batches that are decoded as one piece of work */

/* Batches of one lane and form, decoded together. */
struct tk_ut_chunk {
    struct tk_cpu_chunk cpu;
    uint8_t *bytes; /* owned */
    size_t n_bytes, cap_bytes;
    TK_VEC(uint32_t) sizes;
    TK_VEC(uint64_t) offsets; /* of the packets, for notes; TK_NO_OFFSET: its end is known to be missing */
    uint32_t thread;
    bool failed; /* memory was out */
};

/* A stamped scope record that waits for its place among batch entries. */
struct stamped {
    int64_t time;
    uint32_t op;
};

/* What a lane gave in this stretch, in order. */
struct part {
    uint32_t chunk; /* index, or CUT */
    size_t stamped; /* how many stamped records were there when the lane was cut */
};

#define CUT UINT32_MAX

/* A thread or GPU queue with scopes. */
struct scope_lane {
    uint32_t thread, number;
    uint8_t kind; /* enum tk_lane_kind; of a GPU queue, `thread` is its id and all records are stamped ones */
    bool wanted, ended;
    uint64_t after_end;
    TK_VEC(struct stamped) waiting; /* stamped records, in order; those before `done` are placed */
    size_t done;
    const struct tk_ut_lane *source; /* the thread's own lane; NULL: only other lanes speak of it */
    bool peeked;                     /* the next batch was looked for and is not read yet */
    int64_t next_time;               /* its first time */
    TK_VEC(struct part) parts;
    uint32_t open_chunk; /* the chunk that takes more batches, or CUT */
    bool touched;        /* has something in this stretch */
};

struct tk_ut_scopes {
    struct tk_ut_capture *capture;
    TK_VEC(struct scope_lane *) lanes; /* by number */
    struct tk_map by_thread;
    TK_VEC(uint32_t) touched; /* lanes with something in this stretch, in order of first touch */
};

int tk_ut_scopes_open(struct tk_ut_scopes **out, struct tk_ut_capture *capture)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return TK_ENOMEM;
    (*out)->capture = capture;
    return TK_OK;
}

void tk_ut_chunk_free(struct tk_ut_chunk *c)
{
    tk_cpu_chunk_release(&c->cpu);
    free(c->bytes);
    tk_vec_release(&c->sizes);
    tk_vec_release(&c->offsets);
    free(c);
}

void tk_ut_scopes_close(struct tk_ut_scopes *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->lanes.n; i++) {
        tk_vec_release(&s->lanes.v[i]->waiting);
        tk_vec_release(&s->lanes.v[i]->parts);
        free(s->lanes.v[i]);
    }
    tk_vec_release(&s->lanes);
    tk_vec_release(&s->touched);
    tk_map_release(&s->by_thread);
    free(s);
}

/* ---- lanes ---- */

static uint64_t lane_key(uint8_t kind, uint32_t thread)
{
    return (uint64_t)kind << 32 | thread;
}

static struct scope_lane *add_lane(struct tk_ut_scopes *s, const struct tk_ut_feed *feed, uint8_t kind,
                                   uint32_t thread)
{
    struct scope_lane *lane = calloc(1, sizeof *lane);
    const struct tk_request *request = feed->request;
    if (!lane || tk_vec_push(&s->lanes, lane) ||
        tk_map_put(&s->by_thread, lane_key(kind, thread), (uint32_t)s->lanes.n - 1)) {
        if (!lane || !s->lanes.n || s->lanes.v[s->lanes.n - 1] != lane)
            free(lane);
        return NULL;
    }
    *lane = (struct scope_lane){.thread = thread,
                                .number = (uint32_t)s->lanes.n - 1,
                                .kind = kind,
                                .wanted = kind != TK_LANE_THREAD || !request->want_thread ||
                                          request->want_thread(request->want_ctx, thread),
                                .open_chunk = CUT};
    return lane;
}

static struct scope_lane *lane_of_thread(struct tk_ut_feed *feed, uint32_t thread)
{
    struct tk_ut_scopes *s = feed->scopes;
    uint32_t i = tk_map_get(&s->by_thread, lane_key(TK_LANE_THREAD, thread));
    return i == TK_MAP_NONE ? add_lane(s, feed, TK_LANE_THREAD, thread) : s->lanes.v[i];
}

/* The scopes of a lane's own thread, remembered in the lane. */
static struct scope_lane *lane_of(struct tk_ut_feed *feed, struct tk_ut_lane *lane)
{
    struct scope_lane *scopes = lane->scopes;
    if (!scopes && (scopes = lane_of_thread(feed, lane->tid)) != NULL) {
        scopes->source = lane;
        lane->scopes = scopes;
    }
    return scopes;
}

static int touch(struct tk_ut_scopes *s, struct scope_lane *lane)
{
    if (lane->touched)
        return TK_OK;
    lane->touched = true;
    return tk_vec_push(&s->touched, lane->number) ? TK_ENOMEM : TK_OK;
}

/* ---- collecting ---- */

static int wait_for_place(struct tk_ut_feed *feed, struct scope_lane *lane, int64_t time, uint32_t op)
{
    struct stamped record = {time, op};
    if (!lane->wanted)
        return TK_OK;
    if (touch(feed->scopes, lane) != TK_OK)
        return TK_ENOMEM;
    return tk_vec_push(&lane->waiting, record) ? TK_ENOMEM : TK_OK;
}

int tk_ut_scopes_enter(struct tk_ut_feed *feed, struct tk_ut_lane *lane, const struct tk_ut_type *type,
                       int64_t time)
{
    struct scope_lane *l = lane_of(feed, lane);
    uint32_t timer = 0;
    int rc = l ? tk_ut_timer_of_type(feed, type, &timer) : TK_ENOMEM;
    return rc == TK_OK ? wait_for_place(feed, l, time, timer | TK_OP_STAMPED) : rc;
}

int tk_ut_scopes_leave(struct tk_ut_feed *feed, struct tk_ut_lane *lane, int64_t time)
{
    struct scope_lane *l = lane_of(feed, lane);
    return l ? wait_for_place(feed, l, time, TK_OP_END | TK_OP_STAMPED) : TK_ENOMEM;
}

int tk_ut_scopes_queue(struct tk_ut_feed *feed, uint8_t kind, uint32_t queue, int64_t time, uint32_t op)
{
    struct tk_ut_scopes *s = feed->scopes;
    uint32_t i = tk_map_get(&s->by_thread, lane_key(kind, queue));
    struct scope_lane *lane = i == TK_MAP_NONE ? add_lane(s, feed, kind, queue) : s->lanes.v[i];
    if (!lane)
        return TK_ENOMEM;
    return wait_for_place(feed, lane, time, op);
}

int tk_ut_scopes_cut(struct tk_ut_feed *feed, struct tk_ut_lane *lane)
{
    uint32_t known = tk_map_get(&feed->scopes->by_thread, lane_key(TK_LANE_THREAD, lane->tid));
    if (known == TK_MAP_NONE)
        return TK_OK;
    struct scope_lane *l = feed->scopes->lanes.v[known];
    struct part part = {CUT, l->waiting.n};
    l->open_chunk = CUT;
    if (touch(feed->scopes, l) != TK_OK)
        return TK_ENOMEM;
    return tk_vec_push(&l->parts, part) ? TK_ENOMEM : TK_OK;
}

int tk_ut_scopes_end(struct tk_ut_feed *feed, uint32_t thread)
{
    struct scope_lane *lane = lane_of_thread(feed, thread);
    if (!lane)
        return TK_ENOMEM;
    lane->ended = true;
    return TK_OK;
}

static struct tk_ut_chunk *new_chunk(struct tk_ut_out *s)
{
    if (s->n_chunks == s->chunks.n) {
        struct tk_ut_chunk *c = calloc(1, sizeof *c);
        if (!c || tk_vec_push(&s->chunks, c)) {
            free(c);
            return NULL;
        }
    }
    struct tk_ut_chunk *c = s->chunks.v[s->n_chunks++];
    c->n_bytes = 0;
    c->sizes.n = c->offsets.n = 0;
    return c;
}

/* The chunk that takes a batch of this form and size. */
static struct tk_ut_chunk *chunk_for(struct tk_ut_out *s, struct scope_lane *lane, int form, size_t n)
{
    struct tk_ut_chunk *c = lane->open_chunk == CUT ? NULL : s->chunks.v[lane->open_chunk];
    if (c && c->cpu.form == form && c->n_bytes + n <= CHUNK_BYTES)
        return c;
    if (!(c = new_chunk(s)))
        return NULL;
    lane->open_chunk = (uint32_t)s->n_chunks - 1;
    struct part part = {lane->open_chunk, 0};
    c->cpu.form = form;
    c->thread = lane->thread;
    return tk_vec_push(&lane->parts, part) ? NULL : c;
}

static int add_batch(struct tk_ut_chunk *c, const struct tk_span *bytes, uint64_t offset)
{
    if (tk_vec_grow((void **)&c->bytes, &c->cap_bytes, c->n_bytes + bytes->n + TK_CPU_PADDING, 1) ||
        tk_vec_push(&c->sizes, (uint32_t)bytes->n) || tk_vec_push(&c->offsets, offset))
        return TK_ENOMEM;
    memcpy(c->bytes + c->n_bytes, bytes->p, bytes->n);
    c->n_bytes += bytes->n;
    return TK_OK;
}

int tk_ut_scopes_batch(struct tk_ut_feed *feed, uint32_t thread, int form, const struct tk_ut_event *ev,
                       const struct tk_span *bytes)
{
    struct scope_lane *lane =
        thread == feed->lane->tid ? lane_of(feed, feed->lane) : lane_of_thread(feed, thread);
    if (!lane)
        return TK_ENOMEM;
    if (lane->ended) {
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_AFTER_END, ev->offset, 1,
                       "thread %u has scopes after its end; they were dropped", thread);
        return TK_OK;
    }
    if (!lane->wanted || !bytes->n)
        return TK_OK;
    if (touch(feed->scopes, lane) != TK_OK)
        return TK_ENOMEM;
    lane->peeked = false;
    struct tk_ut_chunk *c = chunk_for(feed->out, lane, form, bytes->n);
    return c ? add_batch(c, bytes, ev->incomplete ? TK_NO_OFFSET : ev->offset) : TK_ENOMEM;
}

/* ---- decoding ---- */

static void decode_piece(void *ctx, size_t i, unsigned worker)
{
    struct tk_ut_out *out = ctx;
    (void)worker;
    out->chunks.v[i]->failed = tk_cpu_decode(&out->chunks.v[i]->cpu) != 0;
}

static int set_up_chunks(struct tk_ut_feed *feed, struct tk_ut_out *out)
{
    const struct tk_ut_capture *capture = feed->capture;
    struct tk_ut_timers *timers = tk_ut_timers_of(feed->capture);
    uint32_t coroutine = 0, frame = 0;
    for (size_t i = 0; i < out->n_chunks; i++) {
        struct tk_cpu_chunk *c = &out->chunks.v[i]->cpu;
        if (c->form >= 2 && tk_ut_timer_coroutine(feed, &coroutine, &frame) != TK_OK)
            return TK_ENOMEM;
        c->bytes = out->chunks.v[i]->bytes;
        memset(out->chunks.v[i]->bytes + out->chunks.v[i]->n_bytes, 0, TK_CPU_PADDING);
        c->sizes = out->chunks.v[i]->sizes.v;
        c->n_batches = (uint32_t)out->chunks.v[i]->sizes.n;
        c->start_cycle = capture->clock.start;
        c->spec_timer = timers->by_spec;
        c->n_specs = (uint32_t)timers->n_specs;
        c->coroutine_timer = coroutine;
        c->frame_timer = frame;
        c->max_depth = (uint32_t)capture->ctx->limits.open_scopes;
    }
    return TK_OK;
}

/* Sets the ops that the decoder left open, in the order of the file, so that ids come out the same for all
 * jobs. */
static int fix_chunk(struct tk_ut_feed *feed, struct tk_ut_chunk *c)
{
    for (size_t i = 0; i < c->cpu.n_fixups; i++) {
        const struct tk_cpu_fixup *f = &c->cpu.fixups[i];
        uint32_t timer;
        int rc = f->kind == TK_CPU_FIX_METADATA ? tk_ut_timer_of_instance(feed, f->raw, &timer)
                                                : tk_ut_timer_of_spec(feed, f->raw, &timer);
        if (rc != TK_OK)
            return rc;
        c->cpu.op[f->at] = timer;
    }
    for (size_t i = 0; i < c->cpu.n_faults; i++) {
        uint64_t offset = c->offsets.v[c->cpu.faults[i].batch];
        if (offset != TK_NO_OFFSET)
            tk_health_note(&feed->out->health, TK_HEALTH_PAYLOAD_DAMAGED, offset, 1,
                           "a batch of scopes of thread %u: %s", c->thread, c->cpu.faults[i].what);
    }
    return TK_OK;
}

static int decode_chunks(struct tk_ut_feed *feed)
{
    int rc = set_up_chunks(feed, feed->out);
    if (rc != TK_OK)
        return rc;
    tk_pool_run(feed->capture->ctx->pool, decode_piece, feed->out, feed->out->n_chunks);
    for (size_t i = 0; i < feed->out->n_chunks && rc == TK_OK; i++)
        rc = feed->out->chunks.v[i]->failed ? TK_ENOMEM : fix_chunk(feed, feed->out->chunks.v[i]);
    return rc;
}

/* ---- joining ---- */

static int add_run(struct tk_ut_out *out, const struct scope_lane *lane, const int64_t *time,
                   const uint32_t *op, size_t n)
{
    struct tk_scope_run run = {lane->thread, lane->number, n, time, op, lane->kind};
    return n && tk_vec_push(&out->runs, run) ? TK_ENOMEM : TK_OK;
}

/* A run of one's own, of n entries at most. */
static int new_columns(struct tk_ut_out *out, size_t n, int64_t **time, uint32_t **op)
{
    *time = tk_arena_alloc(&out->columns, n * sizeof **time);
    *op = tk_arena_alloc(&out->columns, n * sizeof **op);
    return *time && *op ? TK_OK : TK_ENOMEM;
}

/* Stamped records that nothing can come before any more: those up to `end`. */
static int place_rest(struct tk_ut_out *out, struct scope_lane *lane, size_t end)
{
    int64_t *time;
    uint32_t *op;
    size_t n = 0;
    if (lane->done >= end)
        return TK_OK;
    if (new_columns(out, end - lane->done, &time, &op) != TK_OK)
        return TK_ENOMEM;
    for (; lane->done < end; lane->done++, n++) {
        time[n] = lane->waiting.v[lane->done].time;
        op[n] = lane->waiting.v[lane->done].op;
    }
    return add_run(out, lane, time, op, n);
}

/* utrace-events 2.5: of equal times a stamped record goes before a begin and after an end. */
static int join(struct tk_ut_out *out, struct scope_lane *lane, const struct tk_cpu_chunk *c)
{
    int64_t *time;
    uint32_t *op;
    size_t n = 0, left = lane->waiting.n - lane->done;
    if (!left)
        return add_run(out, lane, c->time, c->op, c->n);
    if (new_columns(out, c->n + left, &time, &op) != TK_OK)
        return TK_ENOMEM;
    for (size_t i = 0; i < c->n; i++) {
        bool begin = !(c->op[i] & TK_OP_END);
        for (; lane->done < lane->waiting.n; lane->done++, n++) {
            const struct stamped *w = &lane->waiting.v[lane->done];
            if (w->time > c->time[i] || (w->time == c->time[i] && !begin))
                break;
            time[n] = w->time;
            op[n] = w->op;
        }
        time[n] = c->time[i];
        op[n++] = c->op[i];
    }
    return add_run(out, lane, time, op, n);
}

static int place_cut(struct tk_ut_out *out, struct scope_lane *lane, size_t end)
{
    int64_t *time;
    uint32_t *op;
    if (place_rest(out, lane, end) != TK_OK || new_columns(out, 1, &time, &op) != TK_OK)
        return TK_ENOMEM;
    *time = INT64_MIN;
    *op = TK_OP_CUT;
    return add_run(out, lane, time, op, 1);
}

/* How many of the waiting records are before the next batch of their lane, wherever that stands in the file.
 */
static int before_next_batch(struct tk_ut_feed *feed, struct scope_lane *lane, size_t *end)
{
    int rc = TK_ITEM;
    if (!lane->source)
        return TK_ELIMIT;
    if (!lane->peeked)
        rc = tk_ut_peek_batch(feed->capture, lane->thread, lane->source->packet, &lane->next_time);
    if (rc < 0)
        return rc;
    if (rc == TK_OK)
        lane->next_time = INT64_MAX;
    lane->peeked = true;
    for (*end = lane->done; *end < lane->waiting.n && lane->waiting.v[*end].time < lane->next_time;)
        ++*end;
    return TK_OK;
}

/* Stamped records wait for a batch only as long as there is room; then the next batch is looked for. */
static int bound_waiting(struct tk_ut_feed *feed, struct scope_lane *lane)
{
    uint64_t most = feed->capture->ctx->limits.pending_scopes;
    size_t end;
    if (lane->waiting.n - lane->done <= most / 16)
        return TK_OK;
    int rc = before_next_batch(feed, lane, &end);
    if (rc == TK_OK)
        rc = place_rest(feed->out, lane, end);
    if ((rc != TK_OK && rc != TK_ELIMIT) || lane->waiting.n - lane->done <= most)
        return rc == TK_ELIMIT ? TK_OK : rc;
    tk_health_note(&feed->out->health, TK_HEALTH_LIMIT_REACHED, TK_NO_OFFSET, lane->waiting.n - lane->done,
                   "stamped scopes of thread %u were placed before the batch they belong to came (limit "
                   "'pending_scopes')",
                   lane->thread);
    return place_rest(feed->out, lane, lane->waiting.n);
}

static void forget_placed(struct scope_lane *lane)
{
    if (lane->done)
        memmove(lane->waiting.v, lane->waiting.v + lane->done,
                (lane->waiting.n - lane->done) * sizeof *lane->waiting.v);
    lane->waiting.n -= lane->done;
    lane->done = 0;
}

static int lane_runs(struct tk_ut_feed *feed, struct scope_lane *lane, bool last)
{
    struct tk_ut_out *out = feed->out;
    int rc = TK_OK;
    for (size_t i = 0; i < lane->parts.n && rc == TK_OK; i++) {
        const struct part *p = &lane->parts.v[i];
        rc = p->chunk == CUT ? place_cut(out, lane, p->stamped)
                             : join(out, lane, &out->chunks.v[p->chunk]->cpu);
    }
    if (rc == TK_OK)
        rc = last || lane->kind != TK_LANE_THREAD ? place_rest(out, lane, lane->waiting.n)
                                                  : bound_waiting(feed, lane);
    forget_placed(lane);
    lane->parts.n = 0;
    lane->open_chunk = CUT;
    lane->touched = false;
    return rc;
}

int tk_ut_scopes_runs(struct tk_ut_feed *feed, bool last)
{
    struct tk_ut_scopes *s = feed->scopes;
    int rc = decode_chunks(feed);
    for (size_t i = 0; i < s->lanes.n && last && rc == TK_OK; i++)
        rc = touch(s, s->lanes.v[i]);
    for (size_t i = 0; i < s->touched.n && rc == TK_OK; i++)
        rc = lane_runs(feed, s->lanes.v[s->touched.v[i]], last);
    s->touched.n = 0;
    return rc;
}
