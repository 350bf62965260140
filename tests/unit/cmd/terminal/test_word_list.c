/* Patterns of files among operands, in a folder of names that are known. */
#include "os/path.h"
#include "os/process.h"
#include "run.h"
#include "terminal/message.h"

#include <stdio.h>
#include <string.h>

static char dir[256];

static const char *in_dir(const char *name)
{
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    return path;
}

static void begin(void)
{
    static const char *const names[] = {"b2.csv", "B1.csv", "a.csv", ".hidden.csv", "a.txt"};
    struct tk_os_file *f;
    snprintf(dir, sizeof dir, "%s/tracekit-patterns-%llu", tk_os_temporary_folder(),
             (unsigned long long)tk_os_process_id());
    ck_assert_int_eq(tk_os_folder_make(dir).error, TK_OS_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_int_eq(tk_os_file_create(&f, in_dir(names[i])).error, TK_OS_OK);
        tk_os_file_close(f);
    }
}

static void end(void)
{
    tk_os_folder_clear(dir);
    tk_os_folder_remove(dir);
}

static struct tk_opt_list list_of(const char *const *words, size_t n)
{
    struct tk_opt_list list = {0};
    for (size_t i = 0; i < n; i++)
        ck_assert(tk_opt_list_add(&list, words[i], strlen(words[i])));
    return list;
}

START_TEST(names_come_in_the_order_of_their_bytes)
{
    char message[TK_OPT_MESSAGE];
    struct tk_opt_list list =
        list_of((const char *[]){in_dir("*.CSV"), in_dir("a.txt"), in_dir("b?.csv")}, 3);
    ck_assert(tk_patterns_expand(&list, 2, false, message));
    ck_assert_uint_eq(list.n, 5);
    ck_assert_str_eq(list.v[0], in_dir("B1.csv"));
    ck_assert_str_eq(list.v[1], in_dir("a.csv"));
    ck_assert_str_eq(list.v[2], in_dir("b2.csv"));
    ck_assert_str_eq(list.v[3], in_dir("a.txt"));
    ck_assert_str_eq(list.v[4], in_dir("b?.csv")); /* the third one is no capture */
    tk_opt_list_release(&list);
}
END_TEST

START_TEST(what_matches_nothing)
{
    char message[TK_OPT_MESSAGE] = "";
    struct tk_opt_list list = list_of((const char *[]){"none*.csv"}, 1);
    ck_assert(!tk_patterns_expand(&list, 1, false, message));
    ck_assert_str_eq(message, "'none*.csv' matches no file");
    ck_assert(tk_patterns_expand(&list, 1, true, message));
    ck_assert_uint_eq(list.n, 1);
    ck_assert_str_eq(list.v[0], "none*.csv");
    tk_opt_list_release(&list);
    list = list_of((const char *[]){in_dir("no*/a.csv"), in_dir(".*")}, 2);
    ck_assert(tk_patterns_expand(&list, 2, false, message)); /* only the last part is a pattern */
    ck_assert_uint_eq(list.n, 2);
    ck_assert_str_eq(list.v[1], in_dir(".hidden.csv"));
    tk_opt_list_release(&list);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {names_come_in_the_order_of_their_bytes, what_matches_nothing};
    return RUN_TESTS_AROUND("cmd terminal patterns", tests, begin, end);
}
