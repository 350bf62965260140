/*
 * Identities and names of timers (events 2.2, 2.4).
 */
#include "format/utrace/written.h"

#define TIMERS TK_FACT_MASK(TIMER)

static void put_metadata_spec(struct written *w, uint32_t id, const char *name, const char *format)
{
    struct tk_uw_bytes none = {0};
    tk_uw_cpu_metadata_spec(&w->uw, id, name, format, &none);
}

/* One name, file and line are one timer; another of them, or another kind, another. Ids by first definition.
 */
START_TEST(identity)
{
    struct written w;
    write_begin(&w);
    tk_uw_cpu_spec(&w.uw, 5, "Tick", "a.cpp", 1);
    tk_uw_cpu_spec(&w.uw, 6, "Tick", "a.cpp", 1);
    tk_uw_cpu_spec(&w.uw, 7, "Tick", "a.cpp", 2);
    tk_uw_cpu_spec(&w.uw, 8, "Tick", "b.cpp", 1);
    tk_uw_cpu_spec(&w.uw, 9, "Tock", "a.cpp", 1);
    put_metadata_spec(&w, 10, "Tick", "x");
    tk_uw_cpu_spec(&w.uw, 11, "Tick", "a.cpp", 1);
    tk_uw_cpu_spec(&w.uw, 5, "Tick", "a.cpp", 1);
    struct tk_uw_cpu cpu;
    tk_uw_cpu_init(&cpu, &w.uw, lane_of(&w, 2), 1);
    for (uint32_t id = 5; id <= 11; id++) {
        tk_uw_cpu_begin(&cpu, 1000 + id, id);
        tk_uw_cpu_end(&cpu, 1000 + id);
    }
    check_written(&w, TIMERS | TK_FACT_MASK(SCOPES),
                  "timer 0 spec \"Tick\" \"a.cpp\":1\ntimer 1 spec \"Tick\" \"a.cpp\":2\ntimer 2 spec "
                  "\"Tick\" \"b.cpp\":1\n"
                  "timer 3 spec \"Tock\" \"a.cpp\":1\ntimer 4 metadata \"Tick\"\n"
                  "scopes t2: +0@5 -@5 +0@6 -@6 +1@7 -@7 +2@8 -@8 +3@9 -@9 +4@10 -@10 +0@11 -@11\n");
}
END_TEST

/* An id that is given again, to another timer, stands for that one. */
START_TEST(other_timer_of_an_id)
{
    struct written w;
    write_begin(&w);
    tk_uw_cpu_spec(&w.uw, 5, "Tick", "", 0);
    tk_uw_cpu_spec(&w.uw, 5, "Tock", "", 0);
    check_written(&w, TIMERS, "timer 0 spec \"Tick\"\ntimer 1 spec \"Tock\"\n");
}
END_TEST

START_TEST(no_name)
{
    struct written w;
    write_begin(&w);
    tk_uw_cpu_spec(&w.uw, 4711, "", "a.cpp", 3);
    tk_uw_cpu_spec(&w.uw, 4712, "", "a.cpp", 3);
    check_written(&w, TIMERS,
                  "timer 0 spec \"<noname 4711>\" \"a.cpp\":3\ntimer 1 spec \"<noname 4712>\" \"a.cpp\":3\n");
}
END_TEST

/* Spec ids far from each other, up to 32 bits. */
START_TEST(far_specs)
{
    static const uint32_t ids[] = {0, 1048575, 1048576, 1048577, 4000000000u, UINT32_MAX};
    struct written w;
    struct lines expected = {0};
    struct tk_uw_cpu cpu;
    write_begin(&w);
    tk_uw_cpu_init(&cpu, &w.uw, lane_of(&w, 2), 1);
    for (uint32_t i = 0; i < 6; i++) {
        tk_uw_cpu_spec(&w.uw, ids[i], "x", "f", i);
        add_line(&expected, "timer %u spec \"x\" \"f\":%u\n", i, i);
    }
    add_line(&expected, "scopes t2:");
    for (uint32_t i = 0; i < 6; i++) {
        tk_uw_cpu_begin(&cpu, 1000 + i, ids[i]);
        tk_uw_cpu_end(&cpu, 1000 + i);
        add_line(&expected, " +%u@%u -@%u", i, i, i);
    }
    add_line(&expected, "\n");
    check_written(&w, TIMERS | TK_FACT_MASK(SCOPES), expected.text);
    release_lines(&expected);
}
END_TEST

