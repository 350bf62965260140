/*
 * The four CSV files of Unreal's SummarizeTrace commandlet (insights-exports 8.1).
 *
 * Lines begin with their line break and end with a comma; names with a comma or a line break are left out.
 * Telemetry is as with -alltelemetry: without a baseline, as that is no part of a capture. What is done
 * otherwise, because there it is a fault: scopes with arguments are counted, and a dot in the name of the
 * capture does no harm.
 */
#include "base/err.h"
#include "base/text/path.h"
#include "base/wrap.h"
#include "engine/run.h"
#include "io/output.h"
#include "presets/presets_in.h"
#include "query/select.h"

#include <stdio.h>
#include <string.h>

struct summarize {
    const struct tk_preset_job *job;
    const char *base; /* name of the capture, without folder and ending: */
    size_t n_base;
    struct tk_summarize sums;
    struct tk_page page;
    struct tk_output_set *set; /* owned */
};

/* ---- lines ---- */

static void put_head(struct tk_page *page, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tk_page_c(page, names[i]);
    tk_page_c(page, "");
}

static void begin_line(struct tk_page *page)
{
    page->begun = false;
    tk_buffer_char(&page->out, '\n');
}

static void end_line(struct tk_page *page)
{
    tk_buffer_char(&page->out, ',');
}

static double seconds(const struct summarize *s, int64_t cycles)
{
    return tk_calls_seconds(&s->sums.calls.clock, cycles);
}

/* Of lengths: the exact sum, divided once. */
static double mean_of(const struct summarize *s, const struct tk_summary *sum)
{
    return seconds(s, sum->total) / (double)sum->count;
}

static bool is_left_out(const struct tk_str *name)
{
    for (uint32_t i = 0; i < name->n; i++)
        if (memchr(",\r\n", name->p[i], 3))
            return true;
    return false;
}

/* Count divided by the time; 0 where there is none. */
static double rate(uint64_t count, double time)
{
    return time > 0 ? (double)count / time : 0;
}

static void put_value_summarize(struct tk_page *page, const struct tk_counter_value *v)
{
    if (v->real)
        tk_page_fixed(page, v->v.r, 6);
    else
        tk_page_i64(page, v->v.i);
}

/* ---- files ---- */

static void put_scopes(struct summarize *s, struct tk_page *page)
{
    static const char *const head[] = {"Name",
                                       "Count",
                                       "CountPerSecond",
                                       "TotalDurationSeconds",
                                       "FirstStartSeconds",
                                       "FirstFinishSeconds",
                                       "FirstDurationSeconds",
                                       "LastStartSeconds",
                                       "LastFinishSeconds",
                                       "LastDurationSeconds",
                                       "MinDurationSeconds",
                                       "MaxDurationSeconds",
                                       "MeanDurationSeconds",
                                       "DeviationDurationSeconds"};
    put_head(page, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < s->sums.scopes.v.n; i++) {
        const struct tk_summary *sum = &s->sums.scopes.v.v[i];
        const int64_t times[] = {sum->total,        sum->first_begin, sum->first_end,
                                 sum->first_length, sum->last_begin,  sum->last_end,
                                 sum->last_length,  sum->min,         sum->max};
        if (is_left_out(sum->name))
            continue;
        begin_line(page);
        tk_page_text(page, *sum->name);
        tk_page_u64(page, sum->count);
        tk_page_fixed(page, rate(sum->count, seconds(s, tk_wrap_sub(sum->last_end, sum->first_begin))), 6);
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            tk_page_fixed(page, seconds(s, times[k]), 6);
        tk_page_fixed(page, mean_of(s, sum), 6);
        tk_page_fixed(page, tk_summary_deviation(sum->squares, sum->count), 6);
        end_line(page);
    }
}

static void put_counters(struct summarize *s, struct tk_page *page)
{
    static const char *const head[] = {"Name",         "Count", "CountPerSecond", "First",
                                       "FirstSeconds", "Last",  "LastSeconds",    "Minimum",
                                       "Maximum",      "Mean",  "Deviation"};
    put_head(page, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < s->sums.samples.n; i++) {
        const struct tk_samples *sum = &s->sums.samples.v[i];
        const struct tk_str *name = s->sums.counters.v.v[i].name;
        if (!sum->count || is_left_out(name))
            continue;
        begin_line(page);
        tk_page_text(page, *name);
        tk_page_u64(page, sum->count);
        tk_page_fixed(page, rate(sum->count, seconds(s, tk_wrap_sub(sum->last.time, sum->first.time))), 6);
        put_value_summarize(page, &sum->first);
        tk_page_fixed(page, seconds(s, sum->first.time), 6);
        put_value_summarize(page, &sum->last);
        tk_page_fixed(page, seconds(s, sum->last.time), 6);
        put_value_summarize(page, &sum->min);
        put_value_summarize(page, &sum->max);
        tk_page_fixed(page, sum->mean, 6);
        tk_page_fixed(page, tk_summary_deviation(sum->squares, sum->count), 6);
        end_line(page);
    }
}

