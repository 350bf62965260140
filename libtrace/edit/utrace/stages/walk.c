/*
 * Feeding of lanes for an edit.
 */
#include "edit/utrace/stages/walk.h"

#include "fact/format.h"
#include "fact/progress.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/lanes/lane.h"
#include "format/utrace/reading/reading_common.h"
#include "format/utrace/wire/packet_reader.h"
#include "io/scratch/readahead.h"

#include <stdlib.h>

enum { TK_EDIT_STRETCHES = 3 };

struct tk_edit_stretch {
    struct tk_ut_packet_run run;
    size_t first, n; /* places in the index */
};

struct tk_edit_packets_ahead {
    struct tk_ut_capture *c; /* borrowed */
    struct tk_edit_stretch v[TK_EDIT_STRETCHES];
    size_t next, taken; /* packets that were requested, stretches that were given back */
    int rc;             /* why nothing more comes: not TK_OK where it could not be read, */
    struct tk_err err;  /* and what is to be said of it */
    struct tk_readahead readahead;
};

/* Zero-initialise. */
struct tk_edit_quiet_types {
    uint32_t *passes; /* by uid (tk_ut_decoder.passes); owned; NULL before protocol 5 */
    bool *goes;       /* by uid: events that are left out; owned */
};

/*
 * The packets of a .utrace in stretches, in the order of the file: read and unpacked before the walk comes to
 * them, where there is a thread for that. Between the walk and format/utrace/wire.
 */

static bool read_stretch(void *ctx, size_t number, unsigned worker)
{
    struct tk_edit_packets_ahead *a = ctx;
    struct tk_edit_stretch *s = &a->v[number % TK_EDIT_STRETCHES];
    (void)worker;
    if (a->next >= a->c->index.n || a->rc != TK_OK)
        return false;
    s->first = a->next;
    a->rc = tk_ut_packet_run_read(&s->run, a->c->ctx, &a->c->index, s->first, NULL, &s->n, &a->err);
    a->next += s->n;
    return a->rc == TK_OK && s->n;
}

/* passed: as in tk_ut_packet_run; borrowed. It must not move until it is closed. */
static void tk_edit_packets_open(struct tk_edit_packets_ahead *a, struct tk_ut_capture *c, const bool *passed)
{
    *a = (struct tk_edit_packets_ahead){.c = c};
    for (size_t i = 0; i < TK_EDIT_STRETCHES; i++) {
        a->v[i].run.passed = passed;
        a->v[i].run.apart = tk_pool_jobs(c->ctx->pool) > 1;
    }
    tk_readahead_open(&a->readahead, c->ctx->pool, read_stretch, a, TK_EDIT_STRETCHES);
}

/* The next stretch, good until it is given back; NULL: there is none. */
static struct tk_edit_stretch *tk_edit_packets_take(struct tk_edit_packets_ahead *a)
{
    return tk_readahead_take(&a->readahead) ? &a->v[a->taken % TK_EDIT_STRETCHES] : NULL;
}

static void tk_edit_packets_give_back(struct tk_edit_packets_ahead *a)
{
    a->taken++;
    tk_readahead_give_back(&a->readahead);
}

static void tk_edit_packets_close(struct tk_edit_packets_ahead *a)
{
    tk_readahead_close(&a->readahead);
    for (size_t i = 0; i < TK_EDIT_STRETCHES; i++)
        tk_ut_packet_run_release(&a->v[i].run);
}

/*
 * Types of which a walk does not need the events one by one: they are passed over, or handed on together.
 */

static void put(struct tk_edit_quiet_types *q, const struct tk_ut_type *type,
                const struct tk_edit_walker *walker)
{
    const bool wanted = !walker->want || type->id >= walker->n_want || walker->want[type->id];
    bool briefly;
    const enum tk_edit_verdict verdict = tk_edit_judge(walker->first, type, &briefly);
    const uint32_t pass = !wanted || verdict != TK_EDIT_INSPECTS ? tk_ut_pass_of(type) : 0;
    q->passes[type->uid] = pass | (pass && wanted && briefly ? TK_UT_PASS_WANTS : 0u);
    q->goes[type->uid] = verdict == TK_EDIT_GOES;
}

/* Events that the walker does not want, and those that no stage has to see one by one, are handed on together
 * where the last stage takes them so; else the former are passed over. TK_OK or TK_ENOMEM. */
