/*
 * Threads of Windows, with the stack that the main thread has, and locks of one word.
 */
#include "os/windows/win32.h"

#include "os/thread.h"

#include <process.h>
#include <stddef.h>

enum { STACK_BYTES = 8 << 20 }; /* reserved, and taken as it is used */

struct monitor {
    SRWLOCK lock;
    CONDITION_VARIABLE changed;
};

_Static_assert(sizeof(struct monitor) <= sizeof(struct tk_os_monitor), "room for a monitor");
_Static_assert(_Alignof(struct monitor) <= _Alignof(struct tk_os_monitor), "aligned as pointers are");

static unsigned __stdcall run_thread(void *self)
{
    const struct tk_os_thread *thread = self;
    thread->run(thread->ctx);
    return 0;
}

bool tk_os_thread_start(struct tk_os_thread *thread, void (*run)(void *ctx), void *ctx)
{
    thread->run = run;
    thread->ctx = ctx;
    thread->handle[0] = (void *)_beginthreadex(NULL, STACK_BYTES, run_thread, thread,
                                               STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    return thread->handle[0] != NULL;
}

void tk_os_thread_join(struct tk_os_thread *thread)
{
    WaitForSingleObject(thread->handle[0], INFINITE);
    CloseHandle(thread->handle[0]);
}

static struct monitor *monitor_of(struct tk_os_monitor *monitor)
{
    return (struct monitor *)(void *)monitor->handle;
}

bool tk_os_monitor_init(struct tk_os_monitor *monitor)
{
    struct monitor *m = monitor_of(monitor);
    InitializeSRWLock(&m->lock);
    InitializeConditionVariable(&m->changed);
    return true;
}

void tk_os_monitor_destroy(struct tk_os_monitor *monitor)
{
    (void)monitor;
}

void tk_os_monitor_lock(struct tk_os_monitor *monitor)
{
    AcquireSRWLockExclusive(&monitor_of(monitor)->lock);
}

void tk_os_monitor_unlock(struct tk_os_monitor *monitor)
{
    ReleaseSRWLockExclusive(&monitor_of(monitor)->lock);
}

void tk_os_monitor_wait(struct tk_os_monitor *monitor)
{
    struct monitor *m = monitor_of(monitor);
    SleepConditionVariableSRW(&m->changed, &m->lock, INFINITE, 0);
}

void tk_os_monitor_tell_one(struct tk_os_monitor *monitor)
{
    WakeConditionVariable(&monitor_of(monitor)->changed);
}

void tk_os_monitor_tell(struct tk_os_monitor *monitor)
{
    WakeAllConditionVariable(&monitor_of(monitor)->changed);
}

void tk_os_once(struct tk_os_once *once, void (*run)(void))
{
    static SRWLOCK lock = SRWLOCK_INIT;
    AcquireSRWLockExclusive(&lock);
    if (!once->done)
        run();
    once->done = true;
    ReleaseSRWLockExclusive(&lock);
}
