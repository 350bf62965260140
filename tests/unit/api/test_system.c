/*
 * What the operating system says, and locks, from events to tables: disorder, threads of other processes,
 * names and numbers used again, missing begins and ends. Expectations are worked out by hand.
 */
#include "cpu.h"
#include "put.h"

#define FIELD(field_name, field_type)                                                                        \
    {                                                                                                        \
        .name = field_name, .type = field_type                                                               \
    }

static const struct tk_uw_field switch_fields[] = {FIELD("StartTime", TK_UW_U64), FIELD("EndTime", TK_UW_U64),
                                                   FIELD("ThreadId", TK_UW_U32),
                                                   FIELD("CoreNumber", TK_UW_U8)};
static const struct tk_uw_field sample_fields[] = {FIELD("Time", TK_UW_U64), FIELD("ThreadId", TK_UW_U32),
                                                   FIELD("Addresses", TK_UW_U64S)};
static const struct tk_uw_field narrow_fields[] = {FIELD("Time", TK_UW_U64), FIELD("ThreadId", TK_UW_U32),
                                                   FIELD("Addresses", TK_UW_U32S)};
static const struct tk_uw_field name_fields[] = {FIELD("ThreadId", TK_UW_U32), FIELD("ProcessId", TK_UW_U32),
                                                 FIELD("Name", TK_UW_WIDE)};
static const struct tk_uw_field request_fields[] = {FIELD("Cycle", TK_UW_U64), FIELD("bIsWrite", TK_UW_U8)};
static const struct tk_uw_field cycle_fields[] = {FIELD("Cycle", TK_UW_U64)};

static struct tk_uw_type types[] = {
    {"PlatformEvent", "ContextSwitch", TK_UW_FIELDS(switch_fields), TK_UW_NOSYNC, 0},
    {"PlatformEvent", "StackSample", TK_UW_FIELDS(sample_fields), TK_UW_NOSYNC | TK_UW_AUX, 0},
    {"PlatformEvent", "ThreadName", TK_UW_FIELDS(name_fields), TK_UW_NOSYNC | TK_UW_AUX, 0},
    {"Chaos", "LockAcquireBegin", TK_UW_FIELDS(request_fields), TK_UW_NOSYNC, 0},
    {"Chaos", "LockAcquired", TK_UW_FIELDS(cycle_fields), TK_UW_NOSYNC, 0},
    {"Chaos", "LockAcquireEnd", TK_UW_FIELDS(cycle_fields), TK_UW_NOSYNC, 0},
};

enum { SWITCH, SAMPLE, NAME, REQUEST, OBTAINED, RELEASED, TYPES };

static struct captured *open_system(void)
{
    struct captured *c = captured_new(7);
    for (int i = 0; i < TYPES; i++)
        captured_type(c, &types[i]);
    tk_uw_thread_info(&c->uw, 2, 70, 0, "GameThread");
    tk_uw_thread_info(&c->uw, 3, 71, 0, "Worker");
    return c;
}

static void close_system(struct captured *c)
{
    captured_send(c);
    captured_close(c);
}

/* The system is reported of by thread 5. */
static void put_switch(struct captured *c, uint64_t begin, uint64_t end, uint32_t thread, uint8_t core)
{
    struct tk_uw_lane *l = &c->lanes[3];
    tk_uw_begin(l, &types[SWITCH]);
    tk_uw_u64(&l->pending, begin);
    tk_uw_u64(&l->pending, end);
    tk_uw_u32(&l->pending, thread);
    tk_uw_u8(&l->pending, core);
    tk_uw_end(l, &types[SWITCH]);
}

static void put_name(struct captured *c, uint32_t thread, uint32_t process, const char *name)
{
    struct tk_uw_lane *l = &c->lanes[3];
    struct tk_uw_bytes wide = {0};
    tk_uw_wide(&wide, name);
    tk_uw_begin(l, &types[NAME]);
    tk_uw_u32(&l->pending, thread);
    tk_uw_u32(&l->pending, process);
    tk_uw_value(l, &types[NAME], 2, wide.data, wide.size);
    tk_uw_end(l, &types[NAME]);
    tk_uw_bytes_release(&wide);
}

