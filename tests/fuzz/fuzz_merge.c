/*
 * Merges of pieces of any .utrace: of the capture and itself, or of parts that it is cut into. The result can
 * be opened and read, its packets and records have no fault, and the order of the pieces does not matter.
 */
#include "api/trace.h"
#include "edit/utrace/merge_utrace.h"
#include "edited.h"
#include "rig.h"

#include <string.h>

enum { PIECES = 3 };

static bool is_utrace(const struct tk_trace *trace)
{
    return strcmp(trace->ctx.format->name, "utrace") == 0;
}

/* What is between two cycles. False: it cannot be edited. */
static bool cut(const void *p, size_t n, int64_t from, int64_t to, struct tk_uw_bytes *out)
{
    const struct tk_edit_request request = {.cut = true, .window = {from, to, 0}};
    return fuzz_edit_utrace(p, n, &request, out);
}

/* False: they do not become one. */
static bool merge(const struct tk_uw_bytes *const *pieces, size_t n, struct tk_uw_bytes *out)
{
    struct tk_trace *traces[PIECES] = {0};
    struct tk_ut_capture *captures[PIECES] = {0};
    struct tk_edit_utrace_merge m = {0};
    struct tk_err err = {0};
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        rc = tk_open_memory(&traces[i], pieces[i]->data, pieces[i]->size, NULL, &err);
        if (rc == TK_OK && !is_utrace(traces[i]))
            rc = TK_EFORMAT;
        captures[i] = rc == TK_OK ? (struct tk_ut_capture *)traces[i]->capture : NULL;
    }
    if (rc == TK_OK)
        rc = tk_edit_utrace_merge_plan(&m, captures, n, &err);
    if (rc == TK_OK)
        rc = tk_edit_utrace_merge_write(&m, fuzz_collect, out, &err);
    if (rc == TK_EUSAGE || rc == TK_ELIMIT)
        fuzz_error(rc, &err);
    tk_edit_utrace_merge_release(&m);
    for (size_t i = 0; i < n; i++)
        tk_close(traces[i]);
    return rc == TK_OK && !out->failed;
}

static void check(const struct tk_uw_bytes *out)
{
    static const enum tk_health_kind never[] = {TK_HEALTH_PACKET_DAMAGED, TK_HEALTH_PACKET_HEADER_DAMAGED,
                                                TK_HEALTH_STREAM_BREAK, TK_HEALTH_EVENT_INCOMPLETE,
                                                TK_HEALTH_TYPE_REDECLARED};
    const char *const tables[] = {"health", "timers", "memory"};
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_trace *trace = NULL;
    struct tk_result *result;
    struct tk_err err = {0};
    query.tables = tables;
    query.n_tables = sizeof tables / sizeof *tables;
    fuzz_promise(tk_open_memory(&trace, out->data, out->size, NULL, &err) == TK_OK, "the result opens");
    if (tk_result_query(&result, trace, &query, &err) == TK_OK)
        tk_result_free(result);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        fuzz_promise(!trace->ctx.health.counts[never[i]], tk_health_name(never[i]));
    tk_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned sum = size ? data[size / 2] + (unsigned)size : 0;
    const int64_t first = INT64_C(1) << sum % 30, second = first + INT64_C(1000) * (sum % 50 + 1);
    struct tk_uw_bytes parts[PIECES] = {{0}}, whole = {0}, out = {0}, turned = {0};
    const struct tk_uw_bytes *pieces[PIECES] = {&whole, &whole, &parts[0]},
                             *other[PIECES] = {&whole, &whole, &parts[0]};
    size_t n = 2;
    tk_uw_raw(&whole, data, size);
    bool goes = !whole.failed;
    if (sum % 3) {
        n = PIECES;
        goes = cut(data, size, INT64_MIN, first, &parts[0]) && cut(data, size, first, second, &parts[1]) &&
               cut(data, size, second, INT64_MAX, &parts[2]);
        for (size_t i = 0; i < n; i++) {
            pieces[i] = &parts[i];
            other[i] = &parts[(i + 1) % n];
        }
        if (sum % 3 == 2)
            pieces[1] = other[1] = &whole;
    }
    if (goes && merge(pieces, n, &out)) {
        check(&out);
        if (n == PIECES && sum % 3 == 1) {
            fuzz_promise(merge(other, n, &turned), "the same pieces become one again");
            fuzz_promise(turned.size == out.size && memcmp(turned.data, out.data, out.size) == 0,
                         "their order does not matter");
        }
    }
    for (size_t i = 0; i < PIECES; i++)
        tk_uw_bytes_release(&parts[i]);
    tk_uw_bytes_release(&whole);
    tk_uw_bytes_release(&out);
    tk_uw_bytes_release(&turned);
    return 0;
}
