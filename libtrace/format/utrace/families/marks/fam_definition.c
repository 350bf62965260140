/*
 * Strings and other definitions (events 8.2): events that declare an id by which others refer to them.
 * All types that do so are taken; those without a text have only their id.
 */
#include "format/utrace/feed/family_list.h"

enum { WIDE, ANSI };

static const struct tk_ut_field *id_of(const struct tk_ut_type *t)
{
    for (uint32_t i = t->n_fields; i-- > 0;)
        if (t->fields[i].family == TK_UT_DEFINITION_ID)
            return &t->fields[i];
    return NULL;
}

/* The wide form unless it is empty. */
static const struct tk_str *text_of_definition(struct tk_ut_feed *feed, const struct tk_ut_event *ev)
{
    const struct tk_str *wide = tk_ut_has(ev, WIDE) ? tk_ut_str(feed, ev, WIDE, 2) : NULL;
    if (wide && wide->n)
        return wide;
    return tk_ut_has(ev, ANSI) ? tk_ut_str(feed, ev, ANSI, 1) : wide;
}

static int on_definition(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_ut_field *id = id_of(ev->type);
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_DEFINITION, 0);
    (void)state;
    if (!id) {
        tk_ut_bad_payload(feed, ev, "it has no id");
        return TK_OK;
    }
    fact.u.definition = (struct tk_fact_definition){.id = tk_ut_event_u64(ev, id),
                                                    .type = ev->type->same,
                                                    .type_name = ev->type->name,
                                                    .text = text_of_definition(feed, ev)};
    bool has_text = tk_ut_has(ev, WIDE) || tk_ut_has(ev, ANSI);
    return !has_text || fact.u.definition.text ? tk_ut_emit(feed, &fact) : TK_ENOMEM;
}

static const struct tk_ut_bind binds[] = {
    {TK_UT_ALL_DEFINITIONS, on_definition, false, {"DisplayWide", "DisplayAnsi"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_definition = {
    .name = "definition", .facts = TK_FACT_MASK(DEFINITION), .binds = binds};
