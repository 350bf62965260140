/* Recorded pictures of a page: the nearest ones to times, bounds, and how far a picture is from a frame. */
#include "page/album.h"
#include "run.h"
#include "table/cell.h"

#include <stdio.h>

enum { ID, PIXELS_WIDE, PIXELS_HIGH, FLIPPED, DATA, TIME, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [ID] = {"image_id", TK_UINT, 0, NULL, ""},        [PIXELS_WIDE] = {"width", TK_UINT, 0, NULL, ""},
    [PIXELS_HIGH] = {"height", TK_UINT, 0, NULL, ""}, [FLIPPED] = {"flipped", TK_BOOL, 0, NULL, ""},
    [DATA] = {"data", TK_BYTES, 0, NULL, ""},         [TIME] = {"time", TK_TIME, 0, NULL, ""}};
static const struct tk_table table = {.name = "frame_images", .columns = columns, .n_columns = COLUMNS};

static struct tk_album album;
static struct tk_album_limit limit;
static uint8_t blocks[8 * 100 * 100];
static char text[200000];
static size_t n_text;

static void begin(void)
{
    album = (struct tk_album){.omitted = 0};
    limit = TK_ALBUM_LIMIT;
    srand(3);
    for (size_t i = 0; i < sizeof blocks; i++)
        blocks[i] = (uint8_t)rand();
}

static void end(void)
{
    tk_album_release(&album);
}

static void fill(struct tk_cell *row, uint64_t id, int64_t time, uint64_t edge)
{
    row[ID] = tk_cell_of_uint(id);
    row[PIXELS_WIDE] = row[PIXELS_HIGH] = tk_cell_of_uint(edge);
    row[FLIPPED] = tk_cell_of_bool(false);
    row[DATA] = (struct tk_cell){.kind = TK_BYTES, .n = (uint32_t)(edge * edge / 2), .v.p = blocks};
    row[TIME] = time < 0 ? (struct tk_cell){.kind = TK_NONE} : tk_cell_of_time(time);
}

/* Pictures at 0, 100, 200, ..., each of edge * edge pixels. */
static void note(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct tk_cell row[COLUMNS];
        fill(row, i, (int64_t)i * 100, 4);
        ck_assert_int_eq(tk_album_note_row(&album, &table, row), TK_OK);
    }
}

static void take(size_t n, uint64_t edge)
{
    const struct tk_sink sink = tk_album_sink(&album);
    struct tk_err err = {0};
    for (size_t i = 0; i < n; i++) {
        struct tk_cell row[COLUMNS];
        fill(row, i, (int64_t)i * 100, edge);
        ck_assert_int_eq(sink.rows(sink.self, &table, &(struct tk_rows){1, row}, &err), TK_OK);
    }
    tk_album_end(&album, &limit);
}

START_TEST(test_nearest)
{
    const struct tk_album_want wanted[] = {{640, 0}, {140, 300}, {-50, 10}, {651, 0}, {210, 1}};
    note(20);
    ck_assert_int_eq(tk_album_choose(&album, wanted, 5, &limit), TK_OK);
    take(20, 8);
    /* The second lasts until 440: 200 is in it, and first. 210 to 211 is nearest to 200 as well. */
    static const int64_t times[] = {0, 200, 600, 700};
    ck_assert_uint_eq(album.pictures.n, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(album.pictures.v[i].of.time, times[i]);
        ck_assert_str_eq(album.pictures.v[i].kind, "png");
    }
    ck_assert_uint_eq(tk_album_nearest(&album, &wanted[1]), 1);
    ck_assert_uint_eq(tk_album_nearest(&album, &(struct tk_album_want){9999, 5}), 3);
    ck_assert_uint_eq(limit.pictures, TK_ALBUM_PICTURES - 4);
}
END_TEST

