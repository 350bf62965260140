/* The CSV profiler from events to tables. Expectations are worked out by hand from the rules. */
#include "api/captured.h"

#define START 1000 /* cycle 0 of the recording; a cycle is a millisecond */

enum type {
    CATEGORY,
    INLINE,
    DECLARED,
    BEGIN,
    END,
    BEGIN_EXCLUSIVE,
    END_EXCLUSIVE,
    INT,
    REAL,
    EVENT,
    CAPTURE,
    CAPTURE_END,
    METADATA,
    TYPES
};

enum { SET, MIN, MAX, ADD };

static const struct tk_uw_field category_fields[] = {{.name = "Index", .type = TK_UW_I32},
                                                     {.name = "Name", .type = TK_UW_ANSI}};
static const struct tk_uw_field define_fields[] = {{.name = "StatId", .type = TK_UW_U64},
                                                   {.name = "CategoryIndex", .type = TK_UW_I32},
                                                   {.name = "Name", .type = TK_UW_ANSI}};
static const struct tk_uw_field mark_fields[] = {{.name = "StatId", .type = TK_UW_U64},
                                                 {.name = "Cycle", .type = TK_UW_U64}};
static const struct tk_uw_field int_fields[] = {{.name = "StatId", .type = TK_UW_U64},
                                                {.name = "Cycle", .type = TK_UW_U64},
                                                {.name = "Value", .type = TK_UW_I32},
                                                {.name = "OpType", .type = TK_UW_U8}};
static const struct tk_uw_field real_fields[] = {{.name = "StatId", .type = TK_UW_U64},
                                                 {.name = "Cycle", .type = TK_UW_U64},
                                                 {.name = "Value", .type = TK_UW_F32},
                                                 {.name = "OpType", .type = TK_UW_U8}};
static const struct tk_uw_field event_fields[] = {{.name = "Cycle", .type = TK_UW_U64},
                                                  {.name = "CategoryIndex", .type = TK_UW_I32},
                                                  {.name = "Text", .type = TK_UW_WIDE}};
static const struct tk_uw_field capture_fields[] = {{.name = "Cycle", .type = TK_UW_U64},
                                                    {.name = "RenderThreadId", .type = TK_UW_U32},
                                                    {.name = "RHIThreadId", .type = TK_UW_U32},
                                                    {.name = "EnableCounts", .type = TK_UW_U8},
                                                    {.name = "FileName", .type = TK_UW_WIDE}};
static const struct tk_uw_field end_fields[] = {{.name = "Cycle", .type = TK_UW_U64}};
static const struct tk_uw_field metadata_fields[] = {{.name = "Key", .type = TK_UW_WIDE},
                                                     {.name = "Value", .type = TK_UW_WIDE}};

#define SPEC (TK_UW_IMPORTANT | TK_UW_NOSYNC | TK_UW_AUX)

static const struct tk_uw_type types[TYPES] = {
    [CATEGORY] = {"CsvProfiler", "RegisterCategory", TK_UW_FIELDS(category_fields), SPEC, 0},
    [INLINE] = {"CsvProfiler", "DefineInlineStat", TK_UW_FIELDS(define_fields), SPEC, 0},
    [DECLARED] = {"CsvProfiler", "DefineDeclaredStat", TK_UW_FIELDS(define_fields), SPEC, 0},
    [BEGIN] = {"CsvProfiler", "BeginStat", TK_UW_FIELDS(mark_fields), 0, 0},
    [END] = {"CsvProfiler", "EndStat", TK_UW_FIELDS(mark_fields), 0, 0},
    [BEGIN_EXCLUSIVE] = {"CsvProfiler", "BeginExclusiveStat", TK_UW_FIELDS(mark_fields), 0, 0},
    [END_EXCLUSIVE] = {"CsvProfiler", "EndExclusiveStat", TK_UW_FIELDS(mark_fields), 0, 0},
    [INT] = {"CsvProfiler", "CustomStatInt", TK_UW_FIELDS(int_fields), 0, 0},
    [REAL] = {"CsvProfiler", "CustomStatFloat", TK_UW_FIELDS(real_fields), 0, 0},
    [EVENT] = {"CsvProfiler", "Event", TK_UW_FIELDS(event_fields), TK_UW_AUX, 0},
    [CAPTURE] = {"CsvProfiler", "BeginCapture", TK_UW_FIELDS(capture_fields), TK_UW_AUX, 0},
    [CAPTURE_END] = {"CsvProfiler", "EndCapture", TK_UW_FIELDS(end_fields), 0, 0},
    [METADATA] = {"CsvProfiler", "Metadata", TK_UW_FIELDS(metadata_fields), TK_UW_AUX, 0},
};

