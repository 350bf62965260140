/*
 * Host: terminals, processors, signals and threads of POSIX systems.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* isatty, fileno, TIOCGWINSZ, _SC_NPROCESSORS_ONLN, pthread_sigmask */
#endif

#include "terminal/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_COLUMNS 10000

extern char **environ;

/* The program that shows what is written; 0: none. What the streams were before it. */
static struct {
    pid_t pid;
    bool errors;      /* it has standard error, too */
    unsigned columns; /* of the terminal */
} pager;

static bool is_paged(FILE *stream)
{
    return pager.pid && (stream == stdout || (stream == stderr && pager.errors));
}

bool tk_host_terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    return (is_paged(stream) || isatty(fileno(stream))) && !(term && strcmp(term, "dumb") == 0);
}

unsigned tk_host_width(FILE *stream)
{
    const char *columns = getenv("COLUMNS");
    long said = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;
    if (is_paged(stream))
        return pager.columns;
    if (!isatty(fileno(stream)))
        return 0;
    if (said > 0 && said < MOST_COLUMNS)
        return (unsigned)said;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool tk_host_colour(const char *when, bool terminal)
{
    const char *no_colour = getenv("NO_COLOR");
    if (when && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return terminal && !(no_colour && *no_colour);
}

bool tk_host_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"}, *const ways[] = {"UTF-8", "utf8",
                                                                                        "UTF8", "utf-8"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !(locale && *locale); i++)
        locale = getenv(names[i]);
    for (size_t i = 0; i < sizeof ways / sizeof *ways && locale; i++)
        if (strstr(locale, ways[i]))
            return true;
    return false;
}

/* With standard input from `in`, and signals as they usually are. 0 or what errno would be. */
static int spawn(const char *command, int in)
{
    char *const direct[] = {(char *)(uintptr_t)command, NULL};
    char *const shell[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)command,
                           NULL};
    const bool plain = strcspn(command, "|&;<>()$`\\\"' \t\n*?[#~=%") == strlen(command);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t usual;
    int rc = posix_spawn_file_actions_init(&files);
    if (rc)
        return rc;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigdefault(&attr, &usual);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (rc == 0)
        rc = posix_spawnp(&pager.pid, plain ? command : "/bin/sh", &files, &attr, plain ? direct : shell,
                          environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

bool tk_host_pager_start(const char *command)
{
    const unsigned columns = tk_host_width(stdout);
    int ends[2];
    fflush(stdout);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    if (spawn(command, ends[0]) == 0) {
        pager.columns = columns;
        pager.errors = isatty(STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        if (pager.errors)
            dup2(ends[1], STDERR_FILENO);
        tk_host_note_stop(); /* whoever is asked to stop still waits for it */
    } else {
        pager.pid = 0;
    }
    close(ends[0]);
    close(ends[1]);
    return pager.pid != 0;
}

void tk_host_pager_wait(void)
{
    int status;
    fflush(stdout);
    fflush(stderr);
    close(STDOUT_FILENO);
    if (pager.errors)
        close(STDERR_FILENO);
    while (pager.pid && waitpid(pager.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    pager.pid = 0;
}

unsigned tk_host_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < 1024 ? (unsigned)n : 1;
}

static _Atomic bool memory_is_limited;

void tk_host_limit_memory(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) || (limit.rlim_max != RLIM_INFINITY && bytes >= limit.rlim_max))
        return;
    limit.rlim_cur = bytes ? (rlim_t)bytes : 1; /* Linux takes 0 for no limit */
    memory_is_limited = bytes != UINT64_MAX && setrlimit(RLIMIT_DATA, &limit) == 0;
}

bool tk_host_memory_is_limited(void)
{
    return memory_is_limited;
}

void tk_host_keep_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}

static volatile sig_atomic_t stopped;

static void note_stop(int sig)
{
    stopped = sig;
}

