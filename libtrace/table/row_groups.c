/*
 * Rows in groups. See row_groups.h.
 */
#include "table/row_groups.h"

#include "base/hash.h"
#include "base/vec.h"

#include <stdlib.h>

#define LEFT_OUT UINT32_MAX

static uint64_t key_of(const struct tk_cell *cell)
{
    const bool bytes = cell->kind == TK_TEXT || cell->kind == TK_BYTES;
    if (cell->kind == TK_NONE)
        return 0;
    return bytes ? tk_hash_bytes(cell->v.p, cell->n, cell->enc) : tk_hash_pair(cell->kind, cell->v.u);
}

uint64_t tk_row_groups_key(const struct tk_cell *row, const uint32_t *columns, size_t n)
{
    uint64_t key = 0;
    for (size_t i = 0; i < n; i++)
        key = tk_hash_pair(key, key_of(&row[columns[i]]));
    return key;
}

struct grouping {
    struct tk_map index; /* key -> group */
    TK_VEC(size_t) rows; /* kept rows of each group, then where its next row goes */
    uint32_t *groups;    /* of each row, or LEFT_OUT */
};

static int find_group(struct grouping *g, uint64_t key, uint32_t *group)
{
    *group = tk_map_get(&g->index, key);
    if (*group != TK_MAP_NONE)
        return 0;
    *group = (uint32_t)g->rows.n;
    return *group == TK_MAP_NONE || tk_vec_push(&g->rows, 0) || tk_map_put(&g->index, key, *group) ? -1 : 0;
}

static int find_groups(struct grouping *g, const uint64_t *keys, size_t n, size_t most)
{
    g->groups = malloc((n + 1) * sizeof *g->groups);
    for (size_t i = 0; g->groups && i < n; i++) {
        if (find_group(g, keys[i], &g->groups[i]))
            return -1;
        size_t *rows = &g->rows.v[g->groups[i]];
        if (*rows == most)
            g->groups[i] = LEFT_OUT;
        else
            ++*rows;
    }
    return g->groups ? 0 : -1;
}

static size_t place_groups(struct grouping *g)
{
    size_t at = 0;
    for (size_t i = 0; i < g->rows.n; i++) {
        const size_t rows = g->rows.v[i];
        g->rows.v[i] = at;
        at += rows;
    }
    return at;
}

size_t tk_row_groups_order(const uint64_t *keys, size_t n, size_t most, size_t *order)
{
    struct grouping g = {0};
    size_t kept = SIZE_MAX;
    if (find_groups(&g, keys, n, most) == 0) {
        kept = place_groups(&g);
        for (size_t i = 0; i < n; i++)
            if (g.groups[i] != LEFT_OUT)
                order[g.rows.v[g.groups[i]]++] = i;
    }
    tk_map_release(&g.index);
    tk_vec_release(&g.rows);
    free(g.groups);
    return kept;
}
