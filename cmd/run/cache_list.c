/*
 * The files of the cache.
 */
#include "run/cache_list.h"

#include "io/user_cache.h"
#include "os/clock.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>

/* A folder and what is in it. */
struct folder {
    char path[TK_CACHE_PATH];
    struct tk_cached_file *files; /* owned */
    size_t n;
    uint64_t bytes;
};

static bool look(struct folder *f, const struct tk_user_cache *cache)
{
    *f = (struct folder){.bytes = 0};
    if (!tk_user_cache_folder(f->path, cache))
        return false;
    f->files = tk_user_cache_list(cache, &f->n);
    for (size_t i = 0; i < f->n; i++)
        f->bytes += f->files[i].size;
    return true;
}

static int no_folder(const struct tk_call *call)
{
    tk_message_say(call->program, TK_MESSAGE_ERROR,
                   "there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set");
    return TK_EXIT_FAILED;
}

static void print_folder(const struct folder *f, const struct tk_user_cache *cache)
{
    printf("%s: %zu file%s, %llu of %llu bytes\n", f->path, f->n, f->n == 1 ? "" : "s",
           (unsigned long long)f->bytes, (unsigned long long)tk_user_cache_most(cache));
    for (size_t i = 0; i < f->n; i++) {
        const struct tk_os_date d = tk_os_local_date(f->files[i].modified);
        printf("  %04d-%02d-%02d %02d:%02d  %12llu  %s\n", d.year, d.month, d.day, d.hour, d.minute,
               (unsigned long long)f->files[i].size, f->files[i].name);
    }
}

int tk_cache_list(const struct tk_call *call)
{
    for (size_t i = 0; i < TK_USER_CACHES; i++) {
        struct folder f;
        if (!look(&f, &tk_user_caches[i]))
            return no_folder(call);
        print_folder(&f, &tk_user_caches[i]);
        free(f.files);
    }
    if (tk_host_flush())
        return TK_EXIT_DONE;
    tk_message_say(call->program, TK_MESSAGE_ERROR, "cannot write standard output");
    return TK_EXIT_FAILED;
}

int tk_cache_clear(const struct tk_call *call, bool quiet)
{
    size_t removed = 0, left = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < TK_USER_CACHES; i++) {
        struct folder f;
        if (!look(&f, &tk_user_caches[i]))
            return no_folder(call);
        for (size_t k = 0; k < f.n; k++) {
            const bool gone = tk_user_cache_remove(&tk_user_caches[i], f.files[k].name);
            removed += gone;
            bytes += gone ? f.files[k].size : 0;
            left += !gone;
        }
        free(f.files);
    }
    char text[128];
    snprintf(text, sizeof text, "%zu file%s, %llu bytes removed", removed, removed == 1 ? "" : "s",
             (unsigned long long)bytes);
    if (!quiet)
        tk_message_say(call->program, TK_MESSAGE_NOTE, "%s", text);
    if (!left)
        return TK_EXIT_DONE;
    snprintf(text, sizeof text, "%zu file%s cannot be removed", left, left == 1 ? "" : "s");
    tk_message_say(call->program, TK_MESSAGE_ERROR, "%s", text);
    return TK_EXIT_FAILED;
}
