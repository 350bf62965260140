/* Batches for Arrow: buffers as its specification lays them out, computed by hand. */
#include "run.h"
#include "tracekit.h"

#include <math.h>
#include <string.h>

static struct tk_err err;

static const struct tk_column columns[] = {
    {.name = "flag", .kind = TK_BOOL, .help = "A flag."},
    {.name = "start", .kind = TK_TIME, .help = "When."},
    {.name = "bytes", .kind = TK_SIZE},
    {.name = "mean", .kind = TK_MEAN},
    {.name = "ratio", .kind = TK_REAL32},
    {.name = "name", .kind = TK_TEXT, .help = "Who."},
    {.name = "raw", .kind = TK_BYTES},
    {.name = "list", .kind = TK_LIST},
    {.name = "count", .kind = TK_INT, .unit = "calls"},
};
enum { FLAG, START, BYTES, MEAN, RATIO, NAME, RAW, LIST, COUNT, COLUMNS, ROWS = 9 };

static const struct tk_table table = {
    .name = "made", .help = "Made.", .columns = columns, .n_columns = COLUMNS};

static const struct tk_cell list[] = {{.kind = TK_INT, .v.i = 1}, {.kind = TK_TEXT, .n = 1, .v.p = "a"}};

static struct tk_cell cells[ROWS][COLUMNS];

/* Rows 1 and 8 have values, the others none but what a test puts there. */
static void fill(void)
{
    memset(cells, 0, sizeof cells);
    for (size_t row = 1; row < ROWS; row += 7) {
        cells[row][FLAG] = (struct tk_cell){.kind = TK_BOOL, .v.u = 1};
        cells[row][START] = (struct tk_cell){.kind = TK_TIME, .v.i = -7};
        cells[row][BYTES] = (struct tk_cell){.kind = TK_SIZE, .v.u = UINT64_MAX};
        cells[row][MEAN] = (struct tk_cell){.kind = TK_MEAN, .v.r = 1.5};
        cells[row][RATIO] = (struct tk_cell){.kind = TK_REAL32, .v.r = 0.25};
        cells[row][NAME] = (struct tk_cell){.kind = TK_TEXT, .n = 3, .v.p = "abc"};
        cells[row][RAW] = (struct tk_cell){.kind = TK_BYTES, .n = 2, .v.p = "\0\xff"};
        cells[row][LIST] = (struct tk_cell){.kind = TK_LIST, .n = 2, .v.p = list};
        cells[row][COUNT] = (struct tk_cell){.kind = TK_INT, .v.i = 5};
    }
}

static struct ArrowArray batch_of(size_t rows)
{
    const struct tk_rows some = {.n = rows, .cells = cells[0]};
    struct ArrowArray array;
    ck_assert_int_eq(tk_rows_columns(&table, &some, &array, &err), TK_OK);
    ck_assert_int_eq(array.length, (int64_t)rows);
    ck_assert_int_eq(array.n_children, COLUMNS);
    return array;
}

static bool bit(const void *bits, size_t i)
{
    return ((const uint8_t *)bits)[i / 8] >> i % 8 & 1;
}

/* The values 1 and 8 of a column of fixed width. */
static void check_fixed(const struct ArrowArray *c, const void *value, size_t width)
{
    const char *data = c->buffers[1];
    ck_assert_int_eq(c->n_buffers, 2);
    ck_assert_mem_eq(data + width, value, width);
    ck_assert_mem_eq(data + 8 * width, value, width);
}

/* Values 1 and 8 of a column of texts are the only text of its dictionary. */
static void check_dictionary(const struct ArrowArray *c, const char *value, size_t n)
{
    const int32_t *numbers = c->buffers[1];
    const int64_t *offsets = c->dictionary->buffers[1];
    ck_assert_int_eq(c->n_buffers, 2);
    ck_assert_int_eq(numbers[1], 0);
    ck_assert_int_eq(numbers[8], 0);
    ck_assert_int_eq(c->dictionary->length, 1);
    ck_assert_int_eq(c->dictionary->null_count, 0);
    ck_assert_int_eq(c->dictionary->n_buffers, 3);
    ck_assert_int_eq(offsets[0], 0);
    ck_assert_int_eq(offsets[1], (int64_t)n);
    ck_assert_mem_eq(c->dictionary->buffers[2], value, n);
}

static void check_text(const struct ArrowArray *c, const char *value, size_t n)
{
    const int64_t *offsets = c->buffers[1];
    const char *data = c->buffers[2];
    const int64_t want[ROWS + 1] = {0, 0, 1, 1, 1, 1, 1, 1, 1, 2};
    ck_assert_int_eq(c->n_buffers, 3);
    for (size_t i = 0; i <= ROWS; i++)
        ck_assert_int_eq(offsets[i], want[i] * (int64_t)n);
    ck_assert_mem_eq(data, value, n);
    ck_assert_mem_eq(data + n, value, n);
}

