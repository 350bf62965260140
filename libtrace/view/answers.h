/*
 * Answers: the answer to a request, a function for each path. paths.c lists them; work.c calls them in its
 * threads.
 */
#ifndef TK_VIEW_ANSWERS_H
#define TK_VIEW_ANSWERS_H

#include "view/capture.h"
#include "view/request.h"

struct tk_view_ask {
    struct tk_view_capture *capture, *other; /* "c", "of" */
    struct tk_http_text query;
    struct tk_markup *m; /* the answer goes to its `out` */
    struct tk_err *err;
};

/* TK_OK; TK_EUSAGE: a parameter makes no sense; TK_EMATCH: there is nothing of the name; or what failed. The
 * cause in ask->err goes to the page. */
typedef int tk_view_answer(const struct tk_view_ask *ask);

/* For the worker that draws, when there is an index. */

/* Lanes: names, rows, figures. */
tk_view_answer tk_view_answer_lanes;

/* "from", "n": so many names of timers with their files, from a number on. */
tk_view_answer tk_view_answer_names;

/* "a", "b": nanoseconds; "w": pixels; "l": lanes, "3.4.7"; "d": rows, 0 for all; "quick": cells alone;
 * "each": also what is narrower than a pixel, where windows are exact. Columns of boxes, as
 * view/page/boxes.js reads them. */
tk_view_answer tk_view_answer_window;

/* "timer" of capture "of", of its reading "og" where that is given: the timer of the same name, file and
 * line, or else of the same name; null: none.
 */
tk_view_answer tk_view_answer_timer;

/* "l", "t", "d": the scopes around a time of a lane. */
tk_view_answer tk_view_answer_stack;

/* "timer", "t", "back", "l": the next scope of a timer, of these lanes, or of all. */
tk_view_answer tk_view_answer_next;

/* "q": timers of such names, and where they are. */
tk_view_answer tk_view_answer_search;

/* For the worker of tables. */

/* What the capture is, and what it has: frames, marks, hitches, values over time. All of it is read for the
 * first answer. */
tk_view_answer tk_view_answer_overview;

/* "t": a table; "a", "b", "l": of a selection; "sort", "top"; "enough": not more rows are read than are
 * wanted, and one that says that there are more; all optional. */
tk_view_answer tk_view_answer_rows;

/* A parameter that has to be there; TK_OK or TK_EUSAGE. */
int tk_view_number(const struct tk_view_ask *ask, const char *name, int64_t least, int64_t most,
                   int64_t *out);

/* Lanes of "l", at most `most` of them, each below `lanes`: how many, or TK_EUSAGE. */
enum { TK_VIEW_LANES = 512 };
int tk_view_lanes(const struct tk_view_ask *ask, uint32_t lanes, uint32_t out[TK_VIEW_LANES]);

#endif
