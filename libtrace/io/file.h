/*
 * Input files: a file, pipe or compressed file becomes a seekable file of known size. Pipes and compressed
 * inputs are unpacked to an unlinked temporary file when opened.
 */
#ifndef TK_IO_INPUT_FILE_H
#define TK_IO_INPUT_FILE_H

#include "base/err.h"
#include "base/health/limits.h"
#include "io/reader.h"

struct tk_file;

/* Says whether a file may be what it should be, by its first bytes: TK_OK, or negative with the reason. */
typedef int tk_file_accept(const uint8_t *head, size_t n, struct tk_err *err);

enum { TK_FILE_HEAD = 4096 }; /* bytes that it is told by */

/*
 * Opens a path ("-" is standard input). spool_dir may be NULL (TMPDIR, else /tmp). progress may be NULL.
 * TK_OK; TK_EIO with a sentence for directories, missing and unreadable files, broken compression;
 * TK_ELIMIT when more than limits->unpacked_bytes would be unpacked; where that is the default, half of what
 * is free on the disk is a limit, too. What goes to a temporary file is asked about when its first
 * TK_FILE_HEAD bytes are there (accept; may be NULL), so that no disk is filled with what is of no use. A
 * compressed input that is cut off is opened with what could be unpacked and tk_file_cut() tells.
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

#endif
