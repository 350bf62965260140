/* Tables as people see them: `table`, `text` and `markdown`. */
#include "sink/written.h"

static const struct tk_column columns[] = {{"timer", TK_TEXT, 0, NULL, NULL},
                                           {"count", TK_UINT, 0, NULL, NULL},
                                           {"incl", TK_DURATION, 0, NULL, NULL},
                                           {"file", TK_TEXT, 0, NULL, NULL}};
static const struct tk_table timers = {.name = "timers", .columns = columns, .n_columns = 4};
static const struct tk_table timers_ms = {
    .name = "timers", .columns = columns, .n_columns = 4, .unit = TK_UNIT_MS};

static size_t rows_of_timers(struct tk_cell *cells)
{
    const struct tk_cell rows[] = {text("Tick"),
                                   natural(TK_UINT, 5),
                                   integer(TK_DURATION, 1234567),
                                   text("Engine.cpp"),
                                   text("\xC3\x84ndern"),
                                   natural(TK_UINT, 12345),
                                   nothing(),
                                   nothing(),
                                   text("\xE6\xBC\xA2"),
                                   natural(TK_UINT, 1),
                                   integer(TK_DURATION, 7),
                                   text("b.cpp")};
    memcpy(cells, rows, sizeof rows);
    return 3;
}

START_TEST(aligned_table)
{
    struct tk_cell cells[12];
    size_t n = rows_of_timers(cells);
    ck_assert_str_eq(written("table", NULL, &timers, cells, n), "timers\n"
                                                                "timer   count      incl  file\n"
                                                                "Tick        5  1.235 ms  Engine.cpp\n"
                                                                "\xC3\x84ndern  12345\n"
                                                                "\xE6\xBC\xA2          1      7 ns  b.cpp\n");
    ck_assert_str_eq(written("table", NULL, &timers_ms, cells, n),
                     "timers  (times in ms)\n"
                     "timer   count      incl  file\n"
                     "Tick        5  1.234567  Engine.cpp\n"
                     "\xC3\x84ndern  12345\n"
                     "\xE6\xBC\xA2          1  0.000007  b.cpp\n");
    ck_assert_str_eq(written("table", NULL, &timers, NULL, 0),
                     "timers\ntimer  count  incl  file\n(no rows)\n");
    struct tk_table hitches = timers;
    hitches.none = "nothing was late";
    ck_assert_str_eq(written("table", NULL, &hitches, NULL, 0),
                     "timers\ntimer  count  incl  file\n(nothing was late)\n");
}
END_TEST

START_TEST(options_of_the_table)
{
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    struct tk_cell cells[12];
    size_t n = rows_of_timers(cells);
    opt.colour = opt.exact = true;
    ck_assert_str_eq(written("table", &opt, &timers, cells, 1), "\x1b[1mtimers\x1b[0m  (times in ns)\n"
                                                                "\x1b[1mtimer  count     incl  file\x1b[0m\n"
                                                                "Tick       5  1234567  Engine.cpp\n");
    opt.colour = false;
    opt.plain_ascii = true;
    ck_assert_str_eq(written("table", &opt, &timers, cells, n), "timers  (times in ns)\n"
                                                                "timer        count     incl  file\n"
                                                                "Tick             5  1234567  Engine.cpp\n"
                                                                "\\u00c4ndern  12345\n"
                                                                "\\u6f22           1        7  b.cpp\n");
}
END_TEST

START_TEST(names_are_shortened_in_the_middle)
{
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    const struct tk_cell cells[] = {text("AbcdefghijklmnopqrstuvwxyzABCDEFGHIJ"), natural(TK_UINT, 1),
                                    nothing(), text("short")};
    opt.width = 40;
    /* 40 = 20 + 2 + 5 + 2 + 4 + 2 + 5: 20 columns are left for the name */
    ck_assert_str_eq(written("table", &opt, &timers, cells, 1), "timers\n"
                                                                "timer                 count  incl  file\n"
                                                                "Abcdefghij\xE2\x80\xA6"
                                                                "BCDEFGHIJ      1        short\n");
    opt.plain_ascii = true;
    ck_assert_str_eq(written("table", &opt, &timers, cells, 1), "timers\n"
                                                                "timer                 count  incl  file\n"
                                                                "Abcdefghi...CDEFGHIJ      1        short\n");
    opt.width = 1; /* there is a limit to it */
    ck_assert_str_eq(written("table", &opt, &timers, cells, 1), "timers\n"
                                                                "timer             count  incl  file\n"
                                                                "Abcdefg...EFGHIJ      1        short\n");
}
END_TEST

/* Empty columns go first, then those of zeros, those that can be spared, the last of the others;
 * two names and what the table is read by stay, and the others are named. */