static int tk_edit_quiet_types_init(struct tk_edit_quiet_types *q, const struct tk_ut_capture *c,
                                    const struct tk_edit_walker *walker)
{
    const struct tk_ut_schema *schema = &c->schema;
    if (c->header.protocol < 5)
        return TK_OK;
    q->passes = calloc(TK_UT_PASSES, sizeof *q->passes);
    q->goes = calloc(TK_UT_PASSES, sizeof *q->goes);
    for (size_t i = 0; q->passes && q->goes && i < schema->types.n; i++) {
        const struct tk_ut_type *type = schema->types.v[i];
        if (type->uid < TK_UT_PASSES && schema->by_uid[type->uid] == type)
            put(q, type, walker);
    }
    return q->passes && q->goes ? TK_OK : TK_ENOMEM;
}

static void tk_edit_quiet_types_release(struct tk_edit_quiet_types *q)
{
    free(q->passes);
    free(q->goes);
    *q = (struct tk_edit_quiet_types){0};
}

struct walk_lane {
    struct tk_ut_lane lane;
    struct tk_ut_previous previous;
};

struct walk {
    struct tk_ut_capture *c;
    size_t late_packets; /* what may be missing in packets from this one on is nobody's fault */
    const struct tk_edit_walker *walker;
    struct tk_health *health;
    struct tk_ut_handler handler;
    struct tk_ut_decoder decoder;
    struct tk_ut_serials serials;
    struct tk_ut_important important;
    struct tk_edit_quiet_types quiet;
    struct walk_lane **lanes; /* by tid; owned */
    struct tk_arena scratch;
    struct tk_err *err;
};

static int take_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct walk *w = self;
    struct tk_edit_item item = {.lane = lane, .ev = ev};
    if (ev->has_serial) {
        item.number = tk_ut_serials_unwrap(&w->serials, ev->serial);
        ev->seq = item.number;
    }
    return tk_edit_take(w->walker->first, &item);
}

static int take_scope(void *self, struct tk_ut_lane *lane, const struct tk_ut_scope *scope)
{
    struct walk *w = self;
    const struct tk_edit_item item = {.lane = lane, .scope = scope};
    return tk_edit_take(w->walker->first, &item);
}

static int take_passed(void *self, struct tk_ut_lane *lane, const struct tk_ut_passed *events, size_t n)
{
    struct walk *w = self;
    const struct tk_edit_quiet quiet = {
        .lane = lane, .events = events, .n = n, .types = w->c->schema.by_uid, .goes = w->quiet.goes};
    struct tk_edit_stage *last = w->walker->first->last;
    return last->ops->quiet(last, &quiet);
}

static void take_back(struct tk_edit_stage *first, const struct tk_edit_stage *wants,
                      const struct tk_ut_type *type)
{
    for (struct tk_edit_stage *s = first; s != wants; s = s->next)
        if (s->ops->unlook)
            s->ops->unlook(s, type);
}

static uint8_t may_pass(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type,
                        const struct tk_ut_passed *event)
{
    struct tk_edit_stage *first = ((struct walk *)self)->walker->first;
    enum tk_edit_verdict verdict = TK_EDIT_STAYS_AS_IS;
    for (struct tk_edit_stage *s = first; s && verdict == TK_EDIT_STAYS_AS_IS; s = s->next) {
        if (s->ops->look)
            verdict = s->ops->look(s, lane, type, event);
        if (verdict == TK_EDIT_INSPECTS)
            take_back(first, s, type);
    }
    return (uint8_t)verdict;
}

static int take_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time)
{
    (void)self;
    (void)lane;
    (void)type;
    (void)time;
    return TK_OK;
}

static int take_leave(void *self, struct tk_ut_lane *lane, int64_t time)
{
    (void)self;
    (void)lane;
    (void)time;
    return TK_OK;
}

/* A gap that an earlier edit wrote is an event like others. */
static int take_cut(void *self, struct tk_ut_lane *lane)
{
    struct walk *w = self;
    return lane->at_gap ? TK_OK : tk_edit_gap(w->walker->first, lane);
}

/* How many faults were found so far. */
static uint64_t faults(const struct walk *w)
{
    uint64_t n = 0;
    for (size_t i = 0; i < TK_HEALTH_COUNT; i++)
        n += w->health->counts[i];
    return n;
}

static struct walk_lane *lane_of(struct walk *w, uint16_t tid)
{
    struct walk_lane *lane = w->lanes[tid];
    if (!lane && (lane = calloc(1, sizeof *lane)) != NULL) {
        lane->lane.tid = tid;
        w->lanes[tid] = lane;
    }
    return lane;
}

static int break_important(struct walk *w)
{
    int rc = w->important.lane.n_carry ? tk_edit_gap(w->walker->first, &w->important.lane) : TK_OK;
    return rc == TK_OK ? tk_ut_important_break(&w->decoder, &w->important) : rc;
}

