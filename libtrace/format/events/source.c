/*
 * A reading: definitions, frames, regions, the scopes of one thread after another, marks, values of counters,
 * context switches, and at last records, for which the file is walked over again. Within each the facts are
 * in order of time.
 */
#include "format/events/events_in.h"

#include <stdlib.h>
#include <string.h>

/* ---- definitions ---- */

static int define_threads(struct tk_ev_reading *s)
{
    for (uint32_t i = 0; i < s->c->threads.n; i++) {
        const struct tk_ev_thread *t = s->c->threads.v[i];
        const struct tk_ev_process *process = &s->c->processes.v[t->process];
        if (t->is_hidden)
            continue;
        struct tk_fact *fact = tk_ev_reading_add(s, TK_FACT_THREAD, t->number, 0);
        if (!fact)
            return -1;
        fact->u.thread_info = (struct tk_fact_thread){.name = t->name,
                                                      .group = process->name,
                                                      .process = process->name,
                                                      .system_id = (uint64_t)t->id.number,
                                                      .process_id = (uint64_t)process->id.number,
                                                      .sort_hint = t->sort,
                                                      .named = t->named,
                                                      .has_system = !t->id.text,
                                                      .has_process = tk_ev_process_has_id(process)};
    }
    return 0;
}

static int define_queues(struct tk_ev_reading *s)
{
    for (uint32_t i = 0; i < s->c->threads.n; i++) {
        const struct tk_ev_thread *t = s->c->threads.v[i];
        if (!t->is_queue)
            continue;
        struct tk_fact *fact = tk_ev_reading_add(s, TK_FACT_GPU_QUEUE, TK_NO_THREAD, 0);
        if (!fact)
            return -1;
        fact->u.gpu_queue =
            (struct tk_fact_gpu_queue){.id = t->queue, .index = t->queue, .key = t->queue, .name = t->name};
    }
    return 0;
}

static int define_timers(struct tk_ev_reading *s)
{
    static const struct tk_str no_name = {"[No name]", 9, TK_ENC_UTF8};
    for (uint32_t i = 0; i < s->c->names.timers.n; i++) {
        const struct tk_ev_timer *t = &s->c->names.timers.v[i];
        const struct tk_str *name = tk_ev_name_text(&s->c->names, t->name);
        struct tk_fact *fact = tk_ev_reading_add(s, TK_FACT_TIMER, TK_NO_THREAD, 0);
        if (!fact)
            return -1;
        fact->u.timer = (struct tk_fact_timer){
            .id = i, .kind = TK_TIMER_ZONE, .line = t->line, .name = name ? name : &no_name, .file = t->file};
    }
    return 0;
}

static int define_counters(struct tk_ev_reading *s)
{
    for (uint32_t i = 0; i < s->c->counters.n && tk_ev_reading_wants(s, TK_FACT_MASK(COUNTER)); i++) {
        const struct tk_ev_counter *counter = &s->c->counters.v[i];
        const struct tk_ev_process *process =
            counter->process < s->c->processes.n ? &s->c->processes.v[counter->process] : NULL;
        const bool has_id = process && tk_ev_process_has_id(process);
        if (counter->is_beyond)
            continue;
        struct tk_fact *fact = tk_ev_reading_add(s, TK_FACT_COUNTER, TK_NO_THREAD, 0);
        if (!fact)
            return -1;
        fact->u.counter = (struct tk_fact_counter){
            .id = i,
            .kind = TK_COUNTER_PLAIN,
            .unit = counter->unit,
            .real = counter->real,
            .name = tk_ev_name_text(&s->c->names, counter->name),
            .group = process ? process->name : NULL,
            .has_process = has_id,
            .process_id = has_id ? (uint64_t)process->id.number : 0};
    }
    return 0;
}

static int define_system_thread(struct tk_ev_reading *s, uint64_t id, uint64_t process,
                                const struct tk_str *name)
{
    struct tk_fact *fact = name ? tk_ev_reading_add(s, TK_FACT_SYSTEM_THREAD, TK_NO_THREAD, 0) : NULL;
    if (fact)
        fact->u.system_thread = (struct tk_fact_system_thread){id, process, name};
    return fact || !name ? 0 : -1;
}