START_TEST(columns_that_do_not_fit_are_left_out)
{
    static const struct tk_column all[] = {{"zero", TK_UINT, 0, NULL, NULL},
                                           {"name", TK_TEXT, 0, NULL, NULL},
                                           {"kind", TK_TEXT, TK_COL_OPTIONAL, NULL, NULL},
                                           {"nothing", TK_TEXT, 0, NULL, NULL},
                                           {"place", TK_TEXT, 0, NULL, NULL},
                                           {"many", TK_UINT, 0, NULL, NULL},
                                           {"sum", TK_UINT, 0, NULL, NULL},
                                           {"few", TK_UINT, 0, NULL, NULL}};
    static const struct tk_table table = {.name = "t", .columns = all, .n_columns = 8, .sort_by = "sum"};
    const struct tk_cell cells[] = {natural(TK_UINT, 0), text("Draw"),       text("spec"),
                                    nothing(),           text("x.c"),        natural(TK_UINT, 12345),
                                    natural(TK_UINT, 7), natural(TK_UINT, 3)};
    static const struct {
        unsigned width;
        const char *text;
    } cases[] = {
        {56, "t\nzero  name  kind  nothing  place   many  sum  few\n   0  Draw  spec           x.c    12345  "
             "  7    3\n"},
        {48, "t\nzero  name  kind  place   many  sum  few\n   0  Draw  spec  x.c    12345    7    3\n"
             "(not shown at this width: nothing)\n"},
        {39, "t\nname  kind  place   many  sum  few\nDraw  spec  x.c    12345    7    3\n"
             "(not shown at this width: zero,\n nothing)\n"},
        {33, "t\nname  place   many  sum  few\nDraw  x.c    12345    7    3\n"
             "(not shown at this width: zero,\n kind, nothing)\n"},
        {27, "t\nname  place   many  sum\nDraw  x.c    12345    7\n"
             "(not shown at this width:\n zero, kind, nothing, few)\n"},
        {1, "t\nname  place  sum\nDraw  x.c      7\n(not shown at this width:\n zero,\n kind,\n nothing,\n "
            "many,\n few)\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
        opt.width = cases[i].width;
        opt.fit = true;
        ck_assert_str_eq(written("table", &opt, &table, cells, 1), cases[i].text);
    }
}
END_TEST

/* Without a width nothing is shortened, and one huge cell does not make every line huge. */
START_TEST(a_huge_cell_sticks_out)
{
    static char huge[100001];
    memset(huge, 'x', sizeof huge - 1);
    const struct tk_cell cells[] = {text(huge), natural(TK_UINT, 1), nothing(), text("f"),
                                    text("b"),  natural(TK_UINT, 2), nothing(), text("f")};
    const char *p = written("table", NULL, &timers, cells, 2);
    ck_assert_ptr_nonnull(strstr(p, huge));
    ck_assert_uint_lt(strlen(p), sizeof huge + 500);
}
END_TEST

/* More rows than are held to find the widths. */
START_TEST(long_tables_stream)
{
    enum { N = 10000 };
    static struct tk_cell cells[4 * N];
    for (size_t i = 0; i < N; i++) {
        cells[4 * i] = text(i == 9000 ? "a name that is longer than all before" : "name");
        cells[4 * i + 1] = natural(TK_UINT, i);
        cells[4 * i + 2] = nothing();
        cells[4 * i + 3] = text("f");
    }
    struct writing w = writing_begin("table", NULL);
    struct tk_rows rows = {.n = N / 10};
    ck_assert_int_eq(w.sink.begin(w.sink.self, &timers, NULL), TK_OK);
    for (size_t i = 0; i < 10; i++) {
        rows.cells = cells + i * 4 * N / 10;
        ck_assert_int_eq(w.sink.rows(w.sink.self, &timers, &rows, NULL), TK_OK);
    }
    ck_assert_int_eq(w.sink.end(w.sink.self, &timers, NULL), TK_OK);
    const char *p = writing_end(&w);
    size_t lines = 0;
    for (const char *s = p; *s; s++)
        lines += *s == '\n';
    ck_assert_uint_eq(lines, N + 2);
    ck_assert_ptr_nonnull(strstr(p, "\nname    8999        f\n"));
    ck_assert_ptr_nonnull(strstr(p, "\na name that is longer than all before   9000        f\n"));
}
END_TEST

static const struct tk_column single_columns[] = {
    {"format", TK_TEXT, 0, NULL, NULL}, {"size", TK_SIZE, 0, NULL, NULL}, {"none", TK_TEXT, 0, NULL, NULL}};
static const struct tk_table single = {
    .name = "capture", .columns = single_columns, .n_columns = 3, .flags = TK_TABLE_SINGLE};
static const struct tk_column record_column[] = {{"session", TK_RECORD, 0, NULL, NULL}};
static const struct tk_table session = {
    .name = "session", .columns = record_column, .n_columns = 1, .flags = TK_TABLE_SINGLE};

START_TEST(single_tables)
{
    static const struct tk_str names[] = {{"Platform", 8, 0}, {"X\n", 2, 0}};
    struct tk_record rec;
    struct tk_record_type type;
    const struct tk_cell cells[] = {text("utrace"), natural(TK_SIZE, 1536), nothing()};
    const struct tk_cell values[] = {text("Linux"), natural(TK_UINT, 3)};
    struct tk_cell record = record_of(&rec, &type, names, 2, values);
    const char *const formats[] = {"table", "markdown"};
    const char *const wanted[] = {"capture\n"
                                  "  format  utrace\n"
                                  "  size    1.50 KiB\n"
                                  "\n"
                                  "session\n"
                                  "  Platform  Linux\n"
                                  "  X␊        3\n",
                                  "### capture\n\n"
                                  "| name | value |\n| --- | --- |\n"
                                  "| format | utrace |\n"
                                  "| size | 1.50 KiB |\n"
                                  "| none |  |\n"
                                  "\n### session\n\n"
                                  "| name | value |\n| --- | --- |\n"
                                  "| Platform | Linux |\n"
                                  "| X␊ | 3 |\n"};
    for (size_t i = 0; i < 2; i++) {
        struct writing w = writing_begin(formats[i], NULL);
        writing_table(&w, &single, cells, 1);
        writing_table(&w, &session, &record, 1);
        ck_assert_str_eq(writing_end(&w), wanted[i]);
    }
}
END_TEST

/* Only names for people; everything for programs and where every digit is requested. */
START_TEST(lists_of_named_records)
{
    static const struct tk_str names[] = {{"name", 4, 0}, {"size", 4, 0}};
    static const struct tk_column fields[] = {{"fields", TK_LIST, 0, NULL, NULL}};
    static const struct tk_table table = {.name = "t", .columns = fields, .n_columns = 1};
    struct tk_record recs[2];
    struct tk_record_type types[2];
    const struct tk_cell first[] = {text("Cycle"), natural(TK_UINT, 8)};
    const struct tk_cell second[] = {text("a\nb"), natural(TK_UINT, 4)};
    struct tk_cell list[] = {record_of(&recs[0], &types[0], names, 2, first),
                             record_of(&recs[1], &types[1], names, 2, second)};
    const struct tk_cell row[] = {{.kind = TK_LIST, .n = 2, .v.p = list}};
    const char *all = "t\nfields\n[{name=\"Cycle\" size=8},{name=\"a\\nb\" size=4}]\n";
    ck_assert_str_eq(written("table", NULL, &table, row, 1), all);
    types[0].named = types[1].named = true;
    ck_assert_str_eq(written("table", NULL, &table, row, 1), "t\nfields\nCycle, a␊b\n");
    struct tk_writer_options exact = TK_INIT(struct tk_writer_options);
    exact.exact = true;
    ck_assert_str_eq(written("table", &exact, &table, row, 1), all);
}
END_TEST

/* What others would make links of, and commands of continuous integration. */
START_TEST(markdown_without_effect)
{
    static const struct tk_column plain[] = {{"name", TK_TEXT, 0, NULL, NULL}};
    static const struct tk_table table = {.name = "t", .columns = plain, .n_columns = 1};
    static const char *const cases[][2] = {{"@team fix", "@<!-- -->team fix"},
                                           {"see #123", "see #<!-- -->123"},
                                           {"a@b.c", "a@<!-- -->b.c"},
                                           {"www.x.y", "www<!-- -->.x.y"},
                                           {"http://x", "http:<!-- -->//x"},
                                           {"a # b @ c: /", "a # b @ c: /"},
                                           {"##vso[task]", "#\\\\#<!-- -->vso\\[task\\]"}};
    char wanted[100];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tk_cell cell = text(cases[i][0]);
        snprintf(wanted, sizeof wanted, "### t\n\n| name |\n| --- |\n| %s |\n", cases[i][1]);
        ck_assert_str_eq(written("markdown", NULL, &table, &cell, 1), wanted);
    }
}
END_TEST

