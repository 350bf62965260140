/*
 * Cutting record by record.
 */
#include "edit/utrace/cut/cutter.h"

#include "edit/utrace/cut/cut_in.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>
#include <string.h>

static int used_number(void *ctx, uint64_t number)
{
    struct tk_edit_survey *survey = ctx;
    return number & 1 ? tk_id_set_add(&survey->used, number >> 1) : 0;
}

struct tk_edit_cut_lane *tk_edit_cut_lane_of(struct tk_edit_cutter *s, uint32_t tid)
{
    struct tk_edit_cut_lane *lane = s->lanes[tid];
    if (lane || !(lane = calloc(1, sizeof *lane)))
        return lane;
    lane->scopes.carried = s->survey->window.from == INT64_MIN;
    lane->scopes.ctx = s->survey;
    return s->lanes[tid] = lane;
}

static int hand_on(struct tk_edit_cutter *s, const struct tk_edit_item *item, bool kept)
{
    if (s->walk != TK_CUT_DECIDE)
        return TK_OK;
    return kept ? tk_edit_take(s->stage.next, item) : tk_edit_drop(&s->stage, item);
}

static int hand_scope(struct tk_edit_cutter *s, struct tk_ut_lane *lane, bool begins, bool timed,
                      int64_t time, bool kept, bool changed)
{
    const struct tk_ut_scope scope = {begins, timed, time};
    const struct tk_edit_item item = {.lane = lane, .scope = &scope, .changed = changed};
    return hand_on(s, &item, kept);
}

/* ---- stamped scopes ---- */

/* The window has begun for what is open since before it. */
static int begin_window(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, struct tk_ut_lane *lane)
{
    int rc = TK_OK;
    for (size_t i = 0; i < l->marks.n && rc == TK_OK; i++) {
        struct tk_edit_cut_mark *m = &l->marks.v[i];
        if (!m->held)
            continue;
        const struct tk_edit_item item = {
            .lane = lane, .ev = &m->held->ev, .number = m->held->number, .changed = true};
        rc = hand_scope(s, lane, true, true, s->survey->window.from, true, true);
        if (rc == TK_OK)
            rc = hand_on(s, &item, true);
        free(m->held);
        m->held = NULL;
        m->kept = true;
    }
    return rc;
}

/* What waited belongs to no event that decides: it stays. */
static int let_wait_go(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, struct tk_ut_lane *lane,
                       bool kept)
{
    const struct tk_edit_cut_mark mark = {.time = l->waiting.time, .kept = kept, .timed = l->waiting.timed};
    if (!l->waits)
        return TK_OK;
    l->waits = false;
    if (tk_vec_push(&l->marks, mark))
        return TK_ENOMEM;
    return hand_scope(s, lane, true, l->waiting.timed, l->waiting.time, kept, false);
}

static int take_leave(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, const struct tk_edit_item *item)
{
    const struct tk_edit_window *w = &s->survey->window;
    const struct tk_ut_scope *scope = item->scope;
    const bool reaches = scope->timed && scope->time > w->from;
    int rc = reaches ? begin_window(s, l, item->lane) : TK_OK;
    struct tk_edit_cut_mark mark = {.kept = true};
    if (l->marks.n)
        mark = l->marks.v[--l->marks.n];
    if (mark.held) { /* it ended before the window */
        free(mark.held);
        const struct tk_edit_item gone = {.lane = item->lane, .scope = scope};
        return rc == TK_OK ? hand_on(s, &gone, false) : rc;
    }
    const bool late = scope->timed && mark.timed && scope->time > w->to;
    if (rc != TK_OK || !late || !mark.kept)
        return rc == TK_OK ? hand_on(s, item, mark.kept) : rc;
    return hand_scope(s, item->lane, false, true, w->to, true, true);
}

static int take_scope(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, const struct tk_edit_item *item)
{
    const int rc = let_wait_go(s, l, item->lane, true);
    if (rc != TK_OK || !item->scope->begins)
        return rc == TK_OK ? take_leave(s, l, item) : rc;
    l->waiting = *item->scope;
    l->waits = true;
    return TK_OK;
}

