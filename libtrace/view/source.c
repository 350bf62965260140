/*
 * Files that are viewed.
 */
#include "base/err.h"
#include "os/clock.h"
#include "view/view_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Readings that take the place of others, each kept as long as somebody answers from it.
 */

/* With the lock. Gives back whom to close, without the lock: NULL where others use it. */
static struct tk_view_capture *drop(struct tk_view_capture *c)
{
    return --c->users ? NULL : c;
}

struct tk_view_capture *tk_view_work_hold(struct tk_view_work *w, const struct tk_view_source *source,
                                          uint64_t reading)
{
    tk_os_monitor_lock(&w->monitor);
    const bool earlier = source->before && source->before->number == reading;
    struct tk_view_capture *c = earlier ? source->before : source->now;
    c->users++;
    tk_os_monitor_unlock(&w->monitor);
    return c;
}

void tk_view_work_drop(struct tk_view_work *w, struct tk_view_capture *capture)
{
    tk_os_monitor_lock(&w->monitor);
    struct tk_view_capture *over = drop(capture);
    tk_os_monitor_unlock(&w->monitor);
    tk_view_capture_close(over);
}

static void renew(struct tk_view_thread *thread, struct tk_view_source *source)
{
    struct tk_view_work *w = thread->work;
    const double begin = tk_os_seconds();
    struct tk_view_capture *fresh;
    struct tk_err err = {0};
    /* nobody else puts another reading there */
    int rc = tk_view_source_read(source, source->now->number + 1, &fresh, &err);
    if (rc == TK_OK)
        tk_view_capture_index(fresh, &thread->options);
    tk_os_monitor_lock(&w->monitor);
    struct tk_view_capture *over = fresh;
    if (rc == TK_OK && tk_atomic_get(&fresh->state) == TK_VIEW_READY) {
        fresh->users = 1;
        over = source->before ? drop(source->before) : NULL;
        source->before = source->now;
        source->now = fresh;
    }
    source->renewing = false;
    source->renewed = true;
    source->took = tk_os_seconds() - begin;
    tk_os_monitor_unlock(&w->monitor);
    tk_os_waker_wake(w->waker);
    tk_view_capture_close(over);
}

static struct tk_view_source *find_wanted(const struct tk_view_work *w)
{
    for (size_t i = 0; i < w->n_sources; i++)
        if (w->sources[i].wanted)
            return &w->sources[i];
    return NULL;
}

void tk_view_renew_run(void *ctx)
{
    struct tk_view_thread *thread = ctx;
    struct tk_view_work *w = thread->work;
    tk_os_monitor_lock(&w->monitor);
    while (!tk_atomic_get(&w->over)) {
        struct tk_view_source *source = find_wanted(w);
        if (!source) {
            tk_os_monitor_wait(&w->monitor);
            continue;
        }
        source->wanted = false;
        source->renewing = true;
        tk_os_monitor_unlock(&w->monitor);
        renew(thread, source);
        tk_os_monitor_lock(&w->monitor);
    }
    tk_os_monitor_unlock(&w->monitor);
}

void tk_view_work_renew(struct tk_view_work *w, struct tk_view_source *source)
{
    tk_os_monitor_lock(&w->monitor);
    source->wanted = true;
    tk_os_monitor_tell(&w->monitor);
    tk_os_monitor_unlock(&w->monitor);
}

enum tk_view_renewal tk_view_work_renewal(struct tk_view_work *w, struct tk_view_source *source, double *took)
{
    tk_os_monitor_lock(&w->monitor);
    const enum tk_view_renewal state = source->wanted || source->renewing ? TK_VIEW_RENEWING
                                       : source->renewed                  ? TK_VIEW_RENEWED
                                                                          : TK_VIEW_IDLE;
    if (state == TK_VIEW_RENEWED)
        source->renewed = false;
    *took = source->took;
    tk_os_monitor_unlock(&w->monitor);
    return state;
}

#define EVERY 0.7 /* seconds between readings of what grows, */
#define SHARE 2.0 /* or so many times what the last one took */

