/*
 * Batches at the edges of a window, worked out by hand: entries of V3 with one difference a line.
 */
#include "edit/utrace/cut/survey.h"
#include "run.h"

#include <string.h>

enum { START = 1000000, V3 = 3 };

/* An entry: b, the begin of a timer; e, an end; r, a coroutine that comes back; s, one that goes. */
struct entry {
    char kind;
    int64_t time; /* since the start */
    uint64_t number, depth;
};

static void put_batch(struct tk_uw_bytes *out, const struct entry *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t time = i ? (uint64_t)(v[i].time - v[i - 1].time) : (uint64_t)v[i].time + START;
        const bool begins = v[i].kind == 'b' || v[i].kind == 'r',
                   coroutine = v[i].kind == 'r' || v[i].kind == 's';
        tk_uw_varint(out, time << 2 | (coroutine ? 2u : 0) | (begins ? 1u : 0));
        if (v[i].kind == 'b')
            tk_uw_varint(out, v[i].number << 1);
        if (v[i].kind == 'r')
            tk_uw_varint(out, v[i].number);
        if (coroutine)
            tk_uw_varint(out, v[i].depth);
    }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Cuts one batch; what stays has to be `wanted`, the first `front` of it as a batch of its own, or all of it
 * where that is NULL. */
static void expect_apart(struct tk_edit_cut_scopes *s, int64_t from, int64_t to, const struct entry *v,
                         size_t n, const struct entry *wanted, size_t n_wanted, size_t front)
{
    const struct tk_edit_window window = {from, to, START};
    struct tk_uw_bytes in = {0}, out = {0};
    bool same;
    put_batch(&in, v, n);
    put_batch(&out, wanted, front);
    const size_t apart = out.size;
    if (front < n_wanted)
        put_batch(&out, wanted + front, n_wanted - front);
    ck_assert_int_eq(tk_edit_cut_batch(s, &window, V3, in.data, in.size, &same), 0);
    ck_assert(same == !wanted);
    if (wanted) {
        ck_assert_uint_eq(s->front, apart);
        ck_assert_uint_eq(s->out.size, out.size);
        ck_assert(!out.size || memcmp(s->out.data, out.data, out.size) == 0);
    }
    tk_uw_bytes_release(&in);
    tk_uw_bytes_release(&out);
}

static void expect(struct tk_edit_cut_scopes *s, int64_t from, int64_t to, const struct entry *v, size_t n,
                   const struct entry *wanted, size_t n_wanted)
{
    expect_apart(s, from, to, v, n, wanted, n_wanted, 0);
}

/* Three scopes are open when the window begins, one of them ends in it, two behind it. */
START_TEST(both_edges)
{
    static const struct entry batch[] = {
        {'b', 900, 1, 0},  {'b', 950, 2, 0},  {'b', 990, 3, 0},  {'e', 1010, 0, 0}, {'b', 1050, 4, 0},
        {'e', 1060, 0, 0}, {'e', 1090, 0, 0}, {'b', 1095, 5, 0}, {'e', 1130, 0, 0}, {'e', 1200, 0, 0}};
    static const struct entry cut[] = {
        {'b', 1000, 1, 0}, {'b', 1000, 2, 0}, {'b', 1000, 3, 0}, {'e', 1010, 0, 0}, {'b', 1050, 4, 0},
        {'e', 1060, 0, 0}, {'e', 1090, 0, 0}, {'b', 1095, 5, 0}, {'e', 1100, 0, 0}, {'e', 1100, 0, 0}};
    struct tk_edit_cut_scopes s = {0};
    expect_apart(&s, 1000, 1100, batch, COUNT(batch), cut, COUNT(cut), 3);
    tk_edit_cut_scopes_release(&s);
}
END_TEST

/* What lies inside stays as it is; what lies before or behind goes. */
START_TEST(inside_and_outside)
{
    static const struct entry batch[] = {{'b', 20, 7, 0}, {'e', 30, 0, 0}};
    struct tk_edit_cut_scopes s = {0};
    expect(&s, 20, 31, batch, COUNT(batch), NULL, 0);
    expect(&s, 40, 50, batch, COUNT(batch), batch, 0);
    expect(&s, 5, 20, batch, COUNT(batch), batch, 0);
    tk_edit_cut_scopes_release(&s);
}
END_TEST

