/*
 * Creates and names unfinished files and folders alongside their final name.
 */
#include "base/text/path.h"
#include "io/io_in.h"
#include "io/output.h"
#include "os/path.h"
#include "os/process.h"
#include "os/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 100 };

/* Nobody else uses it now: not this process, by the counter, and no other, by host and id. */
static void put_name_staging(char *name, size_t capacity)
{
    static struct tk_atomic counter;
    snprintf(name, capacity, TK_LEFTOVER_BEGIN "%llu-%zu" TK_LEFTOVER_END, tk_os_host(),
             (unsigned long long)tk_os_process_id(), tk_atomic_add(&counter, 1));
}

struct tk_os_result tk_staging_make(char **out, const char *path, tk_staging_make_fn *make, void *ctx)
{
    const size_t dir = tk_path_base(path), capacity = dir + 64;
    char *name = malloc(capacity);
    *out = NULL;
    if (!name)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    memcpy(name, path, dir);
    struct tk_os_result why = tk_os_result_of(TK_OS_EXISTS);
    for (int i = 0; i < MOST_TRIES && why.error == TK_OS_EXISTS; i++) {
        put_name_staging(name + dir, capacity - dir);
        why = make(name, ctx);
    }
    if (why.error) {
        free(name);
        return why;
    }
    tk_leftovers_remove(name);
    *out = name;
    return why;
}

/* ---- folders ---- */

static struct tk_os_result make_staging_folder(const char *name, void *ctx)
{
    (void)ctx;
    return tk_os_folder_make(name);
}

/* Not worth a failure: what is not locked is not removed for an hour either. */
static void lock_staging(struct tk_staging *s)
{
    struct tk_os_file *file;
    s->lock_path = tk_leftovers_lock_of(s->path);
    if (s->lock_path && !tk_os_file_create(&file, s->lock_path).error) {
        tk_os_file_close(file);
        (void)tk_os_path_lock(&s->lock, s->lock_path, TK_OS_EXCLUSIVE, 0);
    }
}

struct tk_os_result tk_staging_begin(struct tk_staging *s, const char *path)
{
    *s = (struct tk_staging){0};
    struct tk_os_result why = tk_staging_make(&s->path, path, make_staging_folder, NULL);
    if (!why.error)
        lock_staging(s);
    return why;
}

char *tk_staging_name(struct tk_staging *s)
{
    const size_t capacity = strlen(s->path) + 32;
    char *name = malloc(capacity);
    if (name)
        snprintf(name, capacity, "%s/%zu", s->path, s->names++);
    return name;
}

void tk_staging_unlock(struct tk_staging *s)
{
    tk_os_file_close(s->lock);
    s->lock = NULL;
    if (s->lock_path)
        (void)tk_os_path_remove(s->lock_path);
}

void tk_staging_end(struct tk_staging *s)
{
    if (s->path) {
        tk_staging_unlock(s);
        tk_leftovers_clear(s->path);
    }
    tk_staging_forget(s);
}

void tk_staging_forget(struct tk_staging *s)
{
    free(s->path);
    free(s->lock_path);
    *s = (struct tk_staging){0};
}

/* ---- what is there ---- */

enum tk_place tk_place_of(const char *path)
{
    struct tk_os_info info;
    if (tk_os_path_info(path, &info).error)
        return TK_PLACE_EMPTY;
    return info.kind == TK_OS_FILE ? TK_PLACE_FILE : TK_PLACE_OTHER;
}

char *tk_place_real(const char *path)
{
    return tk_os_path_real(path);
}

char *tk_place_replaced(const char *path)
{
    const size_t n = strlen(path) + 1;
    if ((strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0) ||
        strncmp(path, "/proc/", 6) == 0)
        return tk_os_path_real(path);
    char *copy = malloc(n);
    if (copy)
        memcpy(copy, path, n);
    return copy;
}
