/* Zones and the sections behind them, and a whole capture (tracy-file 5.10 to 5.12). */
#include "format/tracy/file/sections_out.h"
#include "tracy_values.h"

#include <stdlib.h>
#include <string.h>

/* ---- zones ---- */

static void put_n(struct tk_tw *w, uint64_t n)
{
    tk_tracy_put(&w->out, n, 8);
}

void tk_tw_front(struct tk_tw *w, uint64_t zones)
{
    tk_tw_put_front(w, zones);
    put_n(w, zones);
    put_n(w, 0);
    put_n(w, w->trace->n_threads);
}

void tk_tw_thread(struct tk_tw *w, size_t thread, uint64_t zones, uint32_t roots)
{
    const struct tk_tw_thread *t = &w->trace->threads[thread];
    const struct tk_tracy_thread head = {t->tid, zones, 0, t->fiber, 0};

    tk_tracy_put_thread(&w->out, &head);
    tk_tracy_put_roots(&w->out, roots);
}

void tk_tw_zone_begin(struct tk_tw *w, int16_t location, int64_t start, uint32_t extra, uint32_t children)
{
    tk_tracy_put_zone_begin(&w->out, location, start, extra, children);
}

void tk_tw_zone_end(struct tk_tw *w, int64_t end)
{
    tk_tracy_put_zone_end(&w->out, end);
}

static void put_samples(struct tk_tw *w, const struct tk_tw_sample *samples, size_t n)
{
    tk_tracy_put_list(&w->out, n);
    for (size_t i = 0; i < n; i++)
        tk_tracy_put_sample(&w->out, &(struct tk_tracy_sample){samples[i].time, samples[i].callstack});
}

