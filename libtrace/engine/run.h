/*
 * Run: answers a query by driving sources, the scope model and builders.
 */
#ifndef TK_ENGINE_RUN_H
#define TK_ENGINE_RUN_H

#include "fact/format.h"
#include "model/marks/bookmark_range.h"
#include "model/marks/frame_list.h"
#include "model/memory/memory_names.h"
#include "model/samples/sample_record.h"
#include "model/threads/switch_list.h"
#include "query/builder.h"
#include "tracekit/queries.h"

/*
 * Runs the builders over the capture and sends their tables to the sink in the order given. Readings: one for
 * the selection where it names frames or regions or a builder needs frames, one for the facts. As
 * tk_query_run.
 */
int tk_run(struct tk_context *ctx, struct tk_capture *capture, const struct tk_builder *const *builders,
           size_t n_builders, const struct tk_query *query, const struct tk_sink *sink, struct tk_err *err);

/* Does the caller of a struct tk_context want to stop? For outputs that are written when all has been read
 * (tk_output_stop). */
int tk_run_stopped(void *context);

/*
 * Frames of another kind: the occurrences of a scope, a region or a mark in the place of the game frames that
 * a capture has or lacks.
 */

/*
 * Reads the capture for what the pattern names, and makes it one whose game frames they are. Scopes come
 * first, of the thread that has the most, outermost ones; else regions; else bookmarks and messages, where a
 * frame lasts until the next. *capture is replaced by one that owns it; after a failure it is as it was.
 * TK_OK; TK_EMATCH: nothing has such a name; or as tk_run.
 */
int tk_frames_from(struct tk_context *ctx, struct tk_capture **capture, const char *pattern,
                   struct tk_err *err);

/* The capture as its format has it: what frames of another kind were added to, or the same one. Borrowed. */
struct tk_capture *tk_frames_from_recorded(struct tk_capture *capture);

/*
 * Scan: a first reading that finds out what the selection means: which threads there are, where frames and
 * regions lie.
 */

struct tk_kept_reading; /* kept/kept_reading.h */

struct tk_prescan {
    const struct tk_context *ctx;    /* borrowed */
    struct tk_kept_reading *kept;    /* while it reads */
    bool done;                       /* false: nothing had to be scanned for */
    uint64_t facts;                  /* that it reads */
    struct tk_dict dict;             /* what is defined */
    uint32_t marks_frames;           /* thread that begins the first game frame; TK_NO_THREAD: not known */
    struct tk_frames frames;         /* game frames, where they are wanted */
    struct tk_frame_list frame_list; /* of all types, where they are wanted */
    struct tk_region_list regions;
    struct tk_bookmark_range marks;   /* bookmarks that the query names */
    struct tk_switch_list switches;   /* where they are wanted */
    struct tk_sample_moments moments; /* where they are wanted */
    struct tk_alloc_places places;    /* where they are wanted */
};

/* What is needed in addition what the selection needs. */
struct tk_prescan_wish {
    struct tk_needs_lists lists;
    const char *allocators; /* as in struct tk_query; for places */
};

/* Scans where the query or what is wished makes it necessary. As tk_run. *scan is to be released either way.
 */
int tk_prescan_run(struct tk_prescan *scan, struct tk_context *ctx, struct tk_capture *capture,
                   const struct tk_selection *query, const struct tk_prescan_wish *wish, struct tk_err *err);

/*
 * Compiles the times of a query into the selection: from and to, frames, regions and bookmarks; what is left
 * lies in all of them. TK_OK, TK_ENOMEM, TK_EMATCH with what matches nothing, TK_EUSAGE for limits in the
 * wrong order.
 */
int tk_prescan_select(const struct tk_prescan *scan, struct tk_select *select,
                      const struct tk_fact_clock *clock, const struct tk_selection *query,
                      struct tk_err *err);

void tk_prescan_release(struct tk_prescan *scan);

#endif
