/*
 * Groups of rows are written when they are full, in bytes or rows, so that memory stays bounded; what the
 * footer says of them is kept.
 */
#include "base/err.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "sink/columns/columnar.h"
#include "sink/columns/columns_in.h"
#include "table/cell.h"

#include <stdlib.h>

/*
 * Sorts rows by numbers, digit by digit from the lowest: two or three passes over what is in the cache.
 */

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

static int reserve(struct tk_row_order *o, size_t n, struct tk_err *err)
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
    int rc = reserve(o, g->n, err);
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

enum {
    GROUP_ROWS = 122880, /* what readers share out to their threads */
    GROUP_KEPT = 16 << 20,
    GROUP_TEXTS = 256 << 20,
    MAGIC = 4
};

struct tk_parquet {
    const struct tk_table *table;
    struct tk_parquet_options opt;
    struct tk_buffer *out;
    struct tk_group group;
    struct tk_row_order order;
    struct tk_chunk_writer *writer;
    struct tk_buffer ranges;
    TK_VEC(struct tk_footer_group) groups;
    TK_VEC(struct tk_chunk) chunks;
    uint32_t rising; /* the first column of times */
};

/* Parquet's whole numbers have a sign unless one of them needs the bit; hashes and addresses never have. */
static enum tk_sign sign_of(uint8_t kind)
{
    return kind == TK_HEX ? TK_SIGN_NONE : TK_SIGN_OPEN;
}

static uint32_t first_time(const struct tk_table *table)
{
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].kind == TK_TIME)
            return i;
    return TK_NO_COLUMN;
}

int tk_parquet_new(struct tk_parquet **file, const struct tk_table *table,
                   const struct tk_parquet_options *opt, struct tk_buffer *out)
{
    struct tk_parquet *p = calloc(1, sizeof *p);
    *file = NULL;
    if (!p)
        return tk_err_nomem(out->err, "a file of Parquet");
    p->table = table;
    p->opt = *opt;
    p->out = out;
    p->rising = first_time(table);
    tk_row_order_init(&p->order, table);
    if (opt->as_they_come)
        p->order.by[0] = p->order.by[1] = TK_NO_COLUMN;
    if (tk_group_init(&p->group, table, sign_of, out->err) ||
        tk_chunk_writer_new(&p->writer, opt->zstd, out->err) || tk_buffer_init(&p->ranges, NULL, out->err)) {
        tk_parquet_free(p);
        return tk_err_nomem(out->err, "a file of Parquet");
    }
    tk_buffer_put(out, "PAR1", MAGIC);
    *file = p;
    return TK_OK;
}

uint64_t tk_parquet_rounded(const struct tk_parquet *file, size_t column)
{
    return tk_group_rounded(&file->group, column);
}

uint64_t tk_parquet_lost(const struct tk_parquet *file, size_t column)
{
    return tk_group_lost(&file->group, column);
}

void tk_parquet_free(struct tk_parquet *p)
{
    if (!p)
        return;
    tk_group_release(&p->group);
    tk_row_order_release(&p->order);
    tk_chunk_writer_free(p->writer);
    tk_buffer_release(&p->ranges);
    tk_vec_release(&p->groups);
    tk_vec_release(&p->chunks);
    free(p);
}

static int write_columns(struct tk_parquet *p, const uint32_t *rows)
{
    int rc = TK_OK;
    for (uint32_t i = 0; i < p->table->n_columns && rc == TK_OK; i++) {
        struct tk_chunk chunk;
        rc = tk_chunk_write(p->writer, &p->group, i, rows, p->out, &p->ranges, &chunk);
        if (rc == TK_OK && tk_vec_push(&p->chunks, chunk))
            rc = tk_err_nomem(p->out->err, "a file of Parquet");
    }
    return rc == TK_OK ? p->ranges.status : rc;
}

/* Sorted by the order, or as they came by the first column of times. */
static bool is_sorted(const struct tk_parquet *p, const uint32_t *rows, size_t first_chunk)
{
    if (rows || p->order.by[0] != TK_NO_COLUMN || p->rising == TK_NO_COLUMN)
        return rows != NULL;
    const struct tk_chunk *c = &p->chunks.v[first_chunk + p->rising];
    return c->n_nulls == 0 && c->range.rising;
}

static void write_group(struct tk_parquet *p)
{
    struct tk_footer_group group = {.at = p->out->flushed + p->out->n, .rows = p->group.n};
    const size_t first = p->chunks.n;
    p->group.err = p->out->err;
    int rc = tk_row_order_rows(&p->order, &p->group, p->out->err);
    const uint32_t *rows = rc == TK_ITEM ? p->order.rows : NULL;
    if (rc >= 0)
        rc = write_columns(p, rows);
    if (rc == TK_OK) {
        group.sorted = is_sorted(p, rows, first);
        if (tk_vec_push(&p->groups, group))
            rc = tk_err_nomem(p->out->err, "a file of Parquet");
    }
    tk_buffer_fail(p->out, rc);
    tk_group_clear(&p->group);
}

void tk_parquet_rows(struct tk_parquet *p, const struct tk_rows *rows)
{
    struct tk_rows some = *rows;
    for (size_t done = 0; done < rows->n && p->out->status == TK_OK; done += some.n) {
        const size_t capacity = GROUP_ROWS - p->group.n;
        some.n = rows->n - done < capacity ? rows->n - done : capacity;
        some.cells = rows->cells + done * p->table->n_columns;
        p->group.err = p->out->err;
        tk_buffer_fail(p->out, tk_group_add(&p->group, &some));
        if (p->out->status == TK_OK && (p->group.n == GROUP_ROWS || tk_group_kept(&p->group) > GROUP_KEPT ||
                                        tk_group_texts(&p->group) > GROUP_TEXTS))
            write_group(p);
    }
}

void tk_parquet_end(struct tk_parquet *p)
{
    const bool by_time = p->order.by[0] == TK_NO_COLUMN;
    struct tk_buffer footer;
    if (p->group.n && p->out->status == TK_OK)
        write_group(p);
    if (p->out->status < 0 || tk_buffer_init_scratch(&footer, p->out))
        return;
    tk_footer_put(&footer,
                  &(struct tk_footer){.table = p->table,
                                      .columns = p->group.columns,
                                      .groups = p->groups.v,
                                      .n_groups = p->groups.n,
                                      .chunks = p->chunks.v,
                                      .ranges = &p->ranges,
                                      .sorted_by = {by_time ? p->rising : p->order.by[0], p->order.by[1]},
                                      .zstd = p->opt.zstd,
                                      .source = p->opt.source});
    if (footer.n > INT32_MAX)
        tk_buffer_fail(p->out, tk_err_set(p->out->err, TK_ELIMIT, "the footer is larger than 2 GiB"));
    tk_buffer_put(p->out, footer.p, footer.n);
    for (unsigned i = 0; i < 4; i++)
        tk_buffer_char(p->out, (char)(footer.n >> 8 * i));
    tk_buffer_put(p->out, "PAR1", MAGIC);
    tk_buffer_release(&footer);
}