static int define_system_threads(struct tk_ev_reading *s)
{
    const struct tk_ev_capture *c = s->c;
    int rc = 0;
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(SYSTEM_THREAD)))
        return 0;
    for (size_t i = 0; i < c->systems.n && rc == 0; i++)
        rc = define_system_thread(s, c->system_ids.keys.v[i].word[0], c->systems.v[i].process,
                                  c->systems.v[i].name);
    for (size_t i = 0; i < c->threads.n && rc == 0; i++) {
        const struct tk_ev_thread *t = c->threads.v[i];
        if (!t->id.text && !t->is_hidden)
            rc = define_system_thread(s, (uint64_t)t->id.number,
                                      (uint64_t)c->processes.v[t->process].id.number,
                                      t->named ? t->name : NULL);
    }
    return rc;
}

static int stage_definitions(struct tk_ev_reading *s, struct tk_err *err)
{
    struct tk_fact *clock = tk_ev_reading_add(s, TK_FACT_CLOCK, TK_NO_THREAD, 0);
    if (!clock)
        return tk_ev_reading_no_memory(err);
    clock->u.clock =
        (struct tk_fact_clock){.start = (uint64_t)s->c->first, .frequency = 1000000000, .epoch = s->c->epoch};
    for (size_t i = 0; i < s->c->session.n; i++)
        if (tk_ev_reading_push(s, &s->c->session.v[i], err) != TK_OK)
            return TK_ENOMEM;
    if (define_threads(s) || define_queues(s) || define_timers(s) || define_counters(s) ||
        define_system_threads(s))
        return tk_ev_reading_no_memory(err);
    return TK_OK;
}

/* ---- code ---- */

/* What a frame stands for where it has no address of its own. */
static uint64_t address_of(uint32_t frame)
{
    return (uint64_t)frame + 1;
}

static int add_stack(struct tk_ev_reading *s, size_t at)
{
    const struct tk_ev_stack *stack = &s->c->stacks.v[at];
    uint64_t *frames = tk_arena_alloc(&s->c->cells, (stack->n + 1) * sizeof *frames);
    struct tk_fact *fact = frames ? tk_ev_reading_add(s, TK_FACT_CALLSTACK, TK_NO_THREAD, 0) : NULL;
    if (!fact)
        return -1;
    for (uint32_t i = 0; i < stack->n; i++)
        frames[i] = address_of(s->c->stack_frames.v[stack->first + i]);
    fact->u.callstack = (struct tk_fact_callstack){.id = at + 1, .frames = frames, .n = stack->n};
    return 0;
}

static int add_symbol(struct tk_ev_reading *s, size_t at)
{
    const struct tk_ev_names *names = &s->c->names;
    const struct tk_ev_code_frame *f = &s->c->code.v[at];
    struct tk_symbol_place *place = tk_arena_alloc(&s->c->cells, sizeof *place);
    struct tk_fact *fact = place ? tk_ev_reading_add(s, TK_FACT_SYMBOL, TK_NO_THREAD, 0) : NULL;
    if (!fact)
        return -1;
    *place = (struct tk_symbol_place){tk_ev_name_text(names, f->function), tk_ev_name_text(names, f->file),
                                      f->line};
    fact->u.symbol = (struct tk_fact_symbol){.address = address_of((uint32_t)at),
                                             .places = f->n ? s->c->code_places.v + f->first : place,
                                             .n = f->n ? f->n : 1,
                                             .image = tk_ev_name_text(names, f->module),
                                             .open = !f->n && !place->function && f->has_address,
                                             .offset = f->address};
    return 0;
}

