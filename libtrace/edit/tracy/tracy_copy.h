/*
 * The second walk of an edit of a .tracy: what stays is copied, and what goes is written as none.
 * Between the survey and the writer of the format.
 */
#ifndef TK_EDIT_TRACY_TRACY_COPY_H
#define TK_EDIT_TRACY_TRACY_COPY_H

#include "edit/tracy/tracy_survey.h"
#include "edit/tracy/tracy_topics.h"
#include "format/tracy/write/payload_out.h"

struct tk_tracy_copy {
    struct tk_tracy_capture *c;
    const struct tk_tracy_survey *survey;
    uint32_t dropped;   /* topics */
    const char *record; /* what the edit says of itself; NULL: nothing */
    size_t n_record;
};

/* Writes the payload to `out`. TK_OK or as tk_edit_run. */
int tk_tracy_copy_run(const struct tk_tracy_copy *copy, struct tk_tracy_writer *out, struct tk_err *err);

#endif