START_TEST(values)
{
    const int64_t start = -7, count = 5;
    const uint64_t bytes = UINT64_MAX;
    const double mean = 1.5;
    const float ratio = 0.25f;
    fill();
    struct ArrowArray array = batch_of(ROWS);
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct ArrowArray *c = array.children[i];
        ck_assert_int_eq(c->length, ROWS);
        ck_assert_int_eq(c->null_count, ROWS - 2);
        ck_assert_int_eq(c->offset, 0);
        for (size_t row = 0; row < ROWS; row++)
            ck_assert_int_eq(bit(c->buffers[0], row), row == 1 || row == 8);
    }
    ck_assert_int_eq(((const uint8_t *)array.children[FLAG]->buffers[1])[0], 2);
    ck_assert_int_eq(((const uint8_t *)array.children[FLAG]->buffers[1])[1], 1);
    check_fixed(array.children[START], &start, sizeof start);
    check_fixed(array.children[BYTES], &bytes, sizeof bytes);
    check_fixed(array.children[MEAN], &mean, sizeof mean);
    check_fixed(array.children[RATIO], &ratio, sizeof ratio);
    check_fixed(array.children[COUNT], &count, sizeof count);
    check_dictionary(array.children[NAME], "abc", 3);
    check_text(array.children[RAW], "\0\xff", 2);
    check_text(array.children[LIST], "[1,\"a\"]", 7);
    array.release(&array);
    ck_assert_ptr_null((void *)(uintptr_t)array.release);
}
END_TEST

START_TEST(no_nulls_and_no_rows)
{
    fill();
    memcpy(cells[0], cells[1], sizeof cells[0]);
    struct ArrowArray array = batch_of(2);
    for (size_t i = 0; i < COLUMNS; i++) {
        ck_assert_int_eq(array.children[i]->null_count, 0);
        ck_assert_ptr_null(array.children[i]->buffers[0]);
    }
    array.release(&array);
    array = batch_of(0);
    const int64_t *offsets = array.children[LIST]->buffers[1],
                  *of_texts = array.children[NAME]->dictionary->buffers[1];
    ck_assert_int_eq(offsets[0], 0);
    ck_assert_int_eq(of_texts[0], 0);
    ck_assert_int_eq(array.children[NAME]->dictionary->length, 0);
    array.release(&array);
}
END_TEST

/* Numbers in order of coming; a null has one, too, that says nothing. */
START_TEST(texts_that_come_again)
{
    static const char *const texts[] = {"b", "", "a", "b", "7", "a", NULL, "b", ""};
    static const int32_t want[] = {0, 1, 2, 0, 3, 2, 0, 0, 1};
    static const int64_t ends[] = {0, 1, 1, 2, 3};
    memset(cells, 0, sizeof cells);
    for (size_t i = 0; i < ROWS; i++)
        if (texts[i])
            cells[i][NAME] =
                (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)strlen(texts[i]), .v.p = texts[i]};
    cells[4][NAME] = (struct tk_cell){.kind = TK_INT, .v.i = 7};
    struct ArrowArray array = batch_of(ROWS);
    const struct ArrowArray *c = array.children[NAME];
    ck_assert_int_eq(c->null_count, 1);
    ck_assert_mem_eq(c->buffers[1], want, sizeof want);
    ck_assert_int_eq(c->dictionary->length, 4);
    ck_assert_mem_eq(c->dictionary->buffers[1], ends, sizeof ends);
    ck_assert_mem_eq(c->dictionary->buffers[2], "ba7", 3);
    array.release(&array);
}
END_TEST

