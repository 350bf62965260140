/*
 * Sums the live memory of a run being collected by tag. collect.c passes it the facts about allocations.
 */
#include "base/text/text.h"
#include "base/wrap.h"
#include "compare/baseline/segments.h"
#include "compare/collect/collect_in.h"

#include <math.h>
#include <stdlib.h>

/*
 * Sums the loading times of a run being collected. collect.c passes it the facts about loading.
 */

void tk_collect_loading_init(struct tk_collect_loading *l, const struct tk_query_context *view,
                             struct tk_base_run *run)
{
    *l = (struct tk_collect_loading){.view = view, .run = run};
}

void tk_collect_loading_release(struct tk_collect_loading *l)
{
    tk_vec_release(&l->packages);
    tk_map_release(&l->index);
}

/* The sum of a package, or NULL if out of memory. */
static struct tk_loading_sum *sum_of_loading(struct tk_collect_loading *l, uint32_t package)
{
    struct tk_loading_sum sum = {.package = package};
    uint32_t at = tk_map_get(&l->index, package);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)l->packages.n;
        if (tk_map_put(&l->index, package, at) || tk_vec_push(&l->packages, sum))
            return NULL;
    }
    return &l->packages.v[at];
}

static void add_loading(struct tk_loading_sum *sum, int64_t own)
{
    sum->count++;
    sum->own = tk_wrap_add(sum->own, own);
    if (own > 0 && (uint64_t)own > sum->most)
        sum->most = (uint64_t)own;
}

static int take_step(struct tk_collect_loading *l, const struct tk_fact *fact)
{
    const struct tk_fact_load_step *step = &fact->u.load_step;
    if (step->op >= TK_LOAD_OPS || !tk_select_touches(l->view->select, fact->time, step->end) ||
        !tk_select_thread(l->view->select, l->view->dict, fact->thread))
        return 0;
    add_loading(&l->operations[step->op], step->excl);
    if (l->packages.n >= l->view->ctx->limits.rows) {
        l->left_out++;
        return 0;
    }
    struct tk_loading_sum *sum = sum_of_loading(l, step->package);
    if (sum)
        add_loading(sum, step->excl);
    return sum ? 0 : -1;
}

static int take_package(struct tk_collect_loading *l, const struct tk_fact *fact)
{
    const struct tk_str *name = fact->u.package.name;
    if (!name || l->packages.n >= l->view->ctx->limits.rows)
        return 0;
    struct tk_loading_sum *sum = sum_of_loading(l, fact->u.package.id);
    if (!sum)
        return -1;
    sum->name = tk_intern(&l->run->names, name->p, name->n, (enum tk_encoding)name->enc);
    return sum->name ? 0 : -1;
}

int tk_collect_loading_feed(struct tk_collect_loading *l, const struct tk_batch *batch, struct tk_err *err)
{
    int rc = 0;
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++) {
        if (batch->facts[i].kind == TK_FACT_LOAD_STEP)
            rc = take_step(l, &batch->facts[i]);
        else if (batch->facts[i].kind == TK_FACT_PACKAGE)
            rc = take_package(l, &batch->facts[i]);
    }
    return rc ? tk_err_nomem(err, "loading") : TK_OK;
}

static int put_loading(struct tk_collect_loading *l, const struct tk_str *name, const char *group,
                       const struct tk_loading_sum *sum)
{
    struct tk_series *s = sum->count ? tk_base_run_add(l->run, TK_SERIES_LOADING) : NULL;
    if (sum->count == 0)
        return 0;
    if (!s || !name)
        return -1;
    s->name = name;
    s->group = tk_intern_c(&l->run->names, group);
    s->count = sum->count;
    s->own = sum->own;
    s->total = s->incl = sum->own > 0 ? (uint64_t)sum->own : 0;
    s->min = 0;
    s->max = sum->most;
    return s->group ? 0 : -1;
}

static int by_time_loading(const void *a, const void *b)
{
    const struct tk_loading_sum *x = a, *y = b;
    int c = (x->own < y->own) - (x->own > y->own);
    return c ? c : tk_str_order(x->name, y->name);
}

static int by_name_loading(const void *a, const void *b)
{
    const struct tk_loading_sum *x = a, *y = b;
    return tk_str_order(x->name, y->name);
}

/* Keeps packages with a name that had steps; those of one name become one. */
static size_t gather(struct tk_collect_loading *l)
{
    struct tk_loading_sum *v = l->packages.v;
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < l->packages.n; i++)
        if (v[i].name && v[i].count)
            v[n++] = v[i];
    if (n)
        qsort(v, n, sizeof *v, by_name_loading);
    for (size_t i = 0; i < n; i++) {
        struct tk_loading_sum *last = kept ? &v[kept - 1] : NULL;
        if (!last || last->name != v[i].name) {
            v[kept++] = v[i];
            continue;
        }
        last->count += v[i].count;
        last->own = tk_wrap_add(last->own, v[i].own);
        last->most = v[i].most > last->most ? v[i].most : last->most;
    }
    return kept;
}

static int put_packages(struct tk_collect_loading *l)
{
    size_t n = gather(l);
    if (n)
        qsort(l->packages.v, n, sizeof *l->packages.v, by_time_loading);
    for (size_t i = 0; i < n && i < TK_LOADING_PACKAGES; i++)
        if (put_loading(l, l->packages.v[i].name, "package", &l->packages.v[i]))
            return -1;
    return 0;
}

int tk_collect_loading_finish(struct tk_collect_loading *l, struct tk_err *err)
{
    static const char *const names[TK_LOAD_OPS] = {"create", "serialize", "postload", "summary"};
    struct tk_loading_sum all = {0};
    int rc = 0;
    for (int op = 0; op < TK_LOAD_OPS && rc == 0; op++) {
        const struct tk_loading_sum *o = &l->operations[op];
        all.count += o->count;
        all.own = tk_wrap_add(all.own, o->own);
        all.most = o->most > all.most ? o->most : all.most;
        rc = put_loading(l, tk_intern_c(&l->run->names, names[op]), "operation", o);
    }
    if (rc == 0)
        rc = put_loading(l, tk_intern_c(&l->run->names, "loading"), "", &all);
    if (rc == 0)
        rc = put_packages(l);
    if (l->left_out)
        tk_health_limit(&l->view->ctx->health, TK_LIMIT_rows, TK_NO_OFFSET, l->left_out,
                        "steps of packages that were not followed");
    return rc ? tk_err_nomem(err, "loading") : TK_OK;
}

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
    const struct tk_alloc_group reported = tk_alloc_group_at(&m->model.groups, i), *g = &reported;
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
