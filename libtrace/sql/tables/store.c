/*
 * Rows that are kept by column, in memory or on disk.
 */
#include "base/sort.h"
#include "io/scratch/spill.h"
#include "sql/tables/tables_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Records on disk.
 */

int tk_sql_pieces_add(struct tk_sql_pieces *p, struct tk_spill *file, const void *record, struct tk_err *err)
{
    const size_t at = p->n % TK_SQL_PIECE;
    if (!p->last && !(p->last = malloc(TK_SQL_PIECE * p->size)))
        return tk_err_nomem(err, "rows of a query");
    memcpy(p->last + at * p->size, record, p->size);
    p->n++;
    return at + 1 == TK_SQL_PIECE ? tk_spill_write(file, &p->written, p->last, TK_SQL_PIECE * p->size, err)
                                  : TK_OK;
}

/* The piece of a number that was written. NULL: *rc says why. */
static const uint8_t *piece_of(struct tk_sql_pieces *p, const struct tk_spill *file, uint64_t piece, int *rc,
                               struct tk_err *err)
{
    const size_t slot = (size_t)(piece % TK_SQL_SLOTS);
    uint8_t *v = p->slots[slot].v;
    if (p->slots[slot].piece == piece + 1)
        return v;
    p->slots[slot].piece = 0;
    if (!v && !(v = p->slots[slot].v = malloc(TK_SQL_PIECE * p->size))) {
        *rc = tk_err_nomem(err, "rows of a query");
        return NULL;
    }
    *rc = tk_spill_read(file, &p->written, (size_t)piece, v, err);
    if (*rc < 0)
        return NULL;
    p->slots[slot].piece = piece + 1;
    return v;
}

int tk_sql_pieces_get(struct tk_sql_pieces *p, const struct tk_spill *file, uint64_t i, void *record,
                      struct tk_err *err)
{
    const uint64_t piece = i / TK_SQL_PIECE;
    int rc = TK_OK;
    const uint8_t *v = piece == p->written.pieces.n ? p->last : piece_of(p, file, piece, &rc, err);
    if (v)
        memcpy(record, v + (size_t)(i % TK_SQL_PIECE) * p->size, p->size);
    return rc;
}

void tk_sql_pieces_release(struct tk_sql_pieces *p)
{
    for (unsigned i = 0; i < TK_SQL_SLOTS; i++)
        free(p->slots[i].v);
    free(p->last);
    tk_vec_release(&p->written.pieces);
    *p = (struct tk_sql_pieces){.size = p->size};
}

enum { FIRST_ROWS = 256, SORT_BYTES = 16 << 20, CELL = sizeof(union tk_sql_payload) + 1 };

struct tk_sql_store *tk_sql_store_find(struct tk_sql_connection *c, const struct tk_sql_source *s,
                                       const char *key, uint64_t mask)
{
    for (size_t i = 0; i < c->stores.n; i++) {
        struct tk_sql_store *store = c->stores.v[i];
        if (store->source == s && store->version == s->version && (mask & ~store->mask) == 0 &&
            strcmp(store->key, key) == 0) {
            store->used = ++c->count;
            return store;
        }
    }
    return NULL;
}

int tk_sql_store_new(struct tk_sql_store **out, const struct tk_sql_source *s, const char *key, uint64_t mask,
                     struct tk_err *err)
{
    struct tk_sql_store *store = calloc(1, sizeof *store);
    char *copy = tk_sql_copy(key);
    *out = NULL;
    if (!store || !copy) {
        free(store);
        free(copy);
        return tk_err_nomem(err, "rows of a query");
    }
    store->key = copy;
    store->source = s;
    store->version = s->version;
    store->mask = mask;
    *out = store;
    return TK_OK;
}

static void free_order(struct tk_sql_order *order)
{
    if (order) {
        free(order->places);
        tk_sql_pieces_release(&order->pieces);
        tk_vec_release(&order->firsts);
    }
    free(order);
}

void tk_sql_store_free(struct tk_sql_connection *c, struct tk_sql_store *store)
{
    if (!store)
        return;
    c->kept -= store->bytes;
    for (uint32_t i = 0; i < TK_SQL_COLUMNS; i++) {
        free(store->columns[i].types);
        free(store->columns[i].values);
        free_order(store->columns[i].order);
        tk_sql_pieces_release(&store->columns[i].pieces);
    }
    tk_spill_close(store->file);
    free(store->key);
    free(store);
}

void tk_sql_stores_release(struct tk_sql_connection *c)
{
    for (size_t i = 0; i < c->stores.n; i++)
        tk_sql_store_free(c, c->stores.v[i]);
    tk_vec_release(&c->stores);
}

/* ---- the budget ---- */

/* Frees the store that nobody reads and that was not used for longest. */
static bool drop_oldest(struct tk_sql_connection *c)
{
    size_t at = c->stores.n;
    for (size_t i = 0; i < c->stores.n; i++)
        if (c->stores.v[i]->users == 0 && (at == c->stores.n || c->stores.v[i]->used < c->stores.v[at]->used))
            at = i;
    if (at == c->stores.n)
        return false;
    tk_sql_store_free(c, c->stores.v[at]);
    c->stores.v[at] = c->stores.v[--c->stores.n];
    return true;
}