/* What was lost may have been of any lane. */
static int break_all(struct walk *w, uint64_t offset)
{
    int rc = break_important(w);
    for (uint32_t tid = 0; rc == TK_OK && tk_ut_index_lane(&w->c->index, &tid); tid++)
        if (w->lanes[tid])
            rc = tk_ut_lane_break(&w->decoder, &w->lanes[tid]->lane, offset, NULL);
    return rc;
}

static bool is_open(const struct tk_ut_lane *lane)
{
    return lane->n_carry || lane->group.open.n;
}

static int feed_important(struct walk *w, struct tk_edit_packet *packet)
{
    const struct tk_ut_read_packet *p = packet->read;
    const struct tk_ut_payload payload = {p->p, p->n, p->head.offset, false, false, 0};
    int rc = p->n ? tk_ut_important_feed(&w->decoder, &w->important, &payload) : TK_OK;
    packet->open = is_open(&w->important.lane);
    packet->fed = true;
    return rc;
}

static int feed_lane(struct walk *w, struct tk_edit_packet *packet)
{
    const struct tk_ut_read_packet *p = packet->read;
    const struct tk_ut_payload payload = {
        p->p, p->n, p->head.offset, p->head.partial, p->head.whole_records, tk_ut_packet_stored(p)};
    struct walk_lane *lane = lane_of(w, p->head.tid);
    if (!lane)
        return TK_ENOMEM;
    if (tk_ut_repeated(w->c->ctx, &lane->previous, p, packet->raw)) {
        tk_health_note(w->health, TK_HEALTH_PACKET_DUPLICATE, p->head.offset, 1,
                       "a packet occurs twice; the copy was dropped");
        packet->copy = true;
        return TK_OK;
    }
    uint64_t synced = lane->lane.synced, broken = lane->lane.dropped + lane->lane.strays,
             orphans = lane->lane.orphans;
    int rc = tk_ut_lane_feed(&w->decoder, &lane->lane, &payload);
    lane->previous = tk_ut_remember(p, packet->raw, lane->lane.synced != synced);
    packet->open = is_open(&lane->lane);
    packet->stamp = lane->lane.stamp;
    packet->fed = true;
    /* a recording may begin inside of a value; behind a break that is a part of what is lost */
    packet->sound &= broken == lane->lane.dropped + lane->lane.strays;
    packet->sound &= orphans == lane->lane.orphans || !lane->lane.hurt;
    return rc;
}

static int break_one(struct walk *w, const struct tk_ut_read_packet *p)
{
    struct walk_lane *lane = lane_of(w, p->head.tid);
    if (!lane)
        return TK_ENOMEM;
    tk_health_note(w->health, TK_HEALTH_PACKET_DAMAGED, p->head.offset, 1,
                   "a packet of thread %u cannot be decompressed", p->head.tid);
    return tk_ut_lane_break(&w->decoder, &lane->lane, p->head.offset, NULL);
}

static int feed(struct walk *w, struct tk_edit_packet *packet)
{
    const struct tk_ut_read_packet *p = packet->read;
    const bool framed = w->c->header.protocol >= 5;
    const uint64_t before = faults(w);
    int rc = p->head.after_loss ? break_all(w, p->head.offset) : TK_OK;
    if (rc == TK_OK)
        rc = w->walker->begin(w->walker->self, packet);
    packet->sound = p->state == TK_UT_NOT_WANTED || (p->state == TK_UT_UNPACKED && !p->head.cut);
    if (rc != TK_OK || p->state == TK_UT_NOT_WANTED || p->head.tid == TK_UT_TID_SYNC ||
        (framed && p->head.tid == TK_UT_TID_DECLARATIONS))
        return rc;
    if (p->state != TK_UT_UNPACKED)
        rc = framed && p->head.tid == TK_UT_TID_IMPORTANT ? break_important(w) : break_one(w, p);
    else
        rc = framed && p->head.tid == TK_UT_TID_IMPORTANT ? feed_important(w, packet) : feed_lane(w, packet);
    packet->sound &= before == faults(w);
    return rc;
}

/* As readings in the order of the file do. */
static void watch_serials(struct walk *w, size_t packet)
{
    const struct tk_ut_index *ix = &w->c->index;
    if (w->serials.waits && tk_ut_index_offset(ix, packet) > ix->settled)
        tk_ut_serials_settle(&w->serials);
    if (packet == w->late_packets)
        tk_ut_serials_stop(&w->serials);
}

static int walk_stretch(struct walk *w, struct tk_ut_packet_run *stretch, size_t first, size_t n)
{
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        struct tk_edit_packet packet = {.index = first + i, .read = &stretch->packets.v[i]};
        packet.raw = stretch->raw + (packet.read->head.offset - stretch->begin);
        watch_serials(w, packet.index);
        rc = feed(w, &packet);
        if (rc == TK_OK)
            rc = w->walker->packet(w->walker->self, &packet);
        tk_arena_clear(&w->scratch);
    }
    return rc == TK_OK && w->walker->rest ? w->walker->rest(w->walker->self) : rc;
}

