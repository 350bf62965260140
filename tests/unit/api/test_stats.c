/* Statistics from events to tables: both forms, frames, damage. Expectations are worked out by hand. */
#include "captured.h"

#define START 1000 /* cycle 0 of the recording */

static const struct tk_uw_field stat_fields[] = {
    {.name = "Id", .type = TK_UW_U32},      {.name = "IsFloatingPoint", .type = TK_UW_U8},
    {.name = "IsMemory", .type = TK_UW_U8}, {.name = "ShouldClearEveryFrame", .type = TK_UW_U8},
    {.name = "Name", .type = TK_UW_ANSI},   {.name = "Description", .type = TK_UW_WIDE},
    {.name = "Group", .type = TK_UW_ANSI},
};
static const struct tk_uw_field batch_fields[] = {{.name = "Data", .type = TK_UW_U8S}};

struct stats {
    struct captured *c;
    struct tk_uw_type spec, batch, batch2;
    struct tk_uw_bytes data;
};

static void stats_open(struct stats *s)
{
    *s = (struct stats){.c = captured_new(7)};
    s->spec = (struct tk_uw_type){"Stats", "Spec", TK_UW_FIELDS(stat_fields),
                                  TK_UW_IMPORTANT | TK_UW_NOSYNC | TK_UW_AUX, 0};
    s->batch = (struct tk_uw_type){"Stats", "EventBatch", TK_UW_FIELDS(batch_fields), TK_UW_AUX, 0};
    s->batch2 = (struct tk_uw_type){"Stats", "EventBatch2", TK_UW_FIELDS(batch_fields), TK_UW_AUX, 0};
    captured_type(s->c, &s->spec);
    captured_type(s->c, &s->batch);
    captured_type(s->c, &s->batch2);
}

static void stats_close(struct stats *s)
{
    tk_uw_bytes_release(&s->data);
    captured_free(s->c);
}

static void stat(struct stats *s, uint32_t id, bool real, bool clears, const char *name)
{
    struct tk_uw_lane *lane = &s->c->uw.important;
    tk_uw_begin(lane, &s->spec);
    tk_uw_u32(&lane->pending, id);
    tk_uw_u8(&lane->pending, real);
    tk_uw_u8(&lane->pending, 0);
    tk_uw_u8(&lane->pending, clears);
    tk_uw_value(lane, &s->spec, 4, name, strlen(name));
    tk_uw_value(lane, &s->spec, 5, "D\0", 2);
    tk_uw_value(lane, &s->spec, 6, "G", 1);
    tk_uw_end(lane, &s->spec);
}

static void entry(struct stats *s, uint32_t id, unsigned op, uint64_t difference)
{
    tk_uw_varint(&s->data, (uint64_t)id << 3 | op);
    tk_uw_varint(&s->data, difference);
}