START_TEST(markdown)
{
    static const struct tk_column plain[] = {{"a_b", TK_TEXT, 0, NULL, NULL},
                                             {"incl", TK_DURATION, 0, NULL, NULL}};
    static const struct tk_table table = {.name = "t", .columns = plain, .n_columns = 2, .unit = TK_UNIT_NS};
    const struct tk_cell cells[] = {text("A|B_c_ `x` *y* <T> [z] a&b\nq\\"), integer(TK_DURATION, 1500)};
    ck_assert_str_eq(written("markdown", NULL, &table, cells, 1),
                     "### t\n\n"
                     "| a_b | incl |\n"
                     "| --- | ---: |\n"
                     "| A\\|B_c\\_ \\`x\\` \\*y\\* \\<T> \\[z\\] a\\&b␊q\\\\ | 1.500 us |\n");
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    opt.exact = true;
    ck_assert_str_eq(written("markdown", &opt, &table, cells + 2, 0),
                     "### t (times in ns)\n\n| a_b | incl |\n| --- | ---: |\n");
}
END_TEST

/* A line per row; columns are as wide as the widest cell so far. */
START_TEST(lines_of_text)
{
    static const struct tk_column events_columns[] = {
        {"time", TK_TIME, 0, NULL, NULL},        {"thread", TK_TEXT, 0, NULL, NULL},
        {"serial", TK_UINT, 0, NULL, NULL},      {"fields", TK_RECORD, 0, NULL, NULL},
        {"attachment", TK_BYTES, 0, NULL, NULL}, {"incomplete", TK_BOOL, 0, NULL, NULL}};
    static const struct tk_table events = {.name = "events", .columns = events_columns, .n_columns = 6};
    static const struct tk_str names[] = {{"Id", 2, 0}, {"Name", 4, 0}};
    struct tk_record rec;
    struct tk_record_type type;
    const struct tk_cell values[] = {natural(TK_UINT, 7), text("x y")};
    struct tk_cell record = record_of(&rec, &type, names, 2, values);
    struct tk_cell no = natural(TK_BOOL, 0), yes = natural(TK_BOOL, 1);
    struct tk_cell bytes = {.kind = TK_BYTES, .n = 2, .v.p = "\x01\xFF"};
    const struct tk_cell cells[] = {
        integer(TK_TIME, 1500),
        text("Main"),
        natural(TK_UINT, 9),
        record,
        nothing(),
        no,
        nothing(),
        text("Render"),
        nothing(),
        record,
        bytes,
        yes,
        integer(TK_TIME, 0),
        text("Main"),
        nothing(),
        record,
        nothing(),
        yes,
        integer(TK_TIME, 0),
        text("Main"),
        nothing(),
        nothing(),
        nothing(),
        no,
    };
    ck_assert_str_eq(written("text", NULL, &events, cells, 4),
                     "0.000002 s  Main  9  {Id=7 Name=\"x y\"}\n"
                     "         -  Render  -  {Id=7 Name=\"x y\"}  01ff  incomplete\n"
                     "0.000000 s  Main    -  {Id=7 Name=\"x y\"}  -     incomplete\n"
                     "0.000000 s  Main\n");
}
END_TEST

