/*
 * Histories of runs, from baselines and from files with numbers. See tracekit.h and
 * compare/history/history.h.
 */
#include "compare/history/history_csv.h"
#include "compare/history/history_runs.h"
#include "io/input/file.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(1) << 30)

int tk_history_new(struct tk_history **out, struct tk_err *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? TK_OK : tk_err_nomem(err, "a history");
}

void tk_history_free(struct tk_history *history)
{
    if (history)
        tk_history_release(history);
    free(history);
}

size_t tk_history_count(const struct tk_history *history)
{
    return history->runs.n;
}

static int read_text(const struct tk_file *file, struct tk_history_text *text, struct tk_err *err)
{
    uint64_t size = tk_file_size(file);
    if (size > MOST_BYTES)
        return tk_err_set(err, TK_ELIMIT, "a file of a history has at most %llu bytes",
                          (unsigned long long)MOST_BYTES);
    text->p = malloc((size_t)size + 1);
    if (!text->p)
        return tk_err_nomem(err, "a history");
    return tk_file_read(file, 0, text->p, (size_t)size, &text->n, err);
}

/* The text is to be freed, also when it fails. */
static int read_path(const char *folder, const char *name, struct tk_history_text *text, struct tk_err *err)
{
    struct tk_limits limits = tk_limits_default();
    struct tk_file *file;
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);
    if (!path)
        return tk_err_nomem(err, "a history");
    bool ends = n > strlen(name) + 2 && folder[n - strlen(name) - 3] == '/';
    snprintf(path, n, "%s%s%s", folder, ends ? "" : "/", name);
    int rc = tk_file_open(&file, path, NULL, &limits, NULL, err);
    free(path);
    if (rc < 0)
        return rc;
    rc = read_text(file, text, err);
    tk_file_close(file);
    return rc;
}

int tk_history_read(struct tk_history *history, const char *folder, struct tk_err *err)
{
    static const char *const names[3] = {"runs.csv", "series.csv", "values.csv"};
    struct tk_history_text texts[3] = {0};
    int rc = TK_OK;
    for (int i = 0; i < 3 && rc == TK_OK; i++)
        rc = read_path(folder, names[i], &texts[i], err);
    if (rc == TK_OK)
        rc = tk_history_csv(history, texts[0], texts[1], texts[2], err);
    for (int i = 0; i < 3; i++)
        free(texts[i].p);
    return rc;
}

int tk_history_add(struct tk_history *history, const struct tk_baseline *baseline, const char *name,
                   struct tk_err *err)
{
    return tk_history_take(history, baseline, name) ? tk_err_nomem(err, "a history") : TK_OK;
}

int tk_history_sort(struct tk_history *history, enum tk_history_order order, struct tk_err *err)
{
    return tk_history_arrange(history, order) ? tk_err_nomem(err, "a history")
                                              : tk_history_settle(history, err);
}
