/*
 * The walk over folders, and the look-up by name.
 */
#include "base/sort.h"
#include "base/text/path.h"
#include "os/path.h"
#include "symbols/symbols_in.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 200000, MOST_PATH = 4096 };

typedef TK_VEC(const char *) folder_list;

static const char *joined(struct tk_file_index *index, const char *folder, const char *name)
{
    size_t n = strlen(folder), m = strlen(name);
    bool separated = tk_path_names_folder(folder);
    if (n + m + 2 > MOST_PATH)
        return NULL;
    char *path = tk_arena_bytes(&index->arena, n + m + 2);
    if (!path)
        return NULL;
    memcpy(path, folder, n);
    if (!separated)
        path[n++] = '/';
    memcpy(path + n, name, m + 1);
    return path;
}

static int add_file(struct tk_file_index *index, const char *path)
{
    struct tk_indexed_file file = {path, tk_path_base(path), (uint32_t)index->files.n};
    index->full = index->files.n >= MOST_FILES;
    index->sorted = false;
    return index->full ? 0 : tk_vec_push(&index->files, file);
}

static int take_entry(struct tk_file_index *index, folder_list *folders, const char *path)
{
    struct tk_os_info link, info;
    if (tk_os_path_link_info(path, &link).error != TK_OS_OK)
        return 0;
    if (link.kind == TK_OS_FOLDER) {
        index->full |= folders->n >= MOST_FILES;
        return index->full ? 0 : tk_vec_push(folders, path);
    }
    if (tk_os_path_info(path, &info).error != TK_OS_OK || info.kind != TK_OS_FILE ||
        (index->no_links && !tk_os_is_same(&link, &info)))
        return 0;
    return add_file(index, path);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int take_folder(struct tk_file_index *index, folder_list *folders, const char *folder)
{
    folder_list entries = {0};
    struct tk_os_folder *f;
    const char *name = NULL;
    int rc = 0;
    if (tk_os_folder_open(&f, folder).error != TK_OS_OK)
        return 0;
    while (rc == 0 && entries.n < MOST_FILES && tk_os_folder_next(f, &name).error == TK_OS_OK && name) {
        const char *path = joined(index, folder, name);
        rc = path ? tk_vec_push(&entries, path) : index->arena.failed ? -1 : 0;
    }
    tk_os_folder_close(f);
    if (entries.n)
        qsort(entries.v, entries.n, sizeof *entries.v, by_text);
    for (size_t i = 0; i < entries.n && rc == 0 && !index->full; i++)
        rc = take_entry(index, folders, entries.v[i]);
    index->full |= entries.n >= MOST_FILES;
    tk_vec_release(&entries);
    return rc;
}

int tk_file_index_walk(struct tk_file_index *index, const char *root)
{
    folder_list folders = {0};
    struct tk_os_info info;
    const char *path = tk_arena_copy(&index->arena, root, strlen(root) + 1);
    if (!path)
        return -1;
    if (tk_os_path_info(path, &info).error != TK_OS_OK)
        return 0;
    int rc = info.kind == TK_OS_FOLDER ? tk_vec_push(&folders, path)
             : info.kind == TK_OS_FILE ? add_file(index, path)
                                       : 0;
    for (size_t i = 0; i < folders.n && rc == 0 && !index->full; i++)
        rc = take_folder(index, &folders, folders.v[i]);
    tk_vec_release(&folders);
    return rc;
}

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static int compare_folded(const char *a, const char *b)
{
    for (; *a && lower((unsigned char)*a) == lower((unsigned char)*b); a++, b++)
        continue;
    return lower((unsigned char)*a) - lower((unsigned char)*b);
}

static int by_name(const void *a, const void *b)
{
    const struct tk_indexed_file *x = a, *y = b;
    int order = compare_folded(x->path + x->name, y->path + y->name);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static const char *name_of(const struct tk_file_index *index, size_t i)
{
    return index->files.v[i].path + index->files.v[i].name;
}

const struct tk_indexed_file *tk_file_index_find(struct tk_file_index *index, const char *name, size_t *n)
{
    size_t at, end;
    if (!index->sorted && index->files.n)
        qsort(index->files.v, index->files.n, sizeof *index->files.v, by_name);
    index->sorted = true;
    TK_SEARCH(at, index->files.n, compare_folded(name_of(index, at), name) < 0);
    for (end = at; end < index->files.n && compare_folded(name_of(index, end), name) == 0; end++)
        continue;
    *n = end - at;
    return *n ? &index->files.v[at] : NULL;
}

void tk_file_index_release(struct tk_file_index *index)
{
    tk_arena_release(&index->arena);
    tk_vec_release(&index->files);
}
