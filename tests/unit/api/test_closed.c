/*
 * Zones that come closed against zones that come as begins and ends: one capture, read by a query whose
 * tables only add up, and by one with a table more that wants to see all, must give the same of what both
 * ask. Zones are drawn at random, with all that can be wrong with them: no end, times that go backwards,
 * places that do not exist, more depth than is timed; and the capture is cut.
 */
#include "run.h"
#include "tracekit.h"
#include "tracy_writer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, ZONES = 3000, SEEDS = 12, TEXT = 1 << 20 };

static uint32_t state;
static int64_t last_time; /* that the header states */
static uint32_t far;      /* one step in so many goes back by more than a clock does; 0: none */

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

/* ---- captures ---- */

static struct tk_tw_zone zones[THREADS][ZONES];

/* A step of time up to `most`; one in `odd` goes back. */
static int64_t step(uint32_t most, uint32_t odd)
{
    if (far && !draw(far))
        return -2000000;
    return (int64_t)draw(most) - (odd && !draw(odd) ? (int64_t)most * 6 / 5 : 0);
}

/* One in `odd` is in each way that there is; 0: none is. */
static void draw_zones(struct tk_tw_zone *out, size_t n, uint32_t odd)
{
    static const int16_t odd_places[] = {0, 32767, 99, -9};
    static size_t open[ZONES + 1];
    int64_t now = far ? 5000000 : 100;
    uint32_t depth = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t to = draw(odd ? 40 : 9) == 0 ? 0 : draw(depth + 2);
        for (; depth > to; depth--)
            out[open[depth - 1]].end = odd && !draw(odd) ? -1 : (now += step(500, odd));
        now += step(300, odd);
        out[i] =
            (struct tk_tw_zone){.location = (int16_t)(1 + draw(4)), .depth = depth, .start = now, .end = -1};
        if (odd && !draw(odd))
            out[i].location = odd_places[draw(4)];
        open[depth++] = i;
    }
    for (; depth > 0 && draw(3); depth--)
        out[open[depth - 1]].end = now += draw(100);
}

static void write_capture(struct tk_uw_bytes *out, uint32_t odd)
{
    static const char *const strings[] = {"one", "two", "three", "four", "file", "Main", "Worker", "Other"};
    static const struct tk_tw_location places[] = {
        {0, 0, 4, 1, 0}, {1, 1, 4, 2, 0}, {2, 2, 4, 3, 0}, {3, 3, 4, 4, 0}};
    struct tk_tw_thread threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        size_t n = i ? ZONES / 4 * i : ZONES;
        draw_zones(zones[i], n, i == 2 ? 0 : odd);
        threads[i] = (struct tk_tw_thread){.tid = 100 + i, .name = 5 + (int)i, .zones = zones[i], .n = n};
    }
    const struct tk_tw_trace trace = {.last_time = last_time,
                                      .crash_message = -1,
                                      .strings = strings,
                                      .n_strings = sizeof strings / sizeof *strings,
                                      .locations = places,
                                      .n_locations = sizeof places / sizeof *places,
                                      .threads = threads,
                                      .n_threads = THREADS};
    const struct tk_tw_options options = {.memory = out,
                                          .version = TK_TW_V(0, 14, 0),
                                          .container = TK_TW_MANY,
                                          .codec = TK_TW_LZ4,
                                          .streams = 2};
    ck_assert_int_eq(tk_tw_write(&options, &trace), 0);
}

/* ---- reading ---- */

struct text {
    char v[TEXT];
    size_t n;
};

static void put_cell(struct text *t, const struct tk_cell *cell)
{
    char *out = t->v + t->n;
    size_t capacity = sizeof t->v - t->n;
    int n;
    if (cell->kind == TK_TEXT)
        n = snprintf(out, capacity, "%.*s|", (int)cell->n, (const char *)cell->v.p);
    else if (cell->kind == TK_REAL || cell->kind == TK_MEAN)
        n = snprintf(out, capacity, "%.17g|", cell->v.r);
    else
        n = snprintf(out, capacity, "%lld|", cell->kind == TK_NONE ? -1 : (long long)cell->v.i);
    t->n += (size_t)n;
    ck_assert_uint_lt(t->n, sizeof t->v);
}

static void put_tables(struct text *t, const struct tk_result *result, size_t n)
{
    for (size_t table = 0; table < n; table++) {
        size_t rows;
        const struct tk_table *of = tk_result_table(result, table, &rows);
        t->n += (size_t)snprintf(t->v + t->n, sizeof t->v - t->n, "%s\n", of->name);
        for (size_t i = 0; i < rows; i++) {
            for (uint32_t k = 0; k < of->n_columns; k++)
                put_cell(t, &tk_result_row(result, table, i)[k]);
            t->v[t->n++] = '\n';
        }
    }
}