/* Is there space for so much more in memory? Then it is spent. */
static bool spend(struct tk_sql_store *store, struct tk_sql_connection *c, uint64_t bytes)
{
    while (c->kept + bytes > c->budget)
        if (!drop_oldest(c))
            return false;
    c->kept += bytes;
    store->bytes += bytes;
    return true;
}

static int open_file(struct tk_sql_store *store, struct tk_err *err)
{
    return store->file ? TK_OK : tk_spill_open(&store->file, NULL, err);
}

/* TK_ITEM: there is no space in memory. */
static int grow(struct tk_sql_store *store, struct tk_sql_connection *c, struct tk_sql_kept *column, size_t n,
                struct tk_err *err)
{
    size_t cap = column->cap ? column->cap : FIRST_ROWS;
    if (n <= column->cap)
        return TK_OK;
    while (cap < n)
        cap += cap / 2;
    if (!spend(store, c, (cap - column->cap) * CELL))
        return TK_ITEM;
    uint8_t *types = realloc(column->types, cap);
    if (types)
        column->types = types;
    union tk_sql_payload *values = realloc(column->values, cap * sizeof *values);
    if (values)
        column->values = values;
    if (!types || !values)
        return tk_err_nomem(err, "rows of a query");
    column->cap = cap;
    return TK_OK;
}

/* Moves a column to the file. */
static int spill_column(struct tk_sql_store *store, struct tk_sql_kept *column, struct tk_err *err)
{
    int rc = TK_OK;
    column->pieces.size = sizeof(struct tk_sql_value);
    for (size_t i = 0; column->cap && i < store->n && rc == TK_OK; i++) {
        struct tk_sql_value value;
        memset(&value, 0, sizeof value);
        value.type = column->types[i];
        value.v = column->values[i];
        rc = tk_sql_pieces_add(&column->pieces, store->file, &value, err);
    }
    free(column->types);
    free(column->values);
    column->types = NULL;
    column->values = NULL;
    column->cap = 0;
    return rc;
}

static int spill_all(struct tk_sql_store *store, struct tk_sql_connection *c, struct tk_err *err)
{
    int rc = open_file(store, err);
    for (uint32_t i = 0; i < TK_SQL_COLUMNS && rc == TK_OK; i++)
        rc = spill_column(store, &store->columns[i], err);
    if (rc != TK_OK)
        return rc;
    c->kept -= store->bytes;
    store->bytes = 0;
    store->spilled = true;
    return TK_OK;
}

/* Makes space for n rows of all columns. */
static int reserve(struct tk_sql_store *store, struct tk_sql_connection *c, const uint8_t *to,
                   uint32_t n_columns, size_t n, struct tk_err *err)
{
    int rc = TK_OK;
    for (uint32_t k = 0; k < n_columns && rc == TK_OK && !store->spilled; k++)
        if (to[k] != TK_SQL_LEFT_OUT)
            rc = grow(store, c, &store->columns[to[k]], n, err);
    return rc == TK_ITEM ? spill_all(store, c, err) : rc;
}

static int add_value(struct tk_sql_store *store, struct tk_sql_kept *column, size_t row,
                     const struct tk_sql_value *value, struct tk_err *err)
{
    if (store->spilled)
        return tk_sql_pieces_add(&column->pieces, store->file, value, err);
    column->types[row] = value->type;
    column->values[row] = value->v;
    return TK_OK;
}

int tk_sql_store_add(struct tk_sql_store *store, struct tk_sql_connection *c, const struct tk_rows *rows,
                     const uint8_t *to, uint32_t n_columns, struct tk_sql_scratch *scratch,
                     struct tk_err *err)
{
    int rc = reserve(store, c, to, n_columns, store->n + rows->n, err);
    for (uint32_t k = 0; k < n_columns && rc == TK_OK; k++)
        for (size_t i = 0; i < rows->n && to[k] != TK_SQL_LEFT_OUT && rc == TK_OK; i++) {
            struct tk_sql_value value;
            memset(&value, 0, sizeof value);
            rc = tk_sql_value_of(&value, c, &rows->cells[i * n_columns + k], scratch, err);
            if (rc == TK_OK)
                rc = add_value(store, &store->columns[to[k]], store->n + i, &value, err);
        }
    if (rc == TK_OK)
        store->n += rows->n;
    return rc;
}

int tk_sql_store_keep(struct tk_sql_store *store, struct tk_sql_connection *c, struct tk_err *err)
{
    store->used = ++c->count;
    if (tk_vec_push(&c->stores, store)) {
        tk_sql_store_free(c, store);
        return tk_err_nomem(err, "rows of a query");
    }
    return TK_OK;
}

/* ---- order ---- */

static int compare_places(const void *a, const void *b)
{
    return tk_sql_value_order(&((const struct tk_sql_place *)a)->value,
                              &((const struct tk_sql_place *)b)->value);
}

