/*
 * The format of Perfetto's traces: the file, packet after packet (import 5.1, 5.7).
 */
#include "format/perfetto/perfetto.h"

#include "format/events/window.h"
#include "format/perfetto/perfetto_in.h"

#include <stdlib.h>

enum {
    STEP = 4096,
    STEP_BYTES = 1 << 20,
    MOST_HEAD = 20,
    PACKET_TAG = 10,
    MOST_PLAIN = 2 + 127 + TK_PF_PLAIN_BEHIND
};

struct walk {
    struct tk_ev_window w;
    struct tk_pf_trace t;
};

static uint64_t here(const struct walk *d)
{
    return tk_ev_window_here(&d->w);
}

static bool says(const struct walk *d)
{
    return d->t.c->pass == TK_EV_GATHER && !d->t.definitions;
}

static void tell_losses(const struct tk_pf_trace *t)
{
    struct tk_health *health = &t->c->ctx->health;
    for (size_t i = 0; i < t->sequences.list.n; i++) {
        const struct tk_pf_sequence *s = &t->sequences.list.v[i];
        tk_pf_losses_tell_sequence(&t->losses, &s->marks, s->id, health);
    }
    tk_pf_losses_tell(&t->losses, health);
    const uint64_t without = tk_pf_tracks_without_parent(&t->tracks);
    if (without)
        tk_ev_trouble(&t->c->troubles, TK_EV_PARENT_UNKNOWN, TK_NO_OFFSET, without);
}

static int end_walk(struct walk *d, struct tk_err *err)
{
    struct tk_pf_trace *t = &d->t;
    if (says(d)) {
        tell_losses(t);
        tk_pf_name_code(t);
    }
    if (!t->definitions)
        return t->c->pass == TK_EV_GATHER ? tk_pf_system_finish(t, err) : TK_OK;
    t->definitions = false;
    tk_pf_system_begin(t);
    tk_pf_sequences_release(&t->sequences);
    t->sequences = (struct tk_pf_sequences){0};
    tk_ev_window_rewind(&d->w);
    return TK_ITEM;
}

static int say_truncated(struct walk *d, struct tk_err *err)
{
    if (says(d)) {
        struct tk_health *health = &d->t.c->ctx->health;
        d->t.c->truncated = true;
        tk_health_move(health, TK_LEDGER_EVENTS, TK_LEDGER_TRUNCATED, tk_file_size(d->w.file) - here(d));
        tk_health_note(health, TK_HEALTH_FILE_TRUNCATED, here(d), 1,
                       "the file ends inside a packet at offset %llu", (unsigned long long)here(d));
    }
    return end_walk(d, err);
}

static int say_rubbish(struct walk *d, struct tk_err *err)
{
    if (says(d)) {
        struct tk_health *health = &d->t.c->ctx->health;
        uint64_t left = tk_file_size(d->w.file) - here(d);
        tk_health_move(health, TK_LEDGER_EVENTS, TK_LEDGER_SKIPPED, left);
        tk_health_note(health, TK_HEALTH_PACKET_HEADER_DAMAGED, here(d), left,
                       "%llu bytes from offset %llu on are not packets; nothing after them could be read",
                       (unsigned long long)left, (unsigned long long)here(d));
    }
    return end_walk(d, err);
}

/* Skips what is larger than a piece may be. */
static int skip(struct walk *d, uint64_t n, struct tk_err *err)
{
    while (n) {
        size_t have = d->w.n - d->w.at;
        size_t step = have < n ? have : (size_t)n;
        d->w.at += step;
        n -= step;
        int rc = n ? tk_ev_window_need(&d->w, 1, err) : TK_ITEM;
        if (rc != TK_ITEM)
            return rc < 0 ? rc : end_walk(d, err);
    }
    return TK_ITEM;
}

static int take_packet(struct walk *d, size_t head, uint64_t n, struct tk_err *err)
{
    if (n > tk_file_size(d->w.file) - here(d) - head)
        return say_truncated(d, err);
    int rc = n <= SIZE_MAX / 4 ? tk_ev_window_need(&d->w, head + (size_t)n, err) : TK_ELIMIT;
    if (rc == TK_ELIMIT) {
        if (says(d))
            tk_health_limit(&d->t.c->ctx->health, TK_LIMIT_event_bytes, here(d), 1,
                            "a packet of %llu bytes was left out", (unsigned long long)n);
        return skip(d, head + n, err);
    }
    if (rc != TK_ITEM)
        return rc < 0 ? rc : say_truncated(d, err);
    rc = tk_pf_packet(&d->t, (struct tk_bytes){d->w.buf + d->w.at + head, (size_t)n}, here(d), false);
    if (rc == TK_PF_NO_MEMORY)
        return tk_ev_failed(err);
    if (rc == TK_PF_BROKEN_PACKET) {
        tk_pf_note(&d->t, TK_EV_PACKET_BROKEN, here(d));
        if (says(d))
            tk_health_move(&d->t.c->ctx->health, TK_LEDGER_EVENTS, TK_LEDGER_UNREADABLE, head + n);
    }
    d->w.at += head + (size_t)n;
    return TK_ITEM;
}

