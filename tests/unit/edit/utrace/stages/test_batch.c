/*
 * Whole entries of batches of scopes: bytes at random, against a reader that takes one byte at a time.
 */
#include "edit/utrace/stages/stage.h"
#include "run.h"

/* The end of the number at `at`; 0: it does not end, or is longer than 64 bits need. */
static size_t number_end(const uint8_t *p, size_t n, size_t at)
{
    for (size_t i = at; i < n && i < at + 10; i++)
        if (p[i] < 128)
            return i + 1;
    return 0;
}

static size_t entry_end(const uint8_t *p, size_t n, size_t at, unsigned form)
{
    size_t end = number_end(p, n, at);
    if (end && p[at] % 2)
        end = number_end(p, n, end);
    if (end && form > 1 && p[at] / 2 % 2)
        end = number_end(p, n, end);
    return end;
}

static size_t whole_of(const uint8_t *p, size_t n, unsigned form)
{
    size_t at = 0;
    for (size_t end; at < n && (end = entry_end(p, n, at, form)) != 0;)
        at = end;
    return at;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

START_TEST(random_bytes)
{
    struct tk_edit_batch_steps steps;
    uint8_t bytes[96];
    uint32_t state = 7;
    unsigned all = 0, some = 0;
    tk_edit_batch_steps_init(&steps);
    for (unsigned round = 0; round < 60000; round++) {
        const size_t n = next_random(&state) % sizeof bytes;
        const unsigned form = 1 + round % 3, bound = round % 5 ? 160 : 256; /* most numbers are short */
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)(next_random(&state) % bound);
        const size_t expected = whole_of(bytes, n, form);
        ck_assert_uint_eq(tk_edit_batch_whole(&steps, bytes, n, form), expected);
        all += n && expected == n;
        some += expected < n;
    }
    ck_assert(all > 1000 && some > 1000);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_bytes};
    return run_tests("batch", tests, sizeof tests / sizeof *tests, 1, (struct around){0});
}
