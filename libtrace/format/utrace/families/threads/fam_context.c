/*
 * The metadata stack (events 6.6): what a thread works for, by scopes around events of the logger
 * Metadata. Scopes may be stamped or not.
 */
#include "format/utrace/feed/family_list.h"

#include <string.h>

enum { ID, PACKAGE, NAME, CLASS };

static int say_context(struct tk_ut_feed *feed, const struct tk_ut_event *ev, struct tk_fact_context context)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_CONTEXT, 0);
    fact.u.context_of = context;
    return tk_ut_emit(feed, &fact);
}

/* The type of definition that a field refers to. */
static uint32_t type_of(const struct tk_ut_feed *feed, const struct tk_ut_event *ev, unsigned i)
{
    const struct tk_ut_field *f = ev->bound[i];
    if (!f || f->family != TK_UT_REFERENCE)
        return TK_NO_TYPE;
    const struct tk_ut_type *t = tk_ut_schema_find(&feed->capture->schema, f->ref, ev->offset);
    return t ? t->same : TK_NO_TYPE;
}

static bool is_event(const struct tk_ut_event *ev, const char *name)
{
    return ev->type->event->n == strlen(name) && memcmp(ev->type->event->p, name, strlen(name)) == 0;
}

static int on_metadata(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact_context context = {.op = TK_CONTEXT_OTHER};
    (void)state;
    if (!ev->scoped)
        return TK_OK;
    if (is_event(ev, "Asset"))
        context = (struct tk_fact_context){.op = TK_CONTEXT_ASSET,
                                           .name = tk_ut_u64(ev, NAME),
                                           .name_type = type_of(feed, ev, NAME),
                                           .kind = tk_ut_u64(ev, CLASS),
                                           .kind_type = type_of(feed, ev, CLASS),
                                           .package = tk_ut_u64(ev, PACKAGE),
                                           .package_type = type_of(feed, ev, PACKAGE)};
    else if (is_event(ev, "PackageId") && tk_ut_has(ev, ID))
        context = (struct tk_fact_context){.op = TK_CONTEXT_PACKAGE, .id = tk_ut_u64(ev, ID)};
    return say_context(feed, ev, context);
}

static int on_clear(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return ev->scoped ? say_context(feed, ev, (struct tk_fact_context){.op = TK_CONTEXT_CLEAR}) : TK_OK;
}

static int on_save(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_context(feed, ev, (struct tk_fact_context){.op = TK_CONTEXT_SAVE, .id = tk_ut_u64(ev, ID)});
}

static int on_restore(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    if (!ev->scoped)
        return TK_OK;
    return say_context(feed, ev, (struct tk_fact_context){.op = TK_CONTEXT_RESTORE, .id = tk_ut_u64(ev, ID)});
}

static int on_mapping(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_context(feed, ev,
                       (struct tk_fact_context){.op = TK_CONTEXT_NAME,
                                                .id = tk_ut_u64(ev, ID),
                                                .package = tk_ut_u64(ev, PACKAGE),
                                                .package_type = type_of(feed, ev, PACKAGE)});
}

static int say_bare(struct tk_ut_feed *feed, uint32_t tid, enum tk_context_op op)
{
    struct tk_fact fact = {.kind = TK_FACT_CONTEXT, .size = sizeof fact, .thread = tid, .seq = TK_NO_SEQ};
    fact.u.context_of.op = (uint8_t)op;
    return tk_ut_emit(feed, &fact);
}

static int scope_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_bind *bind, uint32_t tid)
{
    (void)state;
    if (bind->fn == on_save || bind->fn == on_mapping)
        return TK_OK;
    return say_bare(feed, tid, TK_CONTEXT_END);
}

static int cut_context(struct tk_ut_feed *feed, void *state, uint32_t tid)
{
    (void)state;
    return say_bare(feed, tid, TK_CONTEXT_LOST);
}

static const struct tk_ut_bind binds[] = {
    {"Metadata.*", on_metadata, false, {"Id", "Package", "Name", "Class"}},
    {"MetadataStack.ClearScope", on_clear, false, {0}},
    {"MetadataStack.SaveStack", on_save, false, {"Id"}},
    {"MetadataStack.RestoreStack", on_restore, false, {"Id"}},
    {"Package.PackageMapping", on_mapping, false, {"Id", "Package"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_context = {.name = "context",
                                               .facts = TK_FACT_MASK(CONTEXT),
                                               .binds = binds,
                                               .scope_end = scope_end,
                                               .cut = cut_context};
