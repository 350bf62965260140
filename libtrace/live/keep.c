/*
 * Which captures of a store stay: see keep.h.
 */
#include "live/keep.h"

#include "os/file.h"
#include "os/lock.h"
#include "os/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096 };

bool tk_keep_is_ours(const char *name, const char *prefix)
{
    static const char form[] = "dddddddd_dddddd";
    const size_t n = prefix ? strlen(prefix) : 0;
    if (n && strncmp(name, prefix, n) != 0)
        return false;
    name += n;
    for (const char *f = form; *f; f++, name++)
        if (*f == 'd' ? *name < '0' || *name > '9' : *name != *f)
            return false;
    if (*name == '\0')
        return true;
    if (*name++ != '_')
        return false;
    const size_t digits = strspn(name, "0123456789");
    return digits >= 2 && name[digits] == '\0';
}

static int by_age(const void *a, const void *b)
{
    const struct tk_store_capture *x = a, *y = b;
    return x->modified < y->modified ? -1 : x->modified > y->modified ? 1 : strcmp(x->name, y->name);
}

/* Free bytes of the disk that a file is on. */
static uint64_t room_beside(const char *path)
{
    struct tk_os_file *f;
    if (tk_os_file_open_read(&f, path).error)
        return UINT64_MAX;
    const uint64_t room = tk_os_file_room(f);
    tk_os_file_close(f);
    return room;
}

/* Removes a capture and what viewers keep beside it. Not one that somebody writes. */
static bool remove_capture(const char *folder, const char *name)
{
    char path[PATH];
    struct tk_os_file *lock;
    if (snprintf(path, sizeof path, "%s/%s.utrace", folder, name) >= (int)sizeof path)
        return false;
    const struct tk_os_result locked = tk_os_path_lock(&lock, path, TK_OS_EXCLUSIVE, 0);
    if (locked.error == TK_OS_BUSY || locked.error == TK_OS_NOT_FOUND)
        return false;
    const bool removed = tk_os_path_remove(path).error == TK_OS_OK;
    tk_os_file_close(lock);
    if (removed && snprintf(path, sizeof path, "%s/%s.ucache", folder, name) < (int)sizeof path)
        tk_os_path_remove(path);
    return removed;
}

/* Does a rule ask for this one, the oldest that is left? */
static bool is_due(const struct tk_keep_rules *rules, const char *folder, const struct tk_store_capture *c,
                   int64_t now, uint64_t sum, enum tk_keep_reason *why)
{
    char path[PATH];
    *why = TK_KEEP_DAYS;
    if (rules->days > 0 && (double)(now - c->modified) > rules->days * 86400)
        return true;
    *why = TK_KEEP_BYTES;
    if (rules->most_bytes && sum > rules->most_bytes)
        return true;
    *why = TK_KEEP_FREE;
    return rules->free_bytes &&
           snprintf(path, sizeof path, "%s/%s.utrace", folder, c->name) < (int)sizeof path &&
           room_beside(path) < rules->free_bytes;
}

void tk_keep_apply(const struct tk_keep_rules *rules, const char *folder, int64_t now, tk_keep_fn *told,
                   void *ctx)
{
    struct tk_store_listing l = {0};
    uint64_t sum = 0;
    if (!tk_store_listing_read(&l, folder))
        return;
    if (l.captures.n)
        qsort(l.captures.v, l.captures.n, sizeof *l.captures.v, by_age);
    for (size_t i = 0; i < l.captures.n; i++)
        sum += l.captures.v[i].size;
    for (size_t i = 0; i < l.captures.n; i++) {
        const struct tk_store_capture *c = &l.captures.v[i];
        enum tk_keep_reason why;
        if (!tk_keep_is_ours(c->name, rules->prefix))
            continue;
        if (!is_due(rules, folder, c, now, sum, &why))
            break;
        if (!remove_capture(folder, c->name))
            continue;
        sum -= c->size;
        told(ctx, c->name, c->size, why);
    }
    tk_store_listing_release(&l);
}
