/*
 * Events whose array data is not complete, and those that begin inside them (wire 3.5).
 */
#include "format/utrace/lanes/lanes_in.h"

#include <string.h>

#define BLOB_HEAD 4          /* bytes before the data of a blob */
#define NOT_KEPT  UINT32_MAX /* an open event that nobody wants: its blobs are dropped */

static const uint8_t *copy(struct tk_arena *a, const uint8_t *p, size_t n)
{
    return n ? tk_arena_copy(a, p, n) : (const uint8_t *)"";
}

static int add_piece(struct tk_ut_group *g, struct tk_ut_waiting *w, const struct tk_ut_blob *blob)
{
    struct tk_ut_piece *piece = tk_arena_alloc(&g->arena, sizeof *piece);
    if (!piece || !(piece->blob.p = copy(&g->arena, blob->p, blob->n)))
        return TK_ENOMEM;
    piece->blob.n = blob->n;
    piece->blob.field = blob->field;
    piece->next = NULL;
    if (w->last)
        w->last->next = piece;
    else
        w->first = piece;
    w->last = piece;
    w->ev.n_blobs++;
    return TK_OK;
}

/* Copies an event into the group. */
static int keep_lane_group(struct tk_ut_lane *lane, const struct tk_ut_event *ev)
{
    struct tk_ut_group *g = &lane->group;
    struct tk_ut_waiting w = {.ev = *ev};
    w.ev.n_blobs = 0;
    w.ev.blobs = NULL;
    w.ev.fixed = copy(&g->arena, ev->fixed, ev->n_fixed);
    w.ev.attachment = copy(&g->arena, ev->attachment, ev->n_attachment);
    if (!w.ev.fixed || !w.ev.attachment || tk_vec_push(&g->events, w))
        return TK_ENOMEM;
    for (size_t i = 0; i < ev->n_blobs; i++)
        if (add_piece(g, &g->events.v[g->events.n - 1], &ev->blobs[i]) != TK_OK)
            return TK_ENOMEM;
    return TK_OK;
}

/* Hands a waiting event on, its pieces in one array. */
static int hand_on(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_waiting *w)
{
    struct tk_ut_blob *blobs;
    size_t n = 0;
    if (w->is_scope)
        return d->handler->scope(d->handler->self, lane, &w->scope);
    if (w->ends)
        return d->handler->scope_end(d->handler->self, lane, w->ends);
    if (!w->ev.type)
        return d->handler->skip_serial(d->handler->self, lane, w->ev.serial);
    if (!(blobs = tk_arena_alloc(&lane->group.arena, w->ev.n_blobs * sizeof *blobs)))
        return TK_ENOMEM;
    for (const struct tk_ut_piece *p = w->first; p; p = p->next)
        blobs[n++] = p->blob;
    w->ev.blobs = blobs;
    w->ev.scratch = d->scratch;
    return d->handler->event(d->handler->self, lane, &w->ev);
}

/* What it is that an open event does not end: the stream ends in it, or goes on without it, which is damage.
 */
static enum tk_health_kind end_kind(const struct tk_ut_lane *lane, const struct tk_ut_open_event *open)
{
    return open->packet == lane->packet && !lane->broken ? TK_HEALTH_FILE_TRUNCATED
                                                         : TK_HEALTH_EVENT_INCOMPLETE;
}

/* An open event is given out as it is; because of a limit, and then its end may still come, or because no
 * more comes (TK_LIMIT_COUNT). */
static void give_up(struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                    const struct tk_ut_open_event *open, enum tk_limit limit)
{
    struct tk_ut_event *ev = &lane->group.events.v[open->index].ev;
    bool ends = limit == TK_LIMIT_COUNT && end_kind(lane, open) == TK_HEALTH_FILE_TRUNCATED;
    ev->incomplete = true;
    lane->group.events.v[open->index].torn = !ends && !lane->broken && !tk_ut_is_extra(d, open->type);
    if (limit == TK_LIMIT_COUNT)
        tk_health_note(tk_ut_health_of(d, open->type), end_kind(lane, open), ev->offset, 1,
                       "the array data of an event '%s' of thread %u does not end", ev->type->name->p,
                       lane->tid);
    else
        tk_health_note_limit(tk_ut_health_of(d, open->type), TK_HEALTH_EVENT_EARLY, limit, ev->offset, 1,
                             "an event '%s' of thread %u was delivered before the end of its array data",
                             ev->type->name->p, lane->tid);
}

