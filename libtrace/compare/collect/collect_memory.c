/*
 * Sums the live memory of a run being collected by tag. collect.c passes it the facts about allocations.
 */
#include "compare/collect/collect_memory.h"

#include "compare/baseline/watched_frames.h"

#include <math.h>
#include <stdlib.h>

static bool is_watched_memory(const struct tk_watch *watch)
{
    for (size_t i = 0; watch && i < watch->v.n; i++)
        if (watch->v.v[i].kind == TK_SERIES_MEMORY)
            return true;
    return false;
}

int tk_collect_memory_init(struct tk_collect_memory *m, const struct tk_query_context *view,
                           const struct tk_collect_frames *frames, const struct tk_watch *watch)
{
    unsigned by = TK_ALLOC_BIT(TK_ALLOC_BY_TAG) | TK_ALLOC_BIT(TK_ALLOC_BY_TOTAL);
    *m = (struct tk_collect_memory){
        .run = frames->run, .frames = frames, .started = true, .watched = is_watched_memory(watch)};
    m->until = tk_collect_range(frames, 0)->from;
    m->looks = calloc((size_t)frames->run->n_blocks + 1, sizeof *m->looks);
    tk_memory_init(
        &m->model, view,
        &(struct tk_memory_setup){.table = "memory", .by = by, .parts = m->watched ? TK_ALLOC_ENDS : 0});
    tk_memory_names_init(&m->names, view->ctx);
    return m->looks ? 0 : -1;
}

/* Notes what is alive when the first frame begins. */
static int reach_memory(struct tk_collect_memory *m)
{
    m->reached = true;
    for (size_t i = 0; i < m->model.groups.flows.n; i++)
        if (tk_vec_push(&m->then, tk_alloc_alive_bytes(&m->model.groups.flows.v[i])))
            return -1;
    return 0;
}

/* Adds what is alive to a block. */
static int look_memory(struct tk_collect_memory *m, size_t block)
{
    size_t n = m->model.groups.flows.n;
    while (m->alive.n < n) {
        double *sums = calloc(m->run->n_blocks, sizeof *sums);
        if (!sums || tk_vec_push(&m->alive, sums)) {
            free(sums);
            return -1;
        }
    }
    for (size_t i = 0; i < n; i++)
        m->alive.v[i][block] += (double)tk_alloc_alive_bytes(&m->model.groups.flows.v[i]);
    m->looks[block]++;
    return 0;
}

/* What is due at m->until, and when the next is. */
static int pass(struct tk_collect_memory *m)
{
    tk_alloc_moves_settle(&m->model.groups.moves);
    const struct tk_collect_frames *f = m->frames;
    uint32_t step = m->run->block_frames / TK_MEMORY_LOOKS;
    if (m->reached) {
        if (look_memory(m, tk_base_run_block(m->run, m->frame)))
            return -1;
        m->frame += step ? step : 1;
    } else if (reach_memory(m)) {
        return -1;
    }
    m->until = m->frame < m->run->frames.n ? tk_collect_range(f, m->frame)->to : INT64_MAX;
    return 0;
}

/* How many facts from `at` on come before m->until. */
static size_t count_before(const struct tk_collect_memory *m, const struct tk_batch *batch, size_t at)
{
    size_t n = at;
    while (n < batch->n_facts && (batch->facts[n].kind != TK_FACT_MEMORY || batch->facts[n].time < m->until))
        n++;
    return n - at;
}

static int feed_parts(struct tk_collect_memory *m, const struct tk_batch *batch, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t at = 0; rc == TK_OK;) {
        struct tk_batch part = *batch;
        if (at) /* else there may be none */
            part.facts += at;
        part.n_facts = count_before(m, batch, at);
        at += part.n_facts;
        rc = tk_memory_feed(&m->model, &part, err);
        if (at == batch->n_facts)
            return rc;
        if (rc == TK_OK && pass(m))
            rc = tk_err_nomem(err, "memory");
    }
    return rc;
}

