/*
 * Baseline files that several processes change, and folders of them.
 */
#include "base/err.h"
#include "base/given.h"
#include "base/text/text.h"
#include "compare/baseline/baseline.h"
#include "compare/baseline/listing.h"
#include "compare/baseline/run_info.h"
#include "compare/baseline/segments.h"
#include "compare/report/time_series.h"
#include "io/output.h"
#include "sink/tables/table_folder.h"
#include "table/sink.h"
#include "tracekit/runs.h"
#include "tracekit/sinks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- runs from one to another ---- */

static bool is_there(const struct tk_baseline *b, const struct tk_base_run *run)
{
    for (size_t i = 0; i < b->runs.n; i++)
        if (b->runs.v[i]->hash == run->hash)
            return true;
    return false;
}

int tk_baseline_merge(struct tk_baseline *b, struct tk_baseline *from, size_t *moved, struct tk_err *err)
{
    TK_GIVEN(err, b, from);
    if (moved)
        *moved = 0;
    if (tk_vec_reserve(&b->runs, b->runs.n + from->runs.n))
        return tk_err_nomem(err, "the runs of a baseline");
    for (size_t i = 0; i < from->runs.n; i++) {
        if (is_there(b, from->runs.v[i])) {
            tk_base_run_free(from->runs.v[i]);
            continue;
        }
        b->runs.v[b->runs.n++] = from->runs.v[i];
        if (moved)
            ++*moved;
    }
    from->runs.n = 0;
    return TK_OK;
}

void tk_baseline_drop(struct tk_baseline *b, size_t run)
{
    if (!b)
        return;
    if (run >= b->runs.n)
        return;
    tk_base_run_free(b->runs.v[run]);
    memmove(&b->runs.v[run], &b->runs.v[run + 1], (b->runs.n - run - 1) * sizeof *b->runs.v);
    b->runs.n--;
}

/* ---- files ---- */

struct tk_baseline_edit {
    struct tk_baseline runs;
    char *path;                 /* owned; of the file, links followed */
    struct tk_shared_lock lock; /* owned */
    bool there;                 /* the file was */
};

static int begin_edit(struct tk_baseline_edit *edit, const char *path, struct tk_err *err)
{
    edit->path = tk_place_real(path);
    if (!edit->path)
        return tk_err_nomem(err, "a file name");
    int rc = tk_shared_lock_take(&edit->lock, edit->path, &edit->there, err);
    return rc == TK_OK && edit->there ? tk_baseline_load(&edit->runs, path, err) : rc;
}

static void free_edit(struct tk_baseline_edit *edit)
{
    tk_shared_lock_give(&edit->lock);
    tk_baseline_clear(&edit->runs);
    free(edit->path);
    free(edit);
}

int tk_baseline_edit_begin(struct tk_baseline_edit **out, const char *path, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, path);
    struct tk_baseline_edit *edit = calloc(1, sizeof *edit);
    *out = NULL;
    if (!edit)
        return tk_err_nomem(err, "a baseline");
    int rc = begin_edit(edit, path, err);
    if (rc < 0)
        free_edit(edit);
    else
        *out = edit;
    return rc;
}

struct tk_baseline *tk_baseline_edit_runs(struct tk_baseline_edit *edit)
{
    if (!edit)
        return NULL;
    return &edit->runs;
}

/* Without `over` a file that came meanwhile stays. */
static int write_whole(const struct tk_baseline *b, const char *path, bool over, struct tk_err *err)
{
    struct tk_output *out;
    int rc = tk_output_open(&out, path, over, err);
    if (rc < 0)
        return rc;
    rc = tk_baseline_save(b, out, err);
    if (rc == TK_OK)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}

/* Somebody else has made the file meanwhile: what is new is added to theirs. */
static int add_to_theirs(struct tk_baseline_edit *edit, struct tk_err *err)
{
    struct tk_baseline mine = edit->runs;
    size_t moved;
    edit->runs = (struct tk_baseline){0};
    int rc = tk_shared_lock_take(&edit->lock, edit->path, &edit->there, err);
    if (rc == TK_OK && edit->there)
        rc = tk_baseline_load(&edit->runs, edit->path, err);
    if (rc == TK_OK)
        rc = tk_baseline_merge(&edit->runs, &mine, &moved, err);
    if (rc == TK_OK)
        rc = write_whole(&edit->runs, edit->path, edit->there, err);
    tk_baseline_clear(&mine);
    return rc;
}

int tk_baseline_edit_end(struct tk_baseline_edit *edit, bool keep, struct tk_err *err)
{
    TK_GIVEN(err, edit);
    int rc = keep ? write_whole(&edit->runs, edit->path, edit->there, err) : TK_OK;
    if (rc == TK_EOUTPUT && !edit->there && tk_place_of(edit->path) == TK_PLACE_FILE)
        rc = add_to_theirs(edit, err);
    free_edit(edit);
    return rc;
}

/* ---- folders ---- */

#define NAME 48 /* TIME-CONTENT.tkb */