/* Where a tag is no field, it may be that of a packet, damaged: then another packet follows, or the end of
 * the file. How many bytes to skip; 0: it is something else. */
static size_t damaged_packet(const struct walk *d, const uint8_t *first, const uint8_t *end)
{
    const uint8_t *p = first + 1;
    uint64_t n;
    if (p >= end || tk_pf_varint(&p, end, &n) != 1 || !n || n > (size_t)(end - p))
        return 0;
    p += n;
    if (p == end)
        return d->w.end || d->w.start + d->w.n == tk_file_size(d->w.file) ? (size_t)(p - first) : 0;
    return *p == PACKET_TAG ? (size_t)(p - first) : 0;
}

/* Makes what a damaged tag may stand before visible, and the byte behind it. TK_OK, or negative. */
static int fetch_damaged(struct walk *d, struct tk_err *err)
{
    const uint8_t *first = d->w.buf + d->w.at, *p = first + 1, *end = d->w.buf + d->w.n;
    uint64_t n;
    if (d->w.at + 1 >= d->w.n || tk_pf_varint(&p, end, &n) != 1)
        return TK_OK;
    const size_t head = (size_t)(p - first);
    if (n > SIZE_MAX / 4 || n > tk_file_size(d->w.file) - here(d) - head)
        return TK_OK;
    int rc = tk_ev_window_need(&d->w, head + (size_t)n + 1, err);
    return rc < 0 && rc != TK_ELIMIT ? rc : TK_OK;
}

static int no_field(struct walk *d, struct tk_err *err)
{
    int rc = fetch_damaged(d, err);
    if (rc < 0)
        return rc;
    const uint8_t *first = d->w.buf + d->w.at;
    const size_t n = damaged_packet(d, first, d->w.buf + d->w.n);
    if (!n)
        return say_rubbish(d, err);
    tk_pf_note(&d->t, TK_EV_PACKET_BROKEN, here(d));
    if (says(d))
        tk_health_move(&d->t.c->ctx->health, TK_LEDGER_EVENTS, TK_LEDGER_UNREADABLE, n);
    return skip(d, n, err);
}

/* A field of the file: a packet, or something that is not known. */
static int take_field(struct walk *d, struct tk_err *err)
{
    uint64_t tag, n = 0;
    int rc = tk_ev_window_need(&d->w, MOST_HEAD, err);
    if (rc < 0)
        return rc;
    if (d->w.at == d->w.n)
        return end_walk(d, err);
    const uint8_t *first = d->w.buf + d->w.at, *p = first, *end = d->w.buf + d->w.n;
    rc = tk_pf_varint(&p, end, &tag);
    if (rc != 1)
        return rc == 0 ? say_truncated(d, err) : say_rubbish(d, err);
    const unsigned wire = tag & 7;
    if (wire == TK_PF_VARINT || wire == TK_PF_BYTES)
        rc = tk_pf_varint(&p, end, &n);
    else if (wire == TK_PF_FIXED64 || wire == TK_PF_FIXED32)
        n = wire == TK_PF_FIXED64 ? 8 : 4;
    else
        return no_field(d, err);
    if (rc != 1)
        return rc == 0 ? say_truncated(d, err) : say_rubbish(d, err);
    const size_t head = (size_t)(p - first);
    if (tag == PACKET_TAG)
        return take_packet(d, head, n, err);
    if (tag >> 3 == 0)
        return no_field(d, err);
    n = wire == TK_PF_VARINT ? 0 : n;
    if (n > tk_file_size(d->w.file) - here(d) - head)
        return say_truncated(d, err);
    return skip(d, head + n, err);
}

