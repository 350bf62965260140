/* Texts by type and id: the last one counts, also of those that share a hash. By hand. */
#include "base/hash.h"
#include "model/capture/definition_list.h"
#include "run.h"

#include <stdlib.h>

static struct tk_health health = {.max_items = 10};
static struct tk_definition_list list;
static const struct tk_str texts[] = {{"a", 1, TK_ENC_UTF8}, {"b", 1, TK_ENC_UTF8}, {"c", 1, TK_ENC_UTF8}};

static void feed(uint32_t type, uint64_t id, unsigned text)
{
    struct tk_fact fact = {.kind = TK_FACT_DEFINITION};
    fact.u.definition.type = type;
    fact.u.definition.id = id;
    fact.u.definition.text = &texts[text];
    ck_assert_int_eq(tk_definition_list_feed(&list, &fact), 0);
}

static void begin(void)
{
    tk_definition_list_init(&list, &health, 3, "definitions");
}

static void end(void)
{
    tk_definition_list_release(&list);
    tk_health_release(&health);
}

START_TEST(the_last_text_counts)
{
    feed(1, 10, 0);
    feed(2, 10, 1); /* another type */
    feed(1, 10, 2);
    ck_assert_ptr_eq(tk_definition_text(&list, 1, 10), &texts[2]);
    ck_assert_ptr_eq(tk_definition_text(&list, 2, 10), &texts[1]);
    ck_assert_ptr_null(tk_definition_text(&list, 1, 11));
    ck_assert_uint_eq(list.items.n, 2);
}
END_TEST

START_TEST(only_so_many)
{
    for (unsigned i = 0; i < 4; i++)
        feed(1, i, i % 3);
    feed(1, 0, 1); /* one that is known may change all the same */
    ck_assert_uint_eq(list.items.n, 3);
    ck_assert_ptr_eq(tk_definition_text(&list, 1, 0), &texts[1]);
    ck_assert_ptr_null(tk_definition_text(&list, 1, 3));
}
END_TEST

struct hashed {
    uint64_t hash, id;
};

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Two ids whose hashes are alike but for the lower half, which types make up for: among 2^20 there are some.
 */
static void find_alike(struct hashed *first, struct hashed *second)
{
    enum { IDS = 1 << 20 };
    struct hashed *all = calloc(IDS, sizeof *all);
    ck_assert_ptr_nonnull(all);
    for (size_t i = 0; i < IDS; i++)
        all[i] = (struct hashed){tk_hash_u64(i), i};
    qsort(all, IDS, sizeof *all, by_hash);
    size_t at = 1;
    while (at < IDS && all[at].hash >> 32 != all[at - 1].hash >> 32)
        at++;
    ck_assert_uint_lt(at, IDS);
    *first = all[at - 1];
    *second = all[at];
    free(all);
}

START_TEST(alike_hashes)
{
    struct hashed a, b;
    find_alike(&a, &b);
    const uint32_t type = (uint32_t)(a.hash ^ b.hash); /* of b, where that of a is 0 */
    feed(0, a.id, 0);
    feed(type, b.id, 1);
    ck_assert_ptr_eq(tk_definition_text(&list, 0, a.id), &texts[0]);
    ck_assert_ptr_eq(tk_definition_text(&list, type, b.id), &texts[1]);
    feed(0, a.id, 2);
    ck_assert_ptr_eq(tk_definition_text(&list, 0, a.id), &texts[2]);
    ck_assert_uint_eq(list.items.n, 2);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_last_text_counts, only_so_many, alike_hashes};
    return RUN_TESTS_AROUND("definition_list", tests, begin, end);
}
