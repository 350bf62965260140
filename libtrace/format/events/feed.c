/*
 * Keeping of what decoders say.
 */
#include "format/events/feed.h"

#include "format/events/events_in.h"
#include "tracekit/captures.h"

#include <stdlib.h>
#include <string.h>

/* Bytes in memory beyond which events that come in order of time go to a file, as they are read back one
 * after the other; and all others, which are sorted. */
#define HELD_SORTED (UINT64_C(32) << 20)
#define HELD_ALL    (UINT64_C(128) << 20)

/* An event that a limit leaves out; the first walk counts. */
static int leave_out(struct tk_ev_capture *c, enum tk_ev_beyond what)
{
    c->left_out[what] += c->pass == TK_EV_GATHER;
    return 0;
}

int tk_ev_failed(struct tk_err *err)
{
    return tk_err_nomem(err, "the facts of the capture");
}

/* ---- keeping ---- */

static int spill_track(struct tk_ev_capture *c, struct tk_ev_track *t, bool all, struct tk_err *err)
{
    size_t n = t->held.n;
    if (!n || (t->unsorted && !all))
        return TK_OK;
    int rc = tk_ev_track_spill(t, c->spill, err);
    c->held -= n;
    return rc;
}

int tk_ev_capture_spill(struct tk_ev_capture *c, struct tk_err *err)
{
    bool all = c->held > HELD_ALL;
    struct tk_ev_track *others[] = {&c->regions, &c->marks, &c->values, &c->switches,
                                    &c->wakes,   &c->late,  &c->samples};
    if (c->held < HELD_SORTED || c->held < c->spill_at)
        return TK_OK;
    int rc = c->spill ? TK_OK : tk_spill_open(&c->spill, c->ctx->options->spool_dir, err);
    for (size_t i = 0; i < c->threads.n && rc == TK_OK; i++)
        rc = spill_track(c, &c->threads.v[i]->scopes, all, err);
    for (size_t i = 0; i < sizeof others / sizeof *others && rc == TK_OK; i++)
        rc = spill_track(c, others[i], all, err);
    c->spill_at = c->held + HELD_SORTED; /* what is left is not looked at again for a while */
    return rc;
}

static inline int keep(struct tk_ev_capture *c, struct tk_ev_track *track, struct tk_ev_item item)
{
    if (c->kept >= c->ctx->limits.kept_events)
        return leave_out(c, TK_EV_BEYOND_EVENT);
    c->kept++;
    const size_t bytes = tk_ev_track_add(track, &item);
    c->held += bytes;
    return bytes ? 0 : -1;
}

/* ---- who ---- */

/* The place of a tuple in a list of n; where there are too many of them, that of the one that stands for all
 * others, whose tuple no other has. */
static uint32_t place_of(struct tk_ev_ids *ids, const struct tk_ev_key *key, uint64_t most, bool *is_beyond)
{
    const struct tk_ev_key others = {{0, 0, 0, 0, 0, UINT64_MAX}};
    const uint32_t at = tk_ev_ids_number(ids, key, most);
    *is_beyond = at == TK_EV_IDS_FULL;
    return *is_beyond ? tk_ev_ids_number(ids, &others, UINT64_MAX) : at;
}

uint32_t tk_ev_process(struct tk_ev_capture *c, const struct tk_ev_id *id)
{
    struct tk_ev_key key = {{(uint64_t)(uintptr_t)id->text, (uint64_t)id->number}};
    struct tk_ev_process process = {*id, id->text, false, false};
    uint32_t at = place_of(&c->process_ids, &key, c->ctx->limits.threads, &process.is_beyond);
    if (at < c->processes.n)
        return at;
    if (process.is_beyond)
        process = (struct tk_ev_process){.is_beyond = true};
    if (at != c->processes.n || tk_vec_push(&c->processes, process))
        return UINT32_MAX;
    return at;
}

uint32_t tk_ev_thread(struct tk_ev_capture *c, uint32_t process, const struct tk_ev_id *id, uint64_t track)
{
    struct tk_ev_key key = {{(uint64_t)(uintptr_t)id->text, (uint64_t)id->number, process, track}};
    const uint64_t most = c->processes.v[process].is_beyond ? 0 : c->ctx->limits.threads;
    bool is_beyond;
    uint32_t at = place_of(&c->thread_ids, &key, most, &is_beyond);
    if (at < c->threads.n)
        return at;
    struct tk_ev_thread *thread = at == c->threads.n ? calloc(1, sizeof *thread) : NULL;
    if (!thread || tk_vec_push(&c->threads, thread)) {
        free(thread);
        return UINT32_MAX;
    }
    thread->process = process;
    thread->is_hidden = thread->is_beyond = is_beyond;
    if (is_beyond)
        return at;
    thread->id = *id;
    thread->track = track;
    thread->name = id->text;
    thread->named = id->text != NULL;
    return at;
}

