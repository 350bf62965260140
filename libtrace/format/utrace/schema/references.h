/*
 * References: the texts that fields of events refer to by type and id (events 8.2). Definitions may
 * come after their use, so they are read before the events that are to be shown with them.
 */
#ifndef TK_FORMAT_UTRACE_SCHEMA_REFERENCES_H
#define TK_FORMAT_UTRACE_SCHEMA_REFERENCES_H

#include "base/hash.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "format/utrace/schema/event.h"

struct tk_ut_reference {
    uint32_t type; /* tk_ut_type.same */
    uint64_t id;
    const struct tk_str *text; /* NULL: a definition without one */
};

struct tk_ut_references {
    /* A reference field as a cell: a record of `id` and, where the definition has one, `text`, in memory of
     * the event's scratch; the plain id when that is out. */
    void (*show)(const struct tk_ut_event *ev, const struct tk_ut_field *f, struct tk_cell *out);
    struct tk_map index; /* hash of type and id -> place; of one hash the keys follow each other */
    TK_VEC(struct tk_ut_reference) items;
    const struct tk_ut_schema *schema; /* borrowed */
    uint64_t left_out;                 /* because of the limit */
    bool known;                        /* all were read */
};

/* An empty list; references are shown by the types of this schema. */
void tk_ut_references_init(struct tk_ut_references *r, const struct tk_ut_schema *schema);

/* Adds a definition, or replaces the one of its type and id; beyond the limit it is counted as left out.
 * TK_OK or TK_ENOMEM. */
int tk_ut_references_add(struct tk_ut_references *r, const struct tk_fact_definition *info, uint64_t limit);

void tk_ut_references_release(struct tk_ut_references *r);

#endif
