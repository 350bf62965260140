/*
 * Packages and requests.
 */
#include "base/wrap.h"
#include "format/utrace/families/loading/loading_in.h"
#include "format/utrace/families/marks/message_points.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"

int tk_ut_load_package(struct tk_ut_feed *feed, struct tk_ut_load *l, uint32_t *id)
{
    struct tk_ut_load_package package = {.info = {.id = (uint32_t)l->packages.n}};
    if (l->packages.n >= feed->capture->ctx->limits.rows) {
        tk_health_limit(&feed->out->health, TK_LIMIT_rows, TK_NO_OFFSET, 1, "a package was left out");
        return TK_OK;
    }
    *id = package.info.id;
    return tk_vec_push(&l->packages, package) ? TK_ENOMEM : TK_ITEM;
}

static struct tk_ut_load_thread *thread_of_load_requests(struct tk_ut_load *l, uint32_t tid)
{
    if (!l->threads.size)
        tk_record_map_init(&l->threads, sizeof(struct tk_ut_load_thread));
    struct tk_ut_load_thread *t = tk_record_map_get(&l->threads, tid);
    return t ? t : tk_record_map_put(&l->threads, tid);
}

static bool has_space_load_requests(struct tk_ut_feed *feed, size_t n, const char *what)
{
    if (n < feed->capture->ctx->limits.rows)
        return true;
    tk_health_limit(&feed->out->health, TK_LIMIT_rows, TK_NO_OFFSET, 1, "%s was left out", what);
    return false;
}

static int unmatched(struct tk_ut_feed *feed, const struct tk_ut_event *ev)
{
    tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_END_UNMATCHED, ev->offset, 1,
                   "an event '%s' of thread %u ends what never began", ev->type->name->p, ev->tid);
    return TK_OK;
}

/* ---- groups ---- */

enum { FORMAT, FORMAT_ARGS };

static const struct tk_str *group_name(struct tk_ut_feed *feed, const struct tk_ut_event *ev)
{
    const struct tk_str *format = tk_ut_str(feed, ev, FORMAT, 2);
    struct tk_str text;
    if (!format || tk_ut_message_text(feed, format, tk_ut_message_args(ev, FORMAT_ARGS), &text) != TK_OK)
        return NULL;
    return tk_intern(&feed->capture->strings, text.p, text.n, (enum tk_encoding)text.enc);
}

int tk_ut_load_begin_group(struct tk_ut_feed *feed, struct tk_ut_load *l, const struct tk_ut_event *ev)
{
    struct tk_ut_load_thread *t = thread_of_load_requests(l, ev->tid);
    if (!t)
        return TK_ENOMEM;
    if (t->depth++)
        return TK_OK;
    t->group = 0;
    if (!has_space_load_requests(feed, l->groups.n, "a group of load requests"))
        return TK_OK;
    struct tk_ut_load_group group = {.name = group_name(feed, ev), .thread = ev->tid};
    if (!group.name || tk_vec_push(&l->groups, group))
        return TK_ENOMEM;
    t->group = (uint32_t)l->groups.n;
    return TK_OK;
}

int tk_ut_load_end_group(struct tk_ut_feed *feed, struct tk_ut_load *l, const struct tk_ut_event *ev)
{
    struct tk_ut_load_thread *t = thread_of_load_requests(l, ev->tid);
    if (!t)
        return TK_ENOMEM;
    if (!t->depth)
        return unmatched(feed, ev);
    if (--t->depth == 0)
        t->group = 0;
    return TK_OK;
}

/* ---- requests ---- */

static void join_group(struct tk_ut_load *l, uint32_t group, int64_t time)
{
    struct tk_ut_load_group *g = &l->groups.v[group - 1];
    if (!g->requests || time < g->begin)
        g->begin = time;
    g->requests++;
    g->open++;
}

static int name_request(struct tk_ut_load *l, struct tk_ut_load_thread *t, uint64_t id, uint32_t place)
{
    uint32_t *slot;
    if (!id)
        return tk_vec_push(&t->anonymous, place) ? TK_ENOMEM : TK_OK;
    if (!(slot = tk_record_map_put(&l->by_id, id)))
        return TK_ENOMEM;
    *slot = place;
    return TK_OK;
}

