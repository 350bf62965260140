/*
 * The stages of a reading that read tracks in order of time: frames, regions, marks, values, context
 * switches, and the scopes of one thread after another.
 */
#include "base/err.h"
#include "format/events/events_in.h"
#include "format/events/feed.h"
#include "tracekit/captures.h"

#include <string.h>

/* ---- tracks of the capture ---- */

typedef int take_fn(struct tk_ev_reading *s, const struct tk_ev_item *item, struct tk_err *err);

static int open_track(struct tk_ev_reading *s, const struct tk_ev_track *track, struct tk_err *err)
{
    if (s->begun)
        return TK_OK;
    s->begun = true;
    return tk_ev_ordered_open(&s->events, track, s->c->spill, s->c->ctx->options->spool_dir, err);
}

static void close_track(struct tk_ev_reading *s)
{
    if (s->begun)
        tk_ev_ordered_release(&s->events);
    s->begun = false;
}

static int read_track(struct tk_ev_reading *s, const struct tk_ev_track *track, take_fn *take,
                      struct tk_err *err)
{
    const struct tk_ev_item *item;
    int rc = open_track(s, track, err);
    for (rc = rc == TK_OK ? TK_ITEM : rc; rc == TK_ITEM && s->facts.n < TK_EV_BATCH;) {
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

static int take_frame(struct tk_ev_reading *s, const struct tk_ev_item *item, struct tk_err *err)
{
    struct tk_fact facts[2];
    unsigned n = tk_ev_frames_take(&s->frames, s->c, item, facts);
    int rc = TK_OK;
    for (unsigned i = 0; i < n && rc == TK_OK; i++)
        rc = tk_ev_reading_push(s, &facts[i], err);
    return rc;
}

int tk_ev_stage_frames(struct tk_ev_reading *s, struct tk_err *err)
{
    int rc = TK_OK;
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(FRAME)))
        return TK_OK;
    if (!s->begun)
        rc = tk_ev_frames_find(&s->frames, s->c, err);
    if (rc != TK_OK || !s->frames.sets.n)
        return rc;
    return read_track(s, &s->c->marks, take_frame, err);
}

static int take_region(struct tk_ev_reading *s, const struct tk_ev_item *item, struct tk_err *err)
{
    struct tk_fact fact;
    int rc = tk_ev_regions_take(&s->regions, s->c, item, &fact);
    if (rc == 1)
        return tk_ev_reading_push(s, &fact, err);
    return rc < 0 ? tk_ev_reading_no_memory(err) : TK_OK;
}

int tk_ev_stage_regions(struct tk_ev_reading *s, struct tk_err *err)
{
    struct tk_ev_troubles t = {0};
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(REGION)))
        return TK_OK;
    int rc = read_track(s, &s->c->regions, take_region, err);
    if (rc == TK_OK && s->regions.without_begin) {
        s->c->places_sought |= s->c->unmatched_region != s->regions.first_unmatched;
        s->c->unmatched_region = s->regions.first_unmatched;
        rc = tk_ev_capture_find_places(s->c, err);
    }
    if (rc == TK_OK && (s->regions.without_begin || s->regions.twice)) {
        tk_ev_trouble(&t, TK_EV_ASYNC_WITHOUT_BEGIN, s->c->region_end_at, s->regions.without_begin);
        tk_ev_trouble(&t, TK_EV_BEGUN_TWICE, TK_NO_OFFSET, s->regions.twice);
        tk_ev_troubles_tell(&t, &s->c->ctx->health, s->c->decoder->noun, s->c->decoder->nouns);
    }
    const uint64_t open = s->regions.begun - s->regions.matched;
    if (rc == TK_OK && open)
        tk_health_note(&s->c->ctx->health, TK_HEALTH_SCOPE_OPEN, TK_NO_OFFSET, open,
                       "%llu region%s without an end", (unsigned long long)open, open == 1 ? "" : "s");
    return rc;
}

