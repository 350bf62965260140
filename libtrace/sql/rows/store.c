/*
 * Rows that are kept by column. See store.h.
 */
#include "sql/rows/store.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 256, CELL = sizeof(union tk_sql_payload) + 1 };

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
    if (order)
        free(order->places);
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
    }
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

static int spend(struct tk_sql_store *store, struct tk_sql_connection *c, uint64_t bytes, struct tk_err *err)
{
    while (c->kept + bytes > c->budget)
        if (!drop_oldest(c))
            return tk_err_set(
                err, TK_ELIMIT,
                "a join or a second reading would keep more than %llu MB of rows in memory: ask for a "
                "time, thread, timer or frame, name fewer columns, or give more with --memory",
                (unsigned long long)(c->budget >> 20));
    c->kept += bytes;
    store->bytes += bytes;
    return TK_OK;
}

static int grow(struct tk_sql_store *store, struct tk_sql_connection *c, struct tk_sql_kept *column, size_t n,
                struct tk_err *err)
{
    size_t cap = column->cap ? column->cap : FIRST_ROWS;
    if (n <= column->cap)
        return TK_OK;
    while (cap < n)
        cap += cap / 2;
    int rc = spend(store, c, (cap - column->cap) * CELL, err);
    if (rc < 0)
        return rc;
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

int tk_sql_store_add(struct tk_sql_store *store, struct tk_sql_connection *c, const struct tk_rows *rows,
                     const uint8_t *to, uint32_t n_columns, struct tk_sql_scratch *scratch,
                     struct tk_err *err)
{
    int rc = TK_OK;
    for (uint32_t k = 0; k < n_columns && rc == TK_OK; k++) {
        struct tk_sql_kept *column = &store->columns[to[k]];
        rc = grow(store, c, column, store->n + rows->n, err);
        for (size_t i = 0; i < rows->n && rc == TK_OK; i++) {
            struct tk_sql_value value;
            rc = tk_sql_value_of(&value, c, &rows->cells[i * n_columns + k], scratch, err);
            column->types[store->n + i] = value.type;
            column->values[store->n + i] = value.v;
        }
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

static int make_order(struct tk_sql_store *store, struct tk_sql_connection *c, uint32_t column,
                      struct tk_sql_order *order, struct tk_err *err)
{
    int rc = spend(store, c, store->n * sizeof *order->places, err);
    if (rc < 0)
        return rc;
    order->places = malloc((store->n ? store->n : 1) * sizeof *order->places);
    if (!order->places)
        return tk_err_nomem(err, "rows of a query");
    order->n = store->n;
    for (size_t i = 0; i < store->n; i++)
        order->places[i] = (struct tk_sql_place){tk_sql_store_value(store, column, i), i};
    if (tk_sort(order->places, order->n, sizeof *order->places, compare_places))
        return tk_err_nomem(err, "rows of a query");
    return TK_OK;
}

int tk_sql_store_order(struct tk_sql_store *store, struct tk_sql_connection *c, uint32_t column,
                       const struct tk_sql_order **out, struct tk_err *err)
{
    struct tk_sql_kept *kept = &store->columns[column];
    if (!kept->order) {
        struct tk_sql_order *order = calloc(1, sizeof *order);
        int rc = order ? make_order(store, c, column, order, err) : tk_err_nomem(err, "rows of a query");
        if (rc < 0) {
            free_order(order);
            return rc;
        }
        kept->order = order;
    }
    *out = kept->order;
    return TK_OK;
}

size_t tk_sql_order_find(const struct tk_sql_order *order, const struct tk_sql_value *value, bool after)
{
    size_t low = 0, high = order->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const int side = tk_sql_value_order(&order->places[mid].value, value);
        if (side < 0 || (after && side == 0))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
