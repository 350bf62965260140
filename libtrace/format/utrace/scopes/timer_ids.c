/*
 * Identities and ids of timers.
 */
#include "format/utrace/scopes/timer_ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC_TABLE (1u << 20) /* spec ids up to here are looked up in a table */

struct tk_ut_timers *tk_ut_timers_new(void)
{
    struct tk_ut_timers *t = calloc(1, sizeof *t);
    if (t)
        t->coroutine = t->frame = t->lost_metadata = TK_MAP_NONE;
    return t;
}

void tk_ut_timers_free(struct tk_ut_timers *t)
{
    if (!t)
        return;
    tk_vec_release(&t->timers);
    tk_vec_release(&t->chain);
    tk_vec_release(&t->by_type);
    tk_map_release(&t->by_name);
    tk_map_release(&t->far_specs);
    tk_map_release(&t->late);
    tk_vec_release(&t->early);
    tk_ut_metadata_instances_free(t->instances);
    tk_ut_scope_texts_release(&t->texts);
    free(t->by_spec);
    free(t);
}

static uint64_t identity_hash(const struct tk_ut_timer *t)
{
    uint64_t name = tk_hash_pair((uintptr_t)t->name, (uint64_t)t->line << 8 | t->kind);
    return tk_hash_u64(name ^ (uint64_t)(uintptr_t)t->file);
}

static bool same_timer_ids(const struct tk_ut_timer *a, const struct tk_ut_timer *b)
{
    return a->name == b->name && a->file == b->file && a->line == b->line && a->kind == b->kind &&
           !a->placeholder && !b->placeholder;
}

static int say_timer_ids(struct tk_ut_feed *feed, uint32_t id, const struct tk_ut_timer *t)
{
    struct tk_fact fact = {
        .kind = TK_FACT_TIMER, .size = sizeof fact, .thread = TK_NO_THREAD, .seq = TK_NO_SEQ};
    fact.u.timer =
        (struct tk_fact_timer){.id = id, .kind = t->kind, .line = t->line, .name = t->name, .file = t->file};
    return tk_ut_define(feed, &fact);
}

/* Space for one more comes before anything names it: the capture may be queried again after memory was out.
 */
static int reserve(struct tk_ut_timers *s)
{
    return tk_vec_reserve(&s->timers, s->timers.n + 1) || tk_vec_reserve(&s->chain, s->chain.n + 1)
               ? TK_ENOMEM
               : TK_OK;
}

static int push_timer(struct tk_ut_feed *feed, struct tk_ut_timers *s, const struct tk_ut_timer *t,
                      uint32_t next)
{
    const uint32_t id = (uint32_t)s->timers.n;
    if (reserve(s) != TK_OK || tk_vec_push(&s->timers, *t) || tk_vec_push(&s->chain, next))
        return TK_ENOMEM;
    return say_timer_ids(feed, id, t);
}

/* The id of the timer that stands for all beyond the limit, which is the first without space. */
static uint32_t beyond_of(const struct tk_ut_feed *feed)
{
    const uint64_t most = feed->capture->ctx->limits.timers;
    return most < TK_LATE ? (uint32_t)most : TK_LATE - 1;
}

static int leave_out(struct tk_ut_feed *feed, struct tk_ut_timers *s, uint32_t *id)
{
    static const struct tk_ut_timer beyond = {.name = &tk_beyond_limit};
    *id = beyond_of(feed);
    tk_health_limit(feed->index ? &feed->capture->ctx->health : &feed->out->health, TK_LIMIT_timers,
                    TK_NO_OFFSET, 1, "scopes of further timers were combined into one timer");
    return s->timers.n > *id ? TK_OK : push_timer(feed, s, &beyond, TK_MAP_NONE);
}

/* A new id, found again by identity unless it is a placeholder. */
static int add_timer_ids(struct tk_ut_feed *feed, struct tk_ut_timers *s, const struct tk_ut_timer *t,
                         uint32_t *id)
{
    uint64_t hash = identity_hash(t);
    uint32_t next = TK_MAP_NONE;
    if (s->timers.n >= beyond_of(feed))
        return leave_out(feed, s, id);
    *id = (uint32_t)s->timers.n;
    if (!t->placeholder) {
        next = tk_map_get(&s->by_name, hash);
        if (reserve(s) != TK_OK || tk_map_put(&s->by_name, hash, *id))
            return TK_ENOMEM;
    }
    return push_timer(feed, s, t, next);
}

/* The id of an identity. */
static int intern_timer(struct tk_ut_feed *feed, struct tk_ut_timers *s, const struct tk_ut_timer *t,
                        uint32_t *id)
{
    uint32_t i = tk_map_get(&s->by_name, identity_hash(t));
    while (i != TK_MAP_NONE && !same_timer_ids(&s->timers.v[i], t))
        i = s->chain.v[i];
    *id = i;
    return i == TK_MAP_NONE ? add_timer_ids(feed, s, t, id) : TK_OK;
}

