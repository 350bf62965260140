/*
 * Builds the lanes of an index.
 */
#include "base/bits.h"
#include "view/index/index_in.h"

#include <stdlib.h>
#include <string.h>

/* ---- the builder ---- */

int tk_index_maker_open(struct tk_index_maker *maker, const struct tk_index *index, unsigned workers)
{
    const size_t size =
        TK_INDEX_CELLS_BYTES > TK_INDEX_SCOPES_BYTES ? TK_INDEX_CELLS_BYTES : TK_INDEX_SCOPES_BYTES;
    *maker = (struct tk_index_maker){.store = index->store, .shift = index->shift};
    maker->bytes = calloc(workers, sizeof *maker->bytes);
    for (unsigned i = 0; maker->bytes && i < workers; i++)
        if (!(maker->bytes[i] = malloc(size)))
            return TK_ENOMEM;
    return maker->bytes ? TK_OK : TK_ENOMEM;
}

void tk_index_maker_release(struct tk_index_maker *maker, unsigned workers)
{
    for (unsigned i = 0; maker->bytes && i < workers; i++)
        free(maker->bytes[i]);
    free(maker->bytes);
    maker->bytes = NULL;
}

/* ---- entries to chunks ---- */

static int write_cells(const struct tk_index_maker *maker, struct tk_index_strip *lane,
                       struct tk_index_level *level, unsigned worker)
{
    const size_t n = level->cells.n;
    if (!n)
        return TK_OK;
    const struct tk_index_chunk chunk = {
        .n = (uint32_t)n, .first = level->cells.v[0].bin, .last = level->cells.v[n - 1].bin};
    const size_t size = tk_index_cells_put(maker->bytes[worker], level->cells.v, n);
    level->cells.n = 0;
    lane->held -= n * sizeof *level->cells.v;
    return tk_index_store_add(maker->store, &level->cell_chunks, chunk, maker->bytes[worker], size, true,
                              worker);
}

typedef TK_VEC(struct tk_index_scope) scope_vec;

static int write_scopes(const struct tk_index_maker *maker, struct tk_index_strip *lane,
                        const struct tk_index_scope *v, size_t *n, struct tk_index_chunks *list, bool packs,
                        unsigned worker)
{
    if (!*n)
        return TK_OK;
    const struct tk_index_chunk chunk = {.n = (uint32_t)*n, .first = v[0].end, .last = v[*n - 1].end};
    const size_t size = tk_index_scopes_put(maker->bytes[worker], v, *n);
    lane->held -= *n * sizeof *v;
    *n = 0;
    return tk_index_store_add(maker->store, list, chunk, maker->bytes[worker], size, packs, worker);
}

static int add_cell(const struct tk_index_maker *maker, struct tk_index_strip *lane,
                    struct tk_index_level *level, const struct tk_index_cell *cell, unsigned worker)
{
    const bool far =
        level->cells.n && (uint64_t)(cell->bin - level->cells.v[level->cells.n - 1].bin) > UINT32_MAX;
    int rc = level->cells.n == TK_INDEX_CELLS || far ? write_cells(maker, lane, level, worker) : TK_OK;
    lane->held += sizeof *cell;
    return rc == TK_OK && tk_vec_push(&level->cells, *cell) ? TK_ENOMEM : rc;
}

static int add_long(const struct tk_index_maker *maker, struct tk_index_strip *lane,
                    struct tk_index_level *level, const struct tk_index_scope *scope, unsigned worker)
{
    int rc = level->scopes.n == TK_INDEX_SCOPES ? write_scopes(maker, lane, level->scopes.v, &level->scopes.n,
                                                               &level->scope_chunks, true, worker)
                                                : TK_OK;
    lane->held += sizeof *scope;
    return rc == TK_OK && tk_vec_push(&level->scopes, *scope) ? TK_ENOMEM : rc;
}

static int add_brief(const struct tk_index_maker *maker, struct tk_index_strip *lane,
                     const struct tk_index_scope *scope, unsigned worker)
{
    int rc = lane->brief.n == TK_INDEX_SCOPES ? write_scopes(maker, lane, lane->brief.v, &lane->brief.n,
                                                             &lane->brief_chunks, false, worker)
                                              : TK_OK;
    lane->held += sizeof *scope;
    return rc == TK_OK && tk_vec_push(&lane->brief, *scope) ? TK_ENOMEM : rc;
}

/* ---- bins ---- */

