/*
 * Folders of outputs. A new folder is filled under a temporary name beside its final one and renamed when it
 * is complete, so all of its files appear or none.
 */
#include "base/text/path.h"
#include "io/os_error.h"
#include "io/output.h"
#include "io/staging.h"
#include "os/folder.h"
#include "os/path.h"

#include <stdlib.h>
#include <string.h>

static int fail_output_folder(struct tk_err *err, struct tk_os_result why, const char *what, const char *path)
{
    return tk_os_error_set(err, TK_EOUTPUT, why, "cannot %s folder '%s'", what, path);
}

/* Something that is there: TK_OK when it is a folder that may be written to. */
static int check_old(const char *path, bool force, struct tk_err *err)
{
    struct tk_os_folder *folder;
    const char *entry;
    struct tk_os_result why = tk_os_folder_open(&folder, path);
    if (why.error)
        return fail_output_folder(err, why, "open", path);
    why = tk_os_folder_next(folder, &entry);
    if (!why.error && entry && !force)
        why = tk_os_result_of(TK_OS_NOT_EMPTY);
    tk_os_folder_close(folder);
    return why.error ? fail_output_folder(err, why, "write to", path) : TK_OK;
}

static char *copy_name(const char *name, size_t n)
{
    char *copy = malloc(n + 1);
    if (copy) {
        memcpy(copy, name, n);
        copy[n] = 0;
    }
    return copy;
}

/* Without the separators at its end. */
static char *name_of_output_folder(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && tk_path_is_separator(path[n - 1]))
        n--;
    return copy_name(path, n);
}

/* Sets where files are put: in what is there, or in a new folder beside it. */
static int find_place(struct tk_new_folder *f, const char *path, bool force, struct tk_err *err)
{
    struct tk_os_info info;
    struct tk_os_result why = tk_os_path_link_info(f->name, &info);
    if (why.error == TK_OS_OK) {
        f->path = copy_name(f->name, strlen(f->name));
        return f->path ? check_old(path, force, err) : tk_err_nomem(err, "a folder");
    }
    if (why.error == TK_OS_NOT_FOUND)
        why = tk_staging_begin(&f->made, f->name);
    if (why.error)
        return fail_output_folder(err, why, "make", path);
    f->path = copy_name(f->made.path, strlen(f->made.path));
    return f->path ? TK_OK : tk_err_nomem(err, "a folder");
}

int tk_folder_make(struct tk_new_folder *f, const char *path, bool force, struct tk_err *err)
{
    *f = (struct tk_new_folder){.name = name_of_output_folder(path)};
    int rc = f->name ? TK_OK : tk_err_nomem(err, "a folder");
    if (rc == TK_OK && tk_compressing_of(f->name) != TK_PACKING_NONE)
        rc = tk_err_set(err, TK_EUSAGE, "'%s': a folder cannot be compressed", path);
    if (rc == TK_OK)
        rc = find_place(f, path, force, err);
    if (rc < 0)
        tk_folder_drop(f);
    return rc;
}

/* A new folder does not take the place of an empty one that came meanwhile. */
static struct tk_os_result name_new(struct tk_new_folder *f)
{
    struct tk_os_info info;
    const bool came = tk_os_path_link_info(f->name, &info).error == TK_OS_OK;
    if (!came)
        tk_staging_unlock(&f->made);
    return came ? tk_os_result_of(TK_OS_EXISTS) : tk_os_path_rename_over(f->path, f->name);
}

int tk_folder_keep(struct tk_new_folder *f, struct tk_err *err)
{
    struct tk_os_result why = {0};
    if (f->made.path)
        why = name_new(f);
    if (!why.error) {
        tk_staging_forget(&f->made);
        tk_folder_drop(f);
        return TK_OK;
    }
    const int rc = fail_output_folder(err, why, "make", f->name);
    tk_folder_drop(f);
    return rc;
}

void tk_folder_drop(struct tk_new_folder *f)
{
    tk_staging_end(&f->made);
    free(f->path);
    free(f->name);
    *f = (struct tk_new_folder){0};
}
