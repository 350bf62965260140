/*
 * Programs that are started: with posix_spawn, requested to end, and bound to the life of this process.
 */
#include "os/posix/posix.h"

#include "os/program.h"

#include "os/posix/failure.h"
#include "os/posix/processes.h"

#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

struct tk_os_program {
    pid_t pid, guard; /* guard: 0: none */
    int line;         /* to the guard; -1: none */
    bool ended;
    int status;
    char *mark; /* owned: a variable that all processes of it have; NULL: none */
};

/* ---- starting ---- */

/* 0, or an error. quiet: its standard output is our standard error. */
static int start_with(pid_t *pid, const char *const *arguments, char *const *environment,
                      const posix_spawnattr_t *attr, bool quiet)
{
    posix_spawn_file_actions_t files;
    int rc = posix_spawn_file_actions_init(&files);
    if (rc)
        return rc;
    if (quiet)
        rc = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    if (!rc)
        rc = posix_spawnp(pid, arguments[0], &files, attr, (char *const *)(uintptr_t)arguments, environment);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* Signals that we ignore or note would stay so in the program. */
static int spawn(pid_t *pid, const char *const *arguments, char *const *environment, bool quiet)
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
    rc = start_with(pid, arguments, environment, &attr, quiet);
    posix_spawnattr_destroy(&attr);
    return rc;
}

static struct tk_os_result start(struct tk_os_program **out, const char *const *arguments,
                                 char *const *environment, bool quiet)
{
    struct tk_os_program *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    p->line = -1;
    const int errnum = spawn(&p->pid, arguments, environment, quiet);
    if (errnum) {
        free(p);
        return tk_os_failure(errnum);
    }
    *out = p;
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_program_start(struct tk_os_program **out, const char *const *arguments)
{
    return start(out, arguments, environ, false);
}

struct tk_os_result tk_os_program_start_quiet(struct tk_os_program **out, const char *const *arguments)
{
    return start(out, arguments, environ, true);
}

static bool is_same_name(const char *a, const char *b)
{
    const size_t n = strcspn(a, "=") + 1;
    return strncmp(a, b, n) == 0;
}

/* Ours with those variables in place of what has their names; to be freed. NULL without memory. */
static char **environment_with(const char *const *more)
{
    size_t n = 0, n_more = 0, kept = 0;
    while (environ[n])
        n++;
    while (more[n_more])
        n_more++;
    char **all = calloc(n + n_more + 1, sizeof *all);
    for (size_t i = 0; all && i < n; i++) {
        bool stays = true;
        for (size_t k = 0; k < n_more; k++)
            stays &= !is_same_name(more[k], environ[i]);
        if (stays)
            all[kept++] = environ[i];
    }
    for (size_t k = 0; all && k < n_more; k++)
        all[kept++] = (char *)(uintptr_t)more[k];
    return all;
}

/* ---- the guard ---- */

/* Its standard streams, too: a reader of what the recorder writes waits for all who could write it. */
static void leave_files(int keep)
{
    long most = sysconf(_SC_OPEN_MAX);
    most = most > 0 && most < 4096 ? most : 4096;
    for (int fd = 0; fd < (int)most; fd++)
        if (fd != keep)
            close(fd);
}

static void rest(long milliseconds)
{
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* SIGTERM, and what is there 2 seconds later gets SIGKILL. */
static void end_all(pid_t pid, const char *mark)
{
    tk_processes_signal(pid, mark, SIGTERM);
    for (int i = 0; i < 20 && tk_processes_signal(pid, mark, 0); i++)
        rest(100);
    tk_processes_signal(pid, mark, SIGKILL);
}

/* Waits for a word of the recorder: 'e' the program has ended, 'x' all is well. Its death is the end of the
 * line. */
static void guard(pid_t pid, const char *mark, int line)
{
    char word = 0;
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    leave_files(line);
    for (;;) {
        const ssize_t got = read(line, &word, 1);
        if (got == 1 && word == 'e')
            pid = 0;
        else if (got == 1)
            _exit(0);
        else if (got == 0 || errno != EINTR)
            break;
    }
    end_all(pid, mark);
    _exit(0);
}

static void start_guard(struct tk_os_program *p)
{
    int ends[2];
    if (pipe(ends))
        return;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    p->guard = fork();
    if (p->guard == 0)
        guard(p->pid, p->mark, ends[0]);
    close(ends[0]);
    if (p->guard > 0) {
        p->line = ends[1];
        return;
    }
    p->guard = 0;
    close(ends[1]);
}

static void tell_guard(const struct tk_os_program *p, char word)
{
    ssize_t put;
    if (p->line < 0)
        return;
    do
        put = write(p->line, &word, 1);
    while (put < 0 && errno == EINTR);
}

struct tk_os_result tk_os_program_start_bound(struct tk_os_program **out, const char *const *arguments,
                                              const char *const *environment)
{
    char **all = environment_with(environment);
    *out = NULL;
    if (!all)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    const struct tk_os_result started = start(out, arguments, all, false);
    free(all);
    if (started.error)
        return started;
    if (environment[0])
        (*out)->mark = strdup(environment[0]);
    start_guard(*out);
    return started;
}

/* ---- its end ---- */

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
        if (p->ended)
            tell_guard(p, 'e');
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
    if (!p)
        return;
    tell_guard(p, 'x');
    if (p->line >= 0)
        close(p->line);
    while (p->guard && waitpid(p->guard, NULL, 0) < 0 && errno == EINTR)
        continue;
    free(p->mark);
    free(p);
}

/* ---- whose a process is ---- */

enum tk_os_whose tk_os_program_owns(const struct tk_os_program *p, uint64_t process)
{
    if (process == (uint64_t)p->pid)
        return TK_OS_OURS;
    return process && process <= INT32_MAX ? tk_processes_whose((pid_t)process, p->pid, p->mark)
                                           : TK_OS_UNKNOWN;
}

enum tk_os_whose tk_os_program_has_port(const struct tk_os_program *p, uint16_t port, bool listens)
{
    const pid_t pid = tk_processes_with_port(port, listens);
    return pid ? tk_os_program_owns(p, (uint64_t)pid) : TK_OS_UNKNOWN;
}
