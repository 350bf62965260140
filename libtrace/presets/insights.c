/*
 * Files, threads and filters that the tables of the preset `insights` share. The other files of this folder
 * call it.
 */
#include "base/err.h"
#include "engine/run.h"
#include "io/output.h"
#include "presets/presets_in.h"
#include "query/tables.h"

#include <stdio.h>
#include <string.h>

/*
 * The lists of threads and of timers of the preset `insights`. insights_run.c calls it for these two tables.
 */

static struct tk_str text_lists(const char *s)
{
    return (struct tk_str){.p = s, .n = (uint32_t)strlen(s)};
}

static void put_thread(struct tk_page *page, uint64_t id, struct tk_str name, const struct tk_str *group)
{
    tk_page_u64(page, id);
    tk_page_text(page, name);
    tk_page_text(page, group ? *group : text_lists(""));
    tk_page_end(page);
}

/* Lines that are always there, then queues, then threads. */
int tk_insights_threads(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    static const char *const head[] = {"Id", "Name", "Group"};
    static const struct {
        uint64_t id;
        const char *name, *group;
    } fixed[] = {
        {0x47505531, "GPU1", "GPU"}, {0x47505532, "GPU2", "GPU"}, {0x56525345, "VerseSampling", "Verse"}};
    static const struct tk_call_taker nobody;
    const struct tk_str gpu = text_lists("GPU");
    struct tk_calls calls = {.taker = &nobody};
    struct tk_page page;
    int rc = tk_calls_read(&calls, x->job, err);
    if (rc == TK_OK)
        rc = tk_insights_open(x, &page, pattern, &x->intervals.v.v[0], NULL, 0, 0, err);
    if (rc == TK_OK) {
        tk_page_head(&page, head, 3);
        for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
            const struct tk_str group = text_lists(fixed[i].group);
            put_thread(&page, fixed[i].id, text_lists(fixed[i].name), &group);
        }
        for (size_t i = 0; i < calls.queues.n; i++)
            if (calls.queues.v[i].key <= UINT32_MAX)
                put_thread(&page, calls.queues.v[i].key + 65536, *calls.queues.v[i].name, &gpu);
        for (size_t i = 0; i < x->threads.n; i++)
            put_thread(&page, x->threads.v[i].id, *x->threads.v[i].name, x->threads.v[i].group);
        rc = tk_page_commit(&page, err);
    }
    tk_calls_release(&calls);
    return rc;
}

int tk_insights_timers(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    static const char *const head[] = {"Id", "Type", "Name", "File", "Line"};
    static const struct tk_call_taker nobody;
    struct tk_calls calls = {.taker = &nobody};
    struct tk_page page;
    int rc = tk_calls_read(&calls, x->job, err);
    if (rc == TK_OK)
        rc = tk_insights_open(x, &page, pattern, &x->intervals.v.v[0], NULL, 0, 0, err);
    if (rc == TK_OK) {
        tk_page_head(&page, head, 5);
        for (size_t i = 0; i < calls.timers.n; i++) {
            const struct tk_call_timer *timer = &calls.timers.v[i];
            const bool gpu = tk_timer_class_of(timer->kind) != TK_TIMERS_OF_CPU;
            if (!timer->name || timer->merged)
                continue;
            tk_page_u64(&page, i);
            tk_page_c(&page, gpu ? "GPU" : "CPU");
            tk_page_text(&page, *timer->name);
            tk_page_text(&page, timer->file ? *timer->file : text_lists(""));
            tk_page_u64(&page, timer->file ? timer->line : 0);
            tk_page_end(&page);
        }
        rc = tk_page_commit(&page, err);
    }
    tk_calls_release(&calls);
    return rc;
}

/* Of the two GPUs of the older profiler, and of the scripts' samples. */
#define OLD_GPU UINT64_C(0x47505531)

enum { QUEUE_BASE = 65536 };

bool tk_insights_is_old_gpu(const struct tk_call_track *track)
{
    return track->gpu && track->key > UINT32_MAX;
}

uint64_t tk_insights_track_id(const struct tk_call_track *track)
{
    if (tk_insights_is_old_gpu(track))
        return OLD_GPU + (uint32_t)track->key;
    return track->gpu ? track->key + QUEUE_BASE : track->thread;
}

bool tk_insights_thread_passes(struct tk_insights *x, const struct tk_str *name)
{
    return !x->thread_names.n || tk_patterns_match(&x->thread_names, name);
}

bool *tk_insights_pick_timers(struct tk_insights *x, const struct tk_calls *calls)
{
    bool *picked = calloc(calls->timers.n + 1, sizeof *picked);
    for (size_t i = 0; x->timer_names.n && i < calls->timers.n; i++)
        if (calls->timers.v[i].name)
            tk_patterns_learn(&x->timer_names, calls->timers.v[i].name);
    for (size_t i = 0; picked && i < calls->timers.n; i++)
        picked[i] = calls->timers.v[i].name &&
                    (!x->timer_names.n || tk_patterns_match(&x->timer_names, calls->timers.v[i].name));
    return picked;
}

int tk_insights_check_timers(struct tk_insights *x, const struct tk_calls *calls, struct tk_err *err)
{
    const struct tk_str **offered = calloc(calls->timers.n + 1, sizeof(struct tk_str *));
    size_t n = 0;
    if (!offered)
        return tk_err_nomem(err, "names of timers");
    for (size_t i = 0; i < calls->timers.n; i++)
        if (calls->timers.v[i].name)
            offered[n++] = calls->timers.v[i].name;
    int rc = tk_patterns_check(&x->timer_names, "timer", offered, n, err);
    free(offered);
    return rc;
}