static int take_scoped(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, const struct tk_edit_item *item)
{
    const struct tk_edit_window *w = &s->survey->window;
    const int64_t time = l->waiting.time;
    if (!l->waits || !l->waiting.timed)
        return hand_on(s, item, l->latest >= w->from && l->latest < w->to);
    if (time >= w->from) {
        const bool kept = time < w->to;
        int rc = kept ? begin_window(s, l, item->lane) : TK_OK;
        if (rc == TK_OK)
            rc = let_wait_go(s, l, item->lane, kept);
        return rc == TK_OK ? hand_on(s, item, kept) : rc;
    }
    const struct tk_edit_cut_mark mark = {
        .held = tk_edit_hold(item->ev, item->number), .time = time, .timed = true};
    l->waits = false;
    if (!mark.held || tk_vec_push(&l->marks, mark)) {
        free(mark.held);
        return TK_ENOMEM;
    }
    /* where it stood nothing stands now */
    const struct tk_edit_item gone = {.lane = item->lane, .scope = &l->waiting};
    const int rc = hand_on(s, &gone, false);
    const struct tk_edit_item moved = {.lane = item->lane, .ev = item->ev};
    return rc == TK_OK ? hand_on(s, &moved, false) : rc;
}

/* ---- batches ---- */

static int remember(struct tk_edit_cut_lane *l, const struct tk_ut_event *ev, const struct tk_ut_field *data)
{
    struct tk_ut_event bare = *ev;
    if (l->batch && l->batch->ev.type == ev->type)
        return TK_OK;
    bare.n_blobs = 0;
    free(l->batch);
    l->data = data;
    return (l->batch = tk_edit_hold(&bare, 0)) ? TK_OK : TK_ENOMEM;
}

/* In the survey: what is open before a batch that may lie over an edge. */
static int save_open(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, uint32_t tid)
{
    if (s->walk != TK_CUT_SURVEY || s->survey->ends[tid])
        return TK_OK;
    l->before.n = 0;
    if (tk_vec_reserve(&l->before, l->scopes.stack.n + 1))
        return TK_ENOMEM;
    if (l->scopes.stack.n)
        memcpy(l->before.v, l->scopes.stack.v, l->scopes.stack.n * sizeof *l->before.v);
    l->before.n = l->scopes.stack.n;
    return TK_OK;
}

/* In the survey: this batch is the first over an edge. */
static int note_edge(struct tk_edit_cutter *s, const struct tk_edit_cut_lane *l, struct tk_edit_edge **edge)
{
    if (s->walk == TK_CUT_SURVEY && !*edge &&
        !(*edge = tk_edit_edge_new(l->batches, l->before.v, l->before.n)))
        return TK_ENOMEM;
    return TK_OK;
}

/* Later: the scopes that are open are those that the survey found. */
static int recall_open(struct tk_edit_cut_lane *l, const struct tk_edit_edge *edge)
{
    l->scopes.stack.n = 0;
    if (tk_vec_reserve(&l->scopes.stack, edge->open.n + 1))
        return TK_ENOMEM;
    if (edge->open.n)
        memcpy(l->scopes.stack.v, edge->open.v, edge->open.n * sizeof *edge->open.v);
    l->scopes.stack.n = edge->open.n;
    return TK_OK;
}

enum batch_fate { GOES, STAYS, LOOK };

/* Batches that lie over no edge need not be looked at. */
static int fate_of(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, uint32_t tid, unsigned form,
                   const struct tk_bytes *bytes, enum batch_fate *fate)
{
    const struct tk_edit_window *w = &s->survey->window;
    const bool decides = s->walk == TK_CUT_DECIDE;
    const struct tk_edit_edge *start = decides ? s->survey->starts[tid] : NULL,
                              *end = decides ? s->survey->ends[tid] : NULL;
    int rc = TK_OK;
    *fate = GOES;
    if (start && l->batches < start->batches)
        return TK_OK;
    *fate = STAYS;
    if (end && l->batches < end->batches && (start ? l->batches > start->batches : w->from == INT64_MIN))
        return TK_OK;
    if (start && l->batches == start->batches)
        rc = recall_open(l, start);
    if (end && l->batches == end->batches)
        rc = recall_open(l, end);
    *fate = tk_edit_cut_over(&l->scopes, w, tk_edit_cut_begin(w, form, bytes->p, bytes->n)) ? GOES : LOOK;
    return rc;
}

