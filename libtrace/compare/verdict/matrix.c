/*
 * Builds the matrix of a comparison. It is the first step; all others work on its rows.
 */
#include "compare/verdict/matrix.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    struct tk_series *series;
    size_t run;
};

static int by_series(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int c = tk_series_compare(x->series, y->series);
    return c ? c : (x->run > y->run) - (x->run < y->run);
}

/* Whole blocks of frames hold at least `warmup` frames, which are left out. */
static uint32_t blocks_left_out(struct tk_matrix *m, const struct tk_base_run *run)
{
    uint64_t *left_out = m->out->left_out, frames;
    uint32_t n = 0;
    while (n < run->n_blocks && run->starts[n] < m->out->setup.warmup)
        n++;
    frames = n ? run->starts[n] : 0;
    if (m->n_runs == 0 || frames < left_out[0])
        left_out[0] = frames;
    if (frames > left_out[1])
        left_out[1] = frames;
    return n;
}

static int take_runs(struct tk_matrix *m, const struct tk_baseline *const sides[3])
{
    size_t n = 0;
    for (int s = 0; s < 3; s++)
        n += m->out->runs[s];
    m->runs = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->runs);
    m->side = tk_arena_alloc(&m->arena, n + 1);
    m->skip = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->skip);
    m->factor = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->factor);
    m->samples = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->samples);
    m->full = tk_arena_alloc(&m->arena, n + 1);
    m->fewest = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->fewest);
    m->fewest_inside = tk_arena_alloc(&m->arena, (n + 1) * sizeof *m->fewest_inside);
    if (!m->runs || !m->side || !m->skip || !m->factor || !m->samples || !m->full || !m->fewest ||
        !m->fewest_inside)
        return -1;
    memset(m->full, 0, n + 1);
    memset(m->samples, 0, (n + 1) * sizeof *m->samples);
    for (uint8_t s = 0; s < 3; s++)
        for (size_t i = 0; sides[s] && i < sides[s]->runs.n; i++, m->n_runs++) {
            const struct tk_base_run *run = sides[s]->runs.v[i];
            m->runs[m->n_runs] = run;
            m->side[m->n_runs] = s;
            if (s < 2)
                m->out->torn[s] |= run->torn;
            m->factor[m->n_runs] = 0;
            m->skip[m->n_runs] = blocks_left_out(m, run);
        }
    return 0;
}

bool tk_name_has(const struct tk_str *name, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= name->n; i++) {
        size_t k = 0;
        while (k < len && (name->p[i + k] == word[k] || (name->p[i + k] | 0x20) == word[k]))
            k++;
        if (k == len)
            return true;
    }
    return false;
}

bool tk_name_waits(const struct tk_str *name)
{
    static const char *const words[] = {"wait", "idle", "sleep", "limiter", "vsync"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tk_name_has(name, words[i]))
            return true;
    return false;
}

struct tk_row *tk_matrix_row(struct tk_matrix *m, const struct tk_series *any)
{
    struct tk_row row = {.any = any, .change = SIZE_MAX, .about = SIZE_MAX};
    const size_t n = m->n_runs;
    row.raw = tk_arena_alloc(&m->arena, (n + 1) * (3 * sizeof *row.raw + sizeof *row.of));
    if (!row.raw)
        return NULL;
    row.robust = row.raw + n;
    row.y = row.robust + n;
    row.of = (struct tk_series **)(void *)(row.y + n);
    memset(row.of, 0, n * sizeof *row.of);
    if (tk_vec_push(&m->rows, row))
        return NULL;
    row.waits =
        (any->kind == TK_SERIES_TIMER || any->kind == TK_SERIES_GPU || any->kind == TK_SERIES_SAMPLES) &&
        tk_name_waits(any->name);
    m->rows.v[m->rows.n - 1].waits = row.waits;
    return &m->rows.v[m->rows.n - 1];
}

struct tk_series_span tk_matrix_values(const struct tk_matrix *m, size_t run, const struct tk_series *s)
{
    if (m->skip[run])
        return tk_series_span(s, m->skip[run], m->runs[run]->n_blocks);
    return (struct tk_series_span){s->count, s->first, s->last, s->low, s->high};
}

/* Of a run that was cut down timers may have nothing left, and values of one without its warm-up. */
static bool has_anything(const struct tk_matrix *m, size_t run, const struct tk_series *s)
{
    if (s->hits && m->skip[run])
        return tk_matrix_values(m, run, s).hits;
    return !tk_series_has_calls(s->kind) || s->count || s->own;
}

/* Of two runs, whose series are in order, merging is all there is to sort. */
static void sort_entries(struct entry *v, size_t n, size_t n_first, struct entry *room)
{
    size_t a = 0, b = n_first, at = 0;
    while (a < n_first && b < n)
        room[at++] = by_series(&v[a], &v[b]) <= 0 ? v[a++] : v[b++];
    while (a < n_first)
        room[at++] = v[a++];
    memcpy(v, room, at * sizeof *v);
}

static int make_rows(struct tk_matrix *m)
{
    size_t n = 0, at = 0, first = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        n += m->runs[r]->series.n;
    struct entry *entries = malloc((n + 1) * 2 * sizeof *entries);
    if (!entries)
        return -1;
    for (size_t r = 0; r < m->n_runs; r++) {
        for (size_t i = 0; i < m->runs[r]->series.n; i++)
            if (has_anything(m, r, m->runs[r]->series.v[i]))
                entries[at++] = (struct entry){m->runs[r]->series.v[i], r};
        first = r ? first : at;
    }
    n = at;
    if (m->n_runs == 2)
        sort_entries(entries, n, first, entries + n);
    else
        qsort(entries, n, sizeof *entries, by_series);
    struct tk_row *row = NULL;
    int rc = tk_vec_reserve(&m->rows, m->n_runs ? n / m->n_runs : 0) ? -1 : 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (!row || tk_series_compare(row->any, entries[i].series) != 0)
            row = tk_matrix_row(m, entries[i].series);
        if (row)
            row->of[entries[i].run] = entries[i].series;
        rc = row ? 0 : -1;
    }
    free(entries);
    return rc;
}

int tk_matrix_make(struct tk_matrix *m, const struct tk_baseline *const sides[3], struct tk_err *err)
{
    if (take_runs(m, sides) || make_rows(m))
        return tk_err_nomem(err, "a comparison");
    return TK_OK;
}

void tk_matrix_release(struct tk_matrix *m)
{
    for (size_t i = 0; i < m->made.n; i++) {
        free(m->made.v[i]->blocks);
        free(m->made.v[i]);
    }
    tk_vec_release(&m->made);
    tk_vec_release(&m->rows);
    tk_arena_release(&m->arena);
}

bool tk_row_counts_run(const struct tk_row *row, size_t run)
{
    return !row->any || row->of[run] ||
           !(tk_kind_is_value(row->any->kind) || row->any->kind == TK_SERIES_SAMPLES);
}

bool tk_row_in_all(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side)
{
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] == side && !row->of[r])
            return false;
    return true;
}

bool tk_row_in_any(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side)
{
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] == side && row->of[r])
            return true;
    return false;
}