/* Stacks, then their frames. */
static int stage_code(struct tk_ev_reading *s, struct tk_err *err)
{
    const struct tk_ev_capture *c = s->c;
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(CALLSTACK) | TK_FACT_MASK(SYMBOL)))
        return TK_OK;
    tk_arena_clear(&s->c->cells);
    for (; s->code < c->stacks.n + c->code.n && s->facts.n < TK_EV_BATCH; s->code++) {
        const bool stack = s->code < c->stacks.n;
        if (!tk_ev_reading_wants(s, stack ? TK_FACT_MASK(CALLSTACK) : TK_FACT_MASK(SYMBOL)))
            continue;
        if (stack ? add_stack(s, s->code) : add_symbol(s, s->code - c->stacks.n))
            return tk_ev_reading_no_memory(err);
    }
    return s->code < c->stacks.n + c->code.n ? TK_ITEM : TK_OK;
}

/* ---- rows of tables of the format ---- */

static bool wants_row(const struct tk_ev_reading *s, const struct tk_table *table)
{
    for (size_t i = 0; i < s->request.n_rows; i++)
        if (s->request.rows[i] == table)
            return true;
    return false;
}

static int add_row(struct tk_ev_reading *s)
{
    struct tk_cell *cells = tk_arena_alloc(&s->c->cells, TK_EV_ROW_CELLS * sizeof *cells);
    struct tk_fact_row row;
    int64_t time;
    if (!cells)
        return -1;
    if (!s->c->decoder->row(s->c, s->row++, &row, cells, &time) || !wants_row(s, row.table))
        return 0;
    struct tk_fact *fact = tk_ev_reading_add(s, TK_FACT_ROW, TK_NO_THREAD, time);
    if (fact)
        fact->u.row = row;
    return fact ? 0 : -1;
}

static int stage_rows(struct tk_ev_reading *s, struct tk_err *err)
{
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(ROW)))
        return TK_OK;
    tk_arena_clear(&s->c->cells);
    while (s->row < s->c->n_rows && s->facts.n < TK_EV_BATCH)
        if (add_row(s))
            return tk_ev_reading_no_memory(err);
    return s->row < s->c->n_rows ? TK_ITEM : TK_OK;
}

/* ---- records, and the end ---- */

static int stage_records(struct tk_ev_reading *s, struct tk_err *err)
{
    int rc = TK_OK;
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(RECORD)))
        return TK_OK;
    if (!s->walk) {
        s->c->pass = TK_EV_RECORDS;
        rc = s->c->decoder->open(s->c, &s->walk, err);
    }
    s->c->records.n = 0;
    tk_arena_clear(&s->c->cells);
    for (rc = rc == TK_OK ? TK_ITEM : rc; rc == TK_ITEM && s->c->records.n < TK_EV_BATCH;)
        rc = s->c->decoder->step(s->walk, err);
    for (size_t i = 0; i < s->c->records.n && rc >= 0; i++)
        if (tk_ev_reading_push(s, &s->c->records.v[i], err) != TK_OK)
            return TK_ENOMEM;
    tk_ev_capture_tell_texts(s->c);
    return rc;
}

static int count_records(struct tk_ev_reading *s, const struct tk_record_type *type, uint64_t count,
                         uint64_t bytes)
{
    if (!count || !tk_ev_reading_wants(s, TK_FACT_MASK(RECORD_COUNT)))
        return 0;
    struct tk_fact *fact = tk_ev_reading_add(s, TK_FACT_RECORD_COUNT, TK_NO_THREAD, 0);
    if (fact)
        fact->u.record_count = (struct tk_fact_record_count){type, count, bytes};
    return fact ? 0 : -1;
}

static int stage_end(struct tk_ev_reading *s, struct tk_err *err)
{
    const struct tk_ev_capture *c = s->c;
    int rc = 0;
    for (unsigned i = 0; i < c->decoder->n_types && rc == 0; i++)
        rc = count_records(s, &c->decoder->types[i], c->counts[i], c->bytes[i]);
    for (size_t i = 0; i < c->unread.n && rc == 0; i++)
        rc = count_records(s, &c->unread.v[i]->type, c->unread.v[i]->count, c->unread.v[i]->bytes);
    if (rc == 0 && tk_ev_reading_wants(s, TK_FACT_MASK(EXTENT)) &&
        !tk_ev_reading_add(s, TK_FACT_EXTENT, TK_NO_THREAD, tk_ev_since(c->first, c->last)))
        rc = -1;
    return rc == 0 ? TK_OK : tk_ev_reading_no_memory(err);
}

