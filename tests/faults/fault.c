/*
 * Faults: calls of the C library that fail when they are instructed to.
 *
 * Loaded before a command (LD_PRELOAD) it counts the calls of the table below, also those that zlib, zstd and
 * SQLite make, and lets one of them fail. What was requested stands in the environment:
 *
 *   TK_FAULT=NAME:ACTION:K[:on]   the k-th call of a name (1 is the first) does what the action says, with
 * `on` all that follow, too; an action is the number of an errno value, or short   one byte is read or
 * written instead of all end     nothing is read, as at the end of a file kill    the process ends by SIGKILL
 * before the call TK_FAULT_REPORT=FILE          at the end: a line `NAME CALLS` a name, then `live N`, the
 * blocks of memory that were not given back, without those that the C library took for itself
 *   TK_FAULT_TRACE=1              where the call came from, on standard error
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#undef open
#undef fcntl

/* clang-format off */
#define NAMES(X) \
    X(memory) X(open) X(read) X(pread) X(write) X(pwrite) X(fstat) X(stat) X(lstat) X(mmap) X(madvise) X(close) \
    X(fsync) X(ftruncate) X(lseek) X(rename) X(link) X(unlink) X(mkdir) X(rmdir) X(access) X(realpath) X(mkstemp) \
    X(fcntl) X(fchmod) X(opendir) X(readdir) X(fopen) X(pthread_create) X(fflush) X(ioctl) X(setrlimit) X(pipe2) \
    X(dup2) X(posix_spawnp) X(waitpid) X(flock)
/* clang-format on */

enum name {
#define NAME_SYMBOL(name) N_##name,
    NAMES(NAME_SYMBOL) N_COUNT
};

enum action { NOTHING, FAIL, SHORT, END, KILL };

static const char *const names[] = {
#define NAME_TEXT(name) #name,
    NAMES(NAME_TEXT)};

static atomic_ulong calls[N_COUNT];
static enum name victim = N_COUNT;
static enum action action;
static int error;
static unsigned long first, last;
static bool traces, begun;

#define OURS(name)      name
#define THEIRS(name)    ((__typeof__(&name))next(#name))
#define MEMORY_OF(name) __libc_##name
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* The process's own words, without a call that is counted. */
static void put(int fd, const char *text)
{
    (void)!syscall(SYS_write, fd, text, strlen(text));
}

static void trace(void)
{
    void *frames[40];
    static bool inside;
    if (inside)
        return;
    inside = true;
    backtrace_symbols_fd(frames, backtrace(frames, 40), 2);
    inside = false;
}

/* Is this the call that was chosen? */
static enum action chosen(enum name name)
{
    if (!begun)
        return NOTHING;
    unsigned long k = atomic_fetch_add(&calls[name], 1) + 1;
    if (name != victim || k < first || k > last)
        return NOTHING;
    if (traces)
        trace();
    if (action == KILL)
        raise(SIGKILL);
    errno = error;
    return action;
}

/* ---- blocks of memory that are not given back ---- */

enum { SLOTS = 1 << 20 };

static void *blocks[SLOTS]; /* an open table; the tombstone is `gone` */
static void *owners[SLOTS];
static char gone[1];
static atomic_flag lock = ATOMIC_FLAG_INIT;

