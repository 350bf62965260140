/*
 * SIGINT and its kin, and SIGPIPE.
 */
#include "os/posix/posix.h"

#include "os/signals.h"

#include "os/atomic.h"

#include <signal.h>
#include <stddef.h>

void tk_os_keep_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails, as on a full disk */
}

/* Without a lock, as a handler may change it; other threads than the one that handles the signal read it. */
static struct tk_atomic stopped;

static void note_stop(int sig)
{
    tk_atomic_set(&stopped, (size_t)sig);
}

void tk_os_note_stop(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction was, action = {.sa_handler = note_stop, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

int tk_os_stopped(void)
{
    return (int)tk_atomic_get(&stopped);
}

void tk_os_stop(int sig)
{
    signal(sig, SIG_DFL);
    raise(sig);
}
