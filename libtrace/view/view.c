/*
 * Views: captures looked at in a browser (tk_view_... of tracekit.h). The loop takes requests, answers what
 * needs no reading at once, and hands on the rest.
 */
#include "base/err.h"
#include "base/given.h"
#include "base/text/path.h"
#include "os/clock.h"
#include "tracekit/views.h"
#include "view/view_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Captures of a view: they stand above each other. */
enum { CAPTURES = 4, ADDRESS = 96 };

#define STEP             0.25 /* seconds until it is queried again whether to stop */
#define LOOK_EVERY       1.0
#define REQUESTED_WITHIN 10.0 /* seconds: then somebody looks */
#define NS_A_SECOND      1000000000

struct tk_view {
    struct tk_view_options options;
    struct tk_options open;
    struct tk_view_source sources[CAPTURES];
    size_t n;
    struct tk_http_server *server;
    struct tk_os_waker *waker;
    struct tk_view_work *work;
    struct tk_markup m; /* of what is answered at once */
    double looked, followed;
    bool over; /* it ran, and has ended */
    char address[ADDRESS];
};

/*
 * Paths.
 */

/* NUL-terminated. */
extern const char tk_view_page[], tk_view_style[], tk_view_script[];

#define HTML   "text/html; charset=utf-8"
#define CSS    "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"
#define JSON   "application/json"
#define BYTES  "application/octet-stream"

static const struct tk_view_path paths[] = {
    {"/", HTML, TK_VIEW_AT_ONCE, true, false, tk_view_page, NULL},
    {"/view.css", CSS, TK_VIEW_AT_ONCE, true, false, tk_view_style, NULL},
    {"/view.js", SCRIPT, TK_VIEW_AT_ONCE, true, false, tk_view_script, NULL},
    {"/progress", JSON, TK_VIEW_AT_ONCE, false, false, NULL, NULL},
    {"/lanes", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_lanes},
    {"/names", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_names},
    {"/w", BYTES, TK_VIEW_DRAWING, false, true, NULL, tk_view_answer_window},
    {"/timer", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_timer},
    {"/stack", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_stack},
    {"/next", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_next},
    {"/search", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_search},
    {"/overview", JSON, TK_VIEW_TABLES, false, false, NULL, tk_view_answer_overview},
    {"/page", HTML, TK_VIEW_TABLES, false, false, NULL, tk_view_answer_page},
    {"/picture", BYTES, TK_VIEW_TABLES, false, false, NULL, tk_view_answer_picture},
    {"/rows", JSON, TK_VIEW_TABLES, false, true, NULL, tk_view_answer_rows},
};

static const struct tk_view_path *find_path(struct tk_http_text path)
{
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (tk_http_is(path, paths[i].path))
            return &paths[i];
    return NULL;
}

/* ---- requests ---- */

static bool is_open(void *ctx, struct tk_http_text path)
{
    const struct tk_view_path *known = find_path(path);
    (void)ctx;
    return known && known->open;
}

static void answer_text(struct tk_view *v, uint64_t connection, int status, const char *type,
                        const char *text)
{
    tk_http_server_answer(
        v->server, connection,
        &(struct tk_http_answer){.status = status, .type = type, .body = text, .n = strlen(text)});
}

static void put_text(struct tk_markup *m, const char *name, const char *text, size_t most)
{
    tk_markup_json_text(m, name, (struct tk_str){.p = text, .n = (uint32_t)strlen(text)}, most);
}

static void put_state(struct tk_view *v, const struct tk_view_source *source)
{
    static const char *const states[] = {"indexing", "ready", "failed"};
    static const char *const changes[] = {"same", "replaced", "rewritten"};
    static const char *const growths[] = {"no", "yes", "ended"};
    struct tk_view_capture *c = tk_view_work_hold(v->work, source, 0);
    const size_t state = tk_atomic_get(&c->state);
    const char *name = source->path + tk_path_base(source->path);
    const char *why = state == TK_VIEW_FAILED ? tk_err_text(&c->failure, c->failure.code) : "";
    struct tk_json *j = &v->m.json;
    tk_json_open(j, NULL, '{');
    put_text(&v->m, "name", name, TK_MARKUP_NAME);
    put_text(&v->m, "path", source->path, TK_MARKUP_MESSAGE);
    tk_json_c(j, "state", states[state]);
    tk_json_c(j, "file", changes[source->change]);
    tk_json_c(j, "grows", growths[source->growth]);
    tk_json_u64(j, "reading", c->number);
    tk_json_u64(j, "done", tk_atomic_get(&c->done));
    tk_json_u64(j, "total", tk_atomic_get(&c->total));
    put_text(&v->m, "why", why, TK_MARKUP_MESSAGE);
    tk_json_close(j);
    tk_view_work_drop(v->work, c);
}

