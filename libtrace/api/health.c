/*
 * What is wrong with a capture, without reading it again (tk_health of tracekit.h).
 */
#include "api/api_in.h"
#include "api/trace.h"
#include "base/checksum.h"
#include "base/err.h"
#include "base/given.h"
#include "io/file.h"
#include "query/emit.h"
#include "query/select.h"
#include "query/tables.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

/*
 * Conditions on rows that are kept already. The function of chapter 8 that needs what queries have; the
 * others are in table/result.c.
 */

static bool passes(void *ctx, const struct tk_cell *row)
{
    return tk_row_filter_pass(ctx, row);
}

static int filter_table(struct tk_result *result, size_t at, const struct tk_query *query, struct tk_err *err)
{
    const struct tk_table *table = tk_result_table(result, at, NULL);
    struct tk_row_filter filter;
    int rc = tk_row_filter_init(&filter, table, query, err);
    if (rc == TK_OK && filter.n)
        rc = tk_result_keep(result, at, passes, &filter, err);
    if (rc == TK_OK && filter.n && query->filtered)
        query->filtered(query->filtered_ctx, table->name, filter.kept, filter.rows);
    tk_row_filter_release(&filter);
    return rc;
}

int tk_result_where(struct tk_result *result, const struct tk_query *query, struct tk_err *err)
{
    TK_GIVEN(err, result, query);
    const size_t n = tk_result_count(result);
    struct tk_query whole = {0};
    int rc = tk_struct_size_take(&whole, sizeof whole, query, "the query", err);
    if (rc < 0)
        return rc;
    const struct tk_query conditions = {.size = sizeof conditions,
                                        .where = whole.where,
                                        .n_where = whole.n_where,
                                        .filtered = whole.filtered,
                                        .filtered_ctx = whole.filtered_ctx};
    const struct tk_table **tables = calloc(n + 1, sizeof *tables);
    if (!tables)
        return tk_err_nomem(err, "the conditions of a result");
    for (size_t i = 0; i < n; i++)
        tables[i] = tk_result_table(result, i, NULL);
    rc = tk_row_filter_check(&conditions, tables, n, err);
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = filter_table(result, i, &conditions, err);
    free((void *)tables);
    return rc;
}

/*
 * The identity of a capture: a hash of its bytes. Baselines and databases keep it with each run.
 */

/* Of files of more than this, PIECES pieces are looked at. */
#define WHOLE  (1u << 20)
#define PIECES 256u
#define PIECE  4096u

/* What distinguishes captures: their size, and all bytes of a small one; of a larger one pieces at equal
 * distances, the first and the last bytes among them. Events are full of times, so that two recordings differ
 * in all of these, and a capture need not be read once more. */
static int hash_file(const struct tk_file *file, uint64_t *hash, struct tk_err *err)
{
    uint64_t size = tk_file_size(file);
    bool whole = size <= WHOLE;
    size_t n = whole ? WHOLE : PIECE, got;
    uint8_t *piece = malloc(n);
    int rc = piece ? TK_OK : tk_err_nomem(err, "a run");
    *hash = size;
    for (unsigned i = 0; rc == TK_OK && i < (whole ? 1 : PIECES); i++) {
        uint64_t at = whole ? 0 : (size - PIECE) / (PIECES - 1) * i;
        rc = tk_file_read(file, i == PIECES - 1 ? size - PIECE : at, piece, n, &got, err);
        if (rc == TK_OK && got < (whole ? size : PIECE))
            rc = tk_err_set(err, TK_EIO, "the file was truncated while it was read");
        if (rc == TK_OK && got)
            *hash = tk_checksum(piece, got, *hash);
    }
    free(piece);
    return rc;
}

int tk_trace_content(const struct tk_trace *trace, uint64_t *hash, struct tk_err *err)
{
    return hash_file(trace->file, hash, err);
}

/*
 * What a file is, by its first bytes.
 */

/* Known formats that cannot be read count: to leave them out would hide a run. */
static bool is_known(const uint8_t *head, size_t n)
{
    for (size_t i = 0; tk_formats[i] && n; i++)
        if (tk_formats[i]->probe(head, n) >= TK_FORMAT_SURE ||
            (tk_formats[i]->explain && tk_formats[i]->explain(head, n)))
            return true;
    return false;
}

int tk_capture_is(const char *path)
{
    if (!path)
        return TK_EUSAGE;
    struct tk_limits limits = tk_limits_default();
    struct tk_err err = {0};
    uint8_t head[TK_FORMAT_HEAD];
    struct tk_file *file;
    size_t n = 0;
    int rc = strcmp(path, "-") == 0 ? TK_EUSAGE : tk_file_open(&file, path, NULL, &limits, NULL, &err);
    if (rc < 0)
        return rc == TK_ENOMEM ? rc : 0;
    rc = tk_file_read(file, 0, head, sizeof head, &n, &err);
    tk_file_close(file);
    return rc == TK_OK && is_known(head, n);
}

static int send_health(const struct tk_query_context *view, struct tk_emit *emit, struct tk_err *err)
{
    const struct tk_builder *b = &tk_builder_health;
    void *self = NULL;
    int rc = tk_emit_begin(emit, err);
    if (rc == TK_OK)
        rc = b->open(view, b, tk_emit_columns(emit), &self, err);
    if (rc == TK_OK)
        rc = b->finish(self, emit, err);
    if (rc == TK_OK)
        rc = tk_emit_end(emit, err);
    if (self && b->close)
        b->close(self);
    return rc;
}

int tk_health(struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err)
{
    TK_GIVEN(err, trace, sink);
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_query_context view = {.ctx = &trace->ctx, .capture = trace->capture, .query = &query};
    struct tk_emit *emit = NULL;
    int rc = tk_emit_open(&emit, tk_builder_health.table, &query, sink, err);
    if (rc == TK_OK)
        rc = send_health(&view, emit, err);
    tk_emit_close(emit);
    return rc;
}