static int cut_batch(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, const struct tk_edit_item *item,
                     const struct tk_bytes *bytes, bool *same)
{
    const uint32_t tid = item->lane->tid;
    const unsigned form = s->survey->rules[item->ev->type->id].form;
    const bool began = l->scopes.carried;
    l->scopes.used = s->walk == TK_CUT_SURVEY && form == 3 ? used_number : NULL;
    if (tk_edit_cut_batch(&l->scopes, &s->survey->window, form, bytes->p, bytes->n, same) != 0)
        return TK_ENOMEM;
    if (l->scopes.carried && !began)
        return note_edge(s, l, &s->survey->starts[tid]);
    return began && !*same ? note_edge(s, l, &s->survey->ends[tid]) : TK_OK;
}

/* Hands on a batch with other entries. */
static int hand_part(struct tk_edit_cutter *s, const struct tk_edit_item *item,
                     const struct tk_ut_field *data, const uint8_t *p, size_t n)
{
    const struct tk_ut_blob blob = {p, (uint32_t)n, tk_ut_field_index(item->ev->type, data)};
    struct tk_ut_event part = *item->ev;
    struct tk_edit_item changed = *item;
    part.blobs = &blob;
    part.n_blobs = 1;
    changed.ev = &part;
    changed.changed = true;
    return hand_on(s, &changed, true);
}

static int take_batch(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, const struct tk_edit_item *item)
{
    const struct tk_ut_field *data = s->survey->rules[item->ev->type->id].key;
    bool same = true;
    if (!data)
        return hand_on(s, item, true);
    const struct tk_bytes bytes = tk_ut_event_bytes(item->ev, data);
    if (remember(l, item->ev, data) != TK_OK)
        return TK_ENOMEM;
    const uint32_t tid = item->lane->tid;
    const unsigned form = s->survey->rules[item->ev->type->id].form;
    enum batch_fate fate;
    int rc = save_open(s, l, tid);
    if (rc == TK_OK)
        rc = fate_of(s, l, tid, form, &bytes, &fate);
    if (rc != TK_OK)
        return rc;
    if (fate == LOOK)
        rc = cut_batch(s, l, item, &bytes, &same);
    else if (fate == GOES)
        rc = l->scopes.carried ? note_edge(s, l, &s->survey->ends[tid]) : TK_OK;
    l->batches++;
    if (rc != TK_OK)
        return rc;
    const bool whole = fate != LOOK || same || !l->scopes.out.size,
               kept = fate == STAYS || (fate == LOOK && same);
    /* the recorder writes a batch when its last entry is there: what ended before the window has been seen */
    if ((kept || !whole) && (rc = begin_window(s, l, item->lane)) != TK_OK)
        return rc;
    if (whole)
        return hand_on(s, item, kept);
    const size_t front = l->scopes.front, n = l->scopes.out.size;
    rc = front ? hand_part(s, item, data, l->scopes.out.data, front) : TK_OK;
    return rc == TK_OK && front < n ? hand_part(s, item, data, l->scopes.out.data + front, n - front) : rc;
}

