/*
 * The tables of the preset `insights`, and the files that they are written to. It calls the file of each
 * table.
 */
#include "base/err.h"
#include "base/text/path.h"
#include "io/output.h"
#include "presets/presets_in.h"
#include "tracekit/queries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name; /* of the table, and of its file in a folder */
    bool regions;     /* a file for each region */
    const char *end;  /* of the file's name */
    tk_insights_write *write;
} tables[] = {
    {"threads", false, "", tk_insights_threads},
    {"timers", false, "", tk_insights_timers},
    {"timing_events", true, "", tk_insights_events},
    {"timer_statistics", true, "", tk_insights_statistics},
    {"timer_callees", true, "", tk_insights_callees},
    {"counters", false, "", tk_insights_counters},
    {"counter_values", true, "_{counter}", tk_insights_counter_values},
};

enum { TABLES = sizeof tables / sizeof *tables };

static const char *const names[TABLES + 1] = {
    "threads", "timers", "timing_events", "timer_statistics", "timer_callees", "counters", "counter_values"};

/* Where a table goes in a folder: folder/table[_{region}][_{counter}].csv. To be freed. */
static char *path_in_folder(const struct tk_insights *x, const char *folder, size_t table)
{
    const struct tk_export_options *opt = x->job->options;
    const bool regions = tables[table].regions && x->job->query->select.n_regions;
    const size_t capacity = strlen(folder) + strlen(tables[table].name) + 64;
    char *path = malloc(capacity);
    if (path)
        snprintf(path, capacity, "%s/%s%s%s.%s", folder, tables[table].name, regions ? "_{region}" : "",
                 tables[table].end, opt->format ? opt->format : "csv");
    return path;
}

static int find_table(const char *name, struct tk_err *err)
{
    for (int i = 0; i < TABLES; i++)
        if (strcmp(tables[i].name, name) == 0)
            return i;
    return tk_err_set(err, TK_EMATCH,
                      "there is no table '%s' in this preset; there are threads, timers, "
                      "timing_events, timer_statistics, timer_callees, counters, counter_values",
                      name);
}

/* Gives the files their names, or throws them away after a failure: rc, or what fails. */
static int close_set(struct tk_insights *x, int rc, struct tk_err *err)
{
    if (rc == TK_OK)
        return tk_output_set_commit(x->set, err);
    tk_output_set_discard(x->set);
    return rc;
}

static int write_folder(struct tk_insights *x, struct tk_err *err)
{
    const struct tk_query *query = x->job->query;
    struct tk_new_folder folder;
    int rc = tk_folder_make(&folder, x->job->options->path, x->job->options->force, err);
    if (rc < 0)
        return rc;
    rc = tk_output_set_new(&x->set, NULL, err);
    for (size_t i = 0; i < (query->n_tables ? query->n_tables : TABLES) && rc == TK_OK; i++) {
        const int at = query->n_tables ? find_table(query->tables[i], err) : (int)i;
        char *path = at >= 0 ? path_in_folder(x, folder.path, (size_t)at) : NULL;
        rc = path ? tables[at].write(x, path, err) : at < 0 ? at : tk_err_nomem(err, "a file name");
        free(path);
    }
    rc = close_set(x, rc, err);
    if (rc == TK_OK)
        rc = tk_folder_keep(&folder, err);
    tk_folder_drop(&folder);
    return rc;
}

static int write_file_run(struct tk_insights *x, size_t table, struct tk_err *err)
{
    const char *path = x->job->options->path;
    if (tables[table].regions && x->intervals.v.n > 1 && !tk_interval_has_region(path))
        return tk_err_set(err, TK_EUSAGE, "several regions need {region} in the name of the file");
    const int rc = tk_output_set_new(&x->set, NULL, err);
    return rc == TK_OK ? close_set(x, tables[table].write(x, path, err), err) : rc;
}

static int write(struct tk_insights *x, struct tk_err *err)
{
    const struct tk_query *query = x->job->query;
    const char *path = x->job->options->path;
    const bool folder = query->n_tables != 1 || tk_path_names_folder(path);
    if (!folder) {
        const int at = find_table(query->tables[0], err);
        return at < 0 ? at : write_file_run(x, (size_t)at, err);
    }
    if (strcmp(path, "-") == 0)
        return tk_err_set(err, TK_EUSAGE, "several tables need a folder to be written to");
    return write_folder(x, err);
}

/* `*` alone is no filter. */
static int init_patterns(struct tk_patterns *p, const char *const *texts, size_t n, struct tk_err *err)
{
    const bool all = n == 1 && strcmp(texts[0], "*") == 0;
    return tk_patterns_init(p, texts, all ? 0 : n, err);
}

static int run(const struct tk_preset_job *job, struct tk_err *err)
{
    struct tk_insights x = {.job = job};
    const struct tk_selection *select = &job->query->select;
    int rc = init_patterns(&x.thread_names, select->threads, select->n_threads, err);
    x.thread_names.words = true;
    if (rc == TK_OK)
        rc = init_patterns(&x.timer_names, select->timers, select->n_timers, err);
    if (rc == TK_OK)
        rc = tk_intervals_find(&x.intervals, job, err);
    if (rc == TK_OK)
        rc = tk_insights_find_threads(&x, err);
    if (rc == TK_OK)
        rc = write(&x, err);
    tk_intervals_release(&x.intervals);
    tk_patterns_release(&x.thread_names);
    tk_patterns_release(&x.timer_names);
    tk_vec_release(&x.threads);
    tk_map_release(&x.rank);
    tk_map_release(&x.paths);
    tk_intern_release(&x.texts);
    return rc;
}

const struct tk_preset tk_preset_insights = {
    .about = {"insights",
              "files as Unreal Insights exports them; {region} and {counter} in the name of a "
              "file make several",
              names},
    .run = run,
};
