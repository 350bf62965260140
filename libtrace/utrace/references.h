/*
 * References: the texts that fields of events refer to by type and id (events 8.2). Definitions may
 * come after their use, so they are read before the events that are to be shown with them.
 */
#ifndef TK_UTRACE_REFERENCES_H
#define TK_UTRACE_REFERENCES_H

#include "base/hash.h"
#include "base/vec.h"
#include "fact/source.h"
#include "utrace/event.h"

struct tk_ut_capture;

struct tk_ut_reference {
    uint32_t type; /* tk_ut_type.same */
    uint64_t id;
    const struct tk_str *text; /* NULL: a definition without one */
};

struct tk_ut_references {
    struct tk_map index; /* hash of type and id -> place; of one hash the keys follow each other */
    TK_VEC(struct tk_ut_reference) items;
    const struct tk_ut_schema *schema; /* borrowed */
    uint64_t left_out;                 /* because of the limit */
    bool known;                        /* all were read */
};

/* Reads all definitions of the capture, once, if the request wants to see an event with a reference. TK_OK or
 * as a reading. */
int tk_ut_references_learn(struct tk_ut_capture *c, const struct tk_request *request, struct tk_err *err);

/* A reference field as a cell: a record of `id` and, where the definition has one, `text`, in memory of the
 * event's scratch; the plain id when that is out. */
void tk_ut_reference_value(const struct tk_ut_event *ev, const struct tk_ut_field *f, struct tk_cell *out);

void tk_ut_references_release(struct tk_ut_references *r);

#endif
