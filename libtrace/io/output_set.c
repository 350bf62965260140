/*
 * Files that get their names together. They are written in a folder of their own, whose lock is that of all;
 * a few are open at a time, as others may be begun before any ends.
 */
#include "base/given.h"
#include "base/vec.h"
#include "io/io_in.h"
#include "io/os_error.h"
#include "os/path.h"
#include "os/thread.h"
#include "tracekit/sinks.h"

#include <stdlib.h>
#include <string.h>

enum { OPEN_AT_ONCE = 4 };

struct tk_output_set {
    char *staged; /* owned: in whose folder they are written; NULL: of the first file */
    struct tk_staging staging;
    struct tk_os_monitor monitor; /* guards what follows, and the files */
    TK_VEC(struct tk_output *) v; /* owned once they are committed; in the order in which they began */
    struct tk_output *open[OPEN_AT_ONCE];
    size_t oldest;
};

int tk_output_set_new(struct tk_output_set **out, const char *staged, struct tk_err *err)
{
    TK_GIVEN(err, out);
    struct tk_output_set *set = calloc(1, sizeof *set);
    *out = NULL;
    if (set && staged)
        set->staged = malloc(strlen(staged) + 1);
    if (!set || (staged && !set->staged) || !tk_os_monitor_init(&set->monitor)) {
        if (set)
            free(set->staged);
        free(set);
        return tk_err_nomem(err, "outputs");
    }
    if (staged)
        memcpy(set->staged, staged, strlen(staged) + 1);
    *out = set;
    return TK_OK;
}

struct tk_os_result tk_output_set_name(struct tk_output_set *set, char **name, const char *path)
{
    struct tk_os_result why = {0};
    tk_os_monitor_lock(&set->monitor);
    if (!set->staging.path)
        why = tk_staging_begin(&set->staging, set->staged ? set->staged : path);
    *name = why.error ? NULL : tk_staging_name(&set->staging);
    tk_os_monitor_unlock(&set->monitor);
    return why.error || *name ? why : tk_os_result_of(TK_OS_NO_MEMORY);
}

/* ---- open files ---- */

/* What cannot be written by then is found when the file is closed. */
static void shut(struct tk_output *o)
{
    const struct tk_os_result why = tk_os_file_close(o->file);
    o->file = NULL;
    if (!o->failed && why.error) {
        o->failed = TK_EOUTPUT;
        o->why = why;
    }
}

/* Another one is closed for it. Packers keep the file that they have. */
static void note_open(struct tk_output_set *set, struct tk_output *o)
{
    struct tk_output **place = &set->open[set->oldest];
    if (o->pack)
        return;
    if (*place)
        shut(*place);
    *place = o;
    set->oldest = (set->oldest + 1) % OPEN_AT_ONCE;
}

static void note_closed(struct tk_output_set *set, const struct tk_output *o)
{
    for (size_t i = 0; i < OPEN_AT_ONCE; i++)
        if (set->open[i] == o)
            set->open[i] = NULL;
}

int tk_output_set_add(struct tk_output *o)
{
    struct tk_output_set *set = o->set;
    if (!set || !o->staged)
        return 0;
    tk_os_monitor_lock(&set->monitor);
    const int rc = tk_vec_push(&set->v, o);
    if (rc == 0)
        note_open(set, o);
    tk_os_monitor_unlock(&set->monitor);
    return rc;
}

void tk_output_set_leave(struct tk_output *o)
{
    struct tk_output_set *set = o->set;
    size_t n = 0;
    if (!set)
        return;
    tk_os_monitor_lock(&set->monitor);
    note_closed(set, o);
    for (size_t i = 0; i < set->v.n; i++)
        if (set->v.v[i] != o)
            set->v.v[n++] = set->v.v[i];
    set->v.n = n;
    tk_os_monitor_unlock(&set->monitor);
}

struct tk_os_result tk_output_set_take(struct tk_output *o)
{
    struct tk_os_result why = {0};
    if (!o->set)
        return why;
    tk_os_monitor_lock(&o->set->monitor);
    if (o->failed)
        return o->why;
    if (o->file || !o->staged)
        return why;
    why = tk_os_file_open_append(&o->file, o->staged);
    if (!why.error)
        note_open(o->set, o);
    return why;
}

void tk_output_set_give(struct tk_output *o)
{
    if (!o->set)
        return;
    if (!o->file)
        note_closed(o->set, o);
    tk_os_monitor_unlock(&o->set->monitor);
}

/* ---- the end ---- */

/* Keeps the file that is replaced by another name, so that it can be put back; not where there are no such
 * names, and then it is gone. */
static struct tk_os_result place(struct tk_output_set *set, struct tk_output *o)
{
    o->replaces = o->force && tk_place_of(o->path) == TK_PLACE_FILE;
    o->old = o->replaces ? tk_staging_name(&set->staging) : NULL;
    if (o->replaces && !o->old)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    if (o->old && tk_os_path_add_name(o->path, o->old).error) {
        free(o->old);
        o->old = NULL;
    }
    return tk_output_place(o);
}

/* Nothing is left of a file that had its name already. */
static void take_back(const struct tk_output *o)
{
    if (o->old)
        (void)tk_os_path_rename_over(o->old, o->path);
    else if (!o->replaces)
        (void)tk_os_path_remove(o->path);
}

int tk_output_set_commit(struct tk_output_set *set, struct tk_err *err)
{
    TK_GIVEN(err, set);
    struct tk_os_result why = {0};
    size_t i = set->v.n;
    int rc = TK_OK;
    while (i > 0 && !why.error) {
        why = place(set, set->v.v[i - 1]);
        i -= !why.error;
    }
    if (why.error) {
        rc = tk_os_error_set(err, TK_EOUTPUT, why, "cannot write '%s'", set->v.v[i - 1]->path);
        for (; i < set->v.n; i++)
            take_back(set->v.v[i]);
    }
    tk_output_set_discard(set);
    return rc;
}

void tk_output_set_discard(struct tk_output_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->v.n; i++)
        tk_output_free(set->v.v[i]);
    tk_staging_end(&set->staging);
    tk_os_monitor_destroy(&set->monitor);
    tk_vec_release(&set->v);
    free(set->staged);
    free(set);
}
