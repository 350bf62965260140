/*
 * Stacks of the lanes of a timeline: from begins and ends of the capture to begins and ends that nest. The
 * rules for unmatched ends, raised times and scopes that are too deep are those of the scope model
 *.
 *
 * A scope is sent when it is known to touch the selection: at its begin where all is selected, else when it
 * or one inside it ends.
 */
#include "base/arena.h"
#include "fact/scopes.h"
#include "model/timeline/timeline_items.h"
#include "query/context_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct open_scope {
    int64_t begin;
    const struct tk_str *text;
    const struct tk_scope_kind *kind; /* it is sent as steps; NULL: as items */
    uint32_t op, callstack;
    int64_t requested, requested_end; /* INT64_MIN: not known */
    bool hidden;                      /* its timer is not requested */
    bool sent;                        /* its begin is */
    bool ended;                       /* its end is sent too, before its time: the scope around it ended */
    bool lost;                        /* ends when the next one begins */
};

struct tk_timeline_lane {
    uint64_t track;
    uint32_t thread;
    uint32_t number; /* of the lane */
    uint32_t extra;  /* lanes that the thread had before it */
    uint8_t kind;
    bool named;
    int64_t last;
    int64_t lost_at;
    struct tk_scopes_beyond beyond; /* the limit */
    TK_STACK(struct open_scope) stack;
};

/* ---- what is sent ---- */

static void say_requested(const struct tk_timeline *t, struct tk_item *item, int64_t requested)
{
    item->requested = requested != INT64_MIN;
    item->requested_ns = item->requested ? tk_timeline_ns(t, requested) : 0;
}

/* Name and place of a timer; NULL without memory. */
static struct tk_timeline_name *name_of_timeline_lane(struct tk_timeline *t, uint32_t id,
                                                      const struct tk_timer **timer)
{
    struct tk_dict *d = t->view->dict;
    *timer = id < d->timers.n ? &d->timers.v[id] : tk_dict_timer(d, id);
    if (!*timer)
        return NULL;
    size_t at = (size_t)(*timer - d->timers.v);
    if (at >= t->names.n) {
        if (tk_vec_reserve(&t->names, at + 1))
            return NULL;
        memset(t->names.v + t->names.n, 0, (at + 1 - t->names.n) * sizeof *t->names.v);
        t->names.n = at + 1;
    }
    struct tk_timeline_name *name = &t->names.v[at];
    if (name->displayed == (*timer)->displayed)
        return name;
    name->id = tk_timeline_name(t, (*timer)->displayed);
    name->displayed = (*timer)->displayed;
    name->passes = !t->view->select->timers.n || tk_patterns_match(&t->view->select->timers, name->displayed);
    return name->id == TK_MAP_NONE ? NULL : name;
}

static int begin_item(struct tk_timeline *t, const struct tk_timeline_lane *lane, const struct open_scope *s,
                      const struct tk_timer *timer, const struct tk_timeline_name *name, int64_t begin,
                      struct tk_err *err)
{
    bool first;
    int rc = TK_OK;
    if (t->steps && !tk_timeline_tell_name(t, name->id, &first))
        return tk_err_nomem(err, "the names of a timeline");
    struct tk_item *item =
        tk_timeline_item(t, TK_ITEM_BEGIN, lane->track, tk_timeline_ns(t, begin), &rc, err);
    if (!item)
        return rc;
    item->cycles = begin;
    item->timer = (uint32_t)(timer - t->view->dict->timers.v);
    item->name_id = name->id;
    item->name = name->displayed;
    item->file = timer->info.file;
    item->line = timer->info.line;
    item->colour = timer->info.colour;
    item->text = s->text;
    item->callstack = s->callstack;
    say_requested(t, item, s->requested);
    return TK_OK;
}

static int put_step(struct tk_timeline *t, const struct tk_timeline_lane *lane,
                    const struct tk_scope_kind *kind, int64_t time, bool end, bool first, struct tk_err *err)
{
    int rc = TK_OK;
    struct tk_scope_step *step = tk_timeline_step(t, &rc, err);
    if (step)
        *step = (struct tk_scope_step){tk_timeline_ns(t, time), lane->track, kind, end, first};
    return rc;
}

