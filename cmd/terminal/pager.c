/*
 * Pager. See pager.h.
 */
#include "terminal/pager.h"

#include "terminal/host.h"

#include <stdlib.h>
#include <string.h>

static enum { NOT_YET, FORBIDDEN, RUNS, OVER } state;

void tk_pager_forbid(void)
{
    state = FORBIDDEN;
}

bool tk_pager_runs(void)
{
    return state == RUNS;
}

void tk_pager_begin(void)
{
    const char *command = getenv("PAGER");
    if (state != NOT_YET)
        return;
    state = OVER;
    if (!command)
        command = tk_host_pager_usual();
    if (tk_host_terminal(stdout) && *command && strcmp(command, "cat") != 0 && tk_host_pager_start(command))
        state = RUNS;
}

void tk_pager_end(void)
{
    if (state == RUNS)
        tk_host_pager_wait();
    state = OVER;
}
