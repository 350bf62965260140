/*
 * Input files: a file, pipe or compressed file becomes a seekable file of known size. Pipes and compressed
 * inputs are unpacked to an unlinked temporary file when opened.
 */
#ifndef TK_IO_FILE_H
#define TK_IO_FILE_H

#include "base/err.h"
#include "base/health/limits.h"
#include "io/reader.h"

#include <stddef.h>
#include <stdint.h>

struct tk_file;

/* Says whether a file may be what it should be, by its first bytes: TK_OK, or negative with the reason. */
typedef int tk_file_accept(const uint8_t *head, size_t n, struct tk_err *err);

enum { TK_FILE_HEAD = 4096 }; /* bytes that it is known by */

/*
 * Opens a path ("-" is standard input). spool_dir may be NULL (TMPDIR, else /tmp). progress may be NULL.
 * TK_OK; TK_EIO with a sentence for directories, missing and unreadable files, broken compression;
 * TK_ELIMIT when more than limits->unpacked_bytes would be unpacked; where that is the default, half of what
 * is free on the disk is a limit, too. What goes to a temporary file is in question when its first
 * TK_FILE_HEAD bytes are there (accept; may be NULL), so that no disk is filled with what is of no use. A
 * compressed input that is cut off is opened with what could be unpacked and tk_file_cut() says.
 */
int tk_file_open(struct tk_file **out, const char *path, const struct tk_options *opt,
                 const struct tk_limits *limits, tk_file_accept *accept, struct tk_err *err);

/* Where the bytes of a file come from: the first of these that is there. */
struct tk_file_place {
    const char *path;        /* NULL: not a path */
    const int *descriptor;   /* stays open, and is read from where it stands; NULL: not a descriptor */
    struct tk_reader reader; /* what it reads stays until the file is closed */
};

/* The same for any place. */
int tk_file_open_place(struct tk_file **out, const struct tk_file_place *place, const struct tk_options *opt,
                       const struct tk_limits *limits, tk_file_accept *accept, struct tk_err *err);

/* Size in bytes when it was opened. */
uint64_t tk_file_size(const struct tk_file *f);

/* "zstd", "lz4", "gzip" or NULL; the size of the file as stored; was its end missing? */
const char *tk_file_compression(const struct tk_file *f);
uint64_t tk_file_stored_size(const struct tk_file *f);
bool tk_file_cut(const struct tk_file *f);

/*
 * Reads up to n bytes at an offset, all of them unless the file ends. Returns the number read in *got (less
 * than n only at the end of the file: a file that shrank gives less than its size says). TK_OK or TK_EIO.
 * Safe to call from several threads.
 */
int tk_file_read(const struct tk_file *f, uint64_t offset, void *buf, size_t n, size_t *got,
                 struct tk_err *err);

/* NULL is allowed. */
void tk_file_close(struct tk_file *f);

/*
 * Text files that are read whole: budgets, accepted regressions, facts about runs, histories as numbers.
 */

/*
 * Reads a file of at most `most` bytes, unpacked where it is compressed. *text is owned by the caller (free),
 * has *n bytes and a NUL behind them; NULL where it fails. TK_OK, TK_ELIMIT, or what opening and reading
 * give.
 */
int tk_text_file_read(char **text, size_t *n, const char *path, uint64_t most, struct tk_err *err);

/*
 * Windows over input files, for readers that need a few bytes every few thousand.
 */

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