static int send_begin(struct tk_timeline *t, const struct tk_timeline_lane *lane, struct open_scope *s,
                      struct tk_err *err)
{
    const struct tk_timer *timer;
    struct tk_timeline_name *name = name_of_timeline_lane(t, s->op & TK_OP_TIMER, &timer);
    bool first = false;
    int rc = TK_OK;
    if (!name)
        return tk_err_nomem(err, "the names of a timeline");
    s->sent = true;
    s->hidden = !name->passes;
    if (s->hidden)
        return TK_OK;
    const int64_t begin = t->view->query->clip ? tk_select_clip_begin(t->view->select, s->begin) : s->begin;
    s->kind = t->steps ? tk_timeline_kind(t, name, &timer->info, &first, &rc, err) : NULL;
    if (rc != TK_OK)
        return rc;
    return s->kind ? put_step(t, lane, s->kind, begin, false, first, err)
                   : begin_item(t, lane, s, timer, name, begin, err);
}

/* How the last that is known of a scope is reported. */
enum ending { ENDED, LOST, STILL_OPEN };

static int send_end(struct tk_timeline *t, const struct tk_timeline_lane *lane, struct open_scope *s,
                    enum ending how, int64_t time, struct tk_err *err)
{
    int rc = TK_OK;
    if (s->hidden || s->ended || !s->sent)
        return TK_OK;
    s->ended = true;
    int64_t end =
        t->view->query->clip || how == STILL_OPEN ? tk_select_clip_end(t->view->select, time) : time;
    if (s->kind)
        return put_step(t, lane, s->kind, end, true, false, err);
    struct tk_item *item = tk_timeline_item(t, how == STILL_OPEN ? TK_ITEM_OPEN : TK_ITEM_END, lane->track,
                                            tk_timeline_ns(t, end), &rc, err);
    if (!item)
        return rc;
    item->cycles = end;
    item->open = how != ENDED;
    say_requested(t, item, s->requested_end);
    return TK_OK;
}

/* Sends the begins of the first n scopes, as far as they were not. */
static int send_begins(struct tk_timeline *t, struct tk_timeline_lane *lane, size_t n, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        if (!lane->stack.v[i].sent)
            rc = send_begin(t, lane, &lane->stack.v[i], err);
    return rc;
}

/* Ends all scopes from `from` on, the innermost first. */
static int send_ends(struct tk_timeline *t, struct tk_timeline_lane *lane, size_t from, enum ending how,
                     int64_t time, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = lane->stack.n; i-- > from && rc == TK_OK;)
        rc = send_end(t, lane, &lane->stack.v[i], how, time, err);
    return rc;
}

/* ---- the stack ---- */

static int drop_lost(struct tk_timeline *t, struct tk_timeline_lane *lane, struct tk_err *err)
{
    if (!lane->stack.n || !lane->stack.v[0].lost)
        return TK_OK;
    int rc = send_ends(t, lane, 0, LOST, lane->lost_at, err);
    lane->stack.n = 0;
    return rc;
}

static int begin_timeline_lane(struct tk_timeline *t, struct tk_timeline_lane *lane,
                               const struct tk_scope_run *run, size_t i, struct tk_err *err)
{
    const uint32_t op = run->op[i];
    int rc = drop_lost(t, lane, err);
    if (tk_scopes_beyond_begin(&lane->beyond, lane->stack.n, t->view->ctx->limits.open_scopes, op))
        return rc;
    struct open_scope s = {.begin = lane->last,
                           .text = run->text ? run->text[i] : NULL,
                           .op = op,
                           .requested = run->cpu ? run->cpu[i] : INT64_MIN,
                           .requested_end = INT64_MIN,
                           .callstack = run->stack ? run->stack[i] : 0};
    if (rc == TK_OK && t->view->select->all_time)
        rc = send_begin(t, lane, &s, err);
    return rc < 0 ? rc : tk_stack_push(&lane->stack, s) ? tk_err_nomem(err, "open scopes") : TK_OK;
}

static int end_timeline_lane(struct tk_timeline *t, struct tk_timeline_lane *lane,
                             const struct tk_scope_run *run, size_t i, struct tk_err *err)
{
    const uint32_t op = run->op[i];
    const struct open_scope *outermost = lane->stack.v;
    if (tk_scopes_beyond_end(&lane->beyond, op) || !lane->stack.n || outermost->lost)
        return TK_OK;
    const size_t k = tk_scope_innermost(&outermost->op, sizeof *outermost, lane->stack.n, op);
    if (!k)
        return TK_OK;
    struct open_scope *s = &lane->stack.v[k - 1];
    int rc = TK_OK;
    s->requested_end = run->cpu ? run->cpu[i] : INT64_MIN;
    if (!s->sent && tk_select_touches(t->view->select, s->begin, lane->last))
        rc = send_begins(t, lane, lane->stack.n, err);
    if (rc == TK_OK)
        rc = send_ends(t, lane, k - 1, ENDED, lane->last, err);
    tk_stack_remove(&lane->stack, k - 1);
    return rc;
}

