/*
 * Histories: kinds of series, their order, and what is freed.
 */
#include "trend/history.h"

#include "base/sort.h"
#include "base/text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[TK_HISTORY_KINDS] = {
    [TK_HISTORY_FRAME] = "frame",     [TK_HISTORY_HITCHES] = "hitches", [TK_HISTORY_TIMER] = "timer",
    [TK_HISTORY_GPU] = "gpu",         [TK_HISTORY_MEMORY] = "memory",   [TK_HISTORY_LOADING] = "loading",
    [TK_HISTORY_COUNTER] = "counter", [TK_HISTORY_METRIC] = "metric",
};

const char *tk_history_kind_name(enum tk_history_kind kind)
{
    return kind_names[kind];
}

int tk_history_kind_of(const struct tk_str *name)
{
    for (int i = 0; i < TK_HISTORY_KINDS; i++)
        if (name->n == strlen(kind_names[i]) && memcmp(name->p, kind_names[i], name->n) == 0)
            return i;
    return -1;
}

void tk_history_release(struct tk_history *h)
{
    for (size_t i = 0; i < h->series.n; i++)
        tk_vec_release(&h->series.v[i].values);
    for (size_t i = 0; i < h->notes.n; i++)
        tk_vec_release(&h->notes.v[i].values);
    tk_vec_release(&h->series);
    tk_vec_release(&h->notes);
    tk_vec_release(&h->runs);
    tk_vec_release(&h->remarks);
    tk_map_release(&h->by_id);
    tk_intern_release(&h->names);
}

int tk_history_remark(struct tk_history *h, const char *fmt, ...)
{
    char line[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    const struct tk_str *text = tk_intern_c(&h->names, line);
    return !text || tk_vec_push(&h->remarks, text) ? -1 : 0;
}

static int by_id(const void *a, const void *b)
{
    const struct tk_history_series *x = a, *y = b;
    return tk_str_order(x->id, y->id);
}

int tk_history_settle(struct tk_history *h, struct tk_err *err)
{
    if (tk_sort(h->series.v, h->series.n, sizeof *h->series.v, by_id))
        return tk_err_nomem(err, "a history");
    for (size_t i = 1; i < h->series.n; i++)
        if (h->series.v[i].id == h->series.v[i - 1].id)
            return tk_err_set(err, TK_EFORMAT, "two series are called '%.*s'", (int)h->series.v[i].id->n,
                              h->series.v[i].id->p);
    h->nights = h->runs.n ? h->runs.v[h->runs.n - 1].night + 1 : 0;
    return TK_OK;
}

const struct tk_history_run *tk_history_run_of(const struct tk_history *h, uint32_t night)
{
    size_t low = 0, high = h->runs.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (h->runs.v[middle].night < night)
            low = middle + 1;
        else
            high = middle;
    }
    return low < h->runs.n && h->runs.v[low].night == night ? &h->runs.v[low] : NULL;
}
