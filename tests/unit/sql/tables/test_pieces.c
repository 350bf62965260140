/* Records on disk are what was added, in whatever order they are requested. */
#include "run.h"
#include "sql/tables/tables_in.h"

#include <string.h>

struct record {
    uint64_t a;
    uint32_t b, c;
};

static struct record made(uint64_t i)
{
    return (struct record){i * UINT64_C(0x9e3779b97f4a7c15), (uint32_t)i, (uint32_t)(i >> 3)};
}

static void check_at(struct tk_sql_pieces *p, struct tk_spill *file, uint64_t i)
{
    struct tk_err err = {0};
    struct record got, wanted = made(i);
    must(tk_sql_pieces_get(p, file, i, &got, &err) == TK_OK);
    must(memcmp(&got, &wanted, sizeof got) == 0);
}

/* _i: how many pieces and records beyond them. */
START_TEST(in_any_order)
{
    static const uint64_t counts[] = {0,
                                      1,
                                      TK_SQL_PIECE - 1,
                                      TK_SQL_PIECE,
                                      TK_SQL_PIECE + 1,
                                      (uint64_t)TK_SQL_PIECE * (TK_SQL_SLOTS + 3) + 17};
    const uint64_t n = counts[_i];
    struct tk_sql_pieces p = {.size = sizeof(struct record)};
    struct tk_spill *file;
    struct tk_err err = {0};
    uint64_t seed = 29;
    must(tk_spill_open(&file, NULL, &err) == TK_OK);
    for (uint64_t i = 0; i < n; i++) {
        const struct record r = made(i);
        must(tk_sql_pieces_add(&p, file, &r, &err) == TK_OK);
        if (i % 997 == 0)
            check_at(&p, file, i / 2); /* while it grows */
    }
    ck_assert_uint_eq(p.n, n);
    for (uint64_t i = 0; i < n; i++)
        check_at(&p, file, i);
    for (uint64_t i = 0; n && i < 5000; i++)
        check_at(&p, file, (seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407) % n);
    tk_sql_pieces_release(&p);
    tk_spill_close(file);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {in_any_order};
    return RUN_TESTS_EACH("pieces", tests, 6);
}
