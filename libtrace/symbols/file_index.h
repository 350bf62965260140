/*
 * Names of files below folders, so that a file is found wherever it lies. The search for symbols queries it.
 * (symbols 6.2)
 */
#ifndef TK_SYMBOLS_SEARCH_FILE_INDEX_H
#define TK_SYMBOLS_SEARCH_FILE_INDEX_H

#include "base/arena.h"
#include "base/vec.h"

struct tk_indexed_file {
    const char *path;
    size_t name;    /* where its last part begins */
    uint32_t order; /* in which it was found */
};

struct tk_file_index {
    struct tk_arena arena;
    TK_VEC(struct tk_indexed_file) files; /* by name without case, once it is sorted */
    bool sorted;
    bool no_links; /* links to files are left out; else they are as good as the files */
    bool full;     /* there were more than the most that it takes */
};

/* Adds the files in and below a folder, or a file alone. What cannot be read is left out, links to folders
 * are not followed, entries of a folder come in order of their names. 0, or -1 if out of memory. */
int tk_file_index_walk(struct tk_file_index *index, const char *root);

/* The files of a name, whose case does not count: the first and how many. */
const struct tk_indexed_file *tk_file_index_find(struct tk_file_index *index, const char *name, size_t *n);

void tk_file_index_release(struct tk_file_index *index);

#endif
