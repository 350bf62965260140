/*
 * Tasks from events to tables: missing and late stages, tasks from before the recording, links before and
 * behind the start of a task, waits of threads. Expectations are worked out by hand.
 */
#include "captured.h"

#define FIELD(field_name, field_type)                                                                        \
    {                                                                                                        \
        .name = field_name, .type = field_type                                                               \
    }
#define STAGE FIELD("Timestamp", TK_UW_U64), FIELD("TaskId", TK_UW_U64)

static const struct tk_uw_field created_fields[] = {STAGE, FIELD("TaskSize", TK_UW_U64)};
static const struct tk_uw_field launched_fields[] = {
    STAGE, FIELD("DebugName", TK_UW_WIDE), FIELD("Tracked", TK_UW_U8), FIELD("ThreadToExecuteOn", TK_UW_I32),
    FIELD("TaskSize", TK_UW_U64)};
static const struct tk_uw_field stage_fields[] = {STAGE};
static const struct tk_uw_field subsequent_fields[] = {STAGE, FIELD("SubsequentId", TK_UW_U64)};
static const struct tk_uw_field nested_fields[] = {STAGE, FIELD("NestedId", TK_UW_U64)};
static const struct tk_uw_field wait_fields[] = {FIELD("Timestamp", TK_UW_U64), FIELD("Tasks", TK_UW_U64S)};
static const struct tk_uw_field waited_fields[] = {FIELD("Timestamp", TK_UW_U64)};

enum what {
    CREATED,
    LAUNCHED,
    SCHEDULED,
    STARTED,
    FINISHED,
    COMPLETED,
    DESTROYED,
    SUBSEQUENT,
    NESTED,
    WAIT,
    WAITED,
    COUNT
};

static const struct tk_uw_type declared[COUNT] = {
    [CREATED] = {"TaskTrace", "Created", TK_UW_FIELDS(created_fields), 0, 0},
    [LAUNCHED] = {"TaskTrace", "Launched", TK_UW_FIELDS(launched_fields), TK_UW_AUX, 0},
    [SCHEDULED] = {"TaskTrace", "Scheduled", TK_UW_FIELDS(stage_fields), 0, 0},
    [STARTED] = {"TaskTrace", "Started", TK_UW_FIELDS(stage_fields), 0, 0},
    [FINISHED] = {"TaskTrace", "Finished", TK_UW_FIELDS(stage_fields), 0, 0},
    [COMPLETED] = {"TaskTrace", "Completed", TK_UW_FIELDS(stage_fields), 0, 0},
    [DESTROYED] = {"TaskTrace", "Destroyed", TK_UW_FIELDS(stage_fields), 0, 0},
    [SUBSEQUENT] = {"TaskTrace", "SubsequentAdded", TK_UW_FIELDS(subsequent_fields), 0, 0},
    [NESTED] = {"TaskTrace", "NestedAdded", TK_UW_FIELDS(nested_fields), 0, 0},
    [WAIT] = {"TaskTrace", "WaitingStarted", TK_UW_FIELDS(wait_fields), TK_UW_AUX, 0},
    [WAITED] = {"TaskTrace", "WaitingFinished", TK_UW_FIELDS(waited_fields), 0, 0},
};

struct tasks {
    struct captured *c;
    struct tk_uw_type types[COUNT];
};

static void tasks_open(struct tasks *t)
{
    t->c = captured_new(7);
    for (int i = 0; i < COUNT; i++) {
        t->types[i] = declared[i];
        captured_type(t->c, &t->types[i]);
    }
}

static void tasks_close(struct tasks *t)
{
    captured_send(t->c);
    captured_close(t->c);
}

/* What happened to a task on thread 2 + lane. `other`: size, or another task. */
static void say(struct tasks *t, unsigned lane, enum what what, uint64_t time, uint64_t id, uint64_t other)
{
    const struct tk_uw_type *type = &t->types[what];
    struct tk_uw_lane *l = &t->c->lanes[lane];
    tk_uw_begin(l, type);
    tk_uw_u64(&l->pending, time);
    tk_uw_u64(&l->pending, id);
    if (type->field_count > 2)
        tk_uw_u64(&l->pending, other);
    tk_uw_end(l, type);
}

