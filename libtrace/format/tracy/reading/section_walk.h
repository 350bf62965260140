/*
 * The walk: section after section over the payload, as far as somebody wants something. It is used by the
 * pass over the front at opening (defining), by readings (facts into batches), and by the table `sections`.
 */
#ifndef TK_FORMAT_TRACY_READING_SECTION_WALK_H
#define TK_FORMAT_TRACY_READING_SECTION_WALK_H

#include "format/tracy/walk/section.h"

/*
 * Begins at the first byte behind the version. request NULL and defining false: everything is skipped, down
 * to the end. All arguments are borrowed. TK_OK, TK_ENOMEM, TK_EFORMAT (not a version that is read), TK_EIO.
 */
int tk_tracy_walk_open(struct tk_tracy_walk *w, struct tk_tracy_capture *c, const struct tk_request *request,
                       bool defining, struct tk_tracy_batch *out, struct tk_health *health,
                       struct tk_err *err);

/* Goes on until the batch is full (TK_ITEM) or all is walked (TK_OK; faults of the payload are noted). */
int tk_tracy_walk_next(struct tk_tracy_walk *w, struct tk_err *err);

void tk_tracy_walk_close(struct tk_tracy_walk *w);

/* learn_threads of a walk: another walk goes ahead over the section of the threads. */
int tk_tracy_walk_threads(struct tk_tracy_walk *w);

/*
 * The sections of a payload, in the one order in which they stand (tracy-file 4, 5).
 */

extern const struct tk_tracy_section *const tk_tracy_sections[];
extern const size_t tk_tracy_n_sections;

/* The front: sections up to and with the zone counts are walked when the capture is opened. */
extern const size_t tk_tracy_n_front;

/* The index of the section with the zones of threads. */
extern const size_t tk_tracy_threads_section;

/* The index of the last section with facts that are put in order of time. */
extern const size_t tk_tracy_ordered_section;

#endif
