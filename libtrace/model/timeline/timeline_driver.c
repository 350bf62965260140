/*
 * The builder of timelines.
 */
#include "model/timeline/timeline_items.h"

#include <stdlib.h>

static const struct tk_table table = {.name = "timeline", .help = "scopes as a timeline"};

int tk_timeline_init(struct tk_timeline *t, const struct tk_timeline_sink *sink, struct tk_err *err)
{
    *t = (struct tk_timeline){.sink = sink};
    t->items = calloc(TK_TIMELINE_BATCH, sizeof *t->items);
    if (sink->steps)
        t->steps = calloc(TK_TIMELINE_BATCH, sizeof *t->steps);
    return t->items && (t->steps || !sink->steps) ? TK_OK : tk_err_nomem(err, "a timeline");
}

void tk_timeline_release(struct tk_timeline *t)
{
    for (size_t i = 0; i < t->lanes.n; i++)
        tk_timeline_lane_free(t->lanes.v[i]);
    tk_vec_release(&t->lanes);
    tk_vec_release(&t->names);
    tk_vec_release(&t->tables);
    tk_map_release(&t->name_index);
    tk_map_release(&t->track_index);
    tk_map_release(&t->lane_counts);
    tk_intern_release(&t->texts);
    tk_vec_release(&t->reported);
    tk_arena_release(&t->kinds);
    free(t->items);
    free(t->steps);
    *t = (struct tk_timeline){0};
}

static void note_selected(struct tk_timeline *t, const struct tk_select *select)
{
    t->from = select->all_time ? INT64_MIN : tk_timeline_ns(t, select->ranges[0].from);
    t->to = select->all_time ? INT64_MAX : tk_timeline_ns(t, select->ranges[select->n_ranges - 1].to);
}

static int open_timeline_driver(const struct tk_query_context *view, const struct tk_builder *builder,
                                uint64_t wanted, void **self, struct tk_err *err)
{
    struct tk_timeline *t = builder->user;
    static const struct tk_str process = {.p = "Capture", .n = 7};
    const struct tk_track track = {.id = TK_TRACK_ID(TK_TRACK_PROCESS, 0),
                                   .kind = TK_TRACK_PROCESS,
                                   .has_process = view->ctx->format->has_processes,
                                   .name = &process};
    (void)wanted;
    *self = t;
    t->view = view;
    note_selected(t, view->select);
    int rc = t->sink->start ? t->sink->start(t->sink->self, NULL, err) : TK_OK;
    return rc < 0 ? rc : tk_timeline_track(t, &track, err);
}

static int feed_timeline_driver(void *self, const struct tk_batch *batch, struct tk_emit *emit,
                                struct tk_err *err)
{
    struct tk_timeline *t = self;
    int rc = TK_OK;
    (void)emit;
    for (size_t i = 0; i < batch->n_runs && rc >= 0; i++)
        rc = tk_timeline_run(t, &batch->runs[i], err);
    return rc < 0 ? rc : tk_timeline_flush(t, err);
}

static int finish_timeline_driver(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_timeline *t = self;
    (void)emit;
    int rc = tk_timeline_end(t, err);
    return rc < 0 ? rc : tk_timeline_flush(t, err);
}

struct tk_builder tk_timeline_builder(struct tk_timeline *t)
{
    return (struct tk_builder){
        .table = &table,
        .needs = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES) |
                           (t->shows_open ? TK_FACT_MASK(EXTENT) : 0) |
                           (t->extras ? TK_FACT_MASK(SCOPE_TEXT) | TK_FACT_MASK(SCOPE_STACK) : 0),
                  .streams = true},
        .user = t,
        .open = open_timeline_driver,
        .feed = feed_timeline_driver,
        .finish = finish_timeline_driver,
    };
}