static void answer_progress(struct tk_view *v, uint64_t connection)
{
    v->m.out.n = 0;
    v->m.json = tk_json_into(&v->m.out);
    tk_json_open(&v->m.json, NULL, '{');
    tk_json_c(&v->m.json, "version", TK_VERSION);
    tk_json_open(&v->m.json, "captures", '[');
    for (size_t i = 0; i < v->n; i++)
        put_state(v, &v->sources[i]);
    tk_json_close(&v->m.json);
    tk_json_close(&v->m.json);
    char *copy = v->m.out.status < 0 ? NULL : malloc(v->m.out.n);
    if (!copy) {
        answer_text(v, connection, TK_HTTP_UNAVAILABLE, NULL, "out of memory");
        return;
    }
    memcpy(copy, v->m.out.p, v->m.out.n);
    tk_http_server_answer(
        v->server, connection,
        &(struct tk_http_answer){
            .status = TK_HTTP_OK, .type = "application/json", .owned = copy, .body = copy, .n = v->m.out.n});
}

/* The capture that a parameter of a request names, the first one where it has none; NULL: there is no such.
 */
static struct tk_view_source *source_of(struct tk_view *v, struct tk_http_text query, const char *name)
{
    int64_t i = 0;
    return tk_http_number(query, name, 0, (int64_t)v->n - 1, &i) < 0 ? NULL : &v->sources[i];
}

static void hand_on(struct tk_view *v, uint64_t connection, const struct tk_view_path *path,
                    struct tk_http_text query)
{
    struct tk_view_job job = {.connection = connection,
                              .path = path,
                              .source = source_of(v, query, "c"),
                              .other = source_of(v, query, "of")};
    if (!job.source || !job.other) {
        answer_text(v, connection, TK_HTTP_NOT_FOUND, NULL, "there is no such capture");
        return;
    }
    if (job.source->change == TK_VIEW_REWRITTEN) {
        answer_text(v, connection, TK_HTTP_CONFLICT, NULL,
                    "the file was written to while it was viewed; start again");
        return;
    }
    if (query.n)
        memcpy(job.query, query.p, query.n);
    tk_http_number(query, "g", 1, INT64_MAX, &job.reading);
    tk_http_number(query, "og", 1, INT64_MAX, &job.other_reading);
    tk_http_number(query, "page", 1, INT64_MAX, &job.page);
    tk_http_number(query, "n", 0, INT64_MAX, &job.number);
    if (!tk_view_work_put(v->work, &job))
        answer_text(v, connection, TK_HTTP_UNAVAILABLE, NULL, "too many requests wait");
}

static void take_request(void *ctx, uint64_t connection, const struct tk_http_request *request)
{
    struct tk_view *v = ctx;
    const struct tk_view_path *path = find_path(request->path);
    if (!path)
        answer_text(v, connection, TK_HTTP_NOT_FOUND, NULL, "there is no such path");
    else if (path->text)
        answer_text(v, connection, TK_HTTP_OK, path->type, path->text);
    else if (path->worker == TK_VIEW_AT_ONCE)
        answer_progress(v, connection);
    else
        hand_on(v, connection, path, request->query);
}

static void forget_request(void *ctx, uint64_t connection)
{
    const struct tk_view *v = ctx;
    if (v->work)
        tk_view_work_forget(v->work, connection);
}

/* ---- the view ---- */