START_TEST(lower_bounds)
{
    static const struct tk_column bounds[] = {{"duration", TK_DURATION, TK_COL_LOWER_BOUND, NULL, NULL},
                                              {"name", TK_TEXT, TK_COL_LOWER_BOUND, NULL, NULL},
                                              {"none", TK_UINT, TK_COL_LOWER_BOUND, NULL, NULL}};
    static const struct tk_table list = {.name = "t", .columns = bounds, .n_columns = 3};
    static const struct tk_table alone = {
        .name = "t", .columns = bounds, .n_columns = 3, .flags = TK_TABLE_SINGLE};
    const struct tk_cell row[] = {integer(TK_DURATION, 12345678900), text("x"), nothing()};
    ck_assert_str_eq(written("table", NULL, &alone, row, 1), "t\n  duration  >= 12.35 s\n  name      x\n");
    ck_assert_str_eq(written("table", NULL, &list, row, 1), "t\n  duration  name  none\n>= 12.35 s  x\n");
    ck_assert_str_eq(written("markdown", NULL, &list, row, 1),
                     "### t\n\n| duration | name | none |\n| ---: | --- | ---: |\n| >= 12.35 s | x |  |\n");
    ck_assert_str_eq(written("csv", NULL, &list, row, 1), "duration,name,none\n12345678900,x,\n");
}
END_TEST

START_TEST(tables_are_parted)
{
    struct writing w = writing_begin("table", NULL);
    struct tk_cell cells[12];
    rows_of_timers(cells);
    writing_table(&w, &timers, cells, 1);
    writing_table(&w, one_column(TK_UINT, TK_UNIT_NS), NULL, 0);
    ck_assert_str_eq(writing_end(&w), "timers\n"
                                      "timer  count      incl  file\n"
                                      "Tick       5  1.235 ms  Engine.cpp\n"
                                      "\n"
                                      "t\n"
                                      "v\n"
                                      "(no rows)\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {aligned_table,
                                  options_of_the_table,
                                  names_are_shortened_in_the_middle,
                                  columns_that_do_not_fit_are_left_out,
                                  a_huge_cell_sticks_out,
                                  long_tables_stream,
                                  single_tables,
                                  lists_of_named_records,
                                  markdown,
                                  markdown_without_effect,
                                  lines_of_text,
                                  lower_bounds,
                                  tables_are_parted};
    return RUN_TESTS("text", tests);
}
