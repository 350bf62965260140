/*
 * CPU scopes of a thread at the edges of a cut: scopes that are open when the window begins are begun again
 * there, those open at its end are ended there.
 */
#ifndef TK_EDIT_UTRACE_CUT_CUT_SCOPES_H
#define TK_EDIT_UTRACE_CUT_CUT_SCOPES_H

#include "base/vec.h"
#include "edit/utrace/stages/batch.h"
#include "format/utrace/write/bytes.h"

/* The window, cycles since the start of the clock; and that start. */
struct tk_edit_window {
    int64_t from, to;
    uint64_t start;
};

/* A scope that is open. */
struct tk_edit_open {
    uint64_t number; /* as in the batch; of a coroutine its id */
    uint8_t kind;    /* 0 a scope, 1 a coroutine, 2 what came back with it */
    bool kept;       /* it is in the result, or will be when the window begins */
};

struct tk_edit_cut_scopes {
    TK_VEC(struct tk_edit_open) stack; /* the innermost last */
    bool carried;                      /* the window has begun for this thread */
    struct tk_uw_bytes out;            /* entries of the batch in hand that stay */
    size_t front;                      /* bytes of `out`: a batch of its own, of what was open at the edge */
    int64_t last;                      /* time of the last of them */
    bool any;                          /* there is one in the batch */
    struct tk_bytes rest;              /* of the batch, behind the entry in hand */
    unsigned clipped;                  /* entries that are not as they were */
    /* Told of each number of a begin that stays. May be NULL. */
    int (*used)(void *ctx, uint64_t number);
    void *ctx;
};

/* Is nothing of a batch in the result that begins at this time, behind the window? What ends in it is not in
 * the result, too. Forgets what is open. */
bool tk_edit_cut_over(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, int64_t begin);

/* The time of the first entry of a batch. */
int64_t tk_edit_cut_begin(const struct tk_edit_window *w, unsigned form, const uint8_t *p, size_t n);

/* Goes over a batch. *same: all of it stays as it is; otherwise what stays of it is in s->out. 0 or -1 if
 * out of memory. */
int tk_edit_cut_batch(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                      const uint8_t *p, size_t n, bool *same);

/* The thread ends: what was open when the window began and never changed since is put to s->out. */
int tk_edit_cut_rest(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form);

/* Where a batch is read: the next byte, the end, and the time of the entry before it. */
struct tk_edit_cut_place {
    const uint8_t *p, *end;
    int64_t time;
    bool first; /* nothing of it was read yet */
};

/* Goes over entries that are all before the window, in it, or behind it, and of which none is a coroutine; to
 * the first one that is not. Nothing of them is changed, or nothing of them stays. 0 or -1. */
int tk_edit_cut_alike(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                      struct tk_edit_cut_place *place);

void tk_edit_cut_scopes_release(struct tk_edit_cut_scopes *s);

#endif
