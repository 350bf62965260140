/*
 * Tests of paths of source files: joined, absolute ones of all systems, "." and "..".
 */
#include "run.h"
#include "symbols/files/symbol_file.h"

#include <stdio.h>
#include <string.h>

static const char *joined(const char *a, const char *b)
{
    static char text[4200];
    struct tk_sym_path path = {.n = 0};
    tk_sym_path_add(&path, (struct tk_bytes){(const uint8_t *)a, strlen(a)});
    tk_sym_path_add(&path, (struct tk_bytes){(const uint8_t *)b, strlen(b)});
    snprintf(text, sizeof text, "%.*s", (int)path.n, path.text);
    return text;
}

START_TEST(parts_are_joined)
{
    ck_assert_str_eq(joined("/forge/src", "mix.h"), "/forge/src/mix.h");
    ck_assert_str_eq(joined("/forge/src/", "./mix.h"), "/forge/src/mix.h");
    ck_assert_str_eq(joined("/forge/src", "../include/mix.h"), "/forge/include/mix.h");
    ck_assert_str_eq(joined("/forge", "/usr/include/a.h"), "/usr/include/a.h");
    ck_assert_str_eq(joined("D:\\forge", "C:\\sdk\\a.h"), "C:/sdk/a.h");
    ck_assert_str_eq(joined("D:\\forge", "src\\a.h"), "D:/forge/src/a.h");
    ck_assert_str_eq(joined("", "a.c"), "a.c");
    ck_assert_str_eq(joined("..", "../a.c"), "../../a.c");
    ck_assert_str_eq(joined("/", "../a.c"), "/a.c");
}
END_TEST

START_TEST(long_ones_are_cut)
{
    char name[5000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    ck_assert_str_eq(joined("/forge", name), "/forge");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {parts_are_joined, long_ones_are_cut};
    return RUN_TESTS("source path", tests);
}
