/* The window over a text: the same bytes with a map and without, pieces larger than a part of a map, the
 * limit. */
#include "format/events/window.h"
#include "io/files.h"

enum { SIZE = 21 << 20, STEP = 3 << 20, LARGE = 15 << 20 };

static uint8_t *bytes;

static struct tk_file *open_big(void)
{
    struct tk_limits limits = tk_limits_default();
    struct tk_file *f;
    make_dir();
    bytes = malloc(SIZE);
    ck_assert_ptr_nonnull(bytes);
    fill_bytes(bytes, SIZE);
    put_file(in_dir("a"), bytes, SIZE);
    ck_assert_int_eq(tk_file_open(&f, in_dir("a"), NULL, &limits, NULL, NULL), TK_OK);
    return f;
}

static void close_big(struct tk_file *f)
{
    tk_file_close(f);
    free(bytes);
    remove_dir();
}

static void check_visible(const struct tk_ev_window *w)
{
    ck_assert_uint_le(w->at, w->n);
    ck_assert_uint_le(w->start + w->n, SIZE);
    ck_assert(w->n == 0 || memcmp(w->buf, bytes + w->start, w->n) == 0);
}

/* _i is 1 with a map */
START_TEST(goes_over_the_whole_file_twice)
{
    struct tk_file *f = open_big();
    struct tk_ev_window w;
    ck_assert_int_eq(tk_ev_window_open(&w, f, UINT64_MAX, _i, NULL), TK_OK);
    ck_assert_int_eq(w.map != NULL, _i);
    for (unsigned round = 0; round < 2; round++, tk_ev_window_rewind(&w)) {
        uint64_t seen = 0;
        while (tk_ev_window_need(&w, 1000, NULL) == TK_ITEM) {
            check_visible(&w);
            const size_t step = w.n - w.at < STEP ? w.n - w.at - 999 : STEP;
            w.at += step;
            seen += step;
            ck_assert_uint_eq(tk_ev_window_here(&w), seen);
        }
        ck_assert(w.end);
        ck_assert_uint_eq(w.start + w.n, SIZE);
        check_visible(&w);
    }
    tk_ev_window_close(&w);
    close_big(f);
}
END_TEST

START_TEST(shows_large_pieces)
{
    struct tk_file *f = open_big();
    struct tk_ev_window w;
    ck_assert_int_eq(tk_ev_window_open(&w, f, UINT64_MAX, _i, NULL), TK_OK);
    ck_assert_int_eq(tk_ev_window_need(&w, 1000, NULL), TK_ITEM);
    w.at = 777;
    ck_assert_int_eq(tk_ev_window_need(&w, LARGE, NULL), TK_ITEM);
    ck_assert_uint_eq(tk_ev_window_here(&w), 777);
    ck_assert_uint_ge(w.n - w.at, LARGE);
    check_visible(&w);
    ck_assert_int_eq(tk_ev_window_need(&w, SIZE, NULL), TK_OK);
    ck_assert_uint_eq(w.n - w.at, SIZE - 777);
    check_visible(&w);
    tk_ev_window_close(&w);
    close_big(f);
}
END_TEST

START_TEST(stops_at_the_limit)
{
    struct tk_file *f = open_big();
    struct tk_ev_window w;
    ck_assert_int_eq(tk_ev_window_open(&w, f, 2 << 20, _i, NULL), TK_OK);
    ck_assert_int_eq(tk_ev_window_need(&w, 2 << 20, NULL), TK_ITEM);
    ck_assert_int_eq(tk_ev_window_need(&w, (2 << 20) + 1, NULL), TK_ELIMIT);
    check_visible(&w);
    w.at += 1 << 20;
    ck_assert_int_eq(tk_ev_window_need(&w, (2 << 20) - 5, NULL), TK_ITEM);
    ck_assert_uint_le(w.n - w.at, 2 << 20);
    check_visible(&w);
    tk_ev_window_close(&w);
    close_big(f);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {goes_over_the_whole_file_twice, shows_large_pieces, stops_at_the_limit};
    return RUN_TESTS_EACH("window", tests, 2);
}
