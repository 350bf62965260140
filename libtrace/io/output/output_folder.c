/*
 * Folders of outputs. A new folder is filled under a temporary name beside its final one and renamed when it
 * is complete, so all of its files appear or none.
 */
#include "os/posix.h"

#include "base/err.h"
#include "io/output/output.h"
#include "io/output/staging.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int fail_output_folder(struct tk_err *err, int errnum, const char *what, const char *path)
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
        return fail_output_folder(err, errno, "open", path);
    errno = 0;
    while ((entry = readdir(dir)) != NULL && !is_entry(entry))
        errno = 0;
    int errnum = entry ? ENOTEMPTY : errno;
    closedir(dir);
    return errnum == 0 || (errnum == ENOTEMPTY && force) ? TK_OK
                                                         : fail_output_folder(err, errnum, "write to", path);
}

/* Without the slashes at its end. */
static char *name_of_output_folder(const char *path)
{
    char *name = strdup(path);
    for (size_t n = strlen(path); name && n > 1 && name[n - 1] == '/'; n--)
        name[n - 1] = '\0';
    return name;
}

static int make_output_folder(const char *name, void *ctx)
{
    (void)ctx;
    return mkdir(name, 0777);
}

int tk_folder_make(struct tk_new_folder *f, const char *path, bool force, struct tk_err *err)
{
    struct stat st;
    *f = (struct tk_new_folder){.name = name_of_output_folder(path)};
    int rc = f->name ? TK_OK : tk_err_nomem(err, "a folder");
    if (rc == TK_OK && tk_compressing_of(f->name) != TK_PACKING_NONE)
        rc = tk_err_set(err, TK_EUSAGE, "'%s': a folder cannot be packed", path);
    if (rc == TK_OK && lstat(f->name, &st) == 0) {
        rc = check_old(path, force, err);
        f->path = strdup(f->name);
    } else if (rc == TK_OK && errno == ENOENT) {
        f->path = tk_staging_make(f->name, make_output_folder, NULL);
        f->made = f->path != NULL;
    }
    if (rc == TK_OK && !f->path)
        rc = fail_output_folder(err, errno, "make", path);
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
        rc = fail_output_folder(err, EEXIST, "make", f->name);
    else if (f->made && rename(f->path, f->name))
        rc = fail_output_folder(err, errno, "make", f->name);
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
    if (f->path && f->made && rmdir(f->path)) {
        remove_files(f->path);
        (void)rmdir(f->path);
    }
    forget(f);
    errno = before;
}
