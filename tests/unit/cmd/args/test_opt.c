/* Tests of cmd/args/opt.h: long and short options, values, lists, operands, wrong usage, help. */
#include "args/opt.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

struct first {
    bool all, quiet;
    const char *name, *report;
};

struct args {
    struct tk_opt_list patterns, words, rest;
    uint64_t jobs;
    struct first first;
};

static const struct tk_opt first_options[] = {
    {'a', "all", TK_OPT_FLAG, offsetof(struct first, all), NULL, "everything"},
    {'q', "quiet", TK_OPT_FLAG, offsetof(struct first, quiet), NULL, "no messages"},
    {'o', "output", TK_OPT_TEXT, offsetof(struct first, name), "FILE", "where to"},
    {0, "report", TK_OPT_MAYBE, offsetof(struct first, report), "FILE", "a report"},
};

static const struct tk_opt other_options[] = {
    {'p', "pattern", TK_OPT_LIST, offsetof(struct args, patterns), "GLOB", "what matches"},
    {0, "columns", TK_OPT_WORDS, offsetof(struct args, words), "A,B", "which"},
    {'j', "jobs", TK_OPT_NUMBER, offsetof(struct args, jobs), "N", "threads"},
    {0, "vs", TK_OPT_REST, offsetof(struct args, rest), NULL, NULL},
    {0, "list-options", TK_OPT_FLAG, offsetof(struct args, first.all), NULL, NULL},
};

static const struct tk_opt_group groups[] = {{"First", first_options, 4, offsetof(struct args, first)},
                                             {"Others", other_options, 5, 0}};

static struct args args;
static struct tk_opt_set set = {groups, 2, &args};
static struct tk_opt_list operands;
static char message[TK_OPT_MESSAGE];

/* Parses words with blanks between them; the result of the last call is forgotten. */
static bool parse(const char *line)
{
    static char text[256];
    static char *argv[32];
    int argc = 1;
    tk_opt_release(&set);
    tk_opt_list_release(&operands);
    args = (struct args){0};
    message[0] = 0;
    snprintf(text, sizeof text, "%s", line);
    argv[0] = "program";
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return tk_opt_parse(&set, argc, argv, &operands, message);
}

START_TEST(long_options)
{
    ck_assert(parse("--all --output=a.csv --jobs 12 capture"));
    ck_assert(args.first.all && !args.first.quiet);
    ck_assert_str_eq(args.first.name, "a.csv");
    ck_assert_uint_eq(args.jobs, 12);
    ck_assert_uint_eq(operands.n, 1);
    ck_assert_str_eq(operands.v[0], "capture");
    ck_assert(parse("--output b=c.csv"));
    ck_assert_str_eq(args.first.name, "b=c.csv");
    ck_assert(parse("--output="));
    ck_assert_str_eq(args.first.name, "");
    ck_assert(parse("--output --al"));
    ck_assert_str_eq(args.first.name, "--al");
}
END_TEST

START_TEST(short_options)
{
    ck_assert(parse("-aq -o x -j4"));
    ck_assert(args.first.all && args.first.quiet);
    ck_assert_str_eq(args.first.name, "x");
    ck_assert_uint_eq(args.jobs, 4);
    ck_assert(parse("-aofile y"));
    ck_assert_str_eq(args.first.name, "file");
    ck_assert_str_eq(operands.v[0], "y");
    ck_assert(!parse("-az"));
    ck_assert_str_eq(message, "unknown option '-z'");
    ck_assert(!parse("-o"));
    ck_assert_str_eq(message, "option '--output' needs a value (FILE)");
}
END_TEST

/* The name of an option is no value of the one before it, unless it is joined to that. */
START_TEST(forgotten_value)
{
    ck_assert(!parse("--output --all"));
    ck_assert_str_eq(message, "option '--output' needs a value (FILE)");
    ck_assert(!parse("-o --jobs=3"));
    ck_assert_str_eq(message, "option '--output' needs a value (FILE)");
    ck_assert(parse("--output=--all --pattern --nothing -o -x"));
    ck_assert_str_eq(args.first.name, "-x");
    ck_assert_str_eq(args.patterns.v[0], "--nothing");
}
END_TEST

START_TEST(optional_values_are_joined)
{
    ck_assert(parse("--report name"));
    ck_assert_str_eq(args.first.report, "");
    ck_assert_str_eq(operands.v[0], "name");
    ck_assert(parse("--report=name"));
    ck_assert_str_eq(args.first.report, "name");
    ck_assert(parse(""));
    ck_assert_ptr_null(args.first.report);
}
END_TEST

START_TEST(lists)
{
    ck_assert(parse("-p a,b --pattern=c --pattern d --columns x,y,,z --columns w"));
    ck_assert_uint_eq(args.patterns.n, 3);
    ck_assert_str_eq(args.patterns.v[0], "a,b");
    ck_assert_str_eq(args.patterns.v[2], "d");
    ck_assert_uint_eq(args.words.n, 4);
    ck_assert_str_eq(args.words.v[1], "y");
    ck_assert_str_eq(args.words.v[2], "z");
    ck_assert_str_eq(args.words.v[3], "w");
}
END_TEST

START_TEST(operands_stand_anywhere)
{
    ck_assert(parse("a --all b -- --quiet -o - c"));
    ck_assert_uint_eq(operands.n, 6);
    ck_assert_str_eq(operands.v[1], "b");
    ck_assert_str_eq(operands.v[2], "--quiet");
    ck_assert_str_eq(operands.v[4], "-");
    ck_assert(!args.first.quiet);
    ck_assert(parse("-"));
    ck_assert_str_eq(operands.v[0], "-");
}
END_TEST

