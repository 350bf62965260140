/*
 * Load time (utrace-events 8.1): packages, steps of loading them and their objects, and the requests that
 * they belong to. All keys are addresses and are used again: those of packages and linkers are forgotten when
 * they are destroyed, those of objects when they are made again.
 *
 * A package that is met before it is announced (the recording began later) is made known then.
 */
#include "base/live.h"
#include "utrace/families.h"
#include "utrace/load.h"
#include "utrace/names.h"

#define NO_PACKAGE UINT32_MAX

struct object {
    uint32_t package;
    uint64_t class_key;
    bool sized; /* its size was counted */
};

/* A step that is under way. */
struct step {
    uint32_t package;
    uint8_t op;
    bool ignored, sized;
    uint64_t object, class_key, size;
    int64_t begin, inside;
};

struct thread {
    TK_VEC(struct step) steps;
    uint32_t postload; /* open BeginPostLoad */
};

struct state {
    struct tk_live packages, linkers; /* address -> uint32_t id */
    struct tk_live objects, threads;
    struct tk_ut_names classes;
    struct tk_ut_load load;
};

/* ---- who is who ---- */

static int new_package(struct tk_ut_feed *feed, struct state *s, uint64_t key, uint32_t *id)
{
    int rc = tk_ut_load_package(feed, &s->load, id);
    uint32_t *slot = rc == TK_ITEM ? tk_live_put(&s->packages, key) : NULL;
    if (rc != TK_ITEM)
        return rc;
    if (!slot)
        return TK_ENOMEM;
    *slot = *id;
    return TK_ITEM;
}

/* Packages of the synchronous loader go by the address of their linker. TK_ITEM, TK_OK: no room, TK_ENOMEM.
 */
static int find_package(struct tk_ut_feed *feed, struct state *s, uint64_t key, uint32_t *id)
{
    const uint32_t *known = tk_live_get(&s->packages, key);
    if (!known)
        known = tk_live_get(&s->linkers, key);
    if (!known)
        return new_package(feed, s, key, id);
    *id = *known;
    return TK_ITEM;
}

static struct thread *thread_of(struct tk_ut_feed *feed, struct state *s, uint32_t tid, int *rc)
{
    struct thread *t = tk_live_get(&s->threads, tid);
    *rc = TK_OK;
    if (t || s->threads.count >= feed->capture->ctx->limits.threads)
        return t;
    if (!(t = tk_live_put(&s->threads, tid)))
        *rc = TK_ENOMEM;
    return t;
}

enum { KEY, OTHER };

static int on_new_package(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    uint32_t id;
    int rc = new_package(feed, state, tk_ut_u64(ev, KEY), &id);
    return rc < 0 ? rc : TK_OK;
}

static int on_destroy_package(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)feed;
    tk_live_remove(&((struct state *)state)->packages, tk_ut_u64(ev, KEY));
    return TK_OK;
}

static int on_destroy_linker(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)feed;
    tk_live_remove(&((struct state *)state)->linkers, tk_ut_u64(ev, KEY));
    return TK_OK;
}

static int on_linker(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t id;
    int rc = find_package(feed, s, tk_ut_u64(ev, KEY), &id);
    uint32_t *slot = rc == TK_ITEM ? tk_live_put(&s->linkers, tk_ut_u64(ev, OTHER)) : NULL;
    if (rc != TK_ITEM)
        return rc;
    if (!slot)
        return TK_ENOMEM;
    *slot = id;
    return TK_OK;
}

static int on_class(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    return tk_ut_names_put(feed, &s->classes, ev, tk_ut_u64(ev, KEY), OTHER, 2);
}

enum { SUM_KEY, SUM_HEADER, SUM_IMPORTS, SUM_EXPORTS, SUM_NAME, SUM_PRIORITY };

static int on_summary(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t id;
    int rc = find_package(feed, s, tk_ut_u64(ev, SUM_KEY), &id);
    const struct tk_str *name = rc == TK_ITEM ? tk_ut_str(feed, ev, SUM_NAME, 2) : NULL;
    if (rc != TK_ITEM)
        return rc;
    if (!name)
        return TK_ENOMEM;
    struct tk_fact_package *p = &s->load.packages.v[id].info;
    p->name = name;
    p->has_summary = true;
    p->header_bytes = (uint32_t)tk_ut_u64(ev, SUM_HEADER);
    p->imports = (uint32_t)tk_ut_u64(ev, SUM_IMPORTS);
    p->exports = (uint32_t)tk_ut_u64(ev, SUM_EXPORTS);
    p->has_priority = tk_ut_has(ev, SUM_PRIORITY);
    p->priority = (int32_t)tk_ut_u64(ev, SUM_PRIORITY);
    return TK_OK;
}

