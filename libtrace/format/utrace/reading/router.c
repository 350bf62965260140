/*
 * Routing of events to families.
 */
#include "format/utrace/lanes/lane.h"
#include "format/utrace/reading/reading_common.h"
#include "format/utrace/reading/reading_in.h"
#include "format/utrace/scopes/scope_collect.h"

#include <stdio.h>

/* Who handles events of a type. */
struct tk_ut_route {
    uint32_t family, bind;
    struct tk_ut_route *next;
    const struct tk_ut_field *bound[TK_UT_BIND_FIELDS];
};

/* ---- who wants what ---- */

/* Are definitions on ordinary lanes handled in this reading? They are when no reading saw them all. */
static bool defines_here(const struct tk_ut_feed *feed)
{
    return feed->index || (!feed->capture->complete && feed->capture->header.protocol >= 5);
}

static bool requested_rows(const struct tk_ut_feed *feed, const struct tk_ut_family *family)
{
    for (size_t i = 0; family->rows && family->rows[i]; i++)
        if (tk_ut_requested_row(feed, family->rows[i]))
            return true;
    return false;
}

static bool active(const struct tk_ut_feed *feed, const struct tk_ut_family *family,
                   const struct tk_ut_bind *bind)
{
    if (feed->only && feed->only != family)
        return false;
    if (bind->define)
        return defines_here(feed);
    return !feed->index && (tk_ut_requested(feed, family->facts) || requested_rows(feed, family));
}

static int add_route(struct tk_ut_feed *feed, const struct tk_ut_type *t, uint32_t family, uint32_t bind)
{
    struct tk_ut_route *r = tk_arena_alloc(&feed->arena, sizeof *r);
    const struct tk_ut_bind *b = &tk_ut_families[family]->binds[bind];
    if (!r)
        return TK_ENOMEM;
    *r = (struct tk_ut_route){.family = family, .bind = bind, .next = feed->routes.v[t->id]};
    for (size_t i = 0; i < TK_UT_BIND_FIELDS && b->fields[i]; i++)
        r->bound[i] = tk_ut_type_field(t, b->fields[i]);
    feed->routes.v[t->id] = r;
    feed->marks |= tk_ut_families[family]->scope_end != NULL;
    return TK_OK;
}

/* Can it be said of the first letters alone that a bind is about other events? Of nearly all it can, and each
 * type meets all binds whenever a reading begins. */
static inline bool begins_otherwise(const struct tk_ut_bind *bind, const struct tk_ut_type *t)
{
    return *bind->event != *t->name->p && *bind->event != '*';
}

static int resolve(struct tk_ut_feed *feed, const struct tk_ut_type *t)
{
    if (tk_vec_push(&feed->routes, NULL) || tk_vec_push(&feed->times, tk_ut_time_rule_of(t)) ||
        tk_vec_push(&feed->records, feed->request && tk_ut_wants_record(feed->request, t)))
        return TK_ENOMEM;
    for (uint32_t f = 0; tk_ut_families[f]; f++)
        for (uint32_t b = 0; tk_ut_families[f]->binds[b].event; b++)
            if (!begins_otherwise(&tk_ut_families[f]->binds[b], t) &&
                tk_ut_bind_concerns(&tk_ut_families[f]->binds[b], t) &&
                active(feed, tk_ut_families[f], &tk_ut_families[f]->binds[b]) &&
                add_route(feed, t, f, b) != TK_OK)
                return TK_ENOMEM;
    return TK_OK;
}

int tk_ut_feed_resolve(struct tk_ut_feed *feed)
{
    while (feed->routes.n < feed->capture->schema.types.n)
        if (resolve(feed, feed->capture->schema.types.v[feed->routes.n]) != TK_OK)
            return TK_ENOMEM;
    return TK_OK;
}

