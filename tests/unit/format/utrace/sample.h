/*
 * A capture of packets with numbered events, to be damaged: what must be reported is known from which packets
 * were spared.
 */
#ifndef TK_TESTS_UNIT_UTRACE_SAMPLE_H
#define TK_TESTS_UNIT_UTRACE_SAMPLE_H

#include "opened.h"

#define PACKETS 24
#define EVENTS  80 /* a packet; 480 bytes, which are compressed */
#define RECORDS TK_FACT_MASK(RECORD)

static const struct tk_uw_field tick_fields[] = {{.name = "Value", .type = TK_UW_U32}};
static const struct tk_uw_type tick_type = {
    .logger = "Demo", .event = "Tick", TK_UW_FIELDS(tick_fields), .flags = TK_UW_NOSYNC};

/* A capture of packets on threads 2 to 5 in turn, behind one packet of declarations. */
struct sample {
    struct tk_uw_bytes bytes;
    size_t begin[PACKETS + 1]; /* of the packets */
    unsigned per_packet;
    struct tk_uw_type type;
    struct tk_uw_field fields[1];
};

/* Of an event. Numbers of two bytes let LZ4 find a match in each event, so that bytes of a block cannot be
 * missing unseen. */
static inline uint32_t value_of(size_t packet, size_t event)
{
    return (uint32_t)((packet * EVENTS + event) * 23);
}

static inline void write_packet(struct tk_uw *uw, struct sample *s, size_t i)
{
    struct tk_uw_lane lane;
    tk_uw_thread(uw, &lane, (uint16_t)(2 + i % 4));
    lane.limit = 60000;
    for (size_t k = 0; k < s->per_packet; k++) {
        tk_uw_begin(&lane, &s->type);
        tk_uw_u32(&lane.pending, value_of(i, k));
        tk_uw_end(&lane, &s->type);
    }
    s->begin[i] = s->bytes.size;
    tk_uw_lane_flush(&lane);
    tk_uw_lane_release(&lane);
}

static inline void make_packets(struct sample *s, struct tk_uw_options options, unsigned per_packet)
{
    struct tk_uw uw;
    memset(s, 0, sizeof *s);
    s->per_packet = per_packet;
    s->type = tick_type;
    options.memory = &s->bytes;
    tk_uw_open(&uw, &options);
    tk_uw_register(&uw, &s->type);
    for (size_t i = 0; i < PACKETS; i++)
        write_packet(&uw, s, i);
    s->begin[PACKETS] = s->bytes.size;
    ck_assert_int_eq(tk_uw_close(&uw), 0);
}

static inline void make_with(struct sample *s, struct tk_uw_options options)
{
    make_packets(s, options, options.packing == TK_UW_PLAIN ? 10 : EVENTS);
}

static inline void make(struct sample *s, enum tk_uw_packing packing)
{
    make_with(s, (struct tk_uw_options){TK_UW_DEFAULTS, .packing = packing});
}

static inline void insert(struct sample *s, size_t at, const void *p, size_t n)
{
    tk_uw_bytes_space(&s->bytes, n);
    memmove(s->bytes.data + at + n, s->bytes.data + at, s->bytes.size - at);
    memcpy(s->bytes.data + at, p, n);
    s->bytes.size += n;
}

static inline void take_out(struct sample *s, size_t at, size_t n)
{
    memmove(s->bytes.data + at, s->bytes.data + at + n, s->bytes.size - at - n);
    s->bytes.size -= n;
}

/* The lines of packets from first to last (not included), without those in `lost`. */
static inline void add_packets(struct lines *l, const struct sample *s, size_t first, size_t last,
                               uint32_t lost)
{
    for (size_t i = first; i < last; i++)
        for (size_t k = 0; k < s->per_packet && !(lost >> i & 1); k++)
            add_line(l, "t%u Demo.Tick Value=%u\n", (unsigned)(2 + i % 4), value_of(i, k));
}

/* Opens, reads: just the packets that are not in `lost` (a bit each) must come. The capture stays open. */
static inline void check_read(struct opened *o, const struct sample *s, uint32_t lost)
{
    struct lines expected = {0};
    add_line(&expected, "%s", "");
    add_packets(&expected, s, 0, PACKETS, lost);
    open_written(o, &s->bytes);
    check_text(tell(o, RECORDS), expected.text);
    check_ledger(o);
    release_lines(&expected);
}

static inline void check_and_close(struct sample *s, uint32_t lost)
{
    struct opened o;
    check_read(&o, s, lost);
    close_opened(&o);
    tk_uw_bytes_release(&s->bytes);
}

static const enum tk_uw_packing packings[] = {TK_UW_AUTO, TK_UW_PLAIN};

#endif