static int set_spec(struct tk_ut_timers *s, uint64_t spec, uint32_t timer)
{
    if (spec >= SPEC_TABLE)
        return tk_map_put(&s->far_specs, spec, timer) ? TK_ENOMEM : TK_OK;
    if (tk_vec_grow((void **)&s->by_spec, &s->cap_specs, (size_t)spec + 1, sizeof *s->by_spec))
        return TK_ENOMEM;
    for (; s->n_specs <= spec; s->n_specs++)
        s->by_spec[s->n_specs] = TK_CPU_UNKNOWN;
    s->by_spec[spec] = timer;
    return TK_OK;
}

static uint32_t get_spec(const struct tk_ut_timers *s, uint64_t spec)
{
    if (spec < s->n_specs)
        return s->by_spec[spec] == TK_CPU_UNKNOWN ? TK_MAP_NONE : s->by_spec[spec];
    return spec >= SPEC_TABLE ? tk_map_get(&s->far_specs, spec) : TK_MAP_NONE;
}

int tk_ut_timer_spec(struct tk_ut_feed *feed, uint32_t spec, const struct tk_ut_timer *timer)
{
    struct tk_ut_timers *s = feed->capture->timers;
    uint32_t id = get_spec(s, spec);
    if (id == beyond_of(feed))
        return TK_OK;
    bool place =
        id != TK_MAP_NONE && !s->timers.v[id].file && timer->file && timer->kind == s->timers.v[id].kind;
    if (id != TK_MAP_NONE && (s->timers.v[id].placeholder || place)) {
        s->timers.v[id] = *timer;
        return say_timer_ids(feed, id, timer);
    }
    if (id != TK_MAP_NONE && same_timer_ids(&s->timers.v[id], timer))
        return TK_OK;
    int rc = intern_timer(feed, s, timer, &id);
    return rc == TK_OK ? set_spec(s, spec, id) : rc;
}

const struct tk_ut_timer *tk_ut_timer_known(struct tk_ut_feed *feed, uint32_t spec)
{
    struct tk_ut_timers *s = feed->capture->timers;
    uint32_t id = get_spec(s, spec);
    return id == TK_MAP_NONE || s->timers.v[id].placeholder ? NULL : &s->timers.v[id];
}

/* A timer that the capture does not name. */
static int add_unnamed(struct tk_ut_feed *feed, struct tk_ut_timers *s, const char *name, uint8_t kind,
                       bool placeholder, uint32_t *id)
{
    struct tk_ut_timer t = {
        .name = tk_intern_c(&feed->capture->strings, name), .kind = kind, .placeholder = placeholder};
    return t.name ? add_timer_ids(feed, s, &t, id) : TK_ENOMEM;
}

/* ---- names that come behind their scopes ---- */

static int own_timer(struct tk_ut_feed *feed, const struct tk_ut_timer *from, struct tk_ut_timer *out)
{
    *out = *from;
    out->name = tk_ut_own_text(feed, from->name);
    out->file = from->file ? tk_ut_own_text(feed, from->file) : NULL;
    return out->name && (out->file || !from->file) ? TK_OK : TK_ENOMEM;
}

/* Names a placeholder by what the capture says later. */
static int name_ahead(struct tk_ut_feed *feed, uint64_t spec)
{
    const struct tk_ut_capture *ahead;
    struct tk_ut_timer timer;
    int rc = tk_ut_look_ahead(feed, &ahead);
    if (rc != TK_OK || !ahead || spec > UINT32_MAX)
        return rc;
    const uint32_t id = get_spec(ahead->timers, spec);
    if (id == TK_MAP_NONE || ahead->timers->timers.v[id].placeholder)
        return TK_OK;
    rc = own_timer(feed, &ahead->timers->timers.v[id], &timer);
    return rc == TK_OK ? tk_ut_timer_spec(feed, (uint32_t)spec, &timer) : rc;
}

int tk_ut_timers_name(struct tk_ut_feed *feed)
{
    struct tk_ut_timers *s = feed->capture->timers;
    const bool index = feed->index;
    int rc = TK_OK;
    feed->index = true; /* batches begin with what is defined by then */
    for (uint64_t spec = 0; spec < s->n_specs && rc == TK_OK; spec++) {
        const uint32_t id = get_spec(s, spec);
        if (id != TK_MAP_NONE && s->timers.v[id].placeholder)
            rc = name_ahead(feed, spec);
    }
    feed->index = index;
    return rc;
}

