/*
 * A chapter of tracekit.h: captures in a browser.
 */
#ifndef TRACEKIT_VIEWS_H
#define TRACEKIT_VIEWS_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_options;
struct tk_trace;

/* ---- 20 views: captures looked at in a browser ----
 *
 * A server that listens on 127.0.0.1 only, and a page that shows every scope of captures of any size. Without
 * the token at the end of the address the server answers nothing, and pages of other sites cannot access it.
 * Only the captures that were added are ever read.
 *
 *     rc = tk_view_new(&view, &options, &err);
 *     if (rc == TK_OK)
 *         rc = tk_view_add(view, "game.utrace", &err);
 *     if (rc == TK_OK) {
 *         printf("%s\n", tk_view_address(view));
 *         rc = tk_view_run(view, &err);            until options.stop is non-zero
 *     }
 *     tk_view_free(view);
 */

struct tk_view;

struct tk_view_options {
    size_t size;
    unsigned port;            /* 0: any that is free */
    const char *const *hosts; /* n_hosts further names under which a browser may reach it, "name:port", such
                                 as for a forwarded port. Borrowed */
    size_t n_hosts;
    int64_t idle_ns; /* end after this time without a request; 0: never */
    const struct tk_options
        *open;              /* how captures are opened; NULL: defaults. Borrowed with all it points to */
    int (*stop)(void *ctx); /* called regularly; non-zero ends tk_view_run. May be NULL */
    void *stop_ctx;
    /* For captures that grow while they are viewed: called several times a second for capture i, stores the
     * size of its file in *bytes. TK_ITEM: more may come; TK_OK: it has ended; negative: it is gone. The page
     * shows new data. NULL: captures do not grow, and one that does counts as replaced. */
    int (*grown)(void *ctx, size_t i, uint64_t *bytes);
    void *grown_ctx;
    void (*note)(void *ctx, const char *text); /* called with notes for the user, such as that a capture
                                                  was replaced. May be NULL */
    void *note_ctx;
};

/* Listens; options may be NULL. TK_OK; TK_EIO (the port is taken); TK_EUSAGE; TK_ENOMEM. Free with
 * tk_view_free (NULL is allowed). */
TK_API int tk_view_new(struct tk_view **out, const struct tk_view_options *options, struct tk_err *err);
TK_API void tk_view_free(struct tk_view *view);

/* Adds a capture, which must be a regular file; several are displayed one below the other. As tk_open;
 * TK_EUSAGE (too many, or tk_view_run was called). */
TK_API int tk_view_add(struct tk_view *view, const char *path, struct tk_err *err);

/* "http://127.0.0.1:PORT/#TOKEN". Lives as long as the view. */
TK_API const char *tk_view_address(const struct tk_view *view);

/* Answers requests until it is stopped or idle for too long: TK_OK; TK_EUSAGE (no capture), TK_EIO,
 * TK_ENOMEM. Call it once: afterwards nothing is read, and the captures are available from tk_view_trace. */
TK_API int tk_view_run(struct tk_view *view, struct tk_err *err);

/* After tk_view_run: capture i, from 0 in the order in which they were added, for its state (tk_damaged,
 * tk_partial, tk_lossy), and its path in *path. NULL after the last one. Both are borrowed until
 * tk_view_free. */
TK_API struct tk_trace *tk_view_trace(const struct tk_view *view, size_t i, const char **path);

#ifdef __cplusplus
}
#endif

#endif
