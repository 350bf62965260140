/*
 * Threads of the library: they take no signals that are about the process.
 */
#ifndef TK_OS_THREAD_H
#define TK_OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts run(ctx); join it with pthread_join. false when threads are out. */
bool tk_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx);

#endif