START_TEST(test_bounds)
{
    struct tk_album_want wanted[40];
    for (size_t i = 0; i < 40; i++)
        wanted[i] = (struct tk_album_want){(int64_t)i * 100, 0};
    note(40);
    ck_assert_int_eq(tk_album_choose(&album, wanted, 40, &limit), TK_OK);
    ck_assert_uint_eq(album.pictures.n, TK_ALBUM_PICTURES);
    take(40, 400); /* 480,000 bytes of noise each, as large as they are */
    size_t bytes = 0;
    for (size_t i = 0; i < album.pictures.n; i++)
        bytes += (album.pictures.v[i].bytes + 2) / 3 * 4;
    ck_assert_uint_eq(album.pictures.n, TK_ALBUM_PICTURES);
    ck_assert_uint_eq(album.omitted, 0);
    ck_assert_uint_eq(limit.bytes, TK_ALBUM_BYTES - bytes);
    ck_assert_uint_gt(bytes, TK_ALBUM_BYTES / 8);
    ck_assert_uint_eq(limit.pictures, 0);
}
END_TEST

START_TEST(test_least_important)
{
    const struct tk_album_want wanted[] = {{300, 0}, {100, 0}, {200, 0}};
    note(4);
    ck_assert_int_eq(tk_album_choose(&album, wanted, 3, &limit), TK_OK);
    limit.bytes = 250; /* for two pictures of 4 x 4 pixels at most */
    take(4, 4);
    ck_assert_uint_gt(album.pictures.n, 0);
    ck_assert_uint_lt(album.pictures.n, 3);
    ck_assert_uint_eq(album.pictures.n + album.omitted, 3);
    ck_assert_int_eq(album.pictures.v[album.pictures.n - 1].of.time, 300);
}
END_TEST

START_TEST(test_refused)
{
    struct tk_cell row[COLUMNS];
    const struct tk_album_want wanted = {0, 0};
    fill(row, 0, -1, 4); /* nobody knows when */
    ck_assert_int_eq(tk_album_note_row(&album, &table, row), TK_OK);
    ck_assert_uint_eq(album.known.n, 0);
    note(1);
    ck_assert_int_eq(tk_album_choose(&album, &wanted, 1, &limit), TK_OK);
    take(1, 6); /* no whole blocks */
    ck_assert_uint_eq(album.pictures.n, 0);
    ck_assert_uint_eq(album.omitted, 1);
    ck_assert_uint_eq(limit.bytes, TK_ALBUM_BYTES);
    ck_assert_uint_eq(tk_album_nearest(&album, &wanted), 0);
}
END_TEST

static void take_text(void *to, const char *p, size_t n)
{
    (void)to;
    memcpy(text + n_text, p, n);
    n_text += n;
    text[n_text] = '\0';
}

static const char *distance(int64_t time, int64_t begin_of, int64_t length)
{
    const struct tk_album_picture picture = {.of = {time, 0}};
    n_text = 0;
    tk_album_put_distance(&picture, &(struct tk_album_want){begin_of, length},
                          (struct tk_html){.put = take_text});
    return text;
}

START_TEST(test_distance)
{
    ck_assert_str_eq(distance(5000, 5000, 100), "in this frame");
    ck_assert_str_eq(distance(5099, 5000, 100), "in this frame");
    ck_assert_str_eq(distance(4500, 5000, 100), "500 ns before this frame");
    ck_assert_str_eq(distance(5850, 5000, 100), "750 ns after this frame");
    ck_assert_str_eq(distance(5100, 5000, 100), "0 ns after this frame");
}
END_TEST

START_TEST(test_base64)
{
    /* RFC 4648, section 10 */
    static const char *const pairs[][2] = {{"f", "Zg=="},         {"fo", "Zm8="},
                                           {"foo", "Zm9v"},       {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < 6; i++) {
        n_text = 0;
        tk_html_base64((struct tk_html){.put = take_text}, (const uint8_t *)pairs[i][0], strlen(pairs[i][0]));
        ck_assert_str_eq(text, pairs[i][1]);
    }
    n_text = 0;
    tk_html_base64((struct tk_html){.put = take_text}, blocks, 30000);
    ck_assert_uint_eq(n_text, 40000);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_nearest, test_bounds,   test_least_important,
                                  test_refused, test_distance, test_base64};
    return RUN_TESTS_AROUND("album", tests, begin, end);
}