/* Scopes that are open over the whole window, of which nothing was said in it. */
static int put_rest(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, struct tk_ut_lane *lane)
{
    const struct tk_edit_edge *start = s->walk == TK_CUT_DECIDE ? s->survey->starts[lane->tid] : NULL;
    struct tk_edit_edge **edge =
        l->scopes.carried ? &s->survey->ends[lane->tid] : &s->survey->starts[lane->tid];
    if (save_open(s, l, lane->tid) != TK_OK || note_edge(s, l, edge) != TK_OK)
        return TK_ENOMEM;
    if (!l->scopes.carried && start && start->batches == l->batches && recall_open(l, start) != TK_OK)
        return TK_ENOMEM;
    if (l->scopes.carried || !l->scopes.stack.n || !l->batch)
        return TK_OK;
    l->scopes.used = s->walk == TK_CUT_SURVEY ? used_number : NULL;
    if (tk_edit_cut_rest(&l->scopes, &s->survey->window, tk_edit_batch_form(l->batch->ev.type)) != 0)
        return TK_ENOMEM;
    const struct tk_ut_blob blob = {l->scopes.out.data, (uint32_t)l->scopes.out.size,
                                    tk_ut_field_index(l->batch->ev.type, l->data)};
    struct tk_ut_event ev = l->batch->ev;
    ev.blobs = &blob;
    ev.n_blobs = 1;
    const struct tk_edit_item item = {.lane = lane, .ev = &ev, .changed = true};
    const int rc = begin_window(s, l, lane);
    return rc == TK_OK ? hand_on(s, &item, true) : rc;
}

/* ---- all others ---- */

static bool overlaps(const struct tk_edit_survey *s, const struct tk_edit_cut_rule *rule,
                     const struct tk_ut_event *ev)
{
    const int64_t from = (int64_t)(tk_ut_event_number(ev, rule->from) - s->window.start),
                  to = (int64_t)(tk_ut_event_number(ev, rule->to) - s->window.start);
    return from < s->window.to && to > s->window.from;
}

/* What takes long to find out is found out once. */
static bool decide_once(struct tk_edit_cutter *cutter, const struct tk_edit_item *item, int64_t time,
                        bool memory)
{
    struct tk_edit_survey *s = cutter->survey;
    if (cutter->recalls)
        return tk_edit_decided_next(&s->decided);
    const bool stays =
        memory ? tk_edit_survey_step(s, item->ev, item->number) : tk_edit_survey_keyed(s, item->ev, time);
    cutter->failed |= tk_edit_decided_put(&s->decided, stays) != TK_OK;
    return stays;
}

bool tk_edit_cut_stays(struct tk_edit_cutter *cutter, const struct tk_edit_item *item, int64_t time)
{
    const struct tk_edit_survey *s = cutter->survey;
    const struct tk_edit_cut_rule *rule = &s->rules[item->ev->type->id];
    if (cutter->walk != TK_CUT_DECIDE)
        return true;
    switch (rule->kind) {
    case TK_CUT_POINT:
        return time >= s->window.from && time < s->window.to;
    case TK_CUT_UNTIL:
    case TK_CUT_END_THREAD:
        return time < s->window.to;
    case TK_CUT_SPAN:
        return overlaps(s, rule, item->ev);
    case TK_CUT_KEYED:
        return decide_once(cutter, item, time, false);
    case TK_CUT_CHUNK:
        return tk_edit_things_keep(&s->things, cutter->places, &rule->chunk, item->ev);
    case TK_CUT_INSTANCE:
        return tk_id_set_has(&s->used, tk_ut_event_number(item->ev, rule->key));
    case TK_CUT_ALLOCATION:
        return decide_once(cutter, item, time, true);
    case TK_CUT_MARKER:
        return tk_edit_survey_step(s, item->ev, item->number);
    case TK_CUT_KEPT:
    case TK_CUT_FRAME:
    case TK_CUT_FRAME_END:
    case TK_CUT_BATCH:
    case TK_CUT_SCOPED:
        break;
    }
    return true;
}

/* Where the end of a thread has no time of its own, before 5.1: did its scopes go on behind the window? */
static bool ended_behind(const struct tk_edit_cutter *s, const struct tk_edit_cut_lane *l, uint32_t tid)
{
    const struct tk_edit_edge *end = s->walk == TK_CUT_DECIDE ? s->survey->ends[tid] : NULL;
    return end && l->batches > end->batches;
}

