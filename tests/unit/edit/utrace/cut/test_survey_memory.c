/*
 * Steps of memory around a window, worked out by hand: which of them stay, and when a walk of their own is
 * needed.
 */
#include "edit/utrace/cut/survey.h"
#include "format/utrace/wire/index.h"
#include "run.h"

#include <stdlib.h>

enum { FROM = 100, TO = 200, ALLOC = 0, FREE, MOVE, MARKER, TYPES };

static const struct tk_ut_field address = {.size = 8, .info = 3, .readable = true};
static const struct tk_ut_field heap = {.offset = 8, .size = 1, .readable = true};
static struct tk_ut_type types[TYPES];
static struct tk_edit_survey s;

static void open_survey(void)
{
    s = (struct tk_edit_survey){.window = {FROM, TO, 0}, .n = TYPES};
    s.first_marker = s.end_marker = s.recent_from = UINT64_MAX;
    s.rules = calloc(TYPES, sizeof *s.rules);
    s.last_steps = calloc(TYPES, sizeof *s.last_steps);
    s.starts = calloc(TK_UT_TIDS, sizeof *s.starts);
    s.ends = calloc(TK_UT_TIDS, sizeof *s.ends);
    ck_assert(s.rules && s.last_steps && s.starts && s.ends);
    s.rules[ALLOC] =
        (struct tk_edit_cut_rule){.kind = TK_CUT_ALLOCATION, .key = &address, .step = TK_STEP_ALLOCATES};
    s.rules[FREE] =
        (struct tk_edit_cut_rule){.kind = TK_CUT_ALLOCATION, .key = &address, .step = TK_STEP_FREES};
    s.rules[MOVE] =
        (struct tk_edit_cut_rule){.kind = TK_CUT_ALLOCATION, .key = &address, .step = TK_STEP_MOVES};
    s.rules[MARKER].kind = TK_CUT_MARKER;
    for (uint32_t i = 0; i < TYPES; i++)
        types[i].id = i;
}

static void close_survey(void)
{
    tk_edit_survey_release(&s);
}

struct step {
    int type;
    uint64_t number, address; /* of a marker its time */
    uint8_t root;
};

static void see(const struct step *step, bool apart)
{
    uint8_t bytes[9] = {[8] = step->root};
    const struct tk_ut_event ev = {.type = &types[step->type], .fixed = bytes, .n_fixed = sizeof bytes};
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(step->address >> 8 * i);
    if (!apart)
        must(tk_edit_survey_see(&s, &ev, step->number, (int64_t)step->address) == TK_OK);
    else if (step->type != MARKER)
        must(tk_edit_survey_memory(&s, &ev, step->number) == TK_OK);
}

static void see_all(const struct step *v, size_t n, bool apart)
{
    for (size_t i = 0; i < n; i++)
        see(&v[i], apart);
}

static bool stays(uint64_t number)
{
    return tk_id_set_has(&s.steps, number);
}

/* 0xa is alive when the window begins, 0xb is not; 0xc is freed behind it, where 0xd is allocated. A thread's
 * steps stand in front of the marker of another that has a lower number. */
