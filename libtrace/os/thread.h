/*
 * Threads of the library, which receive no signals sent to the process. The pool, generators and compressors
 * run on them.
 */
#ifndef TK_OS_THREAD_H
#define TK_OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts run(ctx); join it with pthread_join. false when threads are out. */
bool tk_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx);

#endif
