/* Sections of a `.tracy` payload behind those of memory (tracy-file 5.13 to 5.22). */
#include "format/tracy/file/sections_out.h"
#include "tracy_values.h"

#include <string.h>

static void put_n(struct tk_tw *w, uint64_t n)
{
    tk_tracy_put(&w->out, n, 8);
}

/* ---- callstacks, application, images ---- */

static void put_callstacks(struct tk_tw *w)
{
    put_n(w, w->trace->n_callstacks);
    for (size_t i = 0; i < w->trace->n_callstacks; i++) {
        const struct tk_tw_callstack *c = &w->trace->callstacks[i];

        tk_tracy_put_callstack(&w->out, &(struct tk_tracy_callstack){c->n});
        for (size_t k = 0; k < c->n; k++)
            tk_tracy_put_stack_frame(&w->out, &(struct tk_tracy_stack_frame){c->frames[k]});
    }
}

static void put_code_frames(struct tk_tw *w)
{
    put_n(w, w->trace->n_code_frames);
    for (size_t i = 0; i < w->trace->n_code_frames; i++) {
        const struct tk_tw_code_frame *f = &w->trace->code_frames[i];

        tk_tracy_put_code_frame(&w->out, &(struct tk_tracy_code_frame){f->id, f->n, tk_tw_index(f->image)});
        for (size_t k = 0; k < f->n; k++) {
            const struct tk_tracy_code_place p = {tk_tw_index(f->places[k].function),
                                                  tk_tw_index(f->places[k].file), f->places[k].line,
                                                  f->places[k].symbol};

            tk_tracy_put_code_place(&w->out, &p);
        }
    }
}

static void put_app_info(struct tk_tw *w)
{
    put_n(w, w->trace->n_app_info);
    for (size_t i = 0; i < w->trace->n_app_info; i++)
        tk_tracy_put_app_info(&w->out, &(struct tk_tracy_app_info){tk_tw_ref(w->trace->app_info[i])});
}

static void put_images(struct tk_tw *w)
{
    tk_tracy_put_images(&w->out, w->trace->n_images);
    for (size_t i = 0; i < w->trace->n_images; i++) {
        const struct tk_tw_image *m = &w->trace->images[i];

        tk_tracy_put_image(&w->out, &(struct tk_tracy_image){m->width, m->height, m->flipped});
        tk_tracy_put_bytes(&w->out, m->blocks, (size_t)m->width * m->height / 2);
    }
}

/* ---- threads on cores ---- */

static void put_switches(struct tk_tw *w)
{
    put_n(w, w->trace->n_switches);
    for (size_t i = 0; i < w->trace->n_switches; i++) {
        const struct tk_tw_switches *s = &w->trace->switches[i];

        tk_tracy_put_switches(&w->out, &(struct tk_tracy_switches){s->tid});
        tk_tracy_put_list(&w->out, s->n);
        for (size_t k = 0; k < s->n; k++) {
            const struct tk_tw_switch *e = &s->v[k];
            const struct tk_tracy_switch out = {e->wakeup, e->start, e->end,    e->cpu,
                                                e->reason, e->state, e->thread, e->wakeup_cpu};

            tk_tracy_put_switch(&w->out, &out);
        }
    }
}

static void put_cpu(struct tk_tw *w, const struct tk_tw_cpu *cpu)
{
    tk_tracy_put_list(&w->out, cpu->n);
    for (size_t i = 0; i < cpu->n; i++)
        tk_tracy_put_cpu_run(&w->out,
                             &(struct tk_tracy_cpu_run){cpu->v[i].start, cpu->v[i].end, cpu->v[i].external});
}

static void put_cpus(struct tk_tw *w)
{
    static const struct tk_tw_cpu idle = {0};
    uint64_t total = 0;

    for (size_t i = 0; i < w->trace->n_cpus; i++)
        total += w->trace->cpus[i].n;
    put_n(w, total);
    for (size_t i = 0; i < TK_TRACY_CPU_LISTS; i++)
        put_cpu(w, i < w->trace->n_cpus ? &w->trace->cpus[i] : &idle);
}

