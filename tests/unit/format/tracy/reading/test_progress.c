/* Progress: it is reported in the thread of the caller, never beyond the file, and can end any reading. */
#include "format/tracy/opened.h"
#include "tracy_writer.h"

#include <pthread.h>
#include <stdatomic.h>

enum { ZONES = 60000 }; /* 24 blocks */

struct progress {
    pthread_t caller;
    unsigned calls, stop_at; /* 0: never */
    uint64_t most, total;
};

static int on_progress(void *ctx, uint64_t done, uint64_t total)
{
    struct progress *p = ctx;
    ck_assert(pthread_equal(p->caller, pthread_self()));
    ck_assert_uint_le(done, total);
    p->most = done > p->most ? done : p->most;
    p->total = total;
    return ++p->calls == p->stop_at;
}

/* Zones alongside each other. */
static void write_zones(struct tk_uw_bytes *out)
{
    static const struct tk_tw_location location = {-1, -1, -1, 1, 0};
    static struct tk_tw_zone zones[ZONES];
    for (int i = 0; i < ZONES; i++)
        zones[i] = (struct tk_tw_zone){.location = 1, .start = 10 * i, .end = 10 * i + 7};
    const struct tk_tw_thread thread = {.tid = 100, .name = -1, .zones = zones, .n = ZONES};
    const struct tk_tw_trace trace = {
        .locations = &location, .n_locations = 1, .threads = &thread, .n_threads = 1};
    const struct tk_tw_options options = {
        .memory = out, .version = TK_TW_V(0, 14, 0), .container = TK_TW_MANY, .streams = 3};
    ck_assert_int_eq(tk_tw_write(&options, &trace), 0);
}

static int count_closed(void *ctx, const struct tk_closed_scopes *scopes, unsigned worker)
{
    (void)worker;
    atomic_fetch_add((atomic_size_t *)ctx, scopes->n);
    return TK_OK;
}

/* Opens and reads all zones, if it is not cancelled; how many there were. */
static int read_all(const struct tk_uw_bytes *bytes, struct progress *p, unsigned jobs, bool closed,
                    size_t *zones)
{
    atomic_size_t n_closed = 0;
    const struct tk_closed_taker taker = {.take = count_closed, .ctx = &n_closed};
    struct tk_options options = {.progress = on_progress, .progress_ctx = p};
    struct opened o;
    struct tk_batch batch;
    *zones = 0;
    ck_assert_int_eq(opened_bytes(&o, bytes->data, bytes->size, jobs), TK_OK);
    o.ctx.options = &options;
    o.request.closed = closed ? &taker : NULL;
    opened_read(&o, TK_FACT_MASK(SCOPES));
    int rc;
    while ((rc = tk_source_next(o.source, &batch, &o.err)) == TK_ITEM)
        for (size_t i = 0; i < batch.n_runs; i++)
            *zones += batch.runs[i].n;
    opened_close(&o);
    *zones += n_closed;
    return rc;
}

START_TEST(reported_and_cancelled)
{
    const unsigned jobs = 1 + (unsigned)_i / 2;
    const bool closed = _i % 2;
    struct tk_uw_bytes bytes = {0};
    struct progress p = {.caller = pthread_self()};
    size_t zones;
    write_zones(&bytes);
    ck_assert_int_eq(read_all(&bytes, &p, jobs, closed, &zones), TK_OK);
    ck_assert_uint_eq(zones, closed ? ZONES : 2 * ZONES);
    ck_assert_uint_eq(p.total, bytes.size);
    ck_assert_uint_gt(p.calls, 10);
    ck_assert_uint_gt(p.most, bytes.size / 2);
    for (unsigned stop_at = 1; stop_at <= p.calls; stop_at++) {
        struct progress cancel = {.caller = p.caller, .stop_at = stop_at};
        ck_assert_int_eq(read_all(&bytes, &cancel, jobs, closed, &zones), TK_ECANCELED);
        ck_assert_uint_eq(cancel.calls, stop_at);
    }
    tk_uw_bytes_release(&bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {reported_and_cancelled};
    return RUN_TESTS_EACH("progress", tests, 4);
}