static int lose_top(struct tk_timeline *t, struct tk_timeline_lane *lane, struct tk_err *err)
{
    struct open_scope *s = tk_scopes_beyond_lose(&lane->beyond) ? NULL : tk_stack_pop(&lane->stack);
    return s ? send_end(t, lane, s, LOST, lane->last, err) : TK_OK;
}

static int lose_all(struct tk_timeline *t, struct tk_timeline_lane *lane, bool now, struct tk_err *err)
{
    int rc = drop_lost(t, lane, err);
    if (rc == TK_OK && now) {
        rc = send_ends(t, lane, 0, LOST, lane->last, err);
        lane->stack.n = 0;
    }
    lane->beyond = (struct tk_scopes_beyond){0};
    lane->lost_at = lane->last;
    for (size_t i = 0; i < lane->stack.n; i++)
        lane->stack.v[i].lost = true;
    return rc;
}

static int step_timeline_lane(struct tk_timeline *t, struct tk_timeline_lane *lane,
                              const struct tk_scope_run *run, size_t i, struct tk_err *err)
{
    const uint32_t op = run->op[i];
    if (run->time[i] > lane->last)
        lane->last = run->time[i];
    if (!(op & TK_OP_END))
        return begin_timeline_lane(t, lane, run, i, err);
    if (op == TK_OP_CUT || op == TK_OP_CLOSE)
        return lose_all(t, lane, op == TK_OP_CLOSE && t->closes, err);
    return op == TK_OP_LOSE ? lose_top(t, lane, err) : end_timeline_lane(t, lane, run, i, err);
}

/* ---- lanes ---- */

int tk_timeline_thread(struct tk_timeline *t, uint32_t id, struct tk_err *err)
{
    const struct tk_thread *thread = tk_dict_thread(t->view->dict, id);
    if (!thread)
        return tk_err_nomem(err, "threads");
    const struct tk_track track = {
        .id = TK_TRACK_ID(TK_TRACK_THREAD, (uint64_t)id << 1),
        .kind = TK_TRACK_THREAD,
        .rank = thread->info.sort_hint,
        .number = id,
        .system_id = thread->info.has_system ? thread->info.system_id : id,
        .has_process = thread->info.has_process,
        .process_id = thread->info.process_id,
        .name = thread->displayed,
        .group = thread->info.group,
        .process = thread->info.process,
    };
    return tk_timeline_track(t, &track, err);
}

/* Id of the track of a queue, or of the work in it. */
static uint64_t queue_track(uint32_t id, bool works)
{
    return TK_TRACK_ID(TK_TRACK_GPU, ((uint64_t)id * 2 + works) << 1);
}

int tk_timeline_queue(struct tk_timeline *t, uint32_t id, bool works, uint64_t *track_id, struct tk_err *err)
{
    char text[TK_QUEUE_NAME];
    const struct tk_str said = tk_dict_queue_name(t->view->dict, id, works, text);
    const struct tk_str *name = tk_intern(&t->texts, said.p, said.n, TK_ENC_UTF8);
    if (!name)
        return tk_err_nomem(err, "the tracks of a timeline");
    const struct tk_track track = {
        .id = queue_track(id, works),
        .kind = TK_TRACK_GPU,
        .rank = (int32_t)(id * 2 + works),
        .number = (uint64_t)id * 2 + works,
        .name = name,
    };
    *track_id = track.id;
    return tk_timeline_track(t, &track, err);
}

static struct tk_timeline_lane *new_lane(const struct tk_scope_run *run)
{
    struct tk_timeline_lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        return NULL;
    const uint64_t thread = run->thread;
    if (run->kind == TK_LANE_THREAD)
        lane->track = TK_TRACK_ID(TK_TRACK_THREAD, thread << 1);
    else
        lane->track = queue_track(run->thread, run->kind == TK_LANE_GPU_WORK);
    lane->thread = run->thread;
    lane->kind = run->kind;
    lane->last = INT64_MIN;
    return lane;
}

/* Scopes of a thread that lie across others have lanes of their own, and each is a track: no viewer can show
 * scopes that are partly in each other. */
