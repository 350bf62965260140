/*
 * Facts as bytes.
 *
 *   kind, thread + 1, time, seq + 1 | what the kind has; a text is its bytes + 1, encoding, bytes, or 0
 */
#include "engine/engine_in.h"

static bool has_time(const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_RECORD)
        return fact->u.record.has_time;
    if (fact->kind == TK_FACT_ROW)
        return fact->u.row.has_time;
    return TK_FACT_TIMED >> fact->kind & 1;
}

void tk_seen_times(struct tk_query_context *view, int64_t first, int64_t last)
{
    if (!view->has_time || first < view->first_time)
        view->first_time = first;
    if (!view->has_time || last > view->last_time)
        view->last_time = last;
    view->has_time = true;
}

static void see_extent(struct tk_query_context *view, const struct tk_fact *fact)
{
    view->from = fact->u.extent.from;
    tk_seen_times(view, view->has_time ? view->first_time : view->from, fact->time);
}

static int see_event(struct tk_seen *seen, const struct tk_record_type *type, struct tk_err *err)
{
    const struct tk_str *name = type->text ? type->text : tk_intern_c(&seen->dict->strings, type->name);
    return !name || tk_vec_push(&seen->events, name) ? tk_err_nomem(err, "the names of events") : TK_OK;
}

/* Threads that nobody defined are made known. */
static int see_thread(struct tk_seen *seen, uint32_t thread, struct tk_err *err)
{
    if (thread == seen->thread || thread == TK_NO_THREAD)
        return TK_OK;
    seen->thread = thread;
    return tk_dict_thread(seen->dict, thread) ? TK_OK : tk_err_nomem(err, "threads");
}

int tk_seen_facts(struct tk_seen *seen, const struct tk_batch *batch, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if (fact->kind == TK_FACT_EXTENT)
            see_extent(seen->view, fact);
        else if (has_time(fact))
            tk_seen_times(seen->view, fact->time, fact->time);
        rc = fact->kind == TK_FACT_STREAM ? TK_OK : see_thread(seen, fact->thread, err);
        if (rc == TK_OK && fact->kind == TK_FACT_RECORD_COUNT && seen->view->select->events.n)
            rc = see_event(seen, fact->u.record_count.type, err);
    }
    for (size_t i = 0; i < batch->n_runs && rc == TK_OK; i++)
        rc = batch->runs[i].kind == TK_LANE_THREAD ? see_thread(seen, batch->runs[i].thread, err) : TK_OK;
    return rc;
}

int tk_seen_select(struct tk_seen *seen, const struct tk_batch *batch, struct tk_batch *out,
                   struct tk_err *err)
{
    *out = *batch;
    if (!seen->view->query->select.n_threads)
        return TK_OK;
    seen->runs.n = 0;
    for (size_t i = 0; i < batch->n_runs; i++) {
        const struct tk_scope_run *run = &batch->runs[i];
        bool passes =
            run->kind == TK_LANE_THREAD || tk_select_queue(seen->view->select, seen->dict, run->thread);
        if (passes && tk_vec_push(&seen->runs, *run))
            return tk_err_nomem(err, "scopes");
    }
    out->runs = seen->runs.v;
    out->n_runs = seen->runs.n;
    return TK_OK;
}

void tk_seen_release(struct tk_seen *seen)
{
    tk_vec_release(&seen->runs);
    tk_vec_release(&seen->events);
}

/*
 * What a reading queries of its source, from what its tables want.
 */

