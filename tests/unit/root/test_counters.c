/* Counters, statistics and memory tags from events to tables: late and missing definitions, reused ids,
 * disorder across threads, values from before the recording, damage. Expectations are worked out by hand. */
#include "captured.h"

#define START 1000 /* cycle 0 of the recording */

/* ---- counters ---- */

static void set(struct captured *c, unsigned lane, int64_t time, uint16_t id, int64_t value)
{
    tk_uw_counter_int(&c->uw, &c->lanes[lane], (uint64_t)(START + time), id, value);
}

START_TEST(counters_are_in_order_of_time)
{
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 2, 1, 0, "Real");
    captured_send(c);
    set(c, 0, 100, 1, 5);
    set(c, 0, 300, 1, 7);
    tk_uw_counter_float(&c->uw, &c->lanes[0], START + 10, 2, 0.1);
    captured_send(c);
    set(c, 1, -20, 1, 2); /* from before the recording */
    set(c, 1, 200, 1, -3);
    set(c, 1, 250, 7, 9); /* never defined */
    set(c, 1, 260, 0, 1); /* of no counter */
    captured_send(c);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "Old"); /* after its values, and then once more */
    tk_uw_counter_spec(&c->uw, 1, 0, 1, "New");
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "counter_values", "time,id,counter,value,unit,thread_id"),
                     "980|1|New|2|bytes|3\n"
                     "1010|2|Real|0.1r||2\n"
                     "1100|1|New|5|bytes|2\n"
                     "1200|1|New|-3|bytes|3\n"
                     "1250|7||9||3\n"
                     "1300|1|New|7|bytes|2\n");
    /* over time: 2 for 120, 5 for 100, -3 for 100, then the end */
    ck_assert_str_eq(
        captured_table(c, "counters", "id,counter,type,count,first,last,min,max,mean,time_mean,median"),
        "2|Real|float|1|0.1r|0.1r|0.1r|0.1r|0.1r|0.1r|0.1r\n"
        "1|New|int|4|2|7|-3|7|2.75r|1.375r|2\n"
        "7||int|1|9|9|9|9|9r|9r|9\n");
    ck_assert_uint_eq(captured_faults(c, "counters", "definition_missing"), 2);
    captured_free(c);
}
END_TEST

/* A definition that is no important event, behind its values on an ordinary thread. */
START_TEST(counters_are_defined_anywhere)
{
    static const struct tk_uw_field fields[] = {{.name = "Id", .type = TK_UW_U16},
                                                {.name = "Type", .type = TK_UW_U8},
                                                {.name = "Name", .type = TK_UW_WIDE}};
    struct tk_uw_type spec = {"Counters", "Spec", TK_UW_FIELDS(fields), TK_UW_AUX | TK_UW_NOSYNC, 0};
    struct captured *c = captured_new(7);
    captured_type(c, &spec);
    set(c, 0, 1, 3, 4);
    tk_uw_begin(&c->lanes[0], &spec);
    tk_uw_u16(&c->lanes[0].pending, 3);
    tk_uw_u8(&c->lanes[0].pending, 0);
    tk_uw_value(&c->lanes[0], &spec, 2, "W\0i\0d\0e\0", 8);
    tk_uw_end(&c->lanes[0], &spec);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "counters", "counter,count,last"), "Wide|1|4\n");
    ck_assert_uint_eq(captured_faults(c, "counters", "definition_missing"), 0);
    captured_free(c);
}
END_TEST

/* Of one time, the serial number decides, not the thread. */
START_TEST(counters_of_one_time)
{
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "C");
    set(c, 1, 10, 1, 1);
    set(c, 0, 10, 1, 2);
    set(c, 1, 10, 1, 3);
    captured_send(c);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "counter_values", "value,thread_id"), "1|3\n2|2\n3|3\n");
    captured_free(c);
}
END_TEST

/* With room for four values the two oldest are used when the fifth comes: what is older than they is late. */
START_TEST(counters_beyond_the_window)
{
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "C");
    for (int i = 0; i < 8; i++)
        set(c, 0, 10 * i, 1, i);
    set(c, 1, 5, 1, 100);
    set(c, 1, 200, 1, 101);
    captured_send(c);
    captured_close(c);
    c->limit = "counter_window=4";
    ck_assert_str_eq(captured_table(c, "counters", "count,first,last,min,max"), "10|0|101|0|101\n");
    ck_assert_uint_eq(captured_faults(c, "counters", "value_late"), 1);
    c->limit = NULL;
    ck_assert_uint_eq(captured_faults(c, "counters", "value_late"), 0);
    ck_assert_str_eq(captured_table(c, "counters", "count,first,last,min,max"), "10|0|101|0|101\n");
    c->limit = "counters=0";
    ck_assert_str_eq(captured_table(c, "counters", "count"), "");
    ck_assert_uint_eq(captured_faults(c, "counters", "limit_reached"), 11); /* a definition too */
    captured_free(c);
}
END_TEST

