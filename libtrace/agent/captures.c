/*
 * Tools about whole captures: the list of captures, the newest first, with what was recorded, and the
 * judgement of one by rules.
 */
#include "agent/agent_in.h"
#include "base/err.h"
#include "base/text/text.h"
#include "os/clock.h"
#include "os/path.h"
#include "tracekit/rules.h"
#include "tracekit/runs.h"
#include "tracekit/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 500, ROWS = 20 };

static const double seconds_to_look = 5; /* into captures; those behind have no details */

struct file {
    char *path;  /* owned */
    size_t name; /* where its name begins in it */
    struct tk_os_info info;
};

struct listing {
    TK_VEC(struct file) files;
};

static int add_file(void *ctx, const char *path, const char *name)
{
    struct listing *l = ctx;
    struct file file = {.path = malloc(strlen(path) + 1), .name = (size_t)(name - path)};
    if (!file.path)
        return TK_ENOMEM;
    strcpy(file.path, path);
    if (!tk_os_path_info(path, &file.info).error && !tk_vec_push(&l->files, file))
        return TK_OK;
    free(file.path);
    return TK_OK;
}

static int compare_files(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    if (x->info.modified != y->info.modified)
        return x->info.modified < y->info.modified ? 1 : -1;
    return strcmp(x->path, y->path);
}

/* ---- what was recorded ---- */

enum column { CAPTURE, BYTES, MODIFIED, PROGRAM, BUILD, DUR, FRAMES, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [CAPTURE] = {.name = "capture", .kind = TK_TEXT, .help = ""},
    [BYTES] = {.name = "bytes", .kind = TK_SIZE, .help = ""},
    [MODIFIED] = {.name = "modified", .kind = TK_TEXT, .help = ""},
    [PROGRAM] = {.name = "program", .kind = TK_TEXT, .help = ""},
    [BUILD] = {.name = "build", .kind = TK_TEXT, .help = ""},
    [DUR] = {.name = "dur", .kind = TK_DURATION, .help = ""},
    [FRAMES] = {.name = "frames", .kind = TK_UINT, .help = ""},
};

static const struct tk_table captures = {
    .name = "captures", .help = "", .columns = columns, .n_columns = COLUMNS};

/* Details of a capture, with copies of its texts. */
struct details {
    char program[128], build[128];
    int64_t dur;
    uint64_t frames;
    bool known;
};

static void copy_text(char *to, size_t space, const struct tk_cell *cell)
{
    const size_t n = cell->kind == TK_TEXT && cell->v.p ? tk_text_show(to, space - 1, cell->v.p, cell->n) : 0;
    to[n] = '\0';
}

static int begin_details(void *self, const struct tk_table *table, struct tk_err *err)
{
    (void)self, (void)table, (void)err;
    return TK_OK;
}

static int take_details(void *self, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err)
{
    struct details *d = self;
    (void)err;
    if (!rows->n || table->n_columns != 4)
        return TK_OK;
    copy_text(d->program, sizeof d->program, &rows->cells[0]);
    copy_text(d->build, sizeof d->build, &rows->cells[1]);
    d->dur = rows->cells[2].kind == TK_NONE ? -1 : rows->cells[2].v.i;
    d->frames = (uint64_t)rows->cells[3].v.i;
    d->known = true;
    return TK_OK;
}

static const char details_of_capture[] =
    "SELECT coalesce(app, project), build, dur, (SELECT count(*) FROM frames WHERE type_id = 0) FROM capture";
static const char details_of_baseline[] =
    "SELECT max(application), max(build), CAST(sum(dur) AS INTEGER), sum(frames) FROM baseline_runs";

static void look_into(const struct tk_agent_work *w, const char *path, struct details *d)
{
    struct tk_sql_options options = TK_INIT(struct tk_sql_options);
    const struct tk_sink sink = {.self = d, .begin = begin_details, .rows = take_details};
    struct tk_sql *sql = NULL;
    options.open = w->open;
    options.stop = w->stop;
    options.stop_ctx = w->stop_ctx;
    int rc = tk_sql_new(&sql, &options, NULL);
    if (rc == TK_OK)
        rc = tk_sql_add(sql, path, NULL, NULL);
    if (rc == TK_OK)
        tk_sql_run(sql, tk_baseline_is(path) == 1 ? details_of_baseline : details_of_capture, &sink, NULL);
    tk_sql_free(sql);
}

/* ---- rows ---- */

static struct tk_cell text_cell(const char *text)
{
    return *text ? (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)strlen(text), .v.p = text}
                 : (struct tk_cell){.kind = TK_NONE};
}

/* The name where it leads to this file, else the path: two folders may have files of one name. */
static const char *name_of(const struct tk_agent_folders *folders, const struct file *file)
{
    char *found = NULL, *real = tk_os_path_real(file->path);
    const char *name = file->path + file->name;
    if (tk_agent_folders_find(folders, name, &found, NULL) != TK_OK || !real || strcmp(found, real) != 0)
        name = file->path;
    free(found);
    free(real);
    return name;
}