static struct tk_index_open_cell *cell_of(struct tk_index_bin *bin, size_t row)
{
    if (row >= bin->cap) {
        const size_t cap = row < 2 ? 2 : row * 2;
        struct tk_index_open_cell *rows = realloc(bin->rows, cap * sizeof *rows);
        if (!rows)
            return NULL;
        memset(rows + bin->cap, 0, (cap - bin->cap) * sizeof *rows);
        bin->rows = rows;
        bin->cap = cap;
    }
    if (row >= bin->used)
        bin->used = row + 1;
    return &bin->rows[row];
}

static int lay(struct tk_index_bin *bin, size_t row, uint64_t length, uint64_t covered, uint32_t timer,
               uint32_t count)
{
    struct tk_index_open_cell *cell = cell_of(bin, row);
    if (!cell)
        return TK_ENOMEM;
    cell->covered += covered;
    cell->count = cell->count + count < count ? UINT32_MAX : cell->count + count;
    if (length > cell->longest) {
        cell->longest = length;
        cell->timer = timer;
    }
    return TK_OK;
}

static unsigned shift_of(const struct tk_index_maker *maker, unsigned level)
{
    return maker->shift + 2 * level < 62 ? maker->shift + 2 * level : 62;
}

/* Makes sure there are levels up to one; the new ones are at the time of the last of those that are there, or
 * at `now`. */
static int reach_level(const struct tk_index_maker *maker, struct tk_index_strip *lane, unsigned level,
                       int64_t now)
{
    while (lane->n_levels <= level) {
        struct tk_index_level *made = calloc(1, sizeof *made);
        if (!made)
            return TK_ENOMEM;
        const unsigned k = lane->n_levels;
        made->at = k ? tk_index_bin_of(lane->levels[k - 1]->at, shift_of(maker, k) - shift_of(maker, k - 1))
                     : tk_index_bin_of(now, maker->shift);
        lane->levels[lane->n_levels++] = made;
    }
    return TK_OK;
}

static uint8_t part_covered(uint64_t covered, unsigned shift)
{
    /* of 254 parts, without overflow: bins of more than 2^48 cycles lose bits that do not show */
    const uint64_t c = shift > 48 ? covered >> (shift - 48) : covered;
    const unsigned s = shift > 48 ? 48 : shift;
    const uint64_t parts = (c > (UINT64_C(1) << s) ? UINT64_C(1) << s : c) * 254 + ((UINT64_C(1) << s) >> 1);
    const uint64_t rounded = parts >> s;
    return (uint8_t)(rounded ? rounded : 1);
}

static int close_bin(const struct tk_index_maker *maker, struct tk_index_strip *lane, unsigned k, int64_t b,
                     bool passes_on, unsigned worker)
{
    struct tk_index_level *level = lane->levels[k];
    struct tk_index_bin *bin = &level->bins[b & 1];
    const size_t used = bin->used;
    int rc = used && passes_on && k + 1 < TK_INDEX_LEVELS ? reach_level(maker, lane, k + 1, 0) : TK_OK;
    struct tk_index_level *above = k + 1 < lane->n_levels ? lane->levels[k + 1] : NULL;
    const int64_t over = tk_index_bin_of(b, shift_of(maker, k + 1) - shift_of(maker, k));
    bin->used = 0;
    for (size_t row = 0; row < used && rc == TK_OK; row++) {
        struct tk_index_open_cell *c = &bin->rows[row];
        if (!c->longest)
            continue;
        const struct tk_index_cell cell = {.bin = b,
                                           .timer = c->timer,
                                           .row = (uint16_t)row,
                                           .cover = part_covered(c->covered, shift_of(maker, k)),
                                           .count = tk_index_count_code(c->count)};
        rc = add_cell(maker, lane, level, &cell, worker);
        if (rc == TK_OK && above && passes_on)
            rc = lay(&above->bins[over & 1], row, c->longest, c->covered, c->timer, c->count);
        *c = (struct tk_index_open_cell){0};
    }
    level->closed |= used != 0;
    return rc;
}

/* Time goes on: bins that nothing can reach any more are over. */
static int advance(const struct tk_index_maker *maker, struct tk_index_strip *lane, int64_t now,
                   unsigned worker)
{
    int rc = TK_OK;
    for (unsigned k = 0; k < lane->n_levels && rc == TK_OK; k++) {
        struct tk_index_level *level = lane->levels[k];
        const int64_t was = level->at, is = tk_index_bin_of(now, shift_of(maker, k));
        if (is <= was)
            break;
        rc = close_bin(maker, lane, k, was - 1, true, worker);
        if (rc == TK_OK && was < is - 1)
            rc = close_bin(maker, lane, k, was, true, worker);
        level->at = is;
    }
    return rc;
}

/* The level whose bins are the first that are longer than a scope. What is longer than all of them has
 * TK_INDEX_LEVELS, so that the last level keeps it. */
