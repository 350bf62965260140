/*
 * Opening and closing captures.
 */
#include "api/trace.h"

#include "api/api_in.h"
#include "base/err.h"
#include "base/given.h"
#include "base/health/health.h"
#include "base/text/glob.h"
#include "engine/dict_source.h"
#include "engine/run.h"
#include "fact/format.h"
#include "format/utrace/reading/reading_common.h"
#include "io/archive.h"
#include "io/file.h"
#include "io/scratch/readahead.h"
#include "kept/kept_reading.h"
#include "os/path.h"
#include "tracekit/sinks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Cursors: a query that is answered piece by piece, when the caller queries.
 *
 * The query runs in a thread of its own and waits in its sink while the caller looks at the rows, so they are
 * handed over where they stand.
 */

struct piece {
    const struct tk_table *table;
    const struct tk_rows *rows;
};

struct tk_cursor {
    struct tk_trace *trace;
    const struct tk_query *query; /* of the caller, until the first piece is requested */
    struct tk_generator *relay;
    struct tk_err err;
    int status;
};

static int give_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    const struct piece piece = {table, rows};
    (void)err;
    return tk_generator_give(self, &piece) ? TK_OK : TK_ECANCELED;
}

static int answer(struct tk_generator *relay, void *ctx)
{
    struct tk_cursor *p = ctx;
    const struct tk_sink sink = {.self = relay, .rows = give_rows};
    p->status = tk_query_run(p->trace, p->query, &sink, &p->err);
    return p->status;
}

int tk_cursor_open(struct tk_cursor **out, struct tk_trace *trace, const struct tk_query *query,
                   struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, trace, query);
    struct tk_cursor *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return tk_err_nomem(err, "a query");
    *p = (struct tk_cursor){.trace = trace, .query = query};
    p->relay = tk_generator_open(answer, p);
    if (!p->relay) {
        free(p);
        return tk_err_nomem(err, "the thread of a query");
    }
    *out = p;
    return TK_OK;
}

int tk_cursor_next(struct tk_cursor *p, const struct tk_table **table, struct tk_rows *rows,
                   struct tk_err *err)
{
    TK_GIVEN(err, p, table, rows);
    const struct piece *piece = tk_generator_take(p->relay);
    if (piece) {
        *table = piece->table;
        *rows = *piece->rows;
        return TK_ITEM;
    }
    if (p->status < 0 && err)
        *err = p->err;
    return p->status;
}

void tk_cursor_close(struct tk_cursor *p)
{
    if (p)
        tk_generator_close(p->relay);
    free(p);
}

static int no_limit(const char *text, size_t n, struct tk_err *err)
{
    struct tk_nearest_search near;
    char name[64];
    n = n < sizeof name - 1 ? n : sizeof name - 1;
    memcpy(name, text, n);
    name[n] = '\0';
    tk_nearest_begin(&near, name);
    for (size_t i = 0; i < tk_limit_count(); i++) {
        const char *known;
        tk_limit_describe(i, &known, NULL, NULL);
        tk_nearest_offer(&near, known, strlen(known));
    }
    tk_nearest_fail(&near, "limit", tk_limit_count(), err);
    if (err)
        err->code = TK_EUSAGE;
    return TK_EUSAGE;
}

/* The digits of a number and nothing else. */
static bool read_number(const char *p, uint64_t *out)
{
    uint64_t v = 0;
    if (!*p)
        return false;
    for (; *p; p++) {
        if (*p < '0' || *p > '9' || v > (UINT64_MAX - (uint64_t)(*p - '0')) / 10)
            return false;
        v = v * 10 + (uint64_t)(*p - '0');
    }
    *out = v;
    return true;
}

/* One "name=value". */
static int set_limit(struct tk_limits *limits, const char *text, struct tk_err *err)
{
    const char *equals = strchr(text, '=');
    uint64_t value;
    if (!equals || !read_number(equals + 1, &value))
        return tk_err_set(err, TK_EUSAGE, "limit '%s' is not of the form name=number", text);
    if (tk_limits_set(limits, text, (size_t)(equals - text), value) < 0)
        return no_limit(text, (size_t)(equals - text), err);
    return TK_OK;
}

