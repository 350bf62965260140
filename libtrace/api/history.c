/*
 * Histories of runs, from baselines and from files with numbers. See tracekit.h and
 * trend/history.h.
 */
#include "base/given.h"
#include "base/text/path.h"
#include "trend/history_csv.h"
#include "trend/history_runs.h"
#include "io/text_file.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(1) << 30)

int tk_history_new(struct tk_history **out, struct tk_err *err)
{
    TK_GIVEN(err, out);
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
    if (!history)
        return 0;
    return history->runs.n;
}

/* The text is to be freed, also when it fails. */
static int read_path(const char *folder, const char *name, struct tk_history_text *text, struct tk_err *err)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);
    if (!path)
        return tk_err_nomem(err, "a history");
    bool ends = n > strlen(name) + 2 && tk_path_is_separator(folder[n - strlen(name) - 3]);
    snprintf(path, n, "%s%s%s", folder, ends ? "" : "/", name);
    int rc = tk_text_file_read(&text->p, &text->n, path, MOST_BYTES, err);
    if (rc < 0)
        tk_err_add(err, "cannot use '%s'", path);
    free(path);
    return rc;
}

int tk_history_read(struct tk_history *history, const char *folder, struct tk_err *err)
{
    TK_GIVEN(err, history, folder);
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
    TK_GIVEN(err, history, baseline, name);
    return tk_history_take(history, baseline, name) ? tk_err_nomem(err, "a history") : TK_OK;
}

int tk_history_sort(struct tk_history *history, enum tk_history_order order, struct tk_err *err)
{
    TK_GIVEN(err, history);
    return tk_history_arrange(history, order) ? tk_err_nomem(err, "a history")
                                              : tk_history_settle(history, err);
}
