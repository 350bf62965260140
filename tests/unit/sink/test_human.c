/* Tests of the formats for people: table, text, markdown. */
#include "sink/human.h"

#include "written.h"

static const char *made(struct tk_buffer *b)
{
    static char text_made[256];
    snprintf(text_made, sizeof text_made, "%.*s", (int)b->n, b->p);
    b->n = 0;
    return text_made;
}

static const char *span(int64_t ns)
{
    struct tk_buffer b;
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
    tk_human_span(&b, ns);
    const char *s = made(&b);
    tk_buffer_release(&b);
    return s;
}

static const char *size(uint64_t bytes)
{
    struct tk_buffer b;
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
    tk_human_size(&b, bytes);
    const char *s = made(&b);
    tk_buffer_release(&b);
    return s;
}

static const char *number(double v)
{
    struct tk_buffer b;
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
    tk_human_real(&b, v);
    const char *s = made(&b);
    tk_buffer_release(&b);
    return s;
}

static const char *cell(struct tk_cell c, enum tk_unit unit, bool exact)
{
    struct tk_buffer b;
    struct tk_human human = {.unit = unit, .exact = exact};
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
    tk_human_cell(&b, &c, &human);
    const char *s = made(&b);
    tk_buffer_release(&b);
    return s;
}

START_TEST(spans)
{
    ck_assert_str_eq(span(0), "0 ns");
    ck_assert_str_eq(span(999), "999 ns");
    ck_assert_str_eq(span(-999), "-999 ns");
    ck_assert_str_eq(span(1000), "1.000 us");
    ck_assert_str_eq(span(1234), "1.234 us");
    ck_assert_str_eq(span(12344), "12.34 us");
    ck_assert_str_eq(span(12345), "12.35 us");
    ck_assert_str_eq(span(9999), "9.999 us");
    ck_assert_str_eq(span(99994), "99.99 us");
    ck_assert_str_eq(span(99995), "100.0 us");
    ck_assert_str_eq(span(999949), "999.9 us");
    ck_assert_str_eq(span(999950), "1.000 ms");
    ck_assert_str_eq(span(-16666667), "-16.67 ms");
    ck_assert_str_eq(span(999949999), "999.9 ms");
    ck_assert_str_eq(span(1000000000), "1.000 s");
    ck_assert_str_eq(span(61500000000), "61.50 s");
    ck_assert_str_eq(span(1234499999999), "1234 s");
    ck_assert_str_eq(span(1234500000000), "1235 s");
    ck_assert_str_eq(span(999950000000), "1000 s");
    ck_assert_str_eq(span(INT64_MAX), "9223372037 s");
    ck_assert_str_eq(span(INT64_MIN), "-9223372037 s");
}
END_TEST

START_TEST(sizes)
{
    ck_assert_str_eq(size(0), "0 B");
    ck_assert_str_eq(size(1023), "1023 B");
    ck_assert_str_eq(size(1024), "1.00 KiB");
    ck_assert_str_eq(size(1536), "1.50 KiB");
    ck_assert_str_eq(size(12 * 1024 + 300), "12.3 KiB");
    ck_assert_str_eq(size(1023 * 1024), "1023 KiB");
    ck_assert_str_eq(size(1024 * 1024 - 1), "1.00 MiB");
    ck_assert_str_eq(size(UINT64_C(3) << 30), "3.00 GiB");
    ck_assert_str_eq(size(UINT64_MAX), "16777216 TiB");
}
END_TEST

START_TEST(reals)
{
    ck_assert_str_eq(number(0), "0");
    ck_assert_str_eq(number(0.5), "0.5");
    ck_assert_str_eq(number(1.0 / 3), "0.333333");
    ck_assert_str_eq(number(-2.0 / 3), "-0.666667");
    ck_assert_str_eq(number(0.00123456789), "0.00123457");
    ck_assert_str_eq(number(1234.56789), "1234.57");
    ck_assert_str_eq(number(1234567.89), "1234568");
    ck_assert_str_eq(number(99.99999999), "100");
    ck_assert_str_eq(number(1e20), "1e+20");
    ck_assert_str_eq(number(1e-7), "1e-07");
    ck_assert_str_eq(number(NAN), "NaN");
    ck_assert_str_eq(number(-INFINITY), "-Infinity");
}
END_TEST

