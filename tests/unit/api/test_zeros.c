/*
 * Zeros behind a capture, as a preallocated file has that nobody cut to its size: they are stepped over and
 * reported, with progress, and opening can be cancelled meanwhile.
 */
#include "run.h"
#include "tracekit.h"
#include "tracy_writer.h"
#include "utrace_writer.h"

#include <string.h>
#include <unistd.h>

enum { EVENTS = 20 };

#define ZEROS ((uint64_t)100 << 20)
#define PATH  "/tmp/tracekit-unit-XXXXXX"

struct progress {
    unsigned calls, stop_at; /* 0: never */
    uint64_t most, total;
};

static int on_progress(void *ctx, uint64_t done, uint64_t total)
{
    struct progress *p = ctx;
    ck_assert_uint_le(done, total);
    p->most = done > p->most ? done : p->most;
    p->total = total;
    return ++p->calls == p->stop_at;
}

static void write_utrace(struct tk_uw_bytes *out)
{
    static const struct tk_uw_field fields[] = {{.name = "Value", .type = TK_UW_U32}};
    struct tk_uw_type type = {.logger = "Demo", .event = "Tick", TK_UW_FIELDS(fields), .flags = TK_UW_NOSYNC};
    struct tk_uw_lane lane;
    struct tk_uw uw;
    tk_uw_open(&uw, &(struct tk_uw_options){TK_UW_DEFAULTS, .memory = out});
    tk_uw_register(&uw, &type);
    tk_uw_thread(&uw, &lane, 2);
    for (uint32_t i = 1; i <= EVENTS; i++) {
        tk_uw_begin(&lane, &type);
        tk_uw_u32(&lane.pending, i);
        tk_uw_end(&lane, &type);
    }
    tk_uw_lane_flush(&lane);
    tk_uw_lane_release(&lane);
    ck_assert_int_eq(tk_uw_close(&uw), 0);
}

static void write_tracy(struct tk_uw_bytes *out)
{
    static const struct tk_tw_location location = {-1, -1, -1, 1, 0};
    static struct tk_tw_zone zones[EVENTS];
    for (int i = 0; i < EVENTS; i++)
        zones[i] = (struct tk_tw_zone){.location = 1, .start = 10 * i, .end = 10 * i + 7};
    const struct tk_tw_thread thread = {.tid = 100, .name = -1, .zones = zones, .n = EVENTS};
    const struct tk_tw_trace trace = {
        .locations = &location, .n_locations = 1, .threads = &thread, .n_threads = 1};
    const struct tk_tw_options options = {
        .memory = out, .version = TK_TW_V(0, 14, 0), .container = TK_TW_MANY, .streams = 1};
    ck_assert_int_eq(tk_tw_write(&options, &trace), 0);
}

/* The capture and zeros behind it, of which the file system need not keep any. */
static void put_file(char path[sizeof PATH], const struct tk_uw_bytes *bytes)
{
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes->data, bytes->size), (ssize_t)bytes->size);
    ck_assert_int_eq(ftruncate(fd, (off_t)(bytes->size + ZEROS)), 0);
    close(fd);
}

static int open_it(const char *path, struct progress *p, struct tk_trace **out)
{
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_err err = {0};
    options.jobs = 1;
    options.progress = on_progress;
    options.progress_ctx = p;
    *out = NULL;
    return tk_open(out, path, &options, &err);
}

/* The column of a name in the row of the damage. */
static const struct tk_cell *reported_of(const struct tk_result *health, const char *column)
{
    size_t n;
    const struct tk_table *table = tk_result_table(health, 0, &n);
    uint32_t kind = 0, requested = 0;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        kind = strcmp(table->columns[i].name, "kind") == 0 ? i : kind;
        requested = strcmp(table->columns[i].name, column) == 0 ? i : requested;
    }
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *row = tk_result_row(health, 0, i);
        if (row[kind].n == 21 && memcmp(row[kind].v.p, "packet_header_damaged", 21) == 0)
            return &row[requested];
    }
    ck_abort_msg("there is no damage");
}

static void check_reported(struct tk_trace *trace, uint64_t offset)
{
    struct tk_result *health;
    ck_assert_int_eq(tk_result_new(&health, NULL), TK_OK);
    struct tk_sink sink = tk_result_sink(health);
    ck_assert_int_eq(tk_health(trace, &sink, NULL), TK_OK);
    ck_assert_uint_eq(reported_of(health, "offset")->v.u, offset);
    ck_assert_uint_eq(reported_of(health, "count")->v.u, 1);
    const struct tk_cell *text = reported_of(health, "text");
    ck_assert(text->n > 17 && memcmp(text->v.p, "only zeros follow", 17) == 0);
    tk_result_free(health);
}

START_TEST(behind_a_capture)
{
    struct tk_uw_bytes bytes = {0};
    struct tk_trace *trace;
    char path[] = PATH;
    struct progress p = {0};
    (_i ? write_tracy : write_utrace)(&bytes);
    put_file(path, &bytes);
    ck_assert_int_eq(open_it(path, &p, &trace), TK_OK);
    ck_assert_uint_gt(p.calls, 3);
    ck_assert_uint_eq(p.total, bytes.size + ZEROS);
    ck_assert_uint_gt(p.most, ZEROS / 2);
    check_reported(trace, bytes.size);
    tk_close(trace);
    for (unsigned stop_at = 1; stop_at <= 3; stop_at++) {
        struct progress cancel = {.stop_at = stop_at};
        ck_assert_int_eq(open_it(path, &cancel, &trace), TK_ECANCELED);
        ck_assert_uint_eq(cancel.calls, stop_at);
    }
    unlink(path);
    tk_uw_bytes_release(&bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {behind_a_capture};
    return RUN_TESTS_EACH("zeros", tests, 2);
}