static int take_mark(struct tk_ev_reading *s, const struct tk_ev_item *item, struct tk_err *err)
{
    static const struct tk_str no_name = {"[No name]", 9, TK_ENC_UTF8};
    const bool bookmark = item->order & TK_EV_MARK_BOOKMARK;
    const struct tk_str *text = tk_ev_name_text(&s->c->names, item->what);
    const enum tk_fact_kind kind = bookmark ? TK_FACT_BOOKMARK : TK_FACT_LOG;
    if (!(s->request.facts >> kind & 1))
        return TK_OK;
    const uint32_t thread = tk_ev_thread_number(s->c, (uint32_t)((uint64_t)item->value >> 32));
    struct tk_fact *fact = tk_ev_reading_add(s, kind, thread, tk_ev_since(s->c->first, item->time));
    if (!fact)
        return tk_ev_reading_no_memory(err);
    if (bookmark)
        fact->u.bookmark = (struct tk_fact_bookmark){.text = text ? *text : no_name};
    else
        fact->u.log =
            (struct tk_fact_log){.category = tk_ev_name_text(&s->c->names, (uint32_t)(uint64_t)item->value),
                                 .verbosity = item->order & 7u,
                                 .text = text ? *text : no_name};
    return TK_OK;
}

int tk_ev_stage_marks(struct tk_ev_reading *s, struct tk_err *err)
{
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(LOG)))
        return TK_OK;
    return read_track(s, &s->c->marks, take_mark, err);
}

static int take_value(struct tk_ev_reading *s, const struct tk_ev_item *item, struct tk_err *err)
{
    struct tk_number number = {.real = item->what & TK_EV_REAL, .v.i = item->value};
    struct tk_fact *fact =
        tk_ev_reading_add(s, TK_FACT_COUNTER_VALUE, TK_NO_THREAD, tk_ev_since(s->c->first, item->time));
    if (!fact)
        return tk_ev_reading_no_memory(err);
    if (number.real)
        memcpy(&number.v.r, &item->value, sizeof number.v.r);
    fact->u.counter_value = (struct tk_fact_counter_value){item->what & ~TK_EV_REAL, TK_COUNTER_SET, number};
    return TK_OK;
}

int tk_ev_stage_values(struct tk_ev_reading *s, struct tk_err *err)
{
    return tk_ev_reading_wants(s, TK_FACT_MASK(COUNTER_VALUE)) ? read_track(s, &s->c->values, take_value, err)
                                                               : TK_OK;
}

static int take_switch(struct tk_ev_reading *s, const struct tk_ev_item *item, struct tk_err *err)
{
    struct tk_fact *fact =
        tk_ev_reading_add(s, TK_FACT_SWITCH, TK_NO_THREAD, tk_ev_since(s->c->first, item->time));
    const int64_t end = item->value == TK_EV_OPEN ? s->c->last : item->value;
    if (!fact)
        return tk_ev_reading_no_memory(err);
    fact->u.context = (struct tk_fact_switch){.system_id = s->c->system_ids.keys.v[item->order].word[0],
                                              .end = tk_ev_since(s->c->first, end),
                                              .core = item->what % TK_EV_MOST_CORES,
                                              .end_state = (uint8_t)(item->what / TK_EV_MOST_CORES)};
    return tk_ev_wakes_take(&s->wakes, s->c, item->time, &fact->u.context, err);
}

int tk_ev_stage_switches(struct tk_ev_reading *s, struct tk_err *err)
{
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(SWITCH)))
        return TK_OK;
    const int rc = read_track(s, &s->c->switches, take_switch, err);
    if (rc != TK_ITEM)
        tk_ev_wakes_release(&s->wakes);
    return rc;
}

static int take_sample(struct tk_ev_reading *s, const struct tk_ev_item *item, struct tk_err *err)
{
    struct tk_fact *fact =
        tk_ev_reading_add(s, TK_FACT_SAMPLE, TK_NO_THREAD, tk_ev_since(s->c->first, item->time));
    if (!fact)
        return tk_ev_reading_no_memory(err);
    fact->u.sample = (struct tk_fact_sample){.system_id = (uint64_t)item->value, .callstack = item->what};
    if (item->order < s->c->sample_weights.n)
        fact->u.sample.weight = s->c->sample_weights.v[item->order];
    return TK_OK;
}

int tk_ev_stage_samples(struct tk_ev_reading *s, struct tk_err *err)
{
    return tk_ev_reading_wants(s, TK_FACT_MASK(SAMPLE)) ? read_track(s, &s->c->samples, take_sample, err)
                                                        : TK_OK;
}

/* ---- tracks of threads ---- */

static int take_scope(void *ctx, const struct tk_ev_item *scope)
{
    struct tk_ev_reading *s = ctx;
    return tk_ev_lanes_take(&s->lanes, scope);
}

static int take_nested(void *ctx, const struct tk_ev_item *items, size_t n)
{
    struct tk_ev_reading *s = ctx;
    return tk_ev_lanes_take_nested(&s->lanes, items, n);
}