static unsigned level_of(const struct tk_index_maker *maker, uint64_t length)
{
    if (tk_rarely(length >> maker->shift)) {
        const unsigned level = (63 - tk_zeros_above(length) - maker->shift) / 2 + 1;
        return level < TK_INDEX_LEVELS ? level : TK_INDEX_LEVELS;
    }
    return 0;
}

static int cover(const struct tk_index_maker *maker, struct tk_index_strip *lane, unsigned k,
                 const struct tk_index_scope *scope)
{
    struct tk_index_level *level = lane->levels[k];
    const unsigned shift = shift_of(maker, k);
    const int64_t b = tk_index_bin_of(scope->end, shift);
    const uint64_t length = (uint64_t)scope->end - (uint64_t)scope->begin;
    const uint64_t inside = (uint64_t)scope->end - ((uint64_t)b << shift);
    int rc =
        lay(&level->bins[b & 1], scope->row, length + 1, length < inside ? length : inside, scope->timer, 1);
    if (rc == TK_OK && length > inside)
        rc = lay(&level->bins[(b - 1) & 1], scope->row, length + 1, length - inside, scope->timer, 0);
    return rc;
}

int tk_index_strip_add(const struct tk_index_maker *maker, struct tk_index_strip *lane,
                       const struct tk_index_scope *scope, unsigned worker)
{
    const unsigned k = level_of(maker, (uint64_t)scope->end - (uint64_t)scope->begin);
    const unsigned top = k < TK_INDEX_LEVELS ? k : TK_INDEX_LEVELS - 1;
    int rc = TK_OK;
    if (tk_rarely(!lane->n_levels || tk_index_bin_of(scope->end, maker->shift) != lane->levels[0]->at))
        rc = advance(maker, lane, scope->end, worker);
    if (rc == TK_OK && tk_rarely(top >= lane->n_levels))
        rc = reach_level(maker, lane, top, scope->end);
    if (rc == TK_OK)
        rc = cover(maker, lane, top, scope);
    if (rc == TK_OK && k)
        rc = add_long(maker, lane, lane->levels[k - 1], scope, worker);
    else if (rc == TK_OK && lane->keeps_brief)
        rc = add_brief(maker, lane, scope, worker);
    return rc;
}

/* ---- the end ---- */

int tk_index_strip_flush(const struct tk_index_maker *maker, struct tk_index_strip *lane, unsigned worker)
{
    int rc = write_scopes(maker, lane, lane->brief.v, &lane->brief.n, &lane->brief_chunks, false, worker);
    for (unsigned k = 0; k < lane->n_levels && rc == TK_OK; k++) {
        struct tk_index_level *level = lane->levels[k];
        rc = write_cells(maker, lane, level, worker);
        if (rc == TK_OK)
            rc = write_scopes(maker, lane, level->scopes.v, &level->scopes.n, &level->scope_chunks, true,
                              worker);
    }
    return rc;
}

static void release_building(struct tk_index_strip *lane)
{
    tk_vec_release(&lane->brief);
    for (unsigned k = 0; k < lane->n_levels; k++) {
        struct tk_index_level *level = lane->levels[k];
        tk_vec_release(&level->cells);
        tk_vec_release(&level->scopes);
        for (unsigned i = 0; i < 2; i++) {
            free(level->bins[i].rows);
            level->bins[i] = (struct tk_index_bin){0};
        }
    }
}

int tk_index_strip_finish(const struct tk_index_maker *maker, struct tk_index_strip *lane, unsigned worker)
{
    int rc = TK_OK;
    /* A level of which no bin was ever over shows all of the lane in two: nothing is above it, unless long
       scopes are. */
    for (unsigned k = 0; k < lane->n_levels && rc == TK_OK; k++) {
        const bool passes_on = lane->levels[k]->closed || k + 1 < lane->n_levels;
        const int64_t at = lane->levels[k]->at;
        rc = close_bin(maker, lane, k, at - 1, passes_on, worker);
        if (rc == TK_OK)
            rc = close_bin(maker, lane, k, at, passes_on, worker);
    }
    if (rc == TK_OK)
        rc = tk_index_strip_flush(maker, lane, worker);
    release_building(lane);
    return rc;
}

void tk_index_strip_free(struct tk_index_strip *lane)
{
    if (!lane)
        return;
    release_building(lane);
    for (unsigned k = 0; k < lane->n_levels; k++) {
        tk_vec_release(&lane->levels[k]->cell_chunks.v);
        tk_vec_release(&lane->levels[k]->scope_chunks.v);
        free(lane->levels[k]);
    }
    tk_vec_release(&lane->unended);
    tk_vec_release(&lane->marks);
    tk_vec_release(&lane->brief_chunks.v);
    free(lane);
}