void tk_ev_make_part(struct tk_ev_capture *c, uint32_t thread, uint32_t part)
{
    struct tk_ev_thread *whole = c->threads.v[thread], *t = c->threads.v[part];
    t->part_of = thread + 1;
    t->is_hidden = true;
    t->part = whole->part;
    whole->part = part + 1;
}

/* ---- scopes ---- */

static void see_place(const struct tk_ev_capture *c, uint64_t *first)
{
    if (*first == TK_NO_OFFSET || c->offset < *first)
        *first = c->offset;
}

static int keep_scope(struct tk_ev_capture *c, struct tk_ev_thread *t, struct tk_ev_item item)
{
    if (t->is_beyond)
        return leave_out(c, TK_EV_BEYOND_THREAD);
    item.order = t->order++;
    if (c->pass == TK_EV_PLACES && t->unmatched == item.order + 1)
        see_place(c, &c->scope_end_at);
    if (c->pass != TK_EV_GATHER)
        return 0;
    if (c->kept >= c->ctx->limits.kept_events)
        tk_ev_nested_fail(&t->nested);
    return keep(c, &t->scopes, item);
}

int tk_ev_begin(struct tk_ev_capture *c, uint32_t thread, int64_t time, uint32_t timer)
{
    struct tk_ev_thread *t = c->threads.v[thread];
    if (timer == TK_EV_NO_NAME)
        return -1;
    tk_ev_seen(c, time);
    t->any_pair = true;
    if (c->pass == TK_EV_GATHER && tk_ev_nested_begin(&t->nested, time, c->names.name_of_timer.v[timer]))
        return -1;
    if (tk_ev_timer_is_beyond(&c->names, timer))
        leave_out(c, TK_EV_BEYOND_TIMER);
    return keep_scope(c, t, (struct tk_ev_item){time, TK_EV_BEGIN, timer, 0});
}

int tk_ev_end(struct tk_ev_capture *c, uint32_t thread, int64_t time, uint32_t name)
{
    struct tk_ev_thread *t = c->threads.v[thread];
    tk_ev_seen(c, time);
    if (c->pass == TK_EV_GATHER)
        tk_ev_nested_end(&t->nested, time, name);
    return keep_scope(c, t, (struct tk_ev_item){time, TK_EV_END, name, 0});
}

/* Of one walk: another one begins with times that lie before the last ones of this. */
static void see_order(struct tk_ev_thread *t, int64_t time, int64_t end)
{
    if (t->any_whole) {
        t->begins_fall |= time < t->last_begin;
        t->ends_fall |= end < t->last_end;
    }
    t->any_whole = true;
    t->last_begin = time;
    t->last_end = end;
}

int tk_ev_whole(struct tk_ev_capture *c, uint32_t thread, int64_t time, int64_t end, uint32_t timer)
{
    struct tk_ev_thread *t = c->threads.v[thread];
    if (timer == TK_EV_NO_NAME)
        return -1;
    tk_ev_seen(c, time);
    tk_ev_seen(c, end);
    if (tk_ev_timer_is_beyond(&c->names, timer))
        leave_out(c, TK_EV_BEYOND_TIMER);
    if (c->pass == TK_EV_GATHER)
        see_order(t, time, end);
    return keep_scope(c, t, (struct tk_ev_item){time, end, timer, 0});
}

int tk_ev_frame(struct tk_ev_capture *c, uint32_t thread, int64_t time, int64_t end)
{
    struct tk_ev_thread *t = c->threads.v[thread];
    tk_ev_seen(c, time);
    if (end != TK_EV_OPEN)
        tk_ev_seen(c, end);
    if (c->pass == TK_EV_GATHER)
        see_order(t, time, end);
    return keep_scope(c, t, (struct tk_ev_item){time, end, 0, 0});
}

int tk_ev_open(struct tk_ev_capture *c, uint32_t thread, int64_t time, uint32_t timer)
{
    struct tk_ev_thread *t = c->threads.v[thread];
    if (timer == TK_EV_NO_NAME)
        return -1;
    tk_ev_seen(c, time);
    if (tk_ev_timer_is_beyond(&c->names, timer))
        leave_out(c, TK_EV_BEYOND_TIMER);
    if (c->pass == TK_EV_GATHER)
        see_order(t, time, TK_EV_OPEN);
    return keep_scope(c, t, (struct tk_ev_item){time, TK_EV_OPEN, timer, 0});
}

int tk_ev_scope_text(struct tk_ev_capture *c, uint32_t thread, const struct tk_str *text)
{
    struct tk_ev_thread *t = c->threads.v[thread];
    if (t->is_beyond)
        return 0;
    if (!text || tk_vec_reach(&t->texts, (size_t)t->order + 1))
        return -1;
    t->texts.v[t->order] = text;
    return 0;
}