START_TEST(operands_of_an_option)
{
    ck_assert(parse("a b --vs c --all d"));
    ck_assert(operands.n == 2 && args.rest.n == 2 && args.first.all);
    ck_assert_str_eq(args.rest.v[1], "d");
    ck_assert(!parse("a b --vs"));
    ck_assert_str_eq(message, "option '--vs' needs operands after it");
    ck_assert(!parse("a b --vs --all"));
}
END_TEST

START_TEST(real_numbers)
{
    double v = 7;
    ck_assert(tk_opt_real("x", NULL, false, &v, message) && v == 7);
    ck_assert(tk_opt_real("x", "2.5", false, &v, message) && v == 2.5);
    ck_assert(tk_opt_real("x", "0", true, &v, message) && v == 0);
    ck_assert(!tk_opt_real("x", "0", false, &v, message));
    ck_assert_str_eq(message, "option '--x' takes a number above 0, not '0'");
    ck_assert(!tk_opt_real("x", "-1", true, &v, message));
    ck_assert_str_eq(message, "option '--x' takes a number from 0 on, not '-1'");
    ck_assert(!tk_opt_real("x", "nan", true, &v, message) && !tk_opt_real("x", "inf", true, &v, message));
    ck_assert(!tk_opt_real("x", "1 %", true, &v, message) && !tk_opt_real("x", "", true, &v, message));
}
END_TEST

START_TEST(wrong_usage)
{
    ck_assert(!parse("--colums x"));
    ck_assert_str_eq(message, "unknown option '--colums'; did you mean '--columns'?");
    ck_assert(!parse("--xyzzyx=1"));
    ck_assert_str_eq(message, "unknown option '--xyzzyx'");
    ck_assert(!parse("--al"));
    ck_assert_str_eq(message, "unknown option '--al'; did you mean '--all'?");
    ck_assert(!parse("--all=yes"));
    ck_assert_str_eq(message, "option '--all' takes no value");
    ck_assert(!parse("--jobs"));
    ck_assert_str_eq(message, "option '--jobs' needs a value (N)");
    ck_assert(!parse("--jobs two"));
    ck_assert_str_eq(message, "option '--jobs' needs a number, not 'two'");
    ck_assert(!parse("--jobs -1"));
    ck_assert(!parse("--jobs 1x"));
    ck_assert(!parse("--jobs="));
    ck_assert(!parse("--jobs 99999999999999999999"));
    ck_assert(parse("--jobs 18446744073709551615"));
    ck_assert_uint_eq(args.jobs, UINT64_MAX);
}
END_TEST

/* A name of any length does not write over the message. */
START_TEST(long_names_are_cut)
{
    char *argv[] = {"program", NULL};
    char name[4096];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    name[0] = name[1] = '-';
    argv[1] = name;
    ck_assert(!tk_opt_parse(&set, 2, argv, &operands, message));
    ck_assert_uint_lt(strlen(message), TK_OPT_MESSAGE);
}
END_TEST

/* A word behind an option whose value is optional may have been meant for it; no file is. */
START_TEST(values_that_stray)
{
    static const struct {
        const char *words[4];
        const char *message; /* NULL: all is well */
    } cases[] = {
        {{"--report", "33", "x.utrace"},
         "'33' is not a file; join the value of an option to it: --report=33"},
        {{"x.utrace", "--report", "tags"},
         "'tags' is not a file; join the value of an option to it: --report=tags"},
        {{"--report", "1.5", "x.utrace"},
         "'1.5' is not a file; join the value of an option to it: --report=1.5"},
        {{"--report", "x.utrace", "y.utrace"}, NULL},
        {{"--report=33", "tags", "x.utrace"}, NULL},
        {{"--report", "tags"}, NULL}, /* the capture */
        {{"--report", "--all", "tags", "x"}, NULL},
        {{"--", "--report", "tags", "x"}, NULL},
        {{"--report", ".", "x"}, NULL}, /* it is there */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char program[] = "trace-x", *argv[5] = {program};
        int argc = 1;
        tk_opt_release(&set);
        tk_opt_list_release(&operands);
        args = (struct args){0};
        for (; argc < 5 && cases[i].words[argc - 1]; argc++)
            argv[argc] = (char *)(uintptr_t)cases[i].words[argc - 1];
        ck_assert(tk_opt_parse(&set, argc, argv, &operands, message));
        const bool strays = tk_opt_stray_value(&set, argc, argv, &operands, message);
        ck_assert_msg(strays == (cases[i].message != NULL), "case %zu", i);
        if (strays)
            ck_assert_str_eq(message, cases[i].message);
    }
}
END_TEST

static const char *printed(void (*print)(const struct tk_opt_set *, FILE *))
{
    static char text[4096];
    FILE *f = tmpfile();
    ck_assert_ptr_nonnull(f);
    print(&set, f);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

START_TEST(help_comes_from_the_table)
{
    ck_assert_str_eq(printed(tk_opt_help), "\nFirst:\n"
                                           "  -a, --all                 everything\n"
                                           "  -q, --quiet               no messages\n"
                                           "  -o, --output FILE         where to\n"
                                           "      --report[=FILE]       a report\n"
                                           "\nOthers:\n"
                                           "  -p, --pattern GLOB        what matches\n"
                                           "      --columns A,B         which\n"
                                           "  -j, --jobs N              threads\n");
    ck_assert_str_eq(printed(tk_opt_print_names), "--all\n-a\n--quiet\n-q\n--output=\n-o\n--report=\n"
                                                  "--pattern=\n-p\n--columns=\n--jobs=\n-j\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        long_options, short_options,           forgotten_value,       optional_values_are_joined,
        lists,        operands_stand_anywhere, operands_of_an_option, real_numbers,
        wrong_usage,  long_names_are_cut,      values_that_stray,     help_comes_from_the_table,
    };
    return RUN_TESTS("opt", tests);
}
