/*
 * Table `regions`: named stretches of time of the whole program, in order of their begins.
 */
#include "model/builders.h"
#include "model/region_list.h"
#include "model/view.h"

#include <stdlib.h>

enum { NAME, CATEGORY, ID, BEGIN, END, DURATION, THREAD_ID, THREAD, STATE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [NAME] = {"name", TK_TEXT, 0, NULL, "name of the region"},
    [CATEGORY] = {"category", TK_TEXT, 0, NULL, "category, where it has one"},
    [ID] = {"id", TK_UINT, 0, NULL, "id, where it is ended by id rather than by name"},
    [BEGIN] = {"begin", TK_TIME, 0, NULL, "begin"},
    [END] = {"end", TK_TIME, 0, NULL, "end; empty when it is not in the capture"},
    [DURATION] = {"duration", TK_SPAN, 0, NULL, "from begin to end"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread it began on"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "the thread it began on"},
    [STATE] =
        {"state", TK_TEXT, TK_COL_EXTRA, NULL,
         "closed, open, replaced (ended by a second begin of its name) or bare_end (an end without a begin)"},
};

static const struct tk_table table = {
    .name = "regions",
    .help = "regions, in order of their begins",
    .columns = columns,
    .n_columns = COLUMNS,
};

static const char *const state_names[] = {
    [TK_REGION_CLOSED] = "closed",
    [TK_REGION_OPEN] = "open",
    [TK_REGION_REPLACED] = "replaced",
    [TK_REGION_BARE_END] = "bare_end",
};

struct regions {
    const struct tk_view *view;
    struct tk_region_list list;
};

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    struct regions *r = calloc(1, sizeof *r);
    if (!r)
        return tk_err_nomem(err, "regions");
    r->view = view;
    tk_region_list_init(&r->list, view->ctx, table.name);
    *self = r;
    return TK_OK;
}

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct regions *r = self;
    int rc = TK_OK;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++)
        rc = tk_region_list_feed(&r->list, &batch->facts[i], err);
    return rc;
}

static void fill(const struct tk_view *view, const struct tk_region *region, struct tk_cell *row)
{
    row[NAME] = tk_cell_of_text(region->name);
    row[CATEGORY] = tk_cell_of_text(region->category);
    if (region->has_id)
        row[ID] = tk_cell_of_uint(region->id);
    row[BEGIN] = tk_view_time(view, region->begin);
    row[THREAD_ID] = tk_view_thread_id(region->thread);
    row[THREAD] = tk_view_thread(view, region->thread);
    row[STATE] = tk_cell_of_c(state_names[region->state]);
    if (region->state == TK_REGION_OPEN)
        return;
    row[END] = tk_view_time(view, region->end);
    row[DURATION] = tk_view_between(view, region->begin, region->end);
}

static bool is_selected(const struct tk_select *select, const struct tk_region *region)
{
    if (!tk_patterns_pass(&select->regions, region->name))
        return false;
    return tk_select_touches(select, region->begin,
                             region->state == TK_REGION_OPEN ? INT64_MAX : region->end);
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct regions *r = self;
    int rc = tk_region_list_pair(&r->list, err);
    for (size_t i = 0; i < r->list.regions.n && rc == TK_OK; i++) {
        const struct tk_region *region = &r->list.regions.v[i];
        if (!is_selected(r->view->select, region))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        fill(r->view, region, row);
    }
    return rc;
}

static void close(void *self)
{
    struct regions *r = self;
    tk_region_list_release(&r->list);
    free(r);
}

const struct tk_builder tk_builder_regions = {
    .table = &table,
    .facts = TK_REGION_FACTS,
    .open = open,
    .feed = feed,
    .finish = finish,
    .close = close,
};
