/*
 * Starts programs with posix_spawn, and asks for their ends.
 */
#include "os/posix/posix.h"

#include "os/program.h"

#include "os/posix/failure.h"

#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

struct tk_os_program {
    pid_t pid;
    bool ended;
    int status;
};

/* Signals that we ignore or note would stay so in the program. */
static int spawn(pid_t *pid, const char *const *arguments)
{
    static const int usual[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP};
    posix_spawnattr_t attr;
    sigset_t signals;
    int rc = posix_spawnattr_init(&attr);
    if (rc)
        return rc;
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        sigaddset(&signals, usual[i]);
    posix_spawnattr_setsigdefault(&attr, &signals);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawnp(pid, arguments[0], NULL, &attr, (char *const *)(uintptr_t)arguments, environ);
    posix_spawnattr_destroy(&attr);
    return rc;
}

struct tk_os_result tk_os_program_start(struct tk_os_program **out, const char *const *arguments)
{
    struct tk_os_program *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    const int errnum = spawn(&p->pid, arguments);
    if (errnum) {
        free(p);
        return tk_os_failure(errnum);
    }
    *out = p;
    return tk_os_result_of(TK_OS_OK);
}

bool tk_os_program_ended(struct tk_os_program *p, int *status)
{
    int how;
    pid_t pid = 0;
    if (!p->ended) {
        do
            pid = waitpid(p->pid, &how, WNOHANG);
        while (pid < 0 && errno == EINTR);
        p->ended = pid != 0;
        if (pid == p->pid)
            p->status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    }
    *status = p->status;
    return p->ended;
}

void tk_os_program_stop(struct tk_os_program *p)
{
    if (!p->ended)
        kill(p->pid, SIGTERM);
}

void tk_os_program_close(struct tk_os_program *p)
{
    free(p);
}
