/*
 * Memory that is out, once at each place that requests it.
 *
 *   memory-sites DEPTH CAPTURE or FOLDER...
 *
 * A FOLDER holds descriptions of events, of which captures are made (fuzz/declared.h). Each capture is opened
 * and requested all that there is, first to see who requests memory: places are distinguished by their
 * callers, DEPTH of them. Then the same once more for each place that no capture before had, with its
 * allocation failing. What was requested must end with rows or with an error that has a cause, the ledger
 * must be right, and nothing may be left behind.
 *
 * Calls of the library are wrapped by the linker; those of other libraries go on as they are.
 */
#define _GNU_SOURCE /* scandir */

#include "os/posix/posix.h"

#include "base/checksum.h"
#include "declared.h"

#include <dirent.h>
#include <execinfo.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 16, PLACES = 1 << 14, OWN_FRAMES = 2 };

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *text);
char *__real_realpath(const char *path, char *out);
void __real_free(void *p);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_realpath(const char *path, char *out);
void __wrap_free(void *p);

/* What is known of allocations. Outputs may be written by a thread of their own. */
static struct {
    int depth;
    atomic_bool counting;
    bool looking; /* for places; between begin and end of counting */
    atomic_ullong at;
    unsigned long long fails;         /* the number of the next allocation, and of the one that fails */
    atomic_llong alive;               /* taken and not given back */
    uint64_t known[PLACES];           /* hashes of places, open addressing; 0: free */
    unsigned long long fresh[PLACES]; /* allocations at places that are new, of this capture */
    size_t n_known, n_fresh;
    const char *capture;
    void *failed[DEEPEST]; /* the callers of the one that failed */
    int n_failed;
} a = {.fails = ULLONG_MAX};

static pthread_mutex_t places = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool inside; /* allocations of looking itself */

/* Is this place new? It is known from now on. */
static bool add_place(uint64_t place)
{
    size_t i = place % PLACES;
    place |= 1;
    while (a.known[i] && a.known[i] != place)
        i = (i + 1) % PLACES;
    if (a.known[i] || a.n_known > PLACES / 2)
        return false;
    a.known[i] = place;
    a.n_known++;
    return true;
}

static void look(unsigned long long at)
{
    void *frames[DEEPEST];
    inside = true;
    int n = backtrace(frames, a.depth + OWN_FRAMES);
    inside = false;
    if (n <= OWN_FRAMES)
        return;
    pthread_mutex_lock(&places);
    if (add_place(tk_checksum(frames + OWN_FRAMES, (size_t)(n - OWN_FRAMES) * sizeof *frames, 0)))
        a.fresh[a.n_fresh++] = at;
    pthread_mutex_unlock(&places);
}

/* One allocation; false when it has to fail. */
static bool count(void)
{
    if (!a.counting || inside)
        return true;
    unsigned long long at = a.at++;
    if (a.looking)
        look(at);
    if (at == a.fails)
        a.n_failed = backtrace(a.failed, DEEPEST);
    return at != a.fails;
}

static void *taken(void *p)
{
    a.alive += a.counting && !inside && p;
    return p;
}

void *__wrap_malloc(size_t n)
{
    return count() ? taken(__real_malloc(n)) : NULL;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return count() ? taken(__real_calloc(n, size)) : NULL;
}

void *__wrap_realloc(void *p, size_t n)
{
    if (!count())
        return NULL;
    void *q = __real_realloc(p, n);
    return p ? q : taken(q);
}

char *__wrap_strdup(const char *text)
{
    return count() ? taken(__real_strdup(text)) : NULL;
}

char *__wrap_realpath(const char *path, char *out)
{
    return out ? __real_realpath(path, out) : count() ? taken(__real_realpath(path, NULL)) : NULL;
}

void __wrap_free(void *p)
{
    a.alive -= a.counting && !inside && p;
    __real_free(p);
}

/* ---- captures ---- */

/* A broken promise, or a crash: says which allocation failed. */
static void on_signal(int number)
{
    fprintf(stderr, "signal %d, %s, allocation %llu of %llu, %lld alive\n", number, a.capture, a.fails, a.at,
            a.alive);
    backtrace_symbols_fd(a.failed, a.n_failed, STDERR_FILENO);
    _exit(1);
}

static void ask(const struct tk_uw_bytes *file)
{
    a.at = 0;
    a.alive = 0;
    a.counting = true;
    fuzz_ask(file->data, file->size, NULL, 0, FUZZ_EXPORT);
    a.counting = false;
    fuzz_promise(a.alive == 0, "all memory is given back");
}

static void try_capture(const struct tk_uw_bytes *file)
{
    a.n_fresh = 0;
    a.looking = true;
    ask(file);
    a.looking = false;
    for (size_t i = 0; i < a.n_fresh; i++) {
        a.fails = a.fresh[i];
        ask(file);
    }
    a.fails = ULLONG_MAX;
}

static void read_file(const char *path, struct tk_uw_bytes *out)
{
    uint8_t piece[4096];
    FILE *in = fopen(path, "rb");
    fuzz_promise(in != NULL, "the file is there");
    for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;)
        tk_uw_raw(out, piece, n);
    fclose(in);
}

static void try_path(const char *path, bool described)
{
    struct tk_uw_bytes bytes = {0}, file = {0};
    a.capture = path;
    read_file(path, &bytes);
    if (described)
        fuzz_declared(&file, bytes.data, bytes.size, NULL);
    try_capture(described ? &file : &bytes);
    tk_uw_bytes_release(&bytes);
    tk_uw_bytes_release(&file);
}

/* Of a folder all files, by name; -1: it is none. */
static int try_folder(const char *path)
{
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            try_path(name, true);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return n;
}

int main(int argc, char **argv)
{
    a.depth = argc > 2 ? atoi(argv[1]) : 0;
    if (a.depth < 1 || a.depth > DEEPEST - OWN_FRAMES)
        return 2;
    signal(SIGABRT, on_signal);
    signal(SIGSEGV, on_signal);
    for (int i = 2; i < argc; i++)
        if (try_folder(argv[i]) < 0)
            try_path(argv[i], false);
    printf("%zu places\n", a.n_known);
    return a.n_known == 0;
}