/* A track of frames of an export of ours: each scope is one. */
static int take_frame_scope(void *ctx, const struct tk_ev_item *scope)
{
    struct tk_ev_reading *s = ctx;
    const struct tk_ev_thread *t = s->c->threads.v[s->thread];
    struct tk_fact_frame frame = {.type = t->frame_type, .begin = true, .number = ++s->frame_number};
    const bool open = scope->value == TK_EV_OPEN, lost = scope->what & TK_EV_LOST;
    s->frames_lost += lost || (open && s->frame_open);
    s->frame_open |= open;
    s->frame_whole = open || lost ? s->frame_whole : scope->time;
    s->frame_open_at = open ? scope->time : s->frame_open_at;
    frame.type_name = t->frame_name;
    const uint32_t by = tk_ev_thread_number(s->c, t->frames_by);
    struct tk_fact *fact = tk_ev_reading_add(s, TK_FACT_FRAME, by, tk_ev_since(s->c->first, scope->time));
    if (fact)
        fact->u.frame = frame;
    if (fact && !open && !lost &&
        (fact = tk_ev_reading_add(s, TK_FACT_FRAME, by, tk_ev_since(s->c->first, scope->value)))) {
        fact->u.frame = frame;
        fact->u.frame.begin = false;
    }
    return fact ? 0 : -1;
}

/* A scope of a part of a thread waits for those of the others. */
static int take_joined(void *ctx, const struct tk_ev_item *scope)
{
    struct tk_ev_reading *s = ctx;
    struct tk_ev_item item = *scope;
    item.order += s->part_order;
    return tk_ev_sorter_add(&s->joined, &item, s->scopes.err) == TK_OK ? 0 : -1;
}

static bool wants_thread(const struct tk_ev_reading *s, size_t i, bool frames)
{
    const struct tk_ev_thread *t = s->c->threads.v[i];
    if ((!t->scopes.n && !t->part) || t->part_of || t->is_frames != frames)
        return false;
    if (t->is_queue)
        return tk_ev_reading_wants(s, TK_FACT_MASK(GPU_SCOPES));
    if (!frames && !tk_ev_reading_wants(s, TK_FACT_MASK(SCOPES)))
        return false;
    return frames || !s->request.want_thread || s->request.want_thread(s->request.want_ctx, t->number);
}

