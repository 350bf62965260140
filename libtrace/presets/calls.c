/*
 * Turns the items of a timeline into calls, in cycles. Presets call it and receive each call as it begins and
 * ends.
 *
 * Alongside the timeline a builder of no rows sits in the same reading: it requests what else has times, so
 * that the end of the session is known, and keeps the names when all is read.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/wrap.h"
#include "engine/run.h"
#include "model/timeline/timeline_items.h"
#include "presets/presets_in.h"
#include "query/tables.h"

#include <string.h>

struct tk_call_stack {
    uint64_t seq;
    TK_STACK(struct tk_call) open; /* outermost first */
};

double tk_calls_seconds(const struct tk_fact_clock *clock, int64_t cycles)
{
    return (double)cycles / (clock->frequency ? (double)clock->frequency : 1e9);
}

/* ---- names and times ---- */

static int open_names(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                      void **self, struct tk_err *err)
{
    struct tk_calls *c = builder->user;
    (void)wanted;
    (void)err;
    c->view = view;
    *self = c;
    return TK_OK;
}

static const struct tk_str *keep_calls(struct tk_calls *c, const struct tk_str *s)
{
    return s ? tk_intern(&c->texts, s->p, s->n, (enum tk_encoding)s->enc) : NULL;
}

/* Two EventSpecs with one name are one timer, the first; timers of other kinds are as they are defined. */
static uint32_t merged_by_name(const struct tk_dict *dict, uint32_t timer)
{
    const uint32_t first = tk_timer_keys_of(&dict->keys, timer);
    return first != timer && dict->timers.v[first].info.kind == TK_TIMER_SPEC &&
                   dict->timers.v[timer].info.kind == TK_TIMER_SPEC
               ? first
               : timer;
}

static int keep_timers(struct tk_calls *c, const struct tk_dict *dict)
{
    for (size_t i = 0; i < dict->timers.n; i++) {
        const struct tk_timer *timer = &dict->timers.v[i];
        const struct tk_call_timer kept = {.merged = merged_by_name(dict, (uint32_t)i) != i,
                                           .line = timer->info.line,
                                           .kind = timer->info.kind,
                                           .name = keep_calls(c, timer->displayed),
                                           .file = keep_calls(c, timer->info.file)};
        if ((timer->displayed && !kept.name) || (timer->info.file && !kept.file) ||
            tk_vec_push(&c->timers, kept))
            return -1;
    }
    return 0;
}

static int keep_queues(struct tk_calls *c, const struct tk_dict *dict)
{
    for (size_t i = 0; i < dict->queues.n; i++) {
        struct tk_fact_gpu_queue queue = dict->queues.v[i];
        if (!queue.name)
            continue;
        queue.name = keep_calls(c, queue.name);
        queue.type = NULL;
        if (!queue.name || tk_vec_push(&c->queues, queue))
            return -1;
    }
    return 0;
}

static int finish_names(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_calls *c = self;
    (void)emit;
    c->clock = c->view->dict->clock;
    c->last = c->view->has_time && c->view->last_time > 0 ? c->view->last_time : 0;
    return keep_timers(c, c->view->dict) || keep_queues(c, c->view->dict)
               ? tk_err_nomem(err, "names of timers")
               : TK_OK;
}

static struct tk_builder names_builder(struct tk_calls *c)
{
    static const struct tk_table table = {.name = "names", .help = "names of what is called"};
    return (struct tk_builder){
        .table = &table,
        .needs = {.facts = TK_FACT_MASK(FRAME) | TK_FACT_MASK(REGION) | TK_FACT_MASK(BOOKMARK) |
                           TK_FACT_MASK(LOG) | TK_FACT_MASK(COUNTER_VALUE)},
        .user = c,
        .open = open_names,
        .finish = finish_names,
    };
}

/* ---- frames ---- */

/* Rows of `frames`: type, index, begin, end in cycles of the clock. */
static int take_frames_calls(void *self, const struct tk_table *table, const struct tk_rows *rows,
                             struct tk_err *err)
{
    struct tk_calls *c = self;
    enum { TYPE, INDEX, BEGIN, END };
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        const struct tk_fact_clock *clock = &c->view->dict->clock;
        struct tk_range frame = {tk_clock_of_cycles(clock, row[BEGIN].v.i), INT64_MAX};
        if (row[END].kind != TK_NONE)
            frame.to = tk_clock_of_cycles(clock, row[END].v.i);
        if (row[TYPE].v.u == 0 && tk_vec_push(&c->frames, frame))
            return tk_err_nomem(err, "frames");
    }
    return TK_OK;
}

/* ---- calls ---- */

