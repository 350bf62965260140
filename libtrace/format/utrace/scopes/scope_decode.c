/*
 * Decoding of collected batches (scope_collect.h): in pieces by the pool's workers, then what needs the order
 * of the file.
 */
#include "base/sort.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/lanes/lane.h"
#include "format/utrace/scopes/scopes_in.h"
#include "format/utrace/scopes/timer_ids.h"
#include "format/utrace/wire/packet_reader.h"

#include <stdlib.h>
#include <string.h>

/*
 * The second cursor.
 */

struct peek {
    struct tk_ut_capture *c;
    struct tk_ut_decoder decoder;
    struct tk_ut_handler handler;
    struct tk_health quiet;
    struct tk_arena scratch;
    uint8_t *want;      /* owned; by type id: not 0: is a batch */
    uint8_t *raw, *out; /* owned */
    bool found;
    int64_t time;
};

static int on_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct peek *p = self;
    const struct tk_ut_time_rule rule = tk_ut_time_rule_of(ev->type);
    (void)lane;
    if (!p->found && rule.field)
        p->found = tk_ut_time_by_rule(&rule, ev, p->c->clock.start, &p->time);
    return TK_OK;
}

static int ignore_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time)
{
    (void)self;
    (void)lane;
    (void)type;
    (void)time;
    return TK_OK;
}

static int ignore_leave(void *self, struct tk_ut_lane *lane, int64_t time)
{
    (void)self;
    (void)lane;
    (void)time;
    return TK_OK;
}

static int ignore_cut(void *self, struct tk_ut_lane *lane)
{
    (void)self;
    (void)lane;
    return TK_OK;
}

static int set_up(struct peek *p, struct tk_ut_capture *c)
{
    size_t n = c->schema.types.n;
    *p = (struct peek){.c = c, .quiet = {.muted = UINT64_MAX}};
    p->handler =
        (struct tk_ut_handler){on_event, ignore_enter, ignore_leave, ignore_cut, NULL, p, NULL, NULL};
    p->want = calloc(n + 1, 1);
    p->raw = malloc(TK_UT_PACKET_MAX);
    p->out = malloc(TK_UT_PACKET_MAX);
    if (!p->want || !p->raw || !p->out)
        return TK_ENOMEM;
    for (size_t i = 0; i < n; i++)
        p->want[i] = tk_ut_time_rule_of(c->schema.types.v[i]).shift;
    p->decoder = (struct tk_ut_decoder){.schema = &c->schema,
                                        .limits = &c->ctx->limits,
                                        .health = &p->quiet,
                                        .handler = &p->handler,
                                        .want = p->want,
                                        .n_want = (uint32_t)n,
                                        .scratch = &p->scratch,
                                        .protocol = c->header.protocol};
    return TK_OK;
}

static void release_peek_batch(struct peek *p)
{
    tk_arena_release(&p->scratch);
    free(p->want);
    free(p->raw);
    free(p->out);
}

/* The first packet of the index behind an offset. */
static size_t packet_after(const struct tk_ut_index *ix, uint64_t offset)
{
    size_t at;
    TK_SEARCH(at, ix->n, tk_ut_index_offset(ix, at) <= offset);
    return at;
}

static int search(struct peek *p, struct tk_ut_lane *lane, uint64_t after)
{
    const struct tk_ut_index *ix = &p->c->index;
    int rc = TK_OK;
    for (size_t i = packet_after(ix, after); i < ix->n && !p->found && rc == TK_OK; i++) {
        struct tk_ut_read_packet packet;
        if (tk_ut_index_tid(ix, i) != lane->tid)
            continue;
        rc = tk_ut_packet_read(p->c->ctx, ix, i, p->raw, p->out, &packet, NULL);
        struct tk_ut_payload payload = {packet.p, packet.n, packet.head.offset, false, false, 0};
        if (rc == TK_OK && packet.state == TK_UT_UNPACKED)
            rc = tk_ut_lane_feed(&p->decoder, lane, &payload);
    }
    return rc;
}

