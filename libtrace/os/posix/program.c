/*
 * Programs that are started: with posix_spawn, requested to end, and bound to the life of this process.
 * Other processes, and names that others look up.
 */
#include "os/posix/posix.h"

#include "os/program.h"

#include <ctype.h>
#include <dirent.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
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

/*
 * Other processes by /proc. Systems without it know of no other process.
 */

enum { NAME = 300, ENVIRONMENT = 256 << 10, DEPTH = 64, LISTENS = 0x0a, CONNECTED = 0x01 };

/* ---- one process ---- */

static pid_t parent_of(pid_t pid)
{
    char path[NAME], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[n] = '\0';
    const char *behind = strrchr(text, ')'); /* the name may hold anything */
    long parent = 0;
    return behind && sscanf(behind + 1, " %*c %ld", &parent) == 1 ? (pid_t)parent : 0;
}

static bool is_there(pid_t pid)
{
    return parent_of(pid) > 0 || pid == 1;
}

static bool is_below(pid_t pid, pid_t above)
{
    for (int i = 0; i < DEPTH && pid > 1; i++, pid = parent_of(pid))
        if (pid == above)
            return true;
    return false;
}

static bool holds_variable(const char *p, size_t n, const char *mark)
{
    const size_t length = strlen(mark) + 1;
    for (const char *end = p + n; p < end; p += strnlen(p, (size_t)(end - p)) + 1)
        if ((size_t)(end - p) >= length && memcmp(p, mark, length) == 0)
            return true;
    return false;
}

static bool has_variable(pid_t pid, const char *mark)
{
    char path[NAME], *text = mark ? malloc(ENVIRONMENT) : NULL;
    if (!text)
        return false;
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    FILE *file = fopen(path, "re");
    const size_t n = file ? fread(text, 1, ENVIRONMENT, file) : 0;
    if (file)
        fclose(file);
    const bool has = holds_variable(text, n, mark);
    free(text);
    return has;
}

/* Is a process below another one, or has it the variable? */
static enum tk_os_whose whose_process(pid_t process, pid_t above, const char *mark)
{
    if (is_below(process, above) || has_variable(process, mark))
        return TK_OS_OURS;
    return is_there(process) ? TK_OS_OTHERS : TK_OS_UNKNOWN;
}

/* ---- all processes ---- */

/* The next one of a listing of /proc; 0: there are no more. */
static pid_t next_process(DIR *all)
{
    const struct dirent *entry;
    while ((entry = readdir(all)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            return (pid_t)strtol(entry->d_name, NULL, 10);
    return 0;
}

/* Sends a signal (0: none) to a process, to those below it and to those that have a variable of the
 * environment (NULL: none). pid 0: the process has ended. How many there were. */
static unsigned signal_processes(pid_t pid, const char *mark, int number)
{
    DIR *all = opendir("/proc");
    unsigned n = 0;
    if (!all || (pid && !is_there(pid) && !is_there(getpid()))) {
        if (all)
            closedir(all);
        return pid && kill(pid, number) == 0;
    }
    for (pid_t each; (each = next_process(all)) != 0;)
        if (each != getpid() && ((pid && is_below(each, pid)) || has_variable(each, mark)))
            n += kill(each, number) == 0;
    closedir(all);
    return n;
}

/* ---- ports ---- */

/* The number of the socket of a port in one of the tables of the system; 0: it has none. */
static unsigned long socket_in(const char *table, uint16_t port, unsigned state)
{
    char line[512];
    FILE *file = fopen(table, "re");
    unsigned long found = 0;
    while (file && !found && fgets(line, sizeof line, file)) {
        unsigned here = 0, now = 0;
        unsigned long number = 0;
        if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*s %*s %lu", &here, &now,
                   &number) == 3 &&
            here == port && now == state)
            found = number;
    }
    if (file)
        fclose(file);
    return found;
}

static bool has_socket(pid_t pid, const char *name)
{
    char path[NAME], link[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    DIR *files = opendir(path);
    const struct dirent *entry;
    bool has = false;
    while (files && !has && (entry = readdir(files)) != NULL) {
        const ssize_t n = readlinkat(dirfd(files), entry->d_name, link, sizeof link - 1);
        link[n > 0 ? n : 0] = '\0';
        has = strcmp(link, name) == 0;
    }
    if (files)
        closedir(files);
    return has;
}

/* The process that listens at a port of TCP, or has the end of a connection there; 0: none can be seen. */
static pid_t process_with_port(uint16_t port, bool listens)
{
    const unsigned state = listens ? LISTENS : CONNECTED;
    unsigned long number = socket_in("/proc/net/tcp6", port, state);
    char name[64];
    if (!number)
        number = socket_in("/proc/net/tcp", port, state);
    DIR *all = number ? opendir("/proc") : NULL;
    pid_t found = 0;
    snprintf(name, sizeof name, "socket:[%lu]", number);
    for (pid_t each; all && !found && (each = next_process(all)) != 0;)
        if (has_socket(each, name))
            found = each;
    if (all)
        closedir(all);
    return found;
}

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
    signal_processes(pid, mark, SIGTERM);
    for (int i = 0; i < 20 && signal_processes(pid, mark, 0); i++)
        rest(100);
    signal_processes(pid, mark, SIGKILL);
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
    return process && process <= INT32_MAX ? whose_process((pid_t)process, p->pid, p->mark) : TK_OS_UNKNOWN;
}

enum tk_os_whose tk_os_program_has_port(const struct tk_os_program *p, uint16_t port, bool listens)
{
    const pid_t pid = process_with_port(port, listens);
    return pid ? tk_os_program_owns(p, (uint64_t)pid) : TK_OS_UNKNOWN;
}

/*
 * Names that others look up, as semaphores.
 */

struct tk_os_beacon {
    sem_t *semaphore;
    bool ours;
    char name[64]; /* with its slash */
};

struct tk_os_result tk_os_beacon_open(struct tk_os_beacon **out, const char *name)
{
    struct tk_os_beacon *b = calloc(1, sizeof *b);
    *out = NULL;
    if (!b)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    snprintf(b->name, sizeof b->name, "/%s", name);
    b->semaphore = sem_open(b->name, O_CREAT | O_EXCL, 0666, 0);
    b->ours = b->semaphore != SEM_FAILED;
    if (!b->ours && errno == EEXIST)
        b->semaphore = sem_open(b->name, 0);
    if (b->semaphore == SEM_FAILED) {
        const int errnum = errno;
        free(b);
        return tk_os_failure(errnum);
    }
    *out = b;
    return tk_os_result_of(TK_OS_OK);
}

void tk_os_beacon_close(struct tk_os_beacon *b)
{
    if (!b)
        return;
    sem_close(b->semaphore);
    if (b->ours)
        sem_unlink(b->name);
    free(b);
}