/* 2.4: Name, or where it is empty or the format itself, the beginning of the format. */
START_TEST(metadata_names)
{
    static const struct {
        const char *name, *format, *expected;
    } cases[] = {
        {"Load", "Load %s", "Load"},
        {"Load", "", "Load"},
        {"", "Save %s", "Save"},
        {"", "Frame(%d)", "Frame"},
        {"", "N=%d", "N"},
        {"", "Whole", "Whole"},
        {"Same %d", "Same %d", "Same"},
        {"Whole2", "Whole2", "Whole2"},
        {"", "%s first", "Unknown"},
        {"", "", "Unknown"},
        {"With space", "%s", "With space"},
        {"", "A%dB", "A"},
    };
    struct written w;
    struct lines expected = {0};
    uint32_t timers = 0;
    write_begin(&w);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_metadata_spec(&w, 100 + i, cases[i].name, cases[i].format);
        bool again = false; /* the same name and kind are the same timer */
        for (uint32_t k = 0; k < i; k++)
            again |= strcmp(cases[k].expected, cases[i].expected) == 0;
        if (!again)
            add_line(&expected, "timer %u metadata \"%s\"\n", timers++, cases[i].expected);
    }
    check_written(&w, TIMERS, expected.text);
    release_lines(&expected);
}
END_TEST

/* Up to 4.25 the name is attached, in characters of CharSize bytes. */
START_TEST(old_specs)
{
    static const struct tk_uw_field fields[] = {{.name = "Id", .type = TK_UW_U32},
                                                {.name = "CharSize", .type = TK_UW_U8}};
    static const struct {
        uint8_t size;
        const char *bytes;
        size_t n;
        const char *expected;
    } cases[] = {{1, "one\0", 4, "one"},
                 {2, "t\0w\0o\0", 6, "two"},
                 {0, "n\0i\0\0\0", 6, "ni"},
                 {4, "abcd", 4, "<invalid id>"}};
    struct tk_uw_type type = {.logger = "CpuProfiler", .event = "EventSpec", TK_UW_FIELDS(fields)};
    struct lines expected = {0};
    struct written w;
    write_with(&w, (struct tk_uw_options){.form = TK_UW_ECRT, .transport = 1, .protocol = 0});
    tk_uw_register(&w.uw, &type);
    for (uint32_t i = 0; i < 4; i++) {
        struct tk_uw_lane *lane = &w.uw.important;
        tk_uw_begin(lane, &type);
        tk_uw_u32(&lane->pending, i);
        tk_uw_u8(&lane->pending, cases[i].size);
        tk_uw_raw(&lane->pending, cases[i].bytes, cases[i].n);
        tk_uw_end(lane, &type);
        add_line(&expected, "timer %u spec \"%s\"\n", i, cases[i].expected);
    }
    check_written(&w, TIMERS, expected.text);
    release_lines(&expected);
}
END_TEST

/* The oldest have no CharSize: 8-bit characters. */
START_TEST(oldest_specs)
{
    static const struct tk_uw_field fields[] = {{.name = "Id", .type = TK_UW_U16},
                                                {.name = "Group", .type = TK_UW_U16}};
    struct tk_uw_type type = {.logger = "CpuProfiler", .event = "EventSpec", TK_UW_FIELDS(fields)};
    struct written w;
    write_with(&w, (struct tk_uw_options){.form = TK_UW_ECRT, .transport = 1, .protocol = 0});
    tk_uw_register(&w.uw, &type);
    tk_uw_begin(&w.uw.important, &type);
    tk_uw_u32(&w.uw.important.pending, 7);
    tk_uw_text(&w.uw.important.pending, "old");
    tk_uw_end(&w.uw.important, &type);
    check_written(&w, TIMERS, "timer 0 spec \"old\"\n");
}
END_TEST

/* Timers beyond the limit are one, also when they are defined again. */
START_TEST(limit)
{
    struct written w;
    struct opened o;
    write_begin(&w);
    for (uint32_t i = 0; i < 5; i++)
        tk_uw_cpu_spec(&w.uw, i, "x", "f", i + 1);
    tk_uw_cpu_spec(&w.uw, 3, "again", "f", 9);
    write_end(&w);
    prepare(&o, w.bytes.data, w.bytes.size, 1);
    o.ctx.limits.timers = 3;
    open_prepared(&o);
    ck_assert_int_eq(o.rc, TK_OK);
    check_text(tell_in_order(&o, TIMERS, TK_ORDER_FILE),
               "timer 0 spec \"x\" \"f\":1\ntimer 1 spec \"x\" \"f\":2\ntimer 2 spec \"x\" \"f\":3\n"
               "timer 3 spec \"(beyond the limit)\"\n");
    ck_assert_uint_eq(o.ctx.health.counts[TK_HEALTH_LIMIT_REACHED], 2);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {identity,  other_timer_of_an_id, no_name, far_specs, metadata_names,
                                  old_specs, oldest_specs,         limit};
    return RUN_TESTS("utrace timers", tests);
}