static void put_sample(struct captured *c, const struct tk_uw_type *type, uint64_t time, uint32_t thread,
                       const void *addresses, size_t size)
{
    struct tk_uw_lane *l = &c->lanes[3];
    tk_uw_begin(l, type);
    tk_uw_u64(&l->pending, time);
    tk_uw_u32(&l->pending, thread);
    tk_uw_value_numbers(l, type, 2, addresses, size);
    tk_uw_end(l, type);
}

START_TEST(switches)
{
    struct captured *c = open_system();
    put_switch(c, 2100, 2150, 70, 1); /* not in order of time */
    put_switch(c, 2000, 2040, 70, 0);
    put_name(c, 99, 4321, "other.exe");
    put_switch(c, 2040, 2060, 99, 0);
    put_switch(c, 2160, 2190, 70, 1);
    put_switch(c, 2180, 2200, 70, 2);              /* begins before the one before it ends */
    put_switch(c, 2010, 2005, 71, 1);              /* ends before it begins */
    put_switch(c, 2060, 2061, 1234567, 255);       /* nobody knows it */
    put_name(c, 71, 1000, "worker of the system"); /* the capture's own name comes first */
    close_system(c);
    ck_assert_str_eq(
        captured_table(
            c, "switches",
            "system_id,thread_id,thread,process_id,count,running,min,max,waits,waiting,wait_max,cores,"
            "migrations,first,last"),
        "70|2|GameThread||4|140|20|50|2|70|60|3|2|2000|2200\n"
        "99||other.exe|4321|1|20|20|20|0|0||1|0|2040|2060\n"
        "71|3|Worker|1000|1|0|0|0|0|0||1|0|2010|2010\n"
        "1234567||||1|1|1|1|0|0||1|0|2060|2061\n");
    ck_assert_str_eq(captured_table(c, "switch_rows", "start,end,dur,system_id,core"),
                     "2000|2040|40|70|0\n"
                     "2010|2010|0|71|1\n"
                     "2040|2060|20|99|0\n"
                     "2060|2061|1|1234567|255\n"
                     "2100|2150|50|70|1\n"
                     "2160|2190|30|70|1\n"
                     "2180|2200|20|70|2\n");
    ck_assert_str_eq(captured_table(c, "cores", "core,count,busy,own,idle,threads"), "0|2|60|40|0|2\n"
                                                                                     "1|3|80|80|100|2\n"
                                                                                     "2|1|20|20|0|1\n"
                                                                                     "255|1|1|0|0|1\n");
    ck_assert_uint_eq(captured_faults(c, "switches", "time_backwards"), 1);
    /* cut to the selection; threads of other processes only without a choice of threads */
    const char *const names[] = {"GameThread"};
    c->select = (struct tk_selection){.has_from = true,
                                      .has_to = true,
                                      .from_ns = 1020000000,
                                      .to_ns = 1110000000,
                                      .threads = names,
                                      .n_threads = 1};
    ck_assert_str_eq(captured_table(c, "switches", "system_id,count,running,waiting"), "70|2|30|60\n");
    c->select = (struct tk_selection){0};
    c->limit = "switches=3";
    ck_assert_str_eq(captured_table(c, "cores", "core,count"), "0|2\n1|1\n");
    ck_assert_uint_eq(captured_faults(c, "cores", "limit_reached"), 4);
    captured_free(c);
}
END_TEST

/* A number of the system is used again: the thread that was defined last has it. */
START_TEST(reused_numbers)
{
    struct captured *c = open_system();
    tk_uw_thread_info(&c->uw, 4, 71, 0, "Second");
    put_switch(c, 2000, 2001, 71, 0);
    close_system(c);
    ck_assert_str_eq(captured_table(c, "switches", "system_id,thread_id,thread,count"), "71|4|Second|1\n");
    captured_free(c);
}
END_TEST