/* Reading ends when the view does, and when nobody wants its answer. */
static int unwanted(const struct tk_view *v, enum tk_view_worker worker, uint64_t done, uint64_t total)
{
    if (v->work && tk_view_work_unwanted(v->work, worker))
        return 1;
    return v->options.open && v->options.open->progress
               ? v->options.open->progress(v->options.open->progress_ctx, done, total)
               : 0;
}

static int note_tables(void *ctx, uint64_t done, uint64_t total)
{
    const struct tk_view *v = ctx;
    return unwanted(v, TK_VIEW_TABLES, done, total);
}

static int note_drawing(void *ctx, uint64_t done, uint64_t total)
{
    const struct tk_view *v = ctx;
    return unwanted(v, TK_VIEW_DRAWING, done, total);
}

static int listen_here(struct tk_view *v, struct tk_err *err)
{
    const struct tk_http_server_options options = {.port = (uint16_t)v->options.port,
                                                   .hosts = v->options.hosts,
                                                   .n_hosts = v->options.n_hosts,
                                                   .is_open = is_open,
                                                   .take = take_request,
                                                   .gone = forget_request,
                                                   .ctx = v};
    struct tk_os_result result = tk_http_server_open(&v->server, &options);
    if (result.error == TK_OS_OK)
        result = tk_os_waker_open(&v->waker);
    if (result.error)
        return tk_err_set(err, TK_EIO, "cannot listen on port %u: %s", v->options.port, tk_os_text(result));
    const struct tk_http_gate *gate = tk_http_server_gate(v->server);
    snprintf(v->address, sizeof v->address, "http://127.0.0.1:%u/#%s", gate->port, gate->token);
    return TK_OK;
}

int tk_view_new(struct tk_view **out, const struct tk_view_options *options, struct tk_err *err)
{
    TK_GIVEN(err, out);
    struct tk_view *v = *out = calloc(1, sizeof *v);
    if (!v)
        return tk_err_nomem(err, "a view");
    v->options = TK_INIT(struct tk_view_options);
    v->open = TK_INIT(struct tk_options);
    int rc = tk_struct_size_take(&v->options, sizeof v->options, options, "options of a view", err);
    if (rc == TK_OK)
        rc = tk_struct_size_take(&v->open, sizeof v->open, v->options.open, "options of captures", err);
    if (rc == TK_OK && v->options.port > UINT16_MAX)
        rc = tk_err_set(err, TK_EUSAGE, "a port is a number up to 65535");
    if (rc == TK_OK)
        rc = tk_markup_init(&v->m, err);
    if (rc == TK_OK)
        rc = listen_here(v, err);
    if (rc < 0) {
        tk_view_free(v);
        *out = NULL;
    }
    return rc;
}

int tk_view_add(struct tk_view *v, const char *path, struct tk_err *err)
{
    TK_GIVEN(err, v, path);
    struct tk_options tables = v->open, drawn = v->open;
    if (v->n == CAPTURES || v->over)
        return tk_err_set(err, TK_EUSAGE, "at most %d captures can be viewed together", CAPTURES);
    tables.progress = note_tables;
    drawn.progress = note_drawing;
    drawn.index = NULL; /* it reads everything once, and what is kept would be held twice */
    tables.progress_ctx = drawn.progress_ctx = v;
    struct tk_view_source *s = &v->sources[v->n];
    const int rc = tk_view_source_open(s, path, &tables, &drawn, v->options.grown != NULL, err);
    if (rc == TK_OK) {
        v->n++;
        return rc;
    }
    tk_view_source_release(s);
    *s = (struct tk_view_source){0};
    return rc;
}

const char *tk_view_address(const struct tk_view *v)
{
    if (!v)
        return NULL;
    return v->address;
}

/* ---- the loop ---- */

static void say(struct tk_view *v, const char *format, const char *name)
{
    char text[1024];
    if (!v->options.note)
        return;
    snprintf(text, sizeof text, format, name);
    v->options.note(v->options.note_ctx, text);
}

static const char replaced[] = "'%s' was replaced; what is shown is the file as it was opened",
                  gone[] = "'%s' is gone, or was replaced; what is shown is what came until then",
                  rewritten[] =
                      "'%s' was written to while it was viewed; nothing more of it is shown, start again";