int tk_collect_memory_feed(struct tk_collect_memory *m, const struct tk_batch *batch, struct tk_err *err)
{
    for (size_t i = 0; i < batch->n_facts; i++) {
        uint64_t fact = UINT64_C(1) << batch->facts[i].kind;
        if (fact & (TK_FACT_MASK(MEMORY_TAG) | TK_FACT_MASK(MEMORY_HEAP)) &&
            tk_memory_names_feed(&m->names, &batch->facts[i]))
            return tk_err_nomem(err, "the names of memory");
    }
    return feed_parts(m, batch, err);
}

static const struct tk_str *keep_memory(struct tk_base_run *run, struct tk_cell cell, const char *otherwise)
{
    return cell.kind == TK_TEXT ? tk_intern(&run->names, cell.v.p, cell.n, (enum tk_encoding)cell.enc)
                                : tk_intern_c(&run->names, otherwise);
}

/* The frame of a peak is the worst one of its series. */
static int tell_peak(struct tk_collect_memory *m, const struct tk_series *s, const struct tk_alloc_group *g)
{
    const size_t frame = tk_collect_frame_at(m->frames, g->ends.peak_time);
    if (!m->watched || frame == SIZE_MAX)
        return 0;
    struct tk_watched_frames *frames =
        tk_watched_frames_add(m->run, TK_SERIES_MEMORY, s->name, s->group, m->frames->frames->n, -INFINITY);
    if (frames)
        frames->v[frame] = (double)g->peak_bytes;
    return frames ? 0 : -1;
}

static int add_group(struct tk_collect_memory *m, size_t i, struct tk_emit *emit)
{
    const struct tk_alloc_group told = tk_alloc_group_at(&m->model.groups, i), *g = &told;
    bool all = g->by == TK_ALLOC_BY_TOTAL;
    struct tk_series *s = tk_base_run_add(m->run, TK_SERIES_MEMORY);
    if (!s)
        return -1;
    s->name = all ? tk_intern_c(&m->run->names, "all allocations")
                  : keep_memory(m->run, tk_memory_tag_own_name(&m->names, (int32_t)g->key, emit), "Unknown");
    s->group = all ? tk_intern_c(&m->run->names, "")
               : g->heap
                   ? keep_memory(m->run, tk_memory_heap_name(&m->names, g->heap), "allocations of a heap")
                   : tk_intern_c(&m->run->names, "allocations");
    s->count = g->allocs;
    s->high = (double)g->peak_bytes;
    s->last = (double)g->then_bytes;
    s->first = i < m->then.n ? (double)m->then.v[i] : 0;
    for (uint32_t b = 0; b < m->run->n_blocks; b++) {
        s->hits[b] = m->looks[b];
        s->blocks[b] = i < m->alive.n ? m->alive.v[i][b] : 0;
    }
    return s->name && s->group ? tell_peak(m, s, g) : -1;
}

int tk_collect_memory_finish(struct tk_collect_memory *m, struct tk_emit *emit, struct tk_err *err)
{
    int rc = TK_OK;
    while (m->model.groups.ids.n && m->until != INT64_MAX && rc == TK_OK)
        rc = pass(m) ? tk_err_nomem(err, "memory") : TK_OK;
    if (rc == TK_OK)
        rc = tk_memory_finish(&m->model, err);
    if (rc == TK_OK && tk_memory_names_settle(&m->names))
        rc = tk_err_nomem(err, "the names of memory");
    for (size_t i = 0; i < m->model.groups.ids.n && rc == TK_OK; i++)
        if ((m->model.groups.ids.v[i].by == TK_ALLOC_BY_TAG ||
             m->model.groups.ids.v[i].by == TK_ALLOC_BY_TOTAL) &&
            add_group(m, i, emit))
            rc = tk_err_nomem(err, "memory");
    return rc;
}

void tk_collect_memory_release(struct tk_collect_memory *m)
{
    if (!m->started)
        return;
    tk_memory_release(&m->model);
    tk_memory_names_release(&m->names);
    tk_vec_release(&m->then);
    for (size_t i = 0; i < m->alive.n; i++)
        free(m->alive.v[i]);
    tk_vec_release(&m->alive);
    free(m->looks);
}
