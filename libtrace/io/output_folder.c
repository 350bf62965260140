/*
 * Folders of outputs. A new folder is filled under a temporary name alongside its final one and renamed when
 * it is complete, so all of its files appear or none.
 */
#include "base/text/path.h"
#include "base/text/text.h"
#include "io/io_in.h"
#include "io/os_error.h"
#include "io/output.h"
#include "os/path.h"

#include <stdlib.h>
#include <string.h>

/*
 * Locks and folders that processes share.
 */

/* Reading and writing a baseline takes less. */
#define MOST_SECONDS 60

int tk_shared_lock_take(struct tk_shared_lock *lock, const char *path, bool *there, struct tk_err *err)
{
    const enum tk_os_error error = tk_os_path_lock(&lock->file, path, TK_OS_EXCLUSIVE, MOST_SECONDS).error;
    *there = error != TK_OS_NOT_FOUND;
    if (error != TK_OS_OK)
        lock->file = NULL;
    if (error == TK_OS_BUSY)
        return tk_err_set(err, TK_EOUTPUT, "cannot write '%s': another process is changing it", path);
    return TK_OK;
}

void tk_shared_lock_give(struct tk_shared_lock *lock)
{
    tk_os_file_close(lock->file);
    lock->file = NULL;
}

void tk_shared_folder_drop(const char *path)
{
    tk_os_folder_remove(path);
}

int tk_shared_folder(const char *path, bool *made, struct tk_err *err)
{
    struct tk_os_info info;
    const struct tk_os_result why = tk_os_folder_make(path);
    if (made)
        *made = why.error == TK_OS_OK;
    if (why.error == TK_OS_OK)
        return TK_OK;
    if (tk_os_path_info(path, &info).error == TK_OS_OK && info.kind == TK_OS_FOLDER)
        return TK_OK;
    return tk_os_error_set(err, TK_EOUTPUT, why, "cannot make folder '%s'", path);
}

static bool ends_so(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return name[0] != '.' && n >= m && strcmp(name + n - m, end) == 0;
}

int tk_shared_folder_has(const char *path, const char *end, bool *there, struct tk_err *err)
{
    struct tk_os_folder *folder = NULL;
    const char *name = NULL;
    struct tk_os_result why = tk_os_folder_open(&folder, path);
    *there = false;
    while (why.error == TK_OS_OK && !*there) {
        why = tk_os_folder_next(folder, &name);
        if (why.error != TK_OS_OK || !name)
            break;
        *there = ends_so(name, end);
    }
    tk_os_folder_close(folder);
    return why.error == TK_OS_OK ? TK_OK
                                 : tk_os_error_set(err, TK_EOUTPUT, why, "cannot read folder '%s'", path);
}

/* Bytes of the character that begins with this one. */
static size_t length_of(uint8_t first)
{
    return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static void put_character(const uint8_t *p, size_t n, tk_text_put *put, void *to)
{
    char out[TK_DISPLAY_BYTES];
    for (size_t at = 0, len = 0; at < n; at += len) {
        uint32_t c = tk_utf8_next(p + at, n - at, &len);
        const bool plain = c == '\n' || c == '\t' || !tk_is_unsafe(c);
        put(to, out, plain ? tk_utf8_put((uint8_t *)out, c) : tk_unsafe_escape(out, c));
    }
}

/* Is the character at hand complete, or can it not be made complete by this byte? */
static bool ends_before(const struct tk_terminal_filter *f, uint8_t byte)
{
    return f->n && (f->n == length_of(f->part[0]) || (byte & 0xc0) != 0x80);
}

void tk_terminal_filter_put(struct tk_terminal_filter *f, const void *p, size_t n, tk_text_put *put, void *to)
{
    const uint8_t *bytes = p;
    for (size_t i = 0; i < n; i++) {
        if (ends_before(f, bytes[i])) {
            put_character(f->part, f->n, put, to);
            f->n = 0;
        }
        f->part[f->n++] = bytes[i];
        if (f->n < length_of(f->part[0]))
            continue;
        put_character(f->part, f->n, put, to);
        f->n = 0;
    }
}

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

/* Sets where files are put: in what is there, or in a new folder alongside it. */
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