/* Families judge the numbers of their events, and nobody those of others; texts are cut by all alike. */
static void check_arrays(struct tk_ut_feed *feed, const struct tk_ut_event *ev)
{
    const struct tk_ut_field *odd = tk_ut_event_odd_array(ev, !ev->type->record.family);
    char what[UINT8_MAX + 64];
    if (!odd)
        return;
    snprintf(what, sizeof what, "its field '%.*s' ends inside an element", (int)odd->name->n, odd->name->p);
    tk_ut_bad_payload(feed, ev, what);
}

/* Is the family only there for facts that are to be kept for later? */
static bool is_extra(const struct tk_ut_feed *feed, const struct tk_ut_family *family)
{
    const struct tk_request *request = feed->request;
    return request && request->extra && (family->facts & request->facts & request->extra) &&
           !(family->facts & request->facts & ~request->extra) && !requested_rows(feed, family);
}

uint8_t tk_ut_feed_wants(const struct tk_ut_feed *feed, uint32_t type)
{
    const struct tk_ut_time_rule *rule = &feed->times.v[type];
    bool timed = feed->follows && (rule->field || rule->shift);
    uint8_t wants = feed->routes.v[type] || feed->records.v[type] || timed ? TK_UT_WANT_EVENTS : 0;
    bool extra = feed->routes.v[type] && !feed->records.v[type] && !timed;
    for (const struct tk_ut_route *r = feed->routes.v[type]; r; r = r->next) {
        const struct tk_ut_family *family = tk_ut_families[r->family];
        wants |= family->scope_end ? TK_UT_WANT_SCOPES : 0;
        extra &= !family->binds[r->bind].define && is_extra(feed, family);
    }
    return wants | (extra ? TK_UT_WANT_EXTRA : 0);
}

bool tk_ut_feed_wants_important(const struct tk_ut_feed *feed)
{
    for (size_t i = 0; i < feed->routes.n; i++) {
        if (!(feed->capture->schema.types.v[i]->flags & TK_UT_FLAG_IMPORTANT))
            continue;
        for (const struct tk_ut_route *r = feed->routes.v[i]; r; r = r->next)
            if (!tk_ut_families[r->family]->binds[r->bind].define)
                return true;
    }
    return false;
}

static tk_ut_quick_fn *quick_of(const struct tk_ut_family *family, tk_ut_event_fn *fn)
{
    const struct tk_ut_quick_bind *q = family->quick;
    while (q && q->fn && q->fn != fn)
        q++;
    return q ? q->quick : NULL;
}

/* Where a field is; false where it is no number without sign. */
static bool find_quick(const struct tk_ut_type *type, const struct tk_ut_field *f,
                       struct tk_ut_quick_field *out)
{
    *out = (struct tk_ut_quick_field){0};
    if (!f)
        return true;
    if (f->info > TK_UT_INFO_WIDTH || !f->readable || f->size != 1u << f->info ||
        (uint32_t)f->offset + f->size > type->fixed)
        return false;
    *out = (struct tk_ut_quick_field){UINT64_MAX >> (64 - 8 * f->size), f->offset};
    return true;
}

bool tk_ut_feed_quick(const struct tk_ut_feed *feed, const struct tk_ut_type *type, struct tk_ut_quick *out)
{
    const struct tk_ut_route *r = feed->routes.v[type->id];
    if (!r || r->next || feed->records.v[type->id] || feed->follows || feed->index)
        return false;
    const struct tk_ut_family *family = tk_ut_families[r->family];
    const struct tk_ut_bind *bind = &family->binds[r->bind];
    *out = (struct tk_ut_quick){.fn = quick_of(family, bind->fn), .state = feed->capture->states[r->family]};
    if (!out->fn || bind->define || is_extra(feed, family))
        return false;
    for (size_t i = 0; i < TK_UT_BIND_FIELDS; i++)
        if (!find_quick(type, r->bound[i], &out->fields[i]))
            return false;
    return true;
}

/* ---- events ---- */

