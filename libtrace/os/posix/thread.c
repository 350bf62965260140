/*
 * Starts threads with all signals blocked. The pool, generators and compressors run on them.
 */
#define _POSIX_C_SOURCE 200809L
#include "os/thread.h"

#include <signal.h>
#include <stddef.h>

/* Signals that are about the process belong to threads of the program, not to ours. */
static void block_signals(sigset_t *old)
{
    static const int faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, old);
}

bool tk_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx)
{
    sigset_t old;
    block_signals(&old);
    const bool good = pthread_create(thread, NULL, run, ctx) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return good;
}
