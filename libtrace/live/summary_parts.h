/*
 * What a summary of a stream is made of, shared by summary.c, which feeds it, and summary_events.c, which
 * takes of its events those that are looked at.
 */
#ifndef TK_LIVE_UNREAL_SUMMARY_PARTS_H
#define TK_LIVE_UNREAL_SUMMARY_PARTS_H

#include "format/utrace/lanes/important.h"
#include "format/utrace/lanes/serials.h"
#include "format/utrace/wire/index.h"
#include "live/summary.h"

enum { TK_LIVE_ROUNDS = 1024 }; /* packets at the end in which numbers may be missing, at most */

struct tk_live_summary {
    uint8_t protocol;
    struct tk_ut_schema schema;
    struct tk_intern strings;
    struct tk_health health;
    struct tk_limits limits;
    struct tk_ut_serials serials;
    struct tk_arena scratch;
    struct tk_ut_handler handler;
    struct tk_ut_decoder decoder;
    TK_VEC(uint8_t) declarations; /* of thread 0: those that are not whole */
    struct tk_ut_important important;
    struct tk_ut_lane **lanes;      /* by tid; owned */
    uint32_t tids[TK_UT_TIDS / 32]; /* a bit for each that is a thread */
    uint8_t *want;                  /* owned; by type id */
    size_t n_want;
    uint64_t highest[TK_LIVE_ROUNDS]; /* serial number behind each of the last packets */
    uint64_t packets;
    uint32_t n_lanes;
    unsigned syncs;
    struct tk_live_figures figures;
    struct tk_live_channel *channels; /* owned; as many as are kept, when watched */
    size_t n_channels;
    tk_live_channel_fn *watch;
    void *watch_ctx;
    uint8_t unpacked[TK_UT_PACKET_MAX];
};

/* A thread was named, or has packets. */
void tk_live_summary_add_thread(struct tk_live_summary *s, uint32_t tid);

/* Which of the events that are looked at a type is, counted from 1; 0: none. */
uint8_t tk_live_summary_find(const struct tk_live_summary *s, const struct tk_ut_type *type);

/* An event, as of a handler; `self` is the summary. */
int tk_live_summary_take(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev);

#endif
