/*
 * Nights of files.
 *
 * Files are read a few at a time and become rows before the next are read.
 */
#include "run/listing.h"
#include "run/report.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/nights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        name = *path == '/' || *path == '\\' ? path + 1 : name;
    return name;
}

/* Bytes of a name without the endings of captures and of compression. */
static size_t bare_length(const char *name)
{
    static const char *const packed[] = {".zst", ".gz", ".lz4"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (n > strlen(packed[i]) && strcmp(name + n - strlen(packed[i]), packed[i]) == 0)
            n -= strlen(packed[i]);
    for (size_t i = n; i-- > 1;)
        if (name[i] == '.')
            return i;
    return n;
}

/* The page of a capture, NAME.html, where it lies alongside it; to be freed. NULL: there is none. */
static char *link_of(const struct tk_night_reading *r, const char *path)
{
    const size_t folder = (size_t)(name_of(path) - path), n = folder + bare_length(name_of(path));
    const size_t of_page = r->page ? (size_t)(name_of(r->page) - r->page) : 0;
    char *link = r->page ? malloc(n + sizeof ".html") : NULL;
    if (!link)
        return NULL;
    memcpy(link, path, n);
    memcpy(link + n, ".html", sizeof ".html");
    const bool together = folder == of_page && memcmp(path, r->page, folder) == 0;
    if (!tk_host_exists(link) || strcmp(link, r->page) == 0) {
        free(link);
        return NULL;
    }
    if (together)
        memmove(link, link + folder, strlen(link + folder) + 1);
    return link;
}

static int add_before(void *ctx, const char *path, struct tk_baseline *runs, enum tk_exit *code,
                      struct tk_err *err)
{
    const struct tk_night_reading *r = ctx;
    (void)path;
    (void)code;
    return tk_night_before(r->night, runs, err);
}

static int add_rows(void *ctx, const char *path, struct tk_baseline *runs, enum tk_exit *code,
                    struct tk_err *err)
{
    const struct tk_night_reading *r = ctx;
    char *link = link_of(r, path);
    int rc;
    if (tk_baseline_count(runs)) {
        rc = tk_night_add(r->night, runs, link, err);
    } else {
        *code = tk_exit_worse(*code, TK_EXIT_DAMAGED);
        rc = tk_night_fail(r->night, name_of(path), err);
    }
    free(link);
    return rc;
}

/* ---- files ---- */

static bool is_run(const char *path)
{
    return tk_kept_is(path) || tk_capture_is(path) != 0;
}

/* What lies in a folder of runs and is none, a picture or a page, is no part of it. */
static enum tk_exit list_folder(const struct tk_night_reading *r, const char *path, struct tk_opt_list *files)
{
    struct tk_opt_list found = {0};
    enum tk_exit code = TK_EXIT_DONE;
    const int rc = tk_runs_list_folder(r->program, r->common->quiet, path, &found);
    for (size_t i = 0; i < found.n && code == TK_EXIT_DONE; i++)
        if (is_run(found.v[i]) && !tk_opt_list_add(files, found.v[i], strlen(found.v[i])))
            code = TK_EXIT_FAILED;
    tk_opt_list_release(&found);
    if (rc != TK_OK || (code == TK_EXIT_DONE && files->n == 0)) {
        tk_message_say(r->program, TK_MESSAGE_ERROR, "there is no capture and no baseline in folder '%s'",
                       path);
        code = TK_EXIT_FAILED;
    }
    return code;
}

static enum tk_exit add_operands(const struct tk_night_reading *r, const struct tk_opt_list *operands,
                                 bool before)
{
    const struct tk_runs like = {.program = r->program,
                                 .common = r->common,
                                 .info = r->info,
                                 .budgets = r->budgets,
                                 .skip = true,
                                 .one_by_one = true};
    struct tk_night_reading reading = *r;
    struct tk_opt_list files = {0};
    enum tk_exit code = TK_EXIT_DONE;
    for (size_t i = 0; i < operands->n && code == TK_EXIT_DONE; i++) {
        const char *path = operands->v[i];
        if (tk_host_is_folder(path))
            code = list_folder(r, path, &files);
        else if (!tk_opt_list_add(&files, path, strlen(path)))
            code = TK_EXIT_FAILED;
    }
    for (size_t i = 0, n; i < files.n && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED); i += n) {
        n = files.n - i < TK_RUNS_AT_ONCE ? files.n - i : TK_RUNS_AT_ONCE;
        code = tk_exit_worse(
            code, tk_runs_together(&like, files.v + i, n, before ? add_before : add_rows, &reading));
    }
    tk_opt_list_release(&files);
    return code;
}

enum tk_exit tk_night_collect(const struct tk_night_reading *r, const struct tk_opt_list *operands)
{
    struct tk_err err = {0};
    enum tk_exit code = r->before ? add_operands(r, r->before, true) : TK_EXIT_DONE;
    if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        code = tk_exit_worse(code, add_operands(r, operands, false));
    if (code != TK_EXIT_DONE && code != TK_EXIT_DAMAGED)
        return code;
    int rc = tk_night_settle(r->night, &err);
    if (rc == TK_OK && r->common->owners)
        rc = tk_night_own(r->night, r->common->owners, &err);
    if (rc < 0)
        tk_message_error(r->program, NULL, rc, &err);
    return rc < 0 ? tk_exit_of(rc) : code;
}
