/*
 * Puts the records of zones and of what follows them, by the layout of the version (tracy-file 5.10 to 5.22).
 * Recorder, editor and the writer of the tests use it.
 */
#include "format/tracy/file/sections_out.h"

#include <string.h>

/* ---- zones ---- */

void tk_tracy_put_thread(struct tk_tracy_writer *w, const struct tk_tracy_thread_head *t)
{
    tk_tracy_put(w, t->tid, 8);
    tk_tracy_put(w, t->zones, 8);
    if (w->layout.kernel_samples)
        tk_tracy_put(w, t->kernel_samples, 8);
    if (w->layout.fiber)
        tk_tracy_put(w, t->fiber, 1);
    if (w->layout.group_hint)
        tk_tracy_put(w, (uint32_t)t->hint, 4);
    tk_tracy_put(w, t->roots, 4);
    w->time = 0;
}

void tk_tracy_put_samples(struct tk_tracy_writer *w, uint64_t n)
{
    tk_tracy_put(w, n, 8);
    w->time = 0;
}

void tk_tracy_put_sample(struct tk_tracy_writer *w, int64_t time, uint32_t callstack)
{
    tk_tracy_put_time(w, time);
    tk_tracy_put(w, callstack, 3);
}

/* ---- GPU ---- */

void tk_tracy_put_gpu(struct tk_tracy_writer *w, const struct tk_tracy_gpu_head *g)
{
    uint32_t period;
    memcpy(&period, &g->period, sizeof period);
    tk_tracy_put(w, g->tid, 8);
    tk_tracy_put(w, g->calibrated, 1);
    tk_tracy_put(w, g->zones, 8);
    tk_tracy_put(w, period, 4);
    tk_tracy_put(w, g->type, 1);
    if (w->layout.gpu_name)
        tk_tracy_put_index(w, g->name);
    if (w->layout.gpu_overflow)
        tk_tracy_put(w, g->overflow, 8);
}

void tk_tracy_put_gpu_timeline(struct tk_tracy_writer *w, uint64_t tid, uint64_t zones)
{
    tk_tracy_put(w, tid, 8);
    tk_tracy_put(w, zones, 8);
    w->time = w->gpu_time = 0;
}

static void put_gpu_times(struct tk_tracy_writer *w, int64_t cpu, int64_t gpu)
{
    tk_tracy_put_time(w, cpu);
    tk_tracy_put(w, (uint64_t)gpu - (uint64_t)w->gpu_time, 8);
    w->gpu_time = gpu;
}

void tk_tracy_put_gpu_zone_begin(struct tk_tracy_writer *w, const struct tk_tracy_gpu_zone *z)
{
    put_gpu_times(w, z->cpu_start, z->gpu_start);
    tk_tracy_put(w, (uint16_t)z->location, 2);
    tk_tracy_put(w, z->callstack, 3);
    tk_tracy_put(w, z->thread, 2);
    tk_tracy_put(w, z->children, 8);
}

void tk_tracy_put_gpu_zone_end(struct tk_tracy_writer *w, const struct tk_tracy_gpu_zone *z)
{
    put_gpu_times(w, z->cpu_end, z->gpu_end);
    if (w->layout.gpu_notes)
        tk_tracy_put(w, z->query, 2);
}

/* ---- plots, memory ---- */

void tk_tracy_put_plot(struct tk_tracy_writer *w, const struct tk_tracy_plot_head *p)
{
    tk_tracy_put(w, p->type, 1);
    tk_tracy_put(w, p->format, 1);
    if (w->layout.plot_style) {
        tk_tracy_put(w, p->steps, 1);
        tk_tracy_put(w, p->fill, 1);
        tk_tracy_put(w, p->colour, 4);
    }
    tk_tracy_put(w, p->name, 8);
    tk_tracy_put_real(w, p->min);
    tk_tracy_put_real(w, p->max);
    if (w->layout.plot_sum)
        tk_tracy_put_real(w, p->sum);
    tk_tracy_put(w, p->n, 8);
    w->time = 0;
}

void tk_tracy_put_point(struct tk_tracy_writer *w, int64_t time, double value)
{
    tk_tracy_put_time(w, time);
    tk_tracy_put_real(w, value);
}

void tk_tracy_put_pool(struct tk_tracy_writer *w, const struct tk_tracy_pool_head *p)
{
    if (w->layout.named_pools)
        tk_tracy_put(w, p->name, 8);
    tk_tracy_put(w, p->n, 8);
    tk_tracy_put(w, p->active, 8);
    tk_tracy_put(w, p->frees, 8);
    w->time = 0;
}

