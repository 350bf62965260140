/*
 * Threads, locks and waiting for changes. The threads receive no signals that are sent to the
 * process. The pool, generators and compressors run on them.
 */
#ifndef TK_OS_THREAD_H
#define TK_OS_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A thread; it stays where it is from its start to its join. */
struct tk_os_thread {
    void (*run)(void *ctx);
    void *ctx;
    void *handle[2]; /* of the system */
};

/* Starts run(ctx). false when threads are out. */
bool tk_os_thread_start(struct tk_os_thread *thread, void (*run)(void *ctx), void *ctx);

/* Waits for its end. Once for each that was started. */
void tk_os_thread_join(struct tk_os_thread *thread);

/* A lock, which a thread takes once, and the changes of what it guards, which threads wait for. */
struct tk_os_monitor {
    void *handle[20];
};

/* false when the system has no more of them. */
bool tk_os_monitor_init(struct tk_os_monitor *monitor);
void tk_os_monitor_destroy(struct tk_os_monitor *monitor);
void tk_os_monitor_lock(struct tk_os_monitor *monitor);
void tk_os_monitor_unlock(struct tk_os_monitor *monitor);

/* With the lock: gives it up, sleeps until somebody reports a change, or for no reason, and takes it again.
 */
void tk_os_monitor_wait(struct tk_os_monitor *monitor);

/* Wakes one thread that waits, or all. */
void tk_os_monitor_tell_one(struct tk_os_monitor *monitor);
void tk_os_monitor_tell(struct tk_os_monitor *monitor);

/* What is done once in a process, by whoever comes first. Zero-initialise it in static storage. */
struct tk_os_once {
    bool done;
};

/* Returns when run() has returned. It calls no tk_os_once itself. */
void tk_os_once(struct tk_os_once *once, void (*run)(void));

/*
 * Numbers that several threads change and read without a lock.
 */

/* Zero-initialised it is 0. */
struct tk_atomic {
    _Atomic size_t v;
};

static inline size_t tk_atomic_get(const struct tk_atomic *a)
{
    return atomic_load(&a->v);
}

static inline void tk_atomic_set(struct tk_atomic *a, size_t v)
{
    atomic_store(&a->v, v);
}

/* Sets it where it is 0. */
static inline void tk_atomic_claim(struct tk_atomic *a, size_t v)
{
    size_t none = 0;
    atomic_compare_exchange_strong(&a->v, &none, v);
}

/* What it was before. */
static inline size_t tk_atomic_add(struct tk_atomic *a, size_t v)
{
    return atomic_fetch_add(&a->v, v);
}

#endif