int tk_ut_peek_batch(struct tk_ut_capture *c, uint32_t tid, uint64_t after, int64_t *time)
{
    struct peek p;
    struct tk_ut_lane lane = {.tid = tid};
    if (c->header.protocol < 6)
        return TK_ELIMIT;
    int rc = set_up(&p, c);
    if (rc == TK_OK)
        rc = search(&p, &lane, after);
    *time = p.time;
    if (rc == TK_OK && p.found)
        rc = TK_ITEM;
    tk_ut_lane_release(&lane);
    release_peek_batch(&p);
    return rc;
}

static void decode_piece(void *ctx, size_t i, unsigned worker)
{
    struct tk_ut_batch *out = ctx;
    (void)worker;
    out->chunks.v[i]->failed = tk_cpu_decode(&out->chunks.v[i]->cpu) != 0;
}

static int set_up_chunks(struct tk_ut_feed *feed, struct tk_ut_batch *out)
{
    const struct tk_ut_capture *capture = feed->capture;
    struct tk_ut_timers *timers = feed->capture->timers;
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

/* The column of texts of a chunk, all NULL. */
static int make_texts(struct tk_ut_chunk *c)
{
    if (!c->has_text && tk_vec_grow((void **)&c->text, &c->cap_text, c->cpu.n, sizeof *c->text))
        return TK_ENOMEM;
    if (!c->has_text)
        memset(c->text, 0, c->cpu.n * sizeof *c->text);
    c->has_text = true;
    return TK_OK;
}

static int fix_text(struct tk_ut_feed *feed, struct tk_ut_chunk *c, const struct tk_cpu_fixup *f)
{
    if (f->kind != TK_CPU_FIX_METADATA || !tk_ut_requested(feed, TK_FACT_MASK(SCOPE_TEXT)))
        return TK_OK;
    int rc = make_texts(c);
    return rc == TK_OK ? tk_ut_scope_text_of(feed, f->raw, &c->text[f->at]) : rc;
}

/* Sets the ops that the decoder left open, in the order of the file, so that ids come out the same for all
 * jobs. */
static int fix_chunk(struct tk_ut_feed *feed, struct tk_ut_chunk *c)
{
    c->has_text = false;
    for (size_t i = 0; i < c->cpu.n_fixups; i++) {
        const struct tk_cpu_fixup *f = &c->cpu.fixups[i];
        uint32_t timer;
        int rc = f->kind == TK_CPU_FIX_METADATA ? tk_ut_timer_of_instance(feed, f->raw, &timer)
                                                : tk_ut_timer_of_spec(feed, f->raw, &timer);
        if (rc != TK_OK)
            return rc;
        c->cpu.op[f->at] = timer;
        if (fix_text(feed, c, f) != TK_OK)
            return TK_ENOMEM;
    }
    for (size_t i = 0; i < c->cpu.n_faults; i++) {
        uint64_t offset = c->offsets.v[c->cpu.faults[i].batch];
        if (offset != TK_NO_OFFSET)
            tk_health_note(&feed->out->health, TK_HEALTH_PAYLOAD_DAMAGED, offset, 1,
                           "a batch of scopes of thread %u: %s", c->thread, c->cpu.faults[i].what);
    }
    return TK_OK;
}

int tk_ut_scopes_decode(struct tk_ut_feed *feed, bool last)
{
    int rc = set_up_chunks(feed, feed->out);
    if (rc != TK_OK)
        return rc;
    tk_pool_run(feed->capture->ctx->pool, decode_piece, feed->out, feed->out->n_chunks);
    for (size_t i = 0; i < feed->out->n_chunks && rc == TK_OK; i++)
        rc = feed->out->chunks.v[i]->failed ? TK_ENOMEM : TK_OK;
    if (rc == TK_OK)
        rc = tk_ut_batch_times_check(feed, last);
    if (last && rc == TK_OK)
        tk_ut_stamps_end(feed);
    for (size_t i = 0; i < feed->out->n_chunks && rc == TK_OK; i++)
        rc = fix_chunk(feed, feed->out->chunks.v[i]);
    return rc;
}