START_TEST(cells_of_all_kinds)
{
    ck_assert_str_eq(cell(integer(TK_SPAN, 1500), TK_UNIT_NS, false), "1.500 us");
    ck_assert_str_eq(cell(integer(TK_SPAN, 1500), TK_UNIT_NS, true), "1500");
    ck_assert_str_eq(cell(integer(TK_SPAN, 1500), TK_UNIT_CYCLES, false), "1500");
    ck_assert_str_eq(cell(integer(TK_SPAN, 1500), TK_UNIT_MS, false), "0.001500");
    ck_assert_str_eq(cell(integer(TK_TIME, 12345678900), TK_UNIT_NS, false), "12.345679 s");
    ck_assert_str_eq(cell(integer(TK_TIME, -500), TK_UNIT_NS, false), "0.000000 s");
    ck_assert_str_eq(cell(integer(TK_TIME, -1500000), TK_UNIT_NS, false), "-0.001500 s");
    ck_assert_str_eq(cell(integer(TK_TIME, 12345678900), TK_UNIT_NS, true), "12345678900");
    ck_assert_str_eq(cell(real(TK_MEAN, 12.3456), TK_UNIT_NS, false), "12.35 ns");
    ck_assert_str_eq(cell(real(TK_MEAN, 0.5), TK_UNIT_NS, false), "0.5 ns");
    ck_assert_str_eq(cell(real(TK_MEAN, 999.96), TK_UNIT_NS, false), "1.000 us");
    ck_assert_str_eq(cell(real(TK_MEAN, 1234567.5), TK_UNIT_NS, false), "1.235 ms");
    ck_assert_str_eq(cell(real(TK_MEAN, 30384.6), TK_UNIT_NS, false), "30.38 us"); /* not by way of 30385 */
    ck_assert_str_eq(cell(real(TK_MEAN, 9999.4), TK_UNIT_NS, false), "9.999 us");
    ck_assert_str_eq(cell(real(TK_MEAN, 9999.5), TK_UNIT_NS, false), "10.00 us");
    ck_assert_str_eq(cell(real(TK_MEAN, 1234567.5), TK_UNIT_NS, true), "1234567.5");
    ck_assert_str_eq(cell(real(TK_MEAN, 1234567.5), TK_UNIT_MS, false), "1.234568");
    ck_assert_str_eq(cell(real(TK_MEAN, 1.0 / 3), TK_UNIT_CYCLES, false), "0.333333");
    ck_assert_str_eq(cell(real(TK_MEAN, NAN), TK_UNIT_NS, false), "NaN");
    ck_assert_str_eq(cell(natural(TK_SIZE, 2048), TK_UNIT_NS, false), "2.00 KiB");
    ck_assert_str_eq(cell(natural(TK_SIZE, 2048), TK_UNIT_NS, true), "2048");
    ck_assert_str_eq(cell(natural(TK_UINT, 1234567), TK_UNIT_NS, false), "1234567");
    ck_assert_str_eq(cell(natural(TK_HEX, 255), TK_UNIT_NS, false), "0xff");
    ck_assert_str_eq(cell(nothing(), TK_UNIT_NS, false), "");
}
END_TEST

/* Nothing of a name steers the terminal: controls, C1 controls, reordering, byte order marks. */
START_TEST(names_are_harmless)
{
    ck_assert_str_eq(cell(text("a\nb\tc\rd\x1b[2Je\x7f"), TK_UNIT_NS, false), "a\\nb\\tc\\rd\\x1b[2Je\\x7f");
    ck_assert_str_eq(cell(text("x\xC2\x9By\xE2\x80\xAEz\xEF\xBB\xBF"), TK_UNIT_NS, false),
                     "x\\u009by\\u202ez\\ufeff");
    ck_assert_str_eq(cell(text("C:\\dir \"q\""), TK_UNIT_NS, false), "C:\\dir \"q\"");
    ck_assert_str_eq(cell(text_of("a\xFF", 2, TK_ENC_BYTES), TK_UNIT_NS, false), "a\xEF\xBF\xBD");
    ck_assert_str_eq(cell(text_of("a\0\n\0\x00\xD8", 6, TK_ENC_UTF16), TK_UNIT_NS, false),
                     "a\\n\xEF\xBF\xBD");
}
END_TEST

static const struct tk_column columns[] = {{"timer", TK_TEXT, 0, NULL, NULL},
                                           {"count", TK_UINT, 0, NULL, NULL},
                                           {"incl", TK_SPAN, 0, NULL, NULL},
                                           {"file", TK_TEXT, 0, NULL, NULL}};
