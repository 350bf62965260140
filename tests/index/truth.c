/*
 * Reads all scopes of a capture with the tables `scopes` and `gpu_scopes`.
 */
#include "truth.h"

#include "tracekit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static uint64_t hash(const char *p, size_t n)
{
    uint64_t h = UINT64_C(1469598103934665603);
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)p[i]) * UINT64_C(1099511628211);
    return h ^ h >> 29;
}

static void *grown(void *v, size_t n)
{
    void *more = realloc(v, n);
    if (!more) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    return more;
}

static void rehash(struct truth *t)
{
    t->mask = t->mask ? t->mask * 2 + 1 : 1023;
    free(t->slots);
    t->slots = grown(NULL, (t->mask + 1) * sizeof *t->slots);
    memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
    for (uint32_t i = 0; i < t->n_names; i++) {
        size_t at = hash(t->names[i], strlen(t->names[i])) & t->mask;
        while (t->slots[at])
            at = (at + 1) & t->mask;
        t->slots[at] = i + 1;
    }
}

uint32_t truth_name(struct truth *t, const char *p, size_t n, bool add)
{
    const char *nul = n ? memchr(p, 0, n) : NULL;
    n = nul ? (size_t)(nul - p) : n;
    if (t->n_names * 2 >= t->mask)
        rehash(t);
    size_t at = hash(p, n) & t->mask;
    for (; t->slots[at]; at = (at + 1) & t->mask) {
        const char *known = t->names[t->slots[at] - 1];
        if (strlen(known) == n && memcmp(known, p, n) == 0)
            return t->slots[at] - 1;
    }
    if (!add)
        return UINT32_MAX;
    if (t->n_names == t->cap_names)
        t->names = grown(t->names, (t->cap_names = t->cap_names * 2 + 64) * sizeof *t->names);
    t->names[t->n_names] = grown(NULL, n + 1);
    memcpy(t->names[t->n_names], p, n);
    t->names[t->n_names][n] = 0;
    t->slots[at] = (uint32_t)++t->n_names;
    return (uint32_t)t->n_names - 1;
}

/* ---- scopes ---- */

static struct truth_lane *lane_at(struct truth *t, size_t i)
{
    while (t->n <= i) {
        t->lanes = grown(t->lanes, (t->n + 1) * sizeof *t->lanes);
        t->lanes[t->n++] = (struct truth_lane){0};
    }
    return &t->lanes[i];
}

static int take(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct truth *t = self;
    const bool gpu = strcmp(tk_table_name(table), "gpu_scopes") == 0;
    const size_t thread = (size_t)tk_table_column(table, gpu ? "queue_id" : "thread_id"),
                 timer = (size_t)tk_table_column(table, "timer"),
                 start = (size_t)tk_table_column(table, "start"), dur = (size_t)tk_table_column(table, "dur"),
                 depth = (size_t)tk_table_column(table, "depth"),
                 id = (size_t)tk_table_column(table, "scope_id");
    (void)err;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        /* the number of a lane in its reading stands above that of the scope in it */
        struct truth_lane *lane = lane_at(t, (gpu ? t->first_gpu : 0) + (size_t)(row[id].v.u >> 40));
        if (lane->n == lane->cap)
            lane->v = grown(lane->v, (lane->cap = lane->cap * 2 + 64) * sizeof *lane->v);
        const int64_t begin = row[start].v.i - t->start;
        lane->gpu = gpu;
        lane->thread = tk_cell_uint(&row[thread]);
        lane->v[lane->n++] = (struct truth_scope){.begin = begin,
                                                  .end = begin + row[dur].v.i,
                                                  .name = truth_name(t, row[timer].v.p, row[timer].n, true),
                                                  .depth = (uint32_t)row[depth].v.u,
                                                  .unended = row[dur].kind == TK_NONE};
    }
    return TK_OK;
}

static int read_table(struct truth *t, struct tk_trace *trace, const char *name, struct tk_err *err)
{
    const char *const tables[] = {name};
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = tables;
    query.n_tables = 1;
    query.unit = TK_UNIT_CYCLES;
    return tk_query_run(trace, &query, &(struct tk_sink){.self = t, .rows = take}, err);
}

bool truth_read(struct truth *t, const char *path, const struct tk_index *index)
{
    struct tk_index_about about;
    struct tk_index_lane lane;
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    tk_index_tell(index, &about);
    *t = (struct truth){.start = (int64_t)about.start};
    for (uint32_t i = 0; tk_index_lane_get(index, i, &lane) && lane.kind == TK_INDEX_THREAD; i++)
        t->first_gpu = i + 1;
    if (about.lanes)
        lane_at(t, about.lanes - 1);
    int rc = tk_open(&trace, path, NULL, &err);
    if (rc >= 0)
        rc = read_table(t, trace, "scopes", &err);
    if (rc >= 0 && tk_has_table(trace, "gpu_scopes"))
        rc = read_table(t, trace, "gpu_scopes", &err);
    tk_close(trace);
    if (rc < 0)
        fprintf(stderr, "%s: %s\n", path, tk_err_text(&err, rc));
    return rc >= 0;
}

void truth_free(struct truth *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->lanes[i].v);
    for (size_t i = 0; i < t->n_names; i++)
        free(t->names[i]);
    free(t->lanes);
    free(t->names);
    free(t->slots);
}
