/* Arena and vectors: alignment, growth, reuse. */
#include "base/arena.h"
#include "base/vec.h"
#include "run.h"

#include <stdint.h>
#include <string.h>
#ifdef TK_ARENA_POISONS
#include <sanitizer/asan_interface.h>
#endif

START_TEST(arena_aligns_what_is_not_text)
{
    struct tk_arena a = {0};
    for (size_t n = 0; n < 2000; n++) {
        ck_assert_ptr_nonnull(tk_arena_bytes(&a, n % 7));
        void *p = tk_arena_alloc(&a, n);
        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq((uintptr_t)p % _Alignof(max_align_t), 0);
        memset(p, (int)n, n);
    }
    tk_arena_release(&a);
    ck_assert_ptr_null(a.head);
}
END_TEST

/* Every allocation keeps its bytes: none overlaps another, small or larger than a block. */
START_TEST(arena_allocations_do_not_overlap)
{
    enum { N = 600 };
    struct tk_arena a = {0};
    unsigned char *p[N];
    size_t sum = 0;
    for (size_t i = 0; i < N; i++) {
        size_t n = i % 50 == 49 ? 700000 : i * 13 % 5000;
        p[i] = tk_arena_alloc(&a, n);
        memset(p[i], (int)i & 0xff, n);
        sum += n;
    }
    ck_assert_uint_eq(a.total, sum);
    for (size_t i = 0; i < N; i++) {
        size_t n = i % 50 == 49 ? 700000 : i * 13 % 5000;
        for (size_t k = 0; k < n; k++) {
            if (p[i][k] != (i & 0xff))
                ck_abort_msg("allocation %zu was overwritten", i);
        }
    }
    tk_arena_release(&a);
}
END_TEST

START_TEST(arena_clear_keeps_one_block)
{
    struct tk_arena a = {0};
    for (int i = 0; i < 100; i++)
        ck_assert_str_eq(tk_arena_copy(&a, "Render", 7), "Render");
    const void *head = a.head;
    tk_arena_clear(&a);
    ck_assert_ptr_eq(a.head, head);
    ck_assert_uint_eq(a.total, 0);
    ck_assert_ptr_nonnull(tk_arena_alloc(&a, 100));
    ck_assert_ptr_eq(a.head, head);
    tk_arena_release(&a);
    tk_arena_clear(&a);
    tk_arena_release(&a);
}
END_TEST

#ifdef TK_ARENA_POISONS
/* What reads behind the end of a text is seen. */
START_TEST(arena_poisons_what_is_not_handed_out)
{
    struct tk_arena a = {0};
    char *first = tk_arena_alloc(&a, 11), *second = tk_arena_alloc(&a, 5), *text = tk_arena_bytes(&a, 3);
    ck_assert_ptr_null(__asan_region_is_poisoned(first, 11));
    ck_assert(__asan_address_is_poisoned(first + 11));
    ck_assert_ptr_null(__asan_region_is_poisoned(second, 5));
    ck_assert_ptr_null(__asan_region_is_poisoned(text, 3));
    ck_assert(__asan_address_is_poisoned(text + 3));
    tk_arena_clear(&a);
    ck_assert(__asan_address_is_poisoned(first));
    tk_arena_release(&a);
}
END_TEST
#endif

START_TEST(arena_refuses_what_cannot_be)
{
    struct tk_arena a = {0};
    ck_assert_ptr_null(tk_arena_alloc(&a, SIZE_MAX));
    ck_assert_ptr_null(tk_arena_alloc(&a, SIZE_MAX - 64));
    ck_assert_ptr_nonnull(tk_arena_alloc(&a, 8));
    ck_assert_ptr_null(tk_arena_bytes(&a, SIZE_MAX));
    ck_assert_uint_eq(a.total, 8);
    tk_arena_release(&a);
}
END_TEST

