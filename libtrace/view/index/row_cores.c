/*
 * Context switches: which thread ran on each core; and of each thread of the capture on which core it ran,
 * and off core, which thread ran instead: the first one on the core that it left, before it ran again.
 */
#include "base/err.h"
#include "table/cell.h"
#include "view/index/index_in.h"

#include <stdio.h>

enum { START, END, SYSTEM_ID, PROCESS_ID, THREAD_ID, THREAD, CORE };

enum { CORES_MOST = 4096 };

static struct tk_str name_of(const struct tk_cell *cells)
{
    return cells[THREAD].kind == TK_TEXT && cells[THREAD].n ? tk_cell_text(&cells[THREAD])
                                                            : tk_index_text("unknown thread");
}

/* The number of a thread of the system, of this process or another. UINT32_MAX without memory. */
static uint32_t runner_of(struct tk_index_rows *r, const struct tk_cell *cells)
{
    const uint64_t process = cells[PROCESS_ID].kind == TK_UINT ? cells[PROCESS_ID].v.u : 0;
    const uint64_t key = (uint64_t)cells[SYSTEM_ID].v.i ^ tk_hash_u64(process);
    uint32_t number = tk_map_get(&r->runner_of, key);
    if (number != TK_MAP_NONE)
        return number;
    number = (uint32_t)r->runners.n;
    const struct tk_str name = name_of(cells), *kept = NULL;
    const struct tk_index_runner made = {.end = INT64_MAX, .next = UINT32_MAX, .left = UINT32_MAX};
    if (tk_index_keep_text(r->index, &name, &kept) || tk_vec_push(&r->runners, made) ||
        tk_map_put(&r->runner_of, key, number))
        return UINT32_MAX;
    r->runners.v[number].name = *kept;
    return number;
}

/* The list of a core. NULL: no memory, or so many cores that the number makes no sense. */
static uint32_t *core_of(struct tk_index_rows *r, uint64_t core)
{
    while (core < CORES_MOST && r->cores.n <= core)
        if (tk_vec_push(&r->cores, UINT32_MAX))
            return NULL;
    return core < r->cores.n ? &r->cores.v[core] : NULL;
}

/* Off core since its last run. */
static int add_gap(struct tk_index_rows *r, const struct tk_index_span_lane *lane, uint32_t number,
                   int64_t begin)
{
    const struct tk_index_runner *runner = &r->runners.v[number];
    if (runner->end >= begin)
        return TK_OK;
    if (runner->next == UINT32_MAX || runner->next_begin >= begin)
        return tk_index_rows_span(r, lane, runner->end, begin, tk_index_text("off core, nothing else ran"),
                                  "");
    return tk_index_rows_span(r, lane, runner->end, begin, r->runners.v[runner->next].name, " ran instead");
}

static int add_run(struct tk_index_rows *r, const struct tk_cell *cells, uint32_t number)
{
    char core[32];
    const struct tk_index_span_lane lane = {TK_INDEX_RUNNING, (uint32_t)cells[THREAD_ID].v.u,
                                            r->runners.v[number].name};
    const int rc = add_gap(r, &lane, number, cells[START].v.i);
    snprintf(core, sizeof core, "core %u", (unsigned)cells[CORE].v.u);
    return rc == TK_OK
               ? tk_index_rows_span(r, &lane, cells[START].v.i, cells[END].v.i, tk_index_text(core), "")
               : rc;
}

/* A thread runs: those that left the core before have their next one, and the thread itself is in no list any
 * more. */
static void note_next(struct tk_index_rows *r, uint32_t *list, uint32_t runner, int64_t begin, bool runs_here)
{
    struct tk_index_runner *v = r->runners.v;
    while (*list != UINT32_MAX) {
        struct tk_index_runner *left = &v[*list];
        const bool itself = *list == runner, over = runs_here && !itself && left->end <= begin;
        if (over) {
            left->next = runner;
            left->next_begin = begin;
        }
        if (itself || over)
            *list = left->left;
        else
            list = &left->left;
    }
}

/* The thread is in the list of the core that it leaves. */
static void leave(struct tk_index_rows *r, uint32_t *core, uint32_t number, uint32_t runner, int64_t end)
{
    struct tk_index_runner *left = &r->runners.v[runner];
    left->end = end;
    left->core = number;
    left->next = UINT32_MAX;
    left->left = *core;
    *core = runner;
}

static int take_run(struct tk_index_rows *r, const struct tk_cell *cells, uint32_t runner, uint32_t *core)
{
    char name[32];
    const uint32_t number = (uint32_t)cells[CORE].v.u;
    const struct tk_index_runner before = r->runners.v[runner];
    snprintf(name, sizeof name, "core %u", (unsigned)number);
    const struct tk_index_span_lane lane = {TK_INDEX_CORE, number, tk_index_text(name)};
    int rc = tk_index_rows_span(r, &lane, cells[START].v.i, cells[END].v.i, before.name, "");
    note_next(r, core, runner, cells[START].v.i, true);
    if (rc == TK_OK && cells[THREAD_ID].kind == TK_UINT)
        rc = add_run(r, cells, runner);
    if (before.end != INT64_MAX && before.core != number)
        note_next(r, &r->cores.v[before.core], runner, cells[START].v.i, false);
    leave(r, core, number, runner, cells[END].v.i);
    return rc;
}

static int take_switch(struct tk_index_rows *r, const struct tk_cell *cells)
{
    if (cells[START].kind != TK_TIME || cells[END].kind != TK_TIME || cells[CORE].kind != TK_UINT ||
        cells[END].v.i < cells[START].v.i || cells[CORE].v.u >= CORES_MOST)
        return TK_OK;
    const uint32_t runner = runner_of(r, cells);
    uint32_t *core = core_of(r, cells[CORE].v.u);
    if (runner == UINT32_MAX || !core)
        return tk_err_nomem(r->err, "context switches");
    return take_run(r, cells, runner, core);
}

const struct tk_index_row_kind tk_index_row_cores = {
    .name = "core",
    .table = "switch_rows",
    .facts = TK_FACT_MASK(SWITCH),
    .columns = {"start", "end", "system_id", "process_id", "thread_id", "thread", "core"},
    .take = take_switch,
};
