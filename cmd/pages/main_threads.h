/*
 * Main threads: which threads of a capture a first page speaks of.
 */
#ifndef TK_CMD_PAGES_MAIN_THREADS_H
#define TK_CMD_PAGES_MAIN_THREADS_H

#include "pages/answer.h"

#define TK_MAIN_THREADS_MOST 3

struct tk_main_thread {
    size_t row; /* of the table `threads` */
    uint64_t id;
    int64_t busy, working, waiting;
    unsigned rank; /* less comes first; of threads of the same rank the one that works more */
};

struct tk_main_threads {
    struct tk_main_thread v[TK_MAIN_THREADS_MOST];
    size_t n;
    uint64_t used; /* threads with scopes */
};

/* Those that Unreal names GameThread, RenderThread and RHIThread; where no thread is called so, those that
 * work most, or are busy most where it is not told how long they waited. threads: the table of that name. */
void tk_main_threads_find(struct tk_main_threads *main, const struct tk_answer *threads);

/* Are they those that Unreal names so? */
bool tk_main_threads_named(const struct tk_main_threads *main);

/* Is it the id of one of them? */
bool tk_main_threads_has(const struct tk_main_threads *main, uint64_t id);

#endif