static const struct tk_uw_field odd_fields[] = {{.name = "Cycle", .type = TK_UW_U32},
                                                {.name = "CounterId", .type = TK_UW_I64}};
static const struct tk_uw_field real_fields[] = {{.name = "Cycle", .type = TK_UW_F64},
                                                 {.name = "Value", .type = TK_UW_I8},
                                                 {.name = "CounterId", .type = TK_UW_U8}};

START_TEST(counters_with_other_fields)
{
    struct tk_uw_type odd = {"Counters", "SetValueInt", TK_UW_FIELDS(odd_fields), 0, 0};
    struct tk_uw_type real = {"Counters", "SetValueFloat", TK_UW_FIELDS(real_fields), 0, 0};
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "C");
    captured_type(c, &odd);
    captured_type(c, &real);
    tk_uw_begin(&c->lanes[0], &odd); /* has no value */
    tk_uw_u32(&c->lanes[0].pending, 1001);
    tk_uw_u64(&c->lanes[0].pending, 1);
    tk_uw_end(&c->lanes[0], &odd);
    tk_uw_begin(&c->lanes[0], &real);
    tk_uw_f64(&c->lanes[0].pending, 1007);
    tk_uw_u8(&c->lanes[0].pending, 0xff);
    tk_uw_u8(&c->lanes[0].pending, 1);
    tk_uw_end(&c->lanes[0], &real);
    captured_send(c);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "counter_values", "time,counter,value"), "1007|C|-1r\n");
    ck_assert_uint_eq(captured_faults(c, "counter_values", "payload_damaged"), 1);
    captured_free(c);
}
END_TEST

/* Values outside the selection are in no figure, but what holds when it begins weighs. */
START_TEST(counters_of_a_selection)
{
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "C");
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 0, 0);
    set(c, 0, 0, 1, 10);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 100, 0);
    set(c, 0, 150, 1, 20);
    set(c, 0, 160, 1, 40);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 200, 0);
    set(c, 0, 250, 1, 80);
    captured_send(c);
    captured_close(c);
    c->select = (struct tk_selection){.has_frames = true, .first_frame = 1, .last_frame = 1};
    /* 10 for 50, 20 for 10, 40 for 40 */
    ck_assert_str_eq(captured_table(c, "counters", "count,first,last,time_mean,frame_mean,frame_max"),
                     "2|20|40|23r|60r|60\n");
    c->select =
        (struct tk_selection){.has_from = true, .from_ns = 110000000, .has_to = true, .to_ns = 120000000};
    ck_assert_str_eq(captured_table(c, "counters", "count,first,last,time_mean"), "0|||10r\n");
    captured_free(c);
}
END_TEST

/* ---- statistics ---- */

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
    ck_assert_str_eq(captured_table(s.c, "stats", "id,stat,count,last"), "1|C|2|2\n4294967295||1|1\n");
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

/* ---- memory tags ---- */

static const struct tk_uw_field tag_fields[] = {{.name = "TagId", .type = TK_UW_U32},
                                                {.name = "ParentId", .type = TK_UW_I32},
                                                {.name = "Name", .type = TK_UW_ANSI}};
static const struct tk_uw_field tracker_fields[] = {{.name = "TrackerId", .type = TK_UW_U8},
                                                    {.name = "Name", .type = TK_UW_ANSI}};
static const struct tk_uw_field value_fields[] = {{.name = "TrackerId", .type = TK_UW_U8},
                                                  {.name = "Cycle", .type = TK_UW_U64},
                                                  {.name = "Tags", .type = TK_UW_U32S},
                                                  {.name = "Values", .type = TK_UW_I64S}};

struct tags {
    struct captured *c;
    struct tk_uw_type tag, tracker, value;
};

static void tags_open(struct tags *t)
{
    const uint8_t flags = TK_UW_IMPORTANT | TK_UW_NOSYNC | TK_UW_AUX;
    *t = (struct tags){.c = captured_new(7)};
    t->tag = (struct tk_uw_type){"LLM", "TagsSpec", TK_UW_FIELDS(tag_fields), flags, 0};
    t->tracker = (struct tk_uw_type){"LLM", "TrackerSpec", TK_UW_FIELDS(tracker_fields), flags, 0};
    t->value = (struct tk_uw_type){"LLM", "TagValue", TK_UW_FIELDS(value_fields), TK_UW_AUX, 0};
    captured_type(t->c, &t->tag);
    captured_type(t->c, &t->tracker);
    captured_type(t->c, &t->value);
}