static int finish(struct walk *w)
{
    struct tk_ut_index *ix = &w->c->index;
    tk_ut_serials_finish(&w->serials);
    if (w->serials.lost)
        tk_health_note(w->health, TK_HEALTH_EVENTS_LOST, TK_NO_OFFSET, w->serials.lost,
                       "events are missing: their serial numbers were skipped");
    int rc = tk_ut_important_finish(&w->decoder, &w->important, ix->truncated);
    if (rc == TK_OK)
        rc = tk_edit_end(w->walker->first, &w->important.lane);
    for (uint32_t tid = 0; rc == TK_OK && tk_ut_index_lane(ix, &tid); tid++) {
        if (!w->lanes[tid])
            continue;
        rc = tk_ut_lane_finish(&w->decoder, &w->lanes[tid]->lane, ix->truncated);
        if (rc == TK_OK)
            rc = tk_edit_end(w->walker->first, &w->lanes[tid]->lane);
    }
    return rc == TK_OK && w->walker->rest ? w->walker->rest(w->walker->self) : rc;
}

static int walk_packets(struct walk *w)
{
    struct tk_edit_packets_ahead a;
    struct tk_edit_stretch *s;
    int rc = TK_OK;
    tk_edit_packets_open(&a, w->c, w->walker->passed);
    while (rc == TK_OK && (s = tk_edit_packets_take(&a)) != NULL) {
        const uint64_t end = tk_ut_index_offset(&w->c->index, s->first + s->n);
        rc = walk_stretch(w, &s->run, s->first, s->n);
        tk_edit_packets_give_back(&a);
        if (rc == TK_OK)
            rc = tk_progress(w->c->ctx, end, tk_file_size(w->c->ctx->file), w->err);
    }
    if (rc == TK_OK && a.rc != TK_OK) {
        rc = a.rc;
        if (w->err)
            *w->err = a.err;
    }
    tk_edit_packets_close(&a);
    return rc == TK_OK ? finish(w) : rc;
}

static int open_walk(struct walk *w)
{
    struct tk_ut_capture *c = w->c;
    if (tk_edit_quiet_types_init(&w->quiet, c, w->walker) != TK_OK)
        return TK_ENOMEM;
    w->handler = (struct tk_ut_handler){.event = take_event,
                                        .enter = take_enter,
                                        .leave = take_leave,
                                        .cut = take_cut,
                                        .self = w,
                                        .scope = take_scope};
    w->decoder = (struct tk_ut_decoder){.schema = &c->schema,
                                        .limits = &c->ctx->limits,
                                        .health = w->health,
                                        .handler = &w->handler,
                                        .start_cycle = c->clock.start,
                                        .protocol = c->header.protocol,
                                        .settled = c->index.settled,
                                        .serials = &w->serials,
                                        .uid_bias = 5,
                                        .want = w->walker->want,
                                        .n_want = w->walker->n_want,
                                        .passes = w->quiet.passes,
                                        .passed = w->walker->first->last->ops->quiet ? take_passed : NULL,
                                        .may_pass = may_pass,
                                        .scratch = &w->scratch};
    w->important.lane.tid = TK_UT_TID_IMPORTANT;
    w->late_packets = tk_ut_reading_last_rounds(&c->index);
    w->lanes = calloc(TK_UT_TIDS, sizeof *w->lanes);
    if (!w->lanes || tk_ut_serials_open(&w->serials, c->header.protocol == 1 ? 16 : 24) != TK_OK)
        return TK_ENOMEM;
    if (c->index.settled)
        tk_ut_serials_wait(&w->serials);
    return TK_OK;
}

static void close_walk(struct walk *w)
{
    for (uint32_t tid = 0; w->lanes && tk_ut_index_lane(&w->c->index, &tid); tid++) {
        if (w->lanes[tid])
            tk_ut_lane_release(&w->lanes[tid]->lane);
        free(w->lanes[tid]);
    }
    free(w->lanes);
    tk_edit_quiet_types_release(&w->quiet);
    tk_ut_lane_release(&w->important.lane);
    tk_ut_serials_release(&w->serials);
    tk_arena_release(&w->scratch);
}

int tk_edit_walk(struct tk_ut_capture *c, const struct tk_edit_walker *walker, struct tk_health *health,
                 struct tk_err *err)
{
    struct walk w = {.c = c, .walker = walker, .health = health, .err = err};
    int rc = open_walk(&w);
    if (rc == TK_OK)
        rc = walk_packets(&w);
    close_walk(&w);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "an edit") : rc;
}
