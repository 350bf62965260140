/*
 * Ctrl-C and its kin, which come on a thread of their own.
 */
#include "os/windows/win32.h"

#include "os/signals.h"

#include "os/atomic.h"
#include "os/windows/console.h"

#include <stdbool.h>

#define ENDED_BY_CONTROL_C 0xC000013AU /* as the default handler ends a process */

enum { SECONDS_TO_CLOSE = 10 }; /* the system gives about five */

static struct tk_atomic stopped;

void tk_os_keep_pipes(void)
{
    /* writing to a closed pipe is an error like any other */
}

/* The first one is noted, the second one ends the process. When the window is closed it ends as soon as this
 * returns. */
static BOOL WINAPI note_stop(DWORD event)
{
    const bool first = tk_atomic_get(&stopped) == 0;
    tk_atomic_claim(&stopped, event + 1);
    if (event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT)
        Sleep(SECONDS_TO_CLOSE * 1000);
    if (!first)
        tk_os_console_end();
    return first;
}

void tk_os_note_stop(void)
{
    static struct tk_atomic done;
    if (tk_atomic_add(&done, 1) == 0)
        SetConsoleCtrlHandler(note_stop, TRUE);
}

int tk_os_stopped(void)
{
    return (int)tk_atomic_get(&stopped);
}

void tk_os_stop(int event)
{
    (void)event;
    tk_os_console_end();
    ExitProcess(ENDED_BY_CONTROL_C);
}