static int look(struct tk_edit_cutter *s, const struct tk_edit_item *item, int64_t time)
{
    return s->walk == TK_CUT_SURVEY ? tk_edit_survey_see(s->survey, item->ev, item->number, time) : TK_OK;
}

int64_t tk_edit_cut_time(const struct tk_edit_cutter *s, struct tk_edit_cut_lane *l,
                         const struct tk_ut_event *ev)
{
    const struct tk_ut_time_rule *rule = &s->survey->rules[ev->type->id].time;
    int64_t time;
    if (!tk_ut_time_by_rule(rule, ev, s->survey->window.start, &time))
        return l->latest;
    if (time > l->latest)
        l->latest = time;
    return time;
}

int tk_edit_cut_event(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, const struct tk_edit_item *item)
{
    const struct tk_edit_cut_rule *rule = &s->survey->rules[item->ev->type->id];
    struct tk_ut_event stamped = *item->ev;
    stamped.stamped = l->waits && l->waiting.timed;
    stamped.stamp = l->waiting.time;
    const int64_t time = tk_edit_cut_time(s, l, &stamped);
    int rc = look(s, item, time);
    if (rc != TK_OK)
        return rc;
    if (rule->kind == TK_CUT_SCOPED)
        return take_scoped(s, l, item);
    if (rule->kind == TK_CUT_BATCH) {
        rc = let_wait_go(s, l, item->lane, true);
        return rc == TK_OK ? take_batch(s, l, item) : rc;
    }
    if (rule->kind == TK_CUT_END_THREAD && time < s->survey->window.from)
        l->scopes.stack.n = 0;
    const bool kept =
        tk_edit_cut_stays(s, item, time) &&
        (rule->kind != TK_CUT_END_THREAD || rule->time.field || !ended_behind(s, l, item->lane->tid));
    if (s->failed)
        return TK_ENOMEM;
    rc = let_wait_go(s, l, item->lane, kept);
    return rc == TK_OK ? hand_on(s, item, kept) : rc;
}

int tk_edit_cut_take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_cutter *s = (struct tk_edit_cutter *)stage;
    if (s->walk == TK_CUT_MEMORY) /* scopes and times were looked at before */
        return item->ev && item->ev->type->id < s->survey->n
                   ? tk_edit_survey_memory(s->survey, item->ev, item->number)
                   : TK_OK;
    struct tk_edit_cut_lane *lane = tk_edit_cut_lane_of(s, item->lane->tid);
    if (!lane)
        return TK_ENOMEM;
    if (item->scope)
        return take_scope(s, lane, item);
    return item->ev->type->id < s->survey->n ? tk_edit_cut_event(s, lane, item) : hand_on(s, item, true);
}

void tk_edit_cut_drop_marks(struct tk_edit_cut_lane *l)
{
    for (size_t i = 0; i < l->marks.n; i++)
        free(l->marks.v[i].held);
    l->marks.n = 0;
}

int tk_edit_cut_gap(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_cutter *s = (struct tk_edit_cutter *)stage;
    struct tk_edit_cut_lane *l = s->lanes[lane->tid];
    int rc = l ? let_wait_go(s, l, lane, true) : TK_OK;
    if (l) {
        tk_edit_cut_drop_marks(l);
        l->scopes.stack.n = 0;
    }
    return rc == TK_OK && stage->next ? tk_edit_gap(stage->next, lane) : rc;
}

int tk_edit_cut_end(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_cutter *s = (struct tk_edit_cutter *)stage;
    struct tk_edit_cut_lane *l = s->lanes[lane->tid];
    if (s->failed)
        return TK_ENOMEM;
    int rc = l ? let_wait_go(s, l, lane, true) : TK_OK;
    if (l && rc == TK_OK)
        rc = begin_window(s, l, lane);
    if (l && rc == TK_OK)
        rc = put_rest(s, l, lane);
    return rc == TK_OK && stage->next ? tk_edit_end(stage->next, lane) : rc;
}