int tk_limit_check(const char *const *limits, size_t n, struct tk_err *err)
{
    TK_TEXTS_GIVEN(err, limits, n);
    struct tk_limits ignored = tk_limits_default();
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = set_limit(&ignored, limits[i], err);
    return rc;
}

static int check_lists(const struct tk_options *opt, struct tk_err *err)
{
    TK_TEXTS_GIVEN(err, opt->limits, opt->n_limits);
    TK_TEXTS_GIVEN(err, opt->symbols, opt->n_symbols);
    TK_TEXTS_GIVEN(err, opt->sources, opt->n_sources);
    return TK_OK;
}

static int set_options(struct tk_trace *t, const struct tk_options *opt, struct tk_err *err)
{
    int rc = tk_struct_size_take(&t->options, sizeof t->options, opt, "the options", err);
    t->ctx.options = &t->options;
    if (rc == TK_OK && t->options.per && t->options.frames_from)
        return tk_err_set(err, TK_EUSAGE, "runs are compared by frames or by occurrences, not both");
    if (rc == TK_OK)
        rc = check_lists(&t->options, err);
    t->ctx.limits = tk_limits_default();
    for (size_t i = 0; i < t->options.n_limits && rc == TK_OK; i++)
        rc = set_limit(&t->ctx.limits, t->options.limits[i], err);
    t->ctx.health.max_items = t->ctx.limits.health_items;
    return rc;
}

/* Is it a capture at all, or an archive that may hold one? */
static int accept_capture(const uint8_t *head, size_t n, struct tk_err *err)
{
    if (tk_archive_is(head, n))
        return TK_OK;
    return tk_format_find(head, n < TK_FORMAT_HEAD ? n : TK_FORMAT_HEAD, err) ? TK_OK : TK_EFORMAT;
}

static int find_format(struct tk_trace *t, struct tk_err *err)
{
    uint8_t head[TK_FORMAT_HEAD];
    size_t n;
    int rc = tk_file_read(t->file, 0, head, sizeof head, &n, err);
    if (rc < 0)
        return rc;
    t->ctx.format = tk_format_find(head, n, err);
    return t->ctx.format ? TK_OK : TK_EFORMAT;
}

/* Of an archive: what is in it, of the name that a path has behind it, or what it holds alone. */
static int open_member(struct tk_trace *t, const char *path, const char *member, struct tk_err *err)
{
    uint8_t head[TK_FORMAT_HEAD];
    size_t n;
    const int rc = tk_file_read(t->file, 0, head, sizeof head, &n, err);
    if (rc < 0 || !tk_archive_is(head, n))
        return rc < 0 || !member ? rc : tk_err_set(err, TK_EFORMAT, "'%s' is no archive", path);
    return tk_archive_choose(t->file, path, member, &t->options, &t->ctx.limits, &t->ctx.archived, err);
}

/* A path may lead into an archive: its front is opened. Nothing is kept of what is in one, as its index would
 * have to know which member it is of. */
static int open_path(struct tk_trace *t, const struct tk_file_place *place, struct tk_err *err)
{
    const size_t n = place->path && strcmp(place->path, "-") != 0 ? tk_archive_path(place->path) : 0;
    char *front = n ? malloc(n + 1) : NULL;
    if (n && !front)
        return tk_err_nomem(err, "a path");
    if (n) {
        memcpy(front, place->path, n);
        front[n] = 0;
    }
    const struct tk_file_place of = {front ? front : place->path, place->descriptor, place->reader};
    int rc = tk_file_open_place(&t->file, &of, &t->options, &t->ctx.limits, accept_capture, err);
    if (rc == TK_OK)
        rc = open_member(t, of.path, front ? place->path + n + 1 : NULL, err);
    if (t->ctx.archived.member[0])
        t->options.index = NULL;
    free(front);
    return rc;
}

static int open_file_trace(struct tk_trace *t, const struct tk_file_place *place, struct tk_err *err)
{
    int rc = open_path(t, place, err);
    if (rc < 0)
        return rc;
    t->ctx.file = t->file;
    t->ctx.size = tk_file_size(t->file);
    if (tk_file_cut(t->file))
        tk_health_note(&t->ctx.health, TK_HEALTH_FILE_TRUNCATED, tk_file_stored_size(t->file), 1,
                       "the %s data ends early",
                       tk_file_compression(t->file) ? tk_file_compression(t->file) : "archived");
    return find_format(t, err);
}

