/* Zones and the sections behind them, and a whole capture; see tracy_writer.h and tracy-file 5.10 to 5.12. */
#include "tracy_values.h"

#include <stdlib.h>
#include <string.h>

/* ---- zones ---- */

void tk_tw_front(struct tk_tw *w, uint64_t zones)
{
    tk_tw_put_front(w, zones);
    tk_tw_put(w, zones, 8);
    tk_tw_put(w, 0, 8);
    tk_tw_put(w, w->trace->n_threads, 8);
}

void tk_tw_thread(struct tk_tw *w, size_t thread, uint64_t zones, uint32_t roots)
{
    const struct tk_tw_thread *t = &w->trace->threads[thread];

    tk_tw_put(w, t->tid, 8);
    tk_tw_put(w, zones, 8);
    if (tk_tw_since(w, 0, 7, 9))
        tk_tw_put(w, 0, 8);
    if (tk_tw_since(w, 0, 7, 11))
        tk_tw_put(w, t->fiber, 1);
    if (tk_tw_since(w, 0, 11, 1))
        tk_tw_put(w, 0, 4);
    tk_tw_put(w, roots, 4);
    tk_tw_begin_times(w);
}

void tk_tw_zone_begin(struct tk_tw *w, int16_t location, int64_t start, uint32_t extra, uint32_t children)
{
    tk_tw_put(w, (uint16_t)location, 2);
    tk_tw_put_time(w, start);
    tk_tw_put(w, (uint64_t)extra | (uint64_t)children << 32, 8);
}

void tk_tw_zone_end(struct tk_tw *w, int64_t end)
{
    tk_tw_put_time(w, end);
}

static void put_samples(struct tk_tw *w, const struct tk_tw_sample *samples, size_t n)
{
    tk_tw_put(w, n, 8);
    tk_tw_begin_times(w);
    for (size_t i = 0; i < n; i++) {
        tk_tw_put_time(w, samples[i].time);
        tk_tw_put(w, samples[i].callstack, 3);
    }
}

void tk_tw_thread_lists(struct tk_tw *w, size_t thread)
{
    const struct tk_tw_thread *t = &w->trace->threads[thread];
    uint64_t n = 0;

    for (size_t i = 0; i < w->trace->n_messages; i++)
        n += w->trace->messages[i].thread == thread;
    tk_tw_put(w, n, 8);
    for (size_t i = 0; i < w->trace->n_messages; i++)
        if (w->trace->messages[i].thread == thread)
            tk_tw_put(w, TK_TW_MESSAGE_KEY + i, 8);
    if (tk_tw_since(w, 0, 7, 14))
        put_samples(w, t->switch_samples, t->n_switch_samples);
    put_samples(w, t->samples, t->n_samples);
}

/* How many of what follows item i belong directly to it; `depth` reads an item's depth. */
typedef uint32_t depth_fn(const void *items, size_t i);

static uint32_t count_children(const void *items, size_t n, size_t i, depth_fn *depth)
{
    uint32_t children = 0;

    for (size_t k = i + 1; k < n && depth(items, k) > depth(items, i); k++)
        children += depth(items, k) == depth(items, i) + 1;
    return children;
}

static uint32_t count_roots(const void *items, size_t n, depth_fn *depth)
{
    uint32_t roots = 0;

    for (size_t i = 0; i < n; i++)
        roots += depth(items, i) == 0;
    return roots;
}

static uint32_t zone_depth(const void *items, size_t i)
{
    return ((const struct tk_tw_zone *)items)[i].depth;
}

/* A zone ends before one of its own or a lesser depth begins. */
static void put_zones(struct tk_tw *w, const struct tk_tw_thread *t)
{
    size_t *open = calloc(t->n + 1, sizeof(*open)), depth = 0;

    w->sink.failed |= !open;
    for (size_t i = 0; i < t->n && open; i++) {
        const struct tk_tw_zone *z = &t->zones[i];
        uint32_t next = i + 1 < t->n ? z[1].depth : 0;

        tk_tw_zone_begin(w, z->location, z->start, z->extra, count_children(t->zones, t->n, i, zone_depth));
        for (open[depth++] = i; depth > next; depth--)
            tk_tw_zone_end(w, t->zones[open[depth - 1]].end);
    }
    free(open);
}

