/*
 * A reading: definitions, frames, regions, the scopes of one thread after another, marks, values of counters,
 * context switches, and at last records, for which the file is walked over again. Within each the facts are
 * in order of time.
 */
#include "format/events/capture.h"
#include "format/events/feed.h"
#include "format/events/frames.h"
#include "format/events/regions.h"
#include "format/events/thread_scopes.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096 }; /* facts, roughly */

struct source {
    struct tk_source base;
    struct tk_ev_capture *c; /* borrowed */
    struct tk_request request;
    unsigned stage;
    bool begun; /* the stage */
    TK_VEC(struct tk_fact) facts;
    tk_ev_runs runs;
    struct tk_ev_ordered events; /* of a stage that reads a track */
    struct tk_ev_frames frames;
    struct tk_ev_regions regions;
    struct tk_ev_thread_scopes scopes;
    struct tk_ev_lanes lanes;
    size_t thread; /* whose scopes are read */
    uint64_t frame_number;
    uint32_t next_lane;
    void *walk; /* for records */
};

static bool wants(const struct source *s, uint64_t facts)
{
    return (s->request.facts & facts) != 0;
}

static int no_memory(struct tk_err *err)
{
    return tk_err_nomem(err, "facts of the capture");
}

static struct tk_fact *add(struct source *s, enum tk_fact_kind kind, uint32_t thread, int64_t time)
{
    struct tk_fact fact = {
        .kind = (uint16_t)kind, .size = sizeof fact, .thread = thread, .time = time, .seq = TK_NO_SEQ};
    return tk_vec_push(&s->facts, fact) ? NULL : &s->facts.v[s->facts.n - 1];
}

static int push(struct source *s, const struct tk_fact *fact, struct tk_err *err)
{
    return tk_vec_push(&s->facts, *fact) ? no_memory(err) : TK_OK;
}

/* ---- definitions ---- */

static int define_threads(struct source *s)
{
    for (uint32_t i = 0; i < s->c->threads.n; i++) {
        const struct tk_ev_thread *t = s->c->threads.v[i];
        if (t->is_hidden)
            continue;
        struct tk_fact *fact = add(s, TK_FACT_THREAD, i, 0);
        if (!fact)
            return -1;
        fact->u.thread_info = (struct tk_fact_thread){.name = t->name,
                                                      .group = s->c->processes.v[t->process].name,
                                                      .system_id = (uint64_t)t->id.number,
                                                      .sort_hint = t->sort,
                                                      .named = t->named,
                                                      .has_system = !t->id.text};
    }
    return 0;
}

static int define_queues(struct source *s)
{
    for (uint32_t i = 0; i < s->c->threads.n; i++) {
        const struct tk_ev_thread *t = s->c->threads.v[i];
        if (!t->is_queue)
            continue;
        struct tk_fact *fact = add(s, TK_FACT_GPU_QUEUE, TK_NO_THREAD, 0);
        if (!fact)
            return -1;
        fact->u.gpu_queue =
            (struct tk_fact_gpu_queue){.id = t->queue, .index = t->queue, .key = t->queue, .name = t->name};
    }
    return 0;
}

static int define_timers(struct source *s)
{
    static const struct tk_str no_name = {"[No name]", 9, TK_ENC_UTF8};
    for (uint32_t i = 0; i < s->c->names.timers.n; i++) {
        const struct tk_ev_timer *t = &s->c->names.timers.v[i];
        const struct tk_str *name = tk_ev_name_text(&s->c->names, t->name);
        struct tk_fact *fact = add(s, TK_FACT_TIMER, TK_NO_THREAD, 0);
        if (!fact)
            return -1;
        fact->u.timer = (struct tk_fact_timer){
            .id = i, .kind = TK_TIMER_ZONE, .line = t->line, .name = name ? name : &no_name, .file = t->file};
    }
    return 0;
}

static int define_counters(struct source *s)
{
    for (uint32_t i = 0; i < s->c->counters.n && wants(s, TK_FACT_MASK(COUNTER)); i++) {
        const struct tk_ev_counter *counter = &s->c->counters.v[i];
        if (counter->is_beyond)
            continue;
        struct tk_fact *fact = add(s, TK_FACT_COUNTER, TK_NO_THREAD, 0);
        if (!fact)
            return -1;
        fact->u.counter = (struct tk_fact_counter){
            .id = i,
            .kind = TK_COUNTER_PLAIN,
            .unit = counter->unit,
            .real = counter->real,
            .name = tk_ev_name_text(&s->c->names, counter->name),
            .group = counter->process < s->c->processes.n ? s->c->processes.v[counter->process].name : NULL};
    }
    return 0;
}