static int take_track_calls(void *self, const struct tk_track *reported, struct tk_err *err)
{
    struct tk_calls *c = self;
    struct tk_call_track track = {.gpu = reported->kind == TK_TRACK_GPU, .wanted = true};
    struct tk_call_stack *stack;
    if (reported->kind != TK_TRACK_THREAD && (reported->kind != TK_TRACK_GPU || reported->number & 1))
        return TK_OK;
    track.thread = (uint32_t)(track.gpu ? reported->number / 2 : reported->number);
    track.name = keep_calls(c, reported->name);
    const struct tk_fact_gpu_queue *queue = track.gpu ? tk_dict_queue(c->view->dict, track.thread) : NULL;
    track.key = queue ? queue->key : track.thread;
    int rc = c->taker->track ? c->taker->track(c->self, &track, err) : TK_OK;
    if (rc < 0)
        return rc;
    stack = calloc(1, sizeof *stack);
    if (!track.name || !stack || tk_map_put(&c->index, reported->id, (uint32_t)c->tracks.n) ||
        tk_vec_reserve(&c->tracks, c->tracks.n + 1) || tk_vec_push(&c->stacks, stack)) {
        free(stack);
        return tk_err_nomem(err, "threads");
    }
    c->tracks.v[c->tracks.n++] = track;
    return TK_OK;
}

static bool is_outer(const struct tk_call_stack *stack, uint32_t timer)
{
    for (size_t i = stack->open.n; i-- > 0;)
        if (stack->open.v[i].timer == timer)
            return false;
    return true;
}

static int begin_calls(struct tk_calls *c, uint32_t track, const struct tk_item *item, struct tk_err *err)
{
    struct tk_call_stack *stack = c->stacks.v[track];
    const uint32_t timer = merged_by_name(c->view->dict, item->timer);
    const struct tk_call call = {.track = track,
                                 .timer = timer,
                                 .depth = (uint32_t)stack->open.n,
                                 .outer = is_outer(stack, timer),
                                 .seq = stack->seq++,
                                 .begin = item->cycles,
                                 .end = TK_CALL_NEVER};
    if (tk_stack_push(&stack->open, call))
        return tk_err_nomem(err, "open scopes");
    return c->taker->begin ? c->taker->begin(c->self, &call, err) : TK_OK;
}

static int end_calls(struct tk_calls *c, struct tk_call_stack *stack, int64_t cycles, struct tk_err *err)
{
    struct tk_call *call = tk_stack_pop(&stack->open);
    if (!call)
        return TK_OK;
    call->end = cycles;
    return c->taker->end ? c->taker->end(c->self, call, err) : TK_OK;
}

static int take_items(void *self, const struct tk_item *items, size_t n, struct tk_err *err)
{
    struct tk_calls *c = self;
    int rc = TK_OK;
    uint64_t last_id = 0;
    uint32_t track = TK_MAP_NONE;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        if (items[i].kind > TK_ITEM_END)
            continue;
        if (items[i].track != last_id)
            track = tk_map_get(&c->index, last_id = items[i].track);
        if (track == TK_MAP_NONE || !c->tracks.v[track].wanted)
            continue;
        rc = items[i].kind == TK_ITEM_BEGIN ? begin_calls(c, track, &items[i], err)
                                            : end_calls(c, c->stacks.v[track], items[i].cycles, err);
    }
    return rc;
}

static int end_never(struct tk_calls *c, struct tk_err *err)
{
    int rc = c->taker->done ? c->taker->done(c->self, err) : TK_OK;
    for (size_t i = 0; i < c->stacks.n; i++)
        while (rc == TK_OK && c->stacks.v[i]->open.n)
            rc = end_calls(c, c->stacks.v[i], TK_CALL_NEVER, err);
    return rc;
}

int tk_calls_read(struct tk_calls *c, const struct tk_preset_job *job, struct tk_err *err)
{
    const struct tk_timeline_sink items = {.self = c, .track = take_track_calls, .items = take_items};
    const struct tk_sink rows = {.self = c, .rows = take_frames_calls};
    const struct tk_query query = {
        .size = sizeof query, .unit = TK_UNIT_CYCLES, .mixed = true, .by = TK_BY_EXTRA};
    struct tk_timeline timeline;
    int rc = tk_timeline_init(&timeline, &items, err);
    timeline.closes = c->closes;
    if (rc == TK_OK) {
        const struct tk_builder scopes = tk_timeline_builder(&timeline), names = names_builder(c);
        const struct tk_builder *const builders[] = {&scopes, &tk_builder_frames, &names};
        rc = tk_run(job->ctx, job->capture, builders, 3, &query, &rows, err);
    }
    tk_timeline_release(&timeline);
    c->view = NULL;
    return rc == TK_OK ? end_never(c, err) : rc;
}

void tk_calls_release(struct tk_calls *c)
{
    for (size_t i = 0; i < c->stacks.n; i++) {
        tk_stack_release(&c->stacks.v[i]->open);
        free(c->stacks.v[i]);
    }
    tk_vec_release(&c->stacks);
    tk_vec_release(&c->tracks);
    tk_vec_release(&c->timers);
    tk_vec_release(&c->queues);
    tk_vec_release(&c->frames);
    tk_map_release(&c->index);
    tk_intern_release(&c->texts);
}
