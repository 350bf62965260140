/*
 * The scopes of one thread: paired, put in order of start and laid on lanes, part by part.
 */
#ifndef TK_FORMAT_EVENTS_THREAD_SCOPES_H
#define TK_FORMAT_EVENTS_THREAD_SCOPES_H

#include "format/events/capture.h"
#include "format/events/lanes.h"
#include "format/events/ordered.h"
#include "format/events/pairs.h"

/* Zero-initialise; tk_ev_thread_scopes_open sets up a thread, also a second one. */
struct tk_ev_thread_scopes {
    struct tk_ev_capture *c; /* borrowed */
    struct tk_ev_ordered events;
    struct tk_ev_pairs pairs;
    TK_VEC(struct tk_ev_item) waiting; /* slots of scopes whose place is not sure yet, nearly in order */
    size_t given;                      /* how many slots were in front of these */
    size_t enough;                     /* of them, to look what is sure */
    struct tk_ev_sorter sorter;        /* takes all where too many wait */
    bool uses_sorter, read, open;
    int64_t now;        /* time of the last event */
    struct tk_err *err; /* of the call that is at work */
    /* Takes scopes in order of start. 0, or -1 if out of memory. */
    int (*take)(void *ctx, const struct tk_ev_item *scope);
    /* Takes begins and ends of a thread where all of them nest as they come; NULL: `take` gets them. As
     * above. */
    int (*take_nested)(void *ctx, const struct tk_ev_item *items, size_t n);
    void *ctx;
    bool nested; /* this thread is such a one */
};

int tk_ev_thread_scopes_open(struct tk_ev_thread_scopes *t, struct tk_ev_capture *c,
                             const struct tk_ev_thread *thread, struct tk_err *err);

/* A part. TK_ITEM: there is more; TK_OK at the end of the thread; negative. */
int tk_ev_thread_scopes_step(struct tk_ev_thread_scopes *t, struct tk_err *err);

void tk_ev_thread_scopes_close(struct tk_ev_thread_scopes *t);
void tk_ev_thread_scopes_release(struct tk_ev_thread_scopes *t);

#endif