/* Paths that some systems take for one are one: capitals do not count. To be freed. */
static char *fold_path(const char *path)
{
    const size_t n = strlen(path) + 1;
    char *folded = malloc(n);
    for (size_t i = 0; folded && i < n; i++)
        folded[i] = (char)(path[i] >= 'A' && path[i] <= 'Z' ? path[i] + ('a' - 'A') : path[i]);
    return folded;
}

/* Takes a path for this run: TK_ITEM, TK_OK where it is taken, TK_ENOMEM. */
static int take_path(struct tk_insights *x, const char *path)
{
    char *folded = fold_path(path);
    const struct tk_str *kept = folded ? tk_intern(&x->texts, folded, strlen(folded), TK_ENC_UTF8) : NULL;
    free(folded);
    const uint64_t key = (uint64_t)(uintptr_t)kept;
    if (kept && tk_map_get(&x->paths, key) != TK_MAP_NONE)
        return TK_OK;
    return kept && !tk_map_put(&x->paths, key, 1) ? TK_ITEM : TK_ENOMEM;
}

/* The name of the file: `_1` of a second `Load` may be what another region or counter is called. */
static char *name_file(struct tk_insights *x, const char *pattern, const struct tk_interval *interval,
                       const struct tk_str *counter, uint32_t number)
{
    struct tk_interval one = *interval;
    const bool counted = counter && tk_interval_has_counter(pattern),
               several = counted || (one.name && tk_interval_has_region(pattern));
    for (;;) {
        char *path = tk_interval_path(pattern, &one, counter, number);
        const int rc = path ? take_path(x, path) : TK_ENOMEM;
        if (rc == TK_ITEM || (rc == TK_OK && !several))
            return path;
        free(path);
        if (rc < 0)
            return NULL;
        *(counted ? &number : &one.number) += 1;
    }
}

int tk_insights_open(struct tk_insights *x, struct tk_page *page, const char *pattern,
                     const struct tk_interval *interval, const struct tk_str *counter, uint32_t number,
                     char separator, struct tk_err *err)
{
    char *path = name_file(x, pattern, interval, counter, number);
    if (!path)
        return tk_err_nomem(err, "a file name");
    if (!separator)
        separator = tk_interval_separator(path);
    int rc = tk_page_open(page, x->set, path, x->job->options->force, separator, err);
    free(path);
    if (rc == TK_OK)
        tk_output_stop(page->output, tk_run_stopped, x->job->ctx);
    return rc;
}

int tk_insights_close(struct tk_page *pages, size_t n, int rc, struct tk_err *err)
{
    for (size_t i = 0; i < n; i++) {
        if (rc == TK_OK)
            rc = tk_page_commit(&pages[i], err);
        else
            tk_page_discard(&pages[i]);
    }
    return rc;
}

/* ---- threads ---- */

/* Rows of `threads`: thread_id, thread, group. */
static int take_threads(void *self, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err)
{
    struct tk_insights *x = self;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        struct tk_insights_thread thread = {.id = (uint32_t)row[0].v.u};
        thread.name = tk_intern(&x->texts, row[1].v.p, row[1].n, (enum tk_encoding)row[1].enc);
        if (row[2].kind == TK_TEXT)
            thread.group = tk_intern(&x->texts, row[2].v.p, row[2].n, (enum tk_encoding)row[2].enc);
        if (!thread.name || tk_map_put(&x->rank, thread.id, (uint32_t)x->threads.n) ||
            tk_vec_push(&x->threads, thread))
            return tk_err_nomem(err, "threads");
        tk_patterns_learn(&x->thread_names, thread.name);
    }
    return TK_OK;
}

static int read_threads(struct tk_insights *x, struct tk_err *err)
{
    static const char *const columns[] = {"thread_id", "thread", "group"};
    const struct tk_builder *const builders[] = {&tk_builder_threads};
    const struct tk_query query = {.size = sizeof query, .columns = columns, .n_columns = 3};
    const struct tk_sink sink = {.self = x, .rows = take_threads};
    return tk_run(x->job->ctx, x->job->capture, builders, 1, &query, &sink, err);
}

/* A pattern for threads has to match a thread that is known, or the name of a GPU. */
static int check_threads(struct tk_insights *x, struct tk_err *err)
{
    const struct tk_str **offered = calloc(x->threads.n + 1, sizeof(struct tk_str *));
    if (!offered)
        return tk_err_nomem(err, "names of threads");
    for (size_t i = 0; i < x->threads.n; i++) {
        offered[i] = x->threads.v[i].name;
        tk_insights_thread_passes(x, offered[i]);
    }
    int rc = TK_OK;
    for (size_t i = 0; i < x->thread_names.n; i++)
        if (strncmp(x->thread_names.texts[i], "GPU", 3) == 0)
            x->thread_names.used[i] = true;
    rc = tk_patterns_check(&x->thread_names, "thread", offered, x->threads.n, err);
    free(offered);
    return rc;
}

int tk_insights_find_threads(struct tk_insights *x, struct tk_err *err)
{
    int rc = read_threads(x, err);
    return rc == TK_OK ? check_threads(x, err) : rc;
}
