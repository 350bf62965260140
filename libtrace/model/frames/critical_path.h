/*
 * The critical path of frames on its way: scopes of threads, the path from link to link, and its timers.
 * critical_path.c makes the table of it.
 */
#ifndef TK_MODEL_FRAMES_CRITICAL_PATH_H
#define TK_MODEL_FRAMES_CRITICAL_PATH_H

#include "model/frames/frames_in.h"

/* In the place of a timer. */
enum { TK_PATH_SHORT = -1, TK_PATH_OUTSIDE = -2, TK_PATH_NO_CORE = -3, TK_PATH_TO_RUN = -4 };

/* A scope that is long enough. */
struct tk_path_piece {
    int64_t begin, end;
    int64_t timer; /* or TK_PATH_SHORT */
    uint32_t thread;
};

struct tk_path_lane {
    uint32_t thread;
    bool is_thread, cut;
    TK_VEC(struct tk_path_piece) v;
    size_t last_short; /* place in v, one more; 0: none */
};

/* A stretch of the path of a frame: of a thread, later of a timer of it. */
struct tk_path_stretch {
    int64_t from, to;
    int64_t timer; /* or one of the above; TK_PATH_OUTSIDE until scopes are looked at */
    uint32_t frame, who;
    uint32_t rank;
    uint8_t via; /* enum tk_link_via */
};

struct tk_path {
    const struct tk_query_context *view;
    struct tk_work_rules work;
    struct tk_links links;
    struct tk_row_limit capacity;
    TK_VEC(struct tk_path_lane) lanes;   /* by number */
    TK_VEC(struct tk_path_piece) pieces; /* when all is read: by thread, then begin, the longer one first */
    TK_VEC(struct tk_path_stretch) path; /* by thread */
    TK_VEC(struct tk_path_stretch) rows; /* by timer */
    bool *selected;                      /* owned; by frame */
    uint32_t frame_thread;
};

#define TK_PATH_LOOK_BACK 256u /* scopes, or links, that are looked at from a time back */

/*
 * Scopes (path_walk.c).
 */

/* Takes slice i of a lane. 0, or -1 without memory. */
int tk_path_take_slice(const struct tk_path *c, struct tk_path_lane *l, const struct tk_slices *s, size_t i);

/* When all is read: the scopes of all lanes by thread. 0 or -1. */
int tk_path_gather(struct tk_path *c);

/* Is it a timer that waits? */
bool tk_path_waits(struct tk_path *c, int64_t timer);

/* Did a thread do anything between two times? A scope that is no wait ended there. */
bool tk_path_was_busy(struct tk_path *c, uint32_t who, int64_t from, int64_t to);

/*
 * The path (path_walk.c).
 */

/* Follows all frames that are selected back from their ends. 0 or -1. */
int tk_path_walk(struct tk_path *c);

/* Then: the rows, with the innermost timer of each stretch, ranked, by frame and time. 0 or -1. */
int tk_path_find_timers(struct tk_path *c);

#endif