static void launch_on(struct tasks *t, unsigned lane, uint64_t time, uint64_t id, const char *name,
                      bool tracked, int32_t target)
{
    const struct tk_uw_type *type = &t->types[LAUNCHED];
    struct tk_uw_lane *l = &t->c->lanes[lane];
    struct tk_uw_bytes wide = {0};
    tk_uw_wide(&wide, name);
    tk_uw_begin(l, type);
    tk_uw_u64(&l->pending, time);
    tk_uw_u64(&l->pending, id);
    tk_uw_u8(&l->pending, tracked);
    tk_uw_u32(&l->pending, (uint32_t)target);
    tk_uw_u64(&l->pending, 64);
    tk_uw_value(l, type, 2, wide.data, wide.size);
    tk_uw_end(l, type);
    tk_uw_bytes_release(&wide);
}

static void launch(struct tasks *t, unsigned lane, uint64_t time, uint64_t id, const char *name, bool tracked)
{
    launch_on(t, lane, time, id, name, tracked, -1);
}

static void wait_for(struct tasks *t, unsigned lane, uint64_t time, const uint64_t *ids, size_t n)
{
    struct tk_uw_lane *l = &t->c->lanes[lane];
    tk_uw_begin(l, &t->types[WAIT]);
    tk_uw_u64(&l->pending, time);
    tk_uw_value_numbers(l, &t->types[WAIT], 1, ids, n * sizeof *ids);
    tk_uw_end(l, &t->types[WAIT]);
}

static void waited(struct tasks *t, unsigned lane, uint64_t time)
{
    tk_uw_begin(&t->c->lanes[lane], &t->types[WAITED]);
    tk_uw_u64(&t->c->lanes[lane].pending, time);
    tk_uw_end(&t->c->lanes[lane], &t->types[WAITED]);
}

#define STAGES "task_id,task,created,launched,scheduled,started,finished,completed,destroyed,synthesized"

/* Stages that are not reported are made up; one that is reported after all counts. */
START_TEST(stages)
{
    struct tasks t;
    tasks_open(&t);
    say(&t, 0, CREATED, 2000, 10, 96); /* all of them */
    launch(&t, 0, 2010, 10, "Full", true);
    say(&t, 0, SCHEDULED, 2020, 10, 0);
    say(&t, 1, STARTED, 2050, 10, 0);
    say(&t, 1, FINISHED, 2080, 10, 0);
    say(&t, 1, COMPLETED, 2090, 10, 0);
    say(&t, 1, DESTROYED, 2095, 10, 0);
    launch(&t, 0, 3000, 11, "Made up", false);
    say(&t, 1, STARTED, 3050, 11, 0);
    say(&t, 1, DESTROYED, 3100, 11, 0);
    launch(&t, 0, 4000, 12, "Late", true);
    say(&t, 1, FINISHED, 4100, 12, 0);
    say(&t, 1, SCHEDULED, 4010, 12, 0);
    say(&t, 1, STARTED, 4040, 12, 0);
    launch(&t, 0, 5000, 13, "Alone", true);
    say(&t, 0, CREATED, 6000, 14, 32); /* never launched: no task */
    say(&t, 1, STARTED, 6001, 14, 0);
    say(&t, 1, FINISHED, 6002, 15, 0); /* never heard of */
    say(&t, 1, FINISHED, 6003, 9, 0);  /* from before the recording */
    launch(&t, 0, 6004, 8, "Old", true);
    launch(&t, 0, 6005, UINT64_MAX, "Invalid", true);
    tasks_close(&t);
    ck_assert_str_eq(captured_table(t.c, "task_rows", STAGES),
                     "10|Full|2000|2010|2020|2050|2080|2090|2095|0\n"
                     "11|Made up|3000|3000|3050|3050|3100|3100|3100|4\n"
                     "12|Late|4000|4000|4010|4040|4100|||1\n"
                     "13|Alone|5000|5000||||||1\n");
    ck_assert_str_eq(
        captured_table(t.c, "task_rows",
                       "thread_id,launcher_id,tracked,target,bytes,schedule_wait,start_wait,run"),
        "3|2|1|-1|64|10|30|30\n"
        "3|2|0|-1|64|50|0|50\n"
        "3|2|1|-1|64|10|30|60\n"
        "|2|1|-1|64|||\n");
    ck_assert_str_eq(
        captured_table(t.c, "tasks", "task,count,tracked,ran,total,max,schedule_wait,start_wait,chain"),
        "Alone|1|1|0|0||0|0|\n"
        "Full|1|1|1|30|30|10|30|30\n"
        "Late|1|1|1|60|60|10|30|60\n"
        "Made up|1|0|1|50|50|50|0|50\n");
    ck_assert_uint_eq(captured_faults(t.c, "tasks", "part_unmatched"), 4);
    captured_free(t.c);
}
END_TEST

