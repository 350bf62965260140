/* Captures side by side. Game frames of 100 cycles; in some of them a call. Expectations are worked out by
 * hand. */
#include "captured.h"
#include "cpu.h"

#define START 1000 /* cycle 0 of the recording */

enum { WORK = 1, FRAMES = 10, STEP = 100 };

/* A call of so many cycles in each frame; 0: none. */
static struct captured *make(const unsigned calls[FRAMES])
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu;
    tk_uw_thread_info(&c->uw, 2, 102, 0, "GameThread");
    tk_uw_cpu_spec(&c->uw, WORK, "Work", "A.cpp", 1);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    for (unsigned i = 0; i < FRAMES; i++) {
        const uint64_t begin = START + (uint64_t)i * STEP;
        tk_uw_frame_begin(&c->uw, &c->lanes[0], begin, 0);
        if (calls[i]) {
            tk_uw_cpu_begin(&cpu, begin + 10, WORK);
            tk_uw_cpu_end(&cpu, begin + 10 + calls[i]);
        }
        tk_uw_frame_end(&c->uw, &c->lanes[0], begin + STEP, 0);
    }
    tk_uw_cpu_flush(&cpu);
    captured_close(c);
    return c;
}

static void add(struct tk_trend *t, struct captured *c, const struct tk_query *q)
{
    struct tk_trace *trace = NULL;
    ck_assert_int_eq(tk_open(&trace, c->path, NULL, &c->err), TK_OK);
    ck_assert_int_eq(tk_trend_add(t, trace, c->path, q, &c->err), TK_OK);
    tk_close(trace);
    captured_free(c);
}

/* In the frames 5 and 6 the first capture works for 2 and 4 cycles, 3 a frame, and the second one not at all.
 */
START_TEST(a_capture_without_calls_has_frames)
{
    static const unsigned some[FRAMES] = {1, 1, 1, 1, 1, 2, 4}, none[FRAMES] = {7, 7};
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_trend *t;
    struct tk_result *result;
    struct tk_err err = {0};
    size_t n;
    q.unit = TK_UNIT_CYCLES;
    q.select.has_frames = true;
    q.select.first_frame = 5;
    q.select.last_frame = 6;
    ck_assert_int_eq(tk_trend_new(&t, &err), TK_OK);
    add(t, make(some), &q);
    add(t, make(none), &q);
    ck_assert_int_eq(tk_result_new(&result, &err), TK_OK);
    struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_eq(tk_trend_changes(t, 0, &sink, &err), TK_OK);
    const struct tk_table *table = tk_result_table(result, 0, &n);
    ck_assert_uint_eq(n, 1);
    const struct tk_cell *row = tk_result_row(result, 0, 0);
    for (unsigned i = 0; i < table->n_columns; i++) {
        const char *name = table->columns[i].name;
        if (strcmp(name, "first") == 0 || strcmp(name, "most") == 0)
            ck_assert(row[i].v.r == 3);
        if (strcmp(name, "last") == 0 || strcmp(name, "least") == 0)
            ck_assert(row[i].v.r == 0);
        if (strcmp(name, "measure") == 0)
            ck_assert(row[i].n == 5 && memcmp(row[i].v.p, "frame", 5) == 0);
    }
    tk_result_free(result);
    tk_trend_free(t);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_capture_without_calls_has_frames};
    return RUN_TESTS("trend", tests);
}