struct csv {
    struct captured *c;
    struct tk_uw_type types[TYPES];
};

/* Threads 2 to 5: Game, Worker, one that renders, RHIThread; their numbers in the system are 102 to 105. */
static void csv_open(struct csv *s)
{
    static const char *const names[] = {"Game", "Worker", "RenderThread 7", "RHIThread"};
    s->c = captured_new(7);
    for (uint32_t i = 0; i < 4; i++)
        tk_uw_thread_info(&s->c->uw, 2 + i, 102 + i, 0, names[i]);
    memcpy(s->types, types, sizeof types);
    for (size_t i = 0; i < TYPES; i++)
        captured_type(s->c, &s->types[i]);
}

static void put_wide(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned field, const char *text)
{
    struct tk_uw_bytes bytes = {0};
    tk_uw_wide(&bytes, text);
    tk_uw_value(lane, type, field, bytes.data, bytes.size);
    tk_uw_bytes_release(&bytes);
}

static void category(struct csv *s, int32_t index, const char *name)
{
    struct tk_uw_lane *lane = &s->c->uw.important;
    tk_uw_begin(lane, &s->types[CATEGORY]);
    tk_uw_u32(&lane->pending, (uint32_t)index);
    tk_uw_value(lane, &s->types[CATEGORY], 1, name, strlen(name));
    tk_uw_end(lane, &s->types[CATEGORY]);
}

static void define(struct csv *s, enum type how, uint64_t id, int32_t index, const char *name)
{
    struct tk_uw_lane *lane = &s->c->uw.important;
    tk_uw_begin(lane, &s->types[how]);
    tk_uw_u64(&lane->pending, id);
    tk_uw_u32(&lane->pending, (uint32_t)index);
    tk_uw_value(lane, &s->types[how], 2, name, strlen(name));
    tk_uw_end(lane, &s->types[how]);
}

static struct tk_uw_lane *mark_begin(struct csv *s, unsigned thread, enum type what, uint64_t id,
                                     int64_t time)
{
    struct tk_uw_lane *lane = &s->c->lanes[thread - 2];
    tk_uw_begin(lane, &s->types[what]);
    tk_uw_u64(&lane->pending, id);
    tk_uw_u64(&lane->pending, (uint64_t)(START + time));
    return lane;
}

static void mark(struct csv *s, unsigned thread, enum type what, uint64_t id, int64_t time)
{
    tk_uw_end(mark_begin(s, thread, what, id, time), &s->types[what]);
}

static void custom(struct csv *s, unsigned thread, uint64_t id, int64_t time, int32_t value, uint8_t op)
{
    struct tk_uw_lane *lane = mark_begin(s, thread, INT, id, time);
    tk_uw_u32(&lane->pending, (uint32_t)value);
    tk_uw_u8(&lane->pending, op);
    tk_uw_end(lane, &s->types[INT]);
}

static void custom_real(struct csv *s, unsigned thread, uint64_t id, int64_t time, float value, uint8_t op)
{
    struct tk_uw_lane *lane = mark_begin(s, thread, REAL, id, time);
    tk_uw_f32(&lane->pending, value);
    tk_uw_u8(&lane->pending, op);
    tk_uw_end(lane, &s->types[REAL]);
}

static void begin_capture(struct csv *s, int64_t time, uint32_t render, uint32_t rhi, bool counts)
{
    struct tk_uw_lane *lane = &s->c->lanes[0];
    tk_uw_begin(lane, &s->types[CAPTURE]);
    tk_uw_u64(&lane->pending, (uint64_t)(START + time));
    tk_uw_u32(&lane->pending, render);
    tk_uw_u32(&lane->pending, rhi);
    tk_uw_u8(&lane->pending, counts);
    put_wide(lane, &s->types[CAPTURE], 4, "Run.csv");
    tk_uw_end(lane, &s->types[CAPTURE]);
}

