/*
 * A chapter of tracekit.h: HTML files about captures.
 */
#ifndef TRACEKIT_PAGES_H
#define TRACEKIT_PAGES_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_output;
struct tk_query;
struct tk_trace;

/* ---- 16 pages: one HTML file about captures ----
 *
 * A page needs no server and loads nothing: style, script and data are inside it. Its tables are plain HTML,
 * which is readable even where scripts and styles are blocked; the script adds plots.
 *
 *     rc = tk_page_new(&page, NULL, &err);
 *     if (rc == TK_OK)
 *         rc = tk_page_add(page, trace, &query, "game.utrace", &err);    once per capture; then close it
 * then if (rc == TK_OK) rc = tk_page_write(page, out, &err); tk_page_free(page);
 */

struct tk_page;

struct tk_page_options {
    size_t size;
    const char *title; /* of the file; NULL: the name of the first capture */
    int64_t budget_ns; /* a line in the plot of frame times; 0: none */
    bool no_logs;      /* leave out log messages */
    bool no_pictures;  /* leave out recorded pictures: screenshots and frame images */
    /* Where positions come from, for the map (struct tk_cells_options); NULL: what is usual. Borrowed as long
     * as the page. */
    const char *position;
};

/* An empty page; options may be NULL. TK_OK; TK_EUSAGE; TK_ENOMEM. Free with tk_page_free, which takes NULL.
 */
TK_API int tk_page_new(struct tk_page **out, const struct tk_page_options *options, struct tk_err *err);
TK_API void tk_page_free(struct tk_page *page);

/*
 * Adds the content of a capture, which is read several times. Of the query only the selection, the hitches
 * and the kinds of work are used; query may be NULL. `name` is the name of the capture, displayed without
 * folders. As tk_query_run; after a failure the page contains nothing of the capture.
 */
TK_API int tk_page_add(struct tk_page *page, struct tk_trace *trace, const struct tk_query *query,
                       const char *name, struct tk_err *err);

/* Puts a section that the library made (tk_night_text) in front of the captures. It is copied. TK_OK or
 * TK_ENOMEM. */
TK_API int tk_page_front(struct tk_page *page, const char *html, size_t n, struct tk_err *err);

/* Writes the file; the same captures give the same bytes. TK_OK, TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
TK_API int tk_page_write(const struct tk_page *page, struct tk_output *out, struct tk_err *err);

#ifdef __cplusplus
}
#endif

#endif