/* One that waits: 2 for 1 (linked before 2 is launched) and 3 for 2 and 1; 4 got 5 inside while it ran. */
START_TEST(links)
{
    struct tasks t;
    tasks_open(&t);
    launch(&t, 0, 2000, 1, "A", true);
    say(&t, 0, SUBSEQUENT, 2001, 1, 2);
    launch(&t, 0, 2002, 2, "B", true);
    launch(&t, 0, 2003, 3, "B", true);
    say(&t, 0, SUBSEQUENT, 2004, 2, 3);
    say(&t, 0, SUBSEQUENT, 2004, 1, 3);
    say(&t, 0, STARTED, 2010, 1, 0);
    say(&t, 0, FINISHED, 2110, 1, 0); /* 100 */
    launch(&t, 0, 2111, 4, "A", true);
    say(&t, 0, SUBSEQUENT, 2112, 1, 4); /* 1 is finished, and still there */
    say(&t, 0, STARTED, 2110, 2, 0);
    say(&t, 0, FINISHED, 2160, 2, 0); /* 50 */
    say(&t, 0, STARTED, 2170, 3, 0);
    say(&t, 0, FINISHED, 2177, 3, 0); /* 7 */
    say(&t, 0, STARTED, 2180, 4, 0);
    launch(&t, 0, 2181, 5, "C", true);
    say(&t, 0, SUBSEQUENT, 2182, 5, 4); /* 4 runs: 5 is inside of it */
    say(&t, 0, NESTED, 2183, 4, 6);     /* the older way to say it */
    say(&t, 0, FINISHED, 2189, 4, 0);   /* 9 */
    tasks_close(&t);
    ck_assert_str_eq(
        captured_table(t.c, "task_rows", "task_id,prerequisites,subsequents,nested,chain,chain_length"),
        "1|0|3|0|100|1\n"
        "2|1|1|0|150|2\n"
        "3|2|0|0|157|3\n"
        "4|1|0|2|109|2\n"
        "5|0|0|0||\n");
    ck_assert_str_eq(captured_table(t.c, "tasks", "task,count,total,chain,chain_length,prerequisites,nested"),
                     "A|2|109|109|2|1|2\n"
                     "B|2|57|157|3|3|0\n"
                     "C|1|0|||0|0\n");
    captured_free(t.c);
}
END_TEST

/* Steps that are reported in another order than they happened: 2 waits for 1, 3 for 2, 4 for 3 and 1. That 1
 * had run is reported when 2 and 3 have run, 3 begins before 2 has run, and 4 is reported in order. */
START_TEST(chains_go_by_times)
{
    struct tasks t;
    tasks_open(&t);
    for (uint64_t id = 1; id <= 4; id++)
        launch(&t, 0, 2000 + id, id, "T", true);
    say(&t, 0, SUBSEQUENT, 2010, 1, 2);
    say(&t, 0, SUBSEQUENT, 2011, 2, 3);
    say(&t, 0, SUBSEQUENT, 2012, 3, 4);
    say(&t, 0, SUBSEQUENT, 2013, 1, 4);
    say(&t, 0, STARTED, 2100, 1, 0);
    say(&t, 1, STARTED, 2200, 2, 0);
    say(&t, 1, FINISHED, 2230, 2, 0); /* 30 */
    say(&t, 1, STARTED, 2229, 3, 0);
    say(&t, 1, FINISHED, 2269, 3, 0); /* 40 */
    say(&t, 1, STARTED, 2300, 4, 0);
    say(&t, 1, FINISHED, 2305, 4, 0); /* 5 */
    say(&t, 0, FINISHED, 2160, 1, 0); /* 60 */
    tasks_close(&t);
    ck_assert_str_eq(captured_table(t.c, "task_rows", "task_id,chain,chain_length"), "1|60|1\n"
                                                                                     "2|90|2\n"
                                                                                     "3|40|1\n"
                                                                                     "4|65|2\n");
    ck_assert_str_eq(captured_table(t.c, "tasks", "task,chain,chain_length"), "T|90|2\n");
    captured_free(t.c);
}
END_TEST

