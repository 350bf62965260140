/*
 * A window that slides over a text: its bytes from a position on, in one piece, as many as are needed. It is
 * a memory map where that can be had, else a buffer; what does not fit into a part of a map goes to a buffer.
 */
#ifndef TK_FORMAT_EVENTS_WINDOW_H
#define TK_FORMAT_EVENTS_WINDOW_H

#include "io/file.h"

struct tk_ev_window {
    const struct tk_file *file; /* borrowed */
    struct tk_window *map;      /* owned; NULL: a buffer is used */
    uint8_t *own;               /* the buffer, owned; NULL as long as there is a map */
    const uint8_t *buf;         /* n bytes are there, from `start` of the file on */
    size_t cap, n;
    size_t at;   /* what is before is not needed any more */
    size_t most; /* bytes in one piece */
    uint64_t start;
    bool end; /* the file has no more */
};

/* TK_OK or TK_ENOMEM. map: as tk_options has it. */
int tk_ev_window_open(struct tk_ev_window *w, const struct tk_file *f, uint64_t most, bool map,
                      struct tk_err *err);

/* Begins at the first byte of the file again. */
void tk_ev_window_rewind(struct tk_ev_window *w);

/*
 * Makes more bytes visible behind those that are there; pointers into the window are invalid afterwards.
 * TK_ITEM; TK_OK at the end of the file; TK_ELIMIT (err is not set) where the piece is as long as allowed;
 * TK_EIO, TK_ENOMEM.
 */
int tk_ev_window_more(struct tk_ev_window *w, struct tk_err *err);

int tk_ev_window_fill(struct tk_ev_window *w, size_t n, struct tk_err *err);

/* Makes n bytes visible from w->at on. TK_ITEM; TK_OK where the file has fewer; TK_ELIMIT (err is not set);
 * negative. */
static inline int tk_ev_window_need(struct tk_ev_window *w, size_t n, struct tk_err *err)
{
    return w->n - w->at >= n ? TK_ITEM : tk_ev_window_fill(w, n, err);
}

static inline uint64_t tk_ev_window_offset(const struct tk_ev_window *w, size_t at)
{
    return w->start + at;
}

/* The offset of w->at in the file. */
static inline uint64_t tk_ev_window_here(const struct tk_ev_window *w)
{
    return tk_ev_window_offset(w, w->at);
}

void tk_ev_window_close(struct tk_ev_window *w);

#endif