/* What is kept of the capture, where it has a name. With other frames than its own it is another one. */
static int find_known(struct tk_trace *t, const struct tk_file_place *place,
                      const struct tk_kept_identity *opened, struct tk_err *err)
{
    const struct tk_options *opt = &t->options;
    if (opt->index && !*opt->index)
        return tk_err_set(err, TK_EUSAGE, "the index has no name");
    if (!opt->index || !place->path || strcmp(place->path, "-") == 0 || opt->frames_from || opt->per)
        return TK_OK;
    const int rc =
        tk_kept_file_open(&t->known, opt->index, place->path, opened, t->file, &t->ctx.limits, err);
    if (t->known)
        t->known->kept.makes = t->ctx.format == &tk_format_utrace;
    t->ctx.known = t->known ? &t->known->kept : NULL;
    return rc;
}

/* A capture is opened in part where that is requested, it is large, and nothing is kept of it: what is kept
 * is of all of it, and so is what would be. */
static void decide_part(struct tk_trace *t)
{
    const struct tk_options *opt = &t->options;
    bool known = t->known && t->known->kept.requested;
    for (int i = 0; t->known && i < TK_KEPT_SECTIONS; i++)
        known |= t->known->kept.has[i].n > 0;
    t->options.in_part &= t->ctx.size > t->ctx.limits.whole_bytes && !known && !opt->frames_from && !opt->per;
    if (!t->options.in_part)
        return;
    tk_kept_file_close(t->known);
    t->known = NULL;
    t->ctx.known = NULL;
}

/* For messages about one of several captures. */
static int keep_path(struct tk_trace *t, const struct tk_file_place *place, struct tk_err *err)
{
    const size_t n = place->path ? strlen(place->path) + 1 : 0;
    if (!n)
        return TK_OK;
    if (!(t->path = malloc(n)))
        return tk_err_nomem(err, "a capture");
    memcpy(t->path, place->path, n);
    t->ctx.path = t->path;
    return TK_OK;
}

static int open_symbols(struct tk_trace *t, const struct tk_file_place *place, struct tk_err *err)
{
    const struct tk_symbols_wing *wing = tk_symbols_wing;
    if (!wing)
        return t->options.n_symbols || t->options.n_sources ? tk_err_left_out(err, "SYMBOLS") : TK_OK;
    if (!(t->symbols = wing->open(&t->options, place->path)))
        return tk_err_nomem(err, "symbols");
    t->ctx.sources = t->symbols->finder;
    t->ctx.symbolizer = t->symbols->symbolizer;
    return TK_OK;
}

/* A recording that still grows, or was broken off, is read as the capture of what it holds by now; nothing is
 * kept of that. */
static int make_capture(struct tk_trace *t, struct tk_file_place *place, struct tk_err *err)
{
    const bool named = place->path && strcmp(place->path, "-") != 0;
    const int rc = named && tk_live_wing ? tk_live_wing->make(place->path, &t->made, err) : TK_OK;
    if (t->made) {
        place->path = t->made;
        t->options.index = NULL;
    }
    return rc;
}

static int open_capture(struct tk_trace *t, const struct tk_file_place *given, const struct tk_options *opt,
                        struct tk_err *err)
{
    struct tk_file_place of = *given, *place = &of;
    struct tk_kept_identity opened = {0};
    int rc = set_options(t, opt, err);
    if (rc == TK_OK)
        rc = keep_path(t, place, err);
    if (rc == TK_OK)
        rc = make_capture(t, place, err);
    if (rc < 0)
        return rc;
    t->ctx.pool = tk_pool_open(t->options.jobs);
    if (!t->ctx.pool)
        return tk_err_nomem(err, "worker threads");
    if ((rc = open_symbols(t, place, err)) < 0)
        return rc;
    if (t->options.index && place->path)
        (void)tk_kept_identity_look(&opened, place->path);
    rc = open_file_trace(t, place, err);
    if (rc == TK_OK)
        rc = find_known(t, place, &opened, err);
    decide_part(t);
    if (rc == TK_OK)
        rc = t->ctx.format->open(&t->ctx, &t->capture, err);
    if (rc == TK_OK)
        rc = tk_damage_fail(&t->ctx, err);
    if (rc < 0)
        return rc;
    tk_health_reread_copy(&t->opened, &t->ctx.health);
    t->ctx.opened = &t->opened;
    const char *frames = t->options.per ? t->options.per : t->options.frames_from;
    return frames ? tk_frames_from(&t->ctx, &t->capture, frames, err) : TK_OK;
}