/* Each of two tasks waits for the other, and has run before it began: no chain is endless. */
START_TEST(chains_have_an_end)
{
    struct tasks t;
    tasks_open(&t);
    launch(&t, 0, 2000, 1, "T", true);
    launch(&t, 0, 2000, 2, "T", true);
    say(&t, 0, SUBSEQUENT, 2001, 1, 2);
    say(&t, 0, SUBSEQUENT, 2001, 2, 1);
    say(&t, 0, STARTED, 2010, 1, 0);
    say(&t, 0, FINISHED, 2020, 1, 0);
    say(&t, 0, STARTED, 2030, 2, 0);
    say(&t, 0, FINISHED, 2005, 2, 0); /* before it began */
    tasks_close(&t);
    t.c->limit = "tasks=100";
    ck_assert_uint_eq(captured_faults(t.c, "tasks", "limit_reached"), 1);
    captured_free(t.c);
}
END_TEST

/* More tasks than are kept after their end: each counts once, and what comes too late is reported. */
START_TEST(many)
{
    struct tasks t;
    tasks_open(&t);
    for (uint64_t id = 0; id < 6000; id++) {
        launch(&t, 0, 2000 + 10 * id, id, id % 2 ? "Odd" : "Even", true);
        say(&t, 0, STARTED, 2002 + 10 * id, id, 0);
        say(&t, 0, FINISHED, 2003 + 10 * id + id % 2, id, 0);
        say(&t, 0, DESTROYED, 2009 + 10 * id, id, 0);
        captured_send(t.c);
    }
    say(&t, 0, FINISHED, 99999, 5999, 0); /* still kept: 59999 + 2003 + 1 was made up, now it is reported */
    say(&t, 0, COMPLETED, 99999, 0, 0);   /* gone */
    tasks_close(&t);
    ck_assert_str_eq(captured_table(t.c, "tasks", "task,count,ran,total,min,max,start_wait"),
                     "Even|3000|3000|3000|1|1|0\n"
                     "Odd|3000|3000|44005|2|38007|0\n");
    ck_assert_uint_eq(captured_faults(t.c, "tasks", "part_unmatched"), 1);
    t.c->limit = "tasks=100";
    ck_assert_str_eq(captured_table(t.c, "tasks", "task,count"), "Even|50\nOdd|50\n");
    ck_assert_uint_ge(captured_faults(t.c, "tasks", "limit_reached"), 5900);
    captured_free(t.c);
}
END_TEST

/* The stages of a task on several threads: the order of serial numbers counts. */
START_TEST(order_across_threads)
{
    struct tasks t;
    tasks_open(&t);
    launch(&t, 0, 2000, 1, "A", true);
    say(&t, 1, STARTED, 2010, 1, 0);
    say(&t, 1, FINISHED, 2015, 1, 0);
    tk_uw_lane_flush(&t.c->lanes[1]); /* before thread 2 in the file */
    tasks_close(&t);
    ck_assert_str_eq(captured_table(t.c, "tasks", "task,count,ran,total"), "A|1|1|5\n");
    ck_assert_uint_eq(captured_faults(t.c, "tasks", "part_unmatched"), 0);
    /* what is selected: by time, and by the thread that ran it */
    const char *const names[] = {"Thread 2"};
    t.c->select = (struct tk_selection){.threads = names, .n_threads = 1};
    ck_assert_str_eq(captured_table(t.c, "tasks", "task,count"), "");
    t.c->select = (struct tk_selection){.has_from = true, .from_ns = 1016000000};
    ck_assert_str_eq(captured_table(t.c, "tasks", "task,count"), "");
    t.c->select.from_ns = 1012000000;
    ck_assert_str_eq(captured_table(t.c, "tasks", "task,count,total"), "A|1|5\n");
    captured_free(t.c);
}
END_TEST

