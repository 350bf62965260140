/*
 * The sections of a merge behind memory: code, application information, images, times on cores, symbols,
 * hardware samples, sources (tracy-file 5.13 to 5.22).
 */
#include "edit/tracy/join_in.h"
#include "format/tracy/file/sections_out.h"

#include <string.h>

enum { REF = 9, HARDWARE_LISTS = 6 };

/* ---- callstacks ---- */

void tk_tracy_merge_callstacks(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            const uint16_t depth = tk_tracy_u16(part->in, "depth of a callstack");
            tk_tracy_put(m->out, depth, 2);
            for (unsigned frame = 0; frame < depth && tk_tracy_ok(part->in); frame++)
                tk_tracy_put(m->out, tk_tracy_merge_address(part, tk_tracy_u64(part->in, "callstack")), 8);
        }
    }
}

static void merge_code_frame(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const uint64_t id = tk_tracy_u64(part->in, "id of a callstack frame");
    const uint8_t n = tk_tracy_u8(part->in, "functions of a callstack frame");
    tk_tracy_put_code_frame(m->out, tk_tracy_merge_address(part, id), n, tk_tracy_merge_read_index(part));
    for (unsigned i = 0; i < n && tk_tracy_ok(part->in); i++) {
        const uint32_t name = tk_tracy_merge_read_index(part), file = tk_tracy_merge_read_index(part);
        const uint32_t line = tk_tracy_u32(part->in, "line of a callstack frame");
        const uint64_t symbol = tk_tracy_u64(part->in, "symbol of a callstack frame");
        tk_tracy_put_code_place(m->out, name, file, line, tk_tracy_merge_address(part, symbol));
    }
}

void tk_tracy_merge_callstack_frames(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++)
            merge_code_frame(m, &m->parts[i]);
}

/* ---- what programs say of themselves ---- */

/* Records of edits are left out; lines that stay are counted first. */
void tk_tracy_merge_app_info(struct tk_tracy_merge *m)
{
    TK_VEC(struct tk_tracy_ref) lines = {0};
    (void)tk_tracy_merge_sum(m);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            uint8_t bytes[REF] = {0};
            tk_tracy_copy(part->in, bytes, sizeof bytes, "application info");
            const struct tk_tracy_ref ref = tk_tracy_merge_ref(part, bytes);
            if (ref.kind == TK_TRACY_REF_NUMBER && tk_vec_push(&lines, ref))
                tk_tracy_merge_fail(m, TK_ENOMEM, "");
        }
    }
    tk_tracy_put(m->out, lines.n + 1, 8);
    for (size_t i = 0; i < lines.n; i++)
        tk_tracy_put_ref(m->out, lines.v[i]);
    tk_tracy_put_ref(m->out, (struct tk_tracy_ref){m->strings.n, TK_TRACY_REF_NUMBER});
    tk_vec_release(&lines);
}

/* ---- images ---- */

void tk_tracy_merge_images(struct tk_tracy_merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_skip(m->parts[i].in, tk_tracy_u32(m->parts[i].in, "dictionary of images"),
                      "dictionary of images");
    tk_tracy_put_images(m->out, tk_tracy_merge_sum(m));
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            const uint16_t width = tk_tracy_u16(part->in, "width of an image");
            const uint16_t height = tk_tracy_u16(part->in, "height of an image");
            tk_tracy_put_image(m->out, width, height, tk_tracy_u8(part->in, "direction of an image"));
            tk_tracy_merge_copy(m, part, (uint64_t)width * height / 2);
        }
    }
}

/* ---- times on cores ---- */

struct tk_tracy_switch tk_tracy_merge_read_switch(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                                                  int64_t *time)
{
    const struct tk_tracy_layout *layout = &part->c->layout;
    struct tk_tracy_payload *in = part->in;
    struct tk_tracy_switch s;
    s.wakeup = tk_tracy_merge_time(part, tk_tracy_time(in, time, "context switch"));
    s.start = tk_tracy_merge_time(part, tk_tracy_time(in, time, "context switch"));
    s.end = tk_tracy_merge_end(part, tk_tracy_time(in, time, "context switch"));
    s.cpu = tk_tracy_u8(in, "CPU of a context switch");
    s.reason = (int8_t)tk_tracy_u8(in, "reason of a context switch");
    s.state = (int8_t)tk_tracy_u8(in, "state of a context switch");
    s.thread = layout->switch_thread
                   ? tk_tracy_merge_tid(m, part, tk_tracy_u64(in, "thread of a context switch"))
                   : 0;
    s.wakeup_cpu = layout->wakeup_cpu ? tk_tracy_u8(in, "CPU of a wake-up") : 0;
    return s;
}

