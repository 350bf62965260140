/*
 * Events that nobody wants are passed over: made lanes of all kinds of records, whole and with wrong bytes,
 * in pieces of any size, for any choice of events.
 */
#include "format/utrace/lane_types.h"
#include "format/utrace/passing.h"

enum { N_TYPES = sizeof types / sizeof *types, LANES = 300, RECORDS = 60 };

static uint64_t state;

static size_t below(size_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

static void put_some(unsigned depth);

/* With up to three pieces of array data, and other records between them. */
static void put_pieces(const struct tk_uw_type *type, unsigned depth)
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
static void put_scope(void)
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

static void put_some(unsigned depth)
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

static void told_by(struct passing *p, const uint8_t *want, bool marks, bool over, size_t piece)
{
    struct tk_ut_lane lane = {.tid = 2};
    const struct tk_uw_bytes *bytes = &f.lane.pending;
    passing_open(p, &f.schema, f.stream.protocol, want, marks, over);
    for (size_t at = 0; at < bytes->size; at += piece) {
        const size_t n = bytes->size - at < piece ? bytes->size - at : piece;
        passing_feed(p, &lane, (struct tk_ut_payload){.p = bytes->data + at, .n = n, .offset = 100 + at});
    }
    passing_finish(p, &lane);
    passing_told(p);
}

static size_t compare(const uint8_t *want, bool marks, size_t piece)
{
    struct passing over, all;
    told_by(&all, want, marks, false, piece);
    told_by(&over, want, marks, true, piece);
    ck_assert_str_eq(over.told.text, all.told.text);
    const size_t n = strlen(all.told.text);
    passing_close(&over);
    passing_close(&all);
    return n;
}

START_TEST(made_lanes)
{
    size_t told = 0;
    for (unsigned seed = 0; seed < LANES; seed++) {
        uint8_t want[N_TYPES + 8] = {0};
        state = seed + 1;
        open_lane((uint8_t)(5 + below(3)));
        for (size_t i = 0; i < RECORDS; i++)
            put_some(0);
        for (size_t i = 0; i < N_TYPES; i++)
            want[i] = below(3) == 0 ? (uint8_t)(TK_UT_WANT_EVENTS | (below(2) ? TK_UT_WANT_SCOPES : 0)) : 0;
        told += compare(want, below(2), 1 + below(f.lane.pending.size));
        for (unsigned i = 0; i < 6; i++) {
            f.lane.pending.data[below(f.lane.pending.size)] ^= (uint8_t)(1u << below(8));
            told += compare(want, below(2), 1 + below(f.lane.pending.size));
        }
    }
    ck_assert_uint_gt(told, LANES * 1000);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {made_lanes};
    return RUN_TESTS_AROUND("passing over events", tests, lane_begin, lane_end);
}
