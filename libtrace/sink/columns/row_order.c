/*
 * Sorts rows by numbers, digit by digit from the lowest: two or three passes over what is in the cache. See
 * row_order.h.
 */
#include "sink/columns/row_order.h"

#include "base/err.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "table/cell.h"

#include <stdlib.h>

enum { DIGIT = 11, MOST_THREADS = 1 << 14 };

static const uint64_t highest = UINT64_C(1) << 63;

void tk_row_order_init(struct tk_row_order *o, const struct tk_table *table)
{
    const int start = tk_table_column(table, "start"), id = tk_table_column(table, "thread_id");
    const int thread = id >= 0 ? id : tk_table_column(table, "thread");
    *o = (struct tk_row_order){.by = {TK_NO_COLUMN, TK_NO_COLUMN}};
    if (strcmp(table->name, "scopes") != 0 || start < 0 || thread < 0)
        return;
    o->by[0] = (uint32_t)thread;
    o->by[1] = (uint32_t)start;
}

void tk_row_order_release(struct tk_row_order *o)
{
    free(o->rows);
    free(o->next);
    free(o->keys);
    *o = (struct tk_row_order){0};
}

static int make_room(struct tk_row_order *o, size_t n, struct tk_err *err)
{
    if (n <= o->cap)
        return TK_OK;
    tk_row_order_release(&(struct tk_row_order){.rows = o->rows, .next = o->next, .keys = o->keys});
    o->rows = malloc(n * sizeof *o->rows);
    o->next = malloc(n * sizeof *o->next);
    o->keys = malloc(n * sizeof *o->keys);
    o->cap = n;
    if (o->rows && o->next && o->keys)
        return TK_OK;
    o->cap = 0;
    return tk_err_nomem(err, "the order of rows");
}

/* One digit of the keys, which are those of rows and not of places. */
static void sort_digit(struct tk_row_order *o, size_t n, unsigned shift)
{
    uint32_t at[1 << DIGIT] = {0}, sum = 0;
    const uint64_t mask = (1u << DIGIT) - 1;
    for (size_t i = 0; i < n; i++)
        at[o->keys[i] >> shift & mask]++;
    for (size_t d = 0; d <= mask; d++) {
        const uint32_t count = at[d];
        at[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        o->next[at[o->keys[o->rows[i]] >> shift & mask]++] = o->rows[i];
    uint32_t *rows = o->rows;
    o->rows = o->next;
    o->next = rows;
}

/* Equal ones stay in order. */
static void sort_keys(struct tk_row_order *o, size_t n)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        least = o->keys[i] < least ? o->keys[i] : least;
        most = o->keys[i] > most ? o->keys[i] : most;
    }
    for (size_t i = 0; i < n; i++)
        o->keys[i] -= least;
    for (unsigned shift = 0; shift < 64 && (most - least) >> shift; shift += DIGIT)
        sort_digit(o, n, shift);
}

/* Whole numbers in the order that statistics have, too. */
static void take_numbers(struct tk_row_order *o, const struct tk_group *g, const struct tk_group_column *c)
{
    const uint64_t flip = c->sign == TK_SIGN_NONE ? 0 : highest;
    for (size_t i = 0; i < g->n; i++)
        o->keys[i] = c->values[i] ^ flip;
}

struct ranked {
    struct tk_str text;
    uint32_t number;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return tk_str_order(&x->text, &y->text);
}

/* Texts as their places among all texts of the column. */
static int take_texts(struct tk_row_order *o, const struct tk_group *g, const struct tk_group_column *c,
                      struct tk_err *err)
{
    const size_t n = c->texts.places.n;
    struct ranked *list = calloc(n + 1, sizeof *list);
    uint32_t *rank = calloc(n + 1, sizeof *rank);
    int rc = list && rank ? TK_OK : TK_ENOMEM;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        list[i] = (struct ranked){tk_texts_at(&c->texts, i), (uint32_t)i};
    if (rc == TK_OK && tk_sort(list, n, sizeof *list, compare_ranked))
        rc = TK_ENOMEM;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rank[list[i].number] = (uint32_t)i;
    for (size_t i = 0; i < g->n && rc == TK_OK; i++)
        o->keys[i] = rank[c->values[i]];
    free(list);
    free(rank);
    return rc == TK_OK ? rc : tk_err_nomem(err, "the order of rows");
}

/* Can it be sorted by: nothing is missing, and few enough texts? */
static bool is_key(const struct tk_group_column *c)
{
    return c->n_nulls == 0 &&
           (c->store == TK_STORE_INT || (c->store == TK_STORE_TEXT && c->texts.places.n < MOST_THREADS));
}

int tk_row_order_rows(struct tk_row_order *o, const struct tk_group *g, struct tk_err *err)
{
    if (o->by[0] == TK_NO_COLUMN || !is_key(&g->columns[o->by[0]]) || !is_key(&g->columns[o->by[1]]))
        return TK_OK;
    int rc = make_room(o, g->n, err);
    for (size_t i = 0; i < g->n && rc == TK_OK; i++)
        o->rows[i] = (uint32_t)i;
    for (unsigned k = 2; k-- > 0 && rc == TK_OK;) {
        const struct tk_group_column *c = &g->columns[o->by[k]];
        if (c->store == TK_STORE_INT)
            take_numbers(o, g, c);
        else
            rc = take_texts(o, g, c, err);
        if (rc == TK_OK)
            sort_keys(o, g->n);
    }
    return rc == TK_OK ? TK_ITEM : rc;
}
