/*
 * Readings and what is kept: facts that are known are not requested and given once, and what is not known is
 * requested as ever. Answers with it, of whole captures, are for the test `kept`.
 */
#include "kept/kept_in.h"
#include "kept/kept_reading.h"
#include "run.h"

static bool has_all(const struct tk_capture *c, uint64_t facts)
{
    (void)c;
    (void)facts;
    return true;
}

static const struct tk_capture_ops ops = {.may_have = has_all};
static const struct tk_capture capture = {.ops = &ops};

/* Who counts what it is given. */
struct counting {
    unsigned batches, stalls, frames;
};

static int count(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct counting *c = self;
    (void)err;
    c->batches++;
    for (size_t i = 0; i < batch->n_facts; i++) {
        c->stalls += batch->facts[i].kind == TK_FACT_STALL;
        c->frames += batch->facts[i].kind == TK_FACT_FRAME;
    }
    return TK_OK;
}

/* A section with a stall and a frame, without points. */
static void make_section(struct tk_kept *kept)
{
    const struct tk_fact facts[] = {{.kind = TK_FACT_STALL, .size = sizeof facts[0], .thread = TK_NO_THREAD},
                                    {.kind = TK_FACT_FRAME, .size = sizeof facts[0], .thread = TK_NO_THREAD}};
    struct tk_kept_bytes *b = &kept->made[TK_KEPT_SCOPES];
    tk_kept_put(b, TK_FACT_MASK(STALL) | TK_FACT_MASK(FRAME));
    tk_kept_put(b, 0);
    tk_kept_put(b, 2);
    tk_kept_fact_put(b, &facts[0]);
    tk_kept_fact_put(b, &facts[1]);
    kept->has[TK_KEPT_SCOPES] = (struct tk_bytes){b->bytes.v, b->bytes.n};
}

static struct tk_kept kept;
static struct tk_context ctx;
static struct tk_err err;

static void set_up(bool known)
{
    kept = (struct tk_kept){.most = 1 << 20, .makes = true};
    ctx = (struct tk_context){.limits = tk_limits_default(), .known = known ? &kept : NULL};
    make_section(&kept);
}

static void tear_down(void)
{
    tk_kept_release(&kept.made[TK_KEPT_SCOPES]);
}

/* A whole reading of `batches` empty batches. */
static struct counting read_all(struct tk_request *request, unsigned batches)
{
    const struct tk_kept_purpose purpose = {.ctx = &ctx, .capture = &capture};
    const struct tk_batch batch = {.n_facts = 0};
    struct counting counted = {0};
    const struct tk_kept_taker taker = {.self = &counted, .batch = count};
    struct tk_kept_reading *k;
    ck_assert_int_eq(tk_kept_begin(&k, &purpose, request, &err), TK_OK);
    for (unsigned i = 0; i < batches; i++)
        ck_assert_int_eq(tk_kept_batch(k, &batch, &taker, &err), TK_OK);
    ck_assert_int_eq(tk_kept_batch(k, NULL, &taker, &err), TK_OK);
    ck_assert(!tk_kept_done(k, TK_OK));
    return counted;
}

START_TEST(known_facts_are_given_once)
{
    struct tk_request request = {.facts = TK_FACT_MASK(STALL)};
    set_up(true);
    const struct counting c = read_all(&request, 3);
    ck_assert_uint_eq(request.facts, 0);
    ck_assert_uint_eq(c.batches, 4);
    ck_assert_uint_eq(c.stalls, 1);
    ck_assert_uint_eq(c.frames, 0); /* not requested */
    ck_assert(ctx.read);
    tear_down();
}
END_TEST

START_TEST(given_without_any_batch)
{
    struct tk_request request = {.facts = TK_FACT_MASK(STALL) | TK_FACT_MASK(FRAME)};
    set_up(true);
    const struct counting c = read_all(&request, 0);
    ck_assert_uint_eq(c.stalls, 1);
    ck_assert_uint_eq(c.frames, 1);
    tear_down();
}
END_TEST

START_TEST(others_are_read)
{
    struct tk_request request = {.facts = TK_FACT_MASK(STALL) | TK_FACT_MASK(LOG)};
    const struct tk_request serial = {.facts = TK_FACT_MASK(STALL), .order = TK_ORDER_SERIAL};
    set_up(true);
    struct counting c = read_all(&request, 2);
    ck_assert_uint_eq(request.facts, TK_FACT_MASK(STALL) | TK_FACT_MASK(LOG));
    ck_assert_uint_eq(c.batches, 2);
    ck_assert_uint_eq(c.stalls, 0);
    ck_assert(!ctx.read);
    request = serial;
    c = read_all(&request, 2);
    ck_assert_uint_eq(request.facts, TK_FACT_MASK(STALL));
    ck_assert_uint_eq(c.stalls, 0);
    tear_down();
}
END_TEST

START_TEST(without_an_index_batches_pass)
{
    struct tk_request request = {.facts = TK_FACT_MASK(STALL)};
    set_up(false);
    const struct counting c = read_all(&request, 3);
    ck_assert_uint_eq(request.facts, TK_FACT_MASK(STALL));
    ck_assert_uint_eq(c.batches, 3);
    ck_assert_uint_eq(c.stalls, 0);
    tear_down();
}
END_TEST

/* Cut at each byte it gives nothing, or all that was requested; never a part. */
START_TEST(broken_section)
{
    set_up(true);
    const struct tk_bytes whole = kept.has[TK_KEPT_SCOPES];
    for (size_t n = 0; n < whole.n; n++) {
        struct tk_request request = {.facts = TK_FACT_MASK(STALL)};
        kept.has[TK_KEPT_SCOPES].n = n;
        const struct counting c = read_all(&request, 1);
        ck_assert_uint_eq(request.facts, TK_FACT_MASK(STALL));
        ck_assert_uint_eq(c.stalls, 0);
    }
    tear_down();
}
END_TEST

/* With scopes all is read and recorded, with what is worth being kept. */
START_TEST(scopes_are_recorded)
{
    const struct tk_kept_purpose purpose = {.ctx = &ctx, .capture = &capture};
    struct tk_request request = {.facts = TK_FACT_MASK(SCOPES)};
    struct tk_kept_reading *k;
    set_up(true);
    kept.has[TK_KEPT_SCOPES].n = 0;
    ck_assert_int_eq(tk_kept_begin(&k, &purpose, &request, &err), TK_OK);
    ck_assert(request.states);
    ck_assert_uint_eq(request.facts, TK_FACT_MASK(SCOPES) | TK_KEPT_ALONG);
    ck_assert(!tk_kept_done(k, TK_EFORMAT)); /* not of what is kept */
    tear_down();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        known_facts_are_given_once,    given_without_any_batch, others_are_read,
        without_an_index_batches_pass, broken_section,          scopes_are_recorded};
    return RUN_TESTS("readings and what is kept", tests);
}