/* What the type of a column holds is a value; all else is a null. */
START_TEST(numbers_of_other_kinds)
{
    static const struct {
        size_t column;
        struct tk_cell cell;
        bool is;
    } cases[] = {
        {COUNT, {.kind = TK_UINT, .v.u = INT64_MAX}, true},
        {COUNT, {.kind = TK_UINT, .v.u = (uint64_t)INT64_MAX + 1}, false},
        {COUNT, {.kind = TK_REAL, .v.r = -4}, true},
        {COUNT, {.kind = TK_REAL, .v.r = 4.5}, false},
        {COUNT, {.kind = TK_REAL, .v.r = 0x1p63}, false},
        {COUNT, {.kind = TK_REAL, .v.r = NAN}, false},
        {COUNT, {.kind = TK_TEXT, .n = 1, .v.p = "5"}, false},
        {BYTES, {.kind = TK_INT, .v.i = 4}, true},
        {BYTES, {.kind = TK_INT, .v.i = -1}, false},
        {BYTES, {.kind = TK_REAL, .v.r = 0x1p64}, false},
        {BYTES, {.kind = TK_REAL, .v.r = 12}, true},
        {MEAN, {.kind = TK_INT, .v.i = 4}, true},
        {MEAN, {.kind = TK_REAL, .v.r = NAN}, true},
        {FLAG, {.kind = TK_UINT, .v.u = 1}, false},
        {RAW, {.kind = TK_INT, .v.i = 4}, false},
        {NAME, {.kind = TK_INT, .v.i = 4}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(cells, 0, sizeof cells);
        cells[0][cases[i].column] = cases[i].cell;
        struct ArrowArray array = batch_of(1);
        ck_assert_msg(array.children[cases[i].column]->null_count == !cases[i].is, "case %zu", i);
        array.release(&array);
    }
}
END_TEST

START_TEST(texts_that_are_not_valid)
{
    static const struct {
        struct tk_cell cell;
        const char *want;
    } cases[] = {
        {{.kind = TK_TEXT, .enc = TK_ENC_BYTES, .n = 2, .v.p = "a\xff"}, "a\xef\xbf\xbd"},
        {{.kind = TK_TEXT,
          .enc = TK_ENC_UTF16,
          .n = 4,
          .v.p = "\x00\xd8"
                 "a\0"},
         "\xef\xbf\xbd"
         "a"},
        {{.kind = TK_TEXT, .n = 0, .v.p = ""}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(cells, 0, sizeof cells);
        cells[0][NAME] = cases[i].cell;
        struct ArrowArray array = batch_of(1);
        const struct ArrowArray *c = array.children[NAME];
        const int64_t *offsets = c->dictionary->buffers[1];
        ck_assert_int_eq(c->null_count, 0);
        ck_assert_int_eq(offsets[1], (int64_t)strlen(cases[i].want));
        ck_assert_mem_eq(c->dictionary->buffers[2], cases[i].want, strlen(cases[i].want));
        array.release(&array);
    }
}
END_TEST

START_TEST(lists_that_are_too_deep)
{
    static struct tk_cell deep[40];
    for (size_t i = 0; i + 1 < 40; i++)
        deep[i] = (struct tk_cell){.kind = TK_LIST, .n = 1, .v.p = &deep[i + 1]};
    memset(cells, 0, sizeof cells);
    cells[0][LIST] = deep[0];
    const struct tk_rows some = {.n = 1, .cells = cells[0]};
    struct ArrowArray array;
    ck_assert_int_eq(tk_rows_columns(&table, &some, &array, &err), TK_ELIMIT);
    ck_assert_ptr_null((void *)(uintptr_t)array.release);
}
END_TEST

/* A consumer may take a child out and release it when the rest is gone. */
START_TEST(moved_children)
{
    struct ArrowSchema schema, moved_schema;
    fill();
    struct ArrowArray array = batch_of(ROWS), moved = *array.children[NAME];
    array.children[NAME]->release = NULL;
    array.release(&array);
    check_dictionary(&moved, "abc", 3);
    moved.release(&moved);
    ck_assert_int_eq(tk_table_schema(&table, &schema, &err), TK_OK);
    moved_schema = *schema.children[NAME];
    schema.children[NAME]->release = NULL;
    schema.release(&schema);
    ck_assert_str_eq(moved_schema.name, "name");
    ck_assert_str_eq(moved_schema.format, "i");
    ck_assert_str_eq(moved_schema.dictionary->format, "U");
    moved_schema.release(&moved_schema);
}
END_TEST

/* int32 n; n times: int32, key, int32, value. */
static void check_metadata(const char *p, const char *const *want, int32_t pairs)
{
    int32_t n;
    memcpy(&n, p, sizeof n);
    ck_assert_int_eq(n, pairs);
    p += sizeof n;
    for (int32_t i = 0; i < 2 * pairs; i++) {
        memcpy(&n, p, sizeof n);
        ck_assert_int_eq(n, (int32_t)strlen(want[i]));
        ck_assert_mem_eq(p + sizeof n, want[i], (size_t)n);
        p += sizeof n + (size_t)n;
    }
}

START_TEST(schemas)
{
    static const char formats[] = "blLgfiZUl";
    static const char *const start[] = {"tracekit.kind", "time", "tracekit.unit", "ns",
                                        "tracekit.help", "When."};
    static const char *const count[] = {"tracekit.kind", "int",           "tracekit.unit",
                                        "calls",         "tracekit.help", ""};
    struct ArrowSchema schema;
    ck_assert_int_eq(tk_table_schema(&table, &schema, &err), TK_OK);
    ck_assert_str_eq(schema.format, "+s");
    ck_assert_str_eq(schema.name, "made");
    ck_assert_int_eq(schema.n_children, COLUMNS);
    for (size_t i = 0; i < COLUMNS; i++) {
        ck_assert_str_eq(schema.children[i]->name, columns[i].name);
        ck_assert_int_eq(schema.children[i]->format[0], formats[i]);
        ck_assert_int_eq(schema.children[i]->format[1], 0);
        ck_assert_int_eq(schema.children[i]->flags, ARROW_FLAG_NULLABLE);
        ck_assert_int_eq(schema.children[i]->dictionary != NULL, i == NAME);
    }
    check_metadata(schema.children[START]->metadata, start, 3);
    check_metadata(schema.children[COUNT]->metadata, count, 3);
    schema.release(&schema);
}
END_TEST

static struct tk_result *result_of(size_t rows)
{
    const struct tk_rows some = {.n = rows, .cells = cells[0]};
    struct tk_result *result;
    ck_assert_int_eq(tk_result_new(&result, &err), TK_OK);
    const struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_eq(sink.begin(sink.self, &table, &err), TK_OK);
    ck_assert_int_eq(sink.rows(sink.self, &table, &some, &err), TK_OK);
    return result;
}

START_TEST(streams)
{
    static const struct {
        size_t rows, batch, batches, last;
    } cases[] = {{9, 4, 3, 1}, {8, 4, 2, 4}, {9, 0, 1, 9}, {9, 100, 1, 9}, {0, 0, 1, 0}, {0, 4, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fill();
        for (size_t row = 0; row < ROWS; row++)
            cells[row][COUNT] = (struct tk_cell){.kind = TK_INT, .v.i = (int64_t)row};
        struct tk_result *result = result_of(cases[i].rows);
        struct ArrowArrayStream stream;
        struct ArrowArray array = {0};
        struct ArrowSchema schema;
        ck_assert_int_eq(tk_result_columns(result, 0, cases[i].batch, &stream, &err), TK_OK);
        tk_result_free(result);
        ck_assert_int_eq(stream.get_schema(&stream, &schema), 0);
        ck_assert_str_eq(schema.children[NAME]->name, "name");
        schema.release(&schema);
        int64_t row = 0;
        for (size_t k = 0; k < cases[i].batches; k++) {
            ck_assert_int_eq(stream.get_next(&stream, &array), 0);
            ck_assert_ptr_nonnull((void *)(uintptr_t)array.release);
            const int64_t *counts = array.children[COUNT]->buffers[1];
            for (int64_t at = 0; at < array.length; at++)
                ck_assert_int_eq(counts[at], row++);
            if (k + 1 == cases[i].batches)
                ck_assert_int_eq(array.length, (int64_t)cases[i].last);
            array.release(&array);
        }
        ck_assert_int_eq(row, (int64_t)cases[i].rows);
        ck_assert_int_eq(stream.get_next(&stream, &array), 0);
        ck_assert_ptr_null((void *)(uintptr_t)array.release);
        ck_assert_ptr_null(stream.get_last_error(&stream));
        stream.release(&stream);
        ck_assert_ptr_null((void *)(uintptr_t)stream.release);
    }
}
END_TEST

START_TEST(streams_left_early_and_of_nothing)
{
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    fill();
    struct tk_result *result = result_of(ROWS);
    ck_assert_int_eq(tk_result_columns(result, 0, 2, &stream, &err), TK_OK);
    ck_assert_int_eq(stream.get_next(&stream, &array), 0);
    stream.release(&stream);
    ck_assert_int_eq(array.length, 2); /* lives on without the stream */
    array.release(&array);
    ck_assert_int_eq(tk_result_columns(result, 1, 0, &stream, &err), TK_EUSAGE);
    ck_assert_ptr_null((void *)(uintptr_t)stream.release);
    struct tk_result *packed;
    ck_assert_int_eq(tk_result_new(&packed, &err), TK_OK);
    tk_result_pack(packed);
    const struct tk_sink sink = tk_result_sink(packed);
    ck_assert_int_eq(tk_result_replay(result, &sink, &err), TK_OK);
    ck_assert_int_eq(tk_result_columns(packed, 0, 0, &stream, &err), TK_EUSAGE);
    ck_assert_ptr_null((void *)(uintptr_t)stream.release);
    tk_result_free(packed);
    tk_result_free(result);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {values,
                                  no_nulls_and_no_rows,
                                  texts_that_come_again,
                                  numbers_of_other_kinds,
                                  texts_that_are_not_valid,
                                  lists_that_are_too_deep,
                                  moved_children,
                                  schemas,
                                  streams,
                                  streams_left_early_and_of_nothing};
    return RUN_TESTS("columns", tests);
}