static void frame(struct csv *s, int64_t begin, int64_t end, uint8_t kind)
{
    tk_uw_frame_begin(&s->c->uw, &s->c->lanes[1], (uint64_t)(START + begin), kind);
    if (end)
        tk_uw_frame_end(&s->c->uw, &s->c->lanes[1], (uint64_t)(START + end), kind);
}

static void csv_send(struct csv *s)
{
    captured_send(s->c);
    captured_close(s->c);
}

/* Values stand at the end of the frame before; what comes before the first frame is in it. */
START_TEST(values_of_frames)
{
    struct csv s;
    csv_open(&s);
    category(&s, 0, "Zero");
    category(&s, 3, "Cat");
    define(&s, INLINE, 1, 3, "A");
    define(&s, INLINE, 2, 3, "A"); /* the same statistic */
    define(&s, DECLARED, 3, 0, "B");
    begin_capture(&s, 0, 0, 0, false);
    custom(&s, 2, 1, 5, 4, ADD);
    custom(&s, 2, 2, 12, 3, ADD);
    custom(&s, 2, 1, 13, -1, ADD); /* frame 0: 6 */
    custom(&s, 2, 3, 14, 9, MIN);  /* sets: the first in the frame */
    custom(&s, 2, 3, 15, 11, MIN);
    custom(&s, 2, 3, 16, 7, MIN);
    custom(&s, 2, 1, 20, 5, MAX); /* frame 1 begins at 20; sets */
    custom(&s, 2, 1, 21, 2, MAX);
    custom(&s, 2, 1, 22, 8, MAX);
    custom_real(&s, 2, 3, 23, 0.5F, ADD);
    custom(&s, 2, 3, 24, 2, ADD);
    custom(&s, 2, 99, 31, 1, SET); /* not defined; frame 2 */
    custom(&s, 2, 1, 31, 1, 4);    /* no such operation */
    custom(&s, 3, 1, 32, 1, SET);  /* a series of another thread */
    frame(&s, 10, 18, 0);
    frame(&s, 20, 0, 0); /* never ends: the next begins */
    frame(&s, 30, 40, 0);
    csv_send(&s);
    ck_assert_str_eq(captured_table(s.c, "csv_values", "time,frame,series,value,unit,thread_id"),
                     "1010|0|Cat/A|6||2\n"
                     "1010|0|B|7||2\n"
                     "1018|1|Cat/A|8||2\n"
                     "1018|1|B|2.5r||2\n"
                     "1030|2|[unknown1]|1||2\n"
                     "1030|2|Cat/A|1||3\n");
    ck_assert_str_eq(captured_table(s.c, "csv", "series,thread,count,min,max,mean,frame_mean"),
                     "Cat/A|Game|2|6|8|7r|4.66666667r\n"
                     "B|Game|2|2.5r|7|4.75r|3.16666667r\n"
                     "[unknown1]|Game|1|1|1|1r|0.333333333r\n"
                     "Cat/A|Worker|1|1|1|1r|0.333333333r\n");
    ck_assert_uint_eq(captured_faults(s.c, "csv", "payload_damaged"), 1);
    s.c->select = (struct tk_selection){.has_frames = true, .first_frame = 1, .last_frame = 1};
    ck_assert_str_eq(captured_table(s.c, "csv_values", "frame,value"), "1|8\n1|2.5r\n");
    captured_free(s.c);
}
END_TEST

/* Timers: time in the frame of the end; ends find their begin from the top; exclusive ones stop each other.
 */
