/*
 * Puts the records of the sections before the zones, by the layout of the version (tracy-file 4, 5.1 to 5.9).
 * Recorder, editor and the writer of the tests use it.
 */
#include "format/tracy/file/sections_out.h"

void tk_tracy_put_head(struct tk_tracy_writer *w, const struct tk_tracy_head *h)
{
    tk_tracy_put_bytes(w, "tracy", 5);
    tk_tracy_put(w, w->version >> 16, 1);
    tk_tracy_put(w, w->version >> 8, 1);
    tk_tracy_put(w, w->version, 1);
    if (w->layout.delay)
        tk_tracy_put(w, (uint64_t)h->delay, 8);
    tk_tracy_put(w, (uint64_t)h->resolution, 8);
    tk_tracy_put_real(w, h->period);
    tk_tracy_put(w, (uint64_t)h->last_time, 8);
    tk_tracy_put(w, h->frame_offset, 8);
    tk_tracy_put(w, h->pid, 8);
    tk_tracy_put(w, (uint64_t)h->sampling, 8);
    tk_tracy_put(w, h->arch, 1);
    tk_tracy_put(w, h->cpu_id, 4);
    tk_tracy_put_bytes(w, h->manufacturer, sizeof h->manufacturer);
    if (w->layout.on_demand)
        tk_tracy_put(w, h->on_demand, 1);
    tk_tracy_put_text(w, h->capture_name.p, h->capture_name.n);
    tk_tracy_put_text(w, h->program.p, h->program.n);
    tk_tracy_put(w, h->capture_time, 8);
    if (w->layout.exec_time)
        tk_tracy_put(w, h->exec_time, 8);
    tk_tracy_put_text(w, h->host.p, h->host.n);
}

/* ---- topology: levels of package, die and core, then threads ---- */

static uint32_t level_of(const struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *t, unsigned level)
{
    const uint32_t of[] = {t->package, w->layout.dies ? t->die : 0, t->core, t->thread};
    return of[level];
}

/* Are the first `levels` of both the same? */
static bool is_together(const struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *a,
                        const struct tk_tracy_cpu_thread *b, unsigned levels)
{
    for (unsigned i = 0; i < levels; i++)
        if (level_of(w, a, i) != level_of(w, b, i))
            return false;
    return true;
}

/* Does row i bring a new item of the level below `levels` that it shares with row `of`? */
static bool is_first(const struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t i,
                     size_t of, unsigned levels)
{
    if (!is_together(w, &v[i], &v[of], levels))
        return false;
    for (size_t k = 0; k < i && levels < 3; k++)
        if (is_together(w, &v[k], &v[i], levels + 1))
            return false;
    return true;
}

static void put_level(struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t n, size_t of,
                      unsigned levels)
{
    uint64_t items = 0;
    for (size_t i = 0; i < n; i++)
        items += is_first(w, v, i, of, levels);
    if (levels != 1 || w->layout.dies)
        tk_tracy_put(w, items, 8);
    for (size_t i = 0; i < n; i++) {
        if (!is_first(w, v, i, of, levels))
            continue;
        if (levels != 1 || w->layout.dies)
            tk_tracy_put(w, level_of(w, &v[i], levels), 4);
        if (levels < 3)
            put_level(w, v, n, i, levels + 1);
    }
}

void tk_tracy_put_topology(struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t n)
{
    if (n)
        put_level(w, v, n, 0, 0);
    else
        tk_tracy_put(w, 0, 8);
}

/* ---- marks of time ---- */

void tk_tracy_put_crash(struct tk_tracy_writer *w, uint64_t tid, int64_t time, uint64_t message,
                        uint32_t callstack)
{
    tk_tracy_put(w, tid, 8);
    tk_tracy_put(w, (uint64_t)time, 8);
    tk_tracy_put(w, message, 8);
    tk_tracy_put(w, callstack, 4);
}

void tk_tracy_put_frame_set(struct tk_tracy_writer *w, uint64_t name, bool continuous, uint64_t n)
{
    tk_tracy_put(w, name, 8);
    tk_tracy_put(w, continuous, 1);
    tk_tracy_put(w, n, 8);
    w->time = 0;
}

void tk_tracy_put_frame(struct tk_tracy_writer *w, bool continuous, int64_t start, int64_t end, int32_t image)
{
    tk_tracy_put_time(w, start);
    if (!continuous)
        tk_tracy_put_time(w, end);
    tk_tracy_put(w, (uint32_t)image, 4);
}

void tk_tracy_put_time_section(struct tk_tracy_writer *w, int64_t start, int64_t end, uint32_t text)
{
    tk_tracy_put(w, (uint64_t)start, 6);
    tk_tracy_put(w, (uint64_t)end, 6);
    tk_tracy_put_index(w, text);
}

/* ---- places, locks, messages, extras ---- */

void tk_tracy_put_place(struct tk_tracy_writer *w, const struct tk_tracy_written_place *p)
{
    tk_tracy_put_ref(w, p->name);
    tk_tracy_put_ref(w, p->function);
    tk_tracy_put_ref(w, p->file);
    tk_tracy_put(w, p->line, 4);
    tk_tracy_put(w, p->colour, 4);
}

void tk_tracy_put_zone_count(struct tk_tracy_writer *w, int16_t location, uint64_t zones)
{
    tk_tracy_put(w, (uint16_t)location, 2);
    tk_tracy_put(w, zones, 8);
}

void tk_tracy_put_lock(struct tk_tracy_writer *w, const struct tk_tracy_lock_head *l)
{
    tk_tracy_put(w, l->id, 4);
    tk_tracy_put_index(w, l->name);
    tk_tracy_put(w, (uint16_t)l->location, 2);
    tk_tracy_put(w, l->type, 1);
    tk_tracy_put(w, l->valid, 1);
    tk_tracy_put(w, (uint64_t)l->announced, 8);
    tk_tracy_put(w, (uint64_t)l->terminated, 8);
    tk_tracy_put(w, l->n_threads, 8);
    for (size_t i = 0; i < l->n_threads; i++)
        tk_tracy_put(w, l->threads[i], 8);
    tk_tracy_put(w, l->n, 8);
    w->time = l->announced;
}

void tk_tracy_put_lock_event(struct tk_tracy_writer *w, int64_t time, int16_t location, uint8_t thread,
                             uint8_t kind)
{
    tk_tracy_put_time(w, time);
    tk_tracy_put(w, (uint16_t)location, 2);
    tk_tracy_put(w, thread, 1);
    tk_tracy_put(w, kind, 1);
}

void tk_tracy_put_message(struct tk_tracy_writer *w, const struct tk_tracy_written_message *m)
{
    tk_tracy_put(w, m->key, 8);
    tk_tracy_put_time(w, m->time);
    tk_tracy_put_ref(w, m->text);
    tk_tracy_put(w, m->colour, 4);
    tk_tracy_put(w, m->callstack, 3);
    if (w->layout.message_source) {
        tk_tracy_put(w, m->source, 1);
        tk_tracy_put(w, m->severity, 1);
    }
}

void tk_tracy_put_extra(struct tk_tracy_writer *w, uint32_t callstack, uint32_t text, uint32_t name,
                        uint32_t colour)
{
    tk_tracy_put(w, callstack, 3);
    tk_tracy_put_index(w, text);
    tk_tracy_put_index(w, name);
    if (w->layout.zone_colour)
        tk_tracy_put(w, colour, 3);
}
