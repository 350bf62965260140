/*
 * Files that are viewed: see source.h.
 */
#include "view/source.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

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
