/*
 * Which timers are the same: rules of kinds, names and bare functions, and definitions that change.
 */
#include "base/text/text.h"
#include "judge/timer_key.h"
#include "run.h"

#include <string.h>

static struct tk_str text(const char *s)
{
    return (struct tk_str){.p = s, .n = (uint32_t)strlen(s), .enc = TK_ENC_UTF8};
}

static void add(struct tk_timer_keys *k, uint32_t id, uint8_t kind, const char *name, const char *file,
                bool is_function)
{
    const struct tk_str n = text(name), f = text(file);
    const struct tk_fact_timer timer = {
        .id = id, .kind = kind, .name = &n, .file = &f, .is_function = is_function};
    ck_assert_int_eq(tk_timer_keys_add(k, &timer), 0);
}

START_TEST(names)
{
    struct tk_timer_keys k = {0};
    add(&k, 0, TK_TIMER_SPEC, "Update", "npc.cpp", false);
    add(&k, 1, TK_TIMER_SPEC, "Update", "door.cpp", false);
    add(&k, 2, TK_TIMER_METADATA, "Update", "", false);
    add(&k, 3, TK_TIMER_GPU, "Update", "", false);
    add(&k, 4, TK_TIMER_GPU_WAIT, "Update", "", false);
    add(&k, 5, TK_TIMER_SPEC, "update", "npc.cpp", false);
    static const uint32_t wanted[] = {0, 0, 0, 3, 4, 5};
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_uint_eq(tk_timer_keys_of(&k, i), wanted[i]);
    ck_assert_uint_eq(k.merged, 2);
    ck_assert_uint_eq(tk_timer_keys_of(&k, 77), 77);
    tk_timer_keys_release(&k);
}
END_TEST

/* Functions that are a bare word are apart by the file, without its folders. */
START_TEST(bare_functions)
{
    struct tk_timer_keys k = {0};
    add(&k, 0, TK_TIMER_ZONE, "update", "a/npc.cpp", true);
    add(&k, 1, TK_TIMER_ZONE, "update", "door.cpp", true);
    add(&k, 2, TK_TIMER_ZONE, "update", "b/npc.cpp", true);
    add(&k, 3, TK_TIMER_ZONE, "Npc::update", "npc.cpp", true);
    add(&k, 4, TK_TIMER_ZONE, "Npc::update", "door.cpp", true);
    add(&k, 5, TK_TIMER_ZONE, "operator()", "npc.cpp", true);
    add(&k, 6, TK_TIMER_ZONE, "operator()", "door.cpp", true);
    add(&k, 7, TK_TIMER_ZONE, "named", "npc.cpp", false);
    add(&k, 8, TK_TIMER_ZONE, "named", "door.cpp", false);
    static const uint32_t wanted[] = {0, 1, 0, 3, 3, 5, 6, 7, 7};
    for (uint32_t i = 0; i < 9; i++)
        ck_assert_uint_eq(tk_timer_keys_of(&k, i), wanted[i]);
    tk_timer_keys_release(&k);
}
END_TEST

/* The first of a name gets another one: those that were the same as it are so among themselves. */
START_TEST(defined_again)
{
    struct tk_timer_keys k = {0};
    add(&k, 2, TK_TIMER_SPEC, "A", "", false);
    add(&k, 0, TK_TIMER_SPEC, "A", "", false);
    add(&k, 1, TK_TIMER_SPEC, "A", "", false);
    ck_assert_uint_eq(tk_timer_keys_of(&k, 0), 2);
    ck_assert_uint_eq(k.merged, 2);
    add(&k, 2, TK_TIMER_SPEC, "B", "", false);
    ck_assert_uint_eq(tk_timer_keys_of(&k, 2), 2);
    ck_assert_uint_eq(tk_timer_keys_of(&k, 0), tk_timer_keys_of(&k, 1));
    ck_assert_uint_ne(tk_timer_keys_of(&k, 0), 2);
    ck_assert_uint_eq(k.merged, 1);
    add(&k, 1, TK_TIMER_SPEC, "B", "", false);
    ck_assert_uint_eq(tk_timer_keys_of(&k, 1), 2);
    ck_assert_uint_eq(tk_timer_keys_of(&k, 0), 0);
    ck_assert_uint_eq(k.merged, 1);
    tk_timer_keys_release(&k);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {names, bare_functions, defined_again};
    return RUN_TESTS("timer_key", tests);
}
