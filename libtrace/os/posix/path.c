/*
 * Names of files: stat, rename, link and unlink.
 */
#include "os/posix/posix.h"

#include "os/path.h"

#include "os/clock.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

static struct tk_os_result result_of(int rc)
{
    return rc ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_path_info(const char *path, struct tk_os_info *info)
{
    struct stat st;
    if (stat(path, &st))
        return tk_os_failure(errno);
    tk_os_info_of(&st, info);
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_path_link_info(const char *path, struct tk_os_info *info)
{
    struct stat st;
    if (lstat(path, &st))
        return tk_os_failure(errno);
    tk_os_info_of(&st, info);
    return tk_os_result_of(TK_OS_OK);
}

char *tk_os_path_real(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : strdup(path);
}

struct tk_os_result tk_os_path_rename_over(const char *from, const char *to)
{
    return result_of(rename(from, to));
}

struct tk_os_result tk_os_path_rename_new(const char *from, const char *to)
{
    if (link(from, to) == 0) {
        (void)unlink(from); /* the file is complete whatever becomes of the other name */
        return tk_os_result_of(TK_OS_OK);
    }
    if (errno == EEXIST)
        return tk_os_failure(EEXIST);
    /* File systems without hard links: what comes in this moment is replaced. */
    if (access(to, F_OK) == 0)
        return tk_os_failure(EEXIST);
    return result_of(rename(from, to));
}

struct tk_os_result tk_os_path_add_name(const char *path, const char *name)
{
    return result_of(link(path, name));
}

struct tk_os_result tk_os_path_remove(const char *path)
{
    return result_of(unlink(path));
}

/*
 * Folders: a struct tk_os_folder is a DIR.
 */

static DIR *stream_of(struct tk_os_folder *f)
{
    return (DIR *)f;
}

struct tk_os_result tk_os_folder_open(struct tk_os_folder **out, const char *path)
{
    *out = (struct tk_os_folder *)opendir(path);
    return *out ? tk_os_result_of(TK_OS_OK) : tk_os_failure(errno);
}

static bool is_entry(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

struct tk_os_result tk_os_folder_next(struct tk_os_folder *f, const char **name)
{
    const struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(stream_of(f));
    } while (entry && !is_entry(entry->d_name));
    *name = entry ? entry->d_name : NULL;
    return entry || errno == 0 ? tk_os_result_of(TK_OS_OK) : tk_os_failure(errno);
}

void tk_os_folder_close(struct tk_os_folder *f)
{
    if (f)
        closedir(stream_of(f));
}

struct tk_os_result tk_os_folder_make(const char *path)
{
    return mkdir(path, 0777) ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_folder_remove(const char *path)
{
    return rmdir(path) ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

void tk_os_folder_clear(const char *path)
{
    struct tk_os_folder *f;
    const char *name;
    if (tk_os_folder_open(&f, path).error)
        return;
    while (tk_os_folder_next(f, &name).error == TK_OS_OK && name)
        (void)unlinkat(dirfd(stream_of(f)), name, 0);
    tk_os_folder_close(f);
}

/*
 * Locks by flock: those of fcntl end when any handle of the process is closed, and its newer ones want a file
 * that may be written to, which a file that is replaced need not be. Where NFS makes them of locks of fcntl
 * it wants that, too, so files are opened for writing where that is allowed.
 */

enum { LONGEST_NAP = 64 }; /* ms */

static void nap(unsigned *ms)
{
    nanosleep(&(struct timespec){.tv_nsec = *ms * 1000000L}, NULL);
    *ms = *ms < LONGEST_NAP ? *ms * 2 : LONGEST_NAP;
}

static struct tk_os_result lock_until(const struct tk_os_file *f, enum tk_os_locking kind, double end)
{
    unsigned ms = 1;
    for (;;) {
        if (flock(f->fd, (kind == TK_OS_SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0)
            return tk_os_result_of(TK_OS_OK);
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return tk_os_failure(errno);
        if (tk_os_seconds() >= end)
            return tk_os_result_of(TK_OS_BUSY);
        nap(&ms);
    }
}

static struct tk_os_result open_to_lock(struct tk_os_file **out, const char *path)
{
    struct tk_os_info info;
    struct tk_os_result why = tk_os_path_info(path, &info);
    *out = NULL;
    if (!why.error && info.kind != TK_OS_FILE) /* which opening might wait for */
        why = tk_os_failure(ENOLCK);
    if (why.error)
        return why;
    why = tk_os_descriptor_open(out, path, O_RDWR);
    return why.error == TK_OS_DENIED ? tk_os_file_open_read(out, path) : why;
}

/* Is the file still what the path leads to? While it is open no other one is the same. */
static bool has_name(const struct tk_os_file *f, const char *path)
{
    struct tk_os_info named, own;
    return !tk_os_path_info(path, &named).error && !tk_os_file_info(f, &own).error &&
           tk_os_is_same(&named, &own);
}

struct tk_os_result tk_os_path_lock(struct tk_os_file **out, const char *path, enum tk_os_locking kind,
                                    double seconds)
{
    const double end = tk_os_seconds() + seconds;
    for (;;) {
        struct tk_os_result why = open_to_lock(out, path);
        if (!why.error)
            why = lock_until(*out, kind, end);
        if (!why.error && has_name(*out, path))
            return why;
        tk_os_file_close(*out);
        *out = NULL;
        if (why.error)
            return why;
    }
}
