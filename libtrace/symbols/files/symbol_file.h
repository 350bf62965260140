/*
 * The bytes of a symbol file: mapped, or read to memory where that is not wanted or not possible. The readers
 * of containers take them; the search opens files with it.
 */
#ifndef TK_SYMBOLS_READER_SYMBOL_FILE_H
#define TK_SYMBOLS_READER_SYMBOL_FILE_H

#include "base/cursor.h"
#include "os/map.h"

struct tk_sym_file {
    struct tk_bytes bytes; /* as long as it is open */
    struct tk_os_file *file;
    struct tk_os_map *view; /* NULL: they are in memory */
    uint8_t *memory;        /* owned */
    int64_t modified;       /* seconds since 1970 */
    uint64_t touched;       /* bytes of the view that may be in memory */
};

/*
 * Opens a regular file; `map` says whether a view of it may be used. 0; -1: there is no such file, or it
 * cannot be read, with *why, a static text or one of the system until its next call.
 */
int tk_sym_file_open(struct tk_sym_file *f, const char *path, bool map, const char **why);

/* Did it become shorter since it was opened? Its missing bytes are zeros then. */
bool tk_sym_file_changed(const struct tk_sym_file *f);
#define TK_SYM_CHANGED "the file was truncated while it was read"

/* Says that n bytes were read. What a view has in memory is given up now and then, as much of a large file is
 * read once only; the bytes come back where they are read again. NULL is allowed. */
void tk_sym_file_touch(struct tk_sym_file *f, uint64_t n);

/* Closing one that is all zeros is allowed. */
void tk_sym_file_close(struct tk_sym_file *f);

/* Bytes at an offset; empty where they are not all there. */
static inline struct tk_bytes tk_sym_slice(struct tk_bytes all, uint64_t at, uint64_t n)
{
    if (at > all.n || n > all.n - at)
        return (struct tk_bytes){NULL, 0};
    return (struct tk_bytes){all.p + at, (size_t)n};
}

/* The bytes of a text up to its NUL; without one up to the end. */
static inline size_t tk_sym_text_length(const uint8_t *p, size_t n)
{
    const uint8_t *end = n ? memchr(p, 0, n) : NULL;
    return end ? (size_t)(end - p) : n;
}

#endif