static void look_at_files(struct tk_view *v)
{
    const double now = tk_os_seconds();
    if (now - v->looked < LOOK_EVERY)
        return;
    v->looked = now;
    for (size_t i = 0; i < v->n; i++)
        if (!v->sources[i].follows && tk_view_source_look(&v->sources[i]))
            say(v, v->sources[i].change == TK_VIEW_REPLACED ? replaced : rewritten, v->sources[i].path);
}

/* Whoever looks sees what came since: of what grows a new reading, as long as a page queries. */
static void follow(struct tk_view *v, size_t i, double now)
{
    struct tk_view_source *s = &v->sources[i];
    double took;
    uint64_t bytes = s->bytes;
    const enum tk_view_renewal renewal = tk_view_work_renewal(v->work, s, &took);
    struct tk_view_capture *c = tk_view_work_hold(v->work, s, 0);
    const bool ready = renewal != TK_VIEW_RENEWING && tk_atomic_get(&c->state) != TK_VIEW_INDEXING &&
                       now - tk_http_server_requested(v->server) < REQUESTED_WITHIN;
    if (renewal == TK_VIEW_RENEWED)
        tk_view_source_pause(s, c->number, now, took);
    tk_view_work_drop(v->work, c);
    const int rc = v->options.grown(v->options.grown_ctx, i, &bytes);
    if (rc < 0) {
        tk_view_source_lose(s);
        say(v, s->change == TK_VIEW_REPLACED ? gone : rewritten, s->path);
        return;
    }
    if (tk_view_source_grow(s, bytes, rc == TK_OK, ready, now))
        tk_view_work_renew(v->work, s);
}

static void follow_all(struct tk_view *v)
{
    const double now = tk_os_seconds();
    if (!v->options.grown || now - v->followed < STEP)
        return;
    v->followed = now;
    for (size_t i = 0; i < v->n; i++)
        if (v->sources[i].change == TK_VIEW_SAME)
            follow(v, i, now);
}

static void send_answers(struct tk_view *v)
{
    uint64_t connection;
    struct tk_http_answer answer;
    while (tk_view_work_take(v->work, &connection, &answer))
        tk_http_server_answer(v->server, connection, &answer);
}

static bool is_over(const struct tk_view *v)
{
    return (v->options.stop && v->options.stop(v->options.stop_ctx)) ||
           (v->options.idle_ns > 0 &&
            tk_os_seconds() - tk_http_server_requested(v->server) > (double)v->options.idle_ns / NS_A_SECOND);
}

int tk_view_run(struct tk_view *v, struct tk_err *err)
{
    TK_GIVEN(err, v);
    if (v->n == 0)
        return tk_err_set(err, TK_EUSAGE, "no capture was given");
    int rc = v->over ? tk_err_set(err, TK_EUSAGE, "the view has ended")
                     : tk_view_work_start(&v->work, v->sources, v->n, &v->open, v->waker, err);
    while (rc == TK_OK && !is_over(v)) {
        const struct tk_os_result result = tk_http_server_step(v->server, v->waker, STEP);
        if (result.error)
            rc = tk_err_set(err, TK_EIO, "cannot wait for requests: %s", tk_os_text(result));
        look_at_files(v);
        follow_all(v);
        send_answers(v);
    }
    tk_view_work_free(v->work);
    v->work = NULL;
    v->over = true;
    return rc;
}

struct tk_trace *tk_view_trace(const struct tk_view *v, size_t i, const char **path)
{
    if (!v)
        return NULL;
    if (!v->over || i >= v->n)
        return NULL;
    const struct tk_view_capture *c = v->sources[i].now;
    *path = v->sources[i].path;
    return c->gathered ? c->tables : c->drawn;
}

void tk_view_free(struct tk_view *v)
{
    if (!v)
        return;
    tk_view_work_free(v->work);
    v->work = NULL;
    tk_http_server_close(v->server);
    tk_os_waker_close(v->waker);
    for (size_t i = 0; i < v->n; i++)
        tk_view_source_release(&v->sources[i]);
    tk_markup_release(&v->m);
    free(v);
}