static int open_thread(struct tk_ev_reading *s, struct tk_err *err)
{
    const struct tk_ev_thread *t = s->c->threads.v[s->thread];
    const bool texts = tk_ev_reading_wants(s, TK_FACT_MASK(SCOPE_TEXT));
    static const struct tk_str *const none[1];
    s->joins = t->part && !t->is_frames;
    s->joined_all = false;
    s->part = s->thread;
    s->part_order = 0;
    s->joined.compare = tk_ev_by_begin;
    s->joined.dir = s->c->ctx->options->spool_dir;
    s->joined.most = TK_EV_SORT_FEW;
    s->scopes.take = t->is_frames ? take_frame_scope : s->joins ? take_joined : take_scope;
    s->scopes.take_nested = t->is_frames || s->joins ? NULL : take_nested;
    s->scopes.ctx = s;
    s->frame_number = 0;
    s->begun = true;
    s->lanes.kind = t->is_queue ? TK_LANE_GPU : TK_LANE_THREAD;
    tk_ev_lanes_begin(&s->lanes, t->is_queue ? t->queue : t->number,
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

static int give_joined(struct tk_ev_reading *s, struct tk_err *err)
{
    const struct tk_ev_item *scope;
    int rc;
    while ((rc = tk_ev_sorter_next(&s->joined, &scope, err)) == TK_ITEM && s->lanes.ops < TK_EV_LANE_OPS)
        if (tk_ev_lanes_take(&s->lanes, scope))
            return tk_ev_reading_no_memory(err);
    return rc == TK_ITEM && tk_ev_lanes_take(&s->lanes, scope) ? tk_ev_reading_no_memory(err) : rc;
}

/* A part has come: the next one, or all are sorted. */
static int next_part(struct tk_ev_reading *s, struct tk_err *err)
{
    const struct tk_ev_thread *t = s->c->threads.v[s->part];
    see_unmatched(s->c, s->c->threads.v[s->part], s->scopes.pairs.first_unmatched);
    tk_ev_thread_scopes_close(&s->scopes);
    s->part_order += t->order;
    s->joined_all = !t->part;
    s->part = t->part ? t->part - 1 : s->thread;
    const int rc = s->joined_all ? tk_ev_sorter_start(&s->joined, err)
                                 : tk_ev_thread_scopes_open(&s->scopes, s->c, s->c->threads.v[s->part], err);
    return rc == TK_OK ? TK_ITEM : rc;
}

/* Some scopes of the thread at work. TK_ITEM: there is more; TK_OK: it is over; negative. */
static int read_scopes(struct tk_ev_reading *s, struct tk_err *err)
{
    if (s->joins && s->joined_all)
        return give_joined(s, err);
    const int rc = tk_ev_thread_scopes_step(&s->scopes, err);
    if (rc != TK_OK || s->joins)
        return rc == TK_OK ? next_part(s, err) : rc;
    see_unmatched(s->c, s->c->threads.v[s->thread], s->scopes.pairs.first_unmatched);
    return TK_OK;
}

/* Reads on until a batch is full. TK_ITEM: there is more; TK_OK: no thread is left. */
static int read_threads(struct tk_ev_reading *s, bool frames, struct tk_err *err)
{
    int rc = TK_OK;
    while (s->facts.n < TK_EV_BATCH && s->lanes.ops < TK_EV_LANE_OPS) {
        while (!s->begun && s->thread < s->c->threads.n && !wants_thread(s, s->thread, frames))
            s->thread++;
        if (s->thread >= s->c->threads.n)
            return TK_OK;
        rc = s->begun ? TK_OK : open_thread(s, err);
        if (rc == TK_OK)
            rc = read_scopes(s, err);
        if (rc < 0)
            return rc;
        if (rc == TK_ITEM)
            continue;
        if (!frames && tk_ev_lanes_finish(&s->lanes))
            return tk_ev_reading_no_memory(err);
        s->frames_lost += s->frame_open && s->frame_open_at < s->frame_whole; /* the last one may be open */
        s->frame_open = false;
        tk_ev_thread_scopes_close(&s->scopes);
        tk_ev_sorter_clear(&s->joined);
        s->begun = false;
        s->thread++;
        if (s->lanes.ops) /* the lanes are those of one thread */
            return TK_ITEM;
    }
    return TK_ITEM;
}

/* Facts of what was noted since the last batch. */
static int give_overlaps(struct tk_ev_reading *s)
{
    const struct tk_ev_lanes *l = &s->lanes;
    for (size_t i = 0; i < l->shared.n; i++) {
        const struct tk_ev_overlap *o = &l->shared.v[i];
        struct tk_fact *fact =
            tk_ev_reading_add(s, TK_FACT_OVERLAP, l->thread, tk_ev_since(s->c->first, o->from));
        if (!fact)
            return -1;
        fact->u.overlap = (struct tk_fact_overlap){tk_ev_since(s->c->first, o->to), o->timer, l->kind};
    }
    return 0;
}

static void tell_scopes(const struct tk_ev_reading *s)
{
    struct tk_health *health = &s->c->ctx->health;
    const struct tk_ev_pairs *p = &s->scopes.pairs;
    const struct tk_ev_lanes *l = &s->lanes;
    if (p->ends_without_begin)
        tk_health_note(health, TK_HEALTH_SCOPE_END_UNMATCHED, s->c->scope_end_at, p->ends_without_begin,
                       "%llu ends of scopes without a start", (unsigned long long)p->ends_without_begin);
    if (p->ends_of_nameless)
        tk_health_note(health, TK_HEALTH_PART_UNMATCHED, TK_NO_OFFSET, p->ends_of_nameless,
                       "%llu end%s with a name closed scopes whose begin has none",
                       (unsigned long long)p->ends_of_nameless, p->ends_of_nameless == 1 ? "" : "s");
    if (l->in_extra)
        tk_health_note(
            health, TK_HEALTH_SCOPE_OVERLAP, TK_NO_OFFSET, l->in_extra,
            "%llu scopes partly overlap others of their thread; they are in %llu lanes of their own",
            (unsigned long long)l->in_extra, (unsigned long long)l->overlaps);
    if (l->left_out)
        tk_health_limit(health, TK_LIMIT_lanes, TK_NO_OFFSET, l->left_out,
                        "%llu scopes that overlap others were left out", (unsigned long long)l->left_out);
    if (p->too_deep)
        tk_health_limit(health, TK_LIMIT_nesting, TK_NO_OFFSET, p->too_deep,
                        "%llu scopes inside too many others were left out", (unsigned long long)p->too_deep);
}

int tk_ev_stage_scopes(struct tk_ev_reading *s, struct tk_err *err)
{
    int rc = TK_OK;
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES)))
        return TK_OK;
    if (!s->begun && !s->next_lane && tk_ev_reading_wants(s, TK_FACT_MASK(SCOPE_TEXT)))
        rc = tk_ev_capture_read_texts(s->c, err);
    if (rc == TK_OK)
        rc = read_threads(s, false, err);
    if (rc >= 0 && (tk_ev_lanes_give(&s->lanes, &s->runs) || give_overlaps(s)))
        return tk_ev_reading_no_memory(err);
    if (rc == TK_OK)
        rc = tk_ev_capture_find_places(s->c, err);
    if (rc == TK_OK)
        tell_scopes(s);
    return rc;
}