/* The tables that only add up, and what is wrong with the capture; `all`: read with one that wants more. */
static void read_tables(struct text *t, const char *path, const char *limit, unsigned by, unsigned jobs,
                        bool all)
{
    static const char *const tables[] = {"timers", "quality", "open_scopes", "threads"};
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_result *result, *health;
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    q.tables = tables;
    q.n_tables = all ? 4 : 3;
    q.unit = TK_UNIT_CYCLES;
    q.by = by;
    options.jobs = jobs;
    options.limits = &limit;
    options.n_limits = limit != NULL;
    ck_assert_int_eq(tk_open(&trace, path, &options, &err), TK_OK);
    ck_assert_int_eq(tk_result_new(&result, &err), TK_OK);
    ck_assert_int_eq(tk_result_new(&health, &err), TK_OK);
    struct tk_sink sink = tk_result_sink(result), faults = tk_result_sink(health);
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, &err), TK_OK);
    ck_assert_int_eq(tk_health(trace, &faults, &err), TK_OK);
    t->n = 0;
    put_tables(t, result, 3);
    put_tables(t, health, 1);
    tk_result_free(result);
    tk_result_free(health);
    tk_close(trace);
}

#define PATH "/tmp/tracekit-unit-XXXXXX"

static void put_file(char path[sizeof PATH], const uint8_t *p, size_t n)
{
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, p, n), (ssize_t)n);
    close(fd);
}

static void check_bytes(const uint8_t *p, size_t n)
{
    static const char *const limits[] = {NULL, "open_scopes=1", "open_scopes=3", "open_scopes=40"};
    static struct text closed, opened;
    char path[] = PATH;
    put_file(path, p, n);
    for (unsigned i = 0; i < 8; i++) {
        read_tables(&closed, path, limits[i / 2], i % 2 ? TK_BY_THREAD : 0, 1 + i % 3, false);
        read_tables(&opened, path, limits[i / 2], i % 2 ? TK_BY_THREAD : 0, 1, true);
        ck_assert_str_eq(closed.v, opened.v);
    }
    unlink(path);
}

/* Hardly any, some, and many oddities. */
START_TEST(as_begins_and_ends_say)
{
    static const uint32_t odds[] = {0, 1000, 50, 6};
    struct tk_uw_bytes bytes = {0};
    state = (uint32_t)_i;
    last_time = 10000000;
    write_capture(&bytes, odds[_i % 4]);
    check_bytes(bytes.data, bytes.size);
    tk_uw_bytes_release(&bytes);
}
END_TEST

/* Times beyond the one that the header calls the last are damage; what is left is the same both ways. */
START_TEST(beyond_the_last_time)
{
    struct tk_uw_bytes bytes = {0};
    state = 1000 + (uint32_t)_i;
    last_time = 1000 + 40000 * (_i % 6);
    write_capture(&bytes, _i % 2 ? 50 : 0);
    check_bytes(bytes.data, bytes.size);
    tk_uw_bytes_release(&bytes);
}
END_TEST

/* So are zones that do not lie behind or inside each other. */
START_TEST(far_back)
{
    struct tk_uw_bytes bytes = {0};
    state = 2000 + (uint32_t)_i;
    last_time = 10000000;
    far = 30 + 300 * (uint32_t)(_i % 4);
    write_capture(&bytes, _i % 2 ? 50 : 0);
    check_bytes(bytes.data, bytes.size);
    tk_uw_bytes_release(&bytes);
    far = 0;
}
END_TEST

/* Whatever is left at the end of what can be read. */
START_TEST(cut)
{
    struct tk_uw_bytes bytes = {0};
    state = 77 + (uint32_t)_i;
    last_time = 10000000;
    write_capture(&bytes, _i % 2 ? 20 : 0);
    check_bytes(bytes.data, bytes.size * (size_t)(SEEDS + _i) / (2 * SEEDS));
    tk_uw_bytes_release(&bytes);
}
END_TEST

static int stop_later(void *ctx, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    return --*(int *)ctx < 0;
}

/* Some of the zones may be under way with other workers. */
START_TEST(cancelled)
{
    static const char *const tables[] = {"timers"};
    struct tk_uw_bytes bytes = {0};
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    struct tk_result *result;
    struct tk_err err = {0};
    char path[] = PATH;
    int calls = _i;
    last_time = 10000000;
    write_capture(&bytes, 0);
    put_file(path, bytes.data, bytes.size);
    q.tables = tables;
    q.n_tables = 1;
    options.jobs = 1 + (unsigned)_i % 3;
    options.progress = stop_later;
    options.progress_ctx = &calls;
    int rc = tk_open(&trace, path, &options, &err);
    ck_assert_int_eq(tk_result_new(&result, NULL), TK_OK);
    struct tk_sink sink = tk_result_sink(result);
    if (rc == TK_OK)
        rc = tk_query_run(trace, &q, &sink, &err);
    ck_assert_int_eq(rc, calls < 0 ? TK_ECANCELED : TK_OK);
    tk_result_free(result);
    tk_close(trace);
    unlink(path);
    tk_uw_bytes_release(&bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {as_begins_and_ends_say, beyond_the_last_time, far_back, cut, cancelled};
    return RUN_TESTS_EACH("closed", tests, SEEDS);
}