static int define_system_thread(struct source *s, uint64_t id, uint64_t process, const struct tk_str *name)
{
    struct tk_fact *fact = name ? add(s, TK_FACT_SYSTEM_THREAD, TK_NO_THREAD, 0) : NULL;
    if (fact)
        fact->u.system_thread = (struct tk_fact_system_thread){id, process, name};
    return fact || !name ? 0 : -1;
}

static int define_system_threads(struct source *s)
{
    const struct tk_ev_capture *c = s->c;
    int rc = 0;
    if (!wants(s, TK_FACT_MASK(SYSTEM_THREAD)))
        return 0;
    for (size_t i = 0; i < c->systems.n && rc == 0; i++)
        rc = define_system_thread(s, c->system_ids.keys.v[i].word[0], c->systems.v[i].process,
                                  c->systems.v[i].name);
    for (size_t i = 0; i < c->threads.n && rc == 0; i++) {
        const struct tk_ev_thread *t = c->threads.v[i];
        if (!t->id.text && !t->is_hidden)
            rc = define_system_thread(s, (uint64_t)t->id.number,
                                      (uint64_t)c->processes.v[t->process].id.number, t->name);
    }
    return rc;
}

static int stage_definitions(struct source *s, struct tk_err *err)
{
    struct tk_fact *clock = add(s, TK_FACT_CLOCK, TK_NO_THREAD, 0);
    if (!clock)
        return no_memory(err);
    clock->u.clock =
        (struct tk_fact_clock){.start = (uint64_t)s->c->first, .frequency = 1000000000, .epoch = s->c->epoch};
    for (size_t i = 0; i < s->c->session.n; i++)
        if (push(s, &s->c->session.v[i], err) != TK_OK)
            return TK_ENOMEM;
    if (define_threads(s) || define_queues(s) || define_timers(s) || define_counters(s) ||
        define_system_threads(s))
        return no_memory(err);
    return TK_OK;
}

/* ---- stages that read a track ---- */

static int open_track(struct source *s, const struct tk_ev_track *track, struct tk_err *err)
{
    if (s->begun)
        return TK_OK;
    s->begun = true;
    return tk_ev_ordered_open(&s->events, track, s->c->spill, s->c->ctx->options->spool_dir, err);
}

static void close_track(struct source *s)
{
    if (s->begun)
        tk_ev_ordered_release(&s->events);
    s->begun = false;
}

typedef int take_fn(struct source *s, const struct tk_ev_item *item, struct tk_err *err);

static int read_track(struct source *s, const struct tk_ev_track *track, take_fn *take, struct tk_err *err)
{
    const struct tk_ev_item *item;
    int rc = open_track(s, track, err);
    for (rc = rc == TK_OK ? TK_ITEM : rc; rc == TK_ITEM && s->facts.n < BATCH;) {
        rc = tk_ev_ordered_next(&s->events, &item, err);
        if (rc == TK_ITEM) {
            int taken = take(s, item, err);
            rc = taken < 0 ? taken : rc;
        }
    }
    if (rc != TK_ITEM)
        close_track(s);
    return rc;
}

static int take_frame(struct source *s, const struct tk_ev_item *item, struct tk_err *err)
{
    struct tk_fact facts[2];
    unsigned n = tk_ev_frames_take(&s->frames, s->c, item, facts);
    int rc = TK_OK;
    for (unsigned i = 0; i < n && rc == TK_OK; i++)
        rc = push(s, &facts[i], err);
    return rc;
}

static int stage_frames(struct source *s, struct tk_err *err)
{
    int rc = TK_OK;
    if (!wants(s, TK_FACT_MASK(FRAME)))
        return TK_OK;
    if (!s->begun)
        rc = tk_ev_frames_find(&s->frames, s->c, err);
    if (rc != TK_OK || !s->frames.sets.n)
        return rc;
    return read_track(s, &s->c->marks, take_frame, err);
}

static int take_region(struct source *s, const struct tk_ev_item *item, struct tk_err *err)
{
    struct tk_fact fact;
    int rc = tk_ev_regions_take(&s->regions, s->c, item, &fact);
    if (rc == 1)
        return push(s, &fact, err);
    return rc < 0 ? no_memory(err) : TK_OK;
}

