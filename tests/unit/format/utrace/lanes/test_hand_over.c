/*
 * Events that are handed on many at a time: the same as one by one, in the same places, for any choice of
 * types; and both written again are the same bytes.
 */
#include "format/utrace/made_lanes.h"
#include "format/utrace/passing.h"
#include "format/utrace/write/lanes.h"

enum { PACKET = 90 };

/* What is handed on, one by one or together, as text and written again. */
struct handed {
    struct passing passing;
    struct tk_uw_bytes file;
    struct tk_uw_sink sink;
    struct tk_uw_stream stream;
    struct tk_uw_lane lane;
    size_t together;
};

static void tell(struct handed *h, const struct tk_ut_event *ev)
{
    add_line(&h->passing.reported, "%s %llu:", ev->type->name->p, (unsigned long long)ev->seq);
    for (uint32_t i = 0; i < ev->n_fixed; i++)
        add_line(&h->passing.reported, " %02x", ev->fixed[i]);
    for (uint32_t i = 0; i < ev->n_blobs; i++) {
        add_line(&h->passing.reported, " [%u", ev->blobs[i].field);
        for (uint32_t k = 0; k < ev->blobs[i].n; k++)
            add_line(&h->passing.reported, " %02x", ev->blobs[i].p[k]);
        add_line(&h->passing.reported, "]");
    }
    add_line(&h->passing.reported, "\n");
}

static int take_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct handed *h = self;
    const struct tk_uw_type type = {.uid = ev->type->uid, .flags = ev->type->flags};
    (void)lane;
    ev->seq = ev->has_serial ? tk_ut_serials_unwrap(&h->passing.serials, ev->serial) : 0;
    tell(h, ev);
    tk_uw_begin_serial(&h->lane, &type, ev->serial + 1);
    tk_uw_raw(&h->lane.pending, ev->fixed, ev->n_fixed);
    for (uint32_t i = 0; i < ev->n_blobs; i++)
        if (ev->blobs[i].n)
            tk_uw_value(&h->lane, &type, ev->blobs[i].field, ev->blobs[i].p, ev->blobs[i].n);
        else
            tk_uw_blob(&h->lane, &type, ev->blobs[i].field, NULL, 0);
    tk_uw_end(&h->lane, &type);
    return TK_OK;
}

static int take_scope(void *self, struct tk_ut_lane *lane, const struct tk_ut_scope *scope)
{
    struct handed *h = self;
    (void)lane;
    add_line(&h->passing.reported, "scope %d %d %lld\n", scope->begins, scope->timed, (long long)scope->time);
    return TK_OK;
}

static int take_cut(void *self, struct tk_ut_lane *lane)
{
    struct handed *h = self;
    (void)lane;
    add_line(&h->passing.reported, "cut\n");
    return TK_OK;
}

/* The event by its bytes. */
static struct tk_ut_event read_back(const struct tk_ut_passed *passed, struct tk_ut_blob *blobs)
{
    const struct tk_ut_type *type = f.schema.by_uid[passed->uid];
    const uint8_t *p = passed->p + (passed->synced ? 5 : 2), *end = passed->p + passed->n;
    struct tk_ut_event ev = {
        .type = type, .fixed = p, .n_fixed = type->fixed, .blobs = blobs, .seq = passed->number};
    p += type->fixed;
    while (p < end && *p == 2) {
        const uint32_t word = tk_load32(p);
        blobs[ev.n_blobs++] = (struct tk_ut_blob){p + 4, word >> 13, word >> 8 & 31};
        p += 4 + (word >> 13);
    }
    ck_assert_int_eq(end - p, type->flags & TK_UT_FLAG_AUX ? 1 : 0);
    return ev;
}

static int take_passed(void *self, struct tk_ut_lane *lane, const struct tk_ut_passed *events, size_t n)
{
    struct handed *h = self;
    struct tk_ut_blob blobs[200];
    (void)lane;
    must(n > 0 && n <= TK_UT_MOST_PASSED);
    for (size_t i = 0; i < n; i++) {
        const struct tk_ut_event ev = read_back(&events[i], blobs);
        const struct tk_uw_type type = {.uid = ev.type->uid, .flags = ev.type->flags};
        const uint32_t serial = events[i].synced ? tk_load32(events[i].p + 1) >> 8 : 0;
        tell(h, &ev);
        tk_uw_event_copy(&h->lane, &type, events[i].p, events[i].n, ev.n_fixed, serial + 1);
    }
    h->together += n;
    return TK_OK;
}

