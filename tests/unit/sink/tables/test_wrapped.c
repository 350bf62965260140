/*
 * Texts that people read, on terminals of 80, 120 and 200 columns: whole, in lines of their own where they
 * are long, and ids go before anything else is cut.
 */
#include "base/text/text.h"
#include "sink/tables/tables_in.h"
#include "sink/written.h"

static const char message[] = "Failed to stream /Game/Maps/Arena_Main because the package that it refers to, "
                              "/Game/Assets/Characters/Goblin_Chief, is not in any container of this build.";
static const char name[] = "FStreamableManager::RequestAsyncLoad";

static const struct tk_column columns[] = {
    {"time", TK_UINT, 0, NULL, NULL},     {"thread_id", TK_UINT, 0, NULL, NULL},
    {"category", TK_TEXT, 0, NULL, NULL}, {"line", TK_UINT, 0, NULL, NULL},
    {"text", TK_TEXT, 0, NULL, NULL},     {"count", TK_UINT, 0, NULL, NULL},
};
static const struct tk_table logs = {.name = "logs", .columns = columns, .n_columns = 6};

static const char *page(size_t width)
{
    const struct tk_cell cells[] = {natural(TK_UINT, 123456789), natural(TK_UINT, 4242), text(name),
                                    natural(TK_UINT, 1234),      text(message),          natural(TK_UINT, 7),
                                    natural(TK_UINT, 123456790), natural(TK_UINT, 4242), text(name),
                                    natural(TK_UINT, 1235),      text("short"),          natural(TK_UINT, 8)};
    const struct tk_writer_options opt = {
        .size = sizeof opt, .width = (unsigned)width, .fit = true, .plain_ascii = true};
    return written("table", &opt, &logs, cells, 2);
}

/* The words of a text in the column that begins at `at`, one line below the other, up to the next row. */
static void collect(const char *lines, size_t at, char *out)
{
    for (const char *line = lines; *line; line = strchr(line, '\n') + 1) {
        const size_t n = strcspn(line, "\n");
        if (line != lines && n && *line != ' ') /* the next row: its number stands at the left */
            break;
        for (size_t i = at; i < n && !(line[i] == ' ' && line[i + 1 < n ? i + 1 : i] == ' '); i++)
            if (line[i] != ' ')
                *out++ = line[i];
    }
    *out = 0;
}

static void without_blanks(const char *s, char *out)
{
    for (; *s; s++)
        if (*s != ' ')
            *out++ = *s;
    *out = 0;
}

START_TEST(nothing_is_cut)
{
    static const size_t widths[] = {80, 120, 200};
    for (size_t i = 0; i < 3; i++) {
        char got[512], want[512];
        const char *all = page(widths[i]), *head = strchr(all, '\n') + 1, *rows = strchr(head, '\n') + 1;
        const char *column = strstr(head, "text");
        ck_assert(column && column < rows);
        collect(rows, (size_t)(column - head), got);
        without_blanks(message, want);
        ck_assert_msg(strcmp(got, want) == 0, "%zu columns:\n%s", widths[i], all);
        ck_assert_msg((strstr(all, name) != NULL) == (widths[i] > 80), "%zu columns:\n%s", widths[i], all);
        for (const char *line = all; *line; line = strchr(line, '\n') + 1)
            ck_assert_msg(tk_utf8_width(line, strcspn(line, "\n")) <= widths[i], "%zu columns:\n%s",
                          widths[i], all);
    }
}
END_TEST

/* 9 + 9 + 36 + 4 + 154 + 5 and 10 blanks are 227: ids go at all three widths. At 80 columns the last one
 * goes, too, as a third of the line for the name is 26, and 9 + 26 + 40 + 5 and 6 blanks are 86; the name is
 * cut, in its middle. At 120 it is whole. */
START_TEST(ids_go_first)
{
    static const size_t widths[] = {80, 120, 200};
    for (size_t i = 0; i < 3; i++) {
        const char *all = page(widths[i]), *left_out = strstr(all, "(not shown at this width:");
        ck_assert_ptr_nonnull(left_out);
        ck_assert(strstr(left_out, "thread_id") && strstr(left_out, "line"));
        ck_assert_ptr_null(strstr(left_out, "text"));
        ck_assert_ptr_null(strstr(left_out, "category"));
        ck_assert_ptr_null(strstr(left_out, "time"));
        ck_assert((strstr(left_out, "count") != NULL) == (widths[i] == 80));
    }
}
END_TEST

static const struct tk_column hitch_columns[] = {
    {"frame", TK_UINT, 0, NULL, NULL},  {"rank", TK_UINT, 0, NULL, NULL},  {"timer", TK_TEXT, 0, NULL, NULL},
    {"growth", TK_UINT, 0, NULL, NULL}, {"cause", TK_TEXT, 0, NULL, NULL},
};
static const struct tk_table hitches = {.name = "hitches", .columns = hitch_columns, .n_columns = 5};

