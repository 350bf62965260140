/*
 * Where symbols of a module may be: paths of files in the order in which they are to be tried. The resolver
 * opens and verifies them. Nothing here asks a network. (symbols 3, 6.1, 6.2)
 */
#ifndef TK_SYMBOLS_SEARCH_SEARCH_H
#define TK_SYMBOLS_SEARCH_SEARCH_H

#include "base/hash.h"
#include "symbols/file_index.h"
#include "symbols/wanted.h"

struct tk_search_root {
    const char *path;
    bool walk; /* look in all folders below it */
};

/* A place that was named and is of no use. */
struct tk_useless_place {
    const char *path, *why; /* why: static */
};

struct tk_search {
    struct tk_arena arena;
    TK_VEC(struct tk_search_root) roots;
    struct tk_file_index index;
    bool walked;
    TK_VEC(const char *) missing; /* places that were named, and are not there */
    TK_VEC(struct tk_useless_place) useless;
    uint64_t servers; /* in paths of the environment, which are not asked */
};

/* A file that may be it, and how it was found: a static text. */
struct tk_candidate {
    const char *path; /* of the arena of the list */
    const char *how;
};

struct tk_candidates {
    struct tk_arena arena;
    TK_VEC(struct tk_candidate) v;
};

/*
 * The places: n paths (folders or files) or, where there are none, those of the environment: TRACEKIT_SYMBOLS
 * alone where it is set, else `folder` (that of the capture, may be NULL) and the places that other tools
 * use. 0, or -1 if out of memory.
 */
int tk_search_open(struct tk_search *s, const char *const *paths, size_t n, const char *folder);

/* Adds the files that may have the symbols of a module, or be it. 0, or -1 if out of memory. */
int tk_search_find(struct tk_search *s, const struct tk_wanted *w, struct tk_candidates *out);

/* Adds the files of a name that another file tells: beside that file, and in all places. A name with folders
 * is none. */
int tk_search_named(struct tk_search *s, const struct tk_wanted *w, const char *name, const char *beside,
                    const char *how, struct tk_candidates *out);

/* Notes a place that was named and is of no use, once. 0, or -1 if out of memory. */
int tk_search_note_useless(struct tk_search *s, const char *path, const char *why);

void tk_candidates_release(struct tk_candidates *c);
void tk_search_release(struct tk_search *s);

#endif
