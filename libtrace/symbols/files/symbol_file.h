/*
 * The bytes of a symbol file: mapped, or read to memory where that is not wanted or not possible. The readers
 * of containers take them; the search opens files with it.
 */
#ifndef TK_SYMBOLS_FILES_SYMBOL_FILE_H
#define TK_SYMBOLS_FILES_SYMBOL_FILE_H

#include "base/cursor.h"
#include "base/sort.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "os/file.h"

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

/*
 * Questions and answers: addresses of a symbol file, and the functions that they lie in. Every reader of
 * symbols takes the one and gives the other.
 */

/* A function that an address lies in. */
struct tk_sym_frame {
    const struct tk_str *function, *file; /* NULL: not known */
    uint32_t line;                        /* 0: not known */
};

/* An address to look up, as the file counts addresses, and its frames. */
struct tk_sym_question {
    uint64_t address;
    uint32_t first, n; /* of the frames of the answers, the innermost inlined function first; n 0: none yet */
};

/* Answers so far. Zero-initialise to begin, release with tk_sym_answers_release. */
struct tk_sym_answers {
    struct tk_intern texts; /* owns all texts of the frames */
    TK_VEC(struct tk_sym_frame) frames;
    uint64_t lost;   /* units and modules of files that could not be read */
    const char *why; /* the first cause of that; static */
    bool failed;     /* out of memory */
};

/* A text that answers own. NULL for an empty text and if out of memory, which `failed` says. */
const struct tk_str *tk_sym_text(struct tk_sym_answers *a, const char *p, size_t n);

/* The same for the name of a function as the linker has it: mangled ones of Rust are demangled. */
const struct tk_str *tk_sym_function(struct tk_sym_answers *a, const char *p, size_t n);

/* Adds a frame to the answer of a question, whose frames have to be added in one go. */
void tk_sym_add(struct tk_sym_answers *a, struct tk_sym_question *q, struct tk_sym_frame frame);

/* Counts a part of a file that could not be read. */
void tk_sym_lose(struct tk_sym_answers *a, const char *why);

void tk_sym_answers_release(struct tk_sym_answers *a);

/* The first of n questions, which are sorted, at or behind an address. */
static inline size_t tk_sym_from(const struct tk_sym_question *v, size_t n, uint64_t address)
{
    size_t at;
    TK_SEARCH(at, n, v[at].address < address);
    return at;
}

/*
 * Paths of source files as symbols have them, of any system: joined, without "." and with as few ".." as
 * possible. Readers make the files of their frames with it.
 */

/* Zero-initialise to begin. */
struct tk_sym_path {
    char text[4096];
    size_t n;
};

/* Appends a path; an absolute one takes the place of what is there. What is too long is left out. */
void tk_sym_path_add(struct tk_sym_path *p, struct tk_bytes s);

#endif