static const struct tk_table timers = {.name = "timers", .columns = columns, .n_columns = 4};
static const struct tk_table timers_ms = {
    .name = "timers", .columns = columns, .n_columns = 4, .unit = TK_UNIT_MS};

static size_t rows_of_timers(struct tk_cell *cells)
{
    const struct tk_cell rows[] = {text("Tick"),
                                   natural(TK_UINT, 5),
                                   integer(TK_SPAN, 1234567),
                                   text("Engine.cpp"),
                                   text("\xC3\x84ndern"),
                                   natural(TK_UINT, 12345),
                                   nothing(),
                                   nothing(),
                                   text("\xE6\xBC\xA2"),
                                   natural(TK_UINT, 1),
                                   integer(TK_SPAN, 7),
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

/* Empty columns go first, then those of zeros, those that can be spared, the widest and last of the others;
 * two names and what the table is read by stay, and the others are named. */
START_TEST(columns_that_do_not_fit_are_left_out)
{
    static const struct tk_column all[] = {{"zero", TK_UINT, 0, NULL, NULL},
                                           {"name", TK_TEXT, 0, NULL, NULL},
                                           {"kind", TK_TEXT, TK_COL_SPARE, NULL, NULL},
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
        {27, "t\nname  place  sum  few\nDraw  x.c      7    3\n"
             "(not shown at this width:\n zero, kind, nothing, many)\n"},
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
                                  "  X\\n       3\n",
                                  "### capture\n\n"
                                  "| name | value |\n| --- | --- |\n"
                                  "| format | utrace |\n"
                                  "| size | 1.50 KiB |\n"
                                  "| none |  |\n"
                                  "\n### session\n\n"
                                  "| name | value |\n| --- | --- |\n"
                                  "| Platform | Linux |\n"
                                  "| X\\\\n | 3 |\n"};
    for (size_t i = 0; i < 2; i++) {
        struct writing w = writing_begin(formats[i], NULL);
        writing_table(&w, &single, cells, 1);
        writing_table(&w, &session, &record, 1);
        ck_assert_str_eq(writing_end(&w), wanted[i]);
    }
}
END_TEST

START_TEST(markdown)
{
    static const struct tk_column plain[] = {{"a_b", TK_TEXT, 0, NULL, NULL},
                                             {"incl", TK_SPAN, 0, NULL, NULL}};
    static const struct tk_table table = {.name = "t", .columns = plain, .n_columns = 2, .unit = TK_UNIT_NS};
    const struct tk_cell cells[] = {text("A|B_c_ `x` *y* <T> [z] a&b\nq\\"), integer(TK_SPAN, 1500)};
    ck_assert_str_eq(written("markdown", NULL, &table, cells, 1),
                     "### t\n\n"
                     "| a_b | incl |\n"
                     "| --- | ---: |\n"
                     "| A\\|B_c\\_ \\`x\\` \\*y\\* \\<T> \\[z\\] a\\&b\\\\nq\\\\ | 1.500 us |\n");
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
    static const struct tk_column bounds[] = {{"duration", TK_SPAN, TK_COL_LEAST, NULL, NULL},
                                              {"name", TK_TEXT, TK_COL_LEAST, NULL, NULL},
                                              {"none", TK_UINT, TK_COL_LEAST, NULL, NULL}};
    static const struct tk_table list = {.name = "t", .columns = bounds, .n_columns = 3};
    static const struct tk_table alone = {
        .name = "t", .columns = bounds, .n_columns = 3, .flags = TK_TABLE_SINGLE};
    const struct tk_cell row[] = {integer(TK_SPAN, 12345678900), text("x"), nothing()};
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
    const TTest *const tests[] = {spans,
                                  sizes,
                                  reals,
                                  cells_of_all_kinds,
                                  names_are_harmless,
                                  aligned_table,
                                  options_of_the_table,
                                  names_are_shortened_in_the_middle,
                                  columns_that_do_not_fit_are_left_out,
                                  columns_that_do_not_fit_are_left_out,
                                  a_huge_cell_sticks_out,
                                  long_tables_stream,
                                  single_tables,
                                  markdown,
                                  lines_of_text,
                                  lower_bounds,
                                  tables_are_parted};
    return RUN_TESTS("human", tests);
}
