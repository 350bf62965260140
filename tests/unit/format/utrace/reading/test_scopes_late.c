/*
 * Scopes whose timers or metadata come later or never, and many of all kinds with several jobs
 * (events 2.2, 2.4).
 */
#include "format/utrace/scopes_written.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Forms 2 and 3 may hold coroutines: their timers are made before the first batch is decoded. */
#define SPECS        "timer 0 spec \"a\" \"f\":1\ntimer 1 spec \"b\" \"f\":2\ntimer 2 spec \"c\" \"f\":3\n"
#define COROUTINES_3 "timer 3 coroutine \"Coroutine\"\ntimer 4 coroutine \"<unknown>\"\n"

/* Is there a note of exactly this text? */
static bool has_note(const struct opened *o, enum tk_health_kind kind, const char *text)
{
    const struct tk_health *h = &o->ctx.health;
    for (size_t i = 0; i < h->n_items; i++)
        if (h->items[i].kind == kind && strcmp(h->items[i].text, text) == 0)
            return true;
    return false;
}

/* Never: a placeholder of its own, the same each time. Names do not end in a zero: what lies behind them is
 * no part of the note. */
START_TEST(unknown_specs)
{
    struct written w;
    struct opened o;
    begin(&w);
    BATCH(&w, 2, "\x29\x10\x14\x15\x12\x00\x15\x10\x00"); /* specs 8, 9, 8 */
    write_end(&w);
#ifdef __GLIBC__
    mallopt(M_PERTURB, 'x');
#endif
    open_written(&o, &w.bytes);
    check_text(tell(&o, SCOPES | TIMERS),
               SPECS COROUTINES_3 "timer 5 spec \"<unknown 8>\"\ntimer 6 spec \"<unknown 9>\"\n"
                                  "scopes t2: +5@10 -@15 +6@20 -@20 +5@25 -@25\n");
    ck_assert_uint_eq(faults(&o, TK_HEALTH_DEFINITION_MISSING), 2);
    ck_assert(has_note(&o, TK_HEALTH_DEFINITION_MISSING,
                       "scopes refer to timer <unknown 8>, which is not defined"));
    ck_assert(has_note(&o, TK_HEALTH_DEFINITION_MISSING,
                       "scopes refer to timer <unknown 9>, which is not defined"));
    ck_assert(!tk_health_damaged(&o.ctx.health));
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* Later, on an ordinary thread: the placeholder's id gets the name. (Stretches end after 4096 packets.) */
START_TEST(late_spec)
{
    struct written w;
    struct opened o;
    begin(&w);
    tk_uw_register(&w.uw, &other_spec);
    BATCH(&w, 2, "\x29\x10\x14");
    BATCH(&w, 2, "\x79\x04\x14"); /* vouches for the times of the first, which does not wait any longer */
    send_lane(&w, 2);
    for (unsigned i = 0; i < 5000; i++) {
        put_work(&w, 3);
        send_lane(&w, 3);
    }
    struct tk_uw_lane *lane = lane_of(&w, 3);
    tk_uw_begin(lane, &other_spec);
    tk_uw_u32(&lane->pending, 8);
    tk_uw_value(lane, &other_spec, 1, "late", 4);
    tk_uw_end(lane, &other_spec);
    tk_uw_begin(lane, &other_spec); /* reported again: nothing new */
    tk_uw_u32(&lane->pending, 8);
    tk_uw_value(lane, &other_spec, 1, "late", 4);
    tk_uw_end(lane, &other_spec);
    BATCH(&w, 3, "\x29\x10\x14");
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(tell(&o, SCOPES | TIMERS),
               SPECS COROUTINES_3 "timer 5 spec \"<unknown 8>\"\ntimer 5 spec \"late\"\n"
                                  "scopes t2: +5@10 -@15 +1@30 -@35\nscopes t3: +5@10 -@15\n");
    ck_assert(!tk_health_lossy(&o.ctx.health));
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

static void put_metadata_spec(struct written *w, uint32_t id, const char *name, const char *format)
{
    struct tk_uw_bytes none = {0};
    tk_uw_cpu_metadata_spec(&w->uw, id, name, format, &none);
}

static void put_metadata(struct written *w, unsigned tid, uint32_t instance, uint32_t spec)
{
    struct tk_uw_bytes values = {0};
    tk_uw_cbor_uint(&values, instance);
    tk_uw_cpu_metadata(&w->uw, lane_of(w, tid), instance, spec, &values);
    tk_uw_bytes_release(&values);
}

/* Metadata instances: known before, known later, never known. The scope names them with an odd number. */
START_TEST(instances)
{
    struct written w;
    struct opened o;
    begin(&w);
    put_metadata_spec(&w, 10, "Load", "Load %s");
    put_metadata_spec(&w, 11, "Save", "Save %s");
    put_metadata(&w, 2, 100, 10);
    put_metadata(&w, 2, 101, 11);
    BATCH(&w, 2, "\x29\xC9\x01\x14\x15\xCB\x01\x00"); /* 100 << 1 | 1, 101 << 1 | 1 */
    send_lane(&w, 2);
    BATCH(&w, 3, "\x29\x91\x03\x14\x15\x93\x03\x00\x15\x91\x03\x00"); /* 200, 201, 200 */
    BATCH(&w, 3, "\x79\x04\x14");
    send_lane(&w, 3);
    for (unsigned i = 0; i < 5000; i++) {
        put_work(&w, 4);
        send_lane(&w, 4);
    }
    put_metadata(&w, 4, 200, 11);
    BATCH(&w, 4, "\x29\x91\x03\x14");
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(tell(&o, SCOPES | TIMERS),
               SPECS "timer 3 metadata \"Load\"\ntimer 4 metadata \"Save\"\n"
                     "timer 5 coroutine \"Coroutine\"\ntimer 6 coroutine \"<unknown>\"\nlate 0 is 4\n"
                     "scopes t2: +3@10 -@15 +4@20 -@20\nscopes t3: +L0@10 -@15 +L1@20 -@20 +L0@25 "
                     "-@25 +1@30 -@35\nscopes t4: +4@10 -@15\n");
    ck_assert_uint_eq(faults(&o, TK_HEALTH_DEFINITION_MISSING), 1); /* 201 */
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* No more wait than the limit allows; the others share one timer. */
START_TEST(too_many_late)
{
    struct written w;
    struct opened o;
    begin(&w);
    BATCH(&w, 2, "\x29\x91\x03\x00\x15\x93\x03\x00\x15\x95\x03\x00\x15\x91\x03\x00"); /* 200, 201, 202, 200 */
    write_end(&w);
    prepare(&o, w.bytes.data, w.bytes.size, 1);
    o.ctx.limits.late_metadata = 1;
    open_prepared(&o);
    check_text(tell(&o, SCOPES | TIMERS),
               SPECS COROUTINES_3 "timer 5 metadata \"<unknown metadata>\"\n"
                                  "scopes t2: +L0@10 -@10 +5@15 -@15 +5@20 -@20 +L0@25 -@25\n");
    ck_assert_uint_eq(faults(&o, TK_HEALTH_LIMIT_REACHED), 2);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* A spec of metadata that is missing: the instance has a placeholder. */
START_TEST(instance_without_spec)
{
    struct written w;
    begin(&w);
    put_metadata(&w, 2, 100, 50);
    BATCH(&w, 2, "\x29\xC9\x01\x14");
    check_written(
        &w, SCOPES | TIMERS,
        SPECS "timer 3 spec \"<unknown 50>\"\n"
              "timer 4 coroutine \"Coroutine\"\ntimer 5 coroutine \"<unknown>\"\nscopes t2: +3@10 -@15\n");
}
END_TEST

/* ---- jobs ---- */

/* A large capture of everything: the same for one job and four, in both orders. */
START_TEST(jobs)
{
    struct written w;
    begin(&w);
    put_metadata_spec(&w, 10, "Load", "Load %s");
    struct tk_uw_cpu cpu[4];
    for (unsigned t = 0; t < 4; t++)
        tk_uw_cpu_init(&cpu[t], &w.uw, lane_of(&w, 2 + t), t == 3 ? 1 : 3);
    for (uint32_t i = 0; i < 20000; i++) {
        unsigned t = i * i % 4;
        if (i % 5 == 0)
            put_metadata(&w, 2 + t, i, 10);
        enter(&w, 2 + t, i * 10 + 2);
        leave(&w, 2 + t, i * 10 + 4);
        if (t != 3 && i % 7 == 0)
            tk_uw_cpu_begin_metadata(&cpu[t], START + i * 10, i);
        else
            tk_uw_cpu_begin(&cpu[t], START + i * 10, 1 + i % 9);
        tk_uw_cpu_end(&cpu[t], START + i * 10 + 5);
    }
    write_end(&w);
    ck_assert_uint_gt(w.bytes.size, 300000);
    for (unsigned order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        struct opened one, four;
        prepare(&one, w.bytes.data, w.bytes.size, 1);
        prepare(&four, w.bytes.data, w.bytes.size, 4);
        open_prepared(&one);
        open_prepared(&four);
        uint64_t facts = SCOPES | TIMERS | TK_FACT_MASK(RECORD_COUNT) | TK_FACT_MASK(STREAM);
        ck_assert(strcmp(tell_in_order(&one, facts, order), tell_in_order(&four, facts, order)) == 0);
        ck_assert_uint_eq(one.batches, four.batches);
        ck_assert_int_eq(memcmp(one.ctx.health.counts, four.ctx.health.counts, sizeof one.ctx.health.counts),
                         0);
        close_opened(&one);
        close_opened(&four);
    }
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {unknown_specs,         late_spec, instances, too_many_late,
                                  instance_without_spec, jobs};
    return RUN_TESTS("utrace scopes, late timers", tests);
}
