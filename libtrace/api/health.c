/*
 * What is wrong with a capture, without reading it again (tk_health of tracekit.h).
 */
#include "api/trace.h"
#include "base/given.h"
#include "query/tables.h"
#include "query/emit.h"

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