/* ---- the source ---- */

typedef int stage_fn(struct tk_ev_reading *s, struct tk_err *err);

static stage_fn *const stages[] = {stage_definitions,  tk_ev_stage_frame_tracks,
                                   tk_ev_stage_frames, tk_ev_stage_regions,
                                   tk_ev_stage_scopes, tk_ev_stage_marks,
                                   tk_ev_stage_values, tk_ev_stage_switches,
                                   stage_code,         tk_ev_stage_samples,
                                   tk_ev_stage_memory, stage_rows,
                                   stage_records,      stage_end};

static int source_next(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    struct tk_ev_reading *s = (struct tk_ev_reading *)base;
    int rc = TK_OK;
    s->facts.n = s->runs.n = 0;
    tk_ev_lanes_clear(&s->lanes);
    while (s->stage < sizeof stages / sizeof *stages && !s->facts.n && !s->runs.n) {
        rc = stages[s->stage](s, err);
        if (rc < 0)
            return rc;
        if (rc == TK_OK)
            s->stage++;
    }
    *batch =
        (struct tk_batch){.facts = s->facts.v, .n_facts = s->facts.n, .runs = s->runs.v, .n_runs = s->runs.n};
    return s->facts.n || s->runs.n ? TK_ITEM : TK_OK;
}

static void source_close(struct tk_source *base)
{
    struct tk_ev_reading *s = (struct tk_ev_reading *)base;
    if (s->walk)
        s->c->decoder->close(s->walk);
    tk_ev_ordered_release(&s->events);
    tk_ev_wakes_release(&s->wakes);
    tk_ev_frames_release(&s->frames);
    tk_ev_regions_release(&s->regions);
    tk_ev_thread_scopes_release(&s->scopes);
    tk_ev_sorter_clear(&s->joined);
    tk_ev_lanes_release(&s->lanes);
    tk_vec_release(&s->facts);
    tk_vec_release(&s->runs);
    free(s);
}

static const struct tk_source_ops ops = {source_next, source_close};

/* ---- only the end ---- */

static int ends_next(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    static const struct tk_record_type end = {.name = "Events.End"};
    struct tk_ev_reading *s = (struct tk_ev_reading *)base;
    struct tk_fact *fact;
    memset(batch, 0, sizeof *batch);
    if (s->stage++)
        return TK_OK;
    int rc = stage_definitions(s, err);
    if (rc != TK_OK)
        return rc;
    if (!(fact = tk_ev_reading_add(s, TK_FACT_RECORD, TK_NO_THREAD, tk_ev_since(s->c->first, s->c->last))))
        return tk_ev_reading_no_memory(err);
    fact->u.record = (struct tk_fact_record){.rec = {&end, NULL}, .has_time = true};
    batch->facts = s->facts.v;
    batch->n_facts = s->facts.n;
    return TK_ITEM;
}

static const struct tk_source_ops ends_ops = {ends_next, source_close};

int tk_ev_source_open(struct tk_capture *base, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err)
{
    struct tk_ev_reading *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "a reading");
    s->base.ops = request->ends ? &ends_ops : &ops;
    s->c = (struct tk_ev_capture *)base;
    s->request = *request;
    s->lanes.next_number = &s->next_lane;
    s->lanes.base = s->c->first;
    s->lanes.most = s->c->ctx->limits.lanes;
    s->lanes.rounded = s->c->resolution < TK_EV_COARSE ? s->c->resolution : 0;
    s->lanes.notes = tk_ev_reading_wants(s, TK_FACT_MASK(OVERLAP));
    *out = &s->base;
    return TK_OK;
}
