/*
 * Packages by their addresses.
 */
#include "base/wrap.h"
#include "format/utrace/families/loading/loading_in.h"

/*
 * Steps of loading on threads: the summary of a package, and what is done with objects (events 8.1).
 */

#define NO_PACKAGE UINT32_MAX

enum { CYCLE, SECOND, THIRD };

static struct tk_ut_load_line *thread_of_load_step(struct tk_ut_feed *feed, struct tk_ut_load_state *s,
                                                   uint32_t tid, int *rc)
{
    struct tk_ut_load_line *t = tk_record_map_get(&s->threads, tid);
    *rc = TK_OK;
    if (t || s->threads.count >= feed->capture->ctx->limits.threads)
        return t;
    if (!(t = tk_record_map_put(&s->threads, tid)))
        *rc = TK_ENOMEM;
    return t;
}

static int push(struct tk_ut_feed *feed, struct tk_ut_load_state *s, const struct tk_ut_event *ev,
                struct tk_ut_load_step step)
{
    int rc;
    struct tk_ut_load_line *t = thread_of_load_step(feed, s, ev->tid, &rc);
    step.begin = tk_ut_since(feed, tk_ut_u64(ev, CYCLE));
    if (!t)
        return rc;
    if (t->steps.n >= feed->capture->ctx->limits.open_scopes) {
        tk_health_limit(&feed->out->health, TK_LIMIT_open_scopes, ev->offset, 1,
                        "a step of loading on thread %u was left out", ev->tid);
        return TK_OK;
    }
    return tk_vec_push(&t->steps, step) ? TK_ENOMEM : TK_OK;
}

static int say_step(struct tk_ut_feed *feed, const struct tk_ut_load_state *s, const struct tk_ut_event *ev,
                    const struct tk_ut_load_step *step, int64_t end)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_LOAD_STEP, step->begin);
    int64_t length = tk_wrap_sub(end, step->begin);
    if (!tk_ut_requested(feed, TK_FACT_MASK(LOAD_STEP)))
        return TK_OK;
    fact.u.load_step = (struct tk_fact_load_step){
        .package = step->package,
        .op = step->op,
        .has_size = step->sized,
        .class_name = step->class_key ? tk_ut_id_names_get(&s->classes, step->class_key) : NULL,
        .end = end,
        .excl = tk_wrap_sub(length, step->inside),
        .size = step->size,
    };
    return tk_ut_emit(feed, &fact);
}

/*
 * Ends the innermost step of an op. Steps inside it have lost their end and count for nothing. NULL when
 * there is none; else a copy of it in *out.
 */
static const struct tk_ut_load_step *pop(struct tk_ut_feed *feed, struct tk_ut_load_state *s,
                                         const struct tk_ut_event *ev, uint8_t op,
                                         struct tk_ut_load_step *out, int64_t *end)
{
    struct tk_ut_load_line *t = tk_record_map_get(&s->threads, ev->tid);
    size_t i = t ? t->steps.n : 0;
    while (i && t->steps.v[i - 1].op != op)
        i--;
    if (!i) {
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_END_UNMATCHED, ev->offset, 1,
                       "an event '%s' of thread %u ends what never began", ev->type->name->p, ev->tid);
        return NULL;
    }
    if (t->steps.n > i)
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_OPEN, ev->offset, t->steps.n - i,
                       "steps of loading on thread %u have no end", ev->tid);
    *out = t->steps.v[i - 1];
    t->steps.n = i - 1;
    *end = tk_ut_since(feed, tk_ut_u64(ev, CYCLE));
    if (*end < out->begin) {
        tk_health_note(&feed->out->health, TK_HEALTH_TIME_BACKWARDS, ev->offset, 1,
                       "a step of loading on thread %u ends before it begins", ev->tid);
        *end = out->begin;
    }
    if (t->steps.n) {
        struct tk_ut_load_step *around = &t->steps.v[t->steps.n - 1];
        around->inside = tk_wrap_add(around->inside, tk_wrap_sub(*end, out->begin));
    }
    return out;
}

static int end_step(struct tk_ut_feed *feed, struct tk_ut_load_state *s, const struct tk_ut_event *ev,
                    uint8_t op)
{
    struct tk_ut_load_step step;
    int64_t end;
    if (!pop(feed, s, ev, op, &step, &end) || step.ignored)
        return TK_OK;
    return say_step(feed, s, ev, &step, end);
}

static int begin_of_package(struct tk_ut_feed *feed, struct tk_ut_load_state *s, const struct tk_ut_event *ev,
                            uint8_t op)
{
    struct tk_ut_load_step step = {.package = NO_PACKAGE, .op = op};
    int rc = tk_ut_load_find(feed, s, tk_ut_u64(ev, SECOND), &step.package);
    return rc < 0 ? rc : push(feed, s, ev, step);
}

int tk_ut_load_on_begin_summary(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return begin_of_package(feed, state, ev, TK_LOAD_SUMMARY);
}

int tk_ut_load_on_end_summary(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_step(feed, state, ev, TK_LOAD_SUMMARY);
}

int tk_ut_load_on_begin_create(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return begin_of_package(feed, state, ev, TK_LOAD_CREATE);
}