/* Plain packets as far as they stand in the window. TK_ITEM, or negative. */
static int take_plain(struct walk *d, struct tk_err *err)
{
    const uint8_t *const buf = d->w.buf, *const end = buf + d->w.n;
    const uint8_t *p = buf + d->w.at;
    const bool compares = says(d);
    int rc = TK_PF_FINE;
    while (end - p >= MOST_PLAIN && p[0] == PACKET_TAG && p[1] < 0x80) {
        const struct tk_bytes packet = {p + 2, p[1]};
        const uint64_t offset = d->w.start + (size_t)(p - buf);
        rc = tk_pf_plain_packet(&d->t, packet, offset);
        if (rc == TK_PF_FINE && compares)
            rc = tk_pf_compare(&d->t, packet, offset);
        if (rc != TK_PF_FINE)
            break;
        p += 2 + p[1];
    }
    d->w.at = (size_t)(p - buf);
    return rc == TK_PF_NO_MEMORY ? tk_ev_failed(err) : TK_ITEM;
}

static int step_walk(void *walk, struct tk_err *err)
{
    const uint64_t first = here(walk);
    int rc = TK_ITEM;
    for (unsigned i = 0; i < STEP && rc == TK_ITEM && here(walk) - first < STEP_BYTES; i++) {
        rc = take_plain(walk, err);
        rc = rc == TK_ITEM ? take_field(walk, err) : rc;
    }
    return rc;
}

static int open_walk(struct tk_ev_capture *c, void **walk, struct tk_err *err)
{
    struct walk *d = calloc(1, sizeof *d);
    if (!d)
        return tk_err_nomem(err, "a walk over the capture");
    *walk = d;
    d->t.c = c;
    d->t.definitions = true;
    d->t.clocks.trace = TK_PF_BOOTTIME;
    c->container = "packets";
    return tk_ev_window_open(&d->w, c->ctx->file, c->ctx->limits.event_bytes, false,
                             err); /* what is read twice is read faster than it is mapped */
}

static void close_walk(void *walk)
{
    struct walk *d = walk;
    tk_ev_window_close(&d->w);
    tk_pf_clocks_release(&d->t.clocks);
    tk_pf_sequences_release(&d->t.sequences);
    tk_pf_tracks_release(&d->t.tracks);
    tk_pf_losses_release(&d->t.losses);
    tk_pf_system_release(&d->t.system);
    tk_vec_release(&d->t.symbols);
    tk_map_release(&d->t.symbol_index);
    tk_vec_release(&d->t.text);
    tk_vec_release(&d->t.unpacked);
    free(d);
}

/* ---- the format ---- */

static bool is_sound(const uint8_t *p, size_t n)
{
    struct tk_pf_message m = {p, p + n};
    struct tk_pf_field f;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1)
        if (f.number > 2000)
            return false;
    return rc == 0;
}

/* Two packets, or one and the end: a single 0x0a is a line feed. */
static int probe(const uint8_t *head, size_t n)
{
    const uint8_t *p = head, *end = head + n;
    uint64_t size;
    for (unsigned i = 0; i < 2; i++) {
        if (p == end)
            return i ? 60 : 0;
        if (*p++ != PACKET_TAG || tk_pf_varint(&p, end, &size) != 1)
            return 0;
        if (size > (size_t)(end - p))
            return i ? 60 : n >= 4096 && size < (UINT64_C(1) << 32) ? 20 : 0;
        if (!is_sound(p, (size_t)size))
            return 0;
        p += size;
    }
    return 80;
}

static const struct tk_ev_decoder decoder = {
    .noun = "packet",
    .nouns = "packets",
    .open = open_walk,
    .step = step_walk,
    .close = close_walk,
    .types = tk_pf_types,
    .n_types = TK_PF_KIND_COUNT,
    .row = tk_pf_frame_row,
};

static const struct tk_unread_says unread[] = {{"Perfetto.SysStats", TK_HINT_COUNTERS},
                                               {"Perfetto.ChromeEvents", TK_HINT_CPU},
                                               {"Perfetto.Field 56", TK_HINT_MEMORY}, /* objects of Java */
                                               {NULL, TK_HINTS}};

const struct tk_format tk_format_perfetto = {
    .name = "perfetto",
    .help = "trace of Perfetto, as protobuf",
    .probe = probe,
    .open = tk_ev_capture_open,
    .decoder = &decoder,
    .has_processes = true,
    .unread = unread,
    .tables = tk_ev_tables,
    .row_tables = tk_pf_row_tables,
    .hints = {
        [TK_HINT_FRAMES] = TK_EV_HINT_FRAMES,
        [TK_HINT_REGIONS] = "they are slices on tracks that are not threads",
        [TK_HINT_SCOPE_TEXTS] = "they are debug annotations of slices",
        [TK_HINT_CPU] = "they are slices on tracks of threads",
        [TK_HINT_SWITCHES] = "they are events of ftrace (data source linux.ftrace, sched/sched_switch)",
        [TK_HINT_COUNTERS] = "they are events on tracks of counters",
        [TK_HINT_LOG] = "they are instants",
    }};