int tk_ut_timer_of_spec(struct tk_ut_feed *feed, uint64_t spec, uint32_t *out)
{
    struct tk_ut_timers *s = feed->capture->timers;
    char name[48];
    *out = get_spec(s, spec);
    if (*out != TK_MAP_NONE)
        return TK_OK;
    snprintf(name, sizeof name, "<unknown %llu>", (unsigned long long)spec);
    int rc = add_unnamed(feed, s, name, TK_TIMER_SPEC, true, out);
    if (rc == TK_OK)
        rc = set_spec(s, spec, *out);
    return rc == TK_OK ? name_ahead(feed, spec) : rc;
}

int tk_ut_timer_of_type(struct tk_ut_feed *feed, const struct tk_ut_type *type, uint32_t *out)
{
    struct tk_ut_timers *s = feed->capture->timers;
    while (s->by_type.n <= type->same)
        if (tk_vec_push(&s->by_type, TK_MAP_NONE))
            return TK_ENOMEM;
    *out = s->by_type.v[type->same];
    if (*out != TK_MAP_NONE)
        return TK_OK;
    struct tk_ut_timer t = {.kind = TK_TIMER_SCOPED_EVENT};
    t.name = tk_intern(&feed->capture->strings, type->name->p, type->name->n, TK_ENC_UTF8);
    int rc = t.name ? intern_timer(feed, s, &t, out) : TK_ENOMEM;
    if (rc == TK_OK)
        s->by_type.v[type->same] = *out;
    return rc;
}

int tk_ut_timer_named(struct tk_ut_feed *feed, const struct tk_str *name, uint8_t kind, uint32_t *out)
{
    struct tk_ut_timer t = {.name = name, .kind = kind};
    return intern_timer(feed, feed->capture->timers, &t, out);
}

uint32_t tk_ut_timer_slot(struct tk_ut_feed *feed)
{
    struct tk_ut_timers *s = feed->capture->timers;
    return s->n_late < feed->capture->ctx->limits.late_metadata ? s->n_late++ : TK_MAP_NONE;
}

int tk_ut_timer_reported(struct tk_ut_feed *feed, uint32_t slot, uint32_t timer)
{
    struct tk_fact fact = {
        .kind = TK_FACT_TIMER_LATE, .size = sizeof fact, .thread = TK_NO_THREAD, .seq = TK_NO_SEQ};
    fact.u.timer_late = (struct tk_fact_timer_late){slot, timer};
    return tk_ut_define(feed, &fact);
}

/* Scopes that waited for this instance get their timer. */
static int tell_late(struct tk_ut_feed *feed, struct tk_ut_timers *s, uint32_t instance, uint32_t timer)
{
    uint32_t slot = s->n_late ? tk_map_get(&s->late, instance) : TK_MAP_NONE;
    return slot == TK_MAP_NONE ? TK_OK : tk_ut_timer_reported(feed, slot, timer);
}

int tk_ut_timer_instance(struct tk_ut_feed *feed, uint32_t instance, uint32_t spec)
{
    struct tk_ut_timers *s = feed->capture->timers;
    const uint32_t before = tk_ut_metadata_instances_get(s->instances, instance);
    uint32_t timer;
    if (before == UINT32_MAX && s->n_instances++ >= feed->capture->ctx->limits.metadata_instances) {
        tk_health_limit(&feed->out->health, TK_LIMIT_metadata_instances, TK_NO_OFFSET, 1,
                        "a metadata instance was left out");
        return TK_OK;
    }
    int rc = tk_ut_timer_of_spec(feed, spec, &timer);
    if (rc == TK_OK && feed->request && feed->request->states)
        s->rebound |= before != UINT32_MAX && before != timer;
    if (rc == TK_OK && tk_ut_metadata_instances_put(&s->instances, instance, timer))
        rc = TK_ENOMEM;
    return rc == TK_OK ? tell_late(feed, s, instance, timer) : rc;
}

/* The timer of an instance, or UINT32_MAX. */
static uint32_t timer_bound(const struct tk_ut_timers *s, uint64_t instance)
{
    return instance < UINT32_MAX ? tk_ut_metadata_instances_get(s->instances, (uint32_t)instance)
                                 : UINT32_MAX;
}

/* The spec of a timer that is not defined. */
static uint64_t spec_of(const struct tk_ut_timers *s, uint32_t timer)
{
    uint64_t spec = 0;
    while (spec < s->n_specs && s->by_spec[spec] != timer)
        spec++;
    return spec < s->n_specs ? spec : UINT64_MAX;
}