START_TEST(timers_and_counts)
{
    struct csv s;
    csv_open(&s);
    category(&s, 1, "Excl");
    define(&s, DECLARED, 1, 0, "Outer");
    define(&s, DECLARED, 2, 0, "Inner");
    define(&s, DECLARED, 3, 1, "X");
    define(&s, DECLARED, 4, 1, "Y");
    frame(&s, 0, 0, 0);
    frame(&s, 100, 0, 0);
    begin_capture(&s, 0, 0, 0, true);
    mark(&s, 2, END, 1, 1); /* no begin */
    mark(&s, 2, BEGIN, 1, 10);
    mark(&s, 2, BEGIN, 1, 15); /* inside itself */
    mark(&s, 2, BEGIN, 2, 20);
    mark(&s, 2, END, 1, 30); /* 15; before Inner ends */
    mark(&s, 2, END, 2, 30); /* 10 */
    mark(&s, 2, BEGIN, 2, 31);
    mark(&s, 2, END, 2, 31);  /* no length: only counted */
    mark(&s, 2, END, 1, 110); /* 100, all in frame 1 */
    mark(&s, 2, BEGIN, 2, 120);
    mark(&s, 2, END, 2, 119);   /* goes backwards: only counted */
    mark(&s, 2, BEGIN, 2, 130); /* never ends */
    mark(&s, 2, BEGIN_EXCLUSIVE, 3, 40);
    mark(&s, 2, BEGIN_EXCLUSIVE, 4, 47); /* X 7 */
    mark(&s, 2, END_EXCLUSIVE, 4, 50);   /* Y 3, X goes on */
    mark(&s, 2, BEGIN_EXCLUSIVE, 4, 90); /* X 40 */
    mark(&s, 2, END_EXCLUSIVE, 3, 95);   /* while Y runs: X had its time */
    mark(&s, 2, END_EXCLUSIVE, 4, 105);  /* Y 15, in frame 1 */
    mark(&s, 2, END_EXCLUSIVE, 4, 106);  /* no begin */
    csv_send(&s);
    ck_assert_str_eq(captured_table(s.c, "csv_values", "frame,series,value,unit"),
                     "0|Game/Outer|15r|ms\n"
                     "0|COUNTS/Game/Outer|1|\n"
                     "0|Game/Inner|10r|ms\n"
                     "0|COUNTS/Game/Inner|2|\n"
                     "0|Excl/Game/X|47r|ms\n"
                     "0|Excl/Game/Y|3r|ms\n"
                     "0|COUNTS/Excl/Game/Y|1|\n"
                     "0|COUNTS/Excl/Game/X|1|\n"
                     "1|Excl/Game/Y|15r|ms\n"
                     "1|COUNTS/Excl/Game/Y|1|\n"
                     "1|Game/Outer|100r|ms\n"
                     "1|COUNTS/Game/Outer|1|\n"
                     "1|COUNTS/Game/Inner|1|\n");
    ck_assert_uint_eq(captured_faults(s.c, "csv", "scope_end_unmatched"), 2);
    ck_assert_uint_eq(captured_faults(s.c, "csv", "scope_open"), 1);
    ck_assert_uint_eq(captured_faults(s.c, "csv", "time_backwards"), 1);
    captured_free(s.c);
}
END_TEST

/* The threads that render have rendering frames: known by their numbers in the system, else by those of the
 * capture. */
START_TEST(frames_of_the_thread)
{
    for (uint32_t system = 0; system <= 100; system += 100) {
        struct csv s;
        csv_open(&s);
        define(&s, DECLARED, 1, 0, "A");
        frame(&s, 0, 0, 0);
        frame(&s, 50, 0, 0);
        frame(&s, 5, 0, 1);
        frame(&s, 20, 0, 1);
        frame(&s, 40, 0, 1);
        begin_capture(&s, 0, system + 4, system + 5, true);
        for (unsigned thread = 2; thread <= 5; thread++) {
            mark(&s, thread, BEGIN, 1, 30 + thread);
            mark(&s, thread, END, 1, 45);
        }
        csv_send(&s);
        ck_assert_str_eq(captured_table(s.c, "csv_values", "time,frame_type,frame,series,value"),
                         "1000|0|0|Game/A|13r\n"
                         "1000|0|0|COUNTS/Game/A|1\n"
                         "1000|0|0|Worker/A|12r\n"
                         "1000|0|0|COUNTS/Worker/A|1\n"
                         "1040|1|2|RenderThread/A|11r\n"
                         "1040|1|2|COUNTS/RenderThread/A|1\n"
                         "1040|1|2|RHIThread/A|10r\n"
                         "1040|1|2|COUNTS/RHIThread/A|1\n");
        captured_free(s.c);
    }
}
END_TEST