/* Of events that never end the last ones are remembered, never more than a group has. */
static int remember_closed(struct tk_ut_group *g, enum tk_limit limit)
{
    if (limit == TK_LIMIT_COUNT || !g->open.n)
        return TK_OK;
    if (tk_vec_reserve(&g->closed, g->open.n))
        return TK_ENOMEM;
    memcpy(g->closed.v, g->open.v, g->open.n * sizeof *g->open.v);
    g->closed.n = g->open.n;
    if (g->open.v[0].index != NOT_KEPT)
        g->closed_offset = g->events.v[g->open.v[0].index].ev.offset;
    g->limit = limit;
    return TK_OK;
}

static int flush(struct tk_ut_decoder *d, struct tk_ut_lane *lane, enum tk_limit limit)
{
    struct tk_ut_group *g = &lane->group;
    int rc = TK_OK;
    for (size_t i = 0; i < g->open.n; i++)
        if (g->open.v[i].index != NOT_KEPT)
            give_up(d, lane, &g->open.v[i], limit);
    for (size_t i = 0; i < g->events.n && rc == TK_OK; i++) {
        rc = hand_on(d, lane, &g->events.v[i]);
        if (rc == TK_OK && g->events.v[i].torn)
            rc = d->handler->cut(d->handler->self, lane);
    }
    if (rc == TK_OK)
        rc = remember_closed(g, limit);
    g->events.n = g->open.n = 0;
    g->records = 0;
    if (g->arena.total)
        tk_arena_clear(&g->arena);
    return rc;
}

int tk_ut_flush_group(struct tk_ut_decoder *d, struct tk_ut_lane *lane)
{
    return flush(d, lane, TK_LIMIT_COUNT);
}

/* Those that a limit closed, and whose end never came. */
static void note_closed(struct tk_ut_decoder *d, const struct tk_ut_lane *lane)
{
    for (size_t i = 0; i < lane->group.closed.n; i++)
        if (lane->group.closed.v[i].index != NOT_KEPT)
            tk_health_note(tk_ut_health_of(d, lane->group.closed.v[i].type),
                           end_kind(lane, &lane->group.closed.v[i]), lane->group.closed_offset, 1,
                           "the array data of an event of thread %u does not end", lane->tid);
}

int tk_ut_end_group(struct tk_ut_decoder *d, struct tk_ut_lane *lane)
{
    note_closed(d, lane);
    lane->group.closed.n = 0;
    return tk_ut_flush_group(d, lane);
}

/* A terminal that never comes must not hold everything up for ever. */
static int bound_group(struct tk_ut_decoder *d, struct tk_ut_lane *lane)
{
    struct tk_ut_group *g = &lane->group;
    if (++g->records > d->limits->group_events)
        return flush(d, lane, TK_LIMIT_group_events);
    return g->arena.total > d->limits->group_bytes ? flush(d, lane, TK_LIMIT_group_bytes) : TK_OK;
}

int tk_ut_deliver(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    ev->scratch = d->scratch;
    if (!lane->group.open.n)
        return d->handler->event(d->handler->self, lane, ev);
    int rc = keep_lane_group(lane, ev);
    return rc == TK_OK ? bound_group(d, lane) : rc;
}

int tk_ut_keep_serial(struct tk_ut_decoder *d, struct tk_ut_lane *lane, uint32_t serial)
{
    struct tk_ut_event ev = {.serial = serial, .has_serial = true, .offset = lane->packet};
    int rc = keep_lane_group(lane, &ev);
    return rc == TK_OK ? bound_group(d, lane) : rc;
}

