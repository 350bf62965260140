/*
 * Which piece gives a record.
 */
#include "edit/utrace/merge_utrace.h"
#include "edit/utrace/stages/stage.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>

/* A scope that is open on a lane. */
struct scope {
    bool given;
    struct tk_ut_scope begin;
    struct tk_edit_held *held; /* its event, where both wait for a step of memory inside; owned */
};

/* How far a lane has come, by its steps of memory. */
enum steps { BEFORE, AMONG, BEHIND };

struct tk_merge_lane {
    uint64_t records;         /* so far */
    int64_t latest;           /* time of its events so far */
    struct tk_ut_scope begin; /* a begin that waits for the event it belongs to, */
    bool waits;               /* where this says so */
    bool hole;                /* it is known that records are missing in front of it */
    enum steps steps;
    TK_VEC(struct scope) open; /* the innermost last */
};

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
    return p->rules && p->repeated_later ? TK_OK : TK_ENOMEM;
}

void tk_merge_piece_release(struct tk_merge_piece *p)
{
    for (size_t i = 0; p->overlaps && i < TK_UT_TIDS; i++) {
        if (p->overlaps[i])
            tk_merge_overlap_release(p->overlaps[i]);
        free(p->overlaps[i]);
    }
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

bool tk_merge_is_shared(const struct tk_edit_cut_rule *rule)
{
    switch (rule->kind) {
    case TK_CUT_KEPT:
    case TK_CUT_UNTIL:
    case TK_CUT_KEYED:
    case TK_CUT_FRAME:
    case TK_CUT_FRAME_END:
    case TK_CUT_END_THREAD:
        return true;
    case TK_CUT_CHUNK:
        return rule->chunk.says;
    default:
        return false;
    }
}

static struct tk_merge_lane *lane_of(struct tk_merge_owner *o, uint32_t tid)
{
    struct tk_merge_lane *lane = o->lanes[tid];
    if (lane || !(lane = calloc(1, sizeof *lane)))
        return lane;
    lane->steps = o->piece->first_step ? BEFORE : AMONG;
    return o->lanes[tid] = lane;
}

static void drop_open(struct tk_merge_lane *l)
{
    for (size_t i = 0; i < l->open.n; i++)
        free(l->open.v[i].held);
    l->open.n = 0;
}

static int hand_on(struct tk_merge_owner *o, const struct tk_edit_item *item, bool gives)
{
    return gives ? tk_edit_take(o->stage.next, item) : TK_OK;
}

/* ---- what repeats the end of an earlier recording ---- */

static bool repeats(struct tk_merge_owner *o, struct tk_merge_lane *l, const struct tk_edit_item *item)
{
    const struct tk_merge_overlap *overlap = o->piece->overlaps ? o->piece->overlaps[item->lane->tid] : NULL;
    const bool counts = !item->ev || !item->ev->incomplete;
    l->records += counts;
    return overlap && l->records + !counts <= tk_merge_overlap_repeated(overlap);
}

/* What a recording ends in has no end; the later one may have all of it. */
static void show_later(struct tk_merge_owner *o, const struct tk_edit_item *item)
{
    const uint32_t tid = item->lane->tid;
    uint64_t content = 0;
    if (!o->plans || (item->ev && item->ev->incomplete))
        return;
    for (size_t i = 0; i < o->n_later; i++) {
        struct tk_merge_overlap *overlap = o->later[i].overlaps ? o->later[i].overlaps[tid] : NULL;
        if (!overlap)
            continue;
        content = content ? content : tk_merge_record_content(item);
        tk_merge_overlap_earlier(overlap, content);
    }
}

/* Between the recordings the thread may have written more than the later one repeats. */
static int note_hole(struct tk_merge_owner *o, struct tk_merge_lane *l, struct tk_ut_lane *lane)
{
    const struct tk_merge_overlap *overlap = o->piece->overlaps ? o->piece->overlaps[lane->tid] : NULL;
    if (l->hole || !overlap || l->records != 1 || !overlap->earlier || tk_merge_overlap_repeated(overlap))
        return TK_OK;
    l->hole = true;
    o->piece->holes++;
    return tk_edit_gap(o->stage.next, lane);
}

/* ---- what another piece gives ---- */

/* Has a later piece the event, of which there were `before` so far, behind a time that is its own? */
static bool is_placed_later(const struct tk_merge_owner *o, uint64_t content, uint64_t before)
{
    for (size_t i = 0; i < o->n_later; i++)
        if (tk_merge_counted(&o->later[i].placed, content) &&
            before >= tk_merge_counted(&o->later[i].front, content))
            return true;
    return false;
}

/* One more than the pieces have given so far? -1: out of memory. */
static int is_news(struct tk_merge_owner *o, uint32_t tid, const struct tk_ut_event *ev, bool gives)
{
    const uint64_t content = tk_hash_pair(tk_merge_event_content(ev), tid);
    const int64_t before = tk_merge_count(&o->seen, content);
    if (before < 0)
        return -1;
    if (!gives || (uint64_t)before < tk_merge_counted(&o->given->counts, content) ||
        is_placed_later(o, content, (uint64_t)before))
        return 0;
    return tk_merge_count(&o->given->counts, content) < 0 ? -1 : 1;
}

static bool is_own(const struct tk_merge_piece *p, int64_t time)
{
    return time >= p->own_from && time < p->own_to;
}

/* Things that are understood by the order of their events change hands once: with the first event of the
 * later time. 1 or 0; -1: out of memory. */
static int gives_chunk(struct tk_merge_owner *o, const struct tk_edit_cut_rule *rule,
                       const struct tk_ut_event *ev)
{
    const struct tk_merge_piece *p = o->piece;
    const uint64_t key = tk_edit_chunk_key(&rule->chunk, ev);
    uint32_t at = tk_map_get(&o->things, key);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)o->latest.n;
        if (tk_map_put(&o->things, key, at) || tk_vec_push(&o->latest, INT64_MIN))
            return -1;
    }
    int64_t *latest = &o->latest.v[at];
    for (size_t i = 0; i < TK_CUT_TIMES && rule->chunk.times[i]; i++) {
        const uint64_t cycle = tk_ut_event_u64(ev, rule->chunk.times[i]);
        const int64_t time = (int64_t)(cycle - p->c->clock.start);
        if (cycle && time > *latest)
            *latest = time;
    }
    return is_own(p, *latest);
}

