/*
 * Building an index: its resolution, its readings, and the results when they are done.
 */
#include "api/trace.h"
#include "base/err.h"
#include "base/wrap.h"
#include "tracekit/queries.h"
#include "tracekit/sinks.h"
#include "view/index/index_in.h"

#include <stdlib.h>

enum {
    BIN_BYTES = 4096, /* of the capture, that are written in a bin of level 0, about */
    SHIFT_MOST = 40,
    SHIFT_UNKNOWN = 20 /* where it is not known beforehand how long the capture is */
};

/* How long the capture is, as facts have it; 0: that is not known without reading it. */
static int64_t length_of(struct tk_trace *trace)
{
    static const char *const tables[] = {"capture"}, *const columns[] = {"dur"};
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_result *result = NULL;
    query.tables = tables;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = 1;
    query.unit = TK_UNIT_CYCLES;
    int64_t length = 0;
    if (tk_result_query(&result, trace, &query, NULL) >= 0) {
        const struct tk_cell *cell = tk_result_cell(result, 0, 0, 0);
        length = cell && cell->kind == TK_DURATION ? cell->v.i : 0;
        if (trace->capture->parts)
            length = tk_saturate_times(length, trace->capture->parts);
    }
    tk_result_free(result);
    return length;
}

/* Level 0: as fine as a part of the capture of BIN_BYTES is long. */
static unsigned shift_for(struct tk_trace *trace)
{
    const int64_t length = length_of(trace);
    const double bins = (double)trace->ctx.size / (double)BIN_BYTES;
    unsigned shift = 0;
    if (length <= 0)
        return SHIFT_UNKNOWN;
    for (double width = (double)length / (bins > 1 ? bins : 1); width >= 2 && shift < SHIFT_MOST; width /= 2)
        shift++;
    return shift;
}

/* The time of an index is that of its scopes; of rows, where it has none. */
static void sum_times(struct tk_index *index, bool scopes)
{
    size_t n = 0;
    for (size_t i = 0; i < index->lanes.n; i++) {
        const struct tk_index_lane *info = &index->lanes.v[i]->info;
        if (scopes && !tk_index_has_scopes(info->kind))
            continue;
        index->first = n == 0 || info->first < index->first ? info->first : index->first;
        index->last = n++ == 0 || info->last > index->last ? info->last : index->last;
    }
    if (n == 0 && scopes)
        sum_times(index, false);
}

static void sum_up(struct tk_index *index)
{
    for (size_t i = 0; i < index->lanes.n; i++) {
        const struct tk_index_strip *lane = index->lanes.v[i];
        index->scopes += tk_index_has_scopes(lane->info.kind) ? lane->info.scopes : 0;
        index->briefs += tk_index_chunks_bytes(&lane->brief_chunks);
    }
    sum_times(index, true);
    for (size_t i = 0; i < index->presence.n; i++)
        for (size_t k = 0; k < index->presence.parts[i].n && k < index->timers.n; k++)
            index->timers.v[k].scopes += index->presence.parts[i].counts[k];
}

/* The timer of scopes whose own is never named comes last, so that all readings know it by one number. */
static int add_unknown(struct tk_index *index)
{
    static const struct tk_str unknown = {.p = "<unknown metadata>", .n = 18};
    struct tk_index_name name = {0};
    if (tk_index_keep_text(index, &unknown, &name.name))
        return TK_ENOMEM;
    return tk_vec_push(&index->timers, name) ? TK_ENOMEM : TK_OK;
}

struct late_timers {
    const struct tk_index *index;
    unsigned reading;
};

static uint32_t late_timer(void *ctx, uint32_t slot)
{
    const struct late_timers *late = ctx;
    return tk_index_timer_of(late->index, late->reading, slot + TK_LATE);
}

/* Scopes whose timer was defined late count as its own. */
static int join_late(struct tk_index *index)
{
    int rc = 0;
    for (unsigned i = 0; i < TK_INDEX_READINGS && rc == 0; i++) {
        struct late_timers late = {index, i};
        rc = tk_presence_join(&index->presence, &index->late_presence[i], late_timer, &late);
        tk_presence_release(&index->late_presence[i]);
    }
    return rc;
}

static int build(struct tk_index *index, const struct tk_index_options *options, struct tk_err *err)
{
    struct tk_trace *trace = index->trace;
    index->shift = shift_for(trace);
    int rc = tk_index_store_open(&index->store, options->folder, tk_pool_jobs(trace->ctx.pool), err);
    if (rc == TK_OK && tk_presence_init(&index->presence, index->shift, TK_INDEX_COUNTS))
        rc = tk_err_nomem(err, "an index");
    if (rc == TK_OK)
        rc = tk_index_read(index, 0, err);
    if (rc >= 0 && trace->capture->ops->may_have(trace->capture, TK_FACT_MASK(GPU_SCOPES)))
        rc = tk_index_read(index, 1, err);
    if (rc >= 0)
        rc = tk_index_read_rows(index, options->folder, err);
    if (rc >= 0 && add_unknown(index))
        rc = tk_err_nomem(err, "an index");
    if (rc >= 0 && join_late(index))
        rc = tk_err_nomem(err, "an index");
    if (rc >= 0)
        sum_up(index);
    return rc;
}

int tk_index_build(struct tk_index **out, struct tk_trace *trace, const struct tk_index_options *options,
                   struct tk_err *err)
{
    const struct tk_index_options usual = {0};
    struct tk_index *index = calloc(1, sizeof *index);
    struct tk_err causes = {0};
    *out = NULL;
    if (!index)
        return tk_err_nomem(err, "an index");
    index->trace = trace;
    options = options ? options : &usual;
    const struct tk_options before = trace->options;
    if (options->progress) {
        trace->options.progress = options->progress;
        trace->options.progress_ctx = options->progress_ctx;
    }
    const int rc = build(index, options, &causes);
    trace->options = before;
    if (rc >= 0) {
        *out = index;
        return TK_OK;
    }
    tk_index_close(index);
    if (err)
        *err = causes;
    return rc;
}

void tk_index_close(struct tk_index *index)
{
    if (!index)
        return;
    for (size_t i = 0; i < index->lanes.n; i++)
        tk_index_strip_free(index->lanes.v[i]);
    tk_vec_release(&index->lanes);
    tk_vec_release(&index->timers);
    for (unsigned i = 0; i < TK_INDEX_READINGS; i++)
        tk_vec_release(&index->late[i]);
    tk_presence_release(&index->presence);
    for (unsigned i = 0; i < TK_INDEX_READINGS; i++)
        tk_presence_release(&index->late_presence[i]);
    tk_intern_release(&index->texts);
    tk_index_store_close(index->store);
    free(index);
}