static int put_file(const struct tk_agent_work *w, const struct tk_sink *sink, const struct file *file,
                    bool looked, struct tk_err *err)
{
    struct details d = {.dur = -1};
    char date[TK_WHEN_TEXT];
    tk_when_put(date, file->info.modified);
    if (looked)
        look_into(w, file->path, &d);
    const struct tk_cell none = {.kind = TK_NONE},
                         row[COLUMNS] = {
                             [CAPTURE] = text_cell(name_of(w->folders, file)),
                             [BYTES] = {.kind = TK_SIZE, .v.u = file->info.size},
                             [MODIFIED] = text_cell(date),
                             [PROGRAM] = text_cell(d.program),
                             [BUILD] = text_cell(d.build),
                             [DUR] = d.dur < 0 ? none : (struct tk_cell){.kind = TK_DURATION, .v.i = d.dur},
                             [FRAMES] = d.known ? (struct tk_cell){.kind = TK_UINT, .v.u = d.frames} : none,
                         };
    const struct tk_rows rows = {1, row};
    return sink->rows(sink->self, &captures, &rows, err);
}

static int put_files(const struct tk_agent_work *w, const struct listing *l, struct tk_err *err)
{
    const uint64_t first = tk_agent_offset(w);
    const double until = tk_os_seconds() + seconds_to_look;
    w->answer->limit = tk_agent_limit(w, ROWS);
    const struct tk_sink sink = tk_agent_answer_table(w->answer, "captures");
    int rc = sink.begin(sink.self, &captures, err);
    for (uint64_t i = first; i < l->files.n && rc == TK_OK; i++) {
        const bool wanted = i - first < w->answer->limit && tk_os_seconds() < until;
        rc = w->stop(w->stop_ctx) ? tk_err_set(err, TK_ECANCELED, "stopped")
                                  : put_file(w, &sink, &l->files.v[i], wanted, err);
    }
    tk_agent_answer_end(w->answer, first, NULL);
    return rc == TK_ECANCELED && w->answer->full ? TK_OK : rc;
}

int tk_agent_list(const struct tk_agent_work *w, struct tk_err *err)
{
    struct listing l = {0};
    char sentence[80];
    int rc = tk_agent_folders_list(w->folders, FILES, add_file, &l);
    if (rc < 0)
        tk_err_nomem(err, "a list");
    if (l.files.n)
        qsort(l.files.v, l.files.n, sizeof *l.files.v, compare_files);
    if (rc == TK_OK)
        rc = put_files(w, &l, err);
    tk_agent_answer_say(w->answer, sentence,
                        (size_t)snprintf(sentence, sizeof sentence, "%zu captures and baselines%s", l.files.n,
                                         l.files.n == FILES ? ", and perhaps more" : ""));
    for (size_t i = 0; i < l.files.n; i++)
        free(l.files.v[i].path);
    tk_vec_release(&l.files);
    return rc;
}

/* The rows as they come; an answer that is full ends there. */
static int judge(const struct tk_agent_work *w, const struct tk_rules *rules, struct tk_trace *trace,
                 struct tk_err *err)
{
    struct tk_rules_options options = TK_INIT(struct tk_rules_options);
    const cJSON *target = cJSON_GetObjectItemCaseSensitive(w->arguments, "target_fps");
    const struct tk_sink sink = tk_agent_answer_table(w->answer, "result");
    options.target = cJSON_IsNumber(target) ? target->valuedouble : 0;
    options.file = tk_agent_text(w, "capture");
    w->answer->skip = tk_agent_offset(w);
    int rc = tk_rules_judge(rules, trace, &options, &sink, err);
    if (rc == TK_ECANCELED && w->answer->full)
        rc = TK_OK;
    tk_agent_answer_end(w->answer, tk_agent_offset(w), NULL);
    if (rc == TK_OK && (tk_damaged(trace) || tk_partial(trace)))
        tk_agent_answer_text(w->answer, "warning", tk_agent_damage);
    return rc;
}

int tk_agent_rules(const struct tk_agent_work *w, struct tk_err *err)
{
    struct tk_rules *rules = NULL;
    struct tk_trace *trace = NULL;
    char *path = NULL;
    const char *name = tk_agent_text(w, "capture");
    if (!name)
        return tk_err_set(err, TK_EUSAGE, "which capture? (argument capture; list_captures has their names)");
    int rc = tk_agent_folders_find(w->folders, name, &path, err);
    if (rc == TK_OK)
        rc = tk_open(&trace, path, w->open, err);
    if (rc == TK_OK)
        rc = tk_rules_new(&rules, err);
    if (rc == TK_OK)
        rc = judge(w, rules, trace, err);
    tk_rules_free(rules);
    tk_close(trace);
    free(path);
    return rc;
}