/* ---- requests ---- */

enum { CYCLE, SECOND, THIRD };

static int on_begin_group(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return tk_ut_load_begin_group(feed, &((struct state *)state)->load, ev);
}

static int on_end_group(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return tk_ut_load_end_group(feed, &((struct state *)state)->load, ev);
}

static int on_begin_request(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return tk_ut_load_begin_request(feed, &((struct state *)state)->load, ev,
                                    tk_ut_since(feed, tk_ut_u64(ev, CYCLE)), tk_ut_u64(ev, SECOND));
}

static int on_end_request(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return tk_ut_load_end_request(feed, &((struct state *)state)->load, ev,
                                  tk_ut_since(feed, tk_ut_u64(ev, CYCLE)), tk_ut_u64(ev, SECOND));
}

static int on_associate(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t id;
    int rc = find_package(feed, s, tk_ut_u64(ev, KEY), &id);
    return rc == TK_ITEM ? tk_ut_load_associate(&s->load, ev, id, tk_ut_u64(ev, OTHER)) : rc;
}

/* An imported address that is not known (any more) adds nothing. */
static int on_import(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t id;
    int rc = find_package(feed, s, tk_ut_u64(ev, KEY), &id);
    const uint32_t *imported = tk_live_get(&s->packages, tk_ut_u64(ev, OTHER));
    if (rc != TK_ITEM || !imported)
        return rc < 0 ? rc : TK_OK;
    return tk_ut_load_import(feed, &s->load, id, *imported);
}

/* ---- steps ---- */

static int push(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, struct step step)
{
    int rc;
    struct thread *t = thread_of(feed, s, ev->tid, &rc);
    step.begin = tk_ut_since(feed, tk_ut_u64(ev, CYCLE));
    if (!t)
        return rc;
    if (t->steps.n >= feed->capture->ctx->limits.open_scopes) {
        tk_health_note(&feed->out->health, TK_HEALTH_LIMIT_REACHED, ev->offset, 1,
                       "a step of loading on thread %u was left out (limit 'open_scopes')", ev->tid);
        return TK_OK;
    }
    return tk_vec_push(&t->steps, step) ? TK_ENOMEM : TK_OK;
}

static int say_step(struct tk_ut_feed *feed, const struct state *s, const struct tk_ut_event *ev,
                    const struct step *step, int64_t end)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_LOAD_STEP, step->begin);
    int64_t length = (int64_t)((uint64_t)end - (uint64_t)step->begin);
    if (!tk_ut_asked(feed, TK_FACT_MASK(LOAD_STEP)))
        return TK_OK;
    fact.u.load_step = (struct tk_fact_load_step){
        .package = step->package,
        .op = step->op,
        .has_size = step->sized,
        .class_name = step->class_key ? tk_ut_names_get(&s->classes, step->class_key) : NULL,
        .end = end,
        .excl = length - step->inside,
        .size = step->size,
    };
    return tk_ut_emit(feed, &fact);
}

/*
 * Ends the innermost step of an op. Steps inside it have lost their end and count for nothing. NULL when
 * there is none; else a copy of it in *out.
 */
static const struct step *pop(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev,
                              uint8_t op, struct step *out, int64_t *end)
{
    struct thread *t = tk_live_get(&s->threads, ev->tid);
    size_t i = t ? t->steps.n : 0;
    while (i && t->steps.v[i - 1].op != op)
        i--;
    if (!i) {
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_END_UNMATCHED, ev->offset, 1,
                       "an event '%s' of thread %u ends what did not begin", ev->type->name->p, ev->tid);
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
    if (t->steps.n)
        t->steps.v[t->steps.n - 1].inside += (int64_t)((uint64_t)*end - (uint64_t)out->begin);
    return out;
}

static int end_step(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, uint8_t op)
{
    struct step step;
    int64_t end;
    if (!pop(feed, s, ev, op, &step, &end) || step.ignored)
        return TK_OK;
    return say_step(feed, s, ev, &step, end);
}

static int begin_of_package(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev,
                            uint8_t op)
{
    struct step step = {.package = NO_PACKAGE, .op = op};
    int rc = find_package(feed, s, tk_ut_u64(ev, SECOND), &step.package);
    return rc < 0 ? rc : push(feed, s, ev, step);
}

