/*
 * The second cursor: see peek_batch.h.
 */
#include "format/utrace/scopes/peek_batch.h"

#include "base/binary_search.h"
#include "format/utrace/feed/event_time.h"
#include "format/utrace/lanes/lane.h"
#include "format/utrace/wire/packet_reader.h"

#include <stdlib.h>
#include <string.h>

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