/* ---- the rest ---- */

int tk_ev_region(struct tk_ev_capture *c, const struct tk_ev_region *r)
{
    tk_ev_seen(c, r->time);
    if (c->pass == TK_EV_PLACES && c->unmatched_region == ++c->regions_seen)
        see_place(c, &c->region_end_at);
    if (c->pass != TK_EV_GATHER)
        return 0;
    const uint32_t label = tk_ev_label(&c->names, r->name, r->category);
    if (label == TK_EV_NO_NAME)
        return -1;
    const uint64_t key = (r->key & ~TK_EV_REGION_ALONE) | (r->alone ? TK_EV_REGION_ALONE : 0);
    return keep(c, &c->regions,
                (struct tk_ev_item){r->time, (int64_t)key, label,
                                    (uint32_t)(c->regions.n << 1) | (r->ends ? TK_EV_REGION_ENDS : 0)});
}

/* A thread that is beyond the limit is not reported. */
static uint32_t thread_reported(const struct tk_ev_capture *c, uint32_t thread)
{
    return thread < c->threads.n && c->threads.v[thread]->is_beyond ? TK_NO_THREAD : thread;
}

int tk_ev_mark(struct tk_ev_capture *c, const struct tk_ev_mark *m)
{
    tk_ev_seen(c, m->time);
    if (c->pass != TK_EV_GATHER)
        return 0;
    const uint32_t thread = thread_reported(c, m->thread);
    return keep(c, &c->marks,
                (struct tk_ev_item){m->time, (int64_t)((uint64_t)thread << 32 | m->category), m->text,
                                    (uint32_t)(c->marks.n << 4) | (m->verbosity & 7u) |
                                        (m->bookmark ? TK_EV_MARK_BOOKMARK : 0)});
}

/* Those of processes beyond the limit are no counter of one process. */
uint32_t tk_ev_counter(struct tk_ev_capture *c, uint32_t process, uint32_t name, uint64_t track)
{
    struct tk_ev_key key = {{process, name, track}};
    struct tk_ev_counter counter = {.process = process, .name = name};
    const bool gone = process < c->processes.n && c->processes.v[process].is_beyond;
    uint32_t at = place_of(&c->counter_ids, &key, gone ? 0 : c->ctx->limits.counters, &counter.is_beyond);
    if (at < c->counters.n)
        return at;
    if (at != c->counters.n || tk_vec_push(&c->counters, counter))
        return UINT32_MAX;
    return at;
}

int tk_ev_value(struct tk_ev_capture *c, uint32_t counter, int64_t time, struct tk_number value)
{
    int64_t bits = value.v.i;
    tk_ev_seen(c, time);
    if (value.real) {
        memcpy(&bits, &value.v.r, sizeof bits);
        c->counters.v[counter].real = true;
    }
    if (c->counters.v[counter].is_beyond)
        return leave_out(c, TK_EV_BEYOND_COUNTER);
    if (c->pass != TK_EV_GATHER)
        return 0;
    return keep(
        c, &c->values,
        (struct tk_ev_item){time, bits, counter | (value.real ? TK_EV_REAL : 0), (uint32_t)c->values.n});
}

/* The place of a thread of the system, which is most often one of the last; as tk_ev_ids_number. */
static inline uint32_t system_place(struct tk_ev_capture *c, uint64_t system_id)
{
    const struct tk_ev_key key = {{system_id}};
    uint32_t *recent = &c->recent_systems[system_id % TK_EV_RECENT_SYSTEMS];
    if (*recent < c->system_ids.keys.n && c->system_ids.keys.v[*recent].word[0] == system_id)
        return *recent;
    const uint32_t place = tk_ev_ids_number(&c->system_ids, &key, c->ctx->limits.definitions);
    *recent = place;
    return place;
}

int tk_ev_switch(struct tk_ev_capture *c, uint64_t system_id, int64_t time, int64_t end, uint32_t core,
                 enum tk_run_end state)
{
    tk_ev_seen(c, time);
    if (end != TK_EV_OPEN)
        tk_ev_seen(c, end);
    const uint32_t place = system_place(c, system_id);
    if (place == UINT32_MAX)
        return -1;
    if (place == TK_EV_IDS_FULL)
        return leave_out(c, TK_EV_BEYOND_SYSTEM);
    return c->pass == TK_EV_GATHER
               ? keep(c, &c->switches, (struct tk_ev_item){time, end, core | (uint32_t)state << 16, place})
               : 0;
}

int tk_ev_wake(struct tk_ev_capture *c, uint64_t system_id, int64_t time, uint32_t waker_core, bool sure)
{
    tk_ev_seen(c, time);
    return c->pass == TK_EV_GATHER
               ? keep(c, &c->wakes, (struct tk_ev_item){time, (int64_t)system_id, waker_core, sure})
               : 0;
}

