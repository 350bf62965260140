/*
 * Adds rows derived from the series of the runs: the busy time of each class of threads (all its timers that
 * do not wait), each stored call path, and the growth of memory while frames were drawn. Of counters that
 * only rise it puts the increase in the place of the values. It follows matrix.c.
 */
#include "base/hash.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "base/wrap.h"
#include "compare/baseline/baseline.h"
#include "compare/baseline/block_walk.h"
#include "compare/verdict/matrix.h"
#include "judge/metric_words.h"
#include "judge/smoothness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A series of no run, alongside one of a run. */
struct tk_series *tk_matrix_made(struct tk_matrix *m, size_t run, uint8_t kind, const struct tk_series *like)
{
    struct tk_series *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->kind = kind;
    s->blocks = calloc((size_t)m->runs[run]->n_blocks + 1, sizeof *s->blocks);
    s->name = like->name;
    s->group = like->group;
    s->line = like->line;
    s->timer_kind = like->timer_kind;
    s->file = tk_intern_c(&m->out->names, "");
    if (!s->blocks || !s->file || tk_vec_push(&m->made, s)) {
        free(s->blocks);
        free(s);
        return NULL;
    }
    return s;
}

/* ---- busy time ---- */

static int add_busy(struct tk_matrix *m, struct tk_row *busy, const struct tk_row *row)
{
    for (size_t r = 0; r < m->n_runs; r++) {
        if (!row->of[r])
            continue;
        if (!busy->of[r]) {
            busy->of[r] = tk_matrix_made(m, r, TK_SERIES_BUSY, row->any);
            if (!busy->of[r])
                return -1;
            busy->of[r]->name = row->any->group;
        }
        busy->any = busy->of[r];
        tk_block_add(row->of[r], m->runs[r]->n_blocks, busy->of[r]->blocks);
    }
    return 0;
}

/* Rows of timers come by group, so the timers of a class of threads follow each other. */
static int make_busy(struct tk_matrix *m)
{
    size_t n = m->rows.n, busy = SIZE_MAX;
    const struct tk_str *group = NULL;
    for (size_t i = 0; i < n; i++) {
        if (m->rows.v[i].any->kind != TK_SERIES_TIMER || m->rows.v[i].waits)
            continue;
        if (!group || tk_str_order(group, m->rows.v[i].any->group) != 0) {
            group = m->rows.v[i].any->group;
            busy = m->rows.n;
            if (!tk_matrix_row(m, m->rows.v[i].any))
                return -1;
            m->rows.v[busy].waits = false;
        }
        if (add_busy(m, &m->rows.v[busy], &m->rows.v[i]))
            return -1;
    }
    return 0;
}

/* ---- paths ---- */

/* Where rows of paths are found. */
struct path_rows {
    struct tk_matrix *m;
    struct tk_map index;                 /* class and text -> row */
    struct tk_map leaves;                /* class and timer -> 1 + the only row, or 0 for several */
    TK_VEC(const struct tk_str *) texts; /* of the paths of a run */
    TK_VEC(char) capacity;
};

/* The text of a path: that of its parent, and the timer. */
static const struct tk_str *text_of_derived_rows(struct path_rows *p, const struct tk_path *path)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): parents come before their children */
    const struct tk_str *above = path->parent ? p->texts.v[path->parent - 1] : NULL,
                        *name = path->timer->name;
    size_t n = 0, before = above ? above->n + 1u : 0;
    if (tk_vec_reserve(&p->capacity, before + name->n + 1))
        return NULL;
    for (size_t i = 0; above && i < above->n; i++)
        p->capacity.v[n++] = above->p[i];
    if (above)
        p->capacity.v[n++] = ';';
    for (size_t i = 0; i < name->n; i++)
        p->capacity.v[n++] = name->p[i] == ';' ? ',' : name->p[i];
    return tk_intern(&p->m->out->names, p->capacity.v, n, (enum tk_encoding)name->enc);
}

/* Runs have texts of their own, so those of the comparison make the key. -1 if out of memory. */
static int key_of_derived_rows(struct tk_matrix *m, const struct tk_str *a, const struct tk_str *b,
                               uint64_t kind, uint64_t *key)
{
    const struct tk_str *x = tk_intern(&m->out->names, a->p, a->n, (enum tk_encoding)a->enc);
    const struct tk_str *y = tk_intern(&m->out->names, b->p, b->n, (enum tk_encoding)b->enc);
    const uint64_t parts[] = {(uint64_t)(uintptr_t)x, (uint64_t)(uintptr_t)y, kind};
    if (!x || !y)
        return -1;
    *key = tk_hash_bytes(parts, sizeof parts, 0);
    return 0;
}

