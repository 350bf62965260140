/*
 * Rows of call trees: children in order of their time, small ones put together.
 */
#ifndef TK_MODEL_TREES_TREE_ROWS_H
#define TK_MODEL_TREES_TREE_ROWS_H

#include "model/timers/call_tree.h"
#include "query/builder.h"

/* Columns of the tables of call trees. */
enum {
    TK_TREE_DEPTH,
    TK_TREE_TIMER,
    TK_TREE_COUNT,
    TK_TREE_INCL,
    TK_TREE_EXCL,
    TK_TREE_OPEN_TIME,
    TK_TREE_SHARE,
    TK_TREE_FRAME_MEAN,
    TK_TREE_PRUNED,
    TK_TREE_ID,
    TK_TREE_PARENT_ID,
    TK_TREE_KIND,
    TK_TREE_FILE,
    TK_TREE_LINE,
    TK_TREE_COLUMNS
};

extern const struct tk_column tk_tree_columns[TK_TREE_COLUMNS];

struct tk_tree_form {
    const struct tk_query_context *view;
    const uint32_t *threads; /* ids by lane, for TK_CALL_THREAD */
    const uint8_t *kinds;    /* of the lanes: enum tk_lane_kind */
    size_t n_threads;
    uint64_t n_frames; /* game frames that frame_mean is of; 0: none */
    unsigned depth;    /* 0: all */
    double min_share;
    bool filters; /* --timer: only stacks that lead to a timer that is selected */
};

/* Sends the rows of a tree, parents before their children; threads get the sums of what lies below them.
 * TK_OK, TK_ENOMEM or what the sink said. */
int tk_tree_rows_send(const struct tk_tree_form *form, struct tk_call_tree *t, struct tk_emit *emit,
                      struct tk_err *err);

#endif