static int stage_regions(struct source *s, struct tk_err *err)
{
    struct tk_ev_troubles t = {0};
    if (!wants(s, TK_FACT_MASK(REGION)))
        return TK_OK;
    int rc = read_track(s, &s->c->regions, take_region, err);
    if (rc == TK_OK && s->regions.without_begin) {
        s->c->places_sought |= s->c->unmatched_region != s->regions.first_unmatched;
        s->c->unmatched_region = s->regions.first_unmatched;
        rc = tk_ev_capture_find_places(s->c, err);
    }
    if (rc == TK_OK && s->regions.without_begin) {
        tk_ev_trouble(&t, TK_EV_ASYNC_WITHOUT_BEGIN, s->c->region_end_at, s->regions.without_begin);
        tk_ev_troubles_tell(&t, &s->c->ctx->health, s->c->decoder->noun, s->c->decoder->nouns);
    }
    return rc;
}

static int take_mark(struct source *s, const struct tk_ev_item *item, struct tk_err *err)
{
    static const struct tk_str no_name = {"[No name]", 9, TK_ENC_UTF8};
    const bool bookmark = item->order & TK_EV_MARK_BOOKMARK;
    const struct tk_str *text = tk_ev_name_text(&s->c->names, item->what);
    const enum tk_fact_kind kind = bookmark ? TK_FACT_BOOKMARK : TK_FACT_LOG;
    if (!(s->request.facts >> kind & 1))
        return TK_OK;
    struct tk_fact *fact =
        add(s, kind, (uint32_t)((uint64_t)item->value >> 32), tk_ev_since(s->c->first, item->time));
    if (!fact)
        return no_memory(err);
    if (bookmark)
        fact->u.bookmark = (struct tk_fact_bookmark){.text = text ? *text : no_name};
    else
        fact->u.log =
            (struct tk_fact_log){.category = tk_ev_name_text(&s->c->names, (uint32_t)(uint64_t)item->value),
                                 .verbosity = item->order & 7u,
                                 .text = text ? *text : no_name};
    return TK_OK;
}

static int stage_marks(struct source *s, struct tk_err *err)
{
    if (!wants(s, TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(LOG)))
        return TK_OK;
    return read_track(s, &s->c->marks, take_mark, err);
}

static int take_value(struct source *s, const struct tk_ev_item *item, struct tk_err *err)
{
    struct tk_number number = {.real = item->what & TK_EV_REAL, .v.i = item->value};
    struct tk_fact *fact = add(s, TK_FACT_COUNTER_VALUE, TK_NO_THREAD, tk_ev_since(s->c->first, item->time));
    if (!fact)
        return no_memory(err);
    if (number.real)
        memcpy(&number.v.r, &item->value, sizeof number.v.r);
    fact->u.counter_value = (struct tk_fact_counter_value){item->what & ~TK_EV_REAL, TK_COUNTER_SET, number};
    return TK_OK;
}

static int stage_values(struct source *s, struct tk_err *err)
{
    return wants(s, TK_FACT_MASK(COUNTER_VALUE)) ? read_track(s, &s->c->values, take_value, err) : TK_OK;
}

static int take_switch(struct source *s, const struct tk_ev_item *item, struct tk_err *err)
{
    struct tk_fact *fact = add(s, TK_FACT_SWITCH, TK_NO_THREAD, tk_ev_since(s->c->first, item->time));
    if (!fact)
        return no_memory(err);
    fact->u.context = (struct tk_fact_switch){s->c->system_ids.keys.v[item->order].word[0],
                                              tk_ev_since(s->c->first, item->value), item->what};
    return TK_OK;
}

static int stage_switches(struct source *s, struct tk_err *err)
{
    return wants(s, TK_FACT_MASK(SWITCH)) ? read_track(s, &s->c->switches, take_switch, err) : TK_OK;
}

/* ---- scopes ---- */

static int take_scope(void *ctx, const struct tk_ev_item *scope)
{
    struct source *s = ctx;
    return tk_ev_lanes_take(&s->lanes, scope);
}

/* A track of frames of an export of ours: each scope is one. */
static int take_frame_scope(void *ctx, const struct tk_ev_item *scope)
{
    struct source *s = ctx;
    const struct tk_ev_thread *t = s->c->threads.v[s->thread];
    struct tk_fact_frame frame = {.type = t->frame_type, .begin = true, .number = ++s->frame_number};
    if (scope->what & TK_EV_LOST)
        return 0;
    frame.type_name = t->frame_name;
    struct tk_fact *fact = add(s, TK_FACT_FRAME, TK_NO_THREAD, tk_ev_since(s->c->first, scope->time));
    if (fact)
        fact->u.frame = frame;
    if (fact && scope->value != TK_EV_OPEN &&
        (fact = add(s, TK_FACT_FRAME, TK_NO_THREAD, tk_ev_since(s->c->first, scope->value)))) {
        fact->u.frame = frame;
        fact->u.frame.begin = false;
    }
    return fact ? 0 : -1;
}