static void put_bookmarks(struct summarize *s, struct tk_page *page)
{
    static const char *const head[] = {"Name", "Count", "FirstSeconds", "LastSeconds"};
    put_head(page, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < s->sums.bookmarks.n; i++) {
        const struct tk_summary_bookmark *b = &s->sums.bookmarks.v[i];
        if (is_left_out(b->text))
            continue;
        begin_line(page);
        tk_page_text(page, *b->text);
        tk_page_u64(page, b->count);
        tk_page_fixed(page, seconds(s, b->first), 6);
        tk_page_fixed(page, seconds(s, b->last), 6);
        end_line(page);
    }
}

/* ---- telemetry ---- */

static void begin_point(struct summarize *s, const struct tk_str *name, const char *point, const char *unit)
{
    struct tk_page *page = &s->page;
    begin_line(page);
    tk_page_text(page, (struct tk_str){.p = s->base, .n = (uint32_t)s->n_base});
    tk_page_text(page, *name);
    tk_page_c(page, point);
    tk_page_c(page, unit);
}

static void end_point(struct tk_page *page)
{
    tk_page_c(page, "");
    end_line(page);
}

/* The six points of scopes, and of bookmarks, which have a count only. */
static void put_points(struct summarize *s, const struct tk_str *name, uint64_t count, const double *times)
{
    static const char *const points[] = {"TotalDurationSeconds", "MinDurationSeconds", "MaxDurationSeconds",
                                         "MeanDurationSeconds", "DeviationDurationSeconds"};
    if (is_left_out(name))
        return;
    begin_point(s, name, "Count", "Count");
    tk_page_u64(&s->page, count);
    end_point(&s->page);
    for (size_t i = 0; i < 5; i++) {
        begin_point(s, name, points[i], "Seconds");
        tk_page_fixed(&s->page, times ? times[i] : 0, 6);
        end_point(&s->page);
    }
}

static void put_real_point(struct summarize *s, const struct tk_str *name, const char *point,
                           const char *unit, double v)
{
    begin_point(s, name, point, unit);
    tk_page_fixed(&s->page, v, 6);
    end_point(&s->page);
}

static void put_value_point(struct summarize *s, const struct tk_str *name, const char *point,
                            const struct tk_counter_value *v)
{
    begin_point(s, name, point, "Count");
    put_value_summarize(&s->page, v);
    end_point(&s->page);
}

static void put_counter_points(struct summarize *s, const struct tk_str *name, const struct tk_samples *sum)
{
    begin_point(s, name, "Count", "Count");
    tk_page_u64(&s->page, sum->count);
    end_point(&s->page);
    put_value_point(s, name, "First", &sum->first);
    put_real_point(s, name, "FirstSeconds", "Seconds", seconds(s, sum->first.time));
    put_value_point(s, name, "Last", &sum->last);
    put_real_point(s, name, "LastSeconds", "Seconds", seconds(s, sum->last.time));
    put_value_point(s, name, "Minimum", &sum->min);
    put_value_point(s, name, "Maximum", &sum->max);
    put_real_point(s, name, "Mean", "Count", sum->mean);
    put_real_point(s, name, "Deviation", "Count", tk_summary_deviation(sum->squares, sum->count));
}

static void put_telemetry(struct summarize *s, struct tk_page *page)
{
    static const char *const head[] = {"TestName", "Context", "DataPoint", "Unit", "Measurement", "Baseline"};
    put_head(page, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < s->sums.scopes.v.n; i++) {
        const struct tk_summary *sum = &s->sums.scopes.v.v[i];
        const double times[] = {seconds(s, sum->total), seconds(s, sum->min), seconds(s, sum->max),
                                mean_of(s, sum), tk_summary_deviation(sum->squares, sum->count)};
        put_points(s, sum->name, sum->count, times);
    }
    for (size_t i = 0; i < s->sums.samples.n; i++)
        if (s->sums.samples.v[i].count && !is_left_out(s->sums.counters.v.v[i].name))
            put_counter_points(s, s->sums.counters.v.v[i].name, &s->sums.samples.v[i]);
    for (size_t i = 0; i < s->sums.bookmarks.n; i++)
        put_points(s, s->sums.bookmarks.v[i].text, s->sums.bookmarks.v[i].count, NULL);
}

