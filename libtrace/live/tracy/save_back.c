/*
 * Writes plots, memory, code, images, what ran on cores and symbols (tracy-file 5.12 to 5.22).
 */
#include "format/tracy/file/sections_out.h"
#include "live/tracy/tracy_in.h"

#include <string.h>

/* ---- plots, memory ---- */

static int put_plot(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_tl_plot *p)
{
    const struct tk_tracy_plot head = {p->type, p->format, p->steps, p->fill, p->colour,
                                       p->name, p->min,    p->max,   p->sum};
    struct tk_tl_ordered o;
    const void *record;
    int rc = tk_tl_ordered_open(&o, s, &p->points, p->unsorted, s->err);
    tk_tracy_put_plot(w, &head);
    tk_tracy_put_list(w, tk_spill_column_count(&p->points));
    while (rc == TK_OK && (rc = tk_tl_ordered_next(&o, &record)) == TK_ITEM) {
        struct tk_tl_point point;
        memcpy(&point, record, sizeof point);
        tk_tracy_put_point(w, &(struct tk_tracy_point){point.time, point.value});
        rc = TK_OK;
    }
    tk_tl_ordered_close(&o);
    return rc;
}

int tk_tl_save_plots(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, s->listed_plots.n, 8);
    for (size_t i = 0; i < s->listed_plots.n; i++)
        TK_TL_TRY(put_plot(s, w, s->plots.v[s->listed_plots.v[i]]));
    return TK_OK;
}

/* Allocations and their ends are two columns of the same length. */
static int put_memory_event(struct tk_tracy_writer *w, struct tk_spill_column_reading *allocs,
                            struct tk_spill_column_reading *ends)
{
    struct tk_tl_alloc a;
    struct tk_tl_free f;
    const void *record;
    int rc = tk_spill_column_read(allocs, &record);
    if (rc != TK_ITEM)
        return rc;
    memcpy(&a, record, sizeof a);
    rc = tk_spill_column_read(ends, &record);
    if (rc != TK_ITEM)
        return rc;
    memcpy(&f, record, sizeof f);
    const struct tk_tracy_memory m = {a.address,   a.size,  a.callstack,
                                      f.callstack, a.time,  tk_tracy_life(a.time, f.time),
                                      a.thread,    f.thread};
    tk_tracy_put_memory(w, &m);
    return TK_ITEM;
}

static int put_pool(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_tl_pool *p)
{
    const uint64_t n = tk_spill_column_count(&p->freed);
    struct tk_spill_column_reading allocs, ends;
    int rc = TK_ITEM;
    tk_tracy_put_pool(w, &(struct tk_tracy_pool){p->name, n, n - p->frees, p->frees});
    w->time = 0;
    tk_spill_column_reading_open(&allocs, &p->allocs, s->err);
    tk_spill_column_reading_open(&ends, &p->freed, s->err);
    for (uint64_t i = 0; rc == TK_ITEM && i < n; i++)
        rc = put_memory_event(w, &allocs, &ends);
    tk_spill_column_reading_close(&allocs);
    tk_spill_column_reading_close(&ends);
    tk_tracy_put_pool_end(w, &(struct tk_tracy_pool_end){p->high, p->low, p->used, p->name});
    return rc < 0 ? rc : TK_OK;
}

int tk_tl_save_memory(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    uint64_t events = 0;
    for (size_t i = 0; i < s->pools.n; i++)
        events += tk_spill_column_count(&s->pools.v[i]->freed);
    tk_tracy_put(w, s->pools.n, 8);
    tk_tracy_put(w, events, 8);
    for (size_t i = 0; i < s->pools.n; i++)
        TK_TL_TRY(put_pool(s, w, s->pools.v[i]));
    return TK_OK;
}

/* ---- code, application, images ---- */

static void put_code_frames(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    uint64_t known = 0;
    for (size_t i = 0; i < s->code_frames.n; i++)
        known += s->code_frames.v[i].known;
    tk_tracy_put(w, known, 8);
    for (size_t i = 0; i < s->code_frames.n; i++) {
        const struct tk_tl_code_frame *f = &s->code_frames.v[i];
        if (!f->known)
            continue;
        tk_tracy_put_code_frame(w, &(struct tk_tracy_code_frame){f->id, (uint8_t)f->n, f->image});
        for (uint32_t k = 0; k < f->n; k++) {
            const struct tk_tl_code_place *p = &s->code_places.v[f->first + k];
            const struct tk_tracy_code_place out = {p->name + 1, p->file + 1, p->line, p->symbol};
            tk_tracy_put_code_place(w, &out);
        }
    }
}

