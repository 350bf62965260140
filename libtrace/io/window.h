/*
 * Windows over input files, for readers that need a few bytes every few thousand.
 */
#ifndef TK_IO_INPUT_WINDOW_H
#define TK_IO_INPUT_WINDOW_H

#include "io/file.h"

/*
 * A window that moves forward over a file. With
 * tk_options.map it is a memory map (a buffer where that cannot be had), else a buffer. The file must stay
 * open.
 */
struct tk_window {
    const uint8_t *bytes; /* in sight now: `have` bytes from `start` on */
    uint64_t start;
    size_t have;
    const struct tk_file *file; /* borrowed */
    struct tk_os_map *view;     /* owned; NULL without a map */
    uint8_t *buffer;            /* owned; NULL until needed */
    bool shrank;                /* seen by a read */
};

#define TK_WINDOW_MOST (65536 + 16)
#define TK_WINDOW_VIEW ((size_t)8 << 20) /* bytes in sight where there is a memory map */

int tk_window_open(struct tk_window **out, const struct tk_file *f, bool map, struct tk_err *err);

/* tk_window_at when the bytes are not in sight. */
const uint8_t *tk_window_move(struct tk_window *w, uint64_t offset, size_t n, size_t *got,
                              struct tk_err *err);

/*
 * n (at most TK_WINDOW_MOST) bytes at an offset, borrowed until the next call. Fewer at the end of the file:
 * *got. Returns NULL on a read error (err set); with *got 0 at and behind the end, a non-NULL pointer.
 */
static inline const uint8_t *tk_window_at(struct tk_window *w, uint64_t offset, size_t n, size_t *got,
                                          struct tk_err *err)
{
    uint64_t skip = offset - w->start; /* huge when the offset lies before */
    if (skip > w->have || n > w->have - skip)
        return tk_window_move(w, offset, n, got, err);
    *got = n;
    return w->bytes + skip;
}

/* Where there is a memory map: what is in sight begins in front of an offset of the file from now on, by less
 * than TK_WINDOW_VIEW / 8, and what was in sight is given up. */
void tk_window_show(struct tk_window *w, uint64_t offset);

/*
 * Did the file become shorter than when it was opened, or lose pages? What is not there any more reads as
 * zeros. A call to the system: ask once, at the end of a walk.
 */
bool tk_window_shrank(const struct tk_window *w);

/* NULL is allowed. */
void tk_window_close(struct tk_window *w);

#endif
