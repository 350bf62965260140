/*
 * Threads of a capture: numbers, ids of the operating system, names (tracy-file 5.3, 5.4).
 *
 * The number of a thread is its place in the local thread table, the "compressed thread" of the file; place 0
 * is a dummy. Threads that have zones but no place there follow in the order of the zone section, as the
 * format's own tools have it.
 */
#ifndef TK_FORMAT_TRACY_STATE_THREADS_H
#define TK_FORMAT_TRACY_STATE_THREADS_H

#include "base/hash.h"
#include "format/tracy/walk/strings.h"

struct tk_tracy_external {
    uint64_t process, name; /* keys of strings */
};

struct tk_tracy_threads {
    TK_VEC(uint64_t) local;    /* tids by number */
    TK_VEC(uint64_t) external; /* tids of other processes by their number */
    TK_VEC(struct tk_tracy_external) externals;
    TK_VEC(uint64_t) names;    /* keys of strings */
    TK_VEC(uint64_t) named;    /* the tids of these names */
    struct tk_map number;      /* tid -> number */
    struct tk_map name_of;     /* tid -> place in names */
    struct tk_map external_of; /* tid -> place in externals */
};

/* Appends a thread; its number is where it stands. 0, or -1 if out of memory. */
int tk_tracy_threads_add(struct tk_tracy_threads *t, uint64_t tid);

/* Adds the name of a thread, or of one of another process. 0, or -1. */
int tk_tracy_threads_name(struct tk_tracy_threads *t, uint64_t tid, uint64_t key);
int tk_tracy_threads_name_external(struct tk_tracy_threads *t, uint64_t tid, struct tk_tracy_external names);

/* The number of a tid; TK_MAP_NONE when it has none. */
uint32_t tk_tracy_thread_number(const struct tk_tracy_threads *t, uint64_t tid);

/* The name of a tid, NULL when it has none. A name that is only its number gives way to one from outside. */
const struct tk_str *tk_tracy_thread_name(const struct tk_tracy_threads *t,
                                          const struct tk_tracy_strings *strings, uint64_t tid);

/* Process and thread name of a thread of another process; NULL where not known. */
void tk_tracy_thread_external(const struct tk_tracy_threads *t, const struct tk_tracy_strings *strings,
                              uint64_t tid, const struct tk_str **process, const struct tk_str **name);

/* Is there a named thread without a number? It gets one when the zone section is walked. */
bool tk_tracy_threads_open_names(const struct tk_tracy_threads *t);

void tk_tracy_threads_release(struct tk_tracy_threads *t);

#endif