static bool wants_thread(const struct source *s, size_t i, bool frames)
{
    const struct tk_ev_thread *t = s->c->threads.v[i];
    if (!t->scopes.n || t->is_frames != frames)
        return false;
    if (t->is_queue)
        return wants(s, TK_FACT_MASK(GPU_SCOPES));
    if (!frames && !wants(s, TK_FACT_MASK(SCOPES)))
        return false;
    return frames || !s->request.want_thread || s->request.want_thread(s->request.want_ctx, (uint32_t)i);
}

static int open_thread(struct source *s, struct tk_err *err)
{
    const struct tk_ev_thread *t = s->c->threads.v[s->thread];
    bool texts = wants(s, TK_FACT_MASK(SCOPE_TEXT));
    static const struct tk_str *const none[1];
    s->scopes.take = t->is_frames ? take_frame_scope : take_scope;
    s->scopes.ctx = s;
    s->frame_number = 0;
    s->begun = true;
    s->lanes.kind = t->is_queue ? TK_LANE_GPU : TK_LANE_THREAD;
    tk_ev_lanes_begin(&s->lanes, t->is_queue ? t->queue : (uint32_t)s->thread,
                      !texts       ? NULL
                      : t->texts.n ? t->texts.v
                                   : none,
                      t->texts.n);
    return tk_ev_thread_scopes_open(&s->scopes, s->c, t, err);
}

/* An end without a begin is known by its order in its thread; where it stands is looked for once. */
static void see_unmatched(struct tk_ev_capture *c, struct tk_ev_thread *t, uint32_t unmatched)
{
    c->places_sought |= t->unmatched != unmatched;
    t->unmatched = unmatched;
}

/* Reads on until a batch is full. TK_ITEM: there is more; TK_OK: no thread is left. */
static int read_threads(struct source *s, bool frames, struct tk_err *err)
{
    int rc = TK_OK;
    while (s->facts.n < BATCH && s->lanes.ops < TK_EV_LANE_OPS) {
        while (!s->begun && s->thread < s->c->threads.n && !wants_thread(s, s->thread, frames))
            s->thread++;
        if (s->thread >= s->c->threads.n)
            return TK_OK;
        rc = s->begun ? TK_OK : open_thread(s, err);
        if (rc == TK_OK)
            rc = tk_ev_thread_scopes_step(&s->scopes, err);
        if (rc < 0)
            return rc;
        if (rc == TK_ITEM)
            continue;
        if (!frames && tk_ev_lanes_finish(&s->lanes))
            return no_memory(err);
        see_unmatched(s->c, s->c->threads.v[s->thread], s->scopes.pairs.first_unmatched);
        tk_ev_thread_scopes_close(&s->scopes);
        s->begun = false;
        s->thread++;
        if (s->lanes.ops) /* the lanes are those of one thread */
            return TK_ITEM;
    }
    return TK_ITEM;
}

static void tell_scopes(const struct source *s)
{
    struct tk_health *health = &s->c->ctx->health;
    const struct tk_ev_pairs *p = &s->scopes.pairs;
    const struct tk_ev_lanes *l = &s->lanes;
    if (p->ends_without_begin)
        tk_health_note(health, TK_HEALTH_SCOPE_END_UNMATCHED, s->c->scope_end_at, p->ends_without_begin,
                       "%llu ends of scopes without a start", (unsigned long long)p->ends_without_begin);
    if (l->in_extra)
        tk_health_note(
            health, TK_HEALTH_SCOPE_OVERLAP, TK_NO_OFFSET, l->in_extra,
            "%llu scopes lie partly inside of others of their thread; they are in %llu lanes of their own",
            (unsigned long long)l->in_extra, (unsigned long long)l->overlaps);
    if (l->left_out)
        tk_health_limit(health, TK_LIMIT_lanes, TK_NO_OFFSET, l->left_out,
                        "%llu scopes that overlap others were left out", (unsigned long long)l->left_out);
    if (p->too_deep)
        tk_health_limit(health, TK_LIMIT_nesting, TK_NO_OFFSET, p->too_deep,
                        "%llu scopes inside too many others were left out", (unsigned long long)p->too_deep);
}

