/*
 * Protocols: numbers and sizes of events as tracy-live 5 says, questions as in tracy-live 8.
 */
#include "format/tracy/file/version.h"
#include "live/tracy/state/protocol.h"
#include "run.h"

#include <string.h>

static const struct tk_tl_type *type_of(const struct tk_tl_protocol *p, enum tk_tl_event event,
                                        unsigned *number)
{
    for (*number = 0; *number < 256; ++*number)
        if (p->types[*number].form != TK_TL_UNKNOWN && p->types[*number].event == event)
            return &p->types[*number];
    return NULL;
}

START_TEST(has_every_number_once)
{
    static const struct {
        unsigned protocol, types;
    } of[] = {{63, 110}, {64, 111}, {66, 112}, {69, 113}, {74, 115}, {76, 117}, {82, 132}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct tk_tl_protocol p;
        ck_assert(tk_tl_protocol_set(&p, of[i].protocol));
        for (unsigned n = 0; n < 256; n++)
            ck_assert_int_eq(p.types[n].form != TK_TL_UNKNOWN, n < of[i].types);
    }
}
END_TEST

START_TEST(has_sizes)
{
    static const struct {
        unsigned protocol, number, size;
        enum tk_tl_event event;
    } of[] = {{63, 15, 16, TK_TL_zone_begin},
              {82, 19, 16, TK_TL_zone_begin},
              {82, 20, 12, TK_TL_zone_begin_32},
              {82, 21, 10, TK_TL_zone_begin_16},
              {82, 25, 8, TK_TL_zone_end},
              {76, 2, 8, TK_TL_message},
              {82, 2, 9, TK_TL_message},
              {69, 46, 19, TK_TL_context_switch},
              {74, 48, 22, TK_TL_context_switch},
              {66, 55, 20, TK_TL_fiber_enter},
              {69, 55, 24, TK_TL_fiber_enter},
              {66, 95, 12, TK_TL_cpu_topology},
              {69, 95, 16, TK_TL_cpu_topology},
              {82, 87, 31, TK_TL_source_location},
              {82, 12, 12, TK_TL_callstack_sample},
              {82, 14, 6, TK_TL_callstack_sample_16}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct tk_tl_protocol p;
        unsigned number;
        ck_assert(tk_tl_protocol_set(&p, of[i].protocol));
        const struct tk_tl_type *t = type_of(&p, of[i].event, &number);
        ck_assert_ptr_nonnull(t);
        ck_assert_uint_eq(number, of[i].number);
        ck_assert_uint_eq(t->size, of[i].size);
    }
}
END_TEST

START_TEST(refuses_others)
{
    static const unsigned others[] = {0, 57, 62, 65, 75, 77, 78, 79, 80, 81, 83, 4000000000u};
    struct tk_tl_protocol p;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert(!tk_tl_protocol_set(&p, others[i]));
        ck_assert_ptr_null(tk_tl_releases(others[i]));
    }
}
END_TEST

START_TEST(names_oldest_release)
{
    struct tk_tl_protocol p;
    ck_assert(tk_tl_protocol_set(&p, 74));
    ck_assert_uint_eq(p.file_version, TK_TRACY_V(0, 12, 0));
    ck_assert_str_eq(tk_tl_releases(74), "0.12.0 to 0.12.2");
}
END_TEST

START_TEST(numbers_questions)
{
    static const struct {
        enum tk_tl_question question;
        unsigned before66, since66;
    } of[] = {{TK_TL_ASK_STRING, 1, 1},     {TK_TL_ASK_FIBER, 7, 7},       {TK_TL_ASK_EXTERNAL, 10, 8},
              {TK_TL_ASK_DISCONNECT, 8, 9}, {TK_TL_ASK_CODE_FRAME, 9, 10}, {TK_TL_ASK_SYMBOL, 11, 11},
              {TK_TL_ASK_DATA_PART, 15, 15}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct tk_tl_protocol p;
        uint8_t out[TK_TL_QUESTION_BYTES];
        static const uint8_t rest[] = {8, 7, 6, 5, 4, 3, 2, 1, 0x0d, 0x0c, 0x0b, 0x0a};
        tk_tl_protocol_set(&p, 64);
        tk_tl_question_put(&p, out, of[i].question, 0x0102030405060708u, 0x0a0b0c0du);
        ck_assert_uint_eq(out[0], of[i].before66);
        ck_assert_mem_eq(out + 1, rest, sizeof rest);
        tk_tl_protocol_set(&p, 66);
        tk_tl_question_put(&p, out, of[i].question, 1, 0);
        ck_assert_uint_eq(out[0], of[i].since66);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {has_every_number_once, has_sizes, refuses_others, names_oldest_release,
                                  numbers_questions};
    return RUN_TESTS("protocol", tests);
}