/* Was it another file, or another state of it, when it was looked at first? */
static bool is_replaced(const struct tk_view_source *s)
{
    struct tk_os_info now;
    if (tk_os_path_info(s->path, &now).error != TK_OS_OK || !tk_os_is_same(&now, &s->info))
        return true;
    if (s->follows)
        return now.size < s->info.size;
    return now.size != s->info.size || now.modified != s->info.modified;
}

int tk_view_source_read(const struct tk_view_source *s, uint64_t number, struct tk_view_capture **out,
                        struct tk_err *err)
{
    int rc = tk_view_capture_open(out, s->path, &s->tables, &s->drawn, err);
    if (rc == TK_OK && is_replaced(s))
        rc = tk_err_set(err, TK_EIO, "it was replaced or written to while it was opened; start again");
    if (rc < 0) {
        tk_view_capture_close(*out);
        *out = NULL;
        return rc;
    }
    (*out)->number = number;
    return TK_OK;
}

int tk_view_source_open(struct tk_view_source *s, const char *path, const struct tk_options *tables,
                        const struct tk_options *drawn, bool follow, struct tk_err *err)
{
    s->tables = *tables;
    s->drawn = *drawn;
    s->follows = follow;
    s->growth = follow ? TK_VIEW_GROWING : TK_VIEW_FIXED;
    const struct tk_os_result found = tk_os_path_info(path, &s->info);
    if (found.error == TK_OS_OK && s->info.kind == TK_OS_FOLDER)
        return tk_err_set(err, TK_EIO, "it is a folder");
    if (found.error == TK_OS_OK && s->info.kind != TK_OS_FILE)
        return tk_err_set(err, TK_EUSAGE, "it must be a regular file");
    s->bytes = s->tried = s->info.size;
    s->number = 1;
    s->path = malloc(strlen(path) + 1);
    if (!s->path)
        return tk_err_nomem(err, "a capture");
    memcpy(s->path, path, strlen(path) + 1);
    return tk_view_source_read(s, 1, &s->now, err);
}

void tk_view_source_release(struct tk_view_source *s)
{
    tk_view_capture_close(s->now);
    tk_view_capture_close(s->before);
    free(s->path);
}

bool tk_view_source_look(struct tk_view_source *s)
{
    struct tk_os_info now;
    enum tk_view_change change = s->change;
    const struct tk_os_result found = tk_os_path_info(s->path, &now);
    if (found.error == TK_OS_NOT_FOUND || (found.error == TK_OS_OK && !tk_os_is_same(&now, &s->info)))
        change = s->change == TK_VIEW_SAME ? TK_VIEW_REPLACED : s->change;
    else if (found.error == TK_OS_OK && (now.size != s->info.size || now.modified != s->info.modified))
        change = TK_VIEW_REWRITTEN;
    const bool changed = change != s->change;
    s->change = change;
    return changed;
}

bool tk_view_source_grow(struct tk_view_source *s, uint64_t bytes, bool ended, bool may, double now)
{
    s->bytes = bytes;
    s->growth = ended ? TK_VIEW_ENDED : TK_VIEW_GROWING;
    const bool due = may && bytes != s->tried && now >= s->next;
    if (due)
        s->tried = bytes;
    return due;
}

void tk_view_source_lose(struct tk_view_source *s)
{
    struct tk_os_info now;
    const bool cut = tk_os_path_info(s->path, &now).error == TK_OS_OK && tk_os_is_same(&now, &s->info) &&
                     now.size < s->bytes;
    s->change = cut ? TK_VIEW_REWRITTEN : TK_VIEW_REPLACED;
    s->growth = TK_VIEW_ENDED;
}

void tk_view_source_pause(struct tk_view_source *s, uint64_t number, double now, double took)
{
    if (number == s->number)
        s->tried = 0;
    s->number = number;
    const double pause = SHARE * took;
    s->next = now + (pause > EVERY ? pause : EVERY);
}