static int on_begin_summary(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return begin_of_package(feed, state, ev, TK_LOAD_SUMMARY);
}

static int on_end_summary(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_step(feed, state, ev, TK_LOAD_SUMMARY);
}

static int on_begin_create(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return begin_of_package(feed, state, ev, TK_LOAD_CREATE);
}

/* Which object it is, and of what class, is known at the end. */
static int on_end_create(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct step step;
    int64_t end;
    uint64_t key = tk_ut_u64(ev, SECOND);
    if (!pop(feed, s, ev, TK_LOAD_CREATE, &step, &end))
        return TK_OK;
    step.class_key = tk_ut_u64(ev, THIRD);
    if (s->objects.count < feed->capture->ctx->limits.rows || tk_live_get(&s->objects, key)) {
        struct object *object = tk_live_put(&s->objects, key);
        if (!object)
            return TK_ENOMEM;
        *object = (struct object){.package = step.package, .class_key = step.class_key};
    } else {
        tk_health_note(&feed->out->health, TK_HEALTH_LIMIT_REACHED, ev->offset, 1,
                       "an object was left out (limit 'rows')");
    }
    return say_step(feed, s, ev, &step, end);
}

static struct step of_object(const struct object *object, uint8_t op, uint64_t key)
{
    if (!object)
        return (struct step){.package = NO_PACKAGE, .op = op, .object = key};
    return (struct step){.package = object->package, .op = op, .object = key, .class_key = object->class_key};
}

/* The size of an object counts once. */
static int on_begin_serialize(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, SECOND);
    struct object *object = tk_live_get(&s->objects, key);
    struct step step = of_object(object, TK_LOAD_SERIALIZE, key);
    step.size = tk_ut_u64(ev, THIRD);
    step.sized = !object || !object->sized;
    if (object)
        object->sized = true;
    return push(feed, s, ev, step);
}

static int on_end_serialize(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_step(feed, state, ev, TK_LOAD_SERIALIZE);
}

static int on_begin_postload(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct thread *t = thread_of(feed, state, ev->tid, &rc);
    if (t)
        t->postload++;
    return rc;
}

static int on_end_postload(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct thread *t = tk_live_get(&s->threads, ev->tid);
    if (t && t->postload)
        t->postload--;
    else
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_END_UNMATCHED, ev->offset, 1,
                       "post-loading on thread %u ends that did not begin", ev->tid);
    return TK_OK;
}

/* Counts only inside post-loading, and of objects that are known. */
static int on_begin_postload_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, SECOND);
    const struct thread *t = tk_live_get(&s->threads, ev->tid);
    const struct object *object = tk_live_get(&s->objects, key);
    struct step step = of_object(object, TK_LOAD_POSTLOAD, key);
    step.ignored = !object || !t || !t->postload;
    return push(feed, s, ev, step);
}

static int on_end_postload_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_step(feed, state, ev, TK_LOAD_POSTLOAD);
}

/* Up to 5.0: one event for steps of all kinds. */
#define OLD_STEP 0x80

static int on_begin_old(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, SECOND), op = tk_ut_u64(ev, THIRD);
    struct step step = of_object(tk_live_get(&s->objects, key), (uint8_t)(OLD_STEP | op), key);
    step.ignored = op > TK_LOAD_POSTLOAD;
    return push(feed, s, ev, step);
}

static int on_end_old(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct thread *t = tk_live_get(&s->threads, ev->tid);
    struct step step;
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

static int on_begin_old_postload(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t key = tk_ut_u64(ev, SECOND);
    return push(feed, s, ev, of_object(tk_live_get(&s->objects, key), TK_LOAD_POSTLOAD, key));
}

/* ---- */

static int on_activity(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    bool active = ev->type->event->p[0] != 'S' || ev->type->event->p[1] != 'u'; /* not "Suspend..." */
    return tk_ut_load_activity(feed, &s->load, ev, active, tk_ut_since(feed, tk_ut_u64(ev, CYCLE)));
}

static void note_open(struct tk_ut_feed *feed, const struct state *s)
{
    for (uint32_t i = 0; i < s->threads.n; i++) {
        uint64_t tid;
        const struct thread *t = tk_live_at(&s->threads, i, &tid);
        if (t && t->steps.n)
            tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_OPEN, TK_NO_OFFSET, t->steps.n,
                           "steps of loading on thread %u have no end", (unsigned)tid);
    }
}

static int finish(struct tk_ut_feed *feed, void *state)
{
    struct state *s = state;
    note_open(feed, s);
    return tk_ut_load_finish(feed, &s->load);
}

