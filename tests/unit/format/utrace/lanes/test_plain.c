/*
 * Plain events, which are handed on many at a time as places in the payload: what is read there is the same
 * as one by one, for any choice of types, in lanes of any records and with wrong bits.
 */
#include "format/utrace/made_lanes.h"
#include "format/utrace/passing.h"

/* The decoder's handler is `passing`, which comes first. */
struct handed {
    struct passing passing;
    uint16_t plains[TK_UT_PASSES];
    const uint8_t *payload; /* in hand */
    size_t together, calls;
};

/* Says events as if they had come one by one. */
static int take_plain(void *self, struct tk_ut_lane *lane, const struct tk_ut_plain *events, size_t n)
{
    struct handed *h = self;
    must(n > 0 && n <= TK_UT_MOST_PASSED);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = h->payload + events[i].at;
        const struct tk_ut_type *type = f.schema.by_uid[tk_load16(p) >> 1];
        struct tk_ut_event ev = {.type = type,
                                 .fixed = p + TK_UT_PLAIN_HEAD,
                                 .n_fixed = type->fixed,
                                 .tid = lane->tid,
                                 .serial = events[i].serial,
                                 .has_serial = true,
                                 .offset = lane->packet,
                                 .within = events[i].at};
        must(h->plains[type->uid] == TK_UT_PLAIN_HEAD + type->fixed);
        passing_event(&h->passing, lane, &ev);
    }
    h->together += n;
    h->calls++;
    return TK_OK;
}

static void open_handed(struct handed *h, const uint8_t *want, bool marks, bool together)
{
    memset(h, 0, sizeof *h);
    passing_open(&h->passing, &f.schema, f.stream.protocol, want, marks, true);
    for (uint32_t i = 0; together && i < f.schema.types.n; i++) {
        const struct tk_ut_type *type = f.schema.types.v[i];
        if (want[i])
            h->plains[type->uid] = tk_ut_plain_of(type);
    }
    h->passing.decoder.plains = together ? h->plains : NULL;
    h->passing.decoder.plain = together ? take_plain : NULL;
}

/* The lane in pieces; each is in memory of exactly its size. */
static void hand_on(struct handed *h, const uint8_t *want, bool marks, bool together, size_t piece)
{
    struct tk_ut_lane lane = {.tid = 2};
    const struct tk_uw_bytes *bytes = &f.lane.pending;
    open_handed(h, want, marks, together);
    for (size_t at = 0; at < bytes->size; at += piece) {
        const size_t n = bytes->size - at < piece ? bytes->size - at : piece;
        uint8_t *copy = malloc(n);
        memcpy(copy, bytes->data + at, n);
        h->payload = copy;
        const struct tk_ut_payload payload = {.p = copy, .n = n, .offset = 100 + at};
        ck_assert_int_eq(tk_ut_lane_feed(&h->passing.decoder, &lane, &payload), TK_OK);
        free(copy);
    }
    passing_finish(&h->passing, &lane);
    passing_reported(&h->passing);
}

/* How many were handed on together. */
static size_t compare_marked(const uint8_t *want, bool marks, size_t piece)
{
    struct handed *all = malloc(sizeof *all), *some = malloc(sizeof *some);
    hand_on(all, want, marks, false, piece);
    hand_on(some, want, marks, true, piece);
    ck_assert_str_eq(some->passing.reported.text, all->passing.reported.text);
    ck_assert_uint_eq(all->calls, 0);
    const size_t n = some->together;
    passing_close(&all->passing);
    passing_close(&some->passing);
    free(all);
    free(some);
    return n;
}

static size_t compare(const uint8_t *want, size_t piece)
{
    return compare_marked(want, false, piece) + compare_marked(want, true, piece);
}

static void choose(uint8_t want[N_TYPES])
{
    for (size_t i = 0; i < N_TYPES; i++)
        want[i] = below(4) ? TK_UT_WANT_EVENTS : 0;
}

START_TEST(made_lanes)
{
    ck_assert_uint_gt(over_made_lanes(choose, compare), LANES * RECORDS / 2);
}
END_TEST

/* More than go in one call, and what goes to the handler: behind the begin of a followed scope, and across
 * packets. */
START_TEST(many)
{
    static const uint8_t want[N_TYPES + 8] = {[1] = TK_UT_WANT_EVENTS}, begins[] = {4 << 1};
    struct handed *h = malloc(sizeof *h);
    const size_t size = TK_UT_PLAIN_HEAD + 4, n = 3 * TK_UT_MOST_PASSED + 1;
    for (unsigned i = 0; i < n; i++) {
        tk_uw_begin(&f.lane, &tock);
        tk_uw_u32(&f.lane.pending, i);
        tk_uw_end(&f.lane, &tock);
    }
    ck_assert_uint_eq(compare_marked(want, false, n * size), n);
    hand_on(h, want, false, true, n * size);
    ck_assert_uint_eq(h->calls, 4);
    passing_close(&h->passing);
    ck_assert_uint_eq(compare_marked(want, false, n * size - 1), n - 1);
    fed_raw(&f, begins, sizeof begins);
    tk_uw_begin(&f.lane, &tock);
    tk_uw_u32(&f.lane.pending, 7);
    tk_uw_end(&f.lane, &tock);
    ck_assert_uint_eq(compare_marked(want, false, f.lane.pending.size), n + 1);
    ck_assert_uint_eq(compare_marked(want, true, f.lane.pending.size), n);
    free(h);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {made_lanes, many};
    return RUN_TESTS_AROUND("plain events handed on together", tests, lane_begin, lane_end);
}
