/*
 * Which piece gives a record.
 */
#include "edit/utrace/merge_utrace.h"
#include "edit/utrace/stages/stage.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>
#include <string.h>

/* A scope that is open on a lane. */
struct scope {
    bool given, of_memory;
    uint64_t content; /* of a scope of memory */
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
static bool gives_frame(const struct tk_merge_owner *o, uint64_t number, int64_t time)
{
    const struct tk_merge_piece *p = o->piece;
    const bool marked = p->first_step && p->first_step != UINT64_MAX, ends = p->end_step != UINT64_MAX;
    if (p->no_steps)
        return false;
    return (marked ? number >= p->first_step : time >= p->own_from) &&
           (ends ? number < p->end_step : time < p->own_to || (o->n_later && o->later->no_steps));
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
            return gives_frame(o, item->number, time);
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

static bool is_first_half(const struct tk_edit_item *item)
{
    static const char half[] = "ReallocFree";
    return strncmp(tk_ut_type_event(item->ev->type), half, sizeof half - 1) == 0;
}

/* Scopes of memory that are open, before one half of a reallocation and after the other. */
static int note_scopes(struct tk_merge_last_step *last, const struct tk_merge_lane *l)
{
    last->scopes.n = 0;
    for (size_t i = 0; i < l->open.n; i++)
        if (l->open.v[i].of_memory && tk_vec_push(&last->scopes, l->open.v[i].content))
            return TK_ENOMEM;
    return TK_OK;
}

/* In the first walk notes the last step, in the second leaves the ends of scopes out that go on behind it. */
static int follow_step(struct tk_merge_owner *o, struct tk_merge_lane *l, const struct tk_edit_item *item)
{
    struct tk_merge_last_step **place = &o->piece->last_steps[item->lane->tid], *last = *place;
    if (o->plans) {
        if (!last && !(*place = last = calloc(1, sizeof *last)))
            return TK_ENOMEM;
        last->number = item->number;
        last->halved = is_first_half(item);
        return last->halved ? note_scopes(last, l) : TK_OK;
    }
    uint32_t n = last && last->number == item->number ? last->going_on : 0;
    for (size_t i = 0; i < l->open.n && n; i++) {
        if (!l->open.v[i].of_memory)
            continue;
        l->open.v[i].given = false;
        n--;
    }
    return TK_OK;
}

/* The last step before the pieces in hand, where these follow each other. */
static struct tk_merge_last_step *last_before(const struct tk_merge_owner *o, uint32_t tid)
{
    struct tk_merge_last_step *last = NULL;
    for (struct tk_merge_piece *p = o->piece; !last && p > o->earlier && p[-1].cut && p[-1].to == p->from;
         p--)
        last = p[-1].last_steps[tid];
    return last;
}

/* How many of the scopes around the first step go on from a piece before. */
static uint32_t count_going_on(struct tk_merge_owner *o, const struct tk_merge_lane *l,
                               const struct tk_edit_item *item)
{
    struct tk_merge_last_step *last = last_before(o, item->lane->tid);
    uint32_t n = 0;
    if (!last || !last->halved || is_first_half(item) ||
        o->piece->rules[item->ev->type->id].step != TK_STEP_MOVES)
        return 0;
    if (!o->plans)
        return last->going_on;
    for (size_t i = 0; i < l->open.n; i++) {
        const struct scope *scope = &l->open.v[i];
        if (!scope->held)
            continue;
        if (n >= last->scopes.n || last->scopes.v[n] != scope->content)
            break;
        n++;
    }
    return last->going_on = n;
}

/* The first step of memory that the piece gives: the scopes around it are needed. */
static int give_scopes(struct tk_merge_owner *o, struct tk_merge_lane *l, const struct tk_edit_item *item)
{
    uint32_t going_on = count_going_on(o, l, item);
    int rc = TK_OK;
    for (size_t i = 0; i < l->open.n && rc == TK_OK; i++) {
        struct scope *scope = &l->open.v[i];
        if (!scope->held)
            continue;
        if (going_on && !o->plans) {
            free(scope->held);
            scope->held = NULL;
            scope->given = true;
            going_on--;
        } else {
            rc = give_begin(o, item->lane, scope);
        }
    }
    return rc;
}

static int see_step(struct tk_merge_owner *o, struct tk_merge_lane *l, const struct tk_edit_item *item)
{
    const struct tk_merge_piece *p = o->piece;
    int rc = TK_OK;
    if (item->number >= p->end_step)
        l->steps = BEHIND;
    if (item->number < p->first_step || item->number >= p->end_step)
        return TK_OK;
    if (l->steps == BEFORE) {
        l->steps = AMONG;
        rc = give_scopes(o, l, item);
    }
    return rc == TK_OK ? follow_step(o, l, item) : rc;
}

/* An event in a scope of its own, which waits. */
static int hold(struct tk_merge_lane *l, const struct tk_edit_item *item)
{
    const struct scope scope = {.of_memory = true,
                                .content = tk_merge_event_content(item->ev),
                                .begin = l->begin,
                                .held = tk_edit_hold(item->ev, 0)};
    l->waits = false;
    if (scope.held && tk_vec_push(&l->open, scope) == 0)
        return TK_OK;
    free(scope.held);
    return TK_ENOMEM;
}

/* `of_memory`: the event of such a scope, or NULL. */
static int let_begin_go(struct tk_merge_owner *o, struct tk_merge_lane *l, struct tk_ut_lane *lane,
                        bool given, const struct tk_ut_event *of_memory)
{
    const struct scope scope = {.given = given,
                                .of_memory = of_memory != NULL,
                                .content =
                                    of_memory && l->waits && o->plans ? tk_merge_event_content(of_memory) : 0,
                                .begin = l->begin};
    if (!l->waits)
        return TK_OK;
    const struct tk_edit_item item = {.lane = lane, .scope = &scope.begin, .changed = true};
    l->waits = false;
    return tk_vec_push(&l->open, scope) ? TK_ENOMEM : hand_on(o, &item, given);
}

static int take_scope(struct tk_merge_owner *o, struct tk_merge_lane *l, const struct tk_edit_item *item)
{
    int rc = let_begin_go(o, l, item->lane, true, NULL);
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
    rc = let_begin_go(o, l, item->lane, given, steps && !item->number ? item->ev : NULL);
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
    const int rc = l ? let_begin_go(o, l, lane, true, NULL) : TK_OK;
    return rc == TK_OK ? tk_edit_end(stage->next, lane) : rc;
}

static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_merge_owner *o = (struct tk_merge_owner *)stage;
    struct tk_merge_lane *l = o->lanes[lane->tid];
    int rc = l ? let_begin_go(o, l, lane, true, NULL) : TK_OK;
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