static int order_in_memory(struct tk_sql_store *store, uint32_t column, struct tk_sql_order *order,
                           struct tk_err *err)
{
    int rc = TK_OK;
    order->places = malloc((store->n ? store->n : 1) * sizeof *order->places);
    if (!order->places)
        return tk_err_nomem(err, "rows of a query");
    for (size_t i = 0; i < store->n && rc == TK_OK; i++) {
        order->places[i].row = i;
        rc = tk_sql_store_value(store, column, i, &order->places[i].value, err);
    }
    if (rc == TK_OK && tk_sort(order->places, order->n, sizeof *order->places, compare_places))
        return tk_err_nomem(err, "rows of a query");
    return rc;
}

/* As compare_places, and by row: no two places are equal. */
static int compare_on_disk(const void *a, const void *b)
{
    const struct tk_sql_place *x = a, *y = b;
    const int side = compare_places(a, b);
    return side ? side : (x->row > y->row) - (x->row < y->row);
}

static int sort_on_disk(struct tk_sql_store *store, uint32_t column, struct tk_external_sort *sort,
                        struct tk_sql_order *order, struct tk_err *err)
{
    const void *record;
    int rc = TK_OK;
    for (size_t i = 0; i < store->n && rc == TK_OK; i++) {
        struct tk_sql_place place;
        memset(&place, 0, sizeof place);
        place.row = i;
        rc = tk_sql_store_value(store, column, i, &place.value, err);
        if (rc == TK_OK)
            rc = tk_external_sort_add(sort, &place, err);
    }
    if (rc == TK_OK)
        rc = tk_external_sort_start(sort, err);
    while (rc == TK_OK && (rc = tk_external_sort_next(sort, &record, err)) == TK_ITEM) {
        const struct tk_sql_place *place = record;
        if (order->pieces.n % TK_SQL_PIECE == 0 && tk_vec_push(&order->firsts, place->value))
            return tk_err_nomem(err, "rows of a query");
        rc = tk_sql_pieces_add(&order->pieces, store->file, place, err);
    }
    return rc;
}

static int order_on_disk(struct tk_sql_store *store, uint32_t column, struct tk_sql_order *order,
                         struct tk_err *err)
{
    struct tk_external_sort *sort = NULL;
    order->pieces.size = sizeof(struct tk_sql_place);
    int rc = open_file(store, err);
    if (rc == TK_OK)
        rc =
            tk_external_sort_open(&sort, NULL, sizeof(struct tk_sql_place), compare_on_disk, SORT_BYTES, err);
    if (rc == TK_OK)
        rc = sort_on_disk(store, column, sort, order, err);
    tk_external_sort_close(sort);
    return rc;
}

int tk_sql_store_order(struct tk_sql_store *store, struct tk_sql_connection *c, uint32_t column,
                       struct tk_sql_order **out, struct tk_err *err)
{
    struct tk_sql_kept *kept = &store->columns[column];
    if (!kept->order) {
        struct tk_sql_order *order = calloc(1, sizeof *order);
        if (!order)
            return tk_err_nomem(err, "rows of a query");
        order->n = store->n;
        int rc = spend(store, c, store->n * sizeof *order->places)
                     ? order_in_memory(store, column, order, err)
                     : order_on_disk(store, column, order, err);
        if (rc < 0) {
            free_order(order);
            return rc;
        }
        kept->order = order;
    }
    *out = kept->order;
    return TK_OK;
}

/* Does a value lie before what is looked for? */
static bool is_before(const struct tk_sql_value *v, const struct tk_sql_value *value, bool after)
{
    const int side = tk_sql_value_order(v, value);
    return side < 0 || (after && side == 0);
}

static int place_at(const struct tk_sql_store *store, struct tk_sql_order *order, size_t i,
                    struct tk_sql_place *out, struct tk_err *err)
{
    if (!order->places)
        return tk_sql_pieces_get(&order->pieces, store->file, i, out, err);
    *out = order->places[i];
    return TK_OK;
}

int tk_sql_order_find(const struct tk_sql_store *store, struct tk_sql_order *order,
                      const struct tk_sql_value *value, bool after, size_t *place, struct tk_err *err)
{
    size_t low = 0, high = order->firsts.n;
    while (low < high) { /* the first piece that does not begin before it */
        const size_t mid = low + (high - low) / 2;
        if (is_before(&order->firsts.v[mid], value, after))
            low = mid + 1;
        else
            high = mid;
    }
    const size_t end = order->places ? order->n : low * TK_SQL_PIECE;
    low = order->places || !low ? 0 : (low - 1) * TK_SQL_PIECE;
    high = end < order->n ? end : order->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        struct tk_sql_place at;
        int rc = place_at(store, order, mid, &at, err);
        if (rc != TK_OK)
            return rc;
        if (is_before(&at.value, value, after))
            low = mid + 1;
        else
            high = mid;
    }
    *place = low;
    return TK_OK;
}

int tk_sql_order_row(const struct tk_sql_store *store, struct tk_sql_order *order, size_t place, size_t *row,
                     struct tk_err *err)
{
    struct tk_sql_place at;
    int rc = place_at(store, order, place, &at, err);
    if (rc == TK_OK)
        *row = at.row;
    return rc;
}
