/*
 * Rows of two captures. See difference_rows.h.
 */
#include "report/difference_rows.h"

#include <string.h>

static uint64_t hash_of(const struct tk_cell *cell)
{
    if (cell->kind == TK_TEXT)
        return tk_hash_bytes(cell->v.p, cell->n, cell->enc);
    return cell->kind == TK_NONE ? 1 : tk_hash_u64(cell->v.u);
}

static bool is_same(const struct tk_cell *a, const struct tk_cell *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == TK_TEXT)
        return a->n == b->n && a->enc == b->enc && memcmp(a->v.p, b->v.p, a->n) == 0;
    return a->kind == TK_NONE || a->v.u == b->v.u;
}

static size_t kind_of(struct tk_difference *d, const struct tk_cell *key)
{
    size_t i = 0;
    while (i < d->n_kinds && !is_same(&d->kinds[i], key))
        i++;
    if (i == d->n_kinds && i < TK_DIFFERENCE_KINDS)
        d->kinds[d->n_kinds++] = *key;
    return i;
}

/* The row of these keys, made on first use; NULL if out of memory. What shares its hash with another one
 * has a row of its own each time. */
static struct tk_difference_row *reach(struct tk_difference *d, const struct tk_cell *keys)
{
    uint64_t hash = 0;
    for (int i = 0; i < TK_DIFFERENCE_KEYS; i++)
        hash = tk_hash_pair(hash, hash_of(&keys[i]));
    uint32_t at = tk_map_get(&d->index, hash);
    bool same = at != TK_MAP_NONE;
    for (int i = 0; same && i < TK_DIFFERENCE_KEYS; i++)
        same = is_same(&d->rows.v[at].keys[i], &keys[i]);
    if (same)
        return &d->rows.v[at];
    struct tk_difference_row row = {.number = d->rows.n, .kind = kind_of(d, &keys[0])};
    memcpy(row.keys, keys, sizeof row.keys);
    if (d->rows.n >= TK_MAP_NONE - 1 || tk_vec_push(&d->rows, row) ||
        tk_map_put(&d->index, hash, (uint32_t)d->rows.n - 1))
        return NULL;
    return &d->rows.v[d->rows.n - 1];
}

static struct tk_cell cell_at(const struct tk_table *table, const struct tk_cell *row, const char *column)
{
    const int at = column ? tk_table_column(table, column) : -1;
    return at < 0 ? (struct tk_cell){.kind = TK_NONE} : row[at];
}

static int64_t number_of(const struct tk_cell *cell)
{
    return cell->kind == TK_NONE || cell->kind == TK_TEXT ? 0 : cell->v.i;
}

static int add_row(struct tk_difference *d, int side, const struct tk_table *table,
                   const struct tk_cell *cells, const char *const *keys, const char *const *values)
{
    struct tk_cell named[TK_DIFFERENCE_KEYS];
    for (int i = 0; i < TK_DIFFERENCE_KEYS; i++)
        named[i] = cell_at(table, cells, keys[i]);
    if (named[TK_DIFFERENCE_KEYS - 2].kind != TK_NONE)
        named[TK_DIFFERENCE_KEYS - 1] = (struct tk_cell){.kind = TK_NONE};
    struct tk_difference_row *row = reach(d, named);
    if (!row)
        return -1;
    row->sides[side].rows++;
    for (int i = 0; i < TK_DIFFERENCE_VALUES; i++) {
        const struct tk_cell value = cell_at(table, cells, values[i]);
        row->sides[side].values[i] += number_of(&value);
    }
    return 0;
}

int tk_difference_add(struct tk_difference *d, int side, struct tk_result *result, const char *const *keys,
                      const char *const *values)
{
    size_t n;
    const struct tk_table *table = tk_result_table(result, 0, &n);
    int rc = 0;
    d->results[side] = result;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = add_row(d, side, table, tk_result_row(result, 0, i), keys, values);
    return rc;
}

void tk_difference_release(struct tk_difference *d)
{
    for (int i = 0; i < 2; i++)
        tk_result_free(d->results[i]);
    tk_vec_release(&d->rows);
    tk_map_release(&d->index);
}