static void put_thread(struct tk_tw *w, size_t thread)
{
    const struct tk_tw_thread *t = &w->trace->threads[thread];

    tk_tw_thread(w, thread, t->n, count_roots(t->zones, t->n, zone_depth));
    put_zones(w, t);
    tk_tw_thread_lists(w, thread);
}

/* ---- GPU ---- */

static uint32_t gpu_depth(const void *items, size_t i)
{
    return ((const struct tk_tw_gpu_zone *)items)[i].depth;
}

/* The GPU's running time is kept beside the CPU's; both begin at 0 in a timeline. */
static void put_gpu_times(struct tk_tw *w, int64_t cpu, int64_t gpu, int64_t *gpu_time)
{
    tk_tw_put_time(w, cpu);
    tk_tw_put(w, (uint64_t)gpu - (uint64_t)*gpu_time, 8);
    *gpu_time = gpu;
}

static void put_gpu_zones(struct tk_tw *w, const struct tk_tw_gpu *g)
{
    int64_t gpu_time = 0;
    size_t *open = calloc(g->n + 1, sizeof(*open)), depth = 0;

    w->sink.failed |= !open;
    tk_tw_begin_times(w);
    for (size_t i = 0; i < g->n && open; i++) {
        const struct tk_tw_gpu_zone *z = &g->zones[i];
        uint32_t next = i + 1 < g->n ? z[1].depth : 0;

        put_gpu_times(w, z->cpu_start, z->gpu_start, &gpu_time);
        tk_tw_put(w, (uint16_t)z->location, 2);
        tk_tw_put(w, z->callstack, 3);
        tk_tw_put(w, z->thread, 2);
        tk_tw_put(w, count_children(g->zones, g->n, i, gpu_depth), 8);
        for (open[depth++] = i; depth > next; depth--) {
            const struct tk_tw_gpu_zone *e = &g->zones[open[depth - 1]];

            put_gpu_times(w, e->cpu_end, e->gpu_end, &gpu_time);
            if (tk_tw_since(w, 0, 12, 4))
                tk_tw_put(w, e->query, 2);
        }
    }
    free(open);
}

static void put_gpu(struct tk_tw *w, const struct tk_tw_gpu *g)
{
    tk_tw_put(w, g->tid, 8);
    tk_tw_put(w, 0, 1);
    tk_tw_put(w, g->n, 8);
    tk_uw_f32(&w->blocks.pending, g->period);
    tk_tw_put(w, g->type, 1);
    if (tk_tw_since(w, 0, 7, 6))
        tk_tw_put_index(w, g->name);
    if (tk_tw_since(w, 0, 7, 9))
        tk_tw_put(w, 0, 8);
    if (tk_tw_since(w, 0, 12, 4))
        tk_tw_put(w, 0, 8);
    tk_tw_put(w, 1, 8);
    tk_tw_put(w, 0, 8);
    tk_tw_put(w, count_roots(g->zones, g->n, gpu_depth), 8);
    put_gpu_zones(w, g);
    if (tk_tw_since(w, 0, 12, 4))
        tk_tw_put(w, 0, 8);
}

static void put_gpus(struct tk_tw *w)
{
    uint64_t zones = 0;

    for (size_t i = 0; i < w->trace->n_gpus; i++)
        zones += w->trace->gpus[i].n;
    tk_tw_put(w, zones, 8);
    tk_tw_put(w, 0, 8);
    tk_tw_put(w, w->trace->n_gpus, 8);
    for (size_t i = 0; i < w->trace->n_gpus; i++)
        put_gpu(w, &w->trace->gpus[i]);
}

/* ---- plots, memory ---- */

static void put_plot(struct tk_tw *w, const struct tk_tw_plot *p)
{
    double min = p->n ? p->points[0].value : 0, max = min, sum = 0;

    for (size_t i = 0; i < p->n; i++) {
        min = p->points[i].value < min ? p->points[i].value : min;
        max = p->points[i].value > max ? p->points[i].value : max;
        sum += p->points[i].value;
    }
    tk_tw_put(w, p->type, 1);
    tk_tw_put(w, p->format, 1);
    if (tk_tw_since(w, 0, 8, 3))
        tk_tw_put(w, 0x0100, 6); /* no steps, filled, no colour */
    tk_tw_put(w, tk_tw_pointer_of(p->name), 8);
    tk_tw_put_real(w, min);
    tk_tw_put_real(w, max);
    if (tk_tw_since(w, 0, 7, 10))
        tk_tw_put_real(w, sum);
    tk_tw_put(w, p->n, 8);
    tk_tw_begin_times(w);
    for (size_t i = 0; i < p->n; i++) {
        tk_tw_put_time(w, p->points[i].time);
        tk_tw_put_real(w, p->points[i].value);
    }
}