static void entry_int(struct stats *s, uint32_t id, unsigned op, uint64_t difference, int64_t value)
{
    entry(s, id, op, difference);
    tk_uw_varint(&s->data, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void entry_real(struct stats *s, uint32_t id, unsigned op, uint64_t difference, double value)
{
    entry(s, id, op, difference);
    tk_uw_f64(&s->data, value);
}

static void send_batch(struct stats *s, unsigned lane, const struct tk_uw_type *type)
{
    struct tk_uw_lane *l = &s->c->lanes[lane];
    tk_uw_begin(l, type);
    tk_uw_value(l, type, 0, s->data.data, s->data.size);
    tk_uw_end(l, type);
    tk_uw_bytes_clear(&s->data);
}

/* Both forms, from two threads: their entries come batch by batch and count by time. */
START_TEST(stats_of_two_threads)
{
    struct stats s;
    stats_open(&s);
    entry_int(&s, 5, 3, START + 10, 100); /* set 100 at 10 */
    entry(&s, 5, 0, 20);                  /* + 1 at 30 */
    entry(&s, 5, 1, 20);                  /* - 1 at 50 */
    send_batch(&s, 0, &s.batch2);
    entry_int(&s, 5, 2, START + 20, -7); /* - 7 at 20 */
    entry_real(&s, 6, 5, 5, 0.5);        /* set 0.5 at 25 */
    send_batch(&s, 1, &s.batch);
    entry_int(&s, 5, 2, 15, 1000); /* + 1000 at 40: the clock of EventBatch goes on */
    entry_real(&s, 6, 4, 5, 0.25); /* + 0.25 at 45 */
    send_batch(&s, 1, &s.batch);
    entry_int(&s, 5, 2, START + 60, -4000); /* at 60: EventBatch2 begins anew */
    entry(&s, 5, 0, START + 70);            /* two buffers in one: a time again */
    send_batch(&s, 0, &s.batch2);
    captured_send(s.c);
    stat(&s, 5, false, false, "Int");
    stat(&s, 6, true, false, "Real");
    captured_close(s.c);
    ck_assert_str_eq(captured_table(s.c, "stat_values", "time,stat,op,operand,value,thread_id"),
                     "1010|Int|set|100|100|2\n"
                     "1020|Int|add|-7|93|3\n"
                     "1025|Real|set|0.5r|0.5r|3\n"
                     "1030|Int|add|1|94|2\n"
                     "1040|Int|add|1000|1094|3\n"
                     "1045|Real|add|0.25r|0.75r|3\n"
                     "1050|Int|add|-1|1093|2\n"
                     "1060|Int|add|-4000|-2907|2\n"
                     "1070|Int|add|1|-2906|2\n");
    ck_assert_str_eq(captured_table(s.c, "stats", "stat,description,group,type,count,first,last,min,max"),
                     "Int|D|G|int|7|100|-2906|-2907|1094\n"
                     "Real|D|G|float|2|0.5r|0.75r|0.5r|0.75r\n");
    stats_close(&s);
}
END_TEST

/* A statistic that clears: 0 at each begin of a game frame; its last value of each frame is a counter of its
 * own. */
START_TEST(stats_that_clear)
{
    struct stats s;
    stats_open(&s);
    stat(&s, 1, false, true, "C");
    entry(&s, 1, 0, START + 5); /* before the first frame */
    entry(&s, 1, 0, 10);        /* at 15, in frame 0 */
    entry(&s, 1, 0, 2);
    entry_int(&s, 1, 2, 13, 40); /* at 30, where frame 1 begins: the frame comes first */
    entry(&s, 1, 0, 60);         /* at 90, in frame 3; nothing in frame 2 */
    send_batch(&s, 0, &s.batch2);
    captured_send(s.c);
    for (unsigned i = 0; i < 4; i++) {
        tk_uw_frame_begin(&s.c->uw, &s.c->lanes[1], START + 10 + 20 * i, 0);
        tk_uw_frame_begin(&s.c->uw, &s.c->lanes[1], START + 11 + 20 * i, 1);
    }
    captured_send(s.c);
    captured_close(s.c);
    ck_assert_str_eq(captured_table(s.c, "stat_values", "time,stat,op,value,frame"),
                     "1005|C|add|1|\n"
                     "1010|C|clear|0|0\n"
                     "1015|C|add|1|0\n"
                     "1017|C|add|2|0\n"
                     "1010|C (1/frame)|frame|2|0\n"
                     "1030|C|clear|0|1\n"
                     "1030|C|add|40|1\n"
                     "1030|C (1/frame)|frame|40|1\n"
                     "1050|C|clear|0|2\n"
                     "1050|C (1/frame)|frame|0|2\n"
                     "1090|C|add|1|3\n"
                     "1070|C (1/frame)|frame|1|3\n");
    /* by frame: 2, 40, 0, 1 added; over time 1 for 5, 0 for 5, 1 for 2, 2 for 13, 40 for 20, 0 for 40 */
    ck_assert_str_eq(
        captured_table(s.c, "stats", "stat,clears,count,last,min,max,mean,time_mean,frame_mean,frame_max"),
        "C|1|5|1|1|40|9r|9.8r|10.75r|40\n"
        "C (1/frame)|1|4|1|0|40|10.75r|10.75r|10.75r|40\n");
    stats_close(&s);
}
END_TEST

START_TEST(stats_that_are_damaged)
{
    struct stats s;
    stats_open(&s);
    stat(&s, 1, false, false, "C");
    entry(&s, 1, 0, START + 1);
    entry(&s, 1, 7, 1); /* no such operation: the rest of the batch cannot be read */
    entry(&s, 1, 0, 1);
    send_batch(&s, 0, &s.batch2);
    entry(&s, 1, 0, START + 2);
    tk_uw_u8(&s.data, 1 << 3 | 5);
    tk_uw_u8(&s.data, 1);
    tk_uw_u8(&s.data, 0); /* a real of one byte */
    send_batch(&s, 0, &s.batch2);
    entry(&s, UINT32_MAX, 0, START + 3); /* not defined */
    send_batch(&s, 0, &s.batch2);
    send_batch(&s, 0, &s.batch2); /* empty */
    captured_send(s.c);
    captured_close(s.c);
    ck_assert_str_eq(captured_table(s.c, "stats", "stat_id,stat,count,last"), "1|C|2|2\n4294967295||1|1\n");
    ck_assert_uint_eq(captured_faults(s.c, "stats", "payload_damaged"), 2);
    ck_assert_uint_eq(captured_faults(s.c, "stats", "definition_missing"), 1);
    stats_close(&s);
}
END_TEST

/* EventBatch of a thread whose first batches are not there counts from nowhere: from the start of the
 * recording. */
START_TEST(stats_without_their_beginning)
{
    struct stats s;
    stats_open(&s);
    stat(&s, 1, false, false, "C");
    entry(&s, 1, 0, 3);
    entry(&s, 1, 0, 4);
    send_batch(&s, 0, &s.batch);
    entry(&s, 1, 0, 5);
    send_batch(&s, 0, &s.batch);
    captured_send(s.c);
    captured_close(s.c);
    ck_assert_str_eq(captured_table(s.c, "stat_values", "time,value"), "1000|1\n1004|2\n1009|3\n");
    ck_assert_uint_eq(captured_faults(s.c, "stats", "time_unreliable"), 1);
    stats_close(&s);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {stats_of_two_threads, stats_that_clear, stats_that_are_damaged,
                                  stats_without_their_beginning};
    return RUN_TESTS("stats", tests);
}
