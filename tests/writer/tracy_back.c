/* Sections of a `.tracy` payload behind those of memory; see tracy_writer.h and tracy-file 5.13 to 5.22. */
#include "tracy_values.h"

#include <string.h>

enum { CPU_LISTS = 256 };

/* ---- callstacks, application, images ---- */

static void put_callstacks(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_callstacks, 8);
    for (size_t i = 0; i < w->trace->n_callstacks; i++) {
        const struct tk_tw_callstack *c = &w->trace->callstacks[i];

        tk_tw_put(w, c->n, 2);
        for (size_t k = 0; k < c->n; k++)
            tk_tw_put(w, c->frames[k], 8);
    }
}

static void put_place(struct tk_tw *w, const struct tk_tw_place *p)
{
    tk_tw_put_index(w, p->function);
    tk_tw_put_index(w, p->file);
    tk_tw_put(w, p->line, 4);
    tk_tw_put(w, p->symbol, 8);
}

static void put_code_frames(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_code_frames, 8);
    for (size_t i = 0; i < w->trace->n_code_frames; i++) {
        const struct tk_tw_code_frame *f = &w->trace->code_frames[i];

        tk_tw_put(w, f->id, 8);
        tk_tw_put(w, f->n, 1);
        tk_tw_put_index(w, f->image);
        for (size_t k = 0; k < f->n; k++)
            put_place(w, &f->places[k]);
    }
}

static void put_app_info(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_app_info, 8);
    for (size_t i = 0; i < w->trace->n_app_info; i++)
        tk_tw_put_ref(w, w->trace->app_info[i]);
}

static void put_raw(struct tk_tw *w, const void *p, size_t n)
{
    const uint8_t *bytes = p;

    for (size_t i = 0; i < n; i++)
        tk_tw_put(w, bytes[i], 1);
}

static void put_images(struct tk_tw *w)
{
    if (tk_tw_since(w, 0, 7, 8))
        tk_tw_put(w, 0, 4); /* no dictionary */
    tk_tw_put(w, w->trace->n_images, 8);
    for (size_t i = 0; i < w->trace->n_images; i++) {
        const struct tk_tw_image *m = &w->trace->images[i];

        tk_tw_put(w, m->width, 2);
        tk_tw_put(w, m->height, 2);
        tk_tw_put(w, m->flipped, 1);
        put_raw(w, m->blocks, (size_t)m->width * m->height / 2);
    }
}

/* ---- threads on cores ---- */

static void put_switch(struct tk_tw *w, const struct tk_tw_switch *s)
{
    tk_tw_put_time(w, s->wakeup);
    tk_tw_put_time(w, s->start);
    tk_tw_put_time(w, s->end);
    tk_tw_put(w, s->cpu, 1);
    tk_tw_put(w, (uint8_t)s->reason, 1);
    tk_tw_put(w, (uint8_t)s->state, 1);
    if (tk_tw_since(w, 0, 7, 12))
        tk_tw_put(w, s->thread, 8);
    if (tk_tw_since(w, 0, 11, 3))
        tk_tw_put(w, s->wakeup_cpu, 1);
}

static void put_switches(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_switches, 8);
    for (size_t i = 0; i < w->trace->n_switches; i++) {
        const struct tk_tw_switches *s = &w->trace->switches[i];

        tk_tw_put(w, s->tid, 8);
        tk_tw_put(w, s->n, 8);
        tk_tw_begin_times(w);
        for (size_t k = 0; k < s->n; k++)
            put_switch(w, &s->v[k]);
    }
}

static void put_cpu(struct tk_tw *w, const struct tk_tw_cpu *cpu)
{
    tk_tw_put(w, cpu->n, 8);
    tk_tw_begin_times(w);
    for (size_t i = 0; i < cpu->n; i++) {
        tk_tw_put_time(w, cpu->v[i].start);
        tk_tw_put_time(w, cpu->v[i].end);
        tk_tw_put(w, cpu->v[i].external, 2);
    }
}

static void put_cpus(struct tk_tw *w)
{
    static const struct tk_tw_cpu idle = {0};
    uint64_t total = 0;

    for (size_t i = 0; i < w->trace->n_cpus; i++)
        total += w->trace->cpus[i].n;
    tk_tw_put(w, total, 8);
    for (size_t i = 0; i < CPU_LISTS; i++)
        put_cpu(w, i < w->trace->n_cpus ? &w->trace->cpus[i] : &idle);
}