START_TEST(samples)
{
    static const uint64_t stack[] = {0x7f0000001000, 0x7f0000002000}, other[] = {0xffffffff80001000};
    static const uint32_t narrow[] = {0x401000, 0x402000, 0x403000};
    struct tk_uw_type narrow_type = {"PlatformEvent", "StackSample", TK_UW_FIELDS(narrow_fields),
                                     TK_UW_NOSYNC | TK_UW_AUX, 0};
    struct captured *c = open_system();
    struct put_type *module = put_new(c, "Diagnostics.ModuleLoad", "Name:w Base:q Size:i", TK_UW_NOSYNC);
    put(c, 3, module, "/opt/libgame.so", Q(0x7f0000001000), Q(0x1000)); /* up to the second address */
    put(c, 3, module, "kernel", Q(0xffffffff80000000), Q(0x2000));
    put_sample(c, &types[SAMPLE], 2100, 70, stack, sizeof stack);
    put_sample(c, &types[SAMPLE], 2000, 70, stack, sizeof stack[0]);
    put_sample(c, &types[SAMPLE], 2050, 70, other, sizeof other);
    put_sample(c, &types[SAMPLE], 2060, 70, NULL, 0);
    put_sample(c, &types[SAMPLE], 2070, 99, other, sizeof other);
    captured_send(c);
    captured_type(c, &narrow_type);
    put_sample(c, &narrow_type, 2080, 71, narrow, sizeof narrow);
    close_system(c);
    ck_assert_str_eq(captured_table(c, "sample_rows", "time,system_id,thread,depth,address,module,offset"),
                     "2000|70|GameThread|1|139637976731648|libgame.so|0\n"
                     "2050|70|GameThread|1|-2147479552|kernel|4096\n"
                     "2060|70|GameThread|0|||\n"
                     "2070|99||1|-2147479552||\n" /* of another process */
                     "2080|71|Worker|3|4198400||\n"
                     "2100|70|GameThread|2|139637976731648|libgame.so|0\n");
    ck_assert_str_eq(captured_table(c, "samples", "thread,address,module,offset,count,share,first,last"),
                     "GameThread||||1|0.25r|2060|2060\n"
                     "GameThread|139637976731648|libgame.so|0|2|0.5r|2000|2100\n"
                     "GameThread|-2147479552|kernel|4096|1|0.25r|2050|2050\n"
                     "|-2147479552|||1|1r|2070|2070\n"
                     "Worker|4198400|||1|1r|2080|2080\n");
    free(module);
    c->limit = "sample_addresses=2";
    ck_assert_uint_eq(captured_faults(c, "samples", "limit_reached"), 3);
    captured_free(c);
}
END_TEST

/* Scopes laid over the times that their thread ran; runs that overlap count once. */
START_TEST(running)
{
    struct captured *c = open_system();
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, 1, "A", "a.cpp", 1);
    tk_uw_cpu_spec(&c->uw, 2, "B", "b.cpp", 2);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    tk_uw_cpu_begin(&cpu, 2000, 1);
    tk_uw_cpu_begin(&cpu, 2040, 2);
    tk_uw_cpu_end(&cpu, 2060);
    tk_uw_cpu_end(&cpu, 2100);
    tk_uw_cpu_begin(&cpu, 2100, 2);
    tk_uw_cpu_end(&cpu, 2110);
    tk_uw_cpu_flush(&cpu);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[1], 3); /* a thread without context switches */
    tk_uw_cpu_begin(&cpu, 2000, 1);
    tk_uw_cpu_end(&cpu, 2001);
    tk_uw_cpu_flush(&cpu);
    put_switch(c, 2050, 2070, 70, 0);
    put_switch(c, 2060, 2080, 70, 1);
    put_switch(c, 1990, 2010, 70, 0);
    put_switch(c, 2000, 2100, 99, 0);
    close_system(c);
    ck_assert_str_eq(
        captured_table(c, "running", "timer,count,total,running,waiting,share,min,max,mean,file"),
        "A|1|100|40|60|0.4r|40|40|40r|a.cpp\n"
        "B|2|30|10|20|0.333333333r|0|10|5r|b.cpp\n");
    c->select = (struct tk_selection){.has_from = true, .from_ns = 1060000000};
    ck_assert_str_eq(captured_table(c, "running", "timer,count,total,running"), "A|1|40|20\nB|1|10|0\n");
    captured_free(c);
}
END_TEST

