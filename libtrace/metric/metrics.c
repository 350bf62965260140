/*
 * The functions of the chapter metrics of tracekit.h.
 */
#include "tracekit/metrics.h"

#include "base/given.h"
#include "io/file.h"
#include "metric/metric_in.h"

#include <stdlib.h>

#define MOST_BYTES (UINT64_C(4) << 20)

static int read_file(struct tk_metric_set *set, const char *path, struct tk_err *err)
{
    char *text;
    size_t n;
    int rc = tk_text_file_read(&text, &n, path, MOST_BYTES, err);
    if (rc == TK_OK)
        rc = tk_metrics_parse(set, path, text, n, err);
    free(text);
    if (rc < 0)
        tk_err_add(err, "cannot use the metrics of '%s'", path);
    return rc;
}

/* The list that the core knows. */
static int list_all(struct tk_metric_set *set, struct tk_err *err)
{
    set->list.v = calloc(set->all.n + 1, sizeof(const struct tk_metric *));
    if (!set->list.v)
        return tk_err_nomem(err, "metrics");
    for (size_t i = 0; i < set->all.n; i++)
        set->list.v[i] = &set->all.v[i]->metric;
    set->list.n = set->all.n;
    set->list.measure = tk_metrics_measure;
    return TK_OK;
}

int tk_metrics_new(struct tk_metrics **out, const char *const *paths, size_t n, struct tk_err *err)
{
    TK_GIVEN(err, out);
    *out = NULL;
    TK_TEXTS_GIVEN(err, paths, n);
    struct tk_metric_set *set = calloc(1, sizeof *set);
    struct tk_err none = {0};
    err = err ? err : &none;
    int rc = set ? TK_OK : tk_err_nomem(err, "metrics");
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = read_file(set, paths[i], err);
    if (rc == TK_OK)
        rc = list_all(set, err);
    if (rc == TK_OK)
        rc = tk_metrics_check(set, err);
    if (rc == TK_OK)
        *out = &set->list;
    else if (set)
        tk_metrics_free(&set->list);
    return rc;
}

size_t tk_metrics_count(const struct tk_metrics *metrics)
{
    return metrics ? metrics->n : 0;
}

const char *tk_metrics_name(const struct tk_metrics *metrics, size_t i)
{
    return metrics && i < metrics->n ? metrics->v[i]->name : NULL;
}

void tk_metrics_free(struct tk_metrics *metrics)
{
    struct tk_metric_set *set = (struct tk_metric_set *)metrics;
    if (!set)
        return;
    free(set->list.v);
    tk_vec_release(&set->all);
    tk_arena_release(&set->texts);
    free(set);
}
