/*
 * Events that nobody wants are passed over: made lanes of all kinds of records, whole and with wrong bytes,
 * in pieces of any size, for any choice of events.
 */
#include "format/utrace/made_lanes.h"
#include "format/utrace/passing.h"

static void known_by(struct passing *p, const uint8_t *want, bool marks, bool over, size_t piece)
{
    struct tk_ut_lane lane = {.tid = 2};
    const struct tk_uw_bytes *bytes = &f.lane.pending;
    passing_open(p, &f.schema, f.stream.protocol, want, marks, over);
    for (size_t at = 0; at < bytes->size; at += piece) {
        const size_t n = bytes->size - at < piece ? bytes->size - at : piece;
        passing_feed(p, &lane, (struct tk_ut_payload){.p = bytes->data + at, .n = n, .offset = 100 + at});
    }
    passing_finish(p, &lane);
    passing_reported(p);
}

static size_t compare(const uint8_t *want, size_t piece)
{
    const bool marks = below(2);
    struct passing over, all;
    known_by(&all, want, marks, false, piece);
    known_by(&over, want, marks, true, piece);
    ck_assert_str_eq(over.reported.text, all.reported.text);
    const size_t n = strlen(all.reported.text);
    passing_close(&over);
    passing_close(&all);
    return n;
}

static void choose(uint8_t want[N_TYPES])
{
    for (size_t i = 0; i < N_TYPES; i++)
        want[i] = below(3) == 0 ? (uint8_t)(TK_UT_WANT_EVENTS | (below(2) ? TK_UT_WANT_SCOPES : 0)) : 0;
}

START_TEST(made_lanes)
{
    ck_assert_uint_gt(over_made_lanes(choose, compare), LANES * 1000);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {made_lanes};
    return RUN_TESTS_AROUND("passing over events", tests, lane_begin, lane_end);
}