/* Which object it is, and of what class, is known at the end. */
int tk_ut_load_on_end_create(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    struct tk_ut_load_step step;
    int64_t end;
    uint64_t key = tk_ut_u64(ev, SECOND);
    if (!pop(feed, s, ev, TK_LOAD_CREATE, &step, &end))
        return TK_OK;
    step.class_key = tk_ut_u64(ev, THIRD);
    if (s->objects.count < feed->capture->ctx->limits.rows || tk_record_map_get(&s->objects, key)) {
        struct tk_ut_load_object *object = tk_record_map_put(&s->objects, key);
        if (!object)
            return TK_ENOMEM;
        *object = (struct tk_ut_load_object){.package = step.package, .class_key = step.class_key};
    } else {
        tk_health_limit(&feed->out->health, TK_LIMIT_rows, ev->offset, 1, "an object was left out");
    }
    return say_step(feed, s, ev, &step, end);
}

static struct tk_ut_load_step of_object(const struct tk_ut_load_object *object, uint8_t op, uint64_t key)
{
    if (!object)
        return (struct tk_ut_load_step){.package = NO_PACKAGE, .op = op, .object = key};
    return (struct tk_ut_load_step){
        .package = object->package, .op = op, .object = key, .class_key = object->class_key};
}

/* The size of an object counts once. */
int tk_ut_load_on_begin_serialize(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    uint64_t key = tk_ut_u64(ev, SECOND);
    struct tk_ut_load_object *object = tk_record_map_get(&s->objects, key);
    struct tk_ut_load_step step = of_object(object, TK_LOAD_SERIALIZE, key);
    step.size = tk_ut_u64(ev, THIRD);
    step.sized = !object || !object->sized;
    if (object)
        object->sized = true;
    return push(feed, s, ev, step);
}

int tk_ut_load_on_end_serialize(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_step(feed, state, ev, TK_LOAD_SERIALIZE);
}

int tk_ut_load_on_begin_postload(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct tk_ut_load_line *t = thread_of_load_step(feed, state, ev->tid, &rc);
    if (t)
        t->postload++;
    return rc;
}

int tk_ut_load_on_end_postload(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    struct tk_ut_load_line *t = tk_record_map_get(&s->threads, ev->tid);
    if (t && t->postload)
        t->postload--;
    else
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_END_UNMATCHED, ev->offset, 1,
                       "post-loading on thread %u ends that did not begin", ev->tid);
    return TK_OK;
}

/* Counts only inside post-loading, and of objects that are known. */
int tk_ut_load_on_begin_postload_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    uint64_t key = tk_ut_u64(ev, SECOND);
    const struct tk_ut_load_line *t = tk_record_map_get(&s->threads, ev->tid);
    const struct tk_ut_load_object *object = tk_record_map_get(&s->objects, key);
    struct tk_ut_load_step step = of_object(object, TK_LOAD_POSTLOAD, key);
    step.ignored = !object || !t || !t->postload;
    return push(feed, s, ev, step);
}

int tk_ut_load_on_end_postload_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_step(feed, state, ev, TK_LOAD_POSTLOAD);
}

/* Up to 5.0: one event for steps of all kinds. */
#define OLD_STEP 0x80

int tk_ut_load_on_begin_old(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    uint64_t key = tk_ut_u64(ev, SECOND), op = tk_ut_u64(ev, THIRD);
    struct tk_ut_load_step step =
        of_object(tk_record_map_get(&s->objects, key), (uint8_t)(OLD_STEP | op), key);
    step.ignored = op > TK_LOAD_POSTLOAD;
    return push(feed, s, ev, step);
}

int tk_ut_load_on_end_old(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    struct tk_ut_load_line *t = tk_record_map_get(&s->threads, ev->tid);
    struct tk_ut_load_step step;
    int64_t end;
    uint8_t op = OLD_STEP;
    for (size_t i = t ? t->steps.n : 0; i-- > 0;) {
        if (t->steps.v[i].op & OLD_STEP) {
            op = t->steps.v[i].op;
            break;
        }
    }
    if (!pop(feed, s, ev, op, &step, &end) || step.ignored)
        return TK_OK;
    step.op = (uint8_t)(op & ~OLD_STEP);
    return say_step(feed, s, ev, &step, end);
}

int tk_ut_load_on_begin_old_postload(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    uint64_t key = tk_ut_u64(ev, SECOND);
    return push(feed, s, ev, of_object(tk_record_map_get(&s->objects, key), TK_LOAD_POSTLOAD, key));
}

void tk_ut_load_note_open(struct tk_ut_feed *feed, const struct tk_ut_load_state *s)
{
    for (uint32_t i = 0; i < s->threads.n; i++) {
        uint64_t tid;
        const struct tk_ut_load_line *t = tk_record_map_at(&s->threads, i, &tid);
        if (t && t->steps.n)
            tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_OPEN, TK_NO_OFFSET, t->steps.n,
                           "steps of loading on thread %u have no end", (unsigned)tid);
    }
}

int tk_ut_load_new_package(struct tk_ut_feed *feed, struct tk_ut_load_state *s, uint64_t key, uint32_t *id)
{
    int rc = tk_ut_load_package(feed, &s->load, id);
    uint32_t *slot = rc == TK_ITEM ? tk_record_map_put(&s->packages, key) : NULL;
    if (rc != TK_ITEM)
        return rc;
    if (!slot)
        return TK_ENOMEM;
    *slot = *id;
    return TK_ITEM;
}

int tk_ut_load_find(struct tk_ut_feed *feed, struct tk_ut_load_state *s, uint64_t key, uint32_t *id)
{
    const uint32_t *known = tk_record_map_get(&s->packages, key);
    if (!known)
        known = tk_record_map_get(&s->linkers, key);
    if (!known)
        return tk_ut_load_new_package(feed, s, key, id);
    *id = *known;
    return TK_ITEM;
}
