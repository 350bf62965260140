/*
 * Tests of code maps: which module an address is in, return addresses and exact ones, and frames that a
 * capture left open.
 */
#include "model/code/code_map.h"
#include "run.h"

#include <string.h>

static const struct tk_str dwarf = {"dwarf", 5, TK_ENC_UTF8}, pdb = {"pdb", 3, TK_ENC_UTF8};
static const struct tk_str game = {"/opt/game", 9, TK_ENC_UTF8}, other = {"other.so", 8, TK_ENC_UTF8};
static const struct tk_str before = {"before", 6, TK_ENC_UTF8}, here = {"here", 4, TK_ENC_UTF8};
static const struct tk_str unresolved = {"[unresolved]", 12, TK_ENC_UTF8};

/* A symbolizer that knows one function up to offset 0x100 of any module, and another one behind it. */
struct fake {
    struct tk_symbolizer symbolizer;
    uint64_t extent;
    unsigned requested;
    unsigned goes;  /* how often it was requested addresses */
    unsigned shift; /* so many low bits of an offset make no other line */
};

static int fake_module(void *self, const struct tk_fact_module *module, struct tk_module_file_info *out)
{
    (void)module;
    *out = (struct tk_module_file_info){
        .state = "matched", .extent = ((struct fake *)self)->extent, .usable = true};
    return 0;
}

static int
fake_resolve(void *self, const struct tk_fact_module *module, const struct tk_symbol_ask *wants, size_t n,
             int (*give)(void *to, size_t i, const struct tk_symbol_place *places, uint32_t n_places),
             void *to)
{
    int rc = 0;
    (void)module;
    ((struct fake *)self)->goes++;
    for (size_t i = 0; i < n && rc == 0; i++) {
        uint64_t at = wants[i].exact ? wants[i].offset : wants[i].offset - 1;
        const struct tk_symbol_place place = {.function = at < 0x100 ? &before : &here,
                                              .line = (uint32_t)(at >> ((struct fake *)self)->shift)};
        ((struct fake *)self)->requested++;
        rc = give(to, i, &place, 1);
    }
    return rc;
}

static struct fake fake_new(uint64_t extent)
{
    return (struct fake){.symbolizer = {.module = fake_module, .resolve = fake_resolve}, .extent = extent};
}

static void load(struct tk_code_map *map, const struct tk_str *name, const struct tk_str *format,
                 uint64_t base, uint64_t size)
{
    const struct tk_fact fact = {
        .kind = TK_FACT_MODULE,
        .u.module = {.base = base, .size = size, .name = name, .format = format, .loaded = true}};
    ck_assert_int_eq(tk_code_map_feed(map, &fact), 0);
}

static void settle(struct tk_code_map *map, struct fake *fake)
{
    struct tk_context ctx = {.symbolizer = fake ? &fake->symbolizer : NULL};
    if (fake)
        fake->symbolizer.self = fake;
    ck_assert_int_eq(tk_code_map_settle(map, &ctx), 0);
}

static const struct tk_str *function_at(const struct tk_code_map *map, uint64_t address, bool exact)
{
    const struct tk_symbol *symbol = tk_code_symbol(map, address, exact);
    return symbol ? tk_symbol_place(&map->symbols, symbol, 0)->function : NULL;
}

/* One address may be queried both ways, with two answers. */
START_TEST(return_addresses_are_behind_the_call)
{
    struct tk_code_map map = {0};
    struct fake fake = fake_new(0x1000);
    load(&map, &game, &dwarf, 0x10000, 0x10);
    ck_assert_int_eq(tk_code_map_want(&map, 0x10100, false), 0);
    ck_assert_int_eq(tk_code_map_want(&map, 0x10100, true), 0);
    ck_assert_int_eq(tk_code_map_want(&map, 0x10100, true), 0);
    settle(&map, &fake);
    ck_assert_ptr_eq(function_at(&map, 0x10100, false), &before);
    ck_assert_ptr_eq(function_at(&map, 0x10100, true), &here);
    ck_assert_uint_eq(fake.requested, 2);
    ck_assert_ptr_null(tk_code_symbol(&map, 0x10101, true));
    tk_code_map_release(&map);
}
END_TEST

/* The size that captures have of ELF modules is no extent: the file says how far one reaches. */
START_TEST(the_file_says_how_far_a_module_reaches)
{
    struct tk_code_map map = {0};
    struct fake fake = fake_new(0x3000);
    load(&map, &game, &dwarf, 0x10000, 0x500);
    ck_assert_int_eq(tk_code_map_want(&map, 0x12fff, true), 0);
    ck_assert_int_eq(tk_code_map_want(&map, 0x13000, true), 0);
    settle(&map, &fake);
    ck_assert_ptr_nonnull(tk_module_at(&map.modules, 0x12fff));
    ck_assert_ptr_null(tk_module_at(&map.modules, 0x13000));
    ck_assert_ptr_null(tk_code_symbol(&map, 0x13000, true));
    tk_code_map_release(&map);
}
END_TEST

