/*
 * A file that is being recorded: see recording_file.h.
 */
#include "live/recording_file.h"

#include "base/text/path.h"
#include "os/clock.h"
#include "os/lock.h"
#include "os/path.h"
#include "os/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 10000, LOOK_EVERY = 16 << 20, PREFIX_MOST = 100 };

static const char *base_name(const char *path)
{
    return path + tk_path_base(path);
}

typedef struct tk_os_result make_file(struct tk_os_file **out, const char *path);

static struct tk_os_result create(struct tk_live_file *f, const char *path, make_file *make)
{
    struct tk_os_file *file;
    const struct tk_os_result made = make(&file, path);
    if (made.error)
        return made;
    const size_t n = strlen(path) + 1;
    *f = (struct tk_live_file){.file = file, .path = malloc(n)};
    if (!f->path) {
        tk_os_file_close(file);
        tk_os_path_remove(path);
        *f = (struct tk_live_file){0};
        return tk_os_result_of(TK_OS_NO_MEMORY);
    }
    memcpy(f->path, path, n);
    f->name = base_name(f->path);
    tk_os_path_lock(&f->lock, path, TK_OS_EXCLUSIVE,
                    0); /* where there are none, followers wait a while at the end */
    return made;
}

static int failed(struct tk_err *err, const char *path, struct tk_os_result why)
{
    if (why.error == TK_OS_NO_MEMORY)
        return tk_err_nomem(err, "a recording");
    return tk_err_set(err, TK_EIO, "cannot create '%s': %s", path, tk_os_text(why));
}

int tk_live_file_create(struct tk_live_file *f, const char *path, bool replace, struct tk_err *err)
{
    struct tk_os_result made = create(f, path, tk_os_file_create);
    if (made.error == TK_OS_EXISTS && replace && tk_os_path_remove(path).error == TK_OS_OK)
        made = create(f, path, tk_os_file_create);
    return made.error ? failed(err, path, made) : TK_OK;
}

/* The empty file gives its name, and makes room for one that is written to. */
int tk_live_file_create_temporary(struct tk_live_file *f, const char *name, struct tk_err *err)
{
    char *path;
    struct tk_os_result made = tk_os_temporary_file(&path, name);
    if (made.error)
        return failed(err, name, made);
    made = tk_os_path_remove(path);
    if (made.error == TK_OS_OK)
        made = create(f, path, tk_os_file_create_private);
    const int rc = made.error ? failed(err, path, made) : TK_OK;
    free(path);
    return rc;
}

int tk_live_file_create_by_clock(struct tk_live_file *f, const char *folder, const char *prefix,
                                 int64_t seconds, const char *ending, struct tk_err *err)
{
    const struct tk_os_date d = tk_os_local_date(seconds);
    const size_t room = strlen(folder) + PREFIX_MOST + 64 + strlen(ending);
    char *path = malloc(room);
    struct tk_os_result made = tk_os_result_of(TK_OS_EXISTS);
    if (!path)
        return tk_err_nomem(err, "a recording");
    for (int i = -1; i < NAMES && made.error == TK_OS_EXISTS; i++) {
        char number[16] = "";
        if (i >= 0)
            snprintf(number, sizeof number, "_%02d", i);
        snprintf(path, room, "%s/%.*s%04d%02d%02d_%02d%02d%02d%s%s", folder, (int)PREFIX_MOST,
                 prefix ? prefix : "", d.year, d.month, d.day, d.hour, d.minute, d.second, number, ending);
        made = create(f, path, tk_os_file_create);
    }
    const int rc = made.error ? failed(err, path, made) : TK_OK;
    free(path);
    return rc;
}

struct tk_os_result tk_live_file_append(struct tk_live_file *f, const void *p, size_t n)
{
    const struct tk_os_result written = tk_os_file_write(f->file, p, n);
    struct tk_os_info info;
    if (written.error == TK_OS_OK)
        f->bytes += n;
    else if (tk_os_file_info(f->file, &info).error == TK_OS_OK)
        f->bytes = info.size;
    return written;
}

struct tk_os_result tk_live_file_cut(struct tk_live_file *f, uint64_t size)
{
    const struct tk_os_result cut = tk_os_file_cut(f->file, size);
    if (cut.error == TK_OS_OK)
        f->bytes = size;
    return cut;
}

bool tk_live_file_is_tight(struct tk_live_file *f, uint64_t least)
{
    if (least == 0 || (f->asked && f->bytes - f->asked < LOOK_EVERY))
        return false;
    f->asked = f->bytes;
    return tk_os_file_room(f->file) < least;
}

struct tk_os_result tk_live_file_close(struct tk_live_file *f)
{
    struct tk_os_result result = f->file ? tk_os_file_sync(f->file) : tk_os_result_of(TK_OS_OK);
    const struct tk_os_result closed = tk_os_file_close(f->file);
    tk_os_file_close(f->lock);
    f->file = f->lock = NULL;
    return result.error ? result : closed;
}

void tk_live_file_release(struct tk_live_file *f)
{
    tk_os_file_close(f->file);
    tk_os_file_close(f->lock);
    free(f->path);
    *f = (struct tk_live_file){0};
}

bool tk_live_prefix_is_good(const char *prefix)
{
    if (!*prefix || *prefix == '.' || *prefix == '-' || strlen(prefix) > PREFIX_MOST)
        return false;
    for (const char *p = prefix; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127 || strchr("/\\:*?\"<>|", *p))
            return false;
    return true;
}