/* A task that waits for its start until the capture ends, and one that was over early. */
START_TEST(never_started)
{
    struct tasks t;
    tasks_open(&t);
    launch(&t, 0, 2000, 1, "Waits", true);
    launch(&t, 0, 2001, 2, "Over", true);
    say(&t, 1, STARTED, 2010, 2, 0);
    say(&t, 1, FINISHED, 2015, 2, 0);
    tasks_close(&t);
    t.c->select = (struct tk_selection){.has_from = true, .from_ns = 1500000000};
    ck_assert_str_eq(captured_table(t.c, "tasks", "task,count"), "Waits|1\n");
    ck_assert_str_eq(captured_table(t.c, "task_rows", "task"), "Waits\n");
    captured_free(t.c);
}
END_TEST

/* Waits nest, as a thread that waits runs other tasks; ends without a begin count nothing. */
START_TEST(waits)
{
    static const uint64_t ids[] = {7, 8, 9};
    struct tasks t;
    tasks_open(&t);
    waited(&t, 0, 1500);
    wait_for(&t, 0, 2000, ids, 3);
    wait_for(&t, 0, 2010, ids + 1, 1);
    wait_for(&t, 1, 2005, ids, 0);
    waited(&t, 0, 2020);
    waited(&t, 0, 2050);
    waited(&t, 0, 2060);
    tasks_close(&t);
    ck_assert_str_eq(captured_table(t.c, "task_waits", "thread_id,start,end,dur,count,first_task_id"),
                     "2|2000|2050|50|3|7\n"
                     "3|2005|||0|\n"
                     "2|2010|2020|10|1|8\n");
    ck_assert_uint_eq(captured_faults(t.c, "task_waits", "part_unmatched"), 2);
    captured_free(t.c);
}
END_TEST

/* The begin of a wait that stands before the end of the one before: times decide, not places. */
START_TEST(waits_go_by_times)
{
    static const uint64_t ids[] = {7, 8};
    struct tasks t;
    tasks_open(&t);
    wait_for(&t, 0, 2000, ids, 1);
    wait_for(&t, 0, 2030, ids + 1, 1);
    waited(&t, 0, 2020);
    waited(&t, 0, 2050);
    tasks_close(&t);
    ck_assert_str_eq(captured_table(t.c, "task_waits", "start,end,dur,first_task_id"), "2000|2020|20|7\n"
                                                                                       "2030|2050|20|8\n");
    captured_free(t.c);
}
END_TEST

/* What changes at each step, worked out from the stages of `counters`: 10 for any thread, 11 for thread 2,
 * whose stages are made up, 12 which is never destroyed and whose scheduling is reported too late. */