/* Important events are kept by the recorder, and sent again to who connects late: they may have happened long
 * before. Whether a batch ends when it says is for the scopes to judge. */
static void follow_time(struct tk_ut_feed *feed, struct tk_ut_lane *lane, const struct tk_ut_event *ev)
{
    const struct tk_ut_time_rule *rule = &feed->times.v[ev->type->id];
    int64_t time;
    if (!tk_ut_event_time(feed, ev, &time))
        return;
    if (time > lane->latest)
        lane->latest = time;
    if (rule->clock || time < 0)
        return;
    if (!feed->important && !lane->has_time) {
        lane->has_time = true;
        feed->first = time < feed->first ? time : feed->first;
    }
    if (!rule->shift && time > feed->latest)
        feed->latest = time;
}

/* A fact that waits, as tk_ut_emit_slot. */
static struct tk_fact *held_slot(struct tk_ut_feed *feed, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_RECORD, 0);
    return tk_vec_push(&feed->held.facts, fact) ? NULL : &feed->held.facts.v[feed->held.facts.n - 1];
}

/* Says an event as it stands. */
static int emit_record(struct tk_ut_feed *feed, const struct tk_ut_event *ev)
{
    bool held = ev->offset > feed->held.behind;
    const struct tk_ut_event *copy = tk_ut_event_keep(feed, ev, held ? &feed->held.arena : &feed->out->arena);
    struct tk_fact *fact = !copy  ? NULL
                           : held ? held_slot(feed, ev)
                                  : tk_ut_emit_slot(feed, ev, TK_FACT_RECORD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.record = (struct tk_fact_record){.rec = {&ev->type->record, copy},
                                             .offset = ev->offset,
                                             .within = ev->within,
                                             .serial = ev->serial,
                                             .has_serial = ev->has_serial,
                                             .incomplete = ev->incomplete};
    fact->u.record.has_time = tk_ut_event_time(feed, ev, &fact->time);
    if (!fact->u.record.has_time)
        fact->time = feed->lane->latest;
    if (ev->n_attachment)
        fact->u.record.attachment =
            (struct tk_cell){.kind = TK_BYTES, .n = ev->n_attachment, .v.p = copy->attachment};
    return TK_OK;
}

/* What families note that nobody requested goes to a health of its own. */
static void swap_health(struct tk_ut_feed *feed)
{
    const struct tk_health health = feed->out->health;
    feed->out->health = feed->extra;
    feed->extra = health;
}

static int handle(struct tk_ut_feed *feed, const struct tk_ut_route *r, const struct tk_ut_event *ev)
{
    const struct tk_ut_family *family = tk_ut_families[r->family];
    const struct tk_ut_bind *bind = &family->binds[r->bind];
    const bool extra = !bind->define && is_extra(feed, family);
    if (extra)
        swap_health(feed);
    const int rc = bind->fn(feed, feed->capture->states[r->family], ev);
    if (extra)
        swap_health(feed);
    return rc;
}

int tk_ut_feed_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct tk_ut_feed *feed = self;
    int rc = TK_OK;
    if (ev->type->id >= feed->routes.n && tk_ut_feed_resolve(feed) != TK_OK)
        return TK_ENOMEM;
    feed->lane = lane;
    if (feed->follows)
        follow_time(feed, lane, ev);
    if (ev->has_serial && feed->serials)
        ev->seq = tk_ut_serials_unwrap(feed->serials, ev->serial);
    for (const struct tk_ut_route *r = feed->routes.v[ev->type->id]; r && rc == TK_OK; r = r->next) {
        const struct tk_ut_bind *bind = &tk_ut_families[r->family]->binds[r->bind];
        /* On tid 1 all definitions were taken by the index pass. */
        if (feed->important && !feed->index && bind->define)
            continue;
        ev->bound = r->bound;
        rc = handle(feed, r, ev);
    }
    if (feed->records.v[ev->type->id] && ev->n_blobs)
        check_arrays(feed, ev);
    if (rc == TK_OK && feed->records.v[ev->type->id] && !(feed->request->decode_only & TK_FACT_MASK(RECORD)))
        rc = emit_record(feed, ev);
    return rc;
}

