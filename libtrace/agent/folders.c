/*
 * Which files assistants may read.
 */
#include "agent/agent_in.h"
#include "base/text/glob.h"
#include "base/text/path.h"
#include "os/path.h"
#include "tracekit/runs.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 4096, LEVELS = 3, MOST_NAMES = 500 };

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

/* A link out of the folders is not looked at. */
static bool is_readable(const struct tk_agent_folders *f, const char *path)
{
    char *real = tk_os_path_real(path);
    const bool readable =
        real && is_allowed(f, real) && (tk_capture_is(real) == 1 || tk_baseline_is(real) == 1);
    free(real);
    return readable;
}

/*
 * The names in folders: what is below them, to a few levels.
 */

struct tk_agent_visit {
    const struct tk_agent_folders *folders;
    unsigned most;
    size_t n_folder; /* bytes of the path of the folder that was given, with its slash */
    int (*fn)(void *ctx, const char *path, const char *name);
    void *ctx;
};

static int visit_folder(struct tk_agent_visit *v, const char *path, unsigned levels);

static int visit(struct tk_agent_visit *v, const char *path, unsigned levels)
{
    struct tk_os_info info;
    if (!tk_os_path_link_info(path, &info).error && info.kind == TK_OS_FOLDER)
        return levels ? visit_folder(v, path, levels - 1) : TK_OK;
    if (!v->most || !is_readable(v->folders, path))
        return TK_OK;
    v->most--;
    return v->fn(v->ctx, path, path + v->n_folder);
}

static int visit_folder(struct tk_agent_visit *v, const char *path, unsigned levels)
{
    struct tk_os_folder *folder;
    const char *name = NULL;
    int rc = TK_OK;
    char *joined = malloc(LONGEST_PATH);
    if (!joined || tk_os_folder_open(&folder, path).error) {
        free(joined);
        return TK_OK;
    }
    while (rc == TK_OK && v->most > 0 && !tk_os_folder_next(folder, &name).error && name) {
        const int n = snprintf(joined, LONGEST_PATH, "%s/%s", path, name);
        if (*name != '.' && n > 0 && n < LONGEST_PATH)
            rc = visit(v, joined, levels);
    }
    tk_os_folder_close(folder);
    free(joined);
    return rc;
}

int tk_agent_folders_list(const struct tk_agent_folders *f, unsigned most,
                          int (*fn)(void *ctx, const char *path, const char *name), void *ctx)
{
    struct tk_agent_visit v = {.folders = f, .most = most, .fn = fn, .ctx = ctx};
    int rc = TK_OK;
    for (size_t i = 0; i < f->list.n && rc == TK_OK; i++) {
        v.n_folder = strlen(f->list.v[i]) + 1;
        rc = visit_folder(&v, f->list.v[i], LEVELS);
    }
    return rc;
}

/*
 * Names that are nearly right.
 */

struct wanted {
    const char *name;
    char *stem, *near;     /* owned: the paths of the one that begins so, and of the one most like it */
    const char *near_name; /* inside near */
    unsigned stems, distance;
};

static const char *last_name(const char *name)
{
    const char *last = name;
    for (; *name; name++)
        if (tk_path_is_separator(*name))
            last = name + 1;
    return last;
}

static void keep(char **path, const char *other)
{
    free(*path);
    *path = malloc(strlen(other) + 1);
    if (*path)
        strcpy(*path, other);
}

static int look_at_name(void *ctx, const char *path, const char *name)
{
    struct wanted *w = ctx;
    const char *last = last_name(name);
    const size_t n = strlen(w->name);
    if (strncmp(last, w->name, n) == 0 && (last[n] == '.' || !last[n])) {
        w->stems++;
        keep(&w->stem, path);
    }
    const unsigned distance =
        tk_distance(last, strcspn(last, "."), w->name, strcspn(w->name, "."), w->distance);
    if (distance < w->distance) {
        w->distance = distance;
        keep(&w->near, path);
        w->near_name = w->near ? w->near + (name - path) : NULL;
    }
    return TK_OK;
}

/* The only file of that name in a folder below, or with another ending; else the name that is most like it.
 */
static int find_near(const struct tk_agent_folders *f, const char *path, char **out, struct tk_err *err)
{
    struct wanted w = {.name = last_name(path)};
    int rc = TK_OK;
    w.distance = (unsigned)strcspn(w.name, ".") / 2 + 1;
    if (*w.name)
        tk_agent_folders_list(f, MOST_NAMES, look_at_name, &w);
    if (w.stems == 1 && w.stem && w.name == path)
        rc = try_path(f, w.stem, out, err);
    if (rc == TK_OK && !*out)
        rc = tk_err_set(err, TK_EUSAGE, "no capture '%.120s' is in the given folders; %s%.200s", path,
                        w.near_name ? "did you mean " : "list_captures lists those that are",
                        w.near_name ? w.near_name : "");
    free(w.stem);
    free(w.near);
    return rc;
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
    return rc == TK_OK && !*out ? find_near(f, path, out, err) : rc;
}
