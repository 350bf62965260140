/*
 * Groups of rows are written when they are full, in bytes or rows, so that memory stays bounded; what the
 * footer says of them is kept. See parquet.h.
 */
#include "sink/columns/parquet.h"

#include "base/err.h"
#include "sink/columns/footer.h"
#include "sink/columns/row_order.h"

#include <stdlib.h>

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
        const size_t room = GROUP_ROWS - p->group.n;
        some.n = rows->n - done < room ? rows->n - done : room;
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
