/*
 * A capture that is looked at: opened once for tables and once for its index, each used by one thread of
 * work.c. view.c has a list of them; answers are made from one.
 */
#ifndef TK_VIEW_CAPTURE_H
#define TK_VIEW_CAPTURE_H

#include "index/index.h"
#include "os/atomic.h"
#include "os/path.h"
#include "report/encode/names.h"
#include "report/gather.h"
#include "view/timers.h"

/* What became of the file since it was opened. */
enum tk_view_change { TK_VIEW_SAME, TK_VIEW_REPLACED, TK_VIEW_REWRITTEN };

struct tk_view_capture {
    char *path; /* owned */
    struct tk_os_info info;
    enum tk_view_change change; /* of the loop alone */

    struct tk_trace *tables; /* owned, for the worker of tables */
    bool gathered;           /* the overview was read */
    struct tk_gather gather;

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

/* Opens it twice: for tables and for drawing, each with its options, borrowed until it is released. Both are
 * the same file, also where it is replaced meanwhile. As tk_open; then it is to be released, too. */
int tk_view_capture_open(struct tk_view_capture *c, const char *path, const struct tk_options *tables,
                         const struct tk_options *drawn, struct tk_err *err);

void tk_view_capture_release(struct tk_view_capture *c);

/* Makes the index, for the worker that draws. Its failure is noted in *c. */
void tk_view_capture_index(struct tk_view_capture *c, const struct tk_options *options);

/* Looks whether the file is still the one that was opened: true where that has changed since it was asked
 * last. What was replaced stays open as it was; what was written to is none any more. */
bool tk_view_capture_look(struct tk_view_capture *c);

/* The name of a lane's thread or queue, when the state is TK_VIEW_READY. */
struct tk_str tk_view_capture_lane(const struct tk_view_capture *c, uint32_t lane);

#endif
