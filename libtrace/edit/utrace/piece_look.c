/*
 * Pieces, and a look at one.
 */
#include "edit/utrace/stages/walk.h"
#include "edit/utrace/utrace_in.h"

#include <stdlib.h>

int tk_merge_piece_init(struct tk_merge_piece *p, struct tk_ut_capture *c, size_t given)
{
    *p = (struct tk_merge_piece){.c = c,
                                 .n = c->schema.types.n,
                                 .given = given,
                                 .from = INT64_MIN,
                                 .to = INT64_MAX,
                                 .begin = INT64_MAX,
                                 .own_from = INT64_MIN,
                                 .own_to = INT64_MAX,
                                 .end_step = UINT64_MAX};
    p->rules = calloc(p->n + 1, sizeof *p->rules);
    for (size_t i = 0; p->rules && i < p->n; i++)
        p->rules[i] = tk_edit_cut_rule_of(c->schema.types.v[i]);
    for (size_t i = 0; i < c->edits.n; i++) {
        const int64_t from = (int64_t)(c->edits.v[i].from - c->clock.start),
                      to = (int64_t)(c->edits.v[i].to - c->clock.start);
        p->cut |= c->edits.v[i].from || c->edits.v[i].to != UINT64_MAX;
        if (c->edits.v[i].from && from > p->from)
            p->from = from;
        if (c->edits.v[i].to != UINT64_MAX && to < p->to)
            p->to = to;
    }
    p->repeated_later = calloc(TK_UT_TIDS, sizeof *p->repeated_later);
    p->last_steps = calloc(TK_UT_TIDS, sizeof *p->last_steps);
    return p->rules && p->repeated_later && p->last_steps ? TK_OK : TK_ENOMEM;
}

void tk_merge_piece_release(struct tk_merge_piece *p)
{
    for (size_t i = 0; p->overlaps && i < TK_UT_TIDS; i++) {
        if (p->overlaps[i])
            tk_merge_overlap_release(p->overlaps[i]);
        free(p->overlaps[i]);
    }
    for (size_t i = 0; p->last_steps && i < TK_UT_TIDS; i++) {
        if (p->last_steps[i])
            tk_vec_release(&p->last_steps[i]->scopes);
        free(p->last_steps[i]);
    }
    free(p->last_steps);
    free(p->overlaps);
    free(p->repeated_later);
    free(p->joined);
    free(p->joined_stamped);
    free(p->rules);
    tk_vec_release(&p->markers);
    tk_merge_counts_release(&p->placed);
    tk_merge_counts_release(&p->front);
    *p = (struct tk_merge_piece){0};
}

struct look {
    struct tk_edit_stage stage;
    struct tk_merge_piece *piece;
    int64_t *latest; /* by tid: time of the events so far; owned */
};

static struct tk_merge_overlap *overlap_of(struct tk_merge_piece *p, uint32_t tid)
{
    if (!p->overlaps[tid])
        p->overlaps[tid] = calloc(1, sizeof *p->overlaps[tid]);
    return p->overlaps[tid];
}

/* Has the record a number or a time, which no other one has? */
static int add_record(struct tk_merge_piece *p, const struct tk_edit_item *item, bool timed)
{
    const uint32_t tid = item->lane->tid;
    if (!p->overlaps || tid == TK_UT_TID_IMPORTANT || (item->ev && item->ev->incomplete))
        return TK_OK;
    struct tk_merge_overlap *overlap = overlap_of(p, tid);
    const bool sure = timed || (item->ev ? item->ev->has_serial : item->scope->timed);
    return !overlap || tk_merge_overlap_add(overlap, tk_merge_record_content(item), sure) ? TK_ENOMEM : TK_OK;
}

/* Where an event without a time stands, by the time before it. */
static int place(struct look *l, const struct tk_edit_item *item, bool timed, int64_t time)
{
    struct tk_merge_piece *p = l->piece;
    const uint32_t tid = item->lane->tid;
    if (!p->cut || tid == TK_UT_TID_IMPORTANT)
        return TK_OK;
    if (timed) {
        l->latest[tid] = time > l->latest[tid] ? time : l->latest[tid];
        return TK_OK;
    }
    if (!tk_merge_is_shared(&p->rules[item->ev->type->id]))
        return TK_OK;
    struct tk_merge_counts *counts = l->latest[tid] >= p->from ? &p->placed : &p->front;
    const uint64_t content = tk_hash_pair(tk_merge_event_content(item->ev), tid);
    return tk_merge_count(counts, content) < 0 ? TK_ENOMEM : TK_OK;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct look *l = (struct look *)stage;
    struct tk_merge_piece *p = l->piece;
    const bool known = item->ev && item->ev->type->id < p->n;
    int64_t time = 0;
    const bool timed =
        known && tk_ut_time_by_rule(&p->rules[item->ev->type->id].time, item->ev, p->c->clock.start, &time);
    const struct tk_merge_marker marker = {item->number, time};
    if (timed && item->lane->tid != TK_UT_TID_IMPORTANT && time < p->begin)
        p->begin = time;
    if (item->number && (!p->first || item->number < p->first))
        p->first = item->number;
    if (timed && item->number && p->rules[item->ev->type->id].kind == TK_CUT_MARKER &&
        tk_vec_push(&p->markers, marker))
        return TK_ENOMEM;
    const int rc = known ? place(l, item, timed, time) : TK_OK;
    return rc == TK_OK ? add_record(p, item, timed) : rc;
}

static int drop(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    (void)stage;
    (void)item;
    return TK_OK;
}

static const struct tk_edit_stage_ops ops = {.take = take, .drop = drop};

static int pass_packet(void *self, const struct tk_edit_packet *packet)
{
    (void)self;
    (void)packet;
    return TK_OK;
}

int tk_merge_piece_look(struct tk_merge_piece *p, bool overlaps, struct tk_err *err)
{
    struct tk_health health = {.max_items = p->c->ctx->limits.health_items};
    struct look look = {.piece = p};
    tk_edit_stage_init(&look.stage, &ops, NULL);
    p->overlaps = overlaps ? calloc(TK_UT_TIDS, sizeof *p->overlaps) : NULL;
    look.latest = malloc(TK_UT_TIDS * sizeof *look.latest);
    if (!look.latest || (overlaps && !p->overlaps)) {
        free(look.latest);
        return tk_err_nomem(err, "a merge");
    }
    for (size_t tid = 0; tid < TK_UT_TIDS; tid++)
        look.latest[tid] = INT64_MIN;
    const struct tk_edit_walker walker = {.first = &look.stage, .begin = pass_packet, .packet = pass_packet};
    int rc = tk_edit_walk(p->c, &walker, &health, err);
    for (size_t tid = 0; rc == TK_OK && overlaps && tid < TK_UT_TIDS; tid++)
        if (p->overlaps[tid] && tk_merge_overlap_close(p->overlaps[tid]))
            rc = tk_err_nomem(err, "a merge");
    free(look.latest);
    tk_health_merge(&p->c->ctx->health, &health);
    tk_health_release(&health);
    return rc;
}
