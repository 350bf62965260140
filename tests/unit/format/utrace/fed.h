/*
 * A lane that is fed by hand: bytes written with the capture writer, cut into payloads as a test likes, and
 * what the decoder hands on, as lines:
 *
 *   #42 Demo.Hit Value=1.5     an event; behind it "+<attachment>", "incomplete"
 *   enter Cpu.Work 150         a stamped scope around an event of logger Cpu
 *   leave 175
 *   skip 7                     a serial number of what is not handed on
 *   cut                        bytes are missing
 */
#ifndef TK_TESTS_UNIT_UTRACE_FED_H
#define TK_TESTS_UNIT_UTRACE_FED_H

#include "base/text/text.h"
#include "format/utrace/lanes/lane.h"
#include "lines.h"
#include "utrace_writer.h"

#define FED_TYPES 32

struct fed {
    struct tk_uw_bytes written; /* swallowed packets of the writer; the lane's bytes are lane.pending */
    struct tk_uw_sink sink;
    struct tk_uw_stream stream;
    struct tk_uw_lane lane; /* to write on */
    struct tk_intern strings;
    struct tk_health health;
    struct tk_limits limits;
    struct tk_ut_schema schema;
    struct tk_ut_handler handler;
    struct tk_ut_decoder decoder;
    struct tk_arena scratch;
    uint8_t want[FED_TYPES];
    struct lines reported;
};

static inline int fed_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct fed *f = self;
    struct tk_record rec = {&ev->type->record, ev};
    (void)lane;
    if (ev->has_serial)
        add_line(&f->reported, "#%u ", ev->serial);
    add_record(&f->reported, &rec);
    if (ev->n_attachment) {
        add_line(&f->reported, " +<");
        add_hex(&f->reported, ev->attachment, ev->n_attachment);
        add_line(&f->reported, ">");
    }
    add_line(&f->reported, ev->incomplete ? " incomplete\n" : "\n");
    return TK_OK;
}

static inline int fed_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time)
{
    (void)lane;
    add_line(&((struct fed *)self)->reported, "enter %s %lld\n", type->name->p, (long long)time);
    return TK_OK;
}

static inline int fed_leave(void *self, struct tk_ut_lane *lane, int64_t time)
{
    (void)lane;
    add_line(&((struct fed *)self)->reported, "leave %lld\n", (long long)time);
    return TK_OK;
}

static inline int fed_cut(void *self, struct tk_ut_lane *lane)
{
    (void)lane;
    add_line(&((struct fed *)self)->reported, "cut\n");
    return TK_OK;
}

static inline int fed_skip(void *self, struct tk_ut_lane *lane, uint32_t serial)
{
    (void)lane;
    add_line(&((struct fed *)self)->reported, "skip %u\n", serial);
    return TK_OK;
}

/* A writer's lane of this tid, and a decoder that wants everything; start_cycle is 1000. Must not move. */
static inline void fed_open(struct fed *f, uint8_t protocol, uint16_t tid)
{
    memset(f, 0, sizeof *f);
    tk_uw_sink_memory(&f->sink, &f->written);
    f->stream.packets.sink = &f->sink;
    f->stream.packets.transport = 4;
    f->stream.protocol = protocol;
    tk_uw_lane_init(&f->lane, &f->stream, tid);
    f->lane.limit = SIZE_MAX / 2;
    f->limits = tk_limits_default();
    f->health.max_items = 100;
    const struct tk_limits limits = tk_limits_default();
    static const struct tk_ut_describer describer = {.value = tk_ut_record_value};
    ck_assert_int_eq(
        tk_ut_schema_init(&f->schema, protocol, &f->strings, &f->health, &limits, &describer, NULL), TK_OK);
    f->handler = (struct tk_ut_handler){
        .event = fed_event, .enter = fed_enter, .leave = fed_leave, .cut = fed_cut, .self = f};
    f->decoder = (struct tk_ut_decoder){.schema = &f->schema,
                                        .limits = &f->limits,
                                        .health = &f->health,
                                        .handler = &f->handler,
                                        .want = f->want,
                                        .start_cycle = 1000,
                                        .protocol = protocol,
                                        .marks = true,
                                        .uid_bias = 5,
                                        .scratch = &f->scratch};
}

