/*
 * Timers kept between questions: see known_timers.h. Their bytes:
 *
 * - timers: how many; the origin of each, in order of ids
 *
 * - are instances of metadata defined among events? Then these (metadata_instances.h)
 */
#include "format/utrace/reading/known_timers.h"

#include "format/utrace/scopes/timer_ids.h"

/* How a timer was defined while events were read: 0, or 1 + the type of the scoped event. */
enum { COROUTINE, OF_TYPE };

/* false: in another way. */
static bool origin_of(const struct tk_ut_timers *t, size_t id, uint64_t *origin)
{
    *origin = COROUTINE;
    if (id == t->coroutine || id == t->frame)
        return true;
    for (size_t type = 0; type < t->by_type.n; type++)
        if (t->by_type.v[type] == id) {
            *origin = OF_TYPE + type;
            return true;
        }
    return false;
}

bool tk_ut_known_timers_can(const struct tk_ut_capture *c)
{
    const struct tk_ut_timers *t = c->timers;
    const size_t n = t->timers.n - c->opened.timers;
    uint64_t origin;
    bool good = c->definitions.n - c->opened.definitions == n && !t->n_late && !t->rebound;
    for (size_t id = c->opened.timers; id < t->timers.n && good; id++)
        good = origin_of(t, id, &origin);
    return good;
}

bool tk_ut_known_timers_keep(const struct tk_ut_capture *c, struct tk_kept_bytes *out)
{
    const struct tk_ut_timers *t = c->timers;
    const bool instances = tk_ut_timers_more(t, c->opened.instances);
    uint64_t origin = COROUTINE;
    if (!tk_ut_known_timers_can(c))
        return false;
    tk_kept_put(out, t->timers.n - c->opened.timers);
    for (size_t id = c->opened.timers; id < t->timers.n && origin_of(t, id, &origin); id++)
        tk_kept_put(out, origin);
    tk_kept_put(out, instances);
    if (instances)
        tk_ut_metadata_instances_keep(t->instances, out);
    return !out->failed;
}

static int define_timer(struct tk_ut_feed *feed, uint64_t origin)
{
    const struct tk_ut_schema *schema = &feed->capture->schema;
    uint32_t timer, frame;
    if (origin == COROUTINE)
        return tk_ut_timer_coroutine(feed, &timer, &frame);
    return origin - OF_TYPE < schema->types.n
               ? tk_ut_timer_of_type(feed, schema->types.v[origin - OF_TYPE], &timer)
               : TK_EFORMAT;
}

/* Passes over those that are defined already. */
static int define_timers(struct tk_ut_feed *feed, struct tk_cur *c)
{
    struct tk_ut_timers *t = feed->capture->timers;
    int rc = TK_OK;
    for (uint64_t i = tk_varint(c, "timers"); i > 0 && rc == TK_OK; i--) {
        const uint64_t origin = tk_varint(c, "a timer");
        rc = !tk_cur_ok(c) ? TK_EFORMAT : t->defined ? TK_OK : define_timer(feed, origin);
    }
    t->defined |= rc == TK_OK;
    return rc;
}

int tk_ut_known_timers_define(struct tk_ut_feed *feed, bool instances)
{
    struct tk_ut_timers *t = feed->capture->timers;
    const struct tk_kept *known = feed->capture->ctx->known;
    const bool index = feed->index;
    if (!known || !known->has[TK_KEPT_INSTANCES].n || (t->defined && (t->loaded || !instances)))
        return TK_OK;
    struct tk_cur c = tk_kept_cursor(known, TK_KEPT_INSTANCES);
    feed->index = true; /* batches begin with what is defined by then */
    int rc = define_timers(feed, &c);
    feed->index = index;
    const bool more = tk_varint(&c, "instances") != 0;
    if (rc != TK_OK || !more || !instances)
        return rc == TK_OK && !tk_cur_ok(&c) ? TK_EFORMAT : rc;
    t->loaded = true;
    return tk_ut_metadata_instances_load(&t->instances, c, t->timers.n);
}
