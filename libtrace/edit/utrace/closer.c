/*
 * Ends of scopes that have none. See closer.h.
 */
#include "edit/utrace/closer.h"

#include "edit/utrace/stages/batch.h"
#include "edit/utrace/stages/held_event.h"
#include "format/utrace/write/bytes.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST 1024       /* of what comes back with a coroutine; as the limit open_scopes has it */
#define MOST    (1u << 20) /* scopes of a thread that get an end */

/* What a type is to this stage. */
struct tk_edit_close_type {
    const struct tk_ut_field *data; /* of a batch */
    unsigned form;
    bool ends_thread;
    bool pattern; /* a batch that another one can be made of */
};

struct tk_edit_close_lane {
    uint64_t open;              /* scopes of batches */
    TK_VEC(bool) marks;         /* scope records: timed? */
    int64_t latest;             /* time of the last of both */
    struct tk_edit_held *batch; /* the last one, without its entries; owned */
    const struct tk_edit_close_type *type;
};

static struct tk_edit_close_lane *lane_of(struct tk_edit_closer *s, uint32_t tid)
{
    struct tk_edit_close_lane *lane = s->lanes[tid];
    if (!lane && (lane = calloc(1, sizeof *lane)) != NULL)
        s->lanes[tid] = lane;
    return lane;
}

/* ---- what is open ---- */

static void count_entries(struct tk_edit_closer *s, struct tk_edit_close_lane *l, unsigned form,
                          struct tk_bytes bytes)
{
    struct tk_cur c = tk_cur_of(bytes.p, bytes.n);
    struct tk_edit_entry e;
    uint64_t time = 0;
    for (bool first = true; tk_edit_batch_next(&c, form, &e); first = false) {
        const uint64_t n = 1 + (e.coroutine ? (e.depth < DEEPEST ? e.depth : DEEPEST) : 0);
        time = !first ? time + e.cycles : e.cycles < s->start ? e.cycles : e.cycles - s->start;
        l->open = e.begins ? l->open + n : l->open > n ? l->open - n : 0;
    }
    if ((int64_t)time > l->latest)
        l->latest = (int64_t)time;
}

static int see_batch(struct tk_edit_closer *s, struct tk_edit_close_lane *l,
                     const struct tk_edit_close_type *type, const struct tk_ut_event *ev)
{
    struct tk_ut_event bare = *ev;
    count_entries(s, l, type->form, tk_ut_event_bytes(ev, type->data));
    if (!type->pattern || (l->batch && l->batch->ev.type == ev->type))
        return TK_OK;
    bare.n_blobs = 0;
    free(l->batch);
    l->type = type;
    return (l->batch = tk_edit_hold(&bare, 0)) ? TK_OK : TK_ENOMEM;
}

static int see_scope(struct tk_edit_close_lane *l, const struct tk_ut_scope *scope)
{
    if (scope->timed && scope->time > l->latest)
        l->latest = scope->time;
    if (scope->begins)
        return tk_vec_push(&l->marks, scope->timed) ? TK_ENOMEM : TK_OK;
    l->marks.n -= l->marks.n > 0;
    return TK_OK;
}

/* ---- their ends ---- */

static int put_ends(struct tk_edit_closer *s, struct tk_edit_close_lane *l, struct tk_ut_lane *lane,
                    int64_t time)
{
    const struct tk_edit_close_type *type = l->type;
    struct tk_uw_bytes ends = {0};
    int rc = TK_OK;
    const uint64_t n = l->open < MOST ? l->open : MOST;
    l->open = 0;
    if (!n || !l->batch)
        return TK_OK;
    for (uint64_t i = 0; i < n; i++)
        tk_uw_varint(&ends, i ? 0 : ((uint64_t)time + s->start) << (type->form > 1 ? 2 : 1));
    if (ends.failed) {
        rc = TK_ENOMEM;
    } else {
        const struct tk_ut_blob blob = {ends.data, (uint32_t)ends.size,
                                        tk_ut_field_index(l->batch->ev.type, type->data)};
        struct tk_ut_event ev = l->batch->ev;
        ev.blobs = &blob;
        ev.n_blobs = 1;
        const struct tk_edit_item item = {.lane = lane, .ev = &ev, .changed = true};
        rc = tk_edit_take(s->stage.next, &item);
    }
    tk_uw_bytes_release(&ends);
    return rc;
}