static void define_tag(struct tags *t, uint32_t id, const char *name)
{
    struct tk_uw_lane *lane = &t->c->uw.important;
    tk_uw_begin(lane, &t->tag);
    tk_uw_u32(&lane->pending, id);
    tk_uw_u32(&lane->pending, UINT32_MAX);
    tk_uw_value(lane, &t->tag, 2, name, strlen(name));
    tk_uw_end(lane, &t->tag);
}

static void define_tracker(struct tags *t, uint8_t id, const char *name)
{
    struct tk_uw_lane *lane = &t->c->uw.important;
    tk_uw_begin(lane, &t->tracker);
    tk_uw_u8(&lane->pending, id);
    tk_uw_value(lane, &t->tracker, 1, name, strlen(name));
    tk_uw_end(lane, &t->tracker);
}

/* n tags from `first` on; `values` of them have a value. */
static void snapshot(struct tags *t, uint8_t tracker, int64_t time, uint32_t first, unsigned n,
                     unsigned values, int64_t value)
{
    struct tk_uw_lane *lane = &t->c->lanes[0];
    struct tk_uw_bytes ids = {0}, sizes = {0};
    for (unsigned i = 0; i < n; i++)
        tk_uw_u32(&ids, first + i);
    for (unsigned i = 0; i < values; i++)
        tk_uw_u64(&sizes, (uint64_t)(value + i));
    tk_uw_begin(lane, &t->value);
    tk_uw_u8(&lane->pending, tracker);
    tk_uw_u64(&lane->pending, (uint64_t)(START + time));
    tk_uw_value(lane, &t->value, 2, ids.data, ids.size);
    tk_uw_value(lane, &t->value, 3, sizes.data, sizes.size);
    tk_uw_end(lane, &t->value);
    tk_uw_bytes_release(&ids);
    tk_uw_bytes_release(&sizes);
}

START_TEST(tags_grow)
{
    struct tags t;
    tags_open(&t);
    define_tracker(&t, 1, "Default");
    define_tag(&t, 10, "A");
    snapshot(&t, 1, 0, 10, 1, 1, 500);      /* A 500 */
    snapshot(&t, 0, 0, 10, 1, 1, 7);        /* another tracker, never named */
    snapshot(&t, 1, 30000, 10, 2, 2, 600);  /* A 600, B 601 for the first time */
    snapshot(&t, 1, 60000, 11, 1, 1, 1601); /* only B 1601 */
    snapshot(&t, 1, 60000, 12, 2, 1, -5);   /* one value for two tags */
    captured_send(t.c);
    define_tag(&t, 11, "A/B"); /* after its first value */
    captured_close(t.c);
    /* growth a minute: A 100 in 30 s; B from 0 at the first snapshot, 1601 in 60 s */
    ck_assert_str_eq(captured_table(t.c, "llm", "tracker,tag,count,first,last,min,peak,growth,growth_minute"),
                     "Default|A|2|500|600|500|600|100|200r\n"
                     "|A|1|7|7|7|7|0|\n"
                     "Default|A/B|2|601|1601|601|1601|1601|1601r\n"
                     "Default||1|-5|-5|-5|-5|-5|-5r\n");
    ck_assert_uint_eq(captured_faults(t.c, "llm", "payload_damaged"), 1);
    ck_assert_uint_eq(captured_faults(t.c, "llm", "definition_missing"), 1);
    /* between 10 s and 40 s: from what A was before; B from 0 */
    t.c->select = (struct tk_selection){
        .has_from = true, .from_ns = INT64_C(10000000000), .has_to = true, .to_ns = INT64_C(40000000000)};
    ck_assert_str_eq(captured_table(t.c, "llm", "tag,count,growth,growth_minute"),
                     "A|1|100|300r\nA|0||\nA/B|1|601|1803r\n|0||\n");
    captured_free(t.c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        counters_are_in_order_of_time,
        counters_are_defined_anywhere,
        counters_of_one_time,
        counters_beyond_the_window,
        counters_with_other_fields,
        counters_of_a_selection,
        stats_of_two_threads,
        stats_that_clear,
        stats_that_are_damaged,
        stats_without_their_beginning,
        tags_grow,
    };
    return RUN_TESTS("counters", tests);
}
