/*
 * Which process a thread is of, and how much it ran. Records.
 *
 *   processes: u64 n, each u64 tid, u64 pid
 *   use:       u64 n, each u64 tid, i64 ns, u32 regions, u32 migrations                       tracy-file 5.18
 */
#include "tracy/cells.h"
#include "tracy/section_list.h"
#include "tracy/walk.h"

struct cpu_use {
    uint64_t at, tid;
    int64_t running; /* ns */
    uint32_t regions, migrations;
};

static int say_use(struct tk_tracy_walk *w, const struct cpu_use *u)
{
    struct tk_cell cells[] = {tk_tracy_uint_cell(u->tid), tk_tracy_int_cell(u->running),
                              tk_tracy_uint_cell(u->regions), tk_tracy_uint_cell(u->migrations)};
    return tk_tracy_wants(w, TK_TRACY_THREAD_CPU)
               ? tk_tracy_say_timeless(w, TK_TRACY_THREAD_CPU, u->at, cells)
               : TK_OK;
}

static int read_process(struct tk_tracy_walk *w, void *state)
{
    uint64_t at = tk_tracy_at(&w->in), tid = tk_tracy_u64(&w->in, "thread of a process");
    struct tk_cell cells[] = {tk_tracy_uint_cell(tid),
                              tk_tracy_uint_cell(tk_tracy_u64(&w->in, "process of a thread"))};
    (void)state;
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_THREAD_PROCESS, 1, 16);
    return tk_tracy_wants(w, TK_TRACY_THREAD_PROCESS)
               ? tk_tracy_say_timeless(w, TK_TRACY_THREAD_PROCESS, at, cells)
               : TK_OK;
}

static int read_use(struct tk_tracy_walk *w, void *state)
{
    struct cpu_use u = {.at = tk_tracy_at(&w->in), .tid = tk_tracy_u64(&w->in, "thread that ran")};
    (void)state;
    u.running = tk_tracy_i64(&w->in, "running time of a thread");
    u.regions = tk_tracy_u32(&w->in, "running regions of a thread");
    u.migrations = tk_tracy_u32(&w->in, "migrations of a thread");
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_THREAD_CPU, 1, 24);
    return say_use(w, &u);
}

static int step_processes(struct tk_tracy_walk *w, void *state)
{
    return tk_tracy_list_walk(w, state, "processes of threads", read_process, NULL);
}

static int step_use(struct tk_tracy_walk *w, void *state)
{
    return tk_tracy_list_walk(w, state, "running times of threads", read_use, NULL);
}

const struct tk_tracy_section tk_tracy_sec_processes = {.name = "processes",
                                                        .step = step_processes,
                                                        .size = sizeof(struct tk_tracy_list),
                                                        .records = TK_TRACY_RECORD_MASK(THREAD_PROCESS)};

const struct tk_tracy_section tk_tracy_sec_cpu_use = {.name = "cpu_use",
                                                      .step = step_use,
                                                      .size = sizeof(struct tk_tracy_list),
                                                      .records = TK_TRACY_RECORD_MASK(THREAD_CPU)};
