/*
 * Texts of scopes from events to rows: of metadata instances, of those that come behind their scopes, of
 * scoped events. Expectations are worked out by hand.
 */
#include "cpu.h"
#include "put.h"
#include "values.h"

enum { PLAIN = 1, DOOR, LATE, STRETCH = 4200 };

#define GROUPS  "group,timer,count,incl,total,excl"
#define SLOWEST "rank,timer,dur,text"

static void spec(struct captured *c, uint32_t id, const char *name, const char *format)
{
    struct tk_uw_bytes none = {0};
    tk_uw_cpu_metadata_spec(&c->uw, id, name, format, &none);
}

static void instance(struct captured *c, uint32_t id, uint32_t of, const char *text, uint64_t number)
{
    struct tk_uw_bytes values = {0};
    tk_uw_cbor_text(&values, text, true);
    tk_uw_cbor_uint(&values, number);
    tk_uw_cpu_metadata(&c->uw, &c->lanes[0], id, of, &values);
    tk_uw_bytes_release(&values);
}

static void scope(struct tk_uw_cpu *cpu, uint64_t begin, uint32_t metadata, uint64_t end)
{
    tk_uw_cpu_begin_metadata(cpu, begin, metadata);
    tk_uw_cpu_end(cpu, end);
}

/* Instances 1 and 3 say the same; 7 is defined in a later stretch of the file than its scope, 8 never. */
static struct captured *make(void)
{
    struct captured *c = captured_new(7);
    struct put_type *load = put_new(c, "Cpu.Load", "Asset:w Size:i Big:i Signed:j Real:f", TK_UW_NOSYNC);
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, PLAIN, "Plain", "A.cpp", 1);
    spec(c, DOOR, "Door", "Door %s (Id %u)");
    spec(c, LATE, "Late", "%s=%u");
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    instance(c, 1, DOOR, "Red", 17);
    instance(c, 2, DOOR, "Blue", 18);
    instance(c, 3, DOOR, "Red", 17);
    tk_uw_cpu_begin(&cpu, 2000, PLAIN);
    tk_uw_cpu_begin_metadata(&cpu, 2010, 1);
    scope(&cpu, 2020, 3, 2024); /* inside of itself */
    scope(&cpu, 2030, 2, 2037);
    tk_uw_cpu_end(&cpu, 2060);
    tk_uw_cpu_end(&cpu, 2100);
    scope(&cpu, 2200, 7, 2211);
    scope(&cpu, 2300, 8, 2302);
    tk_uw_enter_absolute(&c->lanes[0], 3000);
    put(c, 0, load, "/Game/Map", Q(12), Q(3000000000), Q(-5), 0.5);
    tk_uw_leave_absolute(&c->lanes[0], 3090);
    captured_send(c);
    for (unsigned i = 0; i < STRETCH; i++) {
        tk_uw_frame_begin(&c->uw, &c->lanes[1], 4000 + i, 1);
        captured_send(c);
    }
    instance(c, 7, LATE, "Fog", 4);
    captured_close(c);
    free(load);
    return c;
}

START_TEST(by_label)
{
    struct captured *c = make();
    c->by = TK_BY_LABEL;
    ck_assert_str_eq(captured_table(c, "groups", GROUPS),
                     "/Game/Map, 12, 0xB2D05E00, -5, 0.500000|Cpu.Load|1|90|90|90\n"
                     "Blue (Id 18)|Door|1|0|7|7\n"
                     "Fog=4|Late|1|11|11|11\n"
                     "Red (Id 17)|Door|2|50|54|43\n");
    captured_free(c);
}
END_TEST

START_TEST(slowest)
{
    struct captured *c = make();
    ck_assert_str_eq(captured_table(c, "slowest", SLOWEST),
                     "1|Plain|100|\n"
                     "2|Cpu.Load|90|/Game/Map, 12, 0xB2D05E00, -5, 0.500000\n"
                     "3|Door|50|Red (Id 17)\n"
                     "4|Late|11|Fog=4\n"
                     "5|Door|7|Blue (Id 18)\n"
                     "6|Door|4|Red (Id 17)\n"
                     "7|<unknown metadata>|2|\n");
    captured_free(c);
}
END_TEST

/* Instances 8 and 9 are never defined, and displayed as one: 9 is inside of 8, from 2010 to 2040 of 2000 to
 * 2100.
 */
START_TEST(unknown_in_unknown)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu;
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    tk_uw_cpu_begin_metadata(&cpu, 2000, 8);
    scope(&cpu, 2010, 9, 2040);
    tk_uw_cpu_end(&cpu, 2100);
    scope(&cpu, 2200, 9, 2205);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "timers", "timer,count,incl,excl,max"),
                     "<unknown metadata>|3|105|105|100\n");
    ck_assert_str_eq(captured_table(c, "tree", "depth,timer,count,incl"), "0|<unknown metadata>|2|105\n"
                                                                          "1|<unknown metadata>|1|30\n");
    captured_free(c);
}
END_TEST

/* Texts beyond the limit are one; those that are known stay. */
START_TEST(limit)
{
    struct captured *c = make();
    c->by = TK_BY_LABEL;
    c->limit = "scope_texts=1";
    ck_assert_str_eq(captured_table(c, "groups", GROUPS), "(other texts)|Door|1|0|7|7\n"
                                                          "(other texts)|Late|1|11|11|11\n"
                                                          "(other texts)|Cpu.Load|1|90|90|90\n"
                                                          "Red (Id 17)|Door|2|50|54|43\n");
    captured_free(c);
}
END_TEST

/* A text that comes behind its first scope, and is known at the second one's. */
START_TEST(late_and_known)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, PLAIN, "Plain", "A.cpp", 1);
    spec(c, LATE, "Late", "%s=%u");
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    scope(&cpu, 2200, 7, 2211);
    tk_uw_cpu_flush(&cpu);
    captured_send(c);
    for (unsigned i = 0; i < STRETCH; i++) {
        tk_uw_frame_begin(&c->uw, &c->lanes[1], 4000 + i, 1);
        captured_send(c);
    }
    instance(c, 7, LATE, "Fog", 4);
    captured_send(c);
    for (unsigned i = 0; i < STRETCH; i++) {
        tk_uw_frame_begin(&c->uw, &c->lanes[1], 10000 + i, 1);
        captured_send(c);
    }
    tk_uw_cpu_begin_metadata(&cpu, 20000, 7);
    tk_uw_cpu_begin(&cpu, 20010, PLAIN);
    tk_uw_cpu_end(&cpu, 20015);
    tk_uw_cpu_end(&cpu, 20021);
    captured_close(c);
    c->by = TK_BY_LABEL;
    ck_assert_str_eq(captured_table(c, "groups", GROUPS), "Fog=4|Late|2|32|32|27\n");
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {by_label, slowest, unknown_in_unknown, limit, late_and_known};
    return RUN_TESTS("labels", tests);
}