void tk_host_note_stop(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction was, action = {.sa_handler = note_stop, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

int tk_host_stopped(void)
{
    return stopped;
}

void tk_host_stop(int sig)
{
    signal(sig, SIG_DFL);
    raise(sig);
}

double tk_host_seconds(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) ? 0 : (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool tk_host_same_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

bool tk_host_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 || errno != ENOENT;
}

bool tk_host_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_file(const char *folder, const char *name, struct tk_opt_list *out)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);
    bool good = path != NULL;
    if (!path)
        return false;
    snprintf(path, n, "%s/%s", folder, name);
    if (!tk_host_is_folder(path))
        good = tk_opt_list_add(out, path, strlen(path));
    free(path);
    return good;
}

/* NULL behind the last one, and then errno is 0. */
static const struct dirent *next_entry(DIR *dir)
{
    errno = 0;
    return readdir(dir);
}

bool tk_host_list_folder(const char *path, struct tk_opt_list *out)
{
    DIR *dir = opendir(path);
    size_t first = out->n;
    const struct dirent *e = dir ? next_entry(dir) : NULL;
    bool good = dir != NULL;
    for (; good && e; e = next_entry(dir))
        if (e->d_name[0] != '.')
            good = add_file(path, e->d_name, out);
    good = good && errno == 0;
    if (dir)
        closedir(dir);
    if (out->n > first)
        qsort(out->v + first, out->n - first, sizeof *out->v, by_bytes);
    return good;
}

/* ---- threads ---- */

struct work {
    const struct tk_host_team *team;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t begun, ended; /* pieces; ended: by done() */
    size_t end;          /* of the pieces that are wanted */
    bool *worked;        /* owned; by piece */
};

static void *work(void *ctx)
{
    struct work *r = ctx;
    pthread_mutex_lock(&r->lock);
    while (r->begun < r->end) {
        if (r->begun >= r->ended + r->team->threads) {
            pthread_cond_wait(&r->changed, &r->lock);
            continue;
        }
        size_t i = r->begun++;
        pthread_mutex_unlock(&r->lock);
        r->team->work(r->team->ctx, i);
        pthread_mutex_lock(&r->lock);
        r->worked[i] = true;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* Waits for all pieces in order. */
static void wait_for_all(struct work *r)
{
    for (size_t i = 0; i < r->end; i++) {
        r->team->await(r->team->ctx, i);
        pthread_mutex_lock(&r->lock);
        while (!r->worked[i])
            pthread_cond_wait(&r->changed, &r->lock);
        pthread_mutex_unlock(&r->lock);
        bool more = r->team->done(r->team->ctx, i);
        pthread_mutex_lock(&r->lock);
        r->ended++;
        r->end = more ? r->end : i + 1;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
    }
}

/* Signals are for the thread that was there before. */
static unsigned start_host(struct work *r, pthread_t *threads, unsigned n)
{
    sigset_t all, before;
    unsigned started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < n && pthread_create(&threads[started], NULL, work, r) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void run_alone(const struct tk_host_team *team)
{
    for (size_t i = 0; i < team->n; i++) {
        team->await(team->ctx, i);
        team->work(team->ctx, i);
        if (!team->done(team->ctx, i))
            return;
    }
}

void tk_host_work(const struct tk_host_team *team)
{
    struct work r = {.team = team, .end = team->n};
    unsigned n = team->threads < team->n ? team->threads : (unsigned)team->n, started = 0;
    pthread_t *threads = n > 1 ? malloc(n * sizeof *threads) : NULL;
    r.worked = threads ? calloc(team->n, sizeof *r.worked) : NULL;
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.changed, NULL);
    if (threads && r.worked)
        started = start_host(&r, threads, n);
    if (started)
        wait_for_all(&r);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&r.changed);
    pthread_mutex_destroy(&r.lock);
    free(threads);
    free(r.worked);
    if (!started)
        run_alone(team);
}
