/*
 * Captures whose events have serial numbers, and readings of them in that order. Each event has a field N, by
 * which a test knows it again. What a test wrote and opened is released after it (RUN_TESTS_AROUND).
 */
#ifndef TK_TESTS_UNIT_UTRACE_SERIAL_WRITTEN_H
#define TK_TESTS_UNIT_UTRACE_SERIAL_WRITTEN_H

#include "written.h"

#define RECORDS TK_FACT_MASK(RECORD)

static const struct tk_uw_field n_fields[] = {{.name = "N", .type = TK_UW_U32},
                                              {.name = "Text", .type = TK_UW_ANSI}};
static struct tk_uw_type tick, note, text; /* synchronised; not; with array data */

static struct written w;      /* of the test that runs */
static struct opened o;       /* its reading */
static const char *what = ""; /* of a table of cases: which one, for messages */

static inline void serial_end(void)
{
    if (o.file)
        close_opened(&o);
    memset(&o, 0, sizeof o);
    tk_uw_bytes_release(&w.bytes);
}

/* Begins a capture in the place of the one before. The first serial is taken by declarations in protocols 1
 * and 2, which need three. */
static inline void begin_at(uint8_t protocol, uint32_t serial)
{
    serial_end();
    write_with(&w, (struct tk_uw_options){.form = TK_UW_2CRT,
                                          .transport = protocol < 4 ? 3 : 4,
                                          .protocol = protocol,
                                          .frequency = 1000});
    w.uw.stream.serial = serial;
    tick = (struct tk_uw_type){.logger = "A", .event = "Tick", .fields = n_fields, .field_count = 1};
    note = (struct tk_uw_type){
        .logger = "A", .event = "Note", .fields = n_fields, .field_count = 1, .flags = TK_UW_NOSYNC};
    text = (struct tk_uw_type){.logger = "A", .event = "Text", TK_UW_FIELDS(n_fields), .flags = TK_UW_AUX};
    tk_uw_register(&w.uw, &tick);
    tk_uw_register(&w.uw, &note);
    tk_uw_register(&w.uw, &text);
}

static inline void begin(void)
{
    begin_at(7, 0);
}

static inline void put(unsigned tid, uint32_t serial, uint32_t n)
{
    struct tk_uw_lane *lane = lane_of(&w, tid);
    tk_uw_begin_serial(lane, &tick, serial);
    tk_uw_u32(&lane->pending, n);
    tk_uw_end(lane, &tick);
}

static inline void put_note(unsigned tid, uint32_t n)
{
    struct tk_uw_lane *lane = lane_of(&w, tid);
    tk_uw_begin(lane, &note);
    tk_uw_u32(&lane->pending, n);
    tk_uw_end(lane, &note);
}

/* Ends the writing and opens what was written. */
static inline void open_it(void)
{
    write_end(&w);
    open_written(&o, &w.bytes);
}

#define UNNUMBERED 0x80000000u /* added to the N of events without a number */

/* The N of all events of a reading. */
struct numbers {
    uint32_t v[40000];
    size_t n;
};

static struct numbers reported, expected;

static inline void take_numbers(const struct tk_batch *batch)
{
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *f = &batch->facts[i];
        struct tk_cell value;
        if (f->kind != TK_FACT_RECORD)
            continue;
        f->u.record.rec.type->value(&f->u.record.rec, 0, &value);
        if (reported.n == sizeof reported.v / sizeof *reported.v)
            ck_abort_msg("too many events");
        reported.v[reported.n++] = (uint32_t)value.v.u | (f->u.record.has_serial ? 0 : UNNUMBERED);
    }
}

static inline void expect(uint32_t n)
{
    expected.v[expected.n++] = n;
}

/* A reading in serial order, which must give the expected numbers. */
static inline void check_numbers(void)
{
    struct tk_request request = {.facts = RECORDS, .order = TK_ORDER_SERIAL};
    struct tk_source *source;
    struct tk_batch batch;
    open_it();
    reported.n = 0;
    ck_assert_int_eq(o.capture->ops->read(o.capture, &request, &source, &o.err), TK_OK);
    while ((o.rc = tk_source_next(source, &batch, &o.err)) == TK_ITEM) {
        take_numbers(&batch);
        o.batches++;
    }
    ck_assert_int_eq(o.rc, TK_OK);
    tk_source_close(source);
    ck_assert_uint_eq(reported.n, expected.n);
    for (size_t i = 0; i < reported.n; i++)
        if (reported.v[i] != expected.v[i])
            ck_abort_msg("%s: %zu: %x, expected %x", what, i, reported.v[i], expected.v[i]);
    expected.n = 0;
}

static inline void check_serials(uint64_t gap, uint64_t late)
{
    ck_assert_msg(faults(&o, TK_HEALTH_SERIAL_GAP) + faults(&o, TK_HEALTH_EVENTS_LOST) == gap,
                  "%s: gap of %llu", what,
                  (unsigned long long)(faults(&o, TK_HEALTH_SERIAL_GAP) + faults(&o, TK_HEALTH_EVENTS_LOST)));
    ck_assert_msg(faults(&o, TK_HEALTH_SERIAL_LATE) == late, "%s: %llu late", what,
                  (unsigned long long)faults(&o, TK_HEALTH_SERIAL_LATE));
}

/* `order`: the N of the events, an n before those without a number: "1 2 n3". */
static inline void check_order(const char *order, uint64_t gap, uint64_t late)
{
    for (const char *p = order; *p; p += strspn(p, " ")) {
        bool unnumbered = *p == 'n';
        char *end;
        expect((uint32_t)strtoul(p + unnumbered, &end, 10) | (unnumbered ? UNNUMBERED : 0));
        p = end;
    }
    check_numbers();
    check_serials(gap, late);
    ck_assert(!tk_health_damaged(&o.ctx.health));
}

#endif
