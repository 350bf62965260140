/*
 * The program that a recording starts: its arguments, its variables, its end.
 */
#include "os/program.h"

#include "base/err.h"
#include "live/live_in.h"
#include "live/record.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/socket.h"
#include "terminal/message.h"

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

/*
 * The program that trace-record starts and records: the port that it is given, and whether what answers is
 * it.
 */

#define AGAIN 0.002 /* seconds between two looks at its port: it may live for some milliseconds */

/* ---- who answers ---- */

/* Another program is not even spoken to: it may be recorded once in its life, and not by us. */
static bool may_speak(void *ctx, const struct tk_os_address *at)
{
    struct tk_tracy_run *run = ctx;
    if (!run->program.program || tk_os_program_has_port(run->program.program, at->port, true) != TK_OS_OTHERS)
        return true;
    if (!run->said_port)
        tk_message_say(run->call->program, TK_MESSAGE_NOTE,
                       "port %u is that of another program, which is left alone", at->port);
    run->said_port = true;
    return false;
}

static bool is_wanted(void *ctx, const struct tk_os_address *at, uint64_t pid)
{
    struct tk_tracy_run *run = ctx;
    const struct tk_os_program *program = run->program.program;
    enum tk_os_whose whose = program ? tk_os_program_has_port(program, at->port, true) : TK_OS_UNKNOWN;
    if (whose == TK_OS_UNKNOWN && program)
        whose = tk_os_program_owns(program, pid) == TK_OS_OURS ? TK_OS_OURS : TK_OS_UNKNOWN;
    if (whose != TK_OS_UNKNOWN)
        return whose == TK_OS_OURS;
    if (at->port == run->given && !run->said_pids)
        tk_message_say(
            run->call->program, TK_MESSAGE_NOTE,
            "process ids cannot be compared: what answers at port %u, which the program was given, is "
            "recorded",
            at->port);
    run->said_pids |= at->port == run->given;
    return at->port == run->given;
}

/* ---- its port ---- */

/* Systems give these ports to nobody who names none: one of the others may be free now, and taken when the
 * program listens. */
enum { FIRST_PORT = 10240, PORTS = 32768 - FIRST_PORT, TRIED_PORTS = 64 };

/* Nobody listens there by now. 0: somebody does. `port` 0: one that the system chooses. */
static uint16_t port_if_free(uint16_t port)
{
    const struct tk_os_address at = tk_os_address_loopback(port);
    struct tk_os_address here;
    struct tk_os_socket *s;
    if (tk_os_socket_listen(&s, &at).error)
        return 0;
    const bool known = tk_os_socket_here(s, &here).error == TK_OS_OK;
    tk_os_socket_close(s);
    return known ? here.port : 0;
}

static uint16_t free_port(void)
{
    uint64_t random;
    uint16_t port = 0;
    for (unsigned i = 0; i < TRIED_PORTS && !port && tk_random(&random); i++)
        port = port_if_free((uint16_t)(FIRST_PORT + random % PORTS));
    return port ? port : port_if_free(0);
}

bool tk_tracy_program_fill(struct tk_tracy_run *run, char message[TK_OPT_MESSAGE])
{
    struct tk_tl_link_options *o = &run->options;
    if (!tk_tracy_is_here(&o->at[0]))
        return true; /* it starts one on another machine: ssh, a console's launcher */
    run->given = run->source.port ? run->source.port : free_port();
    if (run->given == 0) {
        snprintf(message, TK_OPT_MESSAGE, "there is no free port for the program");
        return false;
    }
    struct tk_os_address at = tk_os_address_loopback(run->given);
    o->n_at = tk_tracy_addresses_of(&at, o->at);
    o->again = AGAIN;
    o->may = may_speak;
    o->wants = is_wanted;
    o->ctx = run;
    return true;
}

int tk_tracy_program_start(struct tk_tracy_run *run, struct tk_err *err)
{
    char port[32];
    const char *const environment[] = {port, "TRACY_NO_EXIT=1", NULL};
    snprintf(port, sizeof port, "TRACY_PORT=%u", run->given);
    return tk_live_program_start(&run->program, &run->args->program, NULL, NULL,
                                 run->given ? environment : NULL, err);
}

void tk_tracy_program_heard(struct tk_tracy_run *run, const struct tk_tl_announced *a)
{
    struct tk_os_address at[3];
    if (!run->given || a->at.port == run->given || a->pid == 0 || !run->program.program ||
        tk_os_program_owns(run->program.program, a->pid) != TK_OS_OURS)
        return;
    const size_t n = tk_tracy_addresses_of(&a->at, at);
    for (size_t i = 0; i < n && run->jobs.n; i++)
        tk_tl_link_also(run->jobs.v[0].link, &at[i]);
}