/* "20261123T210542Z-0123456789abcdef.tkb"; `end` is where the content begins. */
static void name_run(char name[NAME], const char **end, const struct tk_base_run *run, int64_t when)
{
    char text[TK_WHEN_TEXT];
    size_t n = 0;
    tk_base_run_when(run, &when);
    tk_when_put(text, when);
    for (size_t i = 0; text[i]; i++)
        if (text[i] != '-' && text[i] != ':')
            name[n++] = text[i];
    snprintf(name + n, NAME - n, "-%016" PRIx64 ".tkb", run->hash);
    *end = name + n;
}

static int keep_run(struct tk_base_run *run, const char *folder, int64_t when, bool *added,
                    struct tk_err *err)
{
    struct tk_baseline one = {0};
    char name[NAME];
    const char *end;
    name_run(name, &end, run, when);
    bool there;
    *added = false;
    int rc = tk_shared_folder_has(folder, end, &there, err);
    if (rc < 0 || there)
        return rc;
    const size_t at = strlen(folder), capacity = at + NAME + 2;
    char *path = malloc(capacity);
    if (!path || tk_vec_push(&one.runs, run)) {
        free(path);
        return tk_err_nomem(err, "a baseline");
    }
    snprintf(path, capacity, "%s%s%s", folder, at && folder[at - 1] == '/' ? "" : "/", name);
    rc = write_whole(&one, path, false, err);
    *added = rc == TK_OK;
    if (rc == TK_EOUTPUT &&
        tk_place_of(path) == TK_PLACE_FILE) /* another process was faster with the same run */
        rc = TK_OK;
    tk_vec_release(&one.runs);
    free(path);
    return rc;
}

int tk_baseline_keep(const struct tk_baseline *b, const char *folder, int64_t when, size_t *added,
                     struct tk_err *err)
{
    TK_GIVEN(err, b, folder);
    int rc = tk_shared_folder(folder, NULL, err);
    size_t n = 0;
    for (size_t i = 0; i < b->runs.n && rc == TK_OK; i++) {
        bool is_new;
        rc = keep_run(b->runs.v[i], folder, when, &is_new, err);
        n += is_new;
    }
    if (added)
        *added = n;
    return rc;
}

/*
 * Summaries of runs: what a baseline holds of each of them, as Parquet in a folder of many runs. A run has
 * folders of its own in it, whose names are made of its bytes, so that whoever does it again replaces it.
 */

/* Rows without their first column, the number of the run, which says nothing among those of others. */
struct without {
    const struct tk_sink *to;
    struct tk_table table;
};

static int rows_without(void *self, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err)
{
    const struct without *w = self;
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc >= 0; i++)
        rc = tk_sink_row(w->to, &w->table, rows->cells + i * table->n_columns + 1, err);
    return rc;
}

static int send_table(const struct tk_listing *listing, const struct tk_base_run *run,
                      const struct tk_sink *to, struct tk_err *err)
{
    struct without w = {to, listing->table};
    const struct tk_sink sink = {.self = &w, .rows = rows_without};
    w.table.columns++;
    w.table.n_columns--;
    int rc = tk_sink_begin(to, &w.table, err);
    if (rc >= 0)
        rc = listing->rows(run, 1, &listing->table, &sink, err);
    return rc < 0 ? rc : tk_sink_end(to, &w.table, err);
}

static int write_run(const struct tk_base_run *run, const char *path, struct tk_err *err)
{
    struct tk_folder *folder;
    char name[24]; /* no digits alone, which readers would take for numbers */
    snprintf(name, sizeof name, "run-%016" PRIx64, run->hash);
    const struct tk_partition partition = {"run", name};
    int rc = tk_folder_open(&folder, path, "parquet", true, &partition, true, NULL, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_folder_sink(folder);
    for (size_t i = 0; tk_listings[i] && rc >= 0; i++)
        rc = send_table(tk_listings[i], run, &sink, err);
    if (rc >= 0)
        return tk_folder_commit(folder, err);
    tk_folder_discard(folder);
    return rc;
}

int tk_baseline_summarize(const struct tk_baseline *baseline, const char *path, struct tk_err *err)
{
    TK_GIVEN(err, baseline, path);
    int rc = TK_OK;
    for (size_t i = 0; i < baseline->runs.n && rc >= 0; i++)
        rc = write_run(baseline->runs.v[i], path, err);
    return rc;
}

/* ---- runs for databases of time series ---- */

static const struct {
    const char *name;
    int (*print)(struct tk_print *p, const struct tk_baseline *b, struct tk_err *err);
} formats[] = {{"openmetrics", tk_runs_openmetrics}, {"influx", tk_runs_influx}};

int tk_baseline_export(struct tk_baseline *baseline, const char *format, struct tk_output *out,
                       struct tk_err *err)
{
    TK_GIVEN(err, baseline, format, out);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, format) != 0)
            continue;
        struct tk_print text = {0};
        int rc = formats[i].print(&text, baseline, err);
        if (rc == TK_OK)
            rc = tk_output_write(out, text.v, text.n, err);
        free(text.v);
        return rc;
    }
    return tk_err_set(err, TK_EUSAGE, "runs are exported as openmetrics or influx, not '%.60s'", format);
}
