/* Files of presets: their names, and that whoever waits may have enough of them. */
#include "api/put.h"
#include "cpu.h"

#define START 1000 /* cycle 0 of the recording, 1000 cycles per second */

enum { PATH = 128 };

static int export_preset(struct captured *c, const char *table, const char *path, struct tk_options *options)
{
    static const char *const timers[] = {"Work*"}, *const regions[] = {"*"};
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_export_options export = TK_INIT(struct tk_export_options);
    struct tk_trace *trace = NULL;
    q.tables = &table;
    q.n_tables = 1;
    q.select.timers = timers;
    q.select.n_timers = strcmp(table, "timer_callees") == 0;
    q.select.regions = regions;
    q.select.n_regions = strcmp(table, "timer_callees") != 0;
    export.preset = "insights";
    export.path = path;
    ck_assert_int_eq(tk_open(&trace, c->path, options, &c->err), TK_OK);
    int rc = tk_export_run(trace, &q, &export, &c->err);
    tk_close(trace);
    return rc;
}

static void region(struct captured *c, uint64_t at, const char *name)
{
    tk_uw_region_begin(&c->uw, &c->lanes[0], START + at, name, "");
    tk_uw_region_end(&c->uw, &c->lanes[0], START + at + 10, name);
}

/* A call of timer `Work0` to `Work3` inside another one. */
static void calls(struct captured *c)
{
    struct tk_uw_cpu cpu;
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    for (unsigned i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "Work%u", i);
        tk_uw_cpu_spec(&c->uw, i + 1, name, "A.cpp", 1);
        tk_uw_cpu_begin(&cpu, START + i, i + 1);
    }
    for (unsigned i = 0; i < 4; i++)
        tk_uw_cpu_end(&cpu, START + 10 + i);
    tk_uw_cpu_flush(&cpu);
}

/* The number of the second `Load` would be the name of the third region, and that of `Load_1` of the fourth.
 */
START_TEST(names_of_regions)
{
    static const char *const names[] = {"Load", "Load", "Load_1", "Load_1"};
    static const char *const wanted[] = {"Load", "Load_1", "Load_1_1", "Load_1_2"};
    struct captured *c = captured_new(7);
    char path[PATH];
    for (size_t i = 0; i < 4; i++)
        region(c, i * 20, names[i]);
    calls(c);
    captured_close(c);
    snprintf(path, sizeof path, "%s-{region}.csv", c->path);
    struct tk_options options = TK_INIT(struct tk_options);
    ck_assert_msg(export_preset(c, "timing_events", path, &options) == TK_OK, "%s", c->err.text[0]);
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s-%s.csv", c->path, wanted[i]);
        ck_assert_msg(unlink(path) == 0, "%s", path);
    }
    captured_free(c);
}
END_TEST

/* Of the sums, which go by paths: four and their root. A file has more bytes. */
static int enough(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx;
    (void)done;
    return total == 5;
}

START_TEST(sums_can_be_cancelled)
{
    struct captured *c = captured_new(7);
    char path[PATH];
    calls(c);
    captured_close(c);
    snprintf(path, sizeof path, "%s.csv", c->path);
    struct tk_options options = TK_INIT(struct tk_options);
    options.progress = enough;
    ck_assert_int_eq(export_preset(c, "timer_callees", path, &options), TK_ECANCELED);
    ck_assert_int_ne(access(path, F_OK), 0);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {names_of_regions, sums_can_be_cancelled};
    return RUN_TESTS("preset files", tests);
}