/* Without the begin of a capture (from before the recording) threads are known by name. */
START_TEST(recording_begins_in_a_capture)
{
    struct csv s;
    csv_open(&s);
    define(&s, DECLARED, 1, 0, "A");
    frame(&s, 0, 0, 0);
    frame(&s, 10, 0, 1);
    mark(&s, 4, END, 1, 5);
    mark(&s, 4, BEGIN, 1, 20);
    mark(&s, 4, END, 1, 23);
    mark(&s, 3, BEGIN, 1, -5); /* before the recording */
    mark(&s, 3, END, 1, 5);
    csv_send(&s);
    ck_assert_str_eq(captured_table(s.c, "csv_values", "frame_type,frame,series,value"),
                     "0|0|Worker/A|10r\n"
                     "1|0|RenderThread/A|3r\n");
    captured_free(s.c);
}
END_TEST

/* Before protocol 6 declarations had no signs: -5 as four bytes. */
START_TEST(signs_that_are_not_declared)
{
    struct csv s;
    csv_open(&s);
    struct tk_uw_field fields[sizeof int_fields / sizeof *int_fields];
    memcpy(fields, int_fields, sizeof int_fields);
    fields[2].type = TK_UW_U32;
    struct tk_uw_type type = {"CsvProfiler", "CustomStatInt", TK_UW_FIELDS(fields), 0, 0};
    captured_type(s.c, &type);
    s.types[INT] = type;
    category(&s, 3, "Cat");
    define(&s, INLINE, 1, 3, "A");
    begin_capture(&s, 0, 0, 0, false);
    custom(&s, 2, 1, 12, -5, SET);
    frame(&s, 10, 18, 0);
    csv_send(&s);
    ck_assert_str_eq(captured_table(s.c, "csv_values", "frame,series,value"), "0|Cat/A|-5\n");
    captured_free(s.c);
}
END_TEST

START_TEST(no_frames_at_all)
{
    struct csv s;
    csv_open(&s);
    define(&s, DECLARED, 1, 0, "A");
    custom(&s, 2, 1, 7, 3, SET);
    custom(&s, 2, 1, 9, 4, ADD);
    csv_send(&s);
    ck_assert_str_eq(captured_table(s.c, "csv_values", "time,frame,series,value"), "1009||A|7\n");
    ck_assert_str_eq(captured_table(s.c, "csv", "series,count,last,frame_mean"), "A|1|7|\n");
    captured_free(s.c);
}
END_TEST

START_TEST(events_and_metadata)
{
    struct csv s;
    csv_open(&s);
    category(&s, 0, "Zero");
    struct tk_uw_lane *lane = &s.c->lanes[0];
    tk_uw_begin(lane, &s.types[METADATA]);
    put_wide(lane, &s.types[METADATA], 0, "os");
    put_wide(lane, &s.types[METADATA], 1, "Linux");
    tk_uw_end(lane, &s.types[METADATA]);
    begin_capture(&s, 1, 0, 0, false);
    for (uint32_t index = 0; index < 3; index++) {
        tk_uw_begin(lane, &s.types[EVENT]);
        tk_uw_u64(&lane->pending, START + 10 + index);
        tk_uw_u32(&lane->pending, index);
        put_wide(lane, &s.types[EVENT], 2, "Text");
        tk_uw_end(lane, &s.types[EVENT]);
    }
    tk_uw_begin(lane, &s.types[CAPTURE_END]);
    tk_uw_u64(&lane->pending, START + 50);
    tk_uw_end(lane, &s.types[CAPTURE_END]);
    captured_send(s.c);
    category(&s, 1, "One"); /* after its first use */
    captured_close(s.c);
    ck_assert_str_eq(captured_table(s.c, "csv_events", "time,kind,category,key,text,thread"),
                     "|metadata||os|Linux|Game\n"
                     "1001|begin|||Run.csv|Game\n"
                     "1010|event|Zero||Text|Game\n"
                     "1011|event|One||One/Text|Game\n"
                     "1012|event|||Text|Game\n"
                     "1050|end||||Game\n");
    /* What has a time is a mark, ten milliseconds and more after the start. */
    const char *const marks[] = {"\"name\":\"Run.csv\"", "\"ts\":1000.000",  "\"name\":\"One/Text\"",
                                 "\"ts\":11000.000",     "\"name\":\"end\"", "\"ts\":50000.000"};
    const char *out = captured_export(s.c, "chrome");
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        ck_assert_msg(strstr(out, marks[i]), "%s is not in %s", marks[i], out);
    ck_assert_ptr_null(strstr(out, "Linux"));
    captured_free(s.c);
}
END_TEST

