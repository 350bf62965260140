/*
 * Recordings that are no captures yet: what arrived so far of a program, which a capture can be made of. The
 * api opens one as that capture.
 */
#ifndef TK_FACT_RECORDING_H
#define TK_FACT_RECORDING_H

#include "base/err.h"

/* Who makes captures of them: a wing, which a build may leave out. */
struct tk_live_wing {
    /* Makes the capture of what a file, or one with the ending of recordings where there is none of that
     * name, holds by now: *made is a temporary file, to be removed and freed; NULL: it is no such recording.
     * TK_OK, TK_EFORMAT, TK_EIO, TK_ELIMIT, TK_EOUTPUT, TK_ENOMEM. */
    int (*make)(const char *path, char **made, struct tk_err *err);
};

/* That of the build; NULL: it has none. */
extern const struct tk_live_wing *const tk_live_wing;

#endif