/* Many scopes, one after another: those of the window stay as they are, and the last one ends with it. */
START_TEST(many)
{
    enum { SCOPES = 60, FIRST = 10, LAST = 30 };
    struct entry batch[2 * SCOPES];
    struct tk_edit_cut_scopes s = {0};
    for (int i = 0; i < SCOPES; i++) {
        batch[2 * i] = (struct entry){'b', 100 + 10 * i, 300 + (uint64_t)i, 0};
        batch[2 * i + 1] = (struct entry){'e', 105 + 10 * i, 0, 0};
    }
    struct entry cut[2 * (LAST - FIRST + 1)];
    memcpy(cut, batch + 2 * FIRST, sizeof cut);
    cut[COUNT(cut) - 1].time = 100 + 10 * LAST + 3;
    expect(&s, 100 + 10 * FIRST, 100 + 10 * LAST + 3, batch, COUNT(batch), cut, COUNT(cut));
    ck_assert_uint_eq(s.stack.n, 0);
    tk_edit_cut_scopes_release(&s);
}
END_TEST

/* A scope that ends with the first cycle is before the window, though one without a length in it is not. */
START_TEST(ends_with_the_begin)
{
    static const struct entry batch[] = {{'b', 5, 1, 0},  {'b', 10, 2, 0}, {'b', 20, 3, 0},
                                         {'e', 20, 0, 0}, {'e', 20, 0, 0}, {'e', 30, 0, 0}};
    static const struct entry cut[] = {{'b', 20, 1, 0}, {'b', 20, 3, 0}, {'e', 20, 0, 0}, {'e', 30, 0, 0}};
    struct tk_edit_cut_scopes s = {0};
    expect_apart(&s, 20, 50, batch, COUNT(batch), cut, COUNT(cut), 1);
    tk_edit_cut_scopes_release(&s);
}
END_TEST

/* Behind the window nothing is looked at once all that stays has ended. */
START_TEST(over)
{
    static const struct entry batch[] = {{'b', 10, 1, 0}, {'b', 60, 2, 0}}, ends[] = {{'e', 70, 0, 0}},
                              cut[] = {{'b', 10, 1, 0}}, end[] = {{'e', 50, 0, 0}};
    const struct tk_edit_window window = {0, 50, START};
    struct tk_edit_cut_scopes s = {0};
    expect(&s, 0, 50, batch, COUNT(batch), cut, COUNT(cut));
    ck_assert(!tk_edit_cut_over(&s, &window, 70));
    expect(&s, 0, 50, ends, 1, ends, 0);
    ck_assert(!tk_edit_cut_over(&s, &window, 70));
    expect(&s, 0, 50, ends, 1, end, 1);
    ck_assert(!tk_edit_cut_over(&s, &window, 49));
    ck_assert(tk_edit_cut_over(&s, &window, 70));
    tk_edit_cut_scopes_release(&s);
}
END_TEST

/* A coroutine with two scopes under it is open at the begin of the window, and goes behind its end. */
START_TEST(coroutines)
{
    static const struct entry batch[] = {{'r', 10, 99, 2}, {'b', 15, 4, 0}, {'e', 25, 0, 0}, {'s', 60, 0, 2}};
    static const struct entry cut[] = {{'r', 20, 99, 2}, {'b', 20, 4, 0}, {'e', 25, 0, 0}, {'s', 50, 0, 2}};
    struct tk_edit_cut_scopes s = {0};
    expect_apart(&s, 20, 50, batch, COUNT(batch), cut, COUNT(cut), 2);
    tk_edit_cut_scopes_release(&s);
}
END_TEST

/* Nothing is said in the window of a scope that is open all through it. */
START_TEST(over_all)
{
    static const struct entry before[] = {{'b', 10, 3, 0}}, carried[] = {{'b', 20, 3, 0}};
    const struct tk_edit_window window = {20, 50, START};
    struct tk_edit_cut_scopes s = {0};
    struct tk_uw_bytes wanted = {0};
    expect(&s, 20, 50, before, 1, before, 0);
    ck_assert_int_eq(tk_edit_cut_rest(&s, &window, V3), 0);
    put_batch(&wanted, carried, 1);
    ck_assert_uint_eq(s.out.size, wanted.size);
    ck_assert_int_eq(memcmp(s.out.data, wanted.data, wanted.size), 0);
    tk_uw_bytes_release(&wanted);
    tk_edit_cut_scopes_release(&s);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {both_edges, inside_and_outside, many,    ends_with_the_begin,
                                  over,       coroutines,         over_all};
    return run_tests("cut_scopes", tests, sizeof tests / sizeof *tests, 1, (struct around){0});
}