/* The statistics of engines before 4.26: texts are attached, of one thread. */
START_TEST(attached_texts)
{
    static const struct tk_uw_field counter_fields[] = {{.name = "Id", .type = TK_UW_U16},
                                                        {.name = "Type", .type = TK_UW_U8},
                                                        {.name = "DisplayHint", .type = TK_UW_U8}};
    static const struct tk_uw_field stat_fields[] = {{.name = "Id", .type = TK_UW_U32},
                                                     {.name = "IsFloatingPoint", .type = TK_UW_U8},
                                                     {.name = "IsMemory", .type = TK_UW_U8},
                                                     {.name = "ShouldClearEveryFrame", .type = TK_UW_U8}};
    static const struct tk_uw_field batch_fields[] = {{.name = "ThreadId", .type = TK_UW_U32}};
    static const struct tk_uw_field old_metadata[] = {{.name = "ValueOffset", .type = TK_UW_U16}};
    struct tk_uw_type counter = {"Counters", "Spec", TK_UW_FIELDS(counter_fields),
                                 TK_UW_IMPORTANT | TK_UW_NOSYNC, 0};
    struct tk_uw_type stat = {"Stats", "Spec", TK_UW_FIELDS(stat_fields), TK_UW_IMPORTANT | TK_UW_NOSYNC, 0};
    struct tk_uw_type batch = {"Stats", "EventBatch", TK_UW_FIELDS(batch_fields), 0, 0};
    struct tk_uw_type metadata = {"CsvProfiler", "Metadata", TK_UW_FIELDS(old_metadata), 0, 0};
    struct captured *c = captured_new(0);
    struct tk_uw_lane *lane = &c->lanes[0];
    captured_type(c, &counter);
    captured_type(c, &stat);
    captured_type(c, &batch);
    captured_type(c, &metadata);
    tk_uw_lane_flush(&c->uw.important); /* the clock */
    tk_uw_begin(lane, &counter);
    tk_uw_u16(&lane->pending, 1);
    tk_uw_u8(&lane->pending, 0);
    tk_uw_u8(&lane->pending, 1);
    tk_uw_wide(&lane->pending, "Mem");
    tk_uw_end(lane, &counter);
    tk_uw_begin(lane, &stat);
    tk_uw_u32(&lane->pending, 4);
    tk_uw_u8(&lane->pending, 0);
    tk_uw_u8(&lane->pending, 0);
    tk_uw_u8(&lane->pending, 0);
    tk_uw_raw(&lane->pending, "STAT\0T\0e\0x\0t\0\0", 15);
    tk_uw_end(lane, &stat);
    for (uint32_t i = 0; i < 4; i++) {
        tk_uw_begin(lane, &batch);
        tk_uw_u32(&lane->pending, i % 2 ? 77 : 88);
        tk_uw_varint(&lane->pending, 4 << 3 | 0);
        tk_uw_varint(&lane->pending, i < 2 ? START + 10 * (i + 1) : 100 * i);
        tk_uw_end(lane, &batch);
    }
    tk_uw_begin(lane, &metadata);
    tk_uw_u16(&lane->pending, 6);
    tk_uw_wide(&lane->pending, "os");
    tk_uw_u16(&lane->pending, 0);
    tk_uw_wide(&lane->pending, "Mac");
    tk_uw_u16(&lane->pending, 0);
    tk_uw_end(lane, &metadata);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "counters", "counter,unit,count"), "Mem|bytes|0\n");
    ck_assert_str_eq(captured_table(c, "stats", "stat,description,count,last"), "STAT|Text|4|4\n");
    ck_assert_str_eq(captured_table(c, "stat_values", "time,value"), "1010|1\n1020|2\n1210|3\n1320|4\n");
    ck_assert_str_eq(captured_table(c, "csv_events", "kind,key,text"), "metadata|os|Mac\n");
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        values_of_frames, timers_and_counts,   frames_of_the_thread, recording_begins_in_a_capture,
        no_frames_at_all, events_and_metadata, attached_texts,       signs_that_are_not_declared,
    };
    return RUN_TESTS("csv_profiler", tests);
}
