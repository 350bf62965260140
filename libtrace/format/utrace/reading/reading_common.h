/*
 * What readings in any order share: the wanted types, how records become facts, and the facts at the end.
 */
#ifndef TK_FORMAT_UTRACE_READING_READING_COMMON_H
#define TK_FORMAT_UTRACE_READING_READING_COMMON_H

#include "fact/format.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/lanes/lane.h"
#include "format/utrace/wire/packet_reader.h"

/*
 * An open .utrace: how it is opened, and its readings.
 */

/* Opens (tk_format.open) and runs the index pass. */
int tk_ut_capture_open(struct tk_context *ctx, struct tk_capture **out, struct tk_err *err);

/* Opens a reading in file order, or in serial order. */
int tk_ut_source_file(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err);
int tk_ut_source_serial(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                        struct tk_err *err);

/* Opens a reading of the last packets of all lanes only (tk_request.ends). */
int tk_ut_source_ends(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err);

/* Puts a reading that gives times in parts of cycles around one that gives cycles, and owns that. On failure
 * that is closed. */
int tk_ut_source_parts(struct tk_ut_capture *c, struct tk_source **source, struct tk_err *err);

/* Tables of the format: `file`, `streams`, `types`. NULL-terminated. */
extern const struct tk_table *const tk_ut_tables[];

/* tk_capture_ops.describe */
int tk_ut_describe(struct tk_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                   struct tk_err *err);

/*
 * Router: knows which families want which types, and hands them the events of the lanes.
 */

/* Who wants a type? Resolves routes up to all types declared. */
int tk_ut_feed_resolve(struct tk_ut_feed *feed);

/* Bits TK_UT_WANT_... of a type, for tk_ut_decoder.want. */
uint8_t tk_ut_feed_wants(const struct tk_ut_feed *feed, uint32_t type);

/* Does any family want, in this reading, events that stand on tid 1? */
bool tk_ut_feed_wants_important(const struct tk_ut_feed *feed);

/* Who handles plain events of a type in place of tk_ut_feed_event. */
struct tk_ut_quick {
    tk_ut_quick_fn *fn;
    void *state;
    struct tk_ut_quick_field fields[TK_UT_BIND_FIELDS];
};

/* Is there one? Not where somebody else wants the events, too, or more of them than these fields. */
bool tk_ut_feed_quick(const struct tk_ut_feed *feed, const struct tk_ut_type *type, struct tk_ut_quick *out);

/* tk_ut_handler hooks; self is the feed. */
int tk_ut_feed_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev);
int tk_ut_feed_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time);
int tk_ut_feed_leave(void *self, struct tk_ut_lane *lane, int64_t time);
int tk_ut_feed_cut(void *self, struct tk_ut_lane *lane);
int tk_ut_feed_scope_end(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type);

/* The part of tk_ut_feed_cut that keeps its place among the events of the lane: families. */
int tk_ut_feed_cut_families(struct tk_ut_feed *feed, uint32_t tid);

/* Events with these numbers are lost: says so where it is requested. */
int tk_ut_feed_gap(struct tk_ut_feed *feed, enum tk_fact_kind kind, uint64_t first, uint64_t last);

/* Says families that events are lost here. In readings in order of serial. */
int tk_ut_feed_gap_families(struct tk_ut_feed *feed);

/* The end of a reading: lets families finish. */
int tk_ut_feed_finish(struct tk_ut_feed *feed);

void tk_ut_feed_release(struct tk_ut_feed *feed);

struct tk_ut_reading {
    struct tk_ut_capture *capture;
    struct tk_request request;
    struct tk_ut_feed feed;
    struct tk_ut_handler handler;
    struct tk_ut_decoder decoder;
    struct tk_ut_important important; /* tid 1 again, for those who want to see all events */
    TK_VEC(uint8_t) want;             /* by type id */
    TK_VEC(uint32_t) passes;          /* by uid (tk_ut_decoder.passes) */
    TK_VEC(uint64_t) counts, bytes;   /* by type id */
    uint8_t *want_tid;                /* by tid; owned */
    struct tk_arena definitions;      /* the first batch */
};

int tk_ut_reading_open(struct tk_ut_reading *r, struct tk_ut_capture *c, const struct tk_request *request);
void tk_ut_reading_close(struct tk_ut_reading *r);

/* The packet from which on events may be missing that were never sent: threads are sent in rounds (wire 4.5).
 */
size_t tk_ut_reading_last_rounds(const struct tk_ut_index *ix);

/* Is there anything in the packets that the request wants? */
bool tk_ut_reading_wants(const struct tk_ut_reading *r);

/* The first batch: definitions known so far. TK_ITEM or TK_ENOMEM. */
int tk_ut_reading_begin(struct tk_ut_reading *r, struct tk_batch *batch);

/* Makes `out` the batch that facts go to from now on. */
void tk_ut_reading_turn(struct tk_ut_reading *r, struct tk_ut_batch *out);

/* A packet of tid 1, unpacked; its faults were noted by the index pass. */
int tk_ut_reading_important(struct tk_ut_reading *r, const struct tk_ut_read_packet *packet);

/* Bytes of tid 1 are missing here. */
int tk_ut_reading_important_break(struct tk_ut_reading *r);

/* The end of tid 1: events that wait for more of it are handed on. */
int tk_ut_reading_important_end(struct tk_ut_reading *r);

/* The end of a lane. In protocol 5 values go on over packets: a lane that ends inside one, and with the file,
 * was cut off. */
int tk_ut_reading_finish_lane(struct tk_ut_reading *r, struct tk_ut_lane *lane);

/* Says how many events of each type there were. */
int tk_ut_reading_counts(struct tk_ut_reading *r);

/* Says between which times its events lie, where that is wanted. */
int tk_ut_reading_extent(struct tk_ut_reading *r);

/* Says how much of the capture is each thread's; lane(ctx, tid) gives its lane or NULL. */
int tk_ut_reading_streams(struct tk_ut_reading *r, const struct tk_ut_lane *(*lane)(void *ctx, uint32_t tid),
                          void *ctx);

/* Says how many bytes of the file were read. TK_OK, or TK_ECANCELED where nothing more is wanted. */
int tk_ut_reading_progress(const struct tk_ut_capture *c, uint64_t done, struct tk_err *err);

/* What is to be done when a batch was made: notes the texts that were left out in it. The status, as an error
 * where it is one. */
int tk_ut_reading_made(struct tk_ut_reading *r, int rc, struct tk_err *err);

/* A failed batch's status as an error. */
int tk_ut_reading_failed(int rc, struct tk_err *err);

/*
 * The .utrace format (Unreal Trace): see docs/format/utrace-wire.md for the bytes, utrace-events.md alongside
 * it for what events mean.
 *
 *   header -> index (packets) -> reader (payloads) -> lane (records, events) -> families -> facts
 */

extern const struct tk_format tk_format_utrace;

#endif