int tk_ut_feed_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time)
{
    struct tk_ut_feed *feed = self;
    return feed->scopes ? tk_ut_scopes_enter(feed, lane, type, time) : TK_OK;
}

int tk_ut_feed_leave(void *self, struct tk_ut_lane *lane, int64_t time)
{
    struct tk_ut_feed *feed = self;
    return feed->scopes ? tk_ut_scopes_leave(feed, lane, time) : TK_OK;
}

int tk_ut_feed_cut(void *self, struct tk_ut_lane *lane)
{
    struct tk_ut_feed *feed = self;
    int rc = feed->scopes ? tk_ut_scopes_cut(feed, lane) : TK_OK;
    return rc == TK_OK && feed->marks ? tk_ut_feed_cut_families(feed, lane->tid) : rc;
}

int tk_ut_feed_cut_families(struct tk_ut_feed *feed, uint32_t tid)
{
    int rc = TK_OK;
    for (uint32_t f = 0; tk_ut_families[f] && rc == TK_OK; f++) {
        const struct tk_ut_family *family = tk_ut_families[f];
        if (family->cut && (tk_ut_requested(feed, family->facts) || requested_rows(feed, family)))
            rc = family->cut(feed, feed->capture->states[f], tid);
    }
    return rc;
}

int tk_ut_feed_scope_end(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type)
{
    struct tk_ut_feed *feed = self;
    int rc = TK_OK;
    if (type->id >= feed->routes.n && tk_ut_feed_resolve(feed) != TK_OK)
        return TK_ENOMEM;
    for (const struct tk_ut_route *r = feed->routes.v[type->id]; r && rc == TK_OK; r = r->next) {
        const struct tk_ut_family *family = tk_ut_families[r->family];
        if (family->scope_end)
            rc =
                family->scope_end(feed, feed->capture->states[r->family], &family->binds[r->bind], lane->tid);
    }
    return rc;
}

int tk_ut_feed_gap(struct tk_ut_feed *feed, enum tk_fact_kind kind, uint64_t first, uint64_t last)
{
    struct tk_fact fact = {.kind = (uint16_t)kind, .size = sizeof fact, .thread = TK_NO_THREAD, .seq = first};
    fact.u.gap.last = last;
    return tk_ut_requested(feed, UINT64_C(1) << kind) ? tk_ut_emit(feed, &fact) : TK_OK;
}

int tk_ut_feed_gap_families(struct tk_ut_feed *feed)
{
    int rc = TK_OK;
    for (uint32_t f = 0; tk_ut_families[f] && rc == TK_OK; f++)
        if (tk_ut_families[f]->gap && tk_ut_requested(feed, tk_ut_families[f]->facts))
            rc = tk_ut_families[f]->gap(feed, feed->capture->states[f]);
    return rc;
}

int tk_ut_feed_finish(struct tk_ut_feed *feed)
{
    int rc = TK_OK;
    for (uint32_t f = 0; tk_ut_families[f] && rc == TK_OK; f++) {
        const bool extra = is_extra(feed, tk_ut_families[f]);
        if (extra)
            swap_health(feed);
        if (tk_ut_families[f]->finish)
            rc = tk_ut_families[f]->finish(feed, feed->capture->states[f]);
        if (extra)
            swap_health(feed);
    }
    return rc;
}

void tk_ut_feed_release(struct tk_ut_feed *feed)
{
    tk_ut_held_release(&feed->held);
    tk_health_release(&feed->extra);
    tk_vec_release(&feed->routes);
    tk_vec_release(&feed->records);
    tk_vec_release(&feed->times);
    tk_arena_release(&feed->arena);
}
