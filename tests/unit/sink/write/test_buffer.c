/* Buffers: what cannot be held fails the buffer, and of a scratch buffer the one that its pieces go to. */
#include "sink/write/buffer.h"
#include "sink/written.h"

static volatile size_t too_much = SIZE_MAX / 2; /* nothing of it is read */

START_TEST(failures_stick)
{
    struct tk_err err = {0};
    struct tk_buffer b;
    ck_assert_int_eq(tk_buffer_init(&b, NULL, &err), TK_OK);
    tk_buffer_text(&b, "one");
    tk_buffer_put(&b, "", too_much);
    tk_buffer_text(&b, "two");
    ck_assert_int_eq(b.status, TK_ENOMEM);
    ck_assert_int_eq(err.code, TK_ENOMEM);
    tk_buffer_release(&b);
}
END_TEST

START_TEST(scratch_fails_what_it_is_for)
{
    struct tk_err first = {0}, later = {0};
    struct tk_buffer out, piece, inner;
    ck_assert_int_eq(tk_buffer_init(&out, NULL, &first), TK_OK);
    ck_assert_int_eq(tk_buffer_init_scratch(&piece, &out), TK_OK);
    ck_assert_int_eq(tk_buffer_init_scratch(&inner, &out), TK_OK);
    out.err = &later;
    tk_buffer_put(&piece, "", too_much);
    ck_assert_int_eq(piece.status, TK_ENOMEM);
    ck_assert_int_eq(out.status, TK_ENOMEM);
    ck_assert_int_eq(inner.status, TK_OK);
    ck_assert_int_eq(first.code, TK_OK);
    ck_assert_int_eq(later.code, TK_ENOMEM);
    tk_buffer_release(&inner);
    tk_buffer_release(&piece);
    tk_buffer_release(&out);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {failures_stick, scratch_fails_what_it_is_for};
    return RUN_TESTS("buffer", tests);
}