static const struct {
    const char *table, *file;
    void (*put)(struct summarize *s, struct tk_page *page);
} files[] = {
    {"scopes", "Scopes", put_scopes},
    {"counters", "Counters", put_counters},
    {"bookmarks", "Bookmarks", put_bookmarks},
    {"telemetry", "Telemetry", put_telemetry},
};

enum { FILES = sizeof files / sizeof *files };

static const char *const names[FILES + 1] = {"scopes", "counters", "bookmarks", "telemetry"};

static int write_file_summarize(struct summarize *s, const char *folder, size_t i, struct tk_err *err)
{
    const struct tk_export_options *opt = s->job->options;
    const size_t capacity = strlen(folder) + s->n_base + 32;
    char *path = malloc(capacity);
    if (!path)
        return tk_err_nomem(err, "a file name");
    snprintf(path, capacity, "%s/%.*s%s.csv", folder, (int)s->n_base, s->base, files[i].file);
    int rc = tk_page_open(&s->page, s->set, path, opt->force, ',', err);
    free(path);
    if (rc < 0)
        return rc;
    tk_output_stop(s->page.output, tk_run_stopped, s->job->ctx);
    files[i].put(s, &s->page);
    return tk_page_commit(&s->page, err);
}

static bool is_requested(const struct tk_query *query, const char *table)
{
    for (size_t i = 0; i < query->n_tables; i++)
        if (strcmp(query->tables[i], table) == 0)
            return true;
    return query->n_tables == 0;
}

/* Without the folder, and without what it ends in: game.v2.utrace.zst is game.v2. */
static void set_base(struct summarize *s, const char *path)
{
    static const char *const ends[] = {".zst", ".lz4", ".gz", ".utrace", ".tracy"};
    s->base = path && strcmp(path, "-") != 0 ? path + tk_path_base(path) : "capture";
    s->n_base = strlen(s->base);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t n = strlen(ends[i]);
        if (s->n_base > n && memcmp(s->base + s->n_base - n, ends[i], n) == 0)
            s->n_base -= n;
    }
}

static int check_summarize(const struct tk_preset_job *job, struct tk_err *err)
{
    const struct tk_selection *select = &job->query->select;
    if (tk_selection_has_times(select) || select->n_threads || select->n_timers || job->query->n_columns)
        return tk_err_set(err, TK_EUSAGE, "this preset is about the whole capture");
    if (strcmp(job->options->path, "-") == 0)
        return tk_err_set(err, TK_EUSAGE, "several tables need a folder to be written to");
    for (size_t i = 0, k; i < job->query->n_tables; i++) {
        for (k = 0; k < FILES && strcmp(files[k].table, job->query->tables[i]) != 0; k++)
            ;
        if (k == FILES)
            return tk_err_set(err, TK_EMATCH,
                              "there is no table '%s' in this preset; there are scopes, counters, bookmarks, "
                              "telemetry",
                              job->query->tables[i]);
    }
    return TK_OK;
}

static int run_summarize(const struct tk_preset_job *job, struct tk_err *err)
{
    struct summarize s = {.job = job};
    struct tk_new_folder folder = {0};
    set_base(&s, job->options->name);
    int rc = check_summarize(job, err);
    if (rc == TK_OK)
        rc = tk_folder_make(&folder, job->options->path, job->options->force, err);
    if (rc == TK_OK)
        rc = tk_summarize_read(&s.sums, job, err);
    if (rc == TK_OK)
        rc = tk_output_set_new(&s.set, NULL, err);
    for (size_t i = 0; i < FILES && rc == TK_OK; i++)
        if (is_requested(job->query, files[i].table))
            rc = write_file_summarize(&s, folder.path, i, err);
    if (rc == TK_OK) {
        rc = tk_output_set_commit(s.set, err);
        s.set = NULL;
    }
    tk_output_set_discard(s.set);
    if (rc == TK_OK)
        rc = tk_folder_keep(&folder, err);
    tk_folder_drop(&folder);
    tk_summarize_release(&s.sums);
    return rc;
}

const struct tk_preset tk_preset_summarize = {
    .about = {"summarize", "the four CSV files of Unreal's SummarizeTrace", names},
    .run = run_summarize,
};
