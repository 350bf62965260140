/*
 * The program that a recording starts: its arguments, its variables, its end.
 */
#include "live/program.h"

#include "base/err.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/program.h"
#include "os/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STOP_SECONDS 5

static bool has_begin(const struct tk_opt_list *words, const char *begin)
{
    for (size_t i = 1; i < words->n && begin; i++)
        if (strncmp(words->v[i], begin, strlen(begin)) == 0)
            return true;
    return false;
}

/* The first one says whose a process is. */
static struct tk_os_result start(struct tk_live_program *p, const char *const *arguments,
                                 const char *const *environment)
{
    char mark[64];
    const char *all[4] = {mark};
    snprintf(mark, sizeof mark, "TRACEKIT_RECORDER=%llu", (unsigned long long)tk_os_process_id());
    for (size_t i = 0; environment && environment[i] && i < 2; i++)
        all[i + 1] = environment[i];
    return tk_os_program_start_bound(&p->program, arguments, all);
}

int tk_live_program_start(struct tk_live_program *p, const struct tk_opt_list *words, const char *unless,
                          const char *option, const char *const *environment, struct tk_err *err)
{
    const char **arguments = calloc(words->n + 2, sizeof *arguments);
    if (!arguments)
        return tk_err_nomem(err, "a program");
    for (size_t i = 0; i < words->n; i++)
        arguments[i] = words->v[i];
    if (option && !has_begin(words, unless))
        arguments[words->n] = option;
    const struct tk_os_result started = start(p, arguments, environment);
    free(arguments);
    return started.error ? tk_err_set(err, TK_EIO, "cannot start '%s': %s", words->v[0], tk_os_text(started))
                         : TK_OK;
}

bool tk_live_program_ended(struct tk_live_program *p, double now)
{
    if (p->program && !p->over && tk_os_program_ended(p->program, &p->status)) {
        p->over = true;
        p->ended = now;
    }
    return p->over;
}

bool tk_live_program_status(const struct tk_live_program *p, int *status)
{
    *status = p->status;
    return p->over;
}

void tk_live_program_stop(struct tk_live_program *p)
{
    const double end = tk_os_seconds() + STOP_SECONDS;
    if (!p->program || p->over)
        return;
    tk_os_program_stop(p->program);
    while (!tk_live_program_ended(p, tk_os_seconds()) && tk_os_seconds() < end)
        tk_os_socket_wait(NULL, 0, NULL, 0.02);
}

void tk_live_program_close(struct tk_live_program *p)
{
    tk_os_program_close(p->program);
    p->program = NULL;
}
