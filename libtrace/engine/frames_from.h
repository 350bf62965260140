/*
 * Frames of another kind: the occurrences of a scope, a region or a mark in the place of the game frames that
 * a capture has or lacks.
 */
#ifndef TK_ENGINE_FRAMES_FROM_H
#define TK_ENGINE_FRAMES_FROM_H

#include "fact/format.h"

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

#endif
