/*
 * Threads of POSIX, started with all signals blocked.
 */
#include "os/posix/posix.h"

#include "os/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

struct monitor {
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

_Static_assert(sizeof(pthread_t) <= sizeof(((struct tk_os_thread *)0)->handle), "room for a thread");
_Static_assert(sizeof(struct monitor) <= sizeof(struct tk_os_monitor), "room for a monitor");
_Static_assert(_Alignof(struct monitor) <= _Alignof(struct tk_os_monitor), "aligned as pointers are");

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

static void *run_thread(void *self)
{
    const struct tk_os_thread *thread = self;
    thread->run(thread->ctx);
    return NULL;
}

static pthread_t *thread_of(struct tk_os_thread *thread)
{
    return (pthread_t *)(void *)thread->handle;
}

bool tk_os_thread_start(struct tk_os_thread *thread, void (*run)(void *ctx), void *ctx)
{
    sigset_t old;
    thread->run = run;
    thread->ctx = ctx;
    block_signals(&old);
    const bool good = pthread_create(thread_of(thread), NULL, run_thread, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return good;
}

void tk_os_thread_join(struct tk_os_thread *thread)
{
    pthread_join(*thread_of(thread), NULL);
}

static struct monitor *monitor_of(struct tk_os_monitor *monitor)
{
    return (struct monitor *)(void *)monitor->handle;
}

bool tk_os_monitor_init(struct tk_os_monitor *monitor)
{
    struct monitor *m = monitor_of(monitor);
    if (pthread_mutex_init(&m->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&m->changed, NULL) == 0)
        return true;
    pthread_mutex_destroy(&m->lock);
    return false;
}

void tk_os_monitor_destroy(struct tk_os_monitor *monitor)
{
    struct monitor *m = monitor_of(monitor);
    pthread_cond_destroy(&m->changed);
    pthread_mutex_destroy(&m->lock);
}

void tk_os_monitor_lock(struct tk_os_monitor *monitor)
{
    pthread_mutex_lock(&monitor_of(monitor)->lock);
}

void tk_os_monitor_unlock(struct tk_os_monitor *monitor)
{
    pthread_mutex_unlock(&monitor_of(monitor)->lock);
}

void tk_os_monitor_wait(struct tk_os_monitor *monitor)
{
    struct monitor *m = monitor_of(monitor);
    pthread_cond_wait(&m->changed, &m->lock);
}

void tk_os_monitor_tell_one(struct tk_os_monitor *monitor)
{
    pthread_cond_signal(&monitor_of(monitor)->changed);
}

void tk_os_monitor_tell(struct tk_os_monitor *monitor)
{
    pthread_cond_broadcast(&monitor_of(monitor)->changed);
}

void tk_os_once(struct tk_os_once *once, void (*run)(void))
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!once->done)
        run();
    once->done = true;
    pthread_mutex_unlock(&lock);
}