static const char *hitch_page(size_t width)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    const struct tk_cell cells[] = {
        natural(TK_UINT, 350), natural(TK_UINT, 1), text(name),    natural(TK_UINT, 60), text(message),
        natural(TK_UINT, 350), natural(TK_UINT, 2), text("Short"), natural(TK_UINT, 1),  none};
    const struct tk_writer_options opt = {
        .size = sizeof opt, .width = (unsigned)width, .fit = true, .plain_ascii = true};
    return written("table", &opt, &hitches, cells, 2);
}

/* 5 + 4 + 36 + 6 + 154 and 8 blanks are 213; without the cause they are 57. Below "timer" are 13 blanks and
 * 67 columns. */
START_TEST(causes_go_below)
{
    ck_assert_str_eq(hitch_page(80),
                     "hitches\n"
                     "frame  rank  timer                                 growth\n"
                     "             cause\n"
                     "  350     1  FStreamableManager::RequestAsyncLoad      60\n"
                     "             Failed to stream /Game/Maps/Arena_Main because the package that it\n"
                     "             refers to, /Game/Assets/Characters/Goblin_Chief, is not in any\n"
                     "             container of this build.\n"
                     "  350     2  Short                                      1\n");
    const char *narrow = hitch_page(44); /* too narrow for 40 columns below the name */
    ck_assert_ptr_nonnull(strstr(narrow, "\n  cause\n"));
    ck_assert_ptr_nonnull(strstr(narrow, "\n  Failed to stream "));
    const char *wide = hitch_page(213);
    ck_assert_ptr_nonnull(strstr(wide, "growth  cause\n"));
    ck_assert_ptr_nonnull(strstr(wide, "    60  Failed to stream"));
}
END_TEST

static const struct tk_column message_columns[] = {
    {"time", TK_TIME, 0, NULL, NULL},
    {"category", TK_TEXT, 0, NULL, NULL},
    {"verbosity", TK_TEXT, 0, NULL, NULL},
    {"text", TK_TEXT, 0, NULL, NULL},
};
static const struct tk_table messages = {.name = "logs", .columns = message_columns, .n_columns = 4};

/* 12 + 24 + 11 + 40 and 6 blanks are 93. With a name of 16 and a text of 35 they are 80; the text has 32 at
 * 77, and in less there is no time. */
START_TEST(times_stay_alongside_texts)
{
    const struct tk_cell cells[] = {{.kind = TK_TIME, .v.i = 104410123456},
                                    text("LogBlueprintUserMessages"),
                                    text("VeryVerbose"),
                                    text(message)};
    for (unsigned width = 120; width >= 70; width--) {
        const struct tk_writer_options opt = {
            .size = sizeof opt, .width = width, .fit = true, .plain_ascii = true};
        const char *all = written("table", &opt, &messages, cells, 1);
        ck_assert_msg((strstr(all, "104.410123 s") != NULL) == (width >= 77), "%u columns:\n%s", width, all);
        ck_assert_msg(strstr(all, "VeryVerbose") != NULL, "%u columns:\n%s", width, all);
        for (const char *line = all; *line; line = strchr(line, '\n') + 1)
            ck_assert_msg(tk_utf8_width(line, strcspn(line, "\n")) <= width, "%u columns:\n%s", width, all);
    }
}
END_TEST

/* Without a width, as in a pipe, a row is a line. */
START_TEST(in_a_pipe)
{
    const char *all = page(0);
    ck_assert_ptr_nonnull(strstr(all, message));
}
END_TEST

START_TEST(units_stay_with_their_numbers)
{
    static const struct {
        const char *text, *lines; /* in lines of 16 */
    } cases[] = {
        {"wait 123456 320 us", "wait 123456 \n320 us"},
        {"waits about 63.9 %", "waits about \n63.9 %"},
        {"it has 1234567 units", "it has 1234567 \nunits"},
        {"1234567890123 us 5", "1234567890123 us\n5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tk_buffer b = {0};
        tk_layout_wrap(&b, 0, 16, cases[i].text, strlen(cases[i].text));
        char got[64], want[64];
        snprintf(got, sizeof got, "%.*s", (int)b.n, (const char *)b.p);
        snprintf(want, sizeof want, "%s", cases[i].lines);
        char *blank = strstr(want, " \n"); /* blanks at the end of a line are not put */
        if (blank)
            memmove(blank, blank + 1, strlen(blank));
        ck_assert_str_eq(got, want);
        tk_buffer_release(&b);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {nothing_is_cut, ids_go_first,    units_stay_with_their_numbers,
                                  in_a_pipe,      causes_go_below, times_stay_alongside_texts};
    return RUN_TESTS("wrapped", tests);
}
