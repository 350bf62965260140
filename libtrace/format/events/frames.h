/*
 * Frames of captures that have none (import 1.1): instants whose name has "frame" in it, and the tracks of
 * frames in exports of Tracekit.
 */
#ifndef TK_FORMAT_EVENTS_FRAMES_H
#define TK_FORMAT_EVENTS_FRAMES_H

#include "format/events/capture.h"

/* A set of frames: all marks of a name. */
struct tk_ev_frame_set {
    uint32_t name, type;
    uint64_t marks; /* in all */
    uint64_t seen;  /* so far */
};

struct tk_ev_frames {
    TK_VEC(struct tk_ev_frame_set) sets;
};

/* Finds the sets of a capture that has been walked over. TK_OK, or negative. */
int tk_ev_frames_find(struct tk_ev_frames *f, const struct tk_ev_capture *c, struct tk_err *err);

/* Makes the facts of a mark: none, or the end of a frame and the begin of the next. Returns how many. */
unsigned tk_ev_frames_take(struct tk_ev_frames *f, const struct tk_ev_capture *c,
                           const struct tk_ev_item *mark, struct tk_fact facts[2]);

void tk_ev_frames_release(struct tk_ev_frames *f);

#endif