#define EXTRA_LANE   (UINT64_C(1) << 39) /* in ids of tracks */
#define EXTRA_NUMBER UINT64_C(1000000000)

static int count_lane(struct tk_timeline *t, struct tk_timeline_lane *lane, uint32_t number)
{
    uint32_t count = lane->kind == TK_LANE_THREAD ? tk_map_get(&t->lane_counts, lane->thread) : TK_MAP_NONE;
    if (lane->kind != TK_LANE_THREAD)
        return 0;
    lane->extra = count == TK_MAP_NONE ? 0 : count;
    lane->number = number;
    if (lane->extra)
        lane->track = TK_TRACK_ID(TK_TRACK_THREAD, EXTRA_LANE | (uint64_t)number << 1);
    return tk_map_put(&t->lane_counts, lane->thread, lane->extra + 1);
}

static int extra_track(struct tk_timeline *t, const struct tk_timeline_lane *lane, struct tk_err *err)
{
    const struct tk_thread *thread = tk_dict_thread(t->view->dict, lane->thread);
    char end[24];
    const int n = snprintf(end, sizeof end, " (%u)", lane->extra + 1);
    char *text = thread ? malloc(thread->displayed->n + sizeof end) : NULL;
    if (!text)
        return tk_err_nomem(err, "threads");
    memcpy(text, thread->displayed->p, thread->displayed->n);
    memcpy(text + thread->displayed->n, end, (size_t)n);
    const struct tk_str *name =
        tk_intern(&t->texts, text, thread->displayed->n + (size_t)n, thread->displayed->enc);
    free(text);
    if (!name)
        return tk_err_nomem(err, "the tracks of a timeline");
    const struct tk_track track = {
        .id = lane->track,
        .kind = TK_TRACK_THREAD,
        .rank = thread->info.sort_hint,
        .number = EXTRA_NUMBER + lane->number,
        .system_id = EXTRA_NUMBER + lane->number,
        .has_process = thread->info.has_process,
        .process_id = thread->info.process_id,
        .name = name,
        .group = thread->info.group,
        .process = thread->info.process,
    };
    return tk_timeline_track(t, &track, err);
}

static struct tk_timeline_lane *lane_of_timeline_lane(struct tk_timeline *t, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&t->lanes, (size_t)run->lane + 1))
        return NULL;
    if (!t->lanes.v[run->lane] && (t->lanes.v[run->lane] = new_lane(run)) &&
        count_lane(t, t->lanes.v[run->lane], run->lane))
        return NULL;
    return t->lanes.v[run->lane];
}

int tk_timeline_run(struct tk_timeline *t, const struct tk_scope_run *run, struct tk_err *err)
{
    struct tk_timeline_lane *lane = lane_of_timeline_lane(t, run);
    if (!lane)
        return tk_err_nomem(err, "the lanes of a timeline");
    int rc = TK_OK;
    if (!lane->named && lane->extra)
        rc = extra_track(t, lane, err);
    else if (!lane->named)
        rc = lane->kind == TK_LANE_THREAD
                 ? tk_timeline_thread(t, lane->thread, err)
                 : tk_timeline_queue(t, lane->thread, lane->kind == TK_LANE_GPU_WORK, &lane->track, err);
    lane->named = true;
    for (size_t i = 0; i < run->n && rc == TK_OK; i++)
        rc = step_timeline_lane(t, lane, run, i, err);
    return rc;
}

static int end_lane(struct tk_timeline *t, struct tk_timeline_lane *lane, struct tk_err *err)
{
    const int64_t last = t->view->last_time > lane->last ? t->view->last_time : lane->last;
    size_t n = 0;
    while (n < lane->stack.n && tk_select_touches(t->view->select, lane->stack.v[n].begin, INT64_MAX))
        n++;
    if (!n)
        return TK_OK;
    int rc = send_begins(t, lane, n, err);
    if (rc == TK_OK && t->shows_open)
        rc = send_ends(t, lane, 0, STILL_OPEN, lane->stack.v[0].lost ? lane->lost_at : last, err);
    return rc;
}

int tk_timeline_end(struct tk_timeline *t, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < t->lanes.n && rc == TK_OK; i++)
        if (t->lanes.v[i])
            rc = end_lane(t, t->lanes.v[i], err);
    return rc;
}

void tk_timeline_lane_free(struct tk_timeline_lane *lane)
{
    if (lane)
        tk_stack_release(&lane->stack);
    free(lane);
}
