/*
 * Windows of time into which --split divides a capture, and the names of their files.
 */
#ifndef TK_CMD_RUN_WINDOWS_H
#define TK_CMD_RUN_WINDOWS_H

#include "args/select.h"
#include "tracekit/captures.h"

struct tk_window {
    bool has_from, has_to;
    int64_t from, to; /* ns */
};

/* Zero-initialise; release with tk_windows_release. */
struct tk_windows {
    struct tk_window *v; /* owned */
    size_t n;
};

/*
 * Divides what lies between the times of a selection, which may have none: parts of a size (in equal times),
 * of a time or of frames follow each other without a hole, so that together they are all of it; those of
 * regions are these. Reads the capture. TK_OK; TK_EMATCH: there are no frames or no such regions; TK_EUSAGE:
 * too many parts; or as tk_query_run.
 */
int tk_windows_divide(struct tk_windows *out, struct tk_trace *trace, const struct tk_selection *within,
                      const struct tk_split *split, struct tk_err *err);

/* The selection of a part. */
struct tk_selection tk_window_select(const struct tk_window *w, const struct tk_selection *within);

/* "x-001.y" of "x.y"; to be freed. NULL: out of memory. */
char *tk_window_path(const char *path, size_t number);

void tk_windows_release(struct tk_windows *w);

#endif