static void put_processes(struct tk_tw *w)
{
    put_n(w, w->trace->n_processes);
    for (size_t i = 0; i < w->trace->n_processes; i++) {
        const struct tk_tw_process *p = &w->trace->processes[i];

        tk_tracy_put_process(&w->out, &(struct tk_tracy_process){p->tid, p->pid});
    }
}

static void put_cpu_use(struct tk_tw *w)
{
    put_n(w, w->trace->n_cpu_use);
    for (size_t i = 0; i < w->trace->n_cpu_use; i++) {
        const struct tk_tw_cpu_use *u = &w->trace->cpu_use[i];

        tk_tracy_put_cpu_use(&w->out,
                             &(struct tk_tracy_cpu_use){u->tid, u->running, u->regions, u->migrations});
    }
}

/* ---- symbols ---- */

static void put_symbol(struct tk_tw *w, const struct tk_tw_symbol *s)
{
    const struct tk_tracy_symbol out = {s->address,   tk_tw_index(s->name),  tk_tw_index(s->file),
                                        s->line,      tk_tw_index(s->image), tk_tw_index(s->call_file),
                                        s->call_line, s->is_inline,          s->size};

    tk_tracy_put_symbol(&w->out, &out);
}

static void put_symbols(struct tk_tw *w)
{
    uint64_t inlined = 0;

    for (size_t i = 0; i < w->trace->n_symbols; i++)
        inlined += w->trace->symbols[i].is_inline;
    put_n(w, w->trace->n_symbols - inlined);
    put_n(w, inlined);
    put_n(w, w->trace->n_symbols);
    for (size_t i = 0; i < w->trace->n_symbols; i++)
        put_symbol(w, &w->trace->symbols[i]);
}

static void put_code(struct tk_tw *w)
{
    put_n(w, w->trace->n_code);
    for (size_t i = 0; i < w->trace->n_code; i++) {
        const struct tk_tw_code *c = &w->trace->code[i];

        tk_tracy_put_code(&w->out, &(struct tk_tracy_code){c->address, c->n});
        tk_tracy_put_bytes(&w->out, c->bytes, c->n);
    }
    if (!w->out.layout.code_locations)
        return;
    /* locations of code, which nobody reads: as many as there is code */
    put_n(w, w->trace->n_code);
    for (size_t i = 0; i < w->trace->n_code; i++) {
        tk_tracy_put_code_location(&w->out, &(struct tk_tracy_code_location){i, 2});
        put_n(w, w->trace->code[i].address);
        put_n(w, 4);
    }
}

static void put_hw_sample(struct tk_tw *w, const struct tk_tw_hw_sample *s)
{
    tk_tracy_put_hardware(&w->out, &(struct tk_tracy_hardware){s->address});
    for (size_t i = 0; i < TK_TW_COUNTERS; i++) {
        tk_tracy_put_list(&w->out, s->counters[i].n);
        for (size_t k = 0; k < s->counters[i].n; k++)
            tk_tracy_put_hardware_sample(&w->out,
                                         &(struct tk_tracy_hardware_sample){s->counters[i].times[k]});
    }
}

static void put_code_symbols(struct tk_tw *w)
{
    put_n(w, w->trace->n_code_symbols);
    for (size_t i = 0; i < w->trace->n_code_symbols; i++) {
        const struct tk_tw_code_symbol *c = &w->trace->code_symbols[i];

        tk_tracy_put_code_symbol(&w->out, &(struct tk_tracy_code_symbol){c->code, c->symbol});
    }
    put_n(w, w->trace->n_hw_samples);
    for (size_t i = 0; i < w->trace->n_hw_samples; i++)
        put_hw_sample(w, &w->trace->hw_samples[i]);
}

static void put_sources(struct tk_tw *w)
{
    put_n(w, w->trace->n_sources);
    for (size_t i = 0; i < w->trace->n_sources; i++) {
        const struct tk_tw_source *s = &w->trace->sources[i];

        tk_tracy_put_short_text(&w->out, s->name, (uint32_t)strlen(s->name));
        tk_tracy_put_short_text(&w->out, s->text, (uint32_t)strlen(s->text));
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
    if (w->out.layout.code_symbols)
        put_code_symbols(w);
    put_sources(w);
}
