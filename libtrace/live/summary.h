/*
 * What a stream holds so far, decoded as it comes: the program, threads, frames, events, lost events. The
 * recorder feeds it; it never stops a recording.
 */
#ifndef TK_LIVE_UNREAL_SUMMARY_H
#define TK_LIVE_UNREAL_SUMMARY_H

#include "live/hello.h"

#include <stddef.h>

struct tk_live_summary;

enum { TK_LIVE_TEXT = 64 }; /* bytes of a text of the program, cut and cleaned */

struct tk_live_figures {
    char program[TK_LIVE_TEXT], build[TK_LIVE_TEXT], platform[TK_LIVE_TEXT]; /* "" as long as not known */
    uint64_t threads, frames, events, types;
    uint64_t lost;        /* serial numbers that are missing between others */
    uint64_t bad_packets; /* that do not unpack */
    bool undeclared;      /* events came, but nothing declares them (a second connection of 4.27) */
    bool stopped;         /* memory or a limit was out: the figures end somewhere */
};

/* Begins one for a stream with this header. NULL: out of memory, or nothing is known of such streams. */
struct tk_live_summary *tk_live_summary_new(const struct tk_hello *hello);

/* A whole packet at an offset of the stream. Never fails. */
void tk_live_summary_feed(struct tk_live_summary *s, const uint8_t *packet, size_t n, uint64_t offset);

/* The stream has ended: events that wait for others are counted, and missing numbers up to the last rounds.
 * Once. */
void tk_live_summary_finish(struct tk_live_summary *s);

/* The figures so far. */
void tk_live_summary_tell(const struct tk_live_summary *s, struct tk_live_figures *out);

/* A switch of a channel that came, where somebody asked for them. */
typedef void tk_live_channel_fn(void *ctx, const char *name, uint32_t id, bool enabled);
void tk_live_summary_watch(struct tk_live_summary *s, tk_live_channel_fn *fn, void *ctx);

/* What is known of a channel, where switches are watched. */
struct tk_live_channel {
    uint32_t id;
    bool announced, enabled, read_only; /* announced: it has a name */
    char name[TK_LIVE_TEXT];
};

/* Channel i; NULL: there are no more. */
const struct tk_live_channel *tk_live_summary_channel(const struct tk_live_summary *s, size_t i);

/* NULL is allowed. */
void tk_live_summary_free(struct tk_live_summary *s);

#endif
