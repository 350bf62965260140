/*
 * A file that is viewed: what was read of it last, what became of it since, and whether more is being
 * written. view.c has a list of them; work.c reads them.
 *
 * Of what grows the reading before the last one stays, as pages ask about it until they know of the last one.
 * So what grows takes the memory of two readings, and of three while it is read anew.
 */
#ifndef TK_VIEW_SOURCE_H
#define TK_VIEW_SOURCE_H

#include "os/path.h"
#include "view/capture.h"

/* What became of the file since it was opened. */
enum tk_view_change { TK_VIEW_SAME, TK_VIEW_REPLACED, TK_VIEW_REWRITTEN };

/* Is more of it being written? */
enum tk_view_growth { TK_VIEW_FIXED, TK_VIEW_GROWING, TK_VIEW_ENDED };

struct tk_view_source {
    char *path;                      /* owned */
    struct tk_options tables, drawn; /* how it is opened for each; borrowed what they point to */
    struct tk_os_info info;          /* of the file when it was opened first */
    bool follows;                    /* more may be written to it */
    /* Guarded by the monitor of work.c once that runs: */
    struct tk_view_capture *now;    /* owned: what was read last */
    struct tk_view_capture *before; /* owned: before that, of what grows; NULL: nothing */
    bool wanted, renewing, renewed; /* it is to be read anew, is being, has been and nobody was told yet */
    double took;                    /* seconds of the last such reading */
    /* Of the loop alone: */
    enum tk_view_change change;
    enum tk_view_growth growth;
    uint64_t bytes, tried; /* that there are; that there were when it was read last, or should have been */
    uint64_t number;       /* of the reading that there was then */
    double next;           /* when it may be read anew */
};

/* Opens it; `follow`: it may grow from here on. As tk_open; then it is to be released, too. */
int tk_view_source_open(struct tk_view_source *s, const char *path, const struct tk_options *tables,
                        const struct tk_options *drawn, bool follow, struct tk_err *err);

void tk_view_source_release(struct tk_view_source *s);

/* Opens what the file is now: *out is owned. As tk_open. */
int tk_view_source_read(const struct tk_view_source *s, uint64_t number, struct tk_view_capture **out,
                        struct tk_err *err);

/* Looks whether the file is still the one that was opened: true where that has changed since it was asked
 * last. What was replaced stays open as it was; what was written to is none any more. */
bool tk_view_source_look(struct tk_view_source *s);

/* It has so many bytes, and `ended`: no more will come. true where it is to be read anew, at a time `now`;
 * never where it may not be. */
bool tk_view_source_grow(struct tk_view_source *s, uint64_t bytes, bool ended, bool may, double now);

/* It cannot be followed any more. What was cut is none any more; what is gone, or another file, stays as it
 * was read. */
void tk_view_source_lose(struct tk_view_source *s);

/* It was read anew, which took this many seconds, and is reading `number` now: the next one comes after a
 * pause, so that a part of the processors alone is spent on it however large it is. Where the number is as
 * before it failed, and is tried again. */
void tk_view_source_pause(struct tk_view_source *s, uint64_t number, double now, double took);

#endif