/* Is there another path of the timer? */
static int note_leaf(struct path_rows *p, const struct tk_series *timer, size_t row)
{
    uint64_t key;
    if (key_of_derived_rows(p->m, timer->group, timer->name, timer->kind, &key))
        return -1;
    uint32_t other = tk_map_get(&p->leaves, key);
    p->m->rows.v[row].alone = other == TK_MAP_NONE;
    if (other != TK_MAP_NONE && other)
        p->m->rows.v[other - 1].alone = false;
    return tk_map_put(&p->leaves, key, other == TK_MAP_NONE ? (uint32_t)row + 1 : 0);
}

/* The row of a path; SIZE_MAX if out of memory. */
static size_t row_of(struct path_rows *p, size_t run, const struct tk_path *path, const struct tk_str *text)
{
    struct tk_matrix *m = p->m;
    uint64_t key;
    if (key_of_derived_rows(m, path->timer->group, text, path->timer->kind, &key))
        return SIZE_MAX;
    uint32_t at = tk_map_get(&p->index, key);
    if (at != TK_MAP_NONE)
        return at;
    struct tk_series *s = tk_matrix_made(m, run, TK_SERIES_PATH, path->timer);
    struct tk_row *row = s ? tk_matrix_row(m, s) : NULL;
    if (!row || tk_map_put(&p->index, key, (uint32_t)m->rows.n - 1))
        return SIZE_MAX;
    s->name = text;
    row->leaf = path->timer;
    row->of[run] = s;
    return note_leaf(p, path->timer, m->rows.n - 1) ? SIZE_MAX : m->rows.n - 1;
}

/* Spreads the sum of each part over its blocks by their frames. */
static void spread(const struct tk_base_run *run, const struct tk_path *path, struct tk_series *s)
{
    double frames[TK_CALL_PATH_SUMS] = {0};
    for (uint32_t b = 0; b < run->n_blocks; b++)
        frames[run->part[b]] += tk_block_weight(run, b);
    for (uint32_t b = 0; b < run->n_blocks; b++)
        s->blocks[b] += (double)path->parts[run->part[b]] * tk_block_weight(run, b) / frames[run->part[b]];
    s->own = tk_wrap_add(s->own, path->own);
    s->count += path->count;
}

static int add_paths(struct path_rows *p, size_t run)
{
    const struct tk_base_run *of = p->m->runs[run];
    p->texts.n = 0;
    for (size_t i = 0; i < of->paths.n; i++) {
        const struct tk_path *path = &of->paths.v[i];
        const struct tk_str *text = text_of_derived_rows(p, path);
        if (!text || tk_vec_push(&p->texts, text))
            return -1;
        size_t row = path->reported ? row_of(p, run, path, text) : 0;
        if (!path->reported)
            continue;
        if (row == SIZE_MAX)
            return -1;
        struct tk_series **s = &p->m->rows.v[row].of[run];
        if (!*s && !(*s = tk_matrix_made(p->m, run, TK_SERIES_PATH, path->timer)))
            return -1;
        (*s)->name = text;
        spread(of, path, *s);
    }
    return 0;
}

static int make_paths(struct tk_matrix *m)
{
    struct path_rows p = {.m = m};
    int rc = 0;
    for (size_t r = 0; r < m->n_runs && rc == 0; r++)
        rc = add_paths(&p, r);
    tk_map_release(&p.index);
    tk_map_release(&p.leaves);
    tk_vec_release(&p.texts);
    tk_vec_release(&p.capacity);
    return rc;
}

/* ---- growth ---- */

static int add_growth(struct tk_matrix *m, size_t of)
{
    for (size_t r = 0; r < m->n_runs; r++) {
        const struct tk_series *memory = m->rows.v[of].of[r];
        struct tk_series *s = memory ? tk_matrix_made(m, r, TK_SERIES_GROWTH, memory) : NULL;
        if (!memory)
            continue;
        struct tk_row *row = m->rows.v[m->rows.n - 1].about == of ? &m->rows.v[m->rows.n - 1] : NULL;
        if (s && !row)
            row = tk_matrix_row(m, s);
        if (!s || !row)
            return -1;
        row->about = of;
        row->of[r] = s;
        const struct tk_series_span values = tk_matrix_values(m, r, memory);
        s->last = values.last - values.first;
    }
    return 0;
}

/* ---- metrics ---- */

static bool is_same_metric(const struct tk_base_metric *a, const struct tk_base_metric *b)
{
    return tk_str_order(a->name, b->name) == 0;
}

/* The row of a metric; NULL: there is none yet. */
static struct tk_row *metric_row(struct tk_matrix *m, size_t first, const struct tk_base_metric *metric)
{
    for (size_t i = first; i < m->rows.n; i++)
        if (is_same_metric(m->rows.v[i].metric, metric))
            return &m->rows.v[i];
    return NULL;
}