int tk_ut_load_begin_request(struct tk_ut_feed *feed, struct tk_ut_load *l, const struct tk_ut_event *ev,
                             int64_t time, uint64_t id)
{
    struct tk_ut_load_thread *t = thread_of_load_requests(l, ev->tid);
    uint32_t place = (uint32_t)l->requests.n;
    if (!l->by_id.size)
        tk_record_map_init(&l->by_id, sizeof(uint32_t));
    if (!t)
        return TK_ENOMEM;
    if (!has_space_load_requests(feed, place, "a load request"))
        return TK_OK;
    struct tk_ut_load_request r = {
        .thread = ev->tid, .group = t->group, .id = id, .seq = ev->seq, .begin = time};
    if (tk_vec_push(&l->requests, r))
        return TK_ENOMEM;
    if (r.group)
        join_group(l, r.group, time);
    return name_request(l, t, id, place);
}

/* Place of a request, or UINT32_MAX. */
static uint32_t find_request(const struct tk_ut_load *l, uint32_t tid, uint64_t id)
{
    const struct tk_ut_load_thread *t = tk_record_map_get(&l->threads, tid);
    const uint32_t *place = id ? tk_record_map_get(&l->by_id, id) : NULL;
    if (!id && t && t->anonymous.n)
        place = &t->anonymous.v[t->anonymous.n - 1];
    return place ? *place : UINT32_MAX;
}

int tk_ut_load_end_request(struct tk_ut_feed *feed, struct tk_ut_load *l, const struct tk_ut_event *ev,
                           int64_t time, uint64_t id)
{
    uint32_t place = find_request(l, ev->tid, id);
    if (place == UINT32_MAX || l->requests.v[place].ended)
        return unmatched(feed, ev);
    struct tk_ut_load_request *r = &l->requests.v[place];
    struct tk_ut_load_thread *t = tk_record_map_get(&l->threads, ev->tid);
    r->ended = true;
    r->end = time;
    if (!id)
        t->anonymous.n--;
    if (!r->group)
        return TK_OK;
    struct tk_ut_load_group *g = &l->groups.v[r->group - 1];
    if (g->open == g->requests || time > g->end)
        g->end = time;
    g->open--;
    return TK_OK;
}

/* ---- packages join requests ---- */

static int join_load_requests(struct tk_ut_load *l, uint32_t package, uint64_t request)
{
    struct tk_ut_load_package *p = &l->packages.v[package];
    if (p->info.request)
        return TK_OK;
    p->info.request = request;
    l->requests.v[request - 1].packages++;
    if (l->requests.v[request - 1].group)
        l->groups.v[l->requests.v[request - 1].group - 1].packages++;
    return tk_vec_push(&l->work, package) ? TK_ENOMEM : TK_OK;
}

/* All that is imported, and what that imports. */
static int join_imports(struct tk_ut_load *l)
{
    int rc = TK_OK;
    while (l->work.n && rc == TK_OK) {
        const struct tk_ut_load_package *p = &l->packages.v[l->work.v[--l->work.n]];
        for (size_t i = 0; i < p->imports.n && rc == TK_OK; i++)
            rc = join_load_requests(l, p->imports.v[i], p->info.request);
    }
    return rc;
}

int tk_ut_load_associate(struct tk_ut_load *l, const struct tk_ut_event *ev, uint32_t package, uint64_t id)
{
    uint32_t place = find_request(l, ev->tid, id);
    if (place == UINT32_MAX)
        return TK_OK;
    int rc = join_load_requests(l, package, (uint64_t)place + 1);
    return rc == TK_OK ? join_imports(l) : rc;
}

int tk_ut_load_import(struct tk_ut_feed *feed, struct tk_ut_load *l, uint32_t package, uint32_t imported)
{
    struct tk_ut_load_package *p = &l->packages.v[package];
    if (!has_space_load_requests(feed, p->imports.n, "an import of a package"))
        return TK_OK;
    if (tk_vec_push(&p->imports, imported))
        return TK_ENOMEM;
    int rc = p->info.request ? join_load_requests(l, imported, p->info.request) : TK_OK;
    return rc == TK_OK ? join_imports(l) : rc;
}

/* ---- rows ---- */

enum {
    R_REQUEST,
    R_ID,
    R_GROUP,
    R_BEGIN,
    R_END,
    R_DURATION,
    R_PACKAGES,
    R_THREAD_ID,
    R_THREAD,
    R_COLUMNS = R_THREAD + TK_THREAD_COLUMNS
};