/* Steps of memory behind an edge, up to the next marker, go to the piece before it, and so do the frames
 * among them: else all of those steps were in the frame over the edge. Without markers times say it. */
static bool gives_frame(const struct tk_merge_piece *p, uint64_t number, int64_t time)
{
    const bool marked = p->first_step && p->first_step != UINT64_MAX, ends = p->end_step != UINT64_MAX;
    return (marked ? number >= p->first_step : time >= p->own_from) &&
           (ends ? number < p->end_step : time < p->own_to);
}

/* 1: the piece gives it; 0: another one does; -1: out of memory. */
static int gives(struct tk_merge_owner *o, const struct tk_edit_item *item, int64_t time, bool timed)
{
    const struct tk_merge_piece *p = o->piece;
    const struct tk_edit_cut_rule *rule = &p->rules[item->ev->type->id];
    if (!p->cut)
        return 1;
    switch (rule->kind) {
    case TK_CUT_POINT:
    case TK_CUT_BATCH:
    case TK_CUT_SCOPED:
    case TK_CUT_INSTANCE:
        return 1; /* a cut left what is in its window alone */
    case TK_CUT_ALLOCATION:
    case TK_CUT_MARKER:
        return item->number ? item->number >= p->first_step && item->number < p->end_step
                            : o->lanes[item->lane->tid]->steps == AMONG;
    case TK_CUT_FRAME:
    case TK_CUT_FRAME_END:
        if (item->number)
            return gives_frame(p, item->number, time);
        break;
    case TK_CUT_SPAN:
        return is_own(p, (int64_t)(tk_ut_event_u64(item->ev, rule->from) - p->c->clock.start));
    case TK_CUT_CHUNK:
        if (!rule->chunk.says)
            return gives_chunk(o, rule, item->ev);
        break;
    default:
        break;
    }
    return timed ? is_own(p, time) : is_news(o, item->lane->tid, item->ev, time < p->own_to);
}

/* ---- scopes around steps of memory ---- */

static int give_begin(struct tk_merge_owner *o, struct tk_ut_lane *lane, struct scope *scope)
{
    const struct tk_edit_item begin = {.lane = lane, .scope = &scope->begin, .changed = true},
                              item = {.lane = lane, .ev = &scope->held->ev, .changed = true};
    int rc = hand_on(o, &begin, true);
    if (rc == TK_OK)
        rc = hand_on(o, &item, true);
    free(scope->held);
    scope->held = NULL;
    scope->given = true;
    return rc;
}

/* The first step of memory that the piece gives: the scopes around it are needed. */
static int see_step(struct tk_merge_owner *o, struct tk_merge_lane *l, const struct tk_edit_item *item)
{
    const struct tk_merge_piece *p = o->piece;
    int rc = TK_OK;
    if (item->number >= p->end_step)
        l->steps = BEHIND;
    if (item->number < p->first_step || item->number >= p->end_step || l->steps != BEFORE)
        return TK_OK;
    l->steps = AMONG;
    for (size_t i = 0; i < l->open.n && rc == TK_OK; i++)
        if (l->open.v[i].held)
            rc = give_begin(o, item->lane, &l->open.v[i]);
    return rc;
}

/* An event in a scope of its own, which waits. */
static int hold(struct tk_merge_lane *l, const struct tk_edit_item *item)
{
    const struct scope scope = {.begin = l->begin, .held = tk_edit_hold(item->ev, 0)};
    l->waits = false;
    if (scope.held && tk_vec_push(&l->open, scope) == 0)
        return TK_OK;
    free(scope.held);
    return TK_ENOMEM;
}