int tk_ut_keep_scope_end(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_type *type)
{
    struct tk_ut_waiting w = {.ev.offset = lane->packet, .ends = type};
    return tk_vec_push(&lane->group.events, w) ? TK_ENOMEM : bound_group(d, lane);
}

int tk_ut_keep_scope(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_scope *scope)
{
    struct tk_ut_waiting w = {.ev.offset = lane->packet, .scope = *scope, .is_scope = true};
    return tk_vec_push(&lane->group.events, w) ? TK_ENOMEM : bound_group(d, lane);
}

int tk_ut_open_event(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev, bool wanted)
{
    struct tk_ut_group *g = &lane->group;
    struct tk_ut_open_event open = {NOT_KEPT, ev->type->id, lane->packet};
    if (wanted) {
        open.index = (uint32_t)g->events.n;
        if (keep_lane_group(lane, ev) != TK_OK)
            return TK_ENOMEM;
    }
    if (tk_vec_push(&g->open, open))
        return TK_ENOMEM;
    return bound_group(d, lane);
}

bool tk_ut_blob_fits(struct tk_ut_decoder *d, const struct tk_ut_event *ev, uint32_t field)
{
    if (tk_ut_type_takes(ev->type, field))
        return true;
    tk_health_note(tk_ut_health_of(d, ev->type->id), TK_HEALTH_BLOB_ORPHAN, ev->offset, 1,
                   "an event '%s' has array data for field %u, which takes none", ev->type->name->p, field);
    return false;
}

/* Array data without an event. Only where the stream begins, or goes on behind bytes that are known to be
 * lost, its event need not be there. */
static void note_orphan(struct tk_ut_lane *lane, size_t bytes)
{
    if (lane->events == lane->resumed) {
        lane->orphans++;
        return;
    }
    tk_ut_lane_drop(lane, bytes);
    if (!lane->strays++)
        lane->stray_offset = lane->packet;
}

/* Array data counts for the type of its event, in whatever packet it comes. */
static void count_bytes(struct tk_ut_decoder *d, const struct tk_ut_open_event *open, size_t n)
{
    if (d->counts && open->type < d->n_want)
        d->bytes[open->type] += n;
}

/* The event that a blob or a terminal is for, or NULL. */
static struct tk_ut_open_event *innermost(struct tk_ut_group *g)
{
    return g->open.n ? &g->open.v[g->open.n - 1] : g->closed.n ? &g->closed.v[g->closed.n - 1] : NULL;
}

const struct tk_ut_open_event *tk_ut_touch_open(struct tk_ut_lane *lane)
{
    struct tk_ut_open_event *open = innermost(&lane->group);
    if (open)
        open->packet = lane->packet;
    return open;
}

int tk_ut_add_blob(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_blob *blob)
{
    struct tk_ut_group *g = &lane->group;
    const struct tk_ut_open_event *open = tk_ut_touch_open(lane);
    if (!open) {
        note_orphan(lane, blob->n + BLOB_HEAD);
        return TK_OK;
    }
    count_bytes(d, open, blob->n + BLOB_HEAD);
    if (open->index == NOT_KEPT)
        return TK_OK;
    if (!g->open.n) {
        lane->left_out++;
        return TK_OK;
    }
    struct tk_ut_waiting *w = &g->events.v[open->index];
    if (tk_ut_blob_fits(d, &w->ev, blob->field) && add_piece(g, w, blob) != TK_OK)
        return TK_ENOMEM;
    return bound_group(d, lane);
}

int tk_ut_end_blobs(struct tk_ut_decoder *d, struct tk_ut_lane *lane)
{
    struct tk_ut_group *g = &lane->group;
    const struct tk_ut_open_event *open = tk_ut_touch_open(lane);
    if (!open) {
        note_orphan(lane, 1);
        return TK_OK;
    }
    count_bytes(d, open, 1);
    if (!g->open.n) {
        g->closed.n--;
        return TK_OK;
    }
    g->open.n--;
    return g->open.n ? bound_group(d, lane) : tk_ut_flush_group(d, lane);
}
