/* Blocks by address: found, taken, and spread whatever the addresses are. */
#include "flood.h"
#include "model/memory/live_blocks.h"
#include "run.h"

/* An address whose hash ends in 24 zeros for who does not know the key of the process: the mix of
 * live_blocks.c undone. */
static uint64_t flooding_address(uint64_t i)
{
    uint64_t v = (i << 56 | i >> 8) * flood_inverse(UINT64_C(0xbf58476d1ce4e5b9));
    return flood_unshift(flood_unshift(v, 29) * flood_inverse(UINT64_C(0x9e3779b97f4a7c15)), 32);
}

START_TEST(a_flood_costs_nothing)
{
    struct tk_live_blocks a = {0};
    uint64_t probes = 0;
    for (uint64_t i = 1; i <= FLOOD; i++) {
        uint64_t address = flooding_address(i);
        uint64_t v = (address ^ address >> 32) * UINT64_C(0x9e3779b97f4a7c15);
        must(((v ^ v >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32 & 0xffffff) == 0);
        must(tk_live_blocks_put(&a, address, 0) != NULL);
    }
    for (size_t i = 0; i <= a.mask; i++)
        if (a.slots[i].place)
            probes += ((i - a.slots[i].hash) & a.mask) + 1;
    ck_assert_uint_eq(a.count, FLOOD);
    ck_assert_uint_lt(probes, UINT64_C(4) * FLOOD);
    for (uint64_t i = 1; i <= FLOOD; i++)
        must(tk_live_blocks_find(&a, flooding_address(i), 0) != NULL);
    tk_live_blocks_release(&a);
}
END_TEST

/* All heaps at one address: none waits behind the others. */
START_TEST(many_heaps)
{
    enum { HEAPS = 65536 };
    struct tk_live_blocks a = {0};
    uint64_t probes = 0;
    for (unsigned heap = 0; heap < HEAPS; heap++)
        must(tk_live_blocks_put(&a, 0x1000, (uint16_t)heap) != NULL);
    for (size_t i = 0; i <= a.mask; i++)
        if (a.slots[i].place)
            probes += ((i - a.slots[i].hash) & a.mask) + 1;
    ck_assert_uint_lt(probes, UINT64_C(4) * HEAPS);
    for (unsigned heap = 0; heap < HEAPS; heap++) {
        struct tk_block *b = tk_live_blocks_find(&a, 0x1000, (uint16_t)heap);
        must(b && b->heap == heap && b->address == 0x1000);
        tk_live_blocks_take(&a, b);
        must(!tk_live_blocks_find(&a, 0x1000, (uint16_t)heap));
    }
    ck_assert_uint_eq(a.count, 0);
    tk_live_blocks_release(&a);
}
END_TEST

/* Where blocks are requested by address, those of all heaps are found. */
START_TEST(all_of_an_address)
{
    struct tk_live_blocks a = {.by_address = true};
    size_t at;
    unsigned n = 0, seen = 0;
    for (unsigned heap = 0; heap < 10; heap++)
        for (uint64_t address = 1; address < 100; address++)
            must(tk_live_blocks_put(&a, address, (uint16_t)heap) != NULL);
    for (struct tk_block *b = tk_live_blocks_first(&a, 7, &at); b; b = tk_live_blocks_next(&a, 7, &at), n++)
        seen |= 1u << b->heap;
    ck_assert_uint_eq(n, 10);
    ck_assert_uint_eq(seen, 1023);
    tk_live_blocks_release(&a);
    ck_assert(a.by_address);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_flood_costs_nothing, many_heaps, all_of_an_address};
    return RUN_TESTS("live_blocks", tests);
}