static int stage_scopes(struct source *s, struct tk_err *err)
{
    int rc = TK_OK;
    if (!wants(s, TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES)))
        return TK_OK;
    if (!s->begun && !s->next_lane && wants(s, TK_FACT_MASK(SCOPE_TEXT)))
        rc = tk_ev_capture_read_texts(s->c, err);
    if (rc == TK_OK)
        rc = read_threads(s, false, err);
    if (rc >= 0 && tk_ev_lanes_give(&s->lanes, &s->runs))
        return no_memory(err);
    if (rc == TK_OK)
        rc = tk_ev_capture_find_places(s->c, err);
    if (rc == TK_OK)
        tell_scopes(s);
    return rc;
}

static int stage_frame_tracks(struct source *s, struct tk_err *err)
{
    int rc = wants(s, TK_FACT_MASK(FRAME)) ? read_threads(s, true, err) : TK_OK;
    if (rc == TK_OK)
        s->thread = 0;
    return rc;
}

/* ---- records, and the end ---- */

static int stage_records(struct source *s, struct tk_err *err)
{
    int rc = TK_OK;
    if (!wants(s, TK_FACT_MASK(RECORD)))
        return TK_OK;
    if (!s->walk) {
        s->c->pass = TK_EV_RECORDS;
        rc = s->c->decoder->open(s->c, &s->walk, err);
    }
    s->c->records.n = 0;
    tk_arena_clear(&s->c->cells);
    for (rc = rc == TK_OK ? TK_ITEM : rc; rc == TK_ITEM && s->c->records.n < BATCH;)
        rc = s->c->decoder->step(s->walk, err);
    for (size_t i = 0; i < s->c->records.n && rc >= 0; i++)
        if (push(s, &s->c->records.v[i], err) != TK_OK)
            return TK_ENOMEM;
    return rc;
}

static int stage_end(struct source *s, struct tk_err *err)
{
    struct tk_fact *fact;
    for (unsigned i = 0; i < s->c->decoder->n_types && wants(s, TK_FACT_MASK(RECORD_COUNT)); i++) {
        if (!s->c->counts[i])
            continue;
        if (!(fact = add(s, TK_FACT_RECORD_COUNT, TK_NO_THREAD, 0)))
            return no_memory(err);
        fact->u.record_count =
            (struct tk_fact_record_count){&s->c->decoder->types[i], s->c->counts[i], s->c->bytes[i]};
    }
    if (wants(s, TK_FACT_MASK(EXTENT)) &&
        !add(s, TK_FACT_EXTENT, TK_NO_THREAD, tk_ev_since(s->c->first, s->c->last)))
        return no_memory(err);
    return TK_OK;
}

/* ---- the source ---- */

typedef int stage_fn(struct source *s, struct tk_err *err);

static stage_fn *const stages[] = {stage_definitions, stage_frame_tracks, stage_frames, stage_regions,
                                   stage_scopes,      stage_marks,        stage_values, stage_switches,
                                   stage_records,     stage_end};

static int source_next(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    struct source *s = (struct source *)base;
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
    struct source *s = (struct source *)base;
    if (s->walk)
        s->c->decoder->close(s->walk);
    tk_ev_ordered_release(&s->events);
    tk_ev_frames_release(&s->frames);
    tk_ev_regions_release(&s->regions);
    tk_ev_thread_scopes_release(&s->scopes);
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
    struct source *s = (struct source *)base;
    struct tk_fact *fact;
    memset(batch, 0, sizeof *batch);
    if (s->stage++)
        return TK_OK;
    int rc = stage_definitions(s, err);
    if (rc != TK_OK)
        return rc;
    if (!(fact = add(s, TK_FACT_RECORD, TK_NO_THREAD, tk_ev_since(s->c->first, s->c->last))))
        return no_memory(err);
    fact->u.record = (struct tk_fact_record){.rec = {&end, NULL}, .has_time = true};
    batch->facts = s->facts.v;
    batch->n_facts = s->facts.n;
    return TK_ITEM;
}

static const struct tk_source_ops ends_ops = {ends_next, source_close};

int tk_ev_source_open(struct tk_capture *base, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err)
{
    struct source *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "a reading");
    s->base.ops = request->ends ? &ends_ops : &ops;
    s->c = (struct tk_ev_capture *)base;
    s->request = *request;
    s->lanes.next_number = &s->next_lane;
    s->lanes.base = s->c->first;
    s->lanes.most = s->c->ctx->limits.lanes;
    *out = &s->base;
    return TK_OK;
}
