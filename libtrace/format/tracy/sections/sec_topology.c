/*
 * CPU topology: how many packages, dies, cores and threads.
 *
 *   u64 n, packages: u32, u64 n, [dies: u32, u64 n,] cores: u32, u64 n, threads: u32          tracy-file 4
 */
#include "format/tracy/walk/section.h"

struct state {
    struct tk_tracy_list packages, dies, cores;
    uint64_t n_dies, n_cores, n_threads;
};

static void read_threads(struct tk_tracy_walk *w, struct state *s)
{
    tk_tracy_u32(&w->in, "CPU core");
    uint64_t n = tk_tracy_read_count(w, "threads of a CPU core");
    tk_tracy_skip_items(w, n, 4, "threads of a CPU core");
    s->n_threads += n;
}

static void read_cores(struct tk_tracy_walk *w, struct state *s)
{
    s->cores = (struct tk_tracy_list){0};
    while (tk_tracy_list_next(w, &s->cores, "cores of a CPU"))
        read_threads(w, s);
    s->n_cores += s->cores.n;
}

static void read_package(struct tk_tracy_walk *w, struct state *s)
{
    tk_tracy_u32(&w->in, "CPU package");
    s->dies = (struct tk_tracy_list){0};
    if (!w->c->layout.dies) {
        s->n_dies++;
        read_cores(w, s);
        return;
    }
    while (tk_tracy_list_next(w, &s->dies, "dies of a CPU")) {
        tk_tracy_u32(&w->in, "CPU die");
        read_cores(w, s);
    }
    s->n_dies += s->dies.n;
}

static int define_topology(struct tk_tracy_walk *w, const struct state *s)
{
    int rc = tk_tracy_define_session(w->c, "CpuPackages", tk_cell_of_uint(s->packages.n));
    if (rc == TK_OK)
        rc = tk_tracy_define_session(w->c, "CpuDies", tk_cell_of_uint(s->n_dies));
    if (rc == TK_OK)
        rc = tk_tracy_define_session(w->c, "CpuCores", tk_cell_of_uint(s->n_cores));
    return rc == TK_OK ? tk_tracy_define_session(w->c, "CpuThreads", tk_cell_of_uint(s->n_threads)) : rc;
}

static int step_topology(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    while (tk_tracy_list_next(w, &s->packages, "CPU packages"))
        read_package(w, s);
    w->items = s->packages.n;
    return w->defining && tk_tracy_ok(&w->in) && s->packages.n ? define_topology(w, s) : TK_OK;
}

const struct tk_tracy_section tk_tracy_sec_topology = {
    .name = "topology", .step = step_topology, .size = sizeof(struct state)};