/* ---- locks ---- */

static void put_lock(struct captured *c, unsigned lane, int what, uint64_t cycle, bool write)
{
    struct tk_uw_lane *l = &c->lanes[lane];
    tk_uw_begin(l, &types[what]);
    tk_uw_u64(&l->pending, cycle);
    if (what == REQUEST)
        tk_uw_u8(&l->pending, write);
    tk_uw_end(l, &types[what]);
}

START_TEST(locks)
{
    struct captured *c = open_system();
    put_lock(c, 0, OBTAINED, 1500, false); /* requested before the recording */
    put_lock(c, 0, RELEASED, 1510, false);
    put_lock(c, 0, REQUEST, 2000, true);
    put_lock(c, 0, OBTAINED, 2010, false);
    put_lock(c, 0, REQUEST, 2020, true); /* once more while it holds it */
    put_lock(c, 0, OBTAINED, 2021, false);
    put_lock(c, 0, RELEASED, 2030, false);
    put_lock(c, 0, RELEASED, 2060, false);
    put_lock(c, 0, REQUEST, 2100, false);
    put_lock(c, 0, OBTAINED, 2130, false); /* never given back */
    put_lock(c, 1, REQUEST, 2001, true);
    put_lock(c, 1, RELEASED, 2005, false); /* never obtained */
    put_lock(c, 1, REQUEST, 2200, true);   /* never answered */
    close_system(c);
    ck_assert_str_eq(captured_table(c, "lock_rows", "lock,mode,thread,requested,obtained,released,wait,held"),
                     "physics scene|write|GameThread|2000|2010|2060|10|50\n"
                     "physics scene|write|Worker|2001||2005||\n"
                     "physics scene|write|GameThread|2020|2021|2030|1|9\n"
                     "physics scene|read|GameThread|2100|2130||30|\n"
                     "physics scene|write|Worker|2200||||\n");
    ck_assert_str_eq(captured_table(c, "locks", "lock,thread,mode,count,open,total,min,max,held,held_max"),
                     "physics scene|GameThread|read|1|0|30|30|30|0|\n"
                     "physics scene|GameThread|write|2|0|11|1|10|59|50\n"
                     "physics scene|Worker|write|0|2|0|||0|\n");
    ck_assert_uint_eq(captured_faults(c, "locks", "part_unmatched"), 2);
    c->limit = "open_scopes=1";
    ck_assert_uint_eq(captured_faults(c, "locks", "limit_reached"), 1);
    captured_free(c);
}
END_TEST

/* 100 waits of 1 to 100: each percentile is the wait of its number. */
START_TEST(spreads)
{
    struct captured *c = open_system();
    for (unsigned i = 1; i <= 100; i++) {
        unsigned turn = i * 37 % 101; /* every number once */
        uint64_t at = 2000 + 200 * (uint64_t)i;
        put_lock(c, 0, REQUEST, at, true);
        put_lock(c, 0, OBTAINED, at + turn, false);
        put_lock(c, 0, RELEASED, at + turn + 3, false);
    }
    close_system(c);
    ck_assert_str_eq(captured_table(c, "locks", "count,total,min,max,mean,median,p95,p99,held_p95"),
                     "100|5050|1|100|50.5r|50|95|99|3\n");
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {switches, reused_numbers, running, samples, locks, spreads};
    return RUN_TESTS("system", tests);
}
