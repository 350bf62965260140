/*
 * The sections of a merge behind memory: code, application information, images, times on cores, symbols,
 * hardware samples, sources (tracy-file 5.13 to 5.22).
 */
#include "edit/tracy/merge_in.h"
#include "format/tracy/file/sections_out.h"

#include <string.h>

enum { HARDWARE_LISTS = 6 };

/* ---- callstacks ---- */

static void merge_callstack(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_callstack v;
    if (!tk_tracy_merge_read_callstack(m, part, &v))
        return;
    tk_tracy_put_callstack(m->out, &v);
    tk_tracy_merge_put_n(m, part, v.depth, tk_tracy_merge_put_stack_frame);
}

void tk_tracy_merge_callstacks(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, merge_callstack);
}

static void merge_code_frame(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_code_frame v;
    if (!tk_tracy_merge_read_code_frame(m, part, &v))
        return;
    tk_tracy_put_code_frame(m->out, &v);
    tk_tracy_merge_put_n(m, part, v.places, tk_tracy_merge_put_code_place);
}

void tk_tracy_merge_callstack_frames(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, merge_code_frame);
}

/* ---- what programs say of themselves ---- */

/* Records of edits are left out; lines that stay are counted first. */
void tk_tracy_merge_app_info(struct tk_tracy_merge *m)
{
    TK_VEC(struct tk_tracy_app_info) lines = {0};
    (void)tk_tracy_merge_sum(m);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            struct tk_tracy_app_info line;
            if (tk_tracy_merge_read_app_info(m, part, &line) && line.text.flags == TK_TRACY_REF_NUMBER &&
                tk_vec_push(&lines, line))
                tk_tracy_merge_fail(m, TK_ENOMEM, "");
        }
    }
    tk_tracy_put(m->out, lines.n + 1, 8);
    for (size_t i = 0; i < lines.n; i++)
        tk_tracy_put_app_info(m->out, &lines.v[i]);
    tk_tracy_put_app_info(m->out, &(struct tk_tracy_app_info){{m->strings.n, TK_TRACY_REF_NUMBER}});
    tk_vec_release(&lines);
}

/* ---- images ---- */

static void merge_image(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_image v;
    if (!tk_tracy_merge_read_image(m, part, &v))
        return;
    tk_tracy_put_image(m->out, &v);
    tk_tracy_merge_copy(m, part, (uint64_t)v.width * v.height / 2);
}

void tk_tracy_merge_images(struct tk_tracy_merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_skip(m->parts[i].in, tk_tracy_u32(m->parts[i].in, "dictionary of images"),
                      "dictionary of images");
    tk_tracy_put_images(m->out, tk_tracy_merge_sum(m));
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_merge_put_n(m, &m->parts[i], m->parts[i].n, merge_image);
}

/* ---- times on cores ---- */

static void merge_switches(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    tk_tracy_merge_put_switches(m, part);
    const uint64_t n = tk_tracy_merge_list(part, "context switches");
    tk_tracy_put_list(m->out, n);
    tk_tracy_merge_put_n(m, part, n, tk_tracy_merge_put_switch);
}

void tk_tracy_merge_switches(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, merge_switches);
}

/* A time on a core that is read and waits for its turn. */
struct next_run {
    struct tk_tracy_cpu_run v;
    bool there;
};

static void read_run(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct next_run *run)
{
    run->there = part->n > 0 && tk_tracy_merge_read_cpu_run(m, part, &run->v);
    part->n -= run->there;
}

/* Times of a core are in order. */
static void merge_core(struct tk_tracy_merge *m)
{
    struct next_run next[TK_TRACY_MERGED_MOST];
    tk_tracy_put_list(m->out, tk_tracy_merge_sum(m));
    for (size_t i = 0; i < m->n; i++) {
        m->parts[i].in->time = 0;
        read_run(m, &m->parts[i], &next[i]);
    }
    while (tk_tracy_merge_going(m)) {
        size_t at = m->n;
        for (size_t i = 0; i < m->n; i++)
            if (next[i].there && (at == m->n || next[i].v.start < next[at].v.start))
                at = i;
        if (at == m->n)
            return;
        tk_tracy_put_cpu_run(m->out, &next[at].v);
        read_run(m, &m->parts[at], &next[at]);
    }
}

void tk_tracy_merge_cpu_switches(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m);
    for (unsigned i = 0; i < TK_TRACY_CPU_LISTS && tk_tracy_merge_going(m); i++)
        merge_core(m);
}

/* ---- lists of records with the same shape ---- */

static void put_code(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_code v;
    if (!tk_tracy_merge_read_code(m, part, &v))
        return;
    tk_tracy_put_code(m->out, &v);
    tk_tracy_merge_copy(m, part, v.n);
}

static void put_hardware(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    tk_tracy_merge_put_hardware(m, part);
    for (unsigned list = 0; list < HARDWARE_LISTS; list++) {
        const uint64_t n = tk_tracy_merge_list(part, "hardware samples");
        tk_tracy_put_list(m->out, n);
        tk_tracy_merge_put_n(m, part, n, tk_tracy_merge_put_hardware_sample);
    }
}

static void put_source(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t n = tk_tracy_u32(part->in, "source file");
        tk_tracy_put(m->out, n, 4);
        tk_tracy_merge_copy(m, part, n);
    }
}

void tk_tracy_merge_processes(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, tk_tracy_merge_put_process);
}

void tk_tracy_merge_cpu_use(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, tk_tracy_merge_put_cpu_use);
}

void tk_tracy_merge_symbols(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m); /* those that are not inlined */
    tk_tracy_merge_put_sum(m); /* those that are */
    tk_tracy_merge_records(m, tk_tracy_merge_put_symbol);
}

void tk_tracy_merge_symbol_code(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, put_code);
}

void tk_tracy_merge_code_symbols(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, tk_tracy_merge_put_code_symbol);
}

void tk_tracy_merge_hardware_samples(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, put_hardware);
}

void tk_tracy_merge_sources(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, put_source);
}
