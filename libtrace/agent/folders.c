/*
 * Which files assistants may read.
 */
#include "agent/agent_in.h"
#include "base/text/path.h"
#include "os/folder.h"
#include "os/path.h"
#include "tracekit/runs.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 4096 };

int tk_agent_folders_add(struct tk_agent_folders *f, const char *path, struct tk_err *err)
{
    struct tk_os_info info;
    char *real = tk_os_path_real(path);
    if (!real)
        return tk_err_nomem(err, "a path");
    if (tk_os_path_info(real, &info).error || info.kind != TK_OS_FOLDER) {
        free(real);
        return tk_err_set(err, TK_EUSAGE, "there is no folder '%.300s'", path);
    }
    size_t n = strlen(real);
    while (n > 1 && tk_path_is_separator(real[n - 1]))
        real[--n] = '\0';
    if (!tk_vec_push(&f->list, real))
        return TK_OK;
    free(real);
    return tk_err_nomem(err, "a path");
}

void tk_agent_folders_release(struct tk_agent_folders *f)
{
    for (size_t i = 0; i < f->list.n; i++)
        free(f->list.v[i]);
    tk_vec_release(&f->list);
}

static bool is_below(const char *folder, const char *path)
{
    const size_t n = strlen(folder);
    return strncmp(folder, path, n) == 0 &&
           (tk_path_is_separator(path[n]) || (n && tk_path_is_separator(folder[n - 1])));
}

static bool is_allowed(const struct tk_agent_folders *f, const char *real)
{
    struct tk_os_info info;
    bool below = false;
    for (size_t i = 0; i < f->list.n; i++)
        below |= is_below(f->list.v[i], real);
    return below && !tk_os_path_info(real, &info).error && info.kind == TK_OS_FILE;
}

/* The real path in *out where it is allowed, else NULL. */
static int try_path(const struct tk_agent_folders *f, const char *path, char **out, struct tk_err *err)
{
    *out = tk_os_path_real(path);
    if (!*out)
        return tk_err_nomem(err, "a path");
    if (is_allowed(f, *out))
        return TK_OK;
    free(*out);
    *out = NULL;
    return TK_OK;
}

int tk_agent_folders_find(const struct tk_agent_folders *f, const char *path, char **out, struct tk_err *err)
{
    char joined[LONGEST_PATH];
    int rc = TK_OK;
    *out = NULL;
    if (tk_path_is_absolute(path))
        rc = try_path(f, path, out, err);
    for (size_t i = 0; i < f->list.n && !tk_path_is_absolute(path) && !*out && rc == TK_OK; i++) {
        const int n = snprintf(joined, sizeof joined, "%s/%s", f->list.v[i], path);
        if (n > 0 && (size_t)n < sizeof joined)
            rc = try_path(f, joined, out, err);
    }
    if (rc == TK_OK && !*out)
        return tk_err_set(
            err, TK_EUSAGE,
            "no capture of that name is in the given folders; list_captures lists those that are");
    return rc;
}

/* A link out of the folders is not looked at. */
static bool is_readable(const struct tk_agent_folders *f, const char *path)
{
    char *real = tk_os_path_real(path);
    const bool readable =
        real && is_allowed(f, real) && (tk_capture_is(real) == 1 || tk_baseline_is(real) == 1);
    free(real);
    return readable;
}

int tk_agent_folders_list(const struct tk_agent_folders *f, unsigned most,
                          int (*fn)(void *ctx, const char *path), void *ctx)
{
    char joined[LONGEST_PATH];
    int rc = TK_OK;
    for (size_t i = 0; i < f->list.n && rc == TK_OK; i++) {
        struct tk_os_folder *folder;
        const char *name = NULL;
        if (tk_os_folder_open(&folder, f->list.v[i]).error)
            continue;
        while (rc == TK_OK && most > 0 && !tk_os_folder_next(folder, &name).error && name) {
            const int n = snprintf(joined, sizeof joined, "%s/%s", f->list.v[i], name);
            if (*name == '.' || n <= 0 || (size_t)n >= sizeof joined || !is_readable(f, joined))
                continue;
            most--;
            rc = fn(ctx, joined);
        }
        tk_os_folder_close(folder);
    }
    return rc;
}
