/*
 * The process: its number, limits and environment.
 */
#include "os/posix/posix.h"

#include "os/process.h"

#include "os/atomic.h"
#include "os/posix/failure.h"
#include "os/program.h"
#include "os/signals.h"

#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

/*
 * Starts programs with posix_spawn, and requests their ends.
 */

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

/*
 * SIGINT and its kin, and SIGPIPE.
 */

void tk_os_keep_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails, as on a full disk */
}

/* Without a lock, as a handler may change it; other threads than the one that handles the signal read it. */
static struct tk_atomic stopped, stops, most_stops;

static void note_stop(int sig)
{
    if (tk_atomic_get(&stops) >= tk_atomic_get(&most_stops))
        tk_os_stop(sig);
    tk_atomic_add(&stops, 1);
    tk_atomic_claim(&stopped, (size_t)sig);
}

static void note_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction was, action = {.sa_handler = note_stop, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

void tk_os_note_stop(void)
{
    tk_atomic_claim(&most_stops, 1);
    note_signals();
}

void tk_os_note_stops(void)
{
    tk_atomic_set(&most_stops, 2);
    note_signals();
}

unsigned tk_os_stops(void)
{
    return (unsigned)tk_atomic_get(&stops);
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

uint64_t tk_os_process_id(void)
{
    return (uint64_t)getpid();
}

/* FNV-1a */
static uint32_t hash_of_name(const char *name)
{
    uint32_t hash = UINT32_C(0x811c9dc5);
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * UINT32_C(0x01000193);
    return hash;
}

uint32_t tk_os_host(void)
{
    char name[256] = "";
    return gethostname(name, sizeof name - 1) ? 0 : hash_of_name(name);
}

unsigned tk_os_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < 1024 ? (unsigned)n : 1;
}

bool tk_os_limit_memory(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) ||
        (limit.rlim_max != RLIM_INFINITY && bytes >= (uint64_t)limit.rlim_max))
        return false;
    limit.rlim_cur = bytes ? (rlim_t)bytes : 1; /* Linux takes 0 for no limit */
    return bytes != UINT64_MAX && setrlimit(RLIMIT_DATA, &limit) == 0;
}

uint64_t tk_os_raise_open_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return 0;
    const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (limit.rlim_cur != limit.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0)
        limit.rlim_cur = limit.rlim_max;
    return limit.rlim_cur == RLIM_INFINITY ? 0 : (uint64_t)limit.rlim_cur;
}

void tk_os_environment_default(const char *name, const char *value)
{
    setenv(name, value, 0);
}
