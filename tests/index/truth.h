/*
 * All scopes of a capture as the tables `scopes` and `gpu_scopes` have them, lane by lane: what windows of an
 * index are compared with. windows.c uses it.
 */
#ifndef TK_TESTS_INDEX_TRUTH_H
#define TK_TESTS_INDEX_TRUTH_H

#include "view/index/index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct truth_scope {
    int64_t begin, end; /* cycles since the start */
    uint32_t name;      /* number of the timer's name */
    uint32_t depth;
    bool unended; /* end does not count */
    bool seen;    /* a mark for who compares */
};

struct truth_lane {
    bool gpu;
    uint64_t thread;
    struct truth_scope *v; /* in order of the table */
    size_t n, cap;
};

struct truth {
    struct truth_lane *lanes; /* in order of lanes of the index */
    size_t n, first_gpu;
    char **names; /* each NUL-terminated, cut at a NUL */
    size_t n_names, cap_names;
    uint32_t *slots; /* hash table of numbers + 1 */
    size_t mask;
    int64_t start;
};

/* Reads a capture; prints and returns false where that fails. */
bool truth_read(struct truth *t, const char *path, const struct tk_index *index);
void truth_free(struct truth *t);

/* The number of a name; UINT32_MAX: there is no scope of it. */
uint32_t truth_name(struct truth *t, const char *p, size_t n, bool add);

#endif
