/*
 * What all tables of a connection share is made and freed here.
 */
#include "base/err.h"
#include "base/text/path.h"
#include "os/path.h"
#include "sql/tables/tables_in.h"
#include "tracekit/captures.h"
#include "tracekit/runs.h"

#include <stdio.h>
#include <string.h>

/*
 * Opens captures as they are needed, keeps few of them open, and opens those again that changed.
 */

bool tk_sql_stopped(const struct tk_sql_connection *c)
{
    return c->stop && c->stop(c->stop_ctx);
}

static int stop_reading(void *ctx, uint64_t done, uint64_t total)
{
    const struct tk_sql_connection *c = ctx;
    if (c->options.progress && c->options.progress(c->options.progress_ctx, done, total))
        return 1;
    return tk_sql_stopped(c);
}

/* ---- sources ---- */

static void close_handle(struct tk_sql_connection *c, struct tk_sql_source *s, size_t i)
{
    struct tk_trace *trace = s->handles.v[i].trace;
    if (!trace)
        return;
    s->damaged |= tk_damaged(trace);
    s->partial |= tk_partial(trace);
    s->lossy |= tk_lossy(trace);
    if (!s->handles.v[i].lent)
        tk_close(trace);
    s->handles.v[i] = (struct tk_sql_handle){0};
    c->open--;
}

void tk_sql_source_close(struct tk_sql_connection *c, struct tk_sql_source *s)
{
    for (size_t i = 0; i < s->handles.n; i++)
        if (!s->handles.v[i].busy)
            close_handle(c, s, i);
    tk_baseline_free(s->baseline);
    s->baseline = NULL;
    tk_sql_frames_free(s->frames);
    s->frames = NULL;
    s->dated = false;
}

/* Closes the handle that was not used for longest, where there are too many. */
static void reserve(struct tk_sql_connection *c)
{
    while (c->open >= TK_SQL_OPEN) {
        struct tk_sql_source *oldest = NULL;
        size_t at = 0;
        for (size_t g = 0; g < c->groups.n; g++)
            for (size_t i = 0; i < c->groups.v[g]->sources.n; i++) {
                struct tk_sql_source *s = c->groups.v[g]->sources.v[i];
                for (size_t h = 0; h < s->handles.n; h++)
                    if (s->handles.v[h].trace && !s->handles.v[h].busy &&
                        (!oldest || s->handles.v[h].used < oldest->handles.v[at].used)) {
                        oldest = s;
                        at = h;
                    }
            }
        if (!oldest)
            return;
        close_handle(c, oldest, at);
    }
}

/* One of several failed: which. */
static int fail_source(const struct tk_sql_source *s, int rc, struct tk_err *err)
{
    char why[TK_ERR_TEXT];
    char *text = err && err->n ? err->text[err->n - 1] : NULL;
    if (rc >= 0 || rc == TK_ENOMEM || rc == TK_ECANCELED || !text || strstr(text, s->path))
        return rc;
    memcpy(why, text, sizeof why);
    snprintf(text, TK_ERR_TEXT, "'%.*s': %.*s", TK_ERR_TEXT / 2, s->path, TK_ERR_TEXT / 2 - 8, why);
    return rc;
}

static int open_trace(struct tk_sql_connection *c, const struct tk_sql_source *s, struct tk_trace **out,
                      struct tk_err *err)
{
    struct tk_options options = c->options;
    options.progress = stop_reading;
    options.progress_ctx = c;
    reserve(c);
    int rc = tk_open(out, s->path, &options, err);
    c->open += rc == TK_OK;
    return fail_source(s, rc, err);
}

static int load_baseline(struct tk_sql_source *s, struct tk_err *err)
{
    int rc = tk_baseline_new(&s->baseline, err);
    if (rc == TK_OK)
        rc = tk_baseline_load(s->baseline, s->path, err);
    if (rc < 0) {
        tk_baseline_free(s->baseline);
        s->baseline = NULL;
    }
    return fail_source(s, rc, err);
}