int tk_ev_sample(struct tk_ev_capture *c, int64_t time, uint64_t system_id, uint32_t stack)
{
    tk_ev_seen(c, time);
    if (c->pass != TK_EV_GATHER)
        return 0;
    return keep(c, &c->samples, (struct tk_ev_item){time, (int64_t)system_id, stack, (uint32_t)c->samples.n});
}

int tk_ev_samples(struct tk_ev_capture *c, int64_t time, uint64_t system_id, uint32_t stack, uint64_t weight)
{
    const size_t known = c->samples.n;
    if (tk_ev_sample(c, time, system_id, stack))
        return -1;
    return c->samples.n > known ? tk_vec_push(&c->sample_weights, weight) : 0;
}

int tk_ev_system_thread(struct tk_ev_capture *c, uint64_t system_id, uint64_t process, const void *name,
                        size_t n)
{
    struct tk_ev_key key = {{system_id}};
    uint32_t place = tk_ev_ids_number(&c->system_ids, &key, c->ctx->limits.definitions);
    if (place == TK_EV_IDS_FULL)
        return leave_out(c, TK_EV_BEYOND_SYSTEM);
    if (place == UINT32_MAX || tk_vec_reach(&c->systems, (size_t)place + 1))
        return -1;
    c->systems.v[place].name = tk_ev_text(&c->names, name, n);
    c->systems.v[place].process = process ? process : c->systems.v[place].process;
    return c->systems.v[place].name ? 0 : -1;
}

int tk_ev_session(struct tk_ev_capture *c, const char *key, size_t n, struct tk_cell value)
{
    struct tk_fact fact = {
        .kind = TK_FACT_SESSION, .size = sizeof fact, .thread = TK_NO_THREAD, .seq = TK_NO_SEQ};
    if (c->pass != TK_EV_GATHER || c->session.n >= TK_EV_SESSION_MOST)
        return 0;
    fact.u.session = (struct tk_fact_session){tk_ev_text(&c->names, key, n), value};
    if (!fact.u.session.key || tk_vec_push(&c->session, fact))
        return -1;
    return 0;
}

/* ---- what is put off ---- */

enum { SPILL_EACH = 65536 };

int tk_ev_late(struct tk_ev_capture *c, int64_t time, uint32_t what, int64_t value)
{
    if (c->pass != TK_EV_GATHER)
        return 0;
    return keep(c, &c->late, (struct tk_ev_item){time, value, what, (uint32_t)c->late.n});
}

int tk_ev_late_each(struct tk_ev_capture *c, int (*take)(void *ctx, const struct tk_ev_item *item), void *ctx,
                    struct tk_err *err)
{
    struct tk_ev_track late = c->late;
    struct tk_ev_ordered ordered = {0};
    const struct tk_ev_item *item;
    uint64_t n = 0;
    c->held -= late.held.n; /* it goes as it is read, and what comes of it is kept */
    c->kept -= late.n;
    c->late = (struct tk_ev_track){0};
    int rc = tk_ev_ordered_open(&ordered, &late, c->spill, c->ctx->options->spool_dir, err);
    for (rc = rc == TK_OK ? TK_ITEM : rc; rc == TK_ITEM;) {
        rc = tk_ev_ordered_next(&ordered, &item, err);
        if (rc == TK_ITEM && take(ctx, item))
            rc = tk_ev_failed(err);
        const int spilled = rc == TK_ITEM && ++n % SPILL_EACH == 0 ? tk_ev_capture_spill(c, err) : TK_OK;
        rc = spilled < 0 ? spilled : rc;
    }
    tk_ev_ordered_release(&ordered);
    tk_ev_track_release(&late);
    return rc;
}

/* ---- records ---- */

void tk_ev_record_value(const struct tk_record *rec, uint32_t field, struct tk_cell *out)
{
    const struct tk_cell *cells = rec->impl;
    *out = cells[field];
}

int tk_ev_record(struct tk_ev_capture *c, const struct tk_record_type *type, uint32_t thread, bool has_time,
                 int64_t time, uint64_t offset, const struct tk_cell *cells)
{
    struct tk_fact fact = {.kind = TK_FACT_RECORD,
                           .size = sizeof fact,
                           .thread = tk_ev_thread_number(c, thread_reported(c, thread)),
                           .time = has_time && time >= c->first ? tk_ev_since(c->first, time) : 0,
                           .seq = TK_NO_SEQ};
    has_time = has_time && time >= c->first;
    fact.u.record = (struct tk_fact_record){.rec = {type, cells}, .offset = offset, .has_time = has_time};
    return tk_vec_push(&c->records, fact) ? -1 : 0;
}
