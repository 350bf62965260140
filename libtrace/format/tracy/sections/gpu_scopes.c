/*
 * GPU zones as scopes; see gpu_zones.h. Their timers follow those of the zones of threads.
 */
#include "format/tracy/sections/gpu_zones.h"

#include <stdio.h>
#include <string.h>

/* The timers of GPU zones are numbered in order of first use; by the 16 bits of the location, 0 none yet. */
#define LOCATIONS 65536u

static int say_timer(struct tk_tracy_walk *w, int16_t location, uint32_t id)
{
    struct tk_tracy_place place = tk_tracy_location_of(&w->c->locations, &w->c->strings, location);
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_TIMER, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.timer = (struct tk_fact_timer){.id = id,
                                           .kind = TK_TIMER_GPU,
                                           .line = place.line,
                                           .colour = place.colour,
                                           .name = tk_tracy_intern(w->c, place.name),
                                           .file = tk_tracy_intern(w->c, place.file)};
    return fact->u.timer.name ? TK_OK : TK_ENOMEM;
}

static int timer_of_gpu_scopes(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s, int16_t location,
                               uint32_t *out)
{
    uint16_t at = (uint16_t)location;
    if (!w->gpu_timers.n) {
        if (tk_vec_reserve(&w->gpu_timers, LOCATIONS))
            return TK_ENOMEM;
        memset(w->gpu_timers.v, 0, LOCATIONS * sizeof *w->gpu_timers.v);
        w->gpu_timers.n = LOCATIONS;
    }
    *out = w->gpu_timers.v[at];
    if (*out)
        return TK_OK;
    *out = w->gpu_timers.v[at] = w->c->locations.unknown + ++s->n_timers;
    return say_timer(w, location, *out);
}

/* "NAME", or the type and the number; behind it the thread, where a context has a timeline for each. */
static const struct tk_str *queue_name(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c,
                                       const struct tk_tracy_gpu_timeline *timeline)
{
    const struct tk_str *type = tk_tracy_gpu_type(c->type);
    const struct tk_str *name = c->name ? c->name : type ? type : tk_tracy_gpu_type(0);
    char text[256];
    int n = snprintf(text, sizeof text, "%.*s", (int)(name->n < 160 ? name->n : 160), name->p);
    if (!c->name)
        n += snprintf(text + n, sizeof text - (size_t)n, " %u", c->number);
    if (!timeline->alone && timeline->thread != TK_NO_THREAD)
        n += snprintf(text + n, sizeof text - (size_t)n, " (thread %u)", timeline->thread);
    return tk_intern(&w->c->interned, text, (size_t)n, TK_ENC_UTF8);
}

int tk_tracy_gpu_scopes_begin(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s,
                              const struct tk_tracy_gpu_context *c,
                              const struct tk_tracy_gpu_timeline *timeline)
{
    s->queue = s->n_queues++;
    s->has_lane = false;
    s->last = INT64_MIN;
    s->from = w->out->n_ops;
    if (!tk_tracy_wants_fact(w, TK_FACT_GPU_SCOPES) && !tk_tracy_wants_fact(w, TK_FACT_GPU))
        return TK_OK;
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_GPU_QUEUE, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.gpu_queue = (struct tk_fact_gpu_queue){
        .id = s->queue,
        .gpu = c->number,
        .index = timeline->index,
        .key = s->queue,
        .type = tk_tracy_gpu_type(c->type),
        .name = queue_name(w, c, timeline),
    };
    return fact->u.gpu_queue.name ? TK_OK : TK_ENOMEM;
}

/* A begin whose time never came is that of what came before; then it has no end either. */
int tk_tracy_gpu_scopes_put(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s,
                            const struct tk_tracy_gpu_event *ev)
{
    struct tk_tracy_batch *out = w->out;
    uint32_t op = ev->gpu < 0 ? TK_OP_LOSE : TK_OP_END;
    if (!tk_tracy_wants_fact(w, TK_FACT_GPU_SCOPES))
        return TK_OK;
    if (ev->begin && timer_of_gpu_scopes(w, s, ev->location, &op) != TK_OK)
        return TK_ENOMEM;
    if (ev->gpu >= 0)
        s->last = ev->gpu;
    if (out->cpu)
        out->cpu[out->n_ops] = ev->cpu < 0 ? INT64_MIN : ev->cpu;
    out->time[out->n_ops] = s->last == INT64_MIN ? ev->cpu : s->last;
    out->op[out->n_ops++] = op;
    return TK_OK;
}

/* The entries of the timeline since the batch began. */
int tk_tracy_gpu_scopes_end_run(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s)
{
    struct tk_tracy_batch *out = w->out;
    size_t from = s->from;
    s->from = out->n_ops;
    if (from == out->n_ops)
        return TK_OK;
    struct tk_scope_run run = {.thread = s->queue,
                               .n = out->n_ops - from,
                               .time = out->time + from,
                               .op = out->op + from,
                               .cpu = out->cpu ? out->cpu + from : NULL,
                               .kind = TK_LANE_GPU};
    if (!s->has_lane)
        s->lane = w->lanes++;
    s->has_lane = true;
    run.lane = s->lane;
    return tk_vec_push(&out->runs, run) ? TK_ENOMEM : TK_OK;
}