static bool is_same(const struct tk_os_info *a, const struct tk_os_info *b)
{
    return tk_os_is_same(a, b) && a->size == b->size && a->modified == b->modified;
}

/* Notices a file that is another one than before. What is being read goes on. */
static void look_again(struct tk_sql_connection *c, struct tk_sql_source *s)
{
    struct tk_os_info now;
    char text[512];
    if (strcmp(s->path, "-") == 0)
        return;
    const bool there = !tk_os_path_info(s->path, &now).error;
    if (s->known && there && is_same(&now, &s->info))
        return;
    if (s->known) {
        snprintf(text, sizeof text, there ? "'%.400s' has changed and is read again" : "'%.400s' is gone",
                 s->path);
        if (c->note)
            c->note(c->note_ctx, text);
        tk_sql_source_close(c, s);
        s->version++;
    }
    s->known = there;
    if (there)
        s->info = now;
}

static int add_handle(struct tk_sql_connection *c, struct tk_sql_source *s, size_t *at, struct tk_err *err)
{
    struct tk_sql_handle handle = {0};
    for (*at = 0; *at < s->handles.n && s->handles.v[*at].trace; (*at)++)
        ;
    if (*at == s->handles.n && tk_vec_push(&s->handles, handle))
        return tk_err_nomem(err, "a capture");
    return open_trace(c, s, &s->handles.v[*at].trace, err);
}

int tk_sql_source_take(struct tk_sql_connection *c, struct tk_sql_source *s, size_t *handle,
                       struct tk_err *err)
{
    int rc = TK_OK;
    look_again(c, s);
    *handle = SIZE_MAX;
    if (s->baseline)
        return TK_OK;
    if (s->handles.n == 0 && tk_baseline_is(s->path) == 1)
        return load_baseline(s, err);
    for (size_t i = 0; i < s->handles.n && *handle == SIZE_MAX; i++)
        if (s->handles.v[i].trace && !s->handles.v[i].busy)
            *handle = i;
    if (*handle == SIZE_MAX)
        rc = add_handle(c, s, handle, err);
    if (rc < 0)
        return rc;
    s->handles.v[*handle].busy = true;
    s->handles.v[*handle].used = ++c->count;
    s->taken_by = c;
    return TK_OK;
}

/* Each once for a source: whoever has tk_sql_source() says it at the end instead. */
static void note_faults(struct tk_sql_source *s, const struct tk_trace *trace)
{
    const struct tk_sql_connection *c = s->taken_by;
    const struct {
        bool is;
        const char *what;
    } faults[] = {{tk_truncated(trace), "is cut off at its end; everything before that was used"},
                  {tk_damaged(trace), "is damaged; the table health has the places"},
                  {tk_partial(trace), "is too large for a limit; what lies beyond it was left out"}};
    char text[512];
    for (size_t i = 0; c->warns && i < sizeof faults / sizeof *faults; i++) {
        if (!faults[i].is || s->noted >> i & 1)
            continue;
        s->noted |= 1u << i;
        snprintf(text, sizeof text, "'%.400s' %s", s->path, faults[i].what);
        c->note(c->note_ctx, text);
    }
}

void tk_sql_source_leave(struct tk_sql_source *s, size_t handle)
{
    if (handle == SIZE_MAX)
        return;
    if (s->handles.v[handle].trace)
        note_faults(s, s->handles.v[handle].trace);
    s->handles.v[handle].busy = false;
}

/* ---- failures ---- */

int tk_sql_failed(struct tk_sql_connection *c, int status, const struct tk_err *err, char **message)
{
    c->status = status;
    c->err = *err;
    if (message) {
        sqlite3_free(*message);
        *message = sqlite3_mprintf("%s", tk_err_text(err, status));
    }
    return status == TK_ENOMEM ? SQLITE_NOMEM : status == TK_ECANCELED ? SQLITE_INTERRUPT : SQLITE_ERROR;
}