void tk_tw_thread_lists(struct tk_tw *w, size_t thread)
{
    const struct tk_tw_thread *t = &w->trace->threads[thread];
    uint64_t n = 0;

    for (size_t i = 0; i < w->trace->n_messages; i++)
        n += w->trace->messages[i].thread == thread;
    put_n(w, n);
    for (size_t i = 0; i < w->trace->n_messages; i++)
        if (w->trace->messages[i].thread == thread)
            tk_tracy_put_thread_message(&w->out, &(struct tk_tracy_thread_message){TK_TW_MESSAGE_KEY + i});
    if (w->out.layout.switch_samples)
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

static void put_gpu_begin(struct tk_tw *w, const struct tk_tw_gpu *g, size_t i)
{
    const struct tk_tw_gpu_zone *z = &g->zones[i];
    const struct tk_tracy_gpu_begin begin = {z->cpu_start, z->gpu_start,
                                             z->location,  z->callstack,
                                             z->thread,    count_children(g->zones, g->n, i, gpu_depth)};

    tk_tracy_put_gpu_begin(&w->out, &begin);
}

static void put_gpu_end(struct tk_tw *w, const struct tk_tw_gpu_zone *z)
{
    tk_tracy_put_gpu_end(&w->out, &(struct tk_tracy_gpu_end){z->cpu_end, z->gpu_end, z->query});
}

static void put_gpu_zones(struct tk_tw *w, const struct tk_tw_gpu *g)
{
    size_t *open = calloc(g->n + 1, sizeof(*open)), depth = 0;

    w->sink.failed |= !open;
    for (size_t i = 0; i < g->n && open; i++) {
        uint32_t next = i + 1 < g->n ? g->zones[i + 1].depth : 0;

        put_gpu_begin(w, g, i);
        for (open[depth++] = i; depth > next; depth--)
            put_gpu_end(w, &g->zones[open[depth - 1]]);
    }
    free(open);
}

static void put_gpu(struct tk_tw *w, const struct tk_tw_gpu *g)
{
    const struct tk_tracy_gpu_context head = {g->tid, false, g->n, g->period, g->type, tk_tw_index(g->name),
                                              0};

    tk_tracy_put_gpu_context(&w->out, &head);
    if (w->out.layout.gpu_notes)
        put_n(w, 0);
    put_n(w, 1);
    tk_tracy_put_gpu_timeline(&w->out,
                              &(struct tk_tracy_gpu_timeline){0, count_roots(g->zones, g->n, gpu_depth)});
    w->out.time = w->out.gpu_time = 0;
    put_gpu_zones(w, g);
    if (w->out.layout.gpu_notes)
        put_n(w, 0);
}

static void put_gpus(struct tk_tw *w)
{
    uint64_t zones = 0;

    for (size_t i = 0; i < w->trace->n_gpus; i++)
        zones += w->trace->gpus[i].n;
    put_n(w, zones);
    put_n(w, 0);
    put_n(w, w->trace->n_gpus);
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
    const struct tk_tracy_plot head = {p->type, p->format, 0, 1, 0, tk_tw_pointer_of(p->name), min, max, sum};

    tk_tracy_put_plot(&w->out, &head);
    tk_tracy_put_list(&w->out, p->n);
    for (size_t i = 0; i < p->n; i++)
        tk_tracy_put_point(&w->out, &(struct tk_tracy_point){p->points[i].time, p->points[i].value});
}

static void put_memory_event(struct tk_tw *w, const struct tk_tw_memory *m)
{
    const struct tk_tracy_memory e = {.address = m->address,
                                      .size = m->size,
                                      .callstack = m->callstack,
                                      .time = m->time,
                                      .life = tk_tracy_life(m->time, m->freed < 0 ? -1 : m->freed),
                                      .thread = m->thread,
                                      .free_thread = m->freed < 0 ? 0 : m->thread};

    tk_tracy_put_memory(&w->out, &e);
}

static void put_pool(struct tk_tw *w, const struct tk_tw_pool *p)
{
    struct tk_tracy_pool head = {.name = tk_tw_pointer_of(p->name), .n = p->n};
    struct tk_tracy_pool_end end = {.low = UINT64_MAX, .name = head.name};

    for (size_t i = 0; i < p->n; i++) {
        const struct tk_tw_memory *m = &p->events[i];

        end.high = m->address + m->size > end.high ? m->address + m->size : end.high;
        end.low = m->address < end.low ? m->address : end.low;
        end.used += m->freed < 0 ? m->size : 0;
        head.active += m->freed < 0;
    }
    head.frees = p->n - head.active;
    tk_tracy_put_pool(&w->out, &head);
    w->out.time = 0;
    for (size_t i = 0; i < p->n; i++)
        put_memory_event(w, &p->events[i]);
    tk_tracy_put_pool_end(&w->out, &end);
}

/* Before 0.7.3 there is exactly one pool. */
static void put_memory(struct tk_tw *w)
{
    static const struct tk_tw_pool empty = {.name = -1};
    size_t n = w->trace->n_pools;
    uint64_t events = 0;

    if (!w->out.layout.named_pools) {
        put_pool(w, n ? w->trace->pools : &empty);
        return;
    }
    for (size_t i = 0; i < n; i++)
        events += w->trace->pools[i].n;
    put_n(w, n ? n : 1);
    put_n(w, events);
    for (size_t i = 0; i < n; i++)
        put_pool(w, &w->trace->pools[i]);
    if (!n)
        put_pool(w, &empty);
}

void tk_tw_rest(struct tk_tw *w)
{
    put_gpus(w);
    put_n(w, w->trace->n_plots);
    for (size_t i = 0; i < w->trace->n_plots; i++)
        put_plot(w, &w->trace->plots[i]);
    put_memory(w);
    tk_tw_put_back(w);
}

void tk_tw_open(struct tk_tw *w, const struct tk_tw_options *options, const struct tk_tw_trace *trace)
{
    const struct tk_tracy_packing packing = tk_tw_packing(options->container, options->codec, options->level,
                                                          options->streams ? options->streams : 1);

    memset(w, 0, sizeof(*w));
    w->trace = trace;
    if (options->memory)
        tk_uw_sink_memory(&w->sink, options->memory);
    else
        tk_uw_sink_open(&w->sink, options->path);
    tk_tracy_writer_open(&w->out, options->version, &packing, tk_tw_write_sink, &w->sink, NULL);
}

int tk_tw_close(struct tk_tw *w)
{
    w->sink.failed |= tk_tracy_writer_close(&w->out) != TK_OK;
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
