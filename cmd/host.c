/*
 * Host: terminals, processors and signals of POSIX systems.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* isatty, fileno, TIOCGWINSZ, _SC_NPROCESSORS_ONLN */
#endif

#include "host.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_COLUMNS 10000

bool tk_host_terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && !(term && strcmp(term, "dumb") == 0);
}

unsigned tk_host_width(void)
{
    const char *columns = getenv("COLUMNS");
    long said = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (said > 0 && said < MOST_COLUMNS)
        return (unsigned)said;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned tk_host_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < 1024 ? (unsigned)n : 1;
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

bool tk_host_list_folder(const char *path, struct tk_opt_list *out)
{
    DIR *dir = opendir(path);
    size_t first = out->n;
    bool good = dir != NULL;
    for (struct dirent *e; good && (e = readdir(dir));)
        if (e->d_name[0] != '.')
            good = add_file(path, e->d_name, out);
    if (dir)
        closedir(dir);
    if (out->n > first)
        qsort(out->v + first, out->n - first, sizeof *out->v, by_bytes);
    return good;
}