int tk_tl_save_code(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, s->stacks.n, 8);
    for (size_t i = 0; i < s->stacks.n; i++) {
        const struct tk_tl_stack *k = &s->stacks.v[i];
        tk_tracy_put_callstack(w, &(struct tk_tracy_callstack){(uint16_t)k->n});
        for (uint32_t f = 0; f < k->n; f++)
            tk_tracy_put_stack_frame(w, &(struct tk_tracy_stack_frame){s->stack_frames.v[k->first + f]});
    }
    put_code_frames(s, w);
    tk_tracy_put(w, s->app_info.n + tk_tl_is_piece(s), 8);
    for (size_t i = 0; i < s->app_info.n; i++)
        tk_tracy_put_app_info(w, &(struct tk_tracy_app_info){{s->app_info.v[i], TK_TRACY_REF_NUMBER}});
    if (tk_tl_is_piece(s))
        tk_tracy_put_app_info(w, &(struct tk_tracy_app_info){{s->strings.n, TK_TRACY_REF_NUMBER}});
    return TK_OK;
}

int tk_tl_save_bytes(struct tk_spill_column_reading *r, struct tk_tracy_writer *w, uint64_t n)
{
    while (n) {
        const uint8_t *p;
        size_t now;
        int rc = tk_spill_column_read_bytes(r, n < SIZE_MAX ? (size_t)n : SIZE_MAX, &p, &now);
        if (rc < 0)
            return rc;
        if (rc == TK_OK)
            return tk_err_set(w->err, TK_EOUTPUT, "a temporary file is shorter than it was");
        tk_tracy_put_bytes(w, p, now);
        n -= now;
    }
    return TK_OK;
}

int tk_tl_save_images(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    struct tk_spill_column_reading r;
    int rc = TK_OK;
    tk_tracy_put_images(w, s->images.n);
    tk_spill_column_reading_open(&r, &s->image_bytes, s->err);
    for (size_t i = 0; rc == TK_OK && i < s->images.n; i++) {
        const struct tk_tl_image *m = &s->images.v[i];
        tk_tracy_put_image(w, &(struct tk_tracy_image){m->width, m->height, m->flipped});
        rc = tk_tl_save_bytes(&r, w, m->n);
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

/* ---- cores ---- */

/* Only threads with zones or samples have their switches in the file; of several, a merge sees to that. */
static bool has_switches(const struct tk_tl_state *s, const struct tk_tl_switches *k)
{
    const struct tk_tl_thread *t = tk_tl_thread_find(s, k->tid);
    if (tk_tl_is_piece(s))
        return true;
    return t && (t->zones_begun || tk_spill_column_count(&t->samples));
}

static void put_switch(struct tk_tracy_writer *w, const struct tk_tl_switch *e)
{
    const struct tk_tracy_switch out = {e->wakeup, e->start, e->end,    e->cpu,
                                        e->reason, e->state, e->thread, e->wakeup_cpu};
    tk_tracy_put_switch(w, &out);
}

static int put_switch_list(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_tl_switches *k)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_tracy_put_switches(w, &(struct tk_tracy_switches){k->tid});
    tk_tracy_put_list(w, tk_spill_column_count(&k->done) + k->has_last);
    tk_spill_column_reading_open(&r, &k->done, s->err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_tl_switch e;
        memcpy(&e, record, sizeof e);
        put_switch(w, &e);
    }
    tk_spill_column_reading_close(&r);
    if (k->has_last)
        put_switch(w, &k->last);
    return rc;
}

static int put_cpu(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_tl_cpu *c)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_tracy_put_list(w, tk_spill_column_count(&c->done) + c->has_last);
    tk_spill_column_reading_open(&r, &c->done, s->err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_tl_cpu_run e;
        memcpy(&e, record, sizeof e);
        tk_tracy_put_cpu_run(w, &(struct tk_tracy_cpu_run){e.start, e.end, e.external});
    }
    tk_spill_column_reading_close(&r);
    if (c->has_last)
        tk_tracy_put_cpu_run(w, &(struct tk_tracy_cpu_run){c->last.start, c->last.end, c->last.external});
    return rc;
}

static void put_uses(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, s->processes.n, 8);
    for (size_t i = 0; i < s->processes.n; i++) {
        const struct tk_tracy_process out = {s->processes.v[i].tid, s->processes.v[i].pid};
        tk_tracy_put_process(w, &out);
    }
    tk_tracy_put(w, s->cpu_uses.n, 8);
    for (size_t i = 0; i < s->cpu_uses.n; i++) {
        const struct tk_tl_cpu_use *u = &s->cpu_uses.v[i];
        tk_tracy_put_cpu_use(w, &(struct tk_tracy_cpu_use){u->tid, u->running, u->regions, u->migrations});
    }
}

