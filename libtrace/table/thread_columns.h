/*
 * Thread columns: what rows say of a thread, behind its name. Every table with a column `thread` describes
 * them with one macro, keeps places for them in its enum, and fills them with tk_thread_put or tk_lane_put
 * (query/context_cells.h); rows that come as facts of a format are filled from the thread of the fact.
 *
 *     enum { TIME, THREAD_ID, THREAD, TEXT = THREAD + TK_THREAD_COLUMNS, COLUMNS };
 *     [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that wrote it"),
 */
#ifndef TK_TABLE_THREAD_COLUMNS_H
#define TK_TABLE_THREAD_COLUMNS_H

#include "tracekit/tables.h"

/* The columns, from the name on; and how many there are behind the name. */
enum {
    TK_THREAD_NAME,
    TK_THREAD_ROLE,
    TK_THREAD_PROCESS_ID,
    TK_THREAD_PROCESS,
    TK_THREAD_COLUMNS,
    TK_THREAD_MORE = TK_THREAD_COLUMNS - 1
};

/* Descriptions in this order for an array of struct tk_column. Those behind the name are TK_COL_EXTRA. */
#define TK_THREAD_COLUMNS_AS(flags, help) {"thread", TK_TEXT, flags, NULL, help}, TK_THREAD_MORE_AS(flags)

/* Those behind the name, for tables that have them elsewhere. */
#define TK_THREAD_MORE_AS(flags)                                                                             \
    {"role", TK_TEXT, (flags) | TK_COL_EXTRA, NULL,                                                          \
     "game, render, rhi, worker, gpu or other: by the thread's name; game also if it marks the "             \
     "game frames and has scopes"},                                                                          \
        {"process_id", TK_INT, (flags) | TK_COL_EXTRA, NULL,                                                 \
         "id of the thread's process, if it was recorded"},                                                  \
    {                                                                                                        \
        "process", TK_TEXT, (flags) | TK_COL_EXTRA, NULL, "the thread's process"                             \
    }

/* Their places, for maps from the columns of a table to cells. */
#define TK_THREAD_PLACES(at)                                                                                 \
    (at) + TK_THREAD_NAME, (at) + TK_THREAD_ROLE, (at) + TK_THREAD_PROCESS_ID, (at) + TK_THREAD_PROCESS

#endif
