/*
 * Writes a table with the extremes of each kind in every format, and a capture whose memory tags have the
 * extremes of their type. The columns of the table are named after their kinds; check_extremes.py has the
 * same values.
 *
 * usage: columns-extremes FOLDER
 */
#include "tracekit.h"
#include "utrace_writer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 5 };

#define COLUMN(n, k)                                                                                         \
    {                                                                                                        \
        .name = (n), .kind = (k), .help = ""                                                                 \
    }
static const struct tk_column columns[] = {
    COLUMN("bool", TK_BOOL), COLUMN("int", TK_INT),           COLUMN("uint", TK_UINT),
    COLUMN("hex", TK_HEX),   COLUMN("real32", TK_REAL32),     COLUMN("real", TK_REAL),
    COLUMN("time", TK_TIME), COLUMN("duration", TK_DURATION), COLUMN("mean", TK_MEAN),
    COLUMN("size", TK_SIZE), COLUMN("text", TK_TEXT),         COLUMN("bytes", TK_BYTES),
};
enum { COLUMNS = sizeof columns / sizeof *columns };
static const struct tk_table table = {
    .name = "extremes", .help = "", .columns = columns, .n_columns = COLUMNS};

static const uint64_t bools[ROWS] = {0, 1, 1, 0, 1};
static const int64_t ints[ROWS] = {INT64_MIN, INT64_MAX, -1, 0, 1};
static const uint64_t uints[ROWS] = {0, UINT64_MAX, (uint64_t)INT64_MAX + 1, INT64_MAX, 1};
static const double singles[ROWS] = {-FLT_MAX, FLT_MAX, FLT_MIN, 0, -1.5};
static const double reals[ROWS] = {-DBL_MAX, DBL_MAX, DBL_MIN, 0, -1.5};
static const char *const texts[ROWS] = {"", "\x7f", "a\"b,c;d\te\nf\\", "\xf4\x8f\xbf\xbf", " "};
static const char bytes[ROWS][3] = {"", "\x00\xff", "\xff", "\x00", "ab"};
static const uint32_t lengths[ROWS] = {0, 2, 1, 1, 2};

static struct tk_cell cell_at(uint8_t kind, size_t row)
{
    struct tk_cell c = {.kind = kind};
    if (kind == TK_BOOL)
        c.v.u = bools[row];
    else if (kind == TK_INT || kind == TK_TIME || kind == TK_DURATION)
        c.v.i = ints[row];
    else if (kind == TK_UINT || kind == TK_HEX || kind == TK_SIZE)
        c.v.u = uints[row];
    else if (kind == TK_REAL32)
        c.v.r = singles[row];
    else if (kind == TK_REAL || kind == TK_MEAN)
        c.v.r = reals[row];
    c.n = kind == TK_TEXT ? (uint32_t)strlen(texts[row]) : kind == TK_BYTES ? lengths[row] : 0;
    if (c.kind == TK_TEXT || c.kind == TK_BYTES)
        c.v.p = c.kind == TK_TEXT ? texts[row] : bytes[row];
    return c;
}

static void count_lost(void *ctx, const char *of, const char *column, uint64_t values)
{
    *(uint64_t *)ctx += values;
    fprintf(stderr, "%s.%s: %llu lost\n", of, column, (unsigned long long)values);
}

/* The result stands between, as in every command that sorts. */
static int write_format(const char *folder, const char *format, const struct tk_result *result)
{
    char path[4096];
    uint64_t lost = 0;
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    struct tk_output *out;
    struct tk_writer *writer = NULL;
    struct tk_err err = {0};
    opt.lost = count_lost;
    opt.ctx = &lost;
    opt.exact = true;
    snprintf(path, sizeof path, "%s/extremes.%s", folder, format);
    int rc = tk_output_open(&out, path, true, &err);
    if (rc == TK_OK)
        rc = tk_writer_new(&writer, format, out, &opt, &err);
    if (rc == TK_OK) {
        const struct tk_sink sink = tk_writer_sink(writer);
        rc = tk_result_replay(result, &sink, &err);
    }
    if (rc == TK_OK)
        rc = tk_writer_finish(writer, &err);
    tk_writer_free(writer);
    if (rc == TK_OK)
        rc = tk_output_commit(out, &err);
    if (rc < 0 || lost)
        fprintf(stderr, "%s: %d %s, %llu lost\n", format, rc, err.text[0], (unsigned long long)lost);
    return rc < 0 || lost;
}

static bool is_fixed(const struct ArrowArray *column, size_t row, const void *value, size_t n)
{
    return column->n_buffers == 2 && column->null_count == 0 &&
           memcmp((const char *)column->buffers[1] + row * n, value, n) == 0;
}