static size_t slot_of(const void *p)
{
    return (size_t)(((uintptr_t)p >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 44) % SLOTS;
}

static void *born(void *p, void *owner)
{
    if (!p || !begun)
        return p;
    while (atomic_flag_test_and_set(&lock))
        continue;
    size_t i = slot_of(p);
    while (blocks[i] && blocks[i] != gone)
        i = (i + 1) % SLOTS;
    blocks[i] = p;
    owners[i] = owner;
    atomic_flag_clear(&lock);
    return p;
}

static void died(const void *p)
{
    if (!p || !begun)
        return;
    while (atomic_flag_test_and_set(&lock))
        continue;
    for (size_t i = slot_of(p); blocks[i]; i = (i + 1) % SLOTS)
        if (blocks[i] == p) {
            blocks[i] = gone;
            break;
        }
    atomic_flag_clear(&lock);
}

/* The C library keeps the buffers of streams, and what threads need. */
static bool is_of_libc(const void *owner)
{
    Dl_info info;
    return dladdr(owner, &info) && info.dli_fname &&
           (strstr(info.dli_fname, "libc.so") || strstr(info.dli_fname, "ld-linux"));
}

static unsigned long count_live(void)
{
    unsigned long n = 0;
    for (size_t i = 0; i < SLOTS; i++)
        if (blocks[i] && blocks[i] != gone && !is_of_libc(owners[i])) {
            n++;
            if (traces)
                backtrace_symbols_fd(&owners[i], 1, 2);
        }
    return n;
}

void *OURS(malloc)(size_t n)
{
    return chosen(N_memory) ? NULL : born(MEMORY_OF(malloc)(n), __builtin_return_address(0));
}

void *OURS(calloc)(size_t n, size_t size)
{
    return chosen(N_memory) ? NULL : born(MEMORY_OF(calloc)(n, size), __builtin_return_address(0));
}

void *OURS(realloc)(void *p, size_t n)
{
    if (chosen(N_memory))
        return NULL;
    died(p);
    void *moved = MEMORY_OF(realloc)(p, n);
    return born(moved ? moved : n ? p : NULL, __builtin_return_address(0)) ? moved : NULL;
}

void free(void *p)
{
    died(p);
    __libc_free(p);
}

void *aligned_alloc(size_t align, size_t n)
{
    return chosen(N_memory) ? NULL : born(__libc_memalign(align, n), __builtin_return_address(0));
}

int posix_memalign(void **p, size_t align, size_t n)
{
    void *got = aligned_alloc(align, n);
    if (!got)
        return ENOMEM;
    *p = got;
    return 0;
}

/* ---- files ---- */

static const char *end_of_number(const char *p, unsigned long *out)
{
    for (*out = 0; *p >= '0' && *p <= '9'; p++)
        *out = *out * 10 + (unsigned long)(*p - '0');
    return p;
}

#define FAILS(name) (chosen(N_##name) == FAIL)

static bool makes(int flags)
{
    return flags & (O_CREAT | O_TMPFILE);
}

#define OPEN(symbol)                                                                                         \
    int OURS(symbol)(const char *path, int flags, ...)                                                       \
    {                                                                                                        \
        mode_t mode = 0;                                                                                     \
        va_list ap;                                                                                          \
        va_start(ap, flags);                                                                                 \
        if (makes(flags))                                                                                    \
            mode = va_arg(ap, mode_t);                                                                       \
        va_end(ap);                                                                                          \
        return FAILS(open) ? -1 : THEIRS(symbol)(path, flags, mode);                                         \
    }

OPEN(open)
OPEN(open64)

/* CALL(type, failure, name in the table, symbol, parameters, arguments) */
#define CALL(type, failure, name, symbol, parameters, arguments)                                             \
    type OURS(symbol) parameters                                                                             \
    {                                                                                                        \
        return FAILS(name) ? (failure) : THEIRS(symbol) arguments;                                           \
    }

/* What moves bytes: all, one, or none. */
#define MOVE(name, symbol, parameters, all, one)                                                             \
    ssize_t OURS(symbol) parameters                                                                          \
    {                                                                                                        \
        switch (chosen(N_##name)) {                                                                          \
        case FAIL:                                                                                           \
            return -1;                                                                                       \
        case END:                                                                                            \
            return 0;                                                                                        \
        case SHORT:                                                                                          \
            return n ? THEIRS(symbol) one : 0;                                                               \
        default:                                                                                             \
            return THEIRS(symbol) all;                                                                       \
        }                                                                                                    \
    }

MOVE(read, read, (int fd, void *p, size_t n), (fd, p, n), (fd, p, 1))
MOVE(write, write, (int fd, const void *p, size_t n), (fd, p, n), (fd, p, 1))
MOVE(pread, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), (fd, p, 1, at))
MOVE(pread, pread64, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at), (fd, p, 1, at))
MOVE(pwrite, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), (fd, p, 1, at))
MOVE(pwrite, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at), (fd, p, 1, at))

CALL(int, -1, fstat, fstat, (int fd, struct stat *st), (fd, st))
CALL(int, -1, fstat, fstat64, (int fd, struct stat64 *st), (fd, st))
CALL(int, -1, stat, stat, (const char *path, struct stat *st), (path, st))
CALL(int, -1, stat, stat64, (const char *path, struct stat64 *st), (path, st))
CALL(int, -1, lstat, lstat, (const char *path, struct stat *st), (path, st))
CALL(int, -1, lstat, lstat64, (const char *path, struct stat64 *st), (path, st))
CALL(void *, MAP_FAILED, mmap, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t at),
     (p, n, prot, flags, fd, at))
CALL(void *, MAP_FAILED, mmap, mmap64, (void *p, size_t n, int prot, int flags, int fd, off64_t at),
     (p, n, prot, flags, fd, at))