static int note_other_definition(struct tk_matrix *m, const struct tk_base_metric *metric)
{
    char text[240];
    snprintf(text, sizeof text, "the metric '%.*s' is not compared: its definition changed",
             (int)(metric->name->n < 160 ? metric->name->n : 160), metric->name->p);
    return tk_sides_note(&m->out->sides, text);
}

static int add_metric(struct tk_matrix *m, size_t first, size_t run, const struct tk_base_metric *metric)
{
    const struct tk_series like = {.name = metric->name, .group = tk_intern_c(&m->out->names, "")};
    struct tk_row *row = metric_row(m, first, metric);
    if (!like.group || (row && row->metric->hash != metric->hash))
        return like.group ? 0 : -1; /* it is taken out below */
    struct tk_series *s = tk_matrix_made(m, run, TK_SERIES_METRIC, &like);
    if (s && !row)
        row = tk_matrix_row(m, s);
    if (!s || !row)
        return -1;
    s->last = metric->value;
    row->metric = row->metric ? row->metric : metric;
    row->of[run] = s;
    return 0;
}

/* Has a run the metric by another definition? */
static bool is_redefined(const struct tk_matrix *m, const struct tk_base_metric *metric)
{
    for (size_t r = 0; r < m->n_runs; r++)
        for (size_t i = 0; i < m->runs[r]->metrics.n; i++)
            if (is_same_metric(&m->runs[r]->metrics.v[i], metric) &&
                m->runs[r]->metrics.v[i].hash != metric->hash)
                return true;
    return false;
}

static int make_metrics(struct tk_matrix *m)
{
    const size_t first = m->rows.n;
    size_t kept = first;
    int rc = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        for (size_t i = 0; i < m->runs[r]->metrics.n && rc == 0; i++)
            if (m->runs[r]->metrics.v[i].measured)
                rc = add_metric(m, first, r, &m->runs[r]->metrics.v[i]);
    for (size_t i = first; i < m->rows.n && rc == 0; i++)
        if (is_redefined(m, m->rows.v[i].metric))
            rc = note_other_definition(m, m->rows.v[i].metric);
        else
            m->rows.v[kept++] = m->rows.v[i];
    m->rows.n = kept;
    return rc;
}

/* ---- counters that only rise ---- */

static bool increases(const struct tk_matrix *m, const struct tk_row *row)
{
    for (size_t r = 0; r < m->n_runs; r++)
        if (row->of[r] && !tk_series_increases(m->runs[r], row->of[r], NULL, NULL))
            return false;
    return row->any->kind == TK_SERIES_COUNTER;
}

static int make_increases(struct tk_matrix *m)
{
    for (size_t i = 0; i < m->rows.n; i++) {
        struct tk_row *row = &m->rows.v[i];
        row->increases = increases(m, row);
        for (size_t r = 0; r < m->n_runs && row->increases; r++) {
            struct tk_series *s = row->of[r] ? tk_matrix_made(m, r, TK_SERIES_COUNTER, row->of[r]) : NULL;
            if (!row->of[r])
                continue;
            if (!s || !(s->hits = calloc((size_t)m->runs[r]->n_blocks + 1, sizeof *s->hits)))
                return -1;
            tk_series_increases(m->runs[r], row->of[r], s->blocks, s->hits);
            row->of[r] = s;
        }
    }
    return 0;
}

int tk_matrix_make_rows(struct tk_matrix *m)
{
    size_t n = m->n_sorted = m->rows.n;
    if (make_increases(m) || make_busy(m) || make_paths(m))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (m->rows.v[i].any->kind == TK_SERIES_MEMORY && add_growth(m, i))
            return -1;
    return make_metrics(m);
}

/*
 * Rows of cells: the 95th percentile of the frames of each run in each cell of the level. One value a run, as
 * metrics of the user are.
 */

enum { MOST_CELLS = 10000 };

#define LEAST_MS 0.1 /* of a change */

/* A cell that a run has frames in. */
struct seen {
    struct tk_run_cell_frame cell;
    size_t row;      /* SIZE_MAX: no run has frames enough */
    bool of_side[3]; /* a run of the side has */
};

struct making {
    struct tk_matrix *m;
    struct tk_base_metric *metric; /* how all of them are judged */
    TK_VEC(struct seen) seen;      /* in order */
};

