/*
 * Folders that outputs are put into; see output.h. A new one is filled under a name beside its own and
 * renamed when it is complete: so all of its files appear, or none.
 */
#include "io/sys.h"

#include "base/err.h"
#include "io/output.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(struct tk_err *err, int errnum, const char *what, const char *path)
{
    int code = tk_err_errno(err, errnum, "cannot %s folder '%s'", what, path);
    if (code == TK_ENOMEM)
        return code;
    if (err)
        err->code = TK_EOUTPUT;
    return TK_EOUTPUT;
}

static bool is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Something that is there: TK_OK when it is a folder that may be written to. */
static int check_old(const char *path, bool force, struct tk_err *err)
{
    const struct dirent *entry;
    DIR *dir = opendir(path);
    if (!dir)
        return fail(err, errno, "open", path);
    errno = 0;
    while ((entry = readdir(dir)) != NULL && !is_entry(entry))
        errno = 0;
    int errnum = entry ? ENOTEMPTY : errno;
    closedir(dir);
    return errnum == 0 || (errnum == ENOTEMPTY && force) ? TK_OK : fail(err, errnum, "write to", path);
}

/* The name beside it; without the slashes at its end. */
static int name_folder(struct tk_new_folder *f, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    f->name = malloc(n + 1);
    f->path = malloc(n + 64);
    if (!f->name || !f->path)
        return -1;
    memcpy(f->name, path, n);
    f->name[n] = '\0';
    const char *slash = strrchr(f->name, '/');
    size_t dir = slash ? (size_t)(slash - f->name) + 1 : 0;
    memcpy(f->path, path, dir);
    snprintf(f->path + dir, 64, ".tracekit-%ld-folder.part", (long)getpid());
    return 0;
}

int tk_folder_make(struct tk_new_folder *f, const char *path, bool force, struct tk_err *err)
{
    struct stat st;
    *f = (struct tk_new_folder){0};
    if (name_folder(f, path)) {
        tk_folder_drop(f);
        return tk_err_nomem(err, "a folder");
    }
    int rc = TK_OK;
    if (lstat(f->name, &st) == 0) {
        rc = check_old(path, force, err);
        memcpy(f->path, f->name, strlen(f->name) + 1); /* the shorter one */
    } else if (errno != ENOENT) {
        rc = fail(err, errno, "make", path);
    } else {
        f->made = mkdir(f->path, 0777) == 0;
        rc = f->made ? TK_OK : fail(err, errno, "make", path);
    }
    if (rc < 0)
        tk_folder_drop(f);
    return rc;
}

static void forget(struct tk_new_folder *f)
{
    free(f->path);
    free(f->name);
    *f = (struct tk_new_folder){0};
}

int tk_folder_keep(struct tk_new_folder *f, struct tk_err *err)
{
    struct stat st;
    int rc = TK_OK;
    /* rename would take the place of an empty folder that came meanwhile */
    if (f->made && lstat(f->name, &st) == 0)
        rc = fail(err, EEXIST, "make", f->name);
    else if (f->made && rename(f->path, f->name))
        rc = fail(err, errno, "make", f->name);
    if (rc < 0)
        tk_folder_drop(f);
    else
        forget(f);
    return rc;
}

static void remove_files(const char *path)
{
    const struct dirent *entry;
    DIR *dir = opendir(path);
    while (dir && (entry = readdir(dir)) != NULL)
        if (is_entry(entry))
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
}

void tk_folder_drop(struct tk_new_folder *f)
{
    int before = errno;
    /* as a rule it is empty by now, and needs no memory to go */
    if (f->made && rmdir(f->path)) {
        remove_files(f->path);
        (void)rmdir(f->path);
    }
    forget(f);
    errno = before;
}