static int let_begin_go(struct tk_merge_owner *o, struct tk_merge_lane *l, struct tk_ut_lane *lane,
                        bool given)
{
    const struct scope scope = {.given = given, .begin = l->begin};
    if (!l->waits)
        return TK_OK;
    const struct tk_edit_item item = {.lane = lane, .scope = &scope.begin, .changed = true};
    l->waits = false;
    return tk_vec_push(&l->open, scope) ? TK_ENOMEM : hand_on(o, &item, given);
}

static int take_scope(struct tk_merge_owner *o, struct tk_merge_lane *l, const struct tk_edit_item *item)
{
    int rc = let_begin_go(o, l, item->lane, true);
    if (rc != TK_OK)
        return rc;
    if (item->scope->begins) {
        l->begin = *item->scope;
        l->waits = true;
        return TK_OK;
    }
    if (!l->open.n)
        return hand_on(o, item, true);
    const struct scope *scope = &l->open.v[--l->open.n];
    free(scope->held);
    return hand_on(o, item, scope->given);
}

static int take_event(struct tk_merge_owner *o, struct tk_merge_lane *l, const struct tk_edit_item *item)
{
    const struct tk_merge_piece *p = o->piece;
    struct tk_ut_event stamped = *item->ev;
    int64_t time = l->latest;
    stamped.stamped = l->waits && l->begin.timed;
    stamped.stamp = l->begin.time;
    const bool timed =
        tk_ut_time_by_rule(&p->rules[item->ev->type->id].time, &stamped, p->c->clock.start, &time);
    if (timed && time > l->latest)
        l->latest = time;
    const int given = gives(o, item, timed ? time : l->latest, timed);
    if (given < 0)
        return TK_ENOMEM;
    const bool steps = p->cut && p->rules[item->ev->type->id].kind == TK_CUT_ALLOCATION;
    if (steps && !item->number && l->waits && l->steps == BEFORE)
        return hold(l, item);
    int rc = steps && item->number ? see_step(o, l, item) : TK_OK;
    if (rc != TK_OK)
        return rc;
    rc = let_begin_go(o, l, item->lane, given);
    return rc == TK_OK ? hand_on(o, item, given) : rc;
}

static int take_important(struct tk_merge_owner *o, const struct tk_edit_item *item)
{
    const int news = item->ev ? is_news(o, item->lane->tid, item->ev, true) : 1;
    return news < 0 ? TK_ENOMEM : hand_on(o, item, news);
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_merge_owner *o = (struct tk_merge_owner *)stage;
    struct tk_merge_lane *l = lane_of(o, item->lane->tid);
    if (!l)
        return TK_ENOMEM;
    if (item->lane->tid == TK_UT_TID_IMPORTANT)
        return take_important(o, item);
    if (repeats(o, l, item)) {
        o->piece->repeated++;
        return TK_OK;
    }
    show_later(o, item);
    if (item->ev && item->ev->incomplete && o->piece->repeated_later[item->lane->tid])
        return TK_OK;
    const int rc = note_hole(o, l, item->lane);
    if (rc != TK_OK)
        return rc;
    if (item->scope)
        return take_scope(o, l, item);
    return item->ev->type->id < o->piece->n ? take_event(o, l, item) : hand_on(o, item, true);
}

static int end(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_merge_owner *o = (struct tk_merge_owner *)stage;
    struct tk_merge_lane *l = o->lanes[lane->tid];
    const int rc = l ? let_begin_go(o, l, lane, true) : TK_OK;
    return rc == TK_OK ? tk_edit_end(stage->next, lane) : rc;
}

static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_merge_owner *o = (struct tk_merge_owner *)stage;
    struct tk_merge_lane *l = o->lanes[lane->tid];
    int rc = l ? let_begin_go(o, l, lane, true) : TK_OK;
    if (l)
        drop_open(l);
    return rc == TK_OK ? tk_edit_gap(stage->next, lane) : rc;
}

static const struct tk_edit_stage_ops ops = {.take = take, .gap = gap, .end = end};

int tk_merge_owner_init(struct tk_merge_owner *o, struct tk_merge_piece *piece, struct tk_merge_given *given,
                        struct tk_edit_stage *next)
{
    *o = (struct tk_merge_owner){.piece = piece, .given = given};
    piece->repeated = 0;
    piece->holes = 0;
    tk_edit_stage_init(&o->stage, &ops, next);
    o->lanes = calloc(TK_UT_TIDS, sizeof *o->lanes);
    return o->lanes ? TK_OK : TK_ENOMEM;
}

void tk_merge_owner_release(struct tk_merge_owner *o)
{
    for (size_t i = 0; o->lanes && i < TK_UT_TIDS; i++) {
        if (!o->lanes[i])
            continue;
        drop_open(o->lanes[i]);
        tk_vec_release(&o->lanes[i]->open);
        free(o->lanes[i]);
    }
    free(o->lanes);
    tk_map_release(&o->things);
    tk_vec_release(&o->latest);
    tk_merge_counts_release(&o->seen);
    *o = (struct tk_merge_owner){0};
}
