/*
 * Exports of Tracekit, read back (import 1.1): what stands for frames, queues of GPUs and bookmarks in them
 * is that again.
 */
#ifndef TK_FORMAT_EVENTS_OWN_EXPORT_H
#define TK_FORMAT_EVENTS_OWN_EXPORT_H

#include "format/events/feed.h"

/* Does an export put what is of no process in one with this id? There are three. */
bool tk_ev_is_made_up(int64_t process);

/* Is it the name of a track of frames: TYPE/frames? */
bool tk_ev_is_frames(const struct tk_str *name);

/* The scopes of a thread are frames of the type that its name says. 0 or -1. */
int tk_ev_make_frames(struct tk_ev_capture *c, uint32_t thread, const struct tk_str *name);

/* The scopes of a thread are those of a queue of a GPU. */
void tk_ev_make_queue(struct tk_ev_capture *c, uint32_t thread, const struct tk_str *name);

/* All is read: processes that the export made up are none. 0 or -1. */
int tk_ev_own_export_finish(struct tk_ev_capture *c);

#endif