/* Of some types each event is in question. */
static uint8_t may_pass(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type,
                        const struct tk_ut_passed *event)
{
    (void)self;
    (void)lane;
    must(event->synced == !(type->flags & TK_UT_FLAG_NOSYNC));
    must(!event->synced || (event->number & 0xffffff) == tk_load32(event->p + 1) >> 8);
    return (uint8_t)((event->p[event->n - 1] + event->n) % 3);
}

static void hand_on(struct handed *h, const uint8_t *one_by_one, bool together, size_t piece)
{
    struct tk_ut_lane lane = {.tid = 2};
    const struct tk_uw_bytes *bytes = &f.lane.pending;
    memset(h, 0, sizeof *h);
    passing_open(&h->passing, &f.schema, f.stream.protocol, one_by_one, false, together);
    h->passing.handler = (struct tk_ut_handler){.event = take_event,
                                                .enter = passing_enter,
                                                .leave = passing_leave,
                                                .cut = take_cut,
                                                .self = h,
                                                .scope = take_scope};
    h->passing.decoder.want = NULL;
    h->passing.decoder.n_want = 0;
    h->passing.decoder.passed = together ? take_passed : NULL;
    h->passing.decoder.may_pass = may_pass;
    for (size_t i = 0; together && i < TK_UT_PASSES; i += 3)
        h->passing.passes[i] |= h->passing.passes[i] ? TK_UT_PASS_WANTS : 0;
    tk_uw_sink_memory(&h->sink, &h->file);
    h->stream =
        (struct tk_uw_stream){.packets = {.sink = &h->sink, .transport = 4}, .protocol = f.stream.protocol};
    tk_uw_lane_init(&h->lane, &h->stream, 2);
    h->lane.limit = PACKET;
    for (size_t at = 0; at < bytes->size; at += piece) {
        const size_t n = bytes->size - at < piece ? bytes->size - at : piece;
        passing_feed(&h->passing, &lane,
                     (struct tk_ut_payload){.p = bytes->data + at, .n = n, .offset = 100 + at});
    }
    passing_finish(&h->passing, &lane);
    passing_reported(&h->passing);
    tk_uw_lane_flush(&h->lane);
}

static void release(struct handed *h)
{
    tk_uw_lane_release(&h->lane);
    tk_uw_bytes_release(&h->file);
    passing_close(&h->passing);
}

/* How many were handed on together. */
static size_t compare(const uint8_t *one_by_one, size_t piece)
{
    struct handed all, some;
    hand_on(&all, one_by_one, false, piece);
    hand_on(&some, one_by_one, true, piece);
    ck_assert_str_eq(some.passing.reported.text, all.passing.reported.text);
    ck_assert_uint_eq(some.file.size, all.file.size);
    if (all.file.size)
        ck_assert_mem_eq(some.file.data, all.file.data, all.file.size);
    const size_t n = some.together;
    release(&all);
    release(&some);
    return n;
}

static void choose(uint8_t one_by_one[N_TYPES])
{
    for (size_t i = 0; i < N_TYPES; i++)
        one_by_one[i] = below(4) == 0;
}

START_TEST(made_lanes)
{
    ck_assert_uint_gt(over_made_lanes(choose, compare), LANES * RECORDS / 2);
}
END_TEST

/* A begin of a scope waits for the event behind it, which is known by itself. */
START_TEST(behind_a_scope)
{
    static const uint8_t none[N_TYPES + 8], begins[] = {4 << 1}, ends[] = {5 << 1};
    struct handed h;
    for (unsigned i = 0; i < 5; i++) {
        if (i == 2)
            fed_raw(&f, begins, sizeof begins);
        if (i == 4)
            fed_raw(&f, ends, sizeof ends);
        tk_uw_begin(&f.lane, &tock);
        tk_uw_u32(&f.lane.pending, i);
        tk_uw_end(&f.lane, &tock);
    }
    hand_on(&h, none, true, f.lane.pending.size);
    ck_assert_uint_eq(h.together, 4);
    release(&h);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {made_lanes, behind_a_scope};
    return RUN_TESTS_AROUND("handing on events together", tests, lane_begin, lane_end);
}
