/* Versions: those of the headers that this was built with. */
#include "run.h"
#include "tracekit.h"

#include <lz4.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

START_TEST(versions_are_reported)
{
    char want[32];
    snprintf(want, sizeof want, "%d.%d.%d", TK_VERSION_MAJOR, TK_VERSION_MINOR, TK_VERSION_PATCH);
    ck_assert_str_eq(tk_version(), want);
    ck_assert_str_eq(TK_VERSION, want);
    ck_assert_uint_eq(tk_version_number(), TK_VERSION_NUMBER);
    ck_assert_int_eq(TK_VERSION_NUMBER / 1000000, TK_VERSION_MAJOR);
    ck_assert_int_eq(TK_VERSION_NUMBER / 1000 % 1000, TK_VERSION_MINOR);
    ck_assert_int_eq(TK_VERSION_NUMBER % 1000, TK_VERSION_PATCH);
    const char *text = tk_version_libraries();
    ck_assert_ptr_nonnull(strstr(text, "lz4 " LZ4_VERSION_STRING));
    ck_assert_ptr_nonnull(strstr(text, "zstd " ZSTD_VERSION_STRING));
    ck_assert_ptr_nonnull(strstr(text, "zlib " ZLIB_VERSION));
    ck_assert_ptr_nonnull(strstr(text, "sqlite " SQLITE_VERSION));
    ck_assert_ptr_eq(tk_version_libraries(), text);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {versions_are_reported};
    return RUN_TESTS("version", tests);
}
