/*
 * Declarations of several pieces. See joined_types.h.
 */
#include "edit/utrace/joined_types.h"

#include <string.h>

bool tk_merge_type_own(const struct tk_ut_type *type)
{
    return strcmp(type->name->p, "Tracekit.Edit") == 0 || strcmp(type->name->p, "Tracekit.Gap") == 0;
}

static bool same_text(const struct tk_str *a, const struct tk_str *b)
{
    return a && b ? a->n == b->n && memcmp(a->p, b->p, a->n) == 0 : a == b;
}

static bool same_field(const struct tk_ut_field *a, const struct tk_ut_field *b)
{
    return same_text(a->name, b->name) && a->offset == b->offset && a->size == b->size && a->ref == b->ref &&
           a->info == b->info && a->family == b->family;
}

/* Recorders leave anything between the fields of a declaration, so that its bytes may differ. */
static bool same(const struct tk_ut_type *a, const struct tk_ut_type *b)
{
    bool alike = same_text(a->logger, b->logger) && same_text(a->event, b->event) && a->flags == b->flags &&
                 a->n_fields == b->n_fields;
    for (size_t i = 0; alike && i < a->n_fields; i++)
        alike = same_field(&a->fields[i], &b->fields[i]);
    return alike;
}

static int add(struct tk_merge_types *t, const struct tk_ut_type *type, struct tk_err *err)
{
    if (!type->stated)
        return tk_err_set(err, TK_ELIMIT, "the capture declares more than %u MiB of event types",
                          TK_UT_MOST_STATED >> 20);
    if (type->uid >= TK_MERGE_UIDS)
        return tk_err_set(err, TK_EUSAGE, "the capture has an event type %u, but the highest is %u",
                          type->uid, TK_MERGE_UIDS - 1);
    const struct tk_ut_type **place = &t->by_uid[type->uid];
    if (*place && !same(*place, type))
        return tk_err_set(err, TK_EUSAGE,
                          "event types %u differ (%.100s and %.100s): it is not part of the same recording",
                          type->uid, (*place)->name->p, type->name->p);
    *place = type;
    if (type->uid > t->highest)
        t->highest = type->uid;
    return TK_OK;
}

int tk_merge_types_add(struct tk_merge_types *t, const struct tk_ut_capture *c, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < c->schema.types.n && rc == TK_OK; i++)
        if (!tk_merge_type_own(c->schema.types.v[i]))
            rc = add(t, c->schema.types.v[i], err);
    return rc;
}