void tk_tracy_merge_switches(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            const uint64_t tid = tk_tracy_merge_tid(m, part, tk_tracy_u64(part->in, "thread"));
            const uint64_t n = tk_tracy_u64(part->in, "context switches");
            int64_t time = 0;
            tk_tracy_put_switches(m->out, tid, n);
            for (uint64_t at = 0; at < n && tk_tracy_merge_going(m); at++) {
                const struct tk_tracy_switch s = tk_tracy_merge_read_switch(m, part, &time);
                tk_tracy_put_switch(m->out, &s);
            }
        }
    }
}

/* A time on a core that is read and waits for its turn. */
struct next_run {
    int64_t time, start, end;
    uint16_t thread;
    bool there;
};

static void read_run(struct tk_tracy_merge_part *part, struct next_run *run)
{
    run->there = part->n > 0;
    if (!run->there)
        return;
    part->n--;
    run->start = tk_tracy_merge_time(part, tk_tracy_time(part->in, &run->time, "time on a core"));
    run->end = tk_tracy_merge_end(part, tk_tracy_time(part->in, &run->time, "time on a core"));
    const uint16_t thread = tk_tracy_u16(part->in, "thread on a core");
    run->thread = thread < part->external.n ? part->external.v[thread] : 0;
}

/* Times of a core are in order. */
static void merge_core(struct tk_tracy_merge *m)
{
    struct next_run next[TK_TRACY_MERGED_MOST] = {{0}};
    tk_tracy_put_cpu(m->out, tk_tracy_merge_sum(m));
    for (size_t i = 0; i < m->n; i++)
        read_run(&m->parts[i], &next[i]);
    while (tk_tracy_merge_going(m)) {
        size_t at = m->n;
        for (size_t i = 0; i < m->n; i++)
            if (next[i].there && (at == m->n || next[i].start < next[at].start))
                at = i;
        if (at == m->n)
            return;
        tk_tracy_put_cpu_run(m->out, next[at].start, next[at].end, next[at].thread);
        read_run(&m->parts[at], &next[at]);
    }
}

void tk_tracy_merge_cpu_switches(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m);
    for (unsigned i = 0; i < TK_TRACY_CPU_LISTS && tk_tracy_merge_going(m); i++)
        merge_core(m);
}

/* ---- lists of records with the same shape ---- */

/* Puts one record of a capture. */
typedef void put_record_fn(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part);

static void merge_records(struct tk_tracy_merge *m, put_record_fn *put)
{
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++)
            put(m, &m->parts[i]);
}

static void put_tid(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    tk_tracy_put(m->out, tk_tracy_merge_tid(m, part, tk_tracy_u64(part->in, "thread")), 8);
}

static void put_address(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    tk_tracy_put(m->out, tk_tracy_merge_address(part, tk_tracy_u64(part->in, "address")), 8);
}

static void put_process(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    put_tid(m, part);
    tk_tracy_merge_copy(m, part, 8);
}

static void put_cpu_use(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    put_tid(m, part);
    tk_tracy_merge_copy(m, part, 8 + 4 + 4);
}

static void put_symbol(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    put_address(m, part);
    tk_tracy_put_index(m->out, tk_tracy_merge_read_index(part));
    tk_tracy_put_index(m->out, tk_tracy_merge_read_index(part));
    tk_tracy_merge_copy(m, part, 4);
    tk_tracy_put_index(m->out, tk_tracy_merge_read_index(part));
    tk_tracy_put_index(m->out, tk_tracy_merge_read_index(part));
    tk_tracy_merge_copy(m, part, 4 + 1 + 3);
}

static void put_code(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    put_address(m, part);
    const uint32_t n = tk_tracy_u32(part->in, "code of a symbol");
    tk_tracy_put(m->out, n, 4);
    tk_tracy_merge_copy(m, part, n);
}

static void put_code_symbol(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    put_address(m, part);
    put_address(m, part);
}

static void put_hardware(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    put_address(m, part);
    for (unsigned list = 0; list < HARDWARE_LISTS; list++) {
        const uint64_t n = tk_tracy_u64(part->in, "hardware samples");
        int64_t time = 0;
        tk_tracy_put(m->out, n, 8);
        m->out->time = 0;
        for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++)
            tk_tracy_put_time(m->out,
                              tk_tracy_merge_time(part, tk_tracy_time(part->in, &time, "hardware sample")));
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
    merge_records(m, put_process);
}

void tk_tracy_merge_cpu_use(struct tk_tracy_merge *m)
{
    merge_records(m, put_cpu_use);
}

void tk_tracy_merge_symbols(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m); /* those that are not inlined */
    tk_tracy_merge_put_sum(m); /* those that are */
    merge_records(m, put_symbol);
}

void tk_tracy_merge_symbol_code(struct tk_tracy_merge *m)
{
    merge_records(m, put_code);
}

void tk_tracy_merge_code_symbols(struct tk_tracy_merge *m)
{
    merge_records(m, put_code_symbol);
}

void tk_tracy_merge_hardware_samples(struct tk_tracy_merge *m)
{
    merge_records(m, put_hardware);
}

void tk_tracy_merge_sources(struct tk_tracy_merge *m)
{
    merge_records(m, put_source);
}
