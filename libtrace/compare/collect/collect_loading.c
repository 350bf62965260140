/*
 * Sums the loading times of a run being collected. collect.c passes it the facts about loading.
 */
#include "compare/collect/collect_loading.h"

#include "base/text/text.h"
#include "base/wrap.h"

#include <stdlib.h>

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