static const struct tk_column request_columns[R_COLUMNS] = {
    [R_REQUEST] = {"request_id", TK_UINT, 0, NULL, "number of the request, from 1, in order of start"},
    [R_ID] = {"source_id", TK_UINT, TK_COL_EXTRA, NULL, "id in the capture; empty if it has none"},
    [R_GROUP] = {"group", TK_TEXT, 0, NULL, "outermost group open on its thread; empty: none"},
    [R_BEGIN] = {"start", TK_TIME, 0, NULL, "when it starts"},
    [R_END] = {"end", TK_TIME, 0, NULL, "end; empty if it is not in the capture"},
    [R_DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [R_PACKAGES] = {"packages", TK_UINT, 0, "packages", "number of its packages, imported ones included"},
    [R_THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that made it"},
    [R_THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that made it"),
};

const struct tk_table tk_ut_table_load_requests = {
    .name = "load_requests",
    .help = "requests to load packages, in order of start",
    .columns = request_columns,
    .n_columns = R_COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

enum {
    G_GROUP,
    G_BEGIN,
    G_END,
    G_DURATION,
    G_REQUESTS,
    G_PACKAGES,
    G_THREAD_ID,
    G_THREAD,
    G_COLUMNS = G_THREAD + TK_THREAD_COLUMNS
};

static const struct tk_column group_columns[G_COLUMNS] = {
    [G_GROUP] = {"group", TK_TEXT, 0, NULL, "its name"},
    [G_BEGIN] = {"start", TK_TIME, 0, NULL, "start of its first request"},
    [G_END] = {"end", TK_TIME, 0, NULL, "end of its last request; empty if any has no end"},
    [G_DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [G_REQUESTS] = {"requests", TK_UINT, 0, "requests", "number of its requests"},
    [G_PACKAGES] = {"packages", TK_UINT, 0, "packages", "number of packages in these requests"},
    [G_THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that made it"},
    [G_THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that made it"),
};

const struct tk_table tk_ut_table_load_groups = {
    .name = "load_groups",
    .help = "groups of load requests, in the order in which they were opened",
    .columns = group_columns,
    .n_columns = G_COLUMNS,
    .schema = 2,
};

enum { A_BEGIN, A_END, A_DURATION, A_STATE, A_THREAD_ID, A_THREAD, A_COLUMNS = A_THREAD + TK_THREAD_COLUMNS };

static const struct tk_column activity_columns[A_COLUMNS] = {
    [A_BEGIN] = {"start", TK_TIME, 0, NULL, "when it starts"},
    [A_END] = {"end", TK_TIME, 0, NULL, "end; empty for the last period"},
    [A_DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [A_STATE] = {"state", TK_TEXT, 0, NULL, "active or suspended"},
    [A_THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that recorded it"},
    [A_THREAD] = TK_THREAD_COLUMNS_AS(TK_COL_EXTRA, "the thread that recorded it"),
};

const struct tk_table tk_ut_table_load_activity = {
    .name = "load_activity",
    .help = "periods in which background loading was active or suspended",
    .columns = activity_columns,
    .n_columns = A_COLUMNS,
    .schema = 2,
};

static void fill_times_load_requests(struct tk_cell *row, unsigned begin_column, int64_t begin, bool ended,
                                     int64_t end)
{
    row[begin_column] = tk_cell_of_time(begin);
    if (!ended)
        return;
    row[begin_column + 1] = tk_cell_of_time(end);
    row[begin_column + 2] = tk_ut_cell_since(begin_column, tk_wrap_sub(end, begin));
}

/* The name of the group of a request by its number; NULL: it has none. */
static const struct tk_str *group_of_request(const struct tk_ut_load *l, uint64_t request)
{
    const uint32_t group = request && request <= l->requests.n ? l->requests.v[request - 1].group : 0;
    return group ? l->groups.v[group - 1].name : NULL;
}

static int say_request(struct tk_ut_feed *feed, const struct tk_ut_load *l, size_t i)
{
    const struct tk_ut_load_request *r = &l->requests.v[i];
    struct tk_ut_row_key key = {r->thread, r->seq, true, r->begin, r->ended ? r->end : INT64_MAX};
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_load_requests, key);
    if (!row)
        return TK_ENOMEM;
    row[R_REQUEST] = tk_cell_of_uint(i + 1);
    if (r->id)
        row[R_ID] = tk_cell_of_uint(r->id);
    row[R_GROUP] = tk_cell_of_nonempty(group_of_request(l, i + 1));
    fill_times_load_requests(row, R_BEGIN, r->begin, r->ended, r->end);
    row[R_PACKAGES] = tk_cell_of_uint(r->packages);
    return TK_OK;
}

static int say_group(struct tk_ut_feed *feed, const struct tk_ut_load_group *g)
{
    bool timed = g->requests > 0, ended = timed && !g->open;
    struct tk_ut_row_key key = {g->thread, TK_NO_SEQ, timed, g->begin, ended ? g->end : INT64_MAX};
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_load_groups, key);
    if (!row)
        return TK_ENOMEM;
    row[G_GROUP] = tk_cell_of_nonempty(g->name);
    if (timed)
        fill_times_load_requests(row, G_BEGIN, g->begin, ended, g->end);
    row[G_REQUESTS] = tk_cell_of_uint(g->requests);
    row[G_PACKAGES] = tk_cell_of_uint(g->packages);
    return TK_OK;
}

static int say_activity(struct tk_ut_feed *feed, const struct tk_ut_load *l, bool ended, int64_t end)
{
    struct tk_ut_row_key key = {l->thread, TK_NO_SEQ, true, l->since, ended ? end : INT64_MAX};
    if (!tk_ut_requested_row(feed, &tk_ut_table_load_activity))
        return TK_OK;
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_load_activity, key);
    if (!row)
        return TK_ENOMEM;
    fill_times_load_requests(row, A_BEGIN, l->since, ended, end);
    row[A_STATE] = tk_cell_of_c(l->acting ? "active" : "suspended");
    return TK_OK;
}

int tk_ut_load_activity(struct tk_ut_feed *feed, struct tk_ut_load *l, const struct tk_ut_event *ev,
                        bool active, int64_t time)
{
    int rc = TK_OK;
    if (l->has_active && l->acting == active)
        return rc;
    if (l->has_active)
        rc = say_activity(feed, l, true, time);
    l->has_active = true;
    l->acting = active;
    l->since = time;
    l->thread = feed->important ? TK_NO_THREAD : ev->tid;
    return rc;
}

static int say_package(struct tk_ut_feed *feed, const struct tk_ut_load *l, size_t i)
{
    struct tk_fact fact = {
        .kind = TK_FACT_PACKAGE, .size = sizeof fact, .thread = TK_NO_THREAD, .seq = TK_NO_SEQ};
    fact.u.package = l->packages.v[i].info;
    fact.u.package.group = group_of_request(l, fact.u.package.request);
    return tk_ut_emit(feed, &fact);
}

int tk_ut_load_finish(struct tk_ut_feed *feed, struct tk_ut_load *l)
{
    int rc = TK_OK;
    for (size_t i = 0; i < l->packages.n && rc == TK_OK && tk_ut_requested(feed, TK_FACT_MASK(PACKAGE)); i++)
        rc = say_package(feed, l, i);
    for (size_t i = 0;
         i < l->requests.n && rc == TK_OK && tk_ut_requested_row(feed, &tk_ut_table_load_requests); i++)
        rc = say_request(feed, l, i);
    for (size_t i = 0; i < l->groups.n && rc == TK_OK && tk_ut_requested_row(feed, &tk_ut_table_load_groups);
         i++)
        rc = say_group(feed, &l->groups.v[i]);
    if (rc == TK_OK && l->has_active)
        rc = say_activity(feed, l, false, 0);
    l->has_active = false;
    return rc;
}

void tk_ut_load_release(struct tk_ut_load *l)
{
    for (size_t i = 0; i < l->packages.n; i++)
        tk_vec_release(&l->packages.v[i].imports);
    for (uint32_t i = 0; i < l->threads.n; i++) {
        uint64_t tid;
        struct tk_ut_load_thread *t = tk_record_map_at(&l->threads, i, &tid);
        if (t)
            tk_vec_release(&t->anonymous);
    }
    tk_vec_release(&l->packages);
    tk_vec_release(&l->requests);
    tk_vec_release(&l->groups);
    tk_vec_release(&l->work);
    tk_record_map_release(&l->by_id);
    tk_record_map_release(&l->threads);
    *l = (struct tk_ut_load){.has_active = false};
}