START_TEST(vector_grows_and_keeps_its_elements)
{
    TK_VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 100000; i++)
        ck_assert_int_eq(tk_vec_push(&v, i * 3), 0);
    ck_assert_uint_eq(v.n, 100000);
    ck_assert_uint_ge(v.cap, v.n);
    for (uint32_t i = 0; i < 100000; i++)
        ck_assert_uint_eq(v.v[i], i * 3);
    size_t cap = v.cap;
    ck_assert_int_eq(tk_vec_reserve(&v, cap), 0);
    ck_assert_uint_eq(v.cap, cap);
    tk_vec_release(&v);
    ck_assert_ptr_null(v.v);
    ck_assert_uint_eq(v.n + v.cap, 0);
}
END_TEST

START_TEST(vector_that_cannot_grow_is_unchanged)
{
    TK_VEC(uint64_t) v = {0};
    ck_assert_int_eq(tk_vec_push(&v, 42), 0);
    size_t cap = v.cap;
    ck_assert_int_eq(tk_vec_reserve(&v, SIZE_MAX / 4), -1);
    ck_assert_int_eq(tk_vec_reserve(&v, SIZE_MAX), -1);
    ck_assert_uint_eq(v.cap, cap);
    ck_assert_uint_eq(v.v[0], 42);
    tk_vec_release(&v);
}
END_TEST

START_TEST(vector_is_filled_up_with_zeros)
{
    TK_VEC(uint32_t) v = {0};
    ck_assert_int_eq(tk_vec_push(&v, 7), 0);
    ck_assert_int_eq(tk_vec_reserve(&v, 100), 0);
    for (size_t i = 1; i < v.cap; i++)
        v.v[i] = 9;
    ck_assert_int_eq(tk_vec_reach(&v, 50), 0);
    ck_assert_uint_eq(v.n, 50);
    ck_assert_uint_eq(v.v[0], 7);
    for (size_t i = 1; i < 50; i++)
        ck_assert_uint_eq(v.v[i], 0);
    ck_assert_int_eq(tk_vec_reach(&v, 1000), 0);
    ck_assert_uint_eq(v.v[999], 0);
    ck_assert_int_eq(tk_vec_reach(&v, 3), 0);
    ck_assert_uint_eq(v.n, 1000);
    ck_assert_int_eq(tk_vec_reach(&v, SIZE_MAX / 4), -1);
    ck_assert_uint_eq(v.n, 1000);
    tk_vec_release(&v);
}
END_TEST

START_TEST(vector_that_is_renewed_has_space_and_no_elements)
{
    uint64_t *v = NULL;
    size_t cap = 0;
    ck_assert_int_eq(tk_vec_renew((void **)&v, &cap, 100, sizeof *v), 0);
    ck_assert_uint_ge(cap, 100);
    memset(v, 1, cap * sizeof *v);
    const uint64_t *before = v;
    ck_assert_int_eq(tk_vec_renew((void **)&v, &cap, 50, sizeof *v), 0);
    ck_assert_ptr_eq(v, before);
    const size_t grown = cap + cap / 2;
    ck_assert_int_eq(tk_vec_renew((void **)&v, &cap, cap + 1, sizeof *v), 0);
    ck_assert_uint_eq(cap, grown);
    memset(v, 2, cap * sizeof *v);
    ck_assert_int_eq(tk_vec_renew((void **)&v, &cap, SIZE_MAX / 4, sizeof *v), -1);
    ck_assert_ptr_null(v);
    ck_assert_uint_eq(cap, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        arena_aligns_what_is_not_text,        arena_allocations_do_not_overlap,
        arena_clear_keeps_one_block,          arena_refuses_what_cannot_be,
        vector_grows_and_keeps_its_elements,  vector_that_cannot_grow_is_unchanged,
        vector_is_filled_up_with_zeros,       vector_that_is_renewed_has_space_and_no_elements,
#ifdef TK_ARENA_POISONS
        arena_poisons_what_is_not_handed_out,
#endif
    };
    return RUN_TESTS("memory", tests);
}
