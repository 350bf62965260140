/*
 * The program that trace-record starts and records: the port that it is given, and whether what answers is
 * it.
 */
#include "live/live_in.h"
#include "os/clock.h"
#include "os/program.h"
#include "os/socket.h"
#include "terminal/message.h"

#include <stdio.h>
#include <string.h>

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

static uint16_t free_port(void)
{
    struct tk_os_address at = tk_os_address_loopback(0), here;
    struct tk_os_socket *s;
    if (tk_os_socket_listen(&s, &at).error)
        return 0;
    const bool known = tk_os_socket_here(s, &here).error == TK_OS_OK;
    tk_os_socket_close(s);
    return known ? here.port : 0;
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
