/*
 * Which scope an end is about: by its writer, and those beyond the limit first.
 */
#include "fact/scopes.h"
#include "run.h"

enum { PLAIN = 0, STAMPED = TK_OP_STAMPED };

/* Elements of any size hold the op of a begin. */
struct element {
    int64_t time;
    uint32_t op;
    uint8_t more;
};

static size_t innermost(const struct element *v, size_t n, uint32_t op)
{
    return tk_scope_innermost(&v->op, sizeof *v, n, op);
}

START_TEST(ends_belong_to_their_writer)
{
    const struct element v[] = {{1, 3, 0}, {2, STAMPED | 4, 0}, {3, 5, 0}, {4, 6, 0}};
    ck_assert_uint_eq(innermost(v, 4, TK_OP_END), 4);
    ck_assert_uint_eq(innermost(v, 4, TK_OP_END | STAMPED), 2);
    ck_assert_uint_eq(innermost(v, 2, TK_OP_END), 1);
    ck_assert_uint_eq(innermost(v, 1, TK_OP_END | STAMPED), 0);
    ck_assert_uint_eq(innermost(v, 0, TK_OP_END), 0);
}
END_TEST

START_TEST(up_to_the_limit_nothing_is_too_deep)
{
    struct tk_scopes_beyond b = {{0, 0}};
    ck_assert(!tk_scopes_beyond_begin(&b, 0, 2, PLAIN));
    ck_assert(!tk_scopes_beyond_begin(&b, 1, 2, STAMPED));
    ck_assert(!tk_scopes_beyond_end(&b, TK_OP_END));
    ck_assert(!tk_scopes_beyond_lose(&b));
    ck_assert_uint_eq(tk_scopes_beyond_count(&b), 0);
}
END_TEST

/* Two kept, a plain and a stamped one beyond. A kept one ends meanwhile, which makes no capacity: what begins
 * now is inside of one that is too deep. */
START_TEST(what_begins_inside_is_too_deep)
{
    struct tk_scopes_beyond b = {{0, 0}};
    ck_assert(tk_scopes_beyond_begin(&b, 2, 2, PLAIN));
    ck_assert(tk_scopes_beyond_begin(&b, 2, 2, STAMPED));
    ck_assert(tk_scopes_beyond_end(&b, TK_OP_END));
    ck_assert(!tk_scopes_beyond_end(&b, TK_OP_END));
    ck_assert(tk_scopes_beyond_begin(&b, 1, 2, PLAIN));
    ck_assert_uint_eq(tk_scopes_beyond_count(&b), 2);
    ck_assert(tk_scopes_beyond_end(&b, TK_OP_END | STAMPED));
    ck_assert(tk_scopes_beyond_lose(&b));
    ck_assert(!tk_scopes_beyond_begin(&b, 1, 2, PLAIN));
}
END_TEST

/* A stamped scope is never lost alone. */
START_TEST(only_the_plain_writer_loses)
{
    struct tk_scopes_beyond b = {{0, 0}};
    ck_assert(tk_scopes_beyond_begin(&b, 5, 5, STAMPED));
    ck_assert(!tk_scopes_beyond_lose(&b));
    ck_assert_uint_eq(tk_scopes_beyond_count(&b), 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ends_belong_to_their_writer, up_to_the_limit_nothing_is_too_deep,
                                  what_begins_inside_is_too_deep, only_the_plain_writer_loses};
    return RUN_TESTS("scope_order", tests);
}