/* Numbers in the C data interface of Arrow. */
static int check_columns(const struct tk_rows *rows)
{
    struct tk_err err = {0};
    struct ArrowArray all;
    int wrong = 0;
    if (tk_rows_columns(&table, rows, &all, &err) != TK_OK)
        return 1;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 1; i < COLUMNS; i++) {
            const struct tk_cell c = cell_at(columns[i].kind, row);
            const float single = (float)c.v.r;
            if (c.kind < TK_TEXT &&
                !is_fixed(all.children[i], row, c.kind == TK_REAL32 ? (void *)&single : (void *)&c.v,
                          c.kind == TK_REAL32 ? sizeof single : sizeof c.v.u)) {
                fprintf(stderr, "column %s, row %zu: another value for Arrow\n", columns[i].name, row);
                wrong = 1;
            }
        }
    all.release(&all);
    return wrong;
}

static int write_formats(const char *folder)
{
    struct tk_cell cells[ROWS][COLUMNS];
    const struct tk_rows rows = {.n = ROWS, .cells = cells[0]};
    struct tk_result *result;
    struct tk_err err = {0};
    int failed = 0;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < COLUMNS; i++)
            cells[row][i] = cell_at(columns[i].kind, row);
    if (tk_result_new(&result, &err) != TK_OK)
        return 1;
    const struct tk_sink keep = tk_result_sink(result);
    if ((keep.begin && keep.begin(keep.self, &table, &err)) || keep.rows(keep.self, &table, &rows, &err) ||
        (keep.end && keep.end(keep.self, &table, &err)))
        return 1;
    for (const char *const *format = tk_writer_formats(); *format; format++)
        if (strcmp(*format, "plot") != 0)
            failed |= write_format(folder, *format, result);
    tk_result_free(result);
    return failed | check_columns(&rows);
}

/* ---- a capture ---- */

static const struct tk_uw_field tag_fields[] = {{.name = "TagId", .type = TK_UW_U32},
                                                {.name = "ParentId", .type = TK_UW_I32},
                                                {.name = "Name", .type = TK_UW_ANSI}};
static const struct tk_uw_field value_fields[] = {{.name = "TrackerId", .type = TK_UW_U8},
                                                  {.name = "Cycle", .type = TK_UW_U64},
                                                  {.name = "Tags", .type = TK_UW_U32S},
                                                  {.name = "Values", .type = TK_UW_I64S}};

static void put_tag(struct tk_uw_lane *lane, const struct tk_uw_type *type, uint32_t id, const char *name)
{
    tk_uw_begin(lane, type);
    tk_uw_u32(&lane->pending, id);
    tk_uw_u32(&lane->pending, UINT32_MAX);
    tk_uw_value(lane, type, 2, name, strlen(name));
    tk_uw_end(lane, type);
}

static void put_value(struct tk_uw_lane *lane, const struct tk_uw_type *type, uint64_t cycle, uint32_t tag,
                      int64_t bytes_of_tag)
{
    struct tk_uw_bytes id = {0}, value = {0};
    tk_uw_u32(&id, tag);
    tk_uw_u64(&value, (uint64_t)bytes_of_tag);
    tk_uw_begin(lane, type);
    tk_uw_u8(&lane->pending, 0);
    tk_uw_u64(&lane->pending, cycle);
    tk_uw_value(lane, type, 2, id.data, id.size);
    tk_uw_value(lane, type, 3, value.data, value.size);
    tk_uw_end(lane, type);
    tk_uw_bytes_release(&id);
    tk_uw_bytes_release(&value);
}

static int write_capture(const char *folder)
{
    const uint8_t flags = TK_UW_IMPORTANT | TK_UW_NOSYNC | TK_UW_AUX;
    struct tk_uw_type tag = {"LLM", "TagsSpec", TK_UW_FIELDS(tag_fields), flags, 0};
    struct tk_uw_type value = {"LLM", "TagValue", TK_UW_FIELDS(value_fields), TK_UW_AUX, 0};
    struct tk_uw uw;
    struct tk_uw_lane lane;
    char path[4096];
    snprintf(path, sizeof path, "%s/extremes.utrace", folder);
    const struct tk_uw_options options = {TK_UW_DEFAULTS, .path = path};
    tk_uw_open(&uw, &options);
    tk_uw_new_trace(&uw);
    tk_uw_thread(&uw, &lane, 2);
    tk_uw_register(&uw, &tag);
    tk_uw_register(&uw, &value);
    put_tag(&uw.important, &tag, 10, "extreme");
    put_tag(&uw.important, &tag, 11, "shrinks");
    for (size_t row = 0; row < ROWS; row++)
        put_value(&lane, &value, uw.start_cycle + 1000 * row, 10, ints[row]);
    for (size_t row = 0; row < 2; row++)
        put_value(&lane, &value, uw.start_cycle + 10000 * (row + 1), 11, row ? -7 : 100);
    struct tk_uw_lane *lanes[] = {&lane};
    tk_uw_round(&uw, lanes, 1);
    tk_uw_lane_release(&lane);
    return tk_uw_close(&uw);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    return write_formats(argv[1]) || write_capture(argv[1]);
}
