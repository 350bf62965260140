/*
 * What targets of edits and merges share.
 */
#include "edited.h"

#include "api/trace.h"
#include "rig.h"
#include "tracy_blocks.h"

#include <string.h>

void fuzz_put_in_blocks(struct tk_uw_bytes *file, const uint8_t *data, size_t size)
{
    struct tk_uw_sink sink;
    struct tk_tw_blocks blocks;
    tk_uw_sink_memory(&sink, file);
    tk_tw_blocks_open(&blocks, &sink, TK_TW_MANY, TK_TW_LZ4, 0, 1);
    tk_uw_raw(&blocks.pending, data, size);
    tk_tw_blocks_drain(&blocks);
    tk_tw_blocks_close(&blocks);
}

bool fuzz_collect(void *ctx, const void *p, size_t n)
{
    tk_uw_raw(ctx, p, n);
    return !((struct tk_uw_bytes *)ctx)->failed;
}

bool fuzz_edit_utrace(const void *p, size_t n, const struct tk_edit_request *requested,
                      struct tk_uw_bytes *out)
{
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    struct tk_edit_request request = *requested;
    struct tk_edit_utrace e = {0};
    int rc = tk_open_memory(&trace, p, n, NULL, &err);
    if (rc == TK_OK && strcmp(trace->ctx.format->name, "utrace") == 0) {
        request.window.start = ((const struct tk_ut_capture *)trace->capture)->clock.start;
        rc = tk_edit_utrace_plan(&e, (struct tk_ut_capture *)trace->capture, &request, &err);
        if (rc == TK_OK)
            rc = tk_edit_utrace_write(&e, fuzz_collect, out, &err);
        tk_edit_utrace_release(&e);
    } else if (rc == TK_OK) {
        rc = TK_EFORMAT;
    }
    tk_close(trace);
    return rc == TK_OK && !out->failed;
}

void fuzz_check_tracy(struct tk_trace *trace)
{
    const char *const tables[] = {"health", "timers", "logs", "locks"};
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_result *result;
    struct tk_err err = {0};
    query.tables = tables;
    query.n_tables = sizeof tables / sizeof *tables;
    if (tk_result_query(&result, trace, &query, &err) == TK_OK)
        tk_result_free(result);
    fuzz_promise(!trace->ctx.health.counts[TK_HEALTH_TIME_DAMAGED], "times of zones");
    fuzz_promise(!trace->ctx.health.counts[TK_HEALTH_FILE_TRUNCATED], "the end of the payload");
}