/* Without a file it is the size and 1 MiB for ELF, not beyond the next module, and the size alone for PE. */
START_TEST(without_a_file_the_size_counts)
{
    struct tk_code_map map = {0};
    load(&map, &game, &dwarf, 0x10000, 0x500);
    load(&map, &other, &dwarf, 0x40000, 0x500);
    load(&map, &game, &pdb, 0x40000000, 0x500);
    settle(&map, NULL);
    ck_assert_ptr_eq(tk_module_at(&map.modules, 0x3ffff), &map.modules.modules.v[0]);
    ck_assert_ptr_eq(tk_module_at(&map.modules, 0x40000 + 0x4ff + 0x100000), &map.modules.modules.v[1]);
    ck_assert_ptr_null(tk_module_at(&map.modules, 0x40000 + 0x500 + 0x100000));
    ck_assert_ptr_nonnull(tk_module_at(&map.modules, 0x400004ff));
    ck_assert_ptr_null(tk_module_at(&map.modules, 0x40000500));
    ck_assert_ptr_null(tk_module_at(&map.modules, 0xffff));
    tk_code_map_release(&map);
}
END_TEST

static void say_open(struct tk_code_map *map, uint64_t address, uint64_t offset)
{
    const struct tk_symbol_place place = {.function = &unresolved};
    const struct tk_fact fact = {
        .kind = TK_FACT_SYMBOL,
        .u.symbol = {
            .address = address, .places = &place, .n = 1, .image = &other, .open = true, .offset = offset}};
    ck_assert_int_eq(tk_code_map_feed(map, &fact), 0);
}

/* Frames that a recording left open have an offset in an image and no module. */
START_TEST(open_frames_are_looked_up_in_their_image)
{
    struct tk_code_map map = {0};
    struct fake fake = fake_new(0);
    say_open(&map, 0x7f0000001100, 0x100);
    ck_assert_int_eq(tk_code_map_want(&map, 0x7f0000001100, false), 0);
    settle(&map, &fake);
    ck_assert_ptr_eq(function_at(&map, 0x7f0000001100, false), &before);
    ck_assert(!tk_code_symbol(&map, 0x7f0000001100, false)->open);
    ck_assert_ptr_eq(tk_code_image(&map, 0x7f0000001100), &other);
    tk_code_map_release(&map);
}
END_TEST

/* Addresses that share a line share their functions, but those of two modules do not, though these have the
 * same: each module is requested once, whatever their order and that of the addresses is. */
START_TEST(addresses_in_no_order)
{
    enum { MODULES = 3, EACH = 400 };
    static const uint64_t bases[MODULES] = {0x30000, 0x10000, 0x20000};
    struct tk_code_map map = {0};
    struct fake fake = fake_new(0x1000);
    fake.shift = 6;
    for (size_t i = 0; i < MODULES; i++)
        load(&map, &game, &dwarf, bases[i], 0x1000);
    for (uint64_t i = 0; i < MODULES * EACH; i++) {
        const uint64_t k = i * 709 % (MODULES * EACH);
        ck_assert_int_eq(tk_code_map_want(&map, bases[k % MODULES] + k / MODULES, k % 5 == 0), 0);
    }
    settle(&map, &fake);
    for (uint64_t k = MODULES; k < MODULES * EACH; k++) {
        const bool exact = k % 5 == 0;
        const uint64_t offset = k / MODULES, at = exact ? offset : offset - 1;
        const struct tk_symbol *symbol = tk_code_symbol(&map, bases[k % MODULES] + offset, exact);
        const struct tk_symbol_place *place = tk_symbol_place(&map.symbols, symbol, 0);
        ck_assert_ptr_eq(place->function, at < 0x100 ? &before : &here);
        ck_assert_uint_eq(place->line, at >> 6);
        const size_t index = (size_t)(symbol - map.symbols.symbols.v);
        ck_assert_uint_lt(index, map.symbols.symbols.n);
    }
    ck_assert_uint_eq(fake.goes, MODULES);
    ck_assert_uint_ge(map.symbols.symbols.n, MODULES * (EACH >> 6));
    ck_assert_uint_lt(map.symbols.symbols.n, MODULES * EACH / 4);
    tk_code_map_release(&map);
}
END_TEST

START_TEST(open_frames_stay_open_without_symbols)
{
    struct tk_code_map map = {0};
    say_open(&map, 0x7f0000001100, 0x100);
    ck_assert_int_eq(tk_code_map_want(&map, 0x7f0000001100, false), 0);
    settle(&map, NULL);
    ck_assert(tk_code_symbol(&map, 0x7f0000001100, false)->open);
    ck_assert_uint_eq(tk_code_symbol(&map, 0x7f0000001100, false)->offset, 0x100);
    tk_code_map_release(&map);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {return_addresses_are_behind_the_call,
                                  the_file_says_how_far_a_module_reaches,
                                  without_a_file_the_size_counts,
                                  open_frames_are_looked_up_in_their_image,
                                  addresses_in_no_order,
                                  open_frames_stay_open_without_symbols};
    return RUN_TESTS("code map", tests);
}
