/*
 * The bytes of a symbol file. See symbol_file.h.
 */
#include "symbols/files/symbol_file.h"

#include "os/path.h"

#include <stdlib.h>

#define MOST_TOUCHED   (UINT64_C(64) << 20)  /* bytes of a view that stay in memory */
#define MOST_IN_MEMORY (UINT64_C(512) << 20) /* bytes of a file that is not mapped */

static int refuse(const char **why, const char *text)
{
    *why = text;
    return -1;
}

static int read_whole(struct tk_sym_file *f, uint64_t size, const char **why)
{
    size_t got = 0;
    if (size > MOST_IN_MEMORY)
        return refuse(why, "too large to be read without a memory map");
    f->memory = malloc(size ? (size_t)size : 1);
    if (!f->memory)
        return refuse(why, "out of memory");
    struct tk_os_result result = tk_os_file_read_at(f->file, 0, f->memory, (size_t)size, &got);
    if (result.error != TK_OS_OK)
        return refuse(why, tk_os_text(result));
    f->bytes = (struct tk_bytes){f->memory, got};
    return 0;
}

static int read_bytes(struct tk_sym_file *f, bool map, const char **why)
{
    struct tk_os_info info;
    struct tk_os_result result = tk_os_file_info(f->file, &info);
    if (result.error != TK_OS_OK)
        return refuse(why, tk_os_text(result));
    if (info.kind != TK_OS_FILE)
        return refuse(why, "not a regular file");
    f->modified = info.modified;
    f->view = map && info.size && info.size <= SIZE_MAX ? tk_os_map_open(f->file, info.size) : NULL;
    if (!f->view)
        return read_whole(f, info.size, why);
    f->bytes = (struct tk_bytes){tk_os_map_bytes(f->view), (size_t)info.size};
    return 0;
}

/* Files of other kinds are not opened at all: opening a pipe would wait for its other end. */
static int look(const char *path, const char **why)
{
    struct tk_os_info info;
    struct tk_os_result result = tk_os_path_info(path, &info);
    if (result.error != TK_OS_OK)
        return refuse(why, tk_os_text(result));
    return info.kind == TK_OS_FILE ? 0 : refuse(why, "not a regular file");
}

int tk_sym_file_open(struct tk_sym_file *f, const char *path, bool map, const char **why)
{
    *f = (struct tk_sym_file){0};
    if (look(path, why) < 0)
        return -1;
    struct tk_os_result result = tk_os_file_open_read(&f->file, path);
    if (result.error != TK_OS_OK)
        return refuse(why, tk_os_text(result));
    int rc = read_bytes(f, map, why);
    if (rc < 0)
        tk_sym_file_close(f);
    return rc;
}

bool tk_sym_file_changed(const struct tk_sym_file *f)
{
    return f->view && tk_os_map_faulted(f->view);
}

void tk_sym_file_touch(struct tk_sym_file *f, uint64_t n)
{
    if (!f || !f->view)
        return;
    f->touched += n;
    if (f->touched < MOST_TOUCHED)
        return;
    tk_os_map_leave(f->view, 0, f->bytes.n);
    f->touched = 0;
}

void tk_sym_file_close(struct tk_sym_file *f)
{
    if (f->view)
        tk_os_map_close(f->view);
    tk_os_file_close(f->file);
    free(f->memory);
    *f = (struct tk_sym_file){0};
}
