/*
 * Table `regions`: named stretches of time of the whole program, in order of start.
 */
#include "model/marks/bookmark_range.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum {
    NAME,
    CATEGORY,
    ID,
    BEGIN,
    END,
    DURATION,
    THREAD_ID,
    THREAD,
    STATE = THREAD + TK_THREAD_COLUMNS,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [NAME] = {"name", TK_TEXT, 0, NULL, "name of the region"},
    [CATEGORY] = {"category", TK_TEXT, 0, NULL, "category, if it has one"},
    [ID] = {"region_id", TK_UINT, 0, NULL, "id, if it is ended by id rather than by name"},
    [BEGIN] = {"start", TK_TIME, 0, NULL, "when it starts"},
    [END] = {"end", TK_TIME, 0, NULL, "end; empty if it is not in the capture"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread it began on"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread it began on"),
    [STATE] =
        {"state", TK_TEXT, TK_COL_EXTRA, NULL,
         "closed, open, replaced (ended by a second start of its name) or bare_end (an end without a start)"},
};

static const struct tk_table table = {
    .name = "regions",
    .help = "regions, in order of start",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

static const char *const state_names[] = {
    [TK_REGION_CLOSED] = "closed",
    [TK_REGION_OPEN] = "open",
    [TK_REGION_REPLACED] = "replaced",
    [TK_REGION_BARE_END] = "bare_end",
};

struct regions {
    struct tk_collector g;
    struct tk_region_list list;
};

static int start_regions(void *self)
{
    struct regions *r = self;
    tk_region_list_init(&r->list, r->g.view->ctx, table.name);
    return 0;
}

static int take_regions(void *self, const struct tk_fact *fact)
{
    return tk_region_list_feed(&((struct regions *)self)->list, fact, NULL);
}

static void fill_regions(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct regions *)self)->g.view;
    const struct tk_region *region = thing;
    row[NAME] = tk_cell_of_text(region->name);
    row[CATEGORY] = tk_cell_of_text(region->category);
    if (region->has_id)
        row[ID] = tk_cell_of_uint(region->id);
    row[BEGIN] = tk_query_context_time(view, region->begin);
    row[THREAD_ID] = tk_query_context_thread_id(region->thread);
    tk_thread_put(view, region->thread, &row[THREAD]);
    row[STATE] = tk_cell_of_c(state_names[region->state]);
    if (region->state == TK_REGION_OPEN)
        return;
    row[END] = tk_query_context_time(view, region->end);
    row[DURATION] = tk_query_context_between(view, region->begin, region->end);
}

static bool is_visible_regions(const void *self, const void *thing)
{
    const struct tk_select *select = ((const struct regions *)self)->g.view->select;
    const struct tk_region *region = thing;
    if (!tk_patterns_pass(&select->regions, region->name))
        return false;
    return tk_select_touches(select, region->begin,
                             region->state == TK_REGION_OPEN ? INT64_MAX : region->end);
}

static int settle_regions(void *self)
{
    return tk_region_list_pair(&((struct regions *)self)->list, NULL);
}

static void release_regions(void *self)
{
    tk_region_list_release(&((struct regions *)self)->list);
}

static const struct tk_collecting gathering = {
    .what = "regions",
    .start = start_regions,
    .take = take_regions,
    .settle = settle_regions,
    .release = release_regions,
    TK_COLLECTOR_ROWS(struct regions, list.regions),
    .displayed = is_visible_regions,
    .fill = fill_regions,
};

const struct tk_builder tk_builder_regions = {
    .table = &table,
    .needs = {.facts = TK_REGION_FACTS},
    TK_COLLECTS(gathering),
};