static void put_memory_event(struct tk_tw *w, const struct tk_tw_memory *m)
{
    tk_tw_put(w, m->address, 8);
    tk_tw_put(w, m->size, 8);
    tk_tw_put(w, m->callstack, 3);
    tk_tw_put(w, 0, 3);
    tk_tw_put_time(w, m->time);
    tk_tw_put(w, m->freed < 0 ? UINT64_MAX : (uint64_t)(m->freed - m->time), 8);
    tk_tw_put(w, m->thread, 2);
    tk_tw_put(w, m->freed < 0 ? 0 : m->thread, 2);
}

static void put_pool(struct tk_tw *w, const struct tk_tw_pool *p)
{
    uint64_t high = 0, low = UINT64_MAX, used = 0, active = 0;

    for (size_t i = 0; i < p->n; i++) {
        const struct tk_tw_memory *m = &p->events[i];

        high = m->address + m->size > high ? m->address + m->size : high;
        low = m->address < low ? m->address : low;
        used += m->freed < 0 ? m->size : 0;
        active += m->freed < 0;
    }
    if (tk_tw_since(w, 0, 7, 3))
        tk_tw_put(w, tk_tw_pointer_of(p->name), 8);
    tk_tw_put(w, p->n, 8);
    tk_tw_put(w, active, 8);
    tk_tw_put(w, p->n - active, 8);
    tk_tw_begin_times(w);
    for (size_t i = 0; i < p->n; i++)
        put_memory_event(w, &p->events[i]);
    tk_tw_put(w, high, 8);
    tk_tw_put(w, low, 8);
    tk_tw_put(w, used, 8);
    if (tk_tw_since(w, 0, 7, 3))
        tk_tw_put(w, tk_tw_pointer_of(p->name), 8);
}

/* Before 0.7.3 there is exactly one pool. */
static void put_memory(struct tk_tw *w)
{
    static const struct tk_tw_pool empty = {.name = -1};
    size_t n = w->trace->n_pools;
    uint64_t events = 0;

    if (!tk_tw_since(w, 0, 7, 3)) {
        put_pool(w, n ? w->trace->pools : &empty);
        return;
    }
    for (size_t i = 0; i < n; i++)
        events += w->trace->pools[i].n;
    tk_tw_put(w, n ? n : 1, 8);
    tk_tw_put(w, events, 8);
    for (size_t i = 0; i < n; i++)
        put_pool(w, &w->trace->pools[i]);
    if (!n)
        put_pool(w, &empty);
}

void tk_tw_rest(struct tk_tw *w)
{
    put_gpus(w);
    tk_tw_put(w, w->trace->n_plots, 8);
    for (size_t i = 0; i < w->trace->n_plots; i++)
        put_plot(w, &w->trace->plots[i]);
    put_memory(w);
    tk_tw_put_back(w);
}

void tk_tw_open(struct tk_tw *w, const struct tk_tw_options *options, const struct tk_tw_trace *trace)
{
    memset(w, 0, sizeof(*w));
    w->version = options->version;
    w->trace = trace;
    if (options->memory)
        tk_uw_sink_memory(&w->sink, options->memory);
    else
        tk_uw_sink_open(&w->sink, options->path);
    tk_tw_blocks_open(&w->blocks, &w->sink, options->container, options->codec, options->level,
                      options->streams ? options->streams : 1);
}

int tk_tw_close(struct tk_tw *w)
{
    tk_tw_blocks_close(&w->blocks);
    return tk_uw_sink_close(&w->sink);
}

int tk_tw_write(const struct tk_tw_options *options, const struct tk_tw_trace *trace)
{
    struct tk_tw w;
    uint64_t zones = 0;

    for (size_t i = 0; i < trace->n_threads; i++)
        zones += trace->threads[i].n;
    tk_tw_open(&w, options, trace);
    tk_tw_front(&w, zones);
    for (size_t i = 0; i < trace->n_threads; i++)
        put_thread(&w, i);
    tk_tw_rest(&w);
    return tk_tw_close(&w);
}