/* What all tables need, put together. */
struct needed {
    uint64_t facts;
    bool serial, judges, resolved, ends; /* is there one that is so? */
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

/* ---- to bytes ---- */

static void put_text(struct tk_kept_bytes *b, const struct tk_str *text)
{
    tk_kept_put(b, text ? (uint64_t)text->n + 1 : 0);
    if (!text)
        return;
    tk_kept_put(b, (uint64_t)text->enc);
    tk_kept_put_bytes(b, text->p, text->n);
}

static void put_rest(struct tk_kept_bytes *b, const struct tk_fact *fact)
{
    switch (fact->kind) {
    case TK_FACT_FRAME:
        tk_kept_put(b, fact->u.frame.type);
        tk_kept_put(b, fact->u.frame.begin);
        tk_kept_put(b, fact->u.frame.number);
        put_text(b, fact->u.frame.type_name);
        break;
    case TK_FACT_REGION:
        tk_kept_put(b, (fact->u.region.begin ? 1u : 0u) | (fact->u.region.has_id ? 2u : 0u));
        tk_kept_put(b, fact->u.region.id);
        put_text(b, fact->u.region.name);
        put_text(b, fact->u.region.category);
        break;
    case TK_FACT_BOOKMARK:
        put_text(b, fact->u.bookmark.file);
        tk_kept_put(b, fact->u.bookmark.line);
        tk_kept_put(b, fact->u.bookmark.callstack);
        put_text(b, &fact->u.bookmark.text);
        break;
    case TK_FACT_STALL:
        tk_kept_put_signed(b, fact->u.stall.end);
        break;
    case TK_FACT_GAP:
    case TK_FACT_LATE_GAP:
        tk_kept_put(b, fact->u.gap.last);
        break;
    default:
        tk_kept_put_signed(b, fact->u.extent.from);
        break;
    }
}

void tk_kept_fact_put(struct tk_kept_bytes *b, const struct tk_fact *fact)
{
    tk_kept_put(b, fact->kind);
    const uint32_t thread = fact->thread + 1u; /* none: 0 */
    tk_kept_put(b, thread);
    tk_kept_put_signed(b, fact->time);
    tk_kept_put(b, fact->seq + 1);
    put_rest(b, fact);
}

/* ---- from bytes ---- */

static int take_text(struct tk_cur *c, struct tk_intern *texts, const struct tk_str **out)
{
    const uint64_t size = tk_varint(c, "a text");
    *out = NULL;
    if (!size)
        return TK_OK;
    const uint64_t enc = tk_varint(c, "a text");
    const uint8_t *p = size - 1 <= tk_cur_left(c) ? tk_take(c, (size_t)size - 1, "a text") : NULL;
    if (!p || enc > TK_ENC_UTF16) {
        c->fault = "a text";
        return TK_OK;
    }
    *out = tk_intern(texts, p, (size_t)size - 1, (enum tk_encoding)enc);
    return *out ? TK_OK : TK_ENOMEM;
}

static int take_rest(struct tk_cur *c, struct tk_intern *texts, struct tk_fact *f)
{
    const struct tk_str *text = NULL;
    uint64_t flags;
    int rc = TK_OK;
    switch (f->kind) {
    case TK_FACT_FRAME:
        f->u.frame.type = (uint32_t)tk_varint(c, "a frame");
        f->u.frame.begin = tk_varint(c, "a frame") != 0;
        f->u.frame.number = tk_varint(c, "a frame");
        return take_text(c, texts, &f->u.frame.type_name);
    case TK_FACT_REGION:
        flags = tk_varint(c, "a region");
        f->u.region.begin = flags & 1;
        f->u.region.has_id = flags & 2;
        f->u.region.id = tk_varint(c, "a region");
        rc = take_text(c, texts, &f->u.region.name);
        return rc == TK_OK ? take_text(c, texts, &f->u.region.category) : rc;
    case TK_FACT_BOOKMARK:
        rc = take_text(c, texts, &f->u.bookmark.file);
        f->u.bookmark.line = (uint32_t)tk_varint(c, "a bookmark");
        f->u.bookmark.callstack = (uint32_t)tk_varint(c, "a bookmark");
        rc = rc == TK_OK ? take_text(c, texts, &text) : rc;
        f->u.bookmark.text = text ? *text : (struct tk_str){.p = "", .enc = TK_ENC_UTF8};
        return rc;
    case TK_FACT_STALL:
        f->u.stall.end = tk_kept_signed(c, "a stall");
        return TK_OK;
    case TK_FACT_GAP:
    case TK_FACT_LATE_GAP:
        f->u.gap.last = tk_varint(c, "a gap");
        return TK_OK;
    default:
        f->u.extent.from = tk_kept_signed(c, "an extent");
        return TK_OK;
    }
}

int tk_kept_fact_take(struct tk_cur *c, struct tk_intern *texts, struct tk_fact *out)
{
    const uint64_t kind = tk_varint(c, "a fact");
    *out = (struct tk_fact){.size = sizeof *out};
    if (kind >= TK_FACT_COUNT || !(TK_KEPT_FACTS >> kind & 1)) {
        c->fault = "a fact";
        return TK_OK;
    }
    out->kind = (uint16_t)kind;
    out->thread = (uint32_t)tk_varint(c, "a thread") - 1u;
    out->time = tk_kept_signed(c, "a time");
    out->seq = tk_varint(c, "a number") - 1;
    return take_rest(c, texts, out);
}