static void put_processes(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_processes, 8);
    for (size_t i = 0; i < w->trace->n_processes; i++) {
        tk_tw_put(w, w->trace->processes[i].tid, 8);
        tk_tw_put(w, w->trace->processes[i].pid, 8);
    }
}

static void put_cpu_use(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_cpu_use, 8);
    for (size_t i = 0; i < w->trace->n_cpu_use; i++) {
        const struct tk_tw_cpu_use *u = &w->trace->cpu_use[i];

        tk_tw_put(w, u->tid, 8);
        tk_tw_put(w, (uint64_t)u->running, 8);
        tk_tw_put(w, u->regions, 4);
        tk_tw_put(w, u->migrations, 4);
    }
}

/* ---- symbols ---- */

static void put_symbol(struct tk_tw *w, const struct tk_tw_symbol *s)
{
    tk_tw_put(w, s->address, 8);
    tk_tw_put_index(w, s->name);
    tk_tw_put_index(w, s->file);
    tk_tw_put(w, s->line, 4);
    tk_tw_put_index(w, s->image);
    tk_tw_put_index(w, s->call_file);
    tk_tw_put(w, s->call_line, 4);
    tk_tw_put(w, s->is_inline, 1);
    tk_tw_put(w, s->size, 3);
}

static void put_symbols(struct tk_tw *w)
{
    uint64_t inlined = 0;

    for (size_t i = 0; i < w->trace->n_symbols; i++)
        inlined += w->trace->symbols[i].is_inline;
    tk_tw_put(w, w->trace->n_symbols - inlined, 8);
    tk_tw_put(w, inlined, 8);
    tk_tw_put(w, w->trace->n_symbols, 8);
    for (size_t i = 0; i < w->trace->n_symbols; i++)
        put_symbol(w, &w->trace->symbols[i]);
}

static void put_code(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_code, 8);
    for (size_t i = 0; i < w->trace->n_code; i++) {
        tk_tw_put(w, w->trace->code[i].address, 8);
        tk_tw_put(w, w->trace->code[i].n, 4);
        put_raw(w, w->trace->code[i].bytes, w->trace->code[i].n);
    }
    if (tk_tw_since(w, 0, 8, 5))
        return;
    /* locations of code, which nobody reads: as many as there is code */
    tk_tw_put(w, w->trace->n_code, 8);
    for (size_t i = 0; i < w->trace->n_code; i++) {
        tk_tw_put(w, i, 8);
        tk_tw_put(w, 2, 2);
        tk_tw_put(w, w->trace->code[i].address, 8);
        tk_tw_put(w, 4, 8);
    }
}

static void put_hw_sample(struct tk_tw *w, const struct tk_tw_hw_sample *s)
{
    tk_tw_put(w, s->address, 8);
    for (size_t i = 0; i < TK_TW_COUNTERS; i++) {
        tk_tw_put(w, s->counters[i].n, 8);
        tk_tw_begin_times(w);
        for (size_t k = 0; k < s->counters[i].n; k++)
            tk_tw_put_time(w, s->counters[i].times[k]);
    }
}

static void put_code_symbols(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_code_symbols, 8);
    for (size_t i = 0; i < w->trace->n_code_symbols; i++) {
        tk_tw_put(w, w->trace->code_symbols[i].code, 8);
        tk_tw_put(w, w->trace->code_symbols[i].symbol, 8);
    }
    tk_tw_put(w, w->trace->n_hw_samples, 8);
    for (size_t i = 0; i < w->trace->n_hw_samples; i++)
        put_hw_sample(w, &w->trace->hw_samples[i]);
}

static void put_sources(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_sources, 8);
    for (size_t i = 0; i < w->trace->n_sources; i++) {
        const struct tk_tw_source *s = &w->trace->sources[i];

        tk_tw_put(w, strlen(s->name), 4);
        put_raw(w, s->name, strlen(s->name));
        tk_tw_put(w, strlen(s->text), 4);
        put_raw(w, s->text, strlen(s->text));
    }
}

void tk_tw_put_back(struct tk_tw *w)
{
    put_callstacks(w);
    put_code_frames(w);
    put_app_info(w);
    put_images(w);
    put_switches(w);
    put_cpus(w);
    put_processes(w);
    put_cpu_use(w);
    put_symbols(w);
    put_code(w);
    if (tk_tw_since(w, 0, 7, 9))
        put_code_symbols(w);
    put_sources(w);
}
