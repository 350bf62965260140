/*
 * Edits of any bytes: the result can be opened and read, its packets and records have no fault, and editing
 * it once more changes nothing.
 */
#include "api/trace.h"
#include "edited.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

/* No text that was replaced is left. */
static void inspect(const struct tk_uw_bytes *out, struct tk_anon *anon)
{
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    fuzz_promise(tk_open_memory(&trace, out->data, out->size, NULL, &err) == TK_OK, "the result opens");
    fuzz_promise(tk_edit_utrace_inspect(anon, (struct tk_ut_capture *)trace->capture, &err) == TK_OK,
                 "no text is left");
    tk_close(trace);
}

/* Edits what can be opened; the result is in `out`. False: there is none. */
static bool edit(const void *p, size_t n, const struct tk_edit_request *requested, struct tk_uw_bytes *out)
{
    struct tk_edit_request request = *requested;
    struct tk_anon anon = {0};
    if (requested->anon) {
        anon = *requested->anon;
        request.anon = &anon;
    }
    const bool done = fuzz_edit_utrace(p, n, &request, out);
    if (done && requested->anon)
        inspect(out, &anon);
    tk_anon_release(&anon);
    return done;
}

/* Reads the result, whose records are whole. */
static void check(const struct tk_uw_bytes *out)
{
    static const enum tk_health_kind never[] = {TK_HEALTH_PACKET_DAMAGED, TK_HEALTH_PACKET_HEADER_DAMAGED,
                                                TK_HEALTH_STREAM_BREAK, TK_HEALTH_EVENT_INCOMPLETE};
    const char *const tables[] = {"health", "timers"};
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_trace *trace = NULL;
    struct tk_result *result;
    struct tk_err err = {0};
    query.tables = tables;
    query.n_tables = 2;
    fuzz_promise(tk_open_memory(&trace, out->data, out->size, NULL, &err) == TK_OK, "the result opens");
    if (tk_result_query(&result, trace, &query, &err) == TK_OK)
        tk_result_free(result);
    /* where numbers of types mean one thing here and another there, a record that leads over that may get to
     * its other side */
    const bool changing = trace->ctx.health.counts[TK_HEALTH_TYPE_REDECLARED] > 0;
    for (size_t i = 0; i < sizeof never / sizeof *never && !changing; i++)
        fuzz_promise(!trace->ctx.health.counts[never[i]], tk_health_name(never[i]));
    tk_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const drop[] = {"logs", "counters", "cpu"};
    const unsigned sum = size ? data[size / 2] + (unsigned)size : 0;
    struct tk_edit_request request = {.words = {.drop = drop, .n_drop = sum % 4}};
    struct tk_uw_bytes out = {0}, again = {0};
    struct tk_anon anon = {0};
    if (sum % 5 == 2) {
        tk_hmac_key(&anon.key, "key", 3);
        (void)tk_anon_classes_read(&anon.classes, sum % 2 ? "all" : "", NULL);
        request.anon = &anon;
    }
    if (sum % 3 == 1) {
        request.cut = true;
        request.window =
            (struct tk_edit_window){.from = (int64_t)(sum % 64) * 1000, .to = INT64_C(1) << sum % 62};
        request.cut = request.window.from < request.window.to;
    }
    if (edit(data, size, &request, &out)) {
        check(&out);
        fuzz_promise(edit(out.data, out.size, &request, &again), "the result can be edited");
        check(&again);
    }
    tk_uw_bytes_release(&out);
    tk_uw_bytes_release(&again);
    return 0;
}