CALL(int, -1, madvise, madvise, (void *p, size_t n, int advice), (p, n, advice))
CALL(int, -1, fsync, fsync, (int fd), (fd))
CALL(int, -1, fsync, fdatasync, (int fd), (fd))
CALL(int, -1, ftruncate, ftruncate, (int fd, off_t n), (fd, n))
CALL(int, -1, ftruncate, ftruncate64, (int fd, off64_t n), (fd, n))
CALL(off_t, -1, lseek, lseek, (int fd, off_t at, int from), (fd, at, from))
CALL(off64_t, -1, lseek, lseek64, (int fd, off64_t at, int from), (fd, at, from))
CALL(int, -1, rename, rename, (const char *from, const char *to), (from, to))
CALL(int, -1, link, link, (const char *from, const char *to), (from, to))
CALL(int, -1, unlink, unlink, (const char *path), (path))
CALL(int, -1, mkdir, mkdir, (const char *path, mode_t mode), (path, mode))
CALL(int, -1, rmdir, rmdir, (const char *path), (path))
CALL(int, -1, access, access, (const char *path, int mode), (path, mode))
CALL(char *, NULL, realpath, realpath, (const char *restrict path, char *restrict out), (path, out))
CALL(int, -1, mkstemp, mkstemp, (char *pattern), (pattern))
CALL(int, -1, mkstemp, mkstemp64, (char *pattern), (pattern))
CALL(int, -1, fchmod, fchmod, (int fd, mode_t mode), (fd, mode))
CALL(DIR *, NULL, opendir, opendir, (const char *path), (path))
CALL(struct dirent *, NULL, readdir, readdir, (DIR * dir), (dir))
CALL(struct dirent64 *, NULL, readdir, readdir64, (DIR * dir), (dir))
CALL(FILE *, NULL, fopen, fopen, (const char *restrict path, const char *restrict mode), (path, mode))
CALL(FILE *, NULL, fopen, fopen64, (const char *restrict path, const char *restrict mode), (path, mode))

CALL(int, EOF, fflush, fflush, (FILE * stream), (stream))
CALL(int, -1, flock, flock, (int fd, int what), (fd, what))
CALL(int, -1, setrlimit, setrlimit, (__rlimit_resource_t what, const struct rlimit *limit), (what, limit))
CALL(int, -1, setrlimit, setrlimit64, (__rlimit_resource_t what, const struct rlimit64 *limit), (what, limit))
CALL(int, -1, pipe2, pipe2, (int ends[2], int flags), (ends, flags))
CALL(int, -1, dup2, dup2, (int from, int to), (from, to))
CALL(pid_t, -1, waitpid, waitpid, (pid_t pid, int *status, int options), (pid, status, options))

/* A descriptor is closed whatever close says. */
int OURS(close)(int fd)
{
    const bool fails = FAILS(close);
    const int rc = THEIRS(close)(fd);
    if (fails)
        errno = error;
    return fails ? -1 : rc;
}

/* CONTROL(name in the table, symbol, type of the command) */
#define CONTROL(name, symbol, type)                                                                          \
    int OURS(symbol)(int fd, type command, ...)                                                              \
    {                                                                                                        \
        va_list ap;                                                                                          \
        va_start(ap, command);                                                                               \
        void *value = va_arg(ap, void *);                                                                    \
        va_end(ap);                                                                                          \
        return FAILS(name) ? -1 : THEIRS(symbol)(fd, command, value);                                        \
    }

CONTROL(fcntl, fcntl, int)
CONTROL(fcntl, fcntl64, int)
CONTROL(ioctl, ioctl, unsigned long)

/* These give the error back instead of setting errno. */
int OURS(pthread_create)(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
                         void *(*run)(void *), void *restrict arg)
{
    return FAILS(pthread_create) ? error : THEIRS(pthread_create)(thread, attr, run, arg);
}

int OURS(posix_spawnp)(pid_t *restrict pid, const char *restrict file,
                       const posix_spawn_file_actions_t *restrict files,
                       const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                       char *const envp[restrict])
{
    return FAILS(posix_spawnp) ? error : THEIRS(posix_spawnp)(pid, file, files, attr, argv, envp);
}

/* ---- what was requested, and the report ---- */

static void parse(const char *text)
{
    const char *colon = strchr(text, ':');
    for (int i = 0; colon && i < N_COUNT; i++)
        if (strlen(names[i]) == (size_t)(colon - text) && memcmp(names[i], text, strlen(names[i])) == 0)
            victim = (enum name)i;
    const char *what = colon ? colon + 1 : "", *number = strchr(what, ':');
    if (!number)
        return;
    unsigned long value;
    end_of_number(what, &value);
    error = value ? (int)value : *what == 's' || *what == 'e' || *what == 'k' ? 0 : ENOMEM;
    action = *what == 's' ? SHORT : *what == 'e' ? END : *what == 'k' ? KILL : FAIL;
    const char *on = end_of_number(number + 1, &first);
    last = *on == ':' ? (unsigned long)-1 : first;
}

__attribute__((constructor)) static void begin(void)
{
    void *frames[1];
    const char *text = getenv("TK_FAULT");
    traces = getenv("TK_FAULT_TRACE") != NULL;
    if (traces)
        (void)backtrace(frames, 1); /* it takes memory at its first call */
    if (text)
        parse(text);
    unsetenv("LD_PRELOAD");
    begun = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("TK_FAULT_REPORT");
    char line[64];
    begun = false;
    if (!path)
        return;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (int i = 0; i < N_COUNT; i++) {
        snprintf(line, sizeof line, "%s %lu\n", names[i], atomic_load(&calls[i]));
        put(fd, line);
    }
    snprintf(line, sizeof line, "live %lu\n", count_live());
    put(fd, line);
    syscall(SYS_close, fd);
}
