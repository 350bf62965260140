/*
 * Values of single zones as csvexport prints them: a zone without a text repeats the text that was printed
 * last of its source location. What was printed is worked out by hand: zones without an end, or of no time,
 * have no row, and so is their text never the last one, also not for zones inside of them.
 */
#include "run.h"
#include "tracekit.h"
#include "tracy_writer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { S_ONE, S_TWO, S_FILE, S_FIRST, S_NEVER, S_OWN, S_ZERO, S_BOTH, STRINGS };

static const char *const strings[STRINGS] = {"one",   "two",   "f.cpp", "first",
                                             "never", "inner", "zero",  "both"};
static const struct tk_tw_location places[] = {{S_ONE, S_ONE, S_FILE, 1, 0}, {S_TWO, S_TWO, S_FILE, 2, 0}};
/* from number 1 on */
static const struct tk_tw_extra texts[] = {
    {0, S_FIRST, -1, 0}, {0, S_NEVER, -1, 0}, {0, S_OWN, -1, 0}, {0, S_ZERO, -1, 0}, {0, S_BOTH, -1, 0}};

/* location, depth, text, start, end */
static const struct tk_tw_zone zones[] = {
    {1, 0, 1, 10, 15},   {1, 0, 2, 18, -1},  {1, 1, 0, 20, 30},   {1, 1, 3, 32, 40},
    {1, 1, 0, 42, 50},   {1, 0, 0, 60, 70},  {1, 0, 4, 80, 80},   {1, 0, 0, 90, 95},
    {2, 0, 0, 100, 110}, {1, 0, 5, 120, -1}, {1, 1, 5, 130, 135}, {1, 0, 0, 140, 150},
};

static const char wanted[] = "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n"
                             "one,f.cpp,1,10,5,1,first\n"
                             "one,f.cpp,1,20,10,1,first\n"
                             "one,f.cpp,1,32,8,1,inner\n"
                             "one,f.cpp,1,42,8,1,inner\n"
                             "one,f.cpp,1,60,10,1,inner\n"
                             "one,f.cpp,1,90,5,1,inner\n"
                             "two,f.cpp,2,100,10,1,\n"
                             "one,f.cpp,1,130,5,1,both\n"
                             "one,f.cpp,1,140,10,1,both\n";

static void read_file(const char *path, char *out, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    out[fread(out, 1, capacity - 1, file)] = 0;
    fclose(file);
}

START_TEST(what_was_printed_last)
{
    char path[] = "/tmp/tracekit-unit-XXXXXX", got[2048];
    const struct tk_tw_thread thread = {
        .tid = 100, .name = -1, .zones = zones, .n = sizeof zones / sizeof *zones};
    const struct tk_tw_trace trace = {.last_time = 1000,
                                      .crash_message = -1,
                                      .strings = strings,
                                      .n_strings = STRINGS,
                                      .locations = places,
                                      .n_locations = 2,
                                      .extras = texts,
                                      .n_extras = 5,
                                      .threads = &thread,
                                      .n_threads = 1};
    struct tk_export_options options = TK_INIT(struct tk_export_options);
    struct tk_export_zones unwrap = TK_INIT(struct tk_export_zones);
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_trace *opened = NULL;
    struct tk_err err = {0};
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(tk_tw_write(&(struct tk_tw_options){.path = path, .version = TK_TW_V(0, 14, 0)}, &trace),
                     0);
    ck_assert_int_eq(tk_open(&opened, path, NULL, &err), TK_OK);
    unwrap.unwrap = unwrap.raw = true;
    options.preset = "tracy";
    options.path = path;
    options.force = true;
    options.zones = &unwrap;
    ck_assert_msg(tk_export_run(opened, &query, &options, &err) == TK_OK, "%s", err.text[0]);
    tk_close(opened);
    read_file(path, got, sizeof got);
    unlink(path);
    ck_assert_str_eq(got, wanted);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_was_printed_last};
    return RUN_TESTS("zone texts", tests);
}