int tk_ev_stage_frame_tracks(struct tk_ev_reading *s, struct tk_err *err)
{
    int rc = tk_ev_reading_wants(s, TK_FACT_MASK(FRAME)) ? read_threads(s, true, err) : TK_OK;
    if (rc == TK_OK && s->frames_lost)
        tk_health_note(&s->c->ctx->health, TK_HEALTH_SCOPE_OPEN, TK_NO_OFFSET, s->frames_lost,
                       "%llu frame%s without an end, although others began later",
                       (unsigned long long)s->frames_lost, s->frames_lost == 1 ? "" : "s");
    if (rc == TK_OK)
        s->thread = 0;
    return rc;
}

/*
 * Wake-ups and times on cores: each time on a core has the last wake-up of its thread before it.
 */

static int read_next(struct tk_ev_wakes *w, struct tk_err *err)
{
    const struct tk_ev_item *item;
    const int rc = tk_ev_ordered_next(&w->events, &item, err);
    w->more = rc == TK_ITEM;
    if (w->more)
        w->next = *item;
    return rc < 0 ? rc : TK_OK;
}

static int begin(struct tk_ev_wakes *w, const struct tk_ev_capture *c, struct tk_err *err)
{
    if (w->begun)
        return TK_OK;
    w->begun = true;
    const int rc = tk_ev_ordered_open(&w->events, &c->wakes, c->spill, c->ctx->options->spool_dir, err);
    return rc == TK_OK ? read_next(w, err) : rc;
}

/* What is known of a thread; NULL without memory. */
static struct tk_ev_woken *reach(struct tk_ev_wakes *w, uint64_t system_id)
{
    uint32_t at = tk_map_get(&w->index, system_id);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)w->last.n;
        if (tk_vec_push(&w->last, ((struct tk_ev_woken){0})) || tk_map_put(&w->index, system_id, at))
            return NULL;
    }
    return &w->last.v[at];
}

/* One that is not sure does not replace one that is. */
static int take_wake(struct tk_ev_wakes *w)
{
    const struct tk_ev_item *item = &w->next;
    struct tk_ev_woken *woken = reach(w, (uint64_t)item->value);
    if (!woken)
        return -1;
    if (item->order || !woken->pending || !woken->sure)
        *woken = (struct tk_ev_woken){item->time, item->what, true, item->order != 0};
    return 0;
}

int tk_ev_wakes_take(struct tk_ev_wakes *w, const struct tk_ev_capture *c, int64_t time,
                     struct tk_fact_switch *fact, struct tk_err *err)
{
    int rc = c->wakes.n ? begin(w, c, err) : TK_OK;
    while (rc == TK_OK && w->more && w->next.time <= time)
        rc = take_wake(w) ? tk_ev_reading_no_memory(err) : read_next(w, err);
    const uint32_t at = tk_map_get(&w->index, fact->system_id);
    if (rc != TK_OK || at == TK_MAP_NONE || !w->last.v[at].pending)
        return rc;
    fact->woken = true;
    fact->waker_core = w->last.v[at].core;
    fact->wake = tk_ev_since(c->first, w->last.v[at].time);
    w->last.v[at].pending = false;
    return TK_OK;
}

void tk_ev_wakes_release(struct tk_ev_wakes *w)
{
    if (w->begun)
        tk_ev_ordered_release(&w->events);
    tk_map_release(&w->index);
    tk_vec_release(&w->last);
    *w = (struct tk_ev_wakes){.begun = false};
}
