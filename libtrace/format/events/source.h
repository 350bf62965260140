/*
 * A reading on its way, shared by the files that make it: source.c, which says what comes after what, and
 * source_tracks.c with the stages that read tracks.
 */
#ifndef TK_FORMAT_EVENTS_SOURCE_H
#define TK_FORMAT_EVENTS_SOURCE_H

#include "format/events/capture.h"
#include "format/events/frames.h"
#include "format/events/regions.h"
#include "format/events/thread_scopes.h"

enum { TK_EV_BATCH = 4096 }; /* facts, roughly */

struct tk_ev_reading {
    struct tk_source base;
    struct tk_ev_capture *c; /* borrowed */
    struct tk_request request;
    unsigned stage;
    bool begun; /* the stage */
    TK_VEC(struct tk_fact) facts;
    tk_ev_runs runs;
    struct tk_ev_ordered events; /* of a stage that reads a track */
    struct tk_ev_frames frames;
    struct tk_ev_regions regions;
    struct tk_ev_thread_scopes scopes;
    struct tk_ev_lanes lanes;
    size_t thread; /* whose scopes are read */
    uint64_t frame_number;
    uint32_t next_lane;
    void *walk; /* for records */
};

static inline bool tk_ev_reading_wants(const struct tk_ev_reading *s, uint64_t facts)
{
    return (s->request.facts & facts) != 0;
}

static inline int tk_ev_reading_no_memory(struct tk_err *err)
{
    return tk_err_nomem(err, "facts of the capture");
}

static inline struct tk_fact *tk_ev_reading_add(struct tk_ev_reading *s, enum tk_fact_kind kind,
                                                uint32_t thread, int64_t time)
{
    struct tk_fact fact = {
        .kind = (uint16_t)kind, .size = sizeof fact, .thread = thread, .time = time, .seq = TK_NO_SEQ};
    return tk_vec_push(&s->facts, fact) ? NULL : &s->facts.v[s->facts.n - 1];
}

static inline int tk_ev_reading_push(struct tk_ev_reading *s, const struct tk_fact *fact, struct tk_err *err)
{
    return tk_vec_push(&s->facts, *fact) ? tk_ev_reading_no_memory(err) : TK_OK;
}

/* Stages. TK_ITEM: there is more; TK_OK: it is over; negative. Those that give no facts that are wanted are
 * over at once. */
int tk_ev_stage_frame_tracks(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_frames(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_regions(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_scopes(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_marks(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_values(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_switches(struct tk_ev_reading *s, struct tk_err *err);

#endif
