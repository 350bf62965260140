/*
 * A capture that is looked at.
 */
#include "api/trace.h"
#include "base/err.h"
#include "base/health/health.h"
#include "fact/kept.h"
#include "os/process.h"
#include "view/view_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Timers by name, file and line.
 */

static bool is_same(struct tk_str a, struct tk_str b)
{
    return a.n == b.n && a.enc == b.enc && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static uint64_t name_key(struct tk_str name)
{
    return tk_hash_bytes(name.p, name.n, name.enc);
}

static uint64_t place_key(struct tk_str name, struct tk_str file, uint32_t line)
{
    return tk_hash_pair(name_key(name), tk_hash_bytes(file.p, file.n, line));
}

static int put_timer(struct tk_view_timers *timers, const struct tk_index *index, uint32_t timer,
                     const struct tk_index_timer *t)
{
    struct tk_index_timer other;
    const uint64_t place = place_key(t->name, t->file, t->line), name = name_key(t->name);
    const uint32_t before = tk_map_get(&timers->by_name, name);
    if (tk_map_get(&timers->by_place, place) == TK_MAP_NONE && tk_map_put(&timers->by_place, place, timer))
        return -1;
    if (before != TK_MAP_NONE && tk_index_timer_get(index, before, &other) && other.scopes >= t->scopes)
        return 0;
    return tk_map_put(&timers->by_name, name, timer);
}

int tk_view_timers_make(struct tk_view_timers *timers, const struct tk_index *index)
{
    struct tk_index_timer t;
    for (uint32_t i = 0; tk_index_timer_get(index, i, &t); i++)
        if (tk_index_has_scopes(t.kind) && put_timer(timers, index, i, &t))
            return TK_ENOMEM;
    return TK_OK;
}

void tk_view_timers_release(struct tk_view_timers *timers)
{
    tk_map_release(&timers->by_place);
    tk_map_release(&timers->by_name);
}

uint32_t tk_view_timers_at(const struct tk_view_timers *timers, const struct tk_index *index,
                           struct tk_str name, struct tk_str file, uint32_t line)
{
    struct tk_index_timer t;
    const uint32_t timer = tk_map_get(&timers->by_place, place_key(name, file, line));
    const bool found = timer != TK_MAP_NONE && tk_index_timer_get(index, timer, &t) &&
                       is_same(t.name, name) && is_same(t.file, file) && t.line == line;
    return found ? timer : UINT32_MAX;
}

uint32_t tk_view_timers_named(const struct tk_view_timers *timers, const struct tk_index *index,
                              struct tk_str name)
{
    struct tk_index_timer t;
    const uint32_t timer = tk_map_get(&timers->by_name, name_key(name));
    const bool found = timer != TK_MAP_NONE && tk_index_timer_get(index, timer, &t) && is_same(t.name, name);
    return found ? timer : UINT32_MAX;
}

int tk_view_capture_open(struct tk_view_capture **out, const char *path, const struct tk_options *tables,
                         const struct tk_options *drawn, struct tk_err *err)
{
    struct tk_view_capture *c = *out = calloc(1, sizeof *c);
    if (!c)
        return tk_err_nomem(err, "a capture");
    c->options = tables;
    (void)tk_os_path_info(path, &c->info);
    const int rc = tk_open(&c->tables, path, tables, err);
    return rc == TK_OK ? tk_open(&c->drawn, path, drawn, err) : rc;
}

void tk_view_capture_close(struct tk_view_capture *c)
{
    if (!c)
        return;
    tk_index_window_release(&c->window);
    tk_index_search_release(&c->found);
    tk_index_close(c->index);
    tk_close(c->drawn);
    tk_close(c->tables);
    tk_gather_release(&c->gather);
    tk_names_release(&c->lanes);
    tk_view_timers_release(&c->timers);
    free(c->lane_names);
    free(c->queues);
    free(c);
}

/* ---- the index ---- */

/* The progress of the options also says when to stop. */
struct progress {
    struct tk_view_capture *capture;
    const struct tk_options *options;
};

static int note_progress(void *ctx, uint64_t done, uint64_t total)
{
    const struct progress *p = ctx;
    tk_atomic_set(&p->capture->done, (size_t)done);
    tk_atomic_set(&p->capture->total, (size_t)total);
    return p->options->progress ? p->options->progress(p->options->progress_ctx, done, total) : 0;
}

/* The work of a queue has a lane of its own, "NAME work"; selections know the queue. */
static struct tk_str selected_name(const struct tk_index_lane *lane)
{
    static const char work[] = " work";
    const uint32_t n = sizeof work - 1;
    struct tk_str name = lane->name;
    if (lane->kind == TK_INDEX_GPU_WORK && name.n > n && memcmp(name.p + name.n - n, work, n) == 0)
        name.n -= n;
    return name;
}

static int keep_lanes(struct tk_view_capture *c, struct tk_err *err)
{
    struct tk_index_about about;
    tk_index_tell(c->index, &about);
    c->lane_names = calloc((size_t)about.lanes + 1, sizeof *c->lane_names);
    c->queues = calloc((size_t)about.lanes + 1, sizeof *c->queues);
    if (!c->lane_names || !c->queues)
        return tk_err_nomem(err, "lanes");
    for (uint32_t i = 0; i < about.lanes; i++) {
        struct tk_index_lane lane;
        tk_index_lane_get(c->index, i, &lane);
        c->queues[i] = lane.kind == TK_INDEX_GPU || lane.kind == TK_INDEX_GPU_WORK;
        const int64_t name = tk_names_number(&c->lanes, selected_name(&lane));
        if (name < 0)
            return tk_err_nomem(err, "lanes");
        c->lane_names[i] = (uint32_t)name;
    }
    c->n_lanes = about.lanes;
    return TK_OK;
}

void tk_view_capture_index(struct tk_view_capture *c, const struct tk_options *options)
{
    struct progress progress = {c, options};
    const struct tk_index_options of = {
        .folder = options->spool_dir, .progress = note_progress, .progress_ctx = &progress};
    int rc = tk_index_build(&c->index, c->drawn, &of, &c->failure);
    if (rc == TK_OK)
        rc = keep_lanes(c, &c->failure);
    if (rc == TK_OK && tk_view_timers_make(&c->timers, c->index))
        rc = tk_err_nomem(&c->failure, "timers");
    tk_os_heap_trim();
    tk_atomic_set(&c->state, rc == TK_OK ? TK_VIEW_READY : TK_VIEW_FAILED);
}

/* ---- what is known ---- */

static bool is_same_file(const struct tk_view_capture *c, const char *path)
{
    struct tk_os_info now;
    return tk_os_path_info(path, &now).error == TK_OS_OK && tk_os_is_same(&now, &c->info) &&
           now.size == c->info.size && now.modified == c->info.modified;
}

void tk_view_capture_learn(struct tk_view_capture *c, const char *path)
{
    const struct tk_kept *known = c->tables->ctx.known;
    struct tk_trace *spare = NULL, *fresh = NULL;
    struct tk_err err;
    if (!known || !known->made[TK_KEPT_SCOPES].bytes.n || c->tables->ctx.size != c->info.size)
        return;
    if (tk_open(&spare, path, c->options, &err) != TK_OK || !is_same_file(c, path)) {
        tk_close(spare);
        return;
    }
    tk_close(c->tables); /* which writes what is known */
    const bool opened = tk_open(&fresh, path, c->options, &err) == TK_OK && is_same_file(c, path);
    c->tables = opened ? fresh : spare;
    tk_close(opened ? spare : fresh);
}

uint64_t tk_view_capture_take_hitches(struct tk_view_capture *c)
{
    struct tk_context *ctx = &c->tables->ctx;
    return ctx->limits.hitches < tk_limits_default().hitches
               ? 0
               : tk_health_take_limit(&ctx->health, TK_LIMIT_hitches);
}

struct tk_str tk_view_capture_lane(const struct tk_view_capture *c, uint32_t lane)
{
    return *c->lanes.list.v[c->lane_names[lane]];
}
