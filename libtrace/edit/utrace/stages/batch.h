/*
 * Batches of CPU scopes (events 2.3), entry by entry, for stages that change them.
 */
#ifndef TK_EDIT_UTRACE_STAGES_BATCH_H
#define TK_EDIT_UTRACE_STAGES_BATCH_H

#include "base/cursor.h"
#include "format/utrace/lanes/lane.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry. */
struct tk_edit_entry {
    uint64_t
        cycles; /* since the entry before it; of the first one absolute, or since the start of the clock */
    uint64_t number; /* of a begin: what follows it, uncut; of a coroutine its id */
    uint64_t depth;  /* of a coroutine: scopes that come back or go with it */
    bool begins, coroutine;
};

/* The form of the batches of a type, 1 to 3; 0: it is no batch. */
unsigned tk_edit_batch_form(const struct tk_ut_type *type);

/* The array data of an event that is handed on as it stands, where that is one piece with something in it;
 * its `field` is as in the file. */
bool tk_edit_passed_value(const struct tk_ut_type *type, const struct tk_ut_passed *event,
                          struct tk_ut_blob *value);

/* Reads an entry. False where no whole one is left. */
bool tk_edit_batch_next(struct tk_cur *c, unsigned form, struct tk_edit_entry *out);

/* Where four bytes of a batch lead, by the three bits of each that say so: from each of four states, two
 * bits. */
struct tk_edit_batch_steps {
    uint8_t to[4096];
};

void tk_edit_batch_steps_init(struct tk_edit_batch_steps *steps);

/* How many of n bytes are whole entries. */
size_t tk_edit_batch_whole(const struct tk_edit_batch_steps *steps, const uint8_t *p, size_t n,
                           unsigned form);

#endif