/* Binds an instance as the capture does later. */
static int bind_ahead(struct tk_ut_feed *feed, uint64_t instance, uint32_t *out)
{
    struct tk_ut_timers *s = feed->capture->timers;
    const struct tk_ut_capture *ahead;
    struct tk_ut_timer timer;
    int rc = tk_ut_look_ahead(feed, &ahead);
    const uint32_t id = ahead ? timer_bound(ahead->timers, instance) : UINT32_MAX;
    if (rc != TK_OK || id == UINT32_MAX || s->n_instances >= feed->capture->ctx->limits.metadata_instances)
        return rc;
    const struct tk_ut_timer *from = &ahead->timers->timers.v[id];
    if (from->placeholder)
        rc = tk_ut_timer_of_spec(feed, spec_of(ahead->timers, id), out);
    else if ((rc = own_timer(feed, from, &timer)) == TK_OK)
        rc = intern_timer(feed, s, &timer, out);
    s->n_instances++;
    return rc == TK_OK && tk_ut_metadata_instances_put(&s->instances, (uint32_t)instance, *out) ? TK_ENOMEM
                                                                                                : rc;
}

int tk_ut_timer_of_instance(struct tk_ut_feed *feed, uint64_t instance, uint32_t *out)
{
    struct tk_ut_timers *s = feed->capture->timers;
    *out = timer_bound(s, instance);
    const int named = *out == UINT32_MAX ? bind_ahead(feed, instance, out) : TK_OK;
    if (named != TK_OK || *out != UINT32_MAX)
        return named;
    uint32_t slot = tk_map_get(&s->late, instance);
    if (slot == TK_MAP_NONE && s->n_late < feed->capture->ctx->limits.late_metadata) {
        slot = s->n_late;
        if (tk_vec_reserve(&s->early, s->early.n + 1) || tk_map_put(&s->late, instance, slot))
            return TK_ENOMEM;
        s->early.v[s->early.n++] = instance;
        s->n_late++;
    }
    if (slot != TK_MAP_NONE) {
        *out = TK_LATE + slot;
        return TK_OK;
    }
    tk_health_limit(&feed->out->health, TK_LIMIT_late_metadata, TK_NO_OFFSET, 1,
                    "a scope's metadata is no longer looked for");
    if (s->lost_metadata != TK_MAP_NONE) {
        *out = s->lost_metadata;
        return TK_OK;
    }
    int rc = add_unnamed(feed, s, "<unknown metadata>", TK_TIMER_METADATA, false, out);
    s->lost_metadata = *out;
    return rc;
}

static void note_instances(struct tk_ut_feed *feed, const struct tk_ut_timers *s)
{
    uint64_t n = 0, first = 0;
    for (size_t i = s->early.n; i-- > 0;) {
        if (timer_bound(s, s->early.v[i]) != UINT32_MAX)
            continue;
        first = s->early.v[i];
        n++;
    }
    if (n)
        tk_health_note(&feed->out->health, TK_HEALTH_DEFINITION_MISSING, TK_NO_OFFSET, n,
                       "scopes refer to metadata that is not defined, first to %llu",
                       (unsigned long long)first);
}

void tk_ut_timers_note_missing(struct tk_ut_feed *feed)
{
    const struct tk_ut_timers *s = feed->capture->timers;
    for (size_t i = 0; i < s->timers.n; i++) {
        const struct tk_str *name = s->timers.v[i].name;
        if (s->timers.v[i].placeholder)
            tk_health_note(&feed->out->health, TK_HEALTH_DEFINITION_MISSING, TK_NO_OFFSET, 1,
                           "scopes refer to timer %.*s, which is not defined", (int)name->n, name->p);
    }
    note_instances(feed, s);
}

const struct tk_str *tk_ut_timer_base_name(struct tk_ut_feed *feed, const struct tk_str *name,
                                           const struct tk_str *format)
{
    size_t n = 0;
    if (name->n && name != format)
        return name;
    while (n < format->n && !memchr("% (=", format->p[n], 4))
        n++;
    if (!n)
        return tk_intern_c(&feed->capture->strings, "Unknown");
    return tk_intern(&feed->capture->strings, format->p, n, TK_ENC_UTF8);
}

int tk_ut_timer_coroutine(struct tk_ut_feed *feed, uint32_t *coroutine, uint32_t *frame)
{
    struct tk_ut_timers *s = feed->capture->timers;
    int rc = TK_OK;
    if (s->coroutine == TK_MAP_NONE)
        rc = add_unnamed(feed, s, "Coroutine", TK_TIMER_COROUTINE, false, &s->coroutine);
    if (rc == TK_OK && s->frame == TK_MAP_NONE)
        rc = add_unnamed(feed, s, "<unknown>", TK_TIMER_COROUTINE, false, &s->frame);
    *coroutine = s->coroutine;
    *frame = s->frame;
    return rc;
}
