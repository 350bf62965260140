/*
 * What a reading asks of its source, from what its tables want. See capture_reading.h.
 */
#include "engine/capture_reading.h"

/* What all tables want, put together. */
struct wanted {
    uint64_t facts;
    uint32_t traits; /* of any of them: TK_BUILDER_... */
    bool takes;      /* is there one that takes facts or slices, beside those that judge? */
};

static struct wanted put_together(const struct tk_run_table *tables, size_t n)
{
    struct wanted all = {0};
    for (size_t i = 0; i < n; i++) {
        const struct tk_builder *b = tables[i].builder;
        all.facts |= tables[i].facts;
        all.traits |= b->traits;
        all.takes |= (b->feed || b->take) && !tk_builder_has(b, TK_BUILDER_JUDGES);
    }
    return all;
}

/* Does nobody want a record that has a family? */
static bool wants_generic(const struct tk_run_table *tables, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tables[i].facts & TK_FACT_MASK(RECORD) && !tk_builder_has(tables[i].builder, TK_BUILDER_GENERIC))
            return false;
    return true;
}

/* Scopes may come closed to who asks for no more than such have. */
static bool takes_closed(bool timed, const struct tk_run_table *tables, size_t n)
{
    if (timed)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct tk_run_table *t = &tables[i];
        bool sums = tk_builder_has(t->builder, TK_BUILDER_SUMS);
        if (t->slices & ~TK_SLICE_OUTER || (t->facts & TK_FACT_MASK(SCOPES) && !sums))
            return false;
    }
    return true;
}

struct tk_request tk_reading_request(const struct tk_query *query, bool timed, bool ends,
                                     const struct tk_run_table *tables, size_t n,
                                     const struct tk_closed_taker *closed)
{
    const struct wanted all = put_together(tables, n);
    const bool judged = all.traits & TK_BUILDER_JUDGES && all.facts && !all.takes;
    struct tk_request request = {
        .facts = all.facts,
        .order = all.traits & TK_BUILDER_SERIAL || judged ? TK_ORDER_SERIAL : query->order,
        .events = query->select.events,
        .n_events = query->select.n_events,
        .generic = wants_generic(tables, n),
        .placed = all.facts & TK_FACT_MASK(RECORD) && timed,
        .closed = takes_closed(timed, tables, n) ? closed : NULL,
        .resolved = all.traits & TK_BUILDER_RESOLVED,
    };
    ends |= !(request.facts & ~(TK_FACT_DEFINITIONS | TK_FACT_MASK(STREAM))) && all.traits & TK_BUILDER_ENDS;
    if (ends) {
        request.ends = true;
        request.facts |= TK_FACT_MASK(SCOPES) | TK_FACT_MASK(RECORD) | TK_FACT_MASK(EXTENT);
        request.generic = false;
    } else if (all.traits & TK_BUILDER_ENDS) {
        request.facts |= TK_FACT_MASK(SCOPES) | TK_FACT_MASK(EXTENT);
    }
    if (query->select.n_events && request.facts & TK_FACT_MASK(RECORD))
        request.facts |= TK_FACT_MASK(RECORD_COUNT);
    return request;
}

bool tk_run_all_time(const struct tk_run *run, size_t table)
{
    const struct tk_run_table *t = &run->tables[table];
    return (tk_builder_has(t->builder, TK_BUILDER_ALL_TIME) || t->slices & TK_SLICE_ALL_TIME) &&
           tk_selection_has_times(&run->view.query->select);
}
