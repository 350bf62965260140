/*
 * A generator: a thread that produces items one by one for the thread that opened it, and continues only when
 * the previous item is consumed. It turns callbacks into a sequence that is pulled.
 *
 * Only one of the two threads runs at a time, so what they share needs no lock of its own.
 */
#ifndef TK_PARALLEL_GENERATOR_H
#define TK_PARALLEL_GENERATOR_H

#include <stdbool.h>

struct tk_generator;

/* Runs in the thread of the relay: gives what it has and returns. The value is for tk_generator_close. */
typedef int tk_generator_fn(struct tk_generator *relay, void *ctx);

/* Nothing runs before the first tk_generator_take. NULL when memory or threads are out. */
struct tk_generator *tk_generator_open(tk_generator_fn *fn, void *ctx);

/* Of fn: hands `thing` over and waits until the next one is wanted. false: nobody wants any more, fn returns.
 */
bool tk_generator_give(struct tk_generator *relay, const void *thing);

/* The next thing, which is there until the next call; NULL: fn has returned. */
const void *tk_generator_take(struct tk_generator *relay);

/* Ends and frees; what fn returned, 0 when it never ran or relay is NULL. */
int tk_generator_close(struct tk_generator *relay);

#endif
