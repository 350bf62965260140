/*
 * Load time (events 8.1): who is who, and the requests.
 *
 * A package that is met before it is announced (the recording began later) is made known then.
 */
#include "format/utrace/families/loading/loading_in.h"
#include "format/utrace/feed/family_list.h"

/* ---- who is who ---- */

enum { KEY, OTHER };

static int on_new_package(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    uint32_t id;
    int rc = tk_ut_load_new_package(feed, state, tk_ut_u64(ev, KEY), &id);
    return rc < 0 ? rc : TK_OK;
}

static int on_destroy_package(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)feed;
    tk_record_map_remove(&((struct tk_ut_load_state *)state)->packages, tk_ut_u64(ev, KEY));
    return TK_OK;
}

static int on_destroy_linker(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)feed;
    tk_record_map_remove(&((struct tk_ut_load_state *)state)->linkers, tk_ut_u64(ev, KEY));
    return TK_OK;
}

static int on_linker(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    uint32_t id;
    int rc = tk_ut_load_find(feed, s, tk_ut_u64(ev, KEY), &id);
    uint32_t *slot = rc == TK_ITEM ? tk_record_map_put(&s->linkers, tk_ut_u64(ev, OTHER)) : NULL;
    if (rc != TK_ITEM)
        return rc;
    if (!slot)
        return TK_ENOMEM;
    *slot = id;
    return TK_OK;
}

static int on_class(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    return tk_ut_id_names_put(feed, &s->classes, ev, tk_ut_u64(ev, KEY), OTHER, 2);
}

enum { SUM_KEY, SUM_HEADER, SUM_IMPORTS, SUM_EXPORTS, SUM_NAME, SUM_PRIORITY };

static int on_summary(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    uint32_t id;
    int rc = tk_ut_load_find(feed, s, tk_ut_u64(ev, SUM_KEY), &id);
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

enum { CYCLE, REQUEST };

static int on_begin_group(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return tk_ut_load_begin_group(feed, &((struct tk_ut_load_state *)state)->load, ev);
}

static int on_end_group(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return tk_ut_load_end_group(feed, &((struct tk_ut_load_state *)state)->load, ev);
}

static int on_begin_request(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return tk_ut_load_begin_request(feed, &((struct tk_ut_load_state *)state)->load, ev,
                                    tk_ut_since(feed, tk_ut_u64(ev, CYCLE)), tk_ut_u64(ev, REQUEST));
}

static int on_end_request(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return tk_ut_load_end_request(feed, &((struct tk_ut_load_state *)state)->load, ev,
                                  tk_ut_since(feed, tk_ut_u64(ev, CYCLE)), tk_ut_u64(ev, REQUEST));
}

static int on_associate(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    uint32_t id;
    int rc = tk_ut_load_find(feed, s, tk_ut_u64(ev, KEY), &id);
    return rc == TK_ITEM ? tk_ut_load_associate(&s->load, ev, id, tk_ut_u64(ev, OTHER)) : rc;
}

/* An imported address that is not known (any more) adds nothing. */
static int on_import(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    uint32_t id;
    int rc = tk_ut_load_find(feed, s, tk_ut_u64(ev, KEY), &id);
    const uint32_t *imported = tk_record_map_get(&s->packages, tk_ut_u64(ev, OTHER));
    if (rc != TK_ITEM || !imported)
        return rc < 0 ? rc : TK_OK;
    return tk_ut_load_import(feed, &s->load, id, *imported);
}

static int on_activity(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_load_state *s = state;
    bool active = ev->type->event->p[0] != 'S' || ev->type->event->p[1] != 'u'; /* not "Suspend..." */
    return tk_ut_load_activity(feed, &s->load, ev, active, tk_ut_since(feed, tk_ut_u64(ev, CYCLE)));
}

static int finish_load(struct tk_ut_feed *feed, void *state)
{
    struct tk_ut_load_state *s = state;
    tk_ut_load_note_open(feed, s);
    return tk_ut_load_finish(feed, &s->load);
}

static void begin_load(void *state)
{
    struct tk_ut_load_state *s = state;
    for (uint32_t i = 0; i < s->threads.n; i++) {
        uint64_t tid;
        struct tk_ut_load_line *t = tk_record_map_at(&s->threads, i, &tid);
        if (t)
            tk_vec_release(&t->steps);
    }
    tk_record_map_release(&s->packages);
    tk_record_map_release(&s->linkers);
    tk_record_map_release(&s->objects);
    tk_record_map_release(&s->threads);
    tk_record_map_init(&s->packages, sizeof(uint32_t));
    tk_record_map_init(&s->linkers, sizeof(uint32_t));
    tk_record_map_init(&s->objects, sizeof(struct tk_ut_load_object));
    tk_record_map_init(&s->threads, sizeof(struct tk_ut_load_line));
    tk_ut_id_names_release(&s->classes);
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
    {"LoadTime.BeginProcessSummary", tk_ut_load_on_begin_summary, false, {"Cycle", "AsyncPackage"}},
    {"LoadTime.EndProcessSummary", tk_ut_load_on_end_summary, false, {"Cycle"}},
    {"LoadTime.BeginCreateExport", tk_ut_load_on_begin_create, false, {"Cycle", "AsyncPackage"}},
    {"LoadTime.EndCreateExport", tk_ut_load_on_end_create, false, {"Cycle", "Object", "Class"}},
    {"LoadTime.BeginSerializeExport",
     tk_ut_load_on_begin_serialize,
     false,
     {"Cycle", "Object", "SerialSize"}},
    {"LoadTime.EndSerializeExport", tk_ut_load_on_end_serialize, false, {"Cycle"}},
    {"LoadTime.BeginPostLoad", tk_ut_load_on_begin_postload, false, {0}},
    {"LoadTime.EndPostLoad", tk_ut_load_on_end_postload, false, {0}},
    {"LoadTime.BeginPostLoadObject", tk_ut_load_on_begin_postload_object, false, {"Cycle", "Object"}},
    {"LoadTime.EndPostLoadObject", tk_ut_load_on_end_postload_object, false, {"Cycle"}},
    {"LoadTime.AsyncPackageRequestAssociation", on_associate, false, {"AsyncPackage", "RequestId"}},
    {"LoadTime.AsyncPackageLinkerAssociation", on_linker, false, {"AsyncPackage", "Linker"}},
    {"LoadTime.AsyncPackageImportDependency", on_import, false, {"AsyncPackage", "ImportedAsyncPackage"}},
    {"LoadTime.ClassInfo", on_class, false, {"Class", "Name"}},
    {"LoadTime.BeginObjectScope", tk_ut_load_on_begin_old, false, {"Cycle", "Object", "EventType"}},
    {"LoadTime.EndObjectScope", tk_ut_load_on_end_old, false, {"Cycle"}},
    {"LoadTime.BeginPostLoadExport", tk_ut_load_on_begin_old_postload, false, {"Cycle", "Object"}},
    {"LoadTime.EndPostLoadExport", tk_ut_load_on_end_postload_object, false, {"Cycle"}},
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_load_requests, &tk_ut_table_load_groups,
                                                &tk_ut_table_load_activity, NULL};

const struct tk_ut_family tk_ut_fam_load = {.name = "load",
                                            .facts = TK_FACT_MASK(PACKAGE) | TK_FACT_MASK(LOAD_STEP),
                                            .rows = tables,
                                            .binds = binds,
                                            .state = sizeof(struct tk_ut_load_state),
                                            .begin = begin_load,
                                            .finish = finish_load,
                                            .release = begin_load};