static int open_place(struct tk_trace **out, const struct tk_file_place *place, const struct tk_options *opt,
                      struct tk_err *err)
{
    struct tk_trace *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return tk_err_nomem(err, "a capture");
    int rc = open_capture(t, place, opt, err);
    if (rc < 0)
        tk_close(t);
    else
        *out = t;
    return rc;
}

int tk_open(struct tk_trace **out, const char *path, const struct tk_options *opt, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, path);
    return open_place(out, &(struct tk_file_place){.path = path}, opt, err);
}

int tk_open_descriptor(struct tk_trace **out, int descriptor, const struct tk_options *opt,
                       struct tk_err *err)
{
    TK_GIVEN(err, out);
    return open_place(out, &(struct tk_file_place){.descriptor = &descriptor}, opt, err);
}

int tk_open_memory(struct tk_trace **out, const void *p, size_t n, const struct tk_options *opt,
                   struct tk_err *err)
{
    TK_GIVEN(err, out);
    const struct tk_reader reader = {.memory = n ? p : "", .size = n};
    return open_place(out, &(struct tk_file_place){.reader = reader}, opt, err);
}

int tk_open_reader(struct tk_trace **out, tk_read *read, void *ctx, uint64_t n, const struct tk_options *opt,
                   struct tk_err *err)
{
    TK_GIVEN(err, out);
    const struct tk_reader reader = {.read = read, .ctx = ctx, .size = n};
    return open_place(out, &(struct tk_file_place){.reader = reader}, opt, err);
}

void tk_close(struct tk_trace *trace)
{
    if (!trace)
        return;
    if (trace->capture)
        trace->capture->ops->close(trace->capture);
    tk_kept_file_close(trace->known);
    if (trace->file)
        tk_file_close(trace->file);
    tk_pool_close(trace->ctx.pool);
    if (trace->symbols)
        tk_symbols_wing->close(trace->symbols);
    tk_health_release(&trace->ctx.health);
    tk_health_release(&trace->opened);
    if (trace->made)
        tk_os_path_remove(trace->made);
    free(trace->made);
    free(trace->path);
    free(trace);
}

int tk_symbols_tell(const struct tk_trace *trace, char *text, size_t n)
{
    if (!trace)
        return TK_EUSAGE;
    return text && n && trace->symbols ? tk_symbols_wing->tell(trace->symbols, text, n) : 0;
}

uint8_t *tk_trace_symbols(struct tk_trace *trace, bool strip, size_t *n)
{
    return tk_symbols_wing->bytes(trace->symbols, strip, n);
}

bool tk_damaged(const struct tk_trace *trace)
{
    if (!trace)
        return false;
    return tk_health_damaged(&trace->ctx.health);
}

bool tk_lossy(const struct tk_trace *trace)
{
    if (!trace)
        return false;
    return tk_health_lossy(&trace->ctx.health);
}

bool tk_partial(const struct tk_trace *trace)
{
    if (!trace)
        return false;
    return tk_health_partial(&trace->ctx.health);
}

bool tk_truncated(const struct tk_trace *trace)
{
    if (!trace)
        return false;
    return tk_file_cut(trace->file) || trace->capture->ops->truncated(trace->capture) ||
           trace->ctx.health.counts[TK_HEALTH_FILE_TRUNCATED];
}

int tk_in_part(const struct tk_trace *trace, char *text, size_t n)
{
    if (!trace)
        return TK_EUSAGE;
    if (text && n)
        snprintf(text, n, "%s", trace->ctx.part);
    if (!trace->ctx.part[0])
        return 0;
    return trace->ctx.front ? 2 : 1;
}

bool tk_empty(const struct tk_trace *trace)
{
    if (!trace)
        return false;
    return trace->capture->ops->empty(trace->capture);
}
