/*
 * Which process a thread is of, and how much it ran: names of threads of other processes, rows of the table
 * `cpu_use`, and records.
 *
 *   u64 n, processes; u64 n, uses of the CPU                                                  tracy-file 5.18
 */
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/section.h"

static int say_use(struct tk_tracy_walk *w, uint64_t at, const struct tk_tracy_cpu_use *u)
{
    struct tk_cell cells[] = {tk_cell_of_uint(u->tid), tk_cell_of_int(u->running),
                              tk_cell_of_uint(u->regions), tk_cell_of_uint(u->migrations)};
    return tk_tracy_wants(w, TK_TRACY_THREAD_CPU) ? tk_tracy_say_timeless(w, TK_TRACY_THREAD_CPU, at, cells)
                                                  : TK_OK;
}

static int say_row_cpu_use(struct tk_tracy_walk *w, const struct tk_tracy_cpu_use *u)
{
    uint32_t thread = tk_tracy_thread(w, u->tid), at = tk_map_get(&w->processes, u->tid);
    const struct tk_str *process, *name;
    struct tk_cell *row = tk_tracy_row(w, &tk_tracy_table_cpu_use, thread);
    if (!row)
        return TK_ENOMEM;
    tk_tracy_thread_external(&w->c->threads, &w->c->strings, u->tid, &process, &name);
    row[TK_TRACY_USE_SYSTEM_ID] = tk_cell_of_int((int64_t)u->tid);
    if (thread == TK_NO_THREAD)
        row[TK_TRACY_USE_NAME] = tk_cell_of_text(name ? name : process);
    if (at != TK_MAP_NONE)
        row[TK_TRACY_USE_PROCESS_ID] = tk_cell_of_int((int64_t)w->pids.v[at]);
    row[TK_TRACY_USE_RUNNING] = (struct tk_cell){.kind = TK_DURATION, .v.i = u->running};
    row[TK_TRACY_USE_REGIONS] = tk_cell_of_uint(u->regions);
    row[TK_TRACY_USE_MIGRATIONS] = tk_cell_of_uint(u->migrations);
    return TK_OK;
}

static int say_system_thread(struct tk_tracy_walk *w, uint64_t tid, uint64_t pid)
{
    const struct tk_str *process, *name;
    tk_tracy_thread_external(&w->c->threads, &w->c->strings, tid, &process, &name);
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_SYSTEM_THREAD, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.system_thread =
        (struct tk_fact_system_thread){.system_id = tid, .process_id = pid, .name = name ? name : process};
    return TK_OK;
}

static int say_process(struct tk_tracy_walk *w, uint64_t tid, uint64_t pid)
{
    if (tk_tracy_wants_rows(w, &tk_tracy_table_cpu_use) && w->pids.n < w->c->ctx->limits.threads &&
        (tk_map_put(&w->processes, tid, (uint32_t)w->pids.n) || tk_vec_push(&w->pids, pid)))
        return TK_ENOMEM;
    return tk_tracy_wants_fact(w, TK_FACT_SYSTEM_THREAD) ? say_system_thread(w, tid, pid) : TK_OK;
}

static int read_process(struct tk_tracy_walk *w, void *state)
{
    const uint64_t at = tk_tracy_at(&w->in);
    struct tk_tracy_process v;
    (void)state;
    if (!tk_tracy_read_process(&w->in, &v))
        return TK_OK;
    struct tk_cell cells[] = {tk_cell_of_uint(v.tid), tk_cell_of_uint(v.pid)};
    tk_tracy_count(w, TK_TRACY_THREAD_PROCESS, 1, tk_tracy_process_size(&w->c->layout));
    if (say_process(w, v.tid, v.pid) != TK_OK)
        return TK_ENOMEM;
    return tk_tracy_wants(w, TK_TRACY_THREAD_PROCESS)
               ? tk_tracy_say_timeless(w, TK_TRACY_THREAD_PROCESS, at, cells)
               : TK_OK;
}

static int read_use(struct tk_tracy_walk *w, void *state)
{
    const uint64_t at = tk_tracy_at(&w->in);
    struct tk_tracy_cpu_use u;
    (void)state;
    if (!tk_tracy_read_cpu_use(&w->in, &u))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_THREAD_CPU, 1, tk_tracy_cpu_use_size(&w->c->layout));
    if (tk_tracy_wants_rows(w, &tk_tracy_table_cpu_use) && say_row_cpu_use(w, &u) != TK_OK)
        return TK_ENOMEM;
    return say_use(w, at, &u);
}

static int step_processes(struct tk_tracy_walk *w, void *state)
{
    return tk_tracy_list_walk(w, state, "processes of threads", read_process, NULL);
}

static int step_use(struct tk_tracy_walk *w, void *state)
{
    return tk_tracy_list_walk(w, state, "running times of threads", read_use, NULL);
}

static const struct tk_table *const use_rows[] = {&tk_tracy_table_cpu_use, NULL};

const struct tk_tracy_section tk_tracy_sec_processes = {.name = "processes",
                                                        .step = step_processes,
                                                        .size = sizeof(struct tk_tracy_list),
                                                        .facts = TK_FACT_MASK(SYSTEM_THREAD),
                                                        .rows = use_rows,
                                                        .records = TK_TRACY_RECORD_MASK(THREAD_PROCESS)};

const struct tk_tracy_section tk_tracy_sec_cpu_use = {.name = "cpu_use",
                                                      .step = step_use,
                                                      .size = sizeof(struct tk_tracy_list),
                                                      .rows = use_rows,
                                                      .records = TK_TRACY_RECORD_MASK(THREAD_CPU)};
