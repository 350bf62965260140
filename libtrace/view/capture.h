/*
 * What is read of a capture that is viewed: opened once for tables and once for its index, each used by one
 * thread of work.c at a time. A file that grows is read anew, source.h; answers are made from one reading.
 */
#ifndef TK_VIEW_CAPTURE_H
#define TK_VIEW_CAPTURE_H

#include "view/index/index.h"
#include "os/atomic.h"
#include "page/names.h"
#include "report/gather.h"
#include "view/timers.h"

struct tk_view_capture {
    uint64_t number; /* of the reading of its file, from 1 */
    unsigned users;  /* guarded by the monitor of work.c */

    struct tk_trace *tables; /* owned, for the worker of tables */
    bool gathered;           /* the overview was read */
    struct tk_gather gather;
    uint64_t hitches_beyond; /* that are not among them */

    struct tk_trace *drawn; /* owned, as all that follows for the worker that draws */
    struct tk_index *index; /* owned; NULL: not yet */
    struct tk_index_window window;
    struct tk_index_search found;

    struct tk_atomic done, total; /* bytes that the index was made of, for the loop */
    struct tk_atomic state;       /* TK_VIEW_... */
    struct tk_err failure;        /* why there is no index; from TK_VIEW_FAILED on */
    /* From TK_VIEW_READY on these, and names and timers of the index, stay as they are, and both threads read
     * them: */
    struct tk_names lanes; /* names of threads and queues, as selections have them */
    uint32_t *lane_names;  /* owned: of each lane its number in `lanes` */
    bool *queues;          /* owned: is a lane one of a GPU? */
    uint32_t n_lanes;
    struct tk_view_timers timers;
};

enum tk_view_state { TK_VIEW_INDEXING, TK_VIEW_READY, TK_VIEW_FAILED };

/* Opens it twice: for tables and for drawing, each with its options, borrowed until it is closed. As tk_open;
 * then *out is to be closed, too. */
int tk_view_capture_open(struct tk_view_capture **out, const char *path, const struct tk_options *tables,
                         const struct tk_options *drawn, struct tk_err *err);

/* NULL is allowed. */
void tk_view_capture_close(struct tk_view_capture *c);

/* Makes the index, for the worker that draws. Its failure is noted in *c. */
void tk_view_capture_index(struct tk_view_capture *c, const struct tk_options *options);

/* Hitches that the last query of tables left out, as it explains only the longest: a page tells of them, and
 * they are taken back from what is incomplete, unless somebody asked for fewer than usual. For the worker of
 * tables. */
uint64_t tk_view_capture_take_hitches(struct tk_view_capture *c);

/* The name of a lane's thread or queue, when the state is TK_VIEW_READY. */
struct tk_str tk_view_capture_lane(const struct tk_view_capture *c, uint32_t lane);

#endif
