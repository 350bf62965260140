/* Conditions on rows, against cells made by hand. */
#include "query/select.h"
#include "run.h"

#include <math.h>
#include <string.h>

static struct tk_cell text(const char *p)
{
    return (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)strlen(p), .v.p = p};
}

static struct tk_cell integer(uint8_t kind, int64_t v)
{
    return (struct tk_cell){.kind = kind, .v.i = v};
}

static struct tk_cell real(uint8_t kind, double v)
{
    return (struct tk_cell){.kind = kind, .v.r = v};
}

static bool holds(const char *condition, struct tk_cell cell)
{
    struct tk_condition c;
    ck_assert_int_eq(tk_condition_parse(&c, condition, NULL), TK_OK);
    ck_assert_int_eq(tk_condition_check(&c, cell.kind, false, NULL), TK_OK);
    return tk_condition_holds(&c, &cell, false);
}

static int checked(const char *condition, unsigned kind, bool cycles)
{
    struct tk_condition c;
    int rc = tk_condition_parse(&c, condition, NULL);
    return rc < 0 ? rc : tk_condition_check(&c, kind, cycles, NULL);
}

START_TEST(parts_of_a_condition)
{
    struct tk_condition c;
    ck_assert_int_eq(tk_condition_parse(&c, " logs.text !~ a = b ", NULL), TK_OK);
    ck_assert_uint_eq(c.n_table, 4);
    ck_assert_uint_eq(c.n_column, 4);
    ck_assert(strncmp(c.column, "text", 4) == 0);
    ck_assert_uint_eq(c.n_value, 5);
    ck_assert_int_eq(c.op, TK_CONDITION_HOLDS_NOT);
    ck_assert_int_eq(tk_condition_parse(&c, "text", NULL), TK_EUSAGE);
    ck_assert_int_eq(tk_condition_parse(&c, "=5", NULL), TK_EUSAGE);
    ck_assert_int_eq(tk_condition_parse(&c, ".a=5", NULL), TK_EUSAGE);
    ck_assert_int_eq(tk_condition_parse(&c, "a!5", NULL), TK_EUSAGE);
}
END_TEST

START_TEST(times_have_units)
{
    ck_assert(holds("a>5ms", integer(TK_DURATION, 5000001)));
    ck_assert(!holds("a>5ms", integer(TK_DURATION, 5000000)));
    ck_assert(holds("a=1.5us", integer(TK_TIME, 1500)));
    ck_assert(holds("a<-1ns", integer(TK_TIME, -2)));
    ck_assert(holds("a>0", integer(TK_DURATION, 1)));
    ck_assert(holds("a>=0.5ns", integer(TK_DURATION, 1)));
    ck_assert(!holds("a>=0.5ns", integer(TK_DURATION, 0)));
    ck_assert(holds("a<2m", real(TK_MEAN, 119999999999.0)));
    ck_assert_int_eq(checked("a>5", TK_DURATION, false), TK_EUSAGE);
    ck_assert_int_eq(checked("a>5", TK_DURATION, true), TK_OK);
    ck_assert_int_eq(checked("a>5kg", TK_DURATION, false), TK_EUSAGE);
}
END_TEST

START_TEST(numbers_are_exact)
{
    ck_assert(holds("a=18446744073709551615", integer(TK_UINT, -1)));
    ck_assert(holds("a=0xffffffffffffffff", integer(TK_HEX, -1)));
    ck_assert(!holds("a<18446744073709551615", integer(TK_UINT, -1)));
    ck_assert(holds("a>9007199254740992", integer(TK_INT, 9007199254740993)));
    ck_assert(holds("a=-3", integer(TK_INT, -3)));
    ck_assert(holds("a>=2.5k", integer(TK_UINT, 2500)));
    ck_assert(holds("a>1e3", integer(TK_UINT, 1001)));
    ck_assert(holds("a<5%", real(TK_REAL, 0.049)));
    ck_assert(!holds("a<5%", real(TK_REAL, 0.051)));
    ck_assert(holds("a=64KiB", integer(TK_SIZE, 65536)));
    ck_assert(holds("a=1.5MB", integer(TK_SIZE, 1500000)));
    ck_assert(!holds("a>0", real(TK_REAL, NAN)));
    ck_assert_int_eq(checked("a~5", TK_INT, false), TK_EUSAGE);
    ck_assert_int_eq(checked("a=five", TK_INT, false), TK_EUSAGE);
}
END_TEST

START_TEST(texts_are_compared_as_patterns_are)
{
    ck_assert(holds("a=GameThread", text("GameThread")));
    ck_assert(holds("a=game*", text("GameThread")));
    ck_assert(!holds("a=GAME*", text("GameThread")));
    ck_assert(holds("a=x|game*", text("GameThread")));
    ck_assert(holds("a=[*", text("[*")));
    ck_assert(holds("a!=game", text("GameThread")));
    ck_assert(holds("a~thread", text("GameThread")));
    ck_assert(!holds("a~thReads", text("GameThread")));
    ck_assert(holds("a!~Render", text("GameThread")));
    ck_assert_int_eq(checked("a<b", TK_TEXT, false), TK_EUSAGE);
}
END_TEST

START_TEST(severities_have_an_order)
{
    ck_assert(holds("a<=warning", text("Error")));
    ck_assert(holds("a<=Warning", text("Warning")));
    ck_assert(!holds("a<=warning", text("Log")));
    ck_assert(holds("a>log", text("VeryVerbose")));
    ck_assert(!holds("a>=fatal", text("no such word")));
}
END_TEST

START_TEST(cells_without_a_value)
{
    const struct tk_cell none = {0};
    struct tk_condition c;
    ck_assert_int_eq(tk_condition_parse(&c, "a=", NULL), TK_OK);
    ck_assert(tk_condition_holds(&c, &none, false));
    ck_assert(holds("a=", text("")));
    ck_assert(!holds("a!=", text("")));
    ck_assert(holds("a!=", integer(TK_INT, 0)));
    ck_assert_int_eq(tk_condition_parse(&c, "a>0", NULL), TK_OK);
    ck_assert(!tk_condition_holds(&c, &none, false));
    ck_assert_int_eq(tk_condition_parse(&c, "a!=0", NULL), TK_OK);
    ck_assert(tk_condition_holds(&c, &none, false));
}
END_TEST

START_TEST(truths)
{
    ck_assert(holds("a=true", (struct tk_cell){.kind = TK_BOOL, .v.u = 1}));
    ck_assert(holds("a!=yes", (struct tk_cell){.kind = TK_BOOL, .v.u = 0}));
    ck_assert_int_eq(checked("a>true", TK_BOOL, false), TK_EUSAGE);
    ck_assert_int_eq(checked("a=maybe", TK_BOOL, false), TK_EUSAGE);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {parts_of_a_condition,
                                  times_have_units,
                                  numbers_are_exact,
                                  texts_are_compared_as_patterns_are,
                                  severities_have_an_order,
                                  cells_without_a_value,
                                  truths};
    return RUN_TESTS("condition", tests);
}
