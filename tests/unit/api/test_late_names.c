/*
 * Names that come behind their scopes: rows of single scopes, which are sent while the capture is read, and
 * sums have the same ones. Expectations are worked out by hand.
 */
#include "cpu.h"
#include "put.h"
#include "values.h"

enum { SPEC = 8, LATE = 9, INSTANCE = 7, CRUMB = 77, QUEUE = 1, STRETCH = 4200 };

struct types {
    struct put_type *spec, *crumb, *begin, *end;
};

static struct types declare(struct captured *c)
{
    return (struct types){
        put_new(c, "CpuProfiler.EventSpec", "Id:i Name:s", TK_UW_NOSYNC),
        put_new(c, "GpuProfiler.EventBreadcrumbSpec", "SpecId:i StaticName:w NameFormat:w FieldNames:B",
                TK_UW_NOSYNC),
        put_new(c, "GpuProfiler.EventBeginBreadcrumb", "SpecId:i QueueId:i GPUTimestampTOP:q Metadata:B", 0),
        put_new(c, "GpuProfiler.EventEndBreadcrumb", "QueueId:i GPUTimestampBOP:q", 0)};
}

static void release(const struct types *t)
{
    free(t->spec);
    free(t->crumb);
    free(t->begin);
    free(t->end);
}

static void gpu_scope(struct captured *c, const struct types *t, uint64_t begin, uint64_t end)
{
    put(c, 0, t->begin, Q(CRUMB), Q(QUEUE), begin, NULL, (size_t)0);
    put(c, 0, t->end, Q(QUEUE), end);
}

/* Packets enough that what lies behind them is read later. */
static void wait(struct captured *c, uint64_t time)
{
    captured_send(c);
    for (unsigned i = 0; i < STRETCH; i++) {
        tk_uw_frame_begin(&c->uw, &c->lanes[1], time + i, 1);
        captured_send(c);
    }
}

static void cpu_scopes(struct tk_uw_cpu *cpu, uint64_t at)
{
    tk_uw_cpu_begin(cpu, at, SPEC);
    tk_uw_cpu_begin_metadata(cpu, at + 10, INSTANCE);
    tk_uw_cpu_end(cpu, at + 15);
    tk_uw_cpu_end(cpu, at + 30);
    tk_uw_cpu_flush(cpu);
}

static void define(struct captured *c, const struct types *t)
{
    struct tk_uw_bytes none = {0};
    put(c, 1, t->spec, Q(SPEC), "Walk");
    put(c, 1, t->crumb, Q(CRUMB), "Shadow", "Shadow", NULL, (size_t)0);
    tk_uw_cpu_metadata(&c->uw, &c->lanes[1], INSTANCE, LATE, &none);
}

static struct captured *make(bool defined)
{
    struct captured *c = captured_new(7);
    const struct types t = declare(c);
    struct tk_uw_bytes none = {0};
    struct tk_uw_cpu cpu;
    tk_uw_cpu_metadata_spec(&c->uw, LATE, "Load", "Load", &none);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    cpu_scopes(&cpu, 2000);
    cpu_scopes(&cpu, 3000); /* vouches for the times of the first */
    gpu_scope(c, &t, 2100, 2140);
    wait(c, 4000);
    if (defined)
        define(c, &t);
    wait(c, 10000);
    cpu_scopes(&cpu, 20000);
    gpu_scope(c, &t, 20100, 20160);
    captured_close(c);
    release(&t);
    return c;
}

#define SCOPES                                                                                               \
    "2010|Load|metadata|5\n2000|Walk|spec|30\n3010|Load|metadata|5\n3000|Walk|spec|30\n20010|Load|metadata|" \
    "5\n20000|Walk|spec|30\n"
#define SCOPE_COLUMNS "start,timer,kind,dur"

START_TEST(rows_and_sums)
{
    struct captured *c = make(true);
    ck_assert_str_eq(captured_table(c, "timers", "timer,kind,count"), "Load|metadata|3\nWalk|spec|3\n");
    ck_assert_str_eq(captured_table(c, "gpu", "timer,kind,count"), "Shadow|gpu|2\n");
    ck_assert_str_eq(captured_table(c, "scopes", SCOPE_COLUMNS), SCOPES);
    ck_assert_str_eq(captured_table(c, "gpu_scopes", SCOPE_COLUMNS),
                     "2100|Shadow|gpu|40\n20100|Shadow|gpu|60\n");
    captured_free(c);
}
END_TEST

/* Nothing can be known of what never comes, and nothing is invented. */
START_TEST(never)
{
    struct captured *c = make(false);
    ck_assert_str_eq(captured_table(c, "scopes", SCOPE_COLUMNS),
                     "2010|<unknown metadata>|metadata|5\n2000|<unknown 8>|spec|30\n3010|<unknown "
                     "metadata>|metadata|5\n3000|<unknown 8>|spec|30\n"
                     "20010|<unknown metadata>|metadata|5\n20000|<unknown 8>|spec|30\n");
    ck_assert_str_eq(captured_table(c, "gpu_scopes", SCOPE_COLUMNS),
                     "2100|<unknown 77>|gpu|40\n20100|<unknown 77>|gpu|60\n");
    captured_free(c);
}
END_TEST

static int collect(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct captured *c = self;
    (void)table;
    (void)err;
    for (size_t i = 0; i < rows->n; i++) {
        captured_cell(c, &rows->cells[i]);
        captured_put(c, "\n", 1);
    }
    return TK_OK;
}

/* In one open capture, behind a reading that was given up before the names came. */
START_TEST(behind_a_reading)
{
    static const char *const column = "timer";
    struct captured *c = make(true);
    struct tk_trace *trace = NULL;
    struct tk_cursor *cursor = NULL;
    const struct tk_table *table;
    struct tk_rows rows;
    struct tk_query q = TK_INIT(struct tk_query);
    ck_assert_int_eq(tk_open(&trace, c->path, NULL, NULL), TK_OK);
    q.tables = (const char *const[]){"events"};
    q.n_tables = 1;
    ck_assert_int_eq(tk_cursor_open(&cursor, trace, &q, NULL), TK_OK);
    ck_assert_int_eq(tk_cursor_next(cursor, &table, &rows, NULL), TK_ITEM);
    tk_cursor_close(cursor);
    q.tables = (const char *const[]){"scopes"};
    q.columns = &column;
    q.n_columns = 1;
    for (int i = 0; i < 2; i++) {
        c->n = 0;
        const struct tk_sink sink = {.self = c, .rows = collect};
        ck_assert_int_eq(tk_query_run(trace, &q, &sink, NULL), TK_OK);
        c->text[c->n] = 0;
        ck_assert_str_eq(c->text, "Load\nWalk\nLoad\nWalk\nLoad\nWalk\n");
    }
    tk_close(trace);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {rows_and_sums, never, behind_a_reading};
    return RUN_TESTS("late names", tests);
}
