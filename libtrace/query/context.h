/*
 * The context of a query: the capture, its names and clock, the selection, and what was found out beforehand.
 * Builders (builder.h) answer with it.
 */
#ifndef TK_QUERY_CONTEXT_H
#define TK_QUERY_CONTEXT_H

#include "fact/format.h"
#include "query/dict.h"
#include "query/select.h"

/* Frames of the game, in order, when a builder needs them beforehand. */
struct tk_frames {
    struct tk_range *v; /* end INT64_MAX where it never ended */
    size_t n;
};

/* Where a recording has no whole frame, and a builder requested that, all of it is one, which ends then. */
#define TK_RUN_UNIT (INT64_MAX - 1)

struct tk_switch_list;    /* switch_list.h */
struct tk_region_list;    /* region_list.h */
struct tk_frame_list;     /* frame_list.h */
struct tk_recorded_waits; /* recorded_waits.h */
struct tk_sample_moments; /* sample_moments.h */
struct tk_alloc_places;   /* alloc_places.h */

/* What builders share during a run. Borrowed. */
struct tk_query_context {
    struct tk_context *ctx;
    struct tk_capture *capture;
    struct tk_dict *dict;
    struct tk_select *select;
    const struct tk_select
        *listed; /* the selection, where select has all times (all_time of struct tk_needs); or NULL */
    const struct tk_frames *frames;           /* NULL unless a builder requested it */
    const struct tk_switch_list *switches;    /* NULL unless a builder requested it */
    const struct tk_region_list *regions;     /* NULL unless a builder requested it */
    const struct tk_frame_list *frame_list;   /* NULL unless a builder requested it */
    const struct tk_sample_moments *moments;  /* NULL unless a builder requested it */
    const struct tk_alloc_places *places;     /* NULL unless a builder requested it */
    const struct tk_recorded_waits *reported; /* NULL unless a builder requested it and there are any */
    const struct tk_query *query;
    int64_t first_time, last_time; /* cycles: least and greatest time of any fact or scope so far */
    int64_t from;                  /* cycles: where the recording began, as far as is known */
    bool has_time;
};

#endif