static inline void fed_close(struct fed *f)
{
    tk_uw_lane_release(&f->lane);
    tk_uw_bytes_release(&f->written);
    tk_ut_schema_release(&f->schema);
    tk_intern_release(&f->strings);
    tk_health_release(&f->health);
    tk_arena_release(&f->scratch);
    release_lines(&f->reported);
    memset(f, 0, sizeof *f);
}

static inline void fed_declare_at(struct fed *f, const struct tk_uw_type *type, uint64_t offset)
{
    struct tk_uw_bytes bytes = {0};
    tk_uw_declaration(&bytes, f->stream.protocol, type);
    ck_assert_int_eq(tk_ut_schema_declare(&f->schema, bytes.data, bytes.size, offset), TK_OK);
    tk_uw_bytes_release(&bytes);
}

/* Makes a type known to the decoder, not to the lane. */
static inline void fed_declare(struct fed *f, const struct tk_uw_type *type)
{
    fed_declare_at(f, type, 0);
}

/* Appends raw bytes to the lane. */
static inline void fed_raw(struct fed *f, const void *p, size_t n)
{
    tk_uw_lane_mark(&f->lane);
    tk_uw_raw(&f->lane.pending, p, n);
    tk_uw_lane_mark(&f->lane);
}

#define FED_RAW(f, text) fed_raw((f), (text), sizeof(text) - 1)

/* Feeds a piece as a payload of its own, in memory of exactly its size. */
static inline void fed_payload(struct fed *f, struct tk_ut_lane *lane, const uint8_t *p, size_t n,
                               uint64_t offset)
{
    uint8_t *copy = malloc(n);
    memcpy(copy, p, n);
    struct tk_ut_payload payload = {.p = copy, .n = n, .offset = offset};
    ck_assert_int_eq(tk_ut_lane_feed(&f->decoder, lane, &payload), TK_OK);
    free(copy);
}

/* Feeds the lane's bytes in pieces that end at `cuts` (ascending; 0 ends the list), finishes, and returns the
 * lines. */
static inline const char *fed_in_pieces(struct fed *f, const size_t *cuts)
{
    struct tk_ut_lane lane = {.tid = f->lane.tid};
    const struct tk_uw_bytes *bytes = &f->lane.pending;
    size_t at = 0;
    clear_lines(&f->reported);
    add_line(&f->reported, "%s", "");
    for (; *cuts; at = *cuts++)
        fed_payload(f, &lane, bytes->data + at, *cuts - at, 100 + at);
    if (at < bytes->size)
        fed_payload(f, &lane, bytes->data + at, bytes->size - at, 100 + at);
    ck_assert_int_eq(tk_ut_lane_finish(&f->decoder, &lane, false), TK_OK);
    tk_ut_lane_release(&lane);
    return f->reported.text;
}

static inline const char *fed_whole(struct fed *f)
{
    return fed_in_pieces(f, (const size_t[]){0});
}

/* The same lines whole, byte by byte, and cut in two at every byte. */
static inline void fed_check(struct fed *f, const char *expected)
{
    size_t n = f->lane.pending.size, *each = calloc(n + 1, sizeof *each);
    ck_assert(!f->lane.pending.failed);
    check_text(fed_whole(f), expected);
    for (size_t i = 0; i + 1 < n; i++)
        each[i] = i + 1;
    check_text(fed_in_pieces(f, each), expected);
    free(each);
    for (size_t cut = 1; cut < n; cut++)
        check_text(fed_in_pieces(f, (const size_t[]){cut, 0}), expected);
}

#endif
