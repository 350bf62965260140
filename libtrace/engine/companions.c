/*
 * The list of tables that are made along. See companions.h.
 */
#include "engine/companions.h"

#include "query/tables.h"

const struct tk_builder *const tk_companions[TK_COMPANIONS] = {&tk_builder_frame_stats, &tk_builder_regions,
                                                               &tk_builder_tasks, &tk_builder_task_waits,
                                                               &tk_builder_locks};

static int pass_table(void *self, const struct tk_table *table, struct tk_err *err)
{
    (void)self;
    (void)table;
    (void)err;
    return TK_OK;
}

static int pass_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    (void)rows;
    return pass_table(self, table, err);
}

const struct tk_sink tk_companion_sink = {.begin = pass_table, .rows = pass_rows, .end = pass_table};

struct tk_query tk_companion_query(const struct tk_query *query)
{
    struct tk_query along = *query;
    along.columns = along.where = NULL;
    along.n_columns = along.n_where = 0;
    along.filtered = NULL;
    return along;
}