int tk_tl_save_switches(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    uint64_t lists = 0, runs = 0;
    for (size_t i = 0; i < s->switches.n; i++)
        lists += has_switches(s, s->switches.v[i]);
    tk_tracy_put(w, lists, 8);
    for (size_t i = 0; i < s->switches.n; i++)
        if (has_switches(s, s->switches.v[i]))
            TK_TL_TRY(put_switch_list(s, w, s->switches.v[i]));
    for (size_t i = 0; i < TK_TL_CPUS; i++)
        runs += tk_spill_column_count(&s->cpus[i].done) + s->cpus[i].has_last;
    tk_tracy_put(w, runs, 8);
    for (size_t i = 0; i < TK_TL_CPUS; i++)
        TK_TL_TRY(put_cpu(s, w, &s->cpus[i]));
    put_uses(s, w);
    return TK_OK;
}

/* ---- symbols, hardware samples, sources ---- */

static void put_symbols(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    uint64_t known = 0, inlined = 0;
    for (size_t i = 0; i < s->symbols.n; i++) {
        known += s->symbols.v[i].known;
        inlined += s->symbols.v[i].known && s->symbols.v[i].is_inline;
    }
    tk_tracy_put(w, known - inlined, 8);
    tk_tracy_put(w, inlined + 1, 8);
    tk_tracy_put(w, known, 8);
    for (size_t i = 0; i < s->symbols.n; i++) {
        const struct tk_tl_symbol *k = &s->symbols.v[i];
        const struct tk_tracy_symbol out = {k->address,       k->name + 1,  k->file + 1,  k->line, k->image,
                                            k->call_file + 1, k->call_line, k->is_inline, k->size};
        if (k->known)
            tk_tracy_put_symbol(w, &out);
    }
}

static int put_code(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    struct tk_spill_column_reading r;
    int rc = TK_OK;
    tk_tracy_put(w, s->code.n, 8);
    tk_spill_column_reading_open(&r, &s->code_bytes, s->err);
    for (size_t i = 0; rc == TK_OK && i < s->code.n; i++) {
        tk_tracy_put_code(w, &(struct tk_tracy_code){s->code.v[i].address, s->code.v[i].n});
        rc = tk_tl_save_bytes(&r, w, s->code.v[i].n);
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

static bool has_symbol(const struct tk_tl_code_frame *f)
{
    return f->known && !f->script && f->n;
}

static void put_code_symbols(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->code_frames.n; i++)
        n += has_symbol(&s->code_frames.v[i]);
    tk_tracy_put(w, n, 8);
    for (size_t i = 0; i < s->code_frames.n; i++) {
        const struct tk_tl_code_frame *f = &s->code_frames.v[i];
        if (!has_symbol(f))
            continue;
        const struct tk_tracy_code_symbol out = {f->address, s->code_places.v[f->first].symbol};
        tk_tracy_put_code_symbol(w, &out);
    }
}

static int put_hw_list(struct tk_tl_state *s, struct tk_tracy_writer *w, uint64_t n)
{
    const void *record;
    int rc = TK_ITEM;
    tk_tracy_put_list(w, n);
    for (uint64_t i = 0; rc == TK_ITEM && i < n; i++)
        if ((rc = tk_external_sort_next(s->hw_samples, &record, s->err)) == TK_ITEM)
            tk_tracy_put_hardware_sample(
                w, &(struct tk_tracy_hardware_sample){((const struct tk_tl_hw_sample *)record)->time});
    return rc < 0 ? rc : TK_OK;
}

static int put_hw(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, s->hw.n, 8);
    if (s->hw_samples)
        TK_TL_TRY(tk_external_sort_start(s->hw_samples, s->err));
    for (size_t i = 0; i < s->hw.n; i++) {
        tk_tracy_put_hardware(w, &(struct tk_tracy_hardware){s->hw.v[i].address});
        for (unsigned k = 0; k < TK_TL_HW_KINDS; k++)
            TK_TL_TRY(put_hw_list(s, w, s->hw.v[i].n[k]));
    }
    return TK_OK;
}

static int put_sources(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    struct tk_spill_column_reading r;
    int rc = TK_OK;
    tk_tracy_put(w, s->source_answers.n, 8);
    tk_spill_column_reading_open(&r, &s->source_bytes, s->err);
    for (size_t i = 0; rc == TK_OK && i < s->source_answers.n; i++) {
        const struct tk_tl_source *source = &s->sources.v[s->source_answers.v[i]];
        const struct tk_tl_text path = tk_tl_text_of(s, source->path);
        tk_tracy_put_short_text(w, path.p, path.n);
        tk_tracy_put(w, source->n, 4);
        rc = tk_tl_save_bytes(&r, w, source->n);
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

int tk_tl_save_symbols(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    put_symbols(s, w);
    TK_TL_TRY(put_code(s, w));
    put_code_symbols(s, w);
    TK_TL_TRY(put_hw(s, w));
    return put_sources(s, w);
}