START_TEST(counters)
{
    struct tasks t;
    tasks_open(&t);
    say(&t, 0, CREATED, 2000, 10, 96);
    launch(&t, 0, 2010, 10, "Any", true); /* of 64 bytes */
    say(&t, 0, SCHEDULED, 2020, 10, 0);
    say(&t, 1, STARTED, 2050, 10, 0);
    launch_on(&t, 0, 2060, 11, "Named", false, 2);
    say(&t, 1, FINISHED, 2080, 10, 0);
    say(&t, 1, DESTROYED, 2095, 10, 0);
    say(&t, 1, FINISHED, 2100, 11, 0);
    say(&t, 1, DESTROYED, 2110, 11, 0);
    launch(&t, 0, 2120, 12, "Late", true);
    say(&t, 1, STARTED, 2140, 12, 0);
    say(&t, 1, SCHEDULED, 2130, 12, 0);
    say(&t, 1, FINISHED, 2150, 9, 0); /* from before the recording */
    tasks_close(&t);
    ck_assert_str_eq(captured_table(t.c, "task_counter_values", "time,counter_id,value"),
                     "2000|6|1\n2000|7|96\n"
                     "2010|0|1\n2010|7|64\n"
                     "2020|0|0\n2020|1|1\n"
                     "2050|1|0\n2050|3|1\n2050|4|30r\n"
                     "2060|0|1\n2060|6|2\n2060|7|128\n"
                     "2080|3|0\n2080|5|30r\n"
                     "2095|6|1\n2095|7|64\n"
                     "2100|0|0\n2100|4|0r\n2100|5|0r\n"
                     "2110|6|0\n2110|7|0\n"
                     "2120|0|1\n2120|6|1\n2120|7|64\n"
                     "2140|0|0\n2140|3|1\n2140|4|0r\n");
    ck_assert_str_eq(captured_table(t.c, "task_counters", "counter,type,unit,count,first,last,min,max"),
                     "Tasks::WaitingForPrerequisitesTasks|int||6|1|0|0|1\n"
                     "Tasks::ScheduledTasks|int||2|1|0|0|1\n"
                     "Tasks::NamedThreadsScheduledTasks|int||0||||\n"
                     "Tasks::RunningTasks|int||3|1|1|0|1\n"
                     "Tasks::TaskLatency|float|ms|3|30r|0r|0r|30r\n"
                     "Tasks::ExecutionTime|float|ms|2|30r|0r|0r|30r\n"
                     "Tasks::AliveTasks|int||5|1|1|0|2\n"
                     "Tasks::AliveTasksSize|int|bytes|6|96|64|0|128\n");
    /* before the first of them nothing is known of any, up to it of all */
    t.c->select = (struct tk_selection){.has_to = true, .to_ns = 999000000};
    ck_assert_str_eq(captured_table(t.c, "task_counters", "counter,count"), "");
    t.c->select.to_ns = 1015000000;
    ck_assert_str_eq(captured_table(t.c, "task_counters", "counter,count"),
                     "Tasks::WaitingForPrerequisitesTasks|1\n"
                     "Tasks::ScheduledTasks|0\n"
                     "Tasks::NamedThreadsScheduledTasks|0\n"
                     "Tasks::RunningTasks|0\n"
                     "Tasks::TaskLatency|0\n"
                     "Tasks::ExecutionTime|0\n"
                     "Tasks::AliveTasks|1\n"
                     "Tasks::AliveTasksSize|2\n");
    captured_free(t.c);
}
END_TEST

/* The low byte of a target is a thread, or all ones for any. */
START_TEST(targets)
{
    struct tasks t;
    tasks_open(&t);
    launch_on(&t, 0, 2000, 20, "Any", true, 0x1ff);
    say(&t, 0, SCHEDULED, 2010, 20, 0);
    launch_on(&t, 0, 2020, 21, "Named", true, 0x102);
    say(&t, 0, SCHEDULED, 2030, 21, 0);
    launch_on(&t, 0, 2040, 22, "Named", true, 0x102);
    say(&t, 0, SCHEDULED, 2050, 22, 0);
    tasks_close(&t);
    ck_assert_str_eq(captured_table(t.c, "task_counters", "counter,count,last"),
                     "Tasks::WaitingForPrerequisitesTasks|6|0\n"
                     "Tasks::ScheduledTasks|1|1\n"
                     "Tasks::NamedThreadsScheduledTasks|2|2\n"
                     "Tasks::RunningTasks|0|\n"
                     "Tasks::TaskLatency|0|\n"
                     "Tasks::ExecutionTime|0|\n"
                     "Tasks::AliveTasks|3|3\n"
                     "Tasks::AliveTasksSize|3|192\n");
    captured_free(t.c);
}
END_TEST

/* A capture without tasks has no counters of them. */
START_TEST(no_counters)
{
    struct tasks t;
    tasks_open(&t);
    tasks_close(&t);
    ck_assert_str_eq(captured_table(t.c, "task_counters", "counter"), "");
    captured_free(t.c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {stages,
                                  links,
                                  chains_go_by_times,
                                  chains_have_an_end,
                                  waits_go_by_times,
                                  many,
                                  order_across_threads,
                                  never_started,
                                  waits,
                                  counters,
                                  targets,
                                  no_counters};
    return RUN_TESTS("tasks", tests);
}