static const struct step around[] = {{MARKER, 10, 0, 0},   {ALLOC, 11, 0xa, 0}, {ALLOC, 12, 0xb, 0},
                                     {ALLOC, 22, 0xc, 0},  {FREE, 13, 0xb, 0},  {MARKER, 20, 100, 0},
                                     {ALLOC, 24, 0xe, 0},  {FREE, 25, 0xe, 0},  {FREE, 31, 0xc, 0},
                                     {MARKER, 30, 200, 0}, {ALLOC, 33, 0xd, 0}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void expect_around(void)
{
    ck_assert_int_eq(tk_edit_survey_memory_close(&s), TK_OK);
    for (uint64_t i = 0; i < 40; i++)
        ck_assert_msg(stays(i) == (i == 11 || i == 31 || i == 33), "%u", (unsigned)i);
    ck_assert_uint_eq(s.recent_from, 11);
}

START_TEST(in_one_walk)
{
    see_all(around, COUNT(around), false);
    ck_assert_int_eq(tk_edit_survey_close(&s), TK_OK);
    ck_assert(s.memory && !s.memory_apart);
    expect_around();
}
END_TEST

/* A marker says late that the window began earlier: 0x15 was taken for one before it. */
START_TEST(markers_out_of_order)
{
    static const struct step late[] = {
        {MARKER, 20, 100, 0}, {ALLOC, 15, 0xf, 0}, {ALLOC, 40, 0xf1, 0}, {MARKER, 14, 100, 0}};
    see_all(around, COUNT(around), false);
    for (unsigned i = 0; i < 2000; i++)
        see(&(struct step){ALLOC, 16, 0xf, 0}, false);
    see_all(late, COUNT(late), false);
    ck_assert_int_eq(tk_edit_survey_close(&s), TK_OK);
    ck_assert(s.memory && s.memory_apart);
    see_all(around, COUNT(around), true);
    see_all(late, COUNT(late), true);
    ck_assert_int_eq(tk_edit_survey_memory_close(&s), TK_OK);
    for (uint64_t i = 0; i < 30; i++)
        ck_assert_msg(stays(i) == (i == 11), "%u", (unsigned)i);
    ck_assert_uint_eq(s.recent_from, 11);
}
END_TEST

/* Without markers nobody knows where steps are: no more wait for one than there is space for. */
START_TEST(no_markers)
{
    enum { MANY = 100000 };
    for (uint64_t i = 1; i <= MANY; i++)
        see(&(struct step){ALLOC, i, i, 0}, false);
    ck_assert(s.memory_apart);
    ck_assert_int_eq(tk_edit_survey_close(&s), TK_OK);
    ck_assert_uint_eq(s.block.n, 0);
    for (uint64_t i = 1; i <= MANY; i++)
        see(&(struct step){ALLOC, i, i, 0}, true);
    ck_assert_int_eq(tk_edit_survey_memory_close(&s), TK_OK);
    ck_assert(stays(1) && stays(MANY));
}
END_TEST

/* Of addresses that differ in their highest bit, or are in other heaps, each is a block of its own. */
START_TEST(alike)
{
    static const uint64_t high = UINT64_C(1) << 63;
    const struct step steps[] = {{ALLOC, 11, 0xa, 0}, {ALLOC, 12, high + 0xa, 0}, {ALLOC, 13, 0xa, 1},
                                 {ALLOC, 14, 0xa, 2}, {ALLOC, 15, 0xa, 255},      {FREE, 16, 0xa, 2},
                                 {MOVE, 17, 0xb, 2},  {ALLOC, 18, 0xb, 1},        {FREE, 19, 0xb, 1}};
    const struct step markers[] = {{MARKER, 10000, 100, 0}, {MARKER, 10010, 200, 0}};
    s.rules[ALLOC].heap = s.rules[FREE].heap = &heap;
    see_all(steps, COUNT(steps), false);
    for (unsigned i = 0; i < 9000; i++)
        see(&(struct step){i % 2 ? FREE : ALLOC, 20 + i, 0xf, 0}, false);
    see_all(markers, COUNT(markers), false);
    ck_assert_int_eq(tk_edit_survey_close(&s), TK_OK);
    ck_assert(!s.memory_apart);
    ck_assert_int_eq(tk_edit_survey_memory_close(&s), TK_OK);
    for (uint64_t i = 0; i < 30; i++)
        ck_assert_msg(stays(i) == (i == 11 || i == 12 || i == 13 || i == 15), "%u", (unsigned)i);
    const uint8_t bytes[9] = {0xb};
    const struct tk_ut_event moved = {.type = &types[FREE], .fixed = bytes, .n_fixed = sizeof bytes};
    ck_assert(tk_edit_survey_step(&s, &moved, 19) && tk_edit_survey_step(&s, &moved, 18));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {in_one_walk, markers_out_of_order, no_markers, alike};
    return RUN_TESTS_AROUND("memory around a window", tests, open_survey, close_survey);
}