void tk_tracy_put_memory(struct tk_tracy_writer *w, const struct tk_tracy_memory_event *m)
{
    tk_tracy_put(w, m->address, 8);
    tk_tracy_put(w, m->size, 8);
    tk_tracy_put(w, m->callstack, 3);
    tk_tracy_put(w, m->free_callstack, 3);
    tk_tracy_put_time(w, m->time);
    tk_tracy_put(w, m->freed < 0 ? (uint64_t)m->freed : (uint64_t)m->freed - (uint64_t)m->time, 8);
    tk_tracy_put(w, m->thread, 2);
    tk_tracy_put(w, m->free_thread, 2);
}

void tk_tracy_put_pool_end(struct tk_tracy_writer *w, const struct tk_tracy_pool_head *p)
{
    tk_tracy_put(w, p->high, 8);
    tk_tracy_put(w, p->low, 8);
    tk_tracy_put(w, p->used, 8);
    if (w->layout.named_pools)
        tk_tracy_put(w, p->name, 8);
}

/* ---- code, images ---- */

void tk_tracy_put_code_frame(struct tk_tracy_writer *w, uint64_t id, uint8_t n, uint32_t image)
{
    tk_tracy_put(w, id, 8);
    tk_tracy_put(w, n, 1);
    tk_tracy_put_index(w, image);
}

void tk_tracy_put_code_place(struct tk_tracy_writer *w, uint32_t name, uint32_t file, uint32_t line,
                             uint64_t symbol)
{
    tk_tracy_put_index(w, name);
    tk_tracy_put_index(w, file);
    tk_tracy_put(w, line, 4);
    tk_tracy_put(w, symbol, 8);
}

void tk_tracy_put_images(struct tk_tracy_writer *w, uint64_t n)
{
    if (w->layout.image_dictionary)
        tk_tracy_put(w, 0, 4);
    tk_tracy_put(w, n, 8);
}

void tk_tracy_put_image(struct tk_tracy_writer *w, uint16_t width, uint16_t height, bool flipped)
{
    tk_tracy_put(w, width, 2);
    tk_tracy_put(w, height, 2);
    tk_tracy_put(w, flipped, 1);
}

void tk_tracy_put_symbol(struct tk_tracy_writer *w, const struct tk_tracy_symbol *s)
{
    tk_tracy_put(w, s->address, 8);
    tk_tracy_put_index(w, s->name);
    tk_tracy_put_index(w, s->file);
    tk_tracy_put(w, s->line, 4);
    tk_tracy_put_index(w, s->image);
    tk_tracy_put_index(w, s->call_file);
    tk_tracy_put(w, s->call_line, 4);
    tk_tracy_put(w, s->is_inline, 1);
    tk_tracy_put(w, s->size, 3);
}

void tk_tracy_put_short_text(struct tk_tracy_writer *w, const void *p, uint32_t n)
{
    tk_tracy_put(w, n, 4);
    tk_tracy_put_bytes(w, p, n);
}

/* ---- threads on cores ---- */

void tk_tracy_put_switches(struct tk_tracy_writer *w, uint64_t tid, uint64_t n)
{
    tk_tracy_put(w, tid, 8);
    tk_tracy_put(w, n, 8);
    w->time = 0;
}

void tk_tracy_put_switch(struct tk_tracy_writer *w, const struct tk_tracy_switch *s)
{
    tk_tracy_put_time(w, s->wakeup);
    tk_tracy_put_time(w, s->start);
    tk_tracy_put_time(w, s->end);
    tk_tracy_put(w, s->cpu, 1);
    tk_tracy_put(w, (uint8_t)s->reason, 1);
    tk_tracy_put(w, (uint8_t)s->state, 1);
    if (w->layout.switch_thread)
        tk_tracy_put(w, s->thread, 8);
    if (w->layout.wakeup_cpu)
        tk_tracy_put(w, s->wakeup_cpu, 1);
}

void tk_tracy_put_cpu(struct tk_tracy_writer *w, uint64_t n)
{
    tk_tracy_put(w, n, 8);
    w->time = 0;
}

void tk_tracy_put_cpu_run(struct tk_tracy_writer *w, int64_t start, int64_t end, uint16_t external)
{
    tk_tracy_put_time(w, start);
    tk_tracy_put_time(w, end);
    tk_tracy_put(w, external, 2);
}

void tk_tracy_put_cpu_use(struct tk_tracy_writer *w, uint64_t tid, int64_t running, uint32_t regions,
                          uint32_t migrations)
{
    tk_tracy_put(w, tid, 8);
    tk_tracy_put(w, (uint64_t)running, 8);
    tk_tracy_put(w, regions, 4);
    tk_tracy_put(w, migrations, 4);
}