static void begin(void *state)
{
    struct state *s = state;
    for (uint32_t i = 0; i < s->threads.n; i++) {
        uint64_t tid;
        struct thread *t = tk_live_at(&s->threads, i, &tid);
        if (t)
            tk_vec_release(&t->steps);
    }
    tk_live_release(&s->packages);
    tk_live_release(&s->linkers);
    tk_live_release(&s->objects);
    tk_live_release(&s->threads);
    tk_live_init(&s->packages, sizeof(uint32_t));
    tk_live_init(&s->linkers, sizeof(uint32_t));
    tk_live_init(&s->objects, sizeof(struct object));
    tk_live_init(&s->threads, sizeof(struct thread));
    tk_ut_names_release(&s->classes);
    tk_ut_load_release(&s->load);
}

static const struct tk_ut_bind binds[] = {
    {"LoadTime.StartAsyncLoading", on_activity, false, {"Cycle"}},
    {"LoadTime.SuspendAsyncLoading", on_activity, false, {"Cycle"}},
    {"LoadTime.ResumeAsyncLoading", on_activity, false, {"Cycle"}},
    {"LoadTime.BeginRequest", on_begin_request, false, {"Cycle", "RequestId"}},
    {"LoadTime.EndRequest", on_end_request, false, {"Cycle", "RequestId"}},
    {"LoadTime.BeginRequestGroup", on_begin_group, false, {"Format", "FormatArgs"}},
    {"LoadTime.EndRequestGroup", on_end_group, false, {0}},
    {"LoadTime.NewAsyncPackage", on_new_package, false, {"AsyncPackage"}},
    {"LoadTime.DestroyAsyncPackage", on_destroy_package, false, {"AsyncPackage"}},
    {"LoadTime.DestroyLinker", on_destroy_linker, false, {"Linker"}},
    {"LoadTime.PackageSummary",
     on_summary,
     false,
     {"AsyncPackage", "TotalHeaderSize", "ImportCount", "ExportCount", "Name", "Priority"}},
    {"LoadTime.BeginProcessSummary", on_begin_summary, false, {"Cycle", "AsyncPackage"}},
    {"LoadTime.EndProcessSummary", on_end_summary, false, {"Cycle"}},
    {"LoadTime.BeginCreateExport", on_begin_create, false, {"Cycle", "AsyncPackage"}},
    {"LoadTime.EndCreateExport", on_end_create, false, {"Cycle", "Object", "Class"}},
    {"LoadTime.BeginSerializeExport", on_begin_serialize, false, {"Cycle", "Object", "SerialSize"}},
    {"LoadTime.EndSerializeExport", on_end_serialize, false, {"Cycle"}},
    {"LoadTime.BeginPostLoad", on_begin_postload, false, {0}},
    {"LoadTime.EndPostLoad", on_end_postload, false, {0}},
    {"LoadTime.BeginPostLoadObject", on_begin_postload_object, false, {"Cycle", "Object"}},
    {"LoadTime.EndPostLoadObject", on_end_postload_object, false, {"Cycle"}},
    {"LoadTime.AsyncPackageRequestAssociation", on_associate, false, {"AsyncPackage", "RequestId"}},
    {"LoadTime.AsyncPackageLinkerAssociation", on_linker, false, {"AsyncPackage", "Linker"}},
    {"LoadTime.AsyncPackageImportDependency", on_import, false, {"AsyncPackage", "ImportedAsyncPackage"}},
    {"LoadTime.ClassInfo", on_class, false, {"Class", "Name"}},
    {"LoadTime.BeginObjectScope", on_begin_old, false, {"Cycle", "Object", "EventType"}},
    {"LoadTime.EndObjectScope", on_end_old, false, {"Cycle"}},
    {"LoadTime.BeginPostLoadExport", on_begin_old_postload, false, {"Cycle", "Object"}},
    {"LoadTime.EndPostLoadExport", on_end_postload_object, false, {"Cycle"}},
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_load_requests, &tk_ut_table_load_groups,
                                                &tk_ut_table_load_activity, NULL};

const struct tk_ut_family tk_ut_fam_load = {.name = "load",
                                            .facts = TK_FACT_MASK(PACKAGE) | TK_FACT_MASK(LOAD_STEP),
                                            .rows = tables,
                                            .binds = binds,
                                            .state = sizeof(struct state),
                                            .begin = begin,
                                            .finish = finish,
                                            .release = begin};