/* Where the cell is among those seen, made where it is not. NULL if out of memory. */
static struct seen *find_seen(struct making *k, const struct tk_run_cell_frame *cell)
{
    size_t at;
    TK_SEARCH(at, k->seen.n, tk_run_cells_order(&k->seen.v[at].cell, cell) < 0);
    if (at < k->seen.n && tk_run_cells_order(&k->seen.v[at].cell, cell) == 0)
        return &k->seen.v[at];
    const struct seen one = {.cell = *cell, .row = SIZE_MAX};
    if (tk_vec_push(&k->seen, one))
        return NULL;
    memmove(&k->seen.v[at + 1], &k->seen.v[at], (k->seen.n - 1 - at) * sizeof *k->seen.v);
    k->seen.v[at] = one;
    return &k->seen.v[at];
}

/* The row of a cell in a run, made by the first that has it. 0, or -1 if out of memory. */
static int add_value(struct making *k, struct seen *seen, size_t run, double ms)
{
    struct tk_matrix *m = k->m;
    char name[TK_RUN_CELL_NAME];
    tk_run_cell_name(name, &seen->cell, m->out->setup.cell_z);
    const struct tk_series like = {.name = tk_intern_c(&m->out->names, name),
                                   .group = tk_intern_c(&m->out->names, "")};
    struct tk_series *s = like.name && like.group ? tk_matrix_made(m, run, TK_SERIES_CELL, &like) : NULL;
    if (!s)
        return -1;
    if (seen->row == SIZE_MAX) {
        struct tk_row *row = tk_matrix_row(m, s);
        if (!row)
            return -1;
        row->metric = k->metric;
        seen->row = m->rows.n - 1;
    }
    s->last = ms;
    m->rows.v[seen->row].of[run] = s;
    seen->of_side[m->side[run]] = true;
    return 0;
}

static void drop_warmup_cell_rows(const struct making *k, size_t run, struct tk_run_cells *cells)
{
    const uint32_t first = k->m->runs[run]->starts[k->m->skip[run]];
    size_t n = 0;
    for (size_t i = 0; i < cells->v.n; i++)
        if (cells->v.v[i].frame >= first)
            cells->v.v[n++] = cells->v.v[i];
    cells->v.n = n;
}

static int add_cells(struct making *k, size_t run, const struct tk_run_cells *cells, struct tk_err *err)
{
    int rc = 0;
    for (size_t i = 0, n; (n = tk_run_cells_count(cells, i)) > 0 && rc == 0; i += n) {
        const struct tk_run_cell_frame *cell = &cells->v.v[i];
        if (!cell->known)
            break;
        struct seen *seen = find_seen(k, cell);
        if (!seen)
            rc = -1;
        else if (n >= TK_FEW_FRAMES)
            rc = add_value(k, seen, run, tk_run_cell_ms(k->m->runs[run], cell, tk_sketch_rank(n, 95, 100)));
        if (k->seen.n > MOST_CELLS)
            return tk_err_set(err, TK_EMATCH, "there are more than %d cells: give them longer sides",
                              MOST_CELLS);
    }
    return rc ? tk_err_nomem(err, "cells") : TK_OK;
}

static int add_run(struct making *k, size_t run, struct tk_err *err)
{
    const struct tk_compare_setup *setup = &k->m->out->setup;
    struct tk_run_cells cells;
    int rc = tk_run_cells_make(&cells, k->m->runs[run], setup->cell, setup->cell_z, err);
    if (rc == TK_OK) {
        drop_warmup_cell_rows(k, run, &cells);
        rc = add_cells(k, run, &cells, err);
    }
    tk_run_cells_release(&cells);
    return rc;
}

/* What is not compared is said. */
static int note_few(const struct making *k)
{
    char text[160];
    size_t few = 0;
    for (size_t i = 0; i < k->seen.n; i++)
        few += !k->seen.v[i].of_side[TK_SIDE_BASE] || !k->seen.v[i].of_side[TK_SIDE_CANDIDATE];
    if (!few)
        return 0;
    snprintf(text, sizeof text,
             "%zu of %zu cells of the level are not compared: a side has fewer than %d frames in them", few,
             k->seen.n, TK_FEW_FRAMES);
    return tk_sides_note(&k->m->out->sides, text);
}

int tk_matrix_make_cells(struct tk_matrix *m, struct tk_err *err)
{
    struct making k = {.m = m};
    int rc = TK_OK;
    if (!(m->out->setup.cell > 0))
        return TK_OK;
    k.metric = tk_arena_alloc(&m->arena, sizeof *k.metric);
    if (!k.metric)
        return tk_err_nomem(err, "cells");
    *k.metric = (struct tk_base_metric){
        .better = TK_METRIC_LESS, .floor = LEAST_MS, .floor_ratio = m->out->setup.floor_ratio};
    for (size_t r = 0; r < m->n_runs && rc == TK_OK; r++)
        rc = add_run(&k, r, err);
    if (rc == TK_OK && note_few(&k))
        rc = tk_err_nomem(err, "cells");
    tk_vec_release(&k.seen);
    return rc;
}