int tk_sql_connection_new(struct tk_sql_connection **out, sqlite3 *db, const struct tk_options *options,
                          struct tk_err *err)
{
    struct tk_sql_connection *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return tk_err_nomem(err, "a database");
    c->options = TK_INIT(struct tk_options);
    int rc = tk_struct_size_take(&c->options, sizeof c->options, options, "the options", err);
    if (rc < 0) {
        free(c);
        return rc;
    }
    c->db = db;
    c->budget = TK_SQL_BUDGET;
    tk_intern_bound(&c->texts, c->budget, NULL);
    *out = c;
    return TK_OK;
}

static void free_source(struct tk_sql_connection *c, struct tk_sql_source *s)
{
    for (size_t i = 0; i < s->handles.n; i++)
        s->handles.v[i].busy = false;
    tk_sql_source_close(c, s);
    tk_vec_release(&s->handles);
    free(s->path);
    free(s->name);
    free(s);
}

void tk_sql_connection_free(struct tk_sql_connection *c)
{
    if (!c)
        return;
    tk_sql_stores_release(c);
    for (size_t g = 0; g < c->groups.n; g++) {
        struct tk_sql_group *group = c->groups.v[g];
        for (size_t i = 0; i < group->sources.n; i++)
            free_source(c, group->sources.v[i]);
        tk_vec_release(&group->sources);
        free(group->schema);
        free(group);
    }
    tk_vec_release(&c->groups);
    for (size_t i = 0; i < c->made.n; i++)
        free(c->made.v[i]);
    tk_vec_release(&c->made);
    tk_sql_numbers_release(c);
    tk_intern_release(&c->texts);
    free(c);
}

void tk_sql_requested_note(struct tk_sql_connection *c, const void *part, bool found,
                           const struct tk_err *err)
{
    size_t i = 0;
    while (i < c->n_requested && c->requested[i].part != part)
        i++;
    if (i == TK_SQL_REQUESTED)
        return;
    if (i == c->n_requested)
        c->requested[c->n_requested++] = (struct tk_sql_requested){.part = part};
    c->requested[i].found |= found;
    if (!found && err)
        c->requested[i].err = *err;
}

int tk_sql_requested_end(const struct tk_sql_connection *c, struct tk_err *err)
{
    for (size_t i = 0; i < c->n_requested; i++)
        if (!c->requested[i].found) {
            if (err)
                *err = c->requested[i].err;
            return TK_EMATCH;
        }
    return TK_OK;
}

int tk_sql_group_new(struct tk_sql_group **out, struct tk_sql_connection *c, const char *schema,
                     struct tk_err *err)
{
    struct tk_sql_group *group = calloc(1, sizeof *group);
    char *copy = tk_sql_copy(schema);
    *out = NULL;
    if (!group || !copy || tk_vec_push(&c->groups, group)) {
        free(group);
        free(copy);
        return tk_err_nomem(err, "a database");
    }
    group->schema = copy;
    *out = group;
    return TK_OK;
}

static const char *last_name(const char *path)
{
    return path + tk_path_base(path);
}

int tk_sql_source_add(struct tk_sql_source **out, struct tk_sql_group *group, const char *path,
                      struct tk_err *err)
{
    struct tk_sql_source *s = calloc(1, sizeof *s);
    if (out)
        *out = s;
    if (s) {
        s->path = tk_sql_copy(path);
        s->name = tk_sql_copy(last_name(path));
        s->id = (int64_t)group->sources.n + 1;
        if (s->path && s->name && !tk_vec_push(&group->sources, s))
            return TK_OK;
        free(s->path);
        free(s->name);
        free(s);
    }
    return tk_err_nomem(err, "a capture");
}

int tk_sql_source_lend(struct tk_sql_group *group, struct tk_sql_connection *c, struct tk_trace *trace,
                       const char *path, struct tk_err *err)
{
    const struct tk_sql_handle handle = {.trace = trace, .lent = true};
    struct tk_sql_source *s;
    int rc = tk_sql_source_add(&s, group, path, err);
    if (rc < 0)
        return rc;
    if (tk_vec_push(&s->handles, handle))
        return tk_err_nomem(err, "a capture");
    c->open++;
    return TK_OK;
}
