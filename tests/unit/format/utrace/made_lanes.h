/*
 * Lanes of protocols 5 to 7 made at random, of all kinds of records.
 */
#ifndef TK_TESTS_UNIT_UTRACE_MADE_LANES_H
#define TK_TESTS_UNIT_UTRACE_MADE_LANES_H

#include "lane_types.h"

enum { N_TYPES = sizeof types / sizeof *types, LANES = 300, RECORDS = 60 };

static uint64_t state;

static inline size_t below(size_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

static inline void put_some(unsigned depth);

/* With up to three pieces of array data, and other records between them. */
static inline void put_pieces(const struct tk_uw_type *type, unsigned depth)
{
    static const char bytes[300] = {1, 0, 16 << 1 | 1, 2, 6};
    begin_text(type, (uint16_t)below(65536));
    for (size_t n = below(4); n > 0; n--) {
        tk_uw_blob(&f.lane, type, (uint8_t)(1 + below(2)), bytes, below(8) ? below(12) : below(sizeof bytes));
        if (depth < 3 && below(4) == 0)
            put_some(depth + 1);
    }
    tk_uw_end(&f.lane, type);
}

/* A begin or an end of a scope, stamped or not; many do not match. */
static inline void put_scope(void)
{
    static const struct {
        uint8_t code, stamp;
    } records[] = {{4 << 1, 0}, {5 << 1, 0}, {6 << 1, 8}, {7 << 1, 8}, {8 << 1, 7}, {9 << 1, 7}};
    uint8_t bytes[9] = {0};
    const size_t i = below(sizeof records / sizeof *records);
    bytes[0] = records[i].code;
    bytes[1] = (uint8_t)below(256);
    bytes[2] = 9;
    fed_raw(&f, bytes, 1u + records[i].stamp);
}

static inline void put_some(unsigned depth)
{
    const struct tk_uw_type *type = types[below(N_TYPES)];
    if (below(12) == 0) {
        put_scope();
    } else if (type->flags & TK_UW_AUX) {
        put_pieces(type, depth);
    } else {
        tk_uw_begin(&f.lane, type);
        for (size_t i = 0; i < type->field_count; i++)
            type->fields[i].type == TK_UW_U64 ? tk_uw_u64(&f.lane.pending, 7) : tk_uw_u32(&f.lane.pending, 7);
        tk_uw_end(&f.lane, type);
    }
}

/* Begins anew. */
static inline void make_lane(unsigned seed)
{
    state = seed;
    open_lane((uint8_t)(5 + below(3)));
    for (size_t i = 0; i < RECORDS; i++)
        put_some(0);
}

/* A byte becomes wrong. */
static inline void hurt_lane(void)
{
    f.lane.pending.data[below(f.lane.pending.size)] ^= (uint8_t)(1u << below(8));
}

/* What a test queries of each type, and what it compares where the lane comes in pieces of a size; how much
 * that was. */
typedef void choose_fn(uint8_t by_type[N_TYPES]);
typedef size_t compare_fn(const uint8_t *by_type, size_t piece);

/* Compares all lanes, each whole and then with one to six wrong bits: the sum of what was compared. */
static inline size_t over_made_lanes(choose_fn *choose, compare_fn *compare)
{
    size_t sum = 0;
    for (unsigned seed = 0; seed < LANES; seed++) {
        uint8_t by_type[N_TYPES + 8] = {0};
        make_lane(seed + 1);
        choose(by_type);
        sum += compare(by_type, 1 + below(f.lane.pending.size));
        for (unsigned i = 0; i < 6; i++) {
            hurt_lane();
            sum += compare(by_type, 1 + below(f.lane.pending.size));
        }
    }
    return sum;
}

#endif
