/*
 * Events that nobody wants are passed over: of fixtures, whole and with wrong bytes, all else is the same as
 * where each is decoded.
 */
#include "os/posix/posix.h"

#include "format/utrace/opened.h"
#include "format/utrace/passing.h"
#include "format/utrace/wire/packet_reader.h"

static const char *const fixtures[] = {"tiny.utrace",        "tiny-ue5.0.utrace", "tiny-ue5.1.utrace",
                                       "tiny-verify.utrace", "nested_aux.utrace", "coroutine.utrace",
                                       "restart_a.utrace",   "net.utrace"};

enum {
    N_FIXTURES = sizeof fixtures / sizeof *fixtures,
    MOST = 1 << 20,
    THREADS = 256,
    CHOICES = 6,
    CHANGES = 4
};

static uint64_t state;

static size_t below(size_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

/* A bit of the unpacked payloads that is wrong. */
struct wrong {
    size_t packet, byte; /* packet SIZE_MAX: none */
    uint8_t bit;
};

static void known_by(struct opened *o, struct passing *p, const uint8_t *want, bool marks, bool over,
                     struct wrong wrong)
{
    static uint8_t raw[TK_UT_PACKET_MAX], out[TK_UT_PACKET_MAX], copy[TK_UT_PACKET_MAX];
    static struct tk_ut_lane lanes[THREADS];
    struct tk_ut_capture *c = ut(o);
    memset(lanes, 0, sizeof lanes);
    passing_open(p, &c->schema, c->header.protocol, want, marks, over);
    for (size_t i = 0; i < c->index.n; i++) {
        struct tk_ut_read_packet packet;
        ck_assert_int_eq(tk_ut_packet_read(&o->ctx, &c->index, i, raw, out, &packet, &o->err), TK_OK);
        const uint32_t tid = packet.head.tid;
        if (tid <= TK_UT_TID_IMPORTANT || tid >= THREADS || packet.state != TK_UT_UNPACKED)
            continue;
        memcpy(copy, packet.p, packet.n);
        if (wrong.packet == i && packet.n)
            copy[wrong.byte % packet.n] ^= wrong.bit;
        lanes[tid].tid = tid;
        passing_feed(p, &lanes[tid],
                     (struct tk_ut_payload){copy, packet.n, packet.head.offset, packet.head.partial,
                                            packet.head.whole_records, 0});
    }
    for (size_t tid = 0; tid < THREADS; tid++)
        if (lanes[tid].tid)
            passing_finish(p, &lanes[tid]);
    passing_reported(p);
}

static size_t compare(struct opened *o, const uint8_t *want, bool marks, struct wrong wrong)
{
    struct passing over, all;
    known_by(o, &all, want, marks, false, wrong);
    known_by(o, &over, want, marks, true, wrong);
    ck_assert_str_eq(over.reported.text, all.reported.text);
    const size_t n = strlen(all.reported.text);
    passing_close(&over);
    passing_close(&all);
    return n;
}

static void check(struct opened *o)
{
    const size_t n = ut(o)->schema.types.n;
    uint8_t *want = calloc(n + 1, 1);
    size_t reported = 0;
    for (unsigned k = 0; k < CHOICES; k++) {
        const size_t share = k + 1; /* of the first choice all, then fewer and fewer; of the last none */
        for (size_t i = 0; i < n; i++)
            want[i] = k + 1 < CHOICES && below(share) == 0 ? TK_UT_WANT_EVENTS : 0;
        for (unsigned i = 0; i < CHANGES; i++) {
            const struct wrong wrong = {i ? below(ut(o)->index.n) : SIZE_MAX, below(1 << 16),
                                        (uint8_t)(1u << below(8))};
            reported += compare(o, want, i % 2, wrong);
        }
    }
    ck_assert_uint_gt(reported, 10000);
    free(want);
}

static void check_file(const char *name)
{
    static uint8_t bytes[MOST];
    struct opened o;
    char path[512];
    ck_assert_ptr_nonnull(getenv("TK_FIXTURES"));
    snprintf(path, sizeof path, "%s/%s", getenv("TK_FIXTURES"), name);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    ck_assert(feof(file));
    fclose(file);
    open_bytes(&o, bytes, n);
    check(&o);
    close_opened(&o);
}

START_TEST(of_fixtures)
{
    for (size_t i = 0; i < N_FIXTURES; i++) {
        state = i + 1;
        check_file(fixtures[i]);
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {of_fixtures};
    return RUN_TESTS("passing over events of fixtures", tests);
}