/* All ends have one time, so that it is all the same which of both kinds comes first. */
static int close_all(struct tk_edit_closer *s, struct tk_edit_close_lane *l, struct tk_ut_lane *lane,
                     int64_t time)
{
    int rc = put_ends(s, l, lane, time);
    while (l->marks.n && rc == TK_OK) {
        const bool timed = l->marks.v[--l->marks.n];
        const struct tk_ut_scope scope = {false, timed, time};
        const struct tk_edit_item item = {.lane = lane, .scope = &scope, .changed = true};
        rc = tk_edit_take(s->stage.next, &item);
    }
    return rc;
}

/* ---- the stage ---- */

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_closer *s = (struct tk_edit_closer *)stage;
    struct tk_edit_close_lane *l = lane_of(s, item->lane->tid);
    int rc = TK_OK;
    if (!l)
        return TK_ENOMEM;
    if (item->scope) {
        rc = see_scope(l, item->scope);
    } else if (item->ev->type->id < s->n) {
        const struct tk_edit_close_type *type = &s->types[item->ev->type->id];
        if (type->data)
            rc = see_batch(s, l, type, item->ev);
        else if (type->ends_thread)
            rc = close_all(s, l, item->lane, l->latest);
    }
    return rc == TK_OK ? tk_edit_take(stage->next, item) : rc;
}

static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_closer *s = (struct tk_edit_closer *)stage;
    struct tk_edit_close_lane *l = s->lanes[lane->tid];
    const int rc = l ? close_all(s, l, lane, l->latest) : TK_OK;
    return rc == TK_OK ? tk_edit_gap(stage->next, lane) : rc;
}

static int end(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_closer *s = (struct tk_edit_closer *)stage;
    struct tk_edit_close_lane *l = s->lanes[lane->tid];
    const int rc = l ? close_all(s, l, lane, l->latest > s->last ? l->latest : s->last) : TK_OK;
    return rc == TK_OK ? tk_edit_end(stage->next, lane) : rc;
}

static const struct tk_edit_stage_ops ops = {.take = take, .gap = gap, .end = end};

int tk_edit_closer_init(struct tk_edit_closer *s, const struct tk_ut_capture *c, int64_t last,
                        struct tk_edit_stage *next)
{
    *s = (struct tk_edit_closer){.n = c->schema.types.n, .last = last, .start = c->clock.start};
    tk_edit_stage_init(&s->stage, &ops, next);
    s->types = calloc(s->n + 1, sizeof *s->types);
    s->lanes = calloc(TK_UT_TIDS, sizeof *s->lanes);
    if (!s->types || !s->lanes)
        return TK_ENOMEM;
    for (size_t i = 0; i < s->n; i++) {
        const struct tk_ut_type *t = c->schema.types.v[i];
        struct tk_edit_close_type *type = &s->types[i];
        type->form = tk_edit_batch_form(t);
        type->data = type->form ? tk_ut_type_field(t, "Data") : NULL;
        type->pattern = strcmp(tk_ut_type_event(t), "EndCapture") != 0;
        type->ends_thread = strcmp(t->name->p, "CpuProfiler.EndThread") == 0;
    }
    return TK_OK;
}

void tk_edit_closer_release(struct tk_edit_closer *s)
{
    for (size_t i = 0; s->lanes && i < TK_UT_TIDS; i++) {
        if (!s->lanes[i])
            continue;
        tk_vec_release(&s->lanes[i]->marks);
        free(s->lanes[i]->batch);
        free(s->lanes[i]);
    }
    free(s->lanes);
    free(s->types);
    *s = (struct tk_edit_closer){0};
}
