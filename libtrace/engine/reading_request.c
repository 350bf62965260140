/*
 * What a reading needs of its source, from what its tables need, and which times it is about.
 */
#include "engine/dict_source.h"
#include "engine/engine_in.h"

/* What all tables need, put together. */
struct needed {
    uint64_t facts;
    bool serial, judges, resolved, ends, streams; /* is there one that is so? */
    bool takes; /* is there one that takes facts or slices, apart from those that judge? */
};

static struct needed put_together(const struct tk_run_table *tables, size_t n)
{
    struct needed all = {0};
    for (size_t i = 0; i < n; i++) {
        const struct tk_builder *b = tables[i].builder;
        const struct tk_needs *needs = &tables[i].needs;
        const bool judges = needs->order == TK_NEEDS_LAST;
        all.facts |= needs->facts;
        all.serial |= needs->order == TK_NEEDS_SEQ_ORDER;
        all.judges |= judges;
        all.resolved |= needs->records != TK_NEEDS_PLAIN_RECORDS;
        all.ends |= needs->ends;
        all.streams |= needs->streams;
        all.takes |= (b->feed || (b->scopes && b->scopes->take)) && !judges;
    }
    return all;
}

/* Does nobody want a record that has a family? */
static bool wants_generic(const struct tk_run_table *tables, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tables[i].needs.facts & TK_FACT_MASK(RECORD) &&
            tables[i].needs.records != TK_NEEDS_GENERIC_RECORDS)
            return false;
    return true;
}

/* Scopes may come closed to who needs no more than such have. */
static bool takes_closed(bool timed, const struct tk_run_table *tables, size_t n)
{
    if (timed)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct tk_needs *needs = &tables[i].needs;
        if (needs->slices & ~TK_SLICE_OUTER || (needs->facts & TK_FACT_MASK(SCOPES) && !needs->sums))
            return false;
    }
    return true;
}

struct tk_request tk_reading_request(const struct tk_query *query, bool timed, bool ends,
                                     const struct tk_run_table *tables, size_t n,
                                     const struct tk_closed_taker *closed)
{
    const struct needed all = put_together(tables, n);
    const bool judged = all.judges && all.facts && !all.takes;
    struct tk_request request = {
        .facts = all.facts,
        .order = all.serial || judged ? TK_ORDER_SERIAL : query->order,
        .events = query->select.events,
        .n_events = query->select.n_events,
        .generic = wants_generic(tables, n),
        .placed = all.facts & TK_FACT_MASK(RECORD) && timed,
        .closed = takes_closed(timed, tables, n) ? closed : NULL,
        .resolved = all.resolved,
        .named = all.streams && all.facts & (TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES)),
    };
    ends |= !(request.facts & ~(TK_FACT_DEFINITIONS | TK_FACT_MASK(STREAM))) && all.ends;
    if (ends) {
        request.ends = true;
        request.facts |= TK_FACT_MASK(SCOPES) | TK_FACT_MASK(RECORD) | TK_FACT_MASK(EXTENT);
        request.generic = false;
        request.in_passing = query->in_passing;
    } else if (all.ends) {
        request.facts |= TK_FACT_MASK(SCOPES) | TK_FACT_MASK(EXTENT);
    }
    if (query->select.n_events && request.facts & TK_FACT_MASK(RECORD))
        request.facts |= TK_FACT_MASK(RECORD_COUNT);
    return request;
}

bool tk_run_all_time(const struct tk_run *run, size_t table)
{
    return run->tables[table].needs.all_time && tk_selection_has_times(&run->view.query->select);
}

static int take_clock(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    (void)self;
    (void)batch;
    (void)err;
    return TK_OK;
}

int tk_run_compile(struct tk_run *run, struct tk_err *err)
{
    struct tk_query_context *view = &run->view;
    struct tk_dict dict = {.clock = {.frequency = 0}};
    const struct tk_dict_taker taker = {.batch = take_clock};
    const struct tk_request nothing = {.facts = 0};
    struct tk_dict_source source = {.ctx = view->ctx, .dict = &dict};
    if (run->selected)
        return TK_OK;
    int rc = tk_dict_init(&dict, &view->ctx->limits, err);
    if (rc == TK_OK)
        rc = tk_dict_source_read(&source, view->capture, &nothing, &taker, err);
    tk_dict_source_close(&source);
    if (rc == TK_OK)
        rc = tk_prescan_select(&run->scan, &run->select, &dict.clock, &view->query->select, err);
    run->selected = rc == TK_OK;
    tk_dict_release(&dict);
    return rc;
}
