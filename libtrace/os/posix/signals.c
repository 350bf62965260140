/*
 * SIGINT and its kin, and SIGPIPE.
 */
#include "os/posix/posix.h"

#include "os/signals.h"

#include <signal.h>
#include <stddef.h>

void tk_os_keep_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails, as on a full disk */
}

static volatile sig_atomic_t stopped;

static void note_stop(int sig)
{
    stopped = sig;
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
    return (int)stopped;
}

void tk_os_stop(int sig)
{
    signal(sig, SIG_DFL);
    raise(sig);
}
