/*
 * Timeline driver: scopes, frames, regions, counters and marks of a capture as tracks and items
 * (table/timeline.h), in one reading.
 *
 *   scope runs ----> timeline_lane: stacks ---------+
 *                                                   +--> items, in batches --> struct tk_timeline_sink
 *   tables' rows --> timeline_rows: by column ------+
 *
 * Scopes of a track nest: one that outlives the scope it began in ends with that. Scopes that were lost
 * (bytes are missing, their thread ended) end when the next scope of their track begins, where there is one;
 * those open at the end of the capture never end. Scopes that touch the selection come whole, or cut to it
 * where the query clips.
 */
#ifndef TK_MODEL_TIMELINE_TIMELINE_DRIVER_H
#define TK_MODEL_TIMELINE_TIMELINE_DRIVER_H

#include "model/timeline/timeline_items.h"
#include "query/builder.h"

/* Begins empty. The sink is borrowed. TK_OK or TK_ENOMEM. */
int tk_timeline_init(struct tk_timeline *t, const struct tk_timeline_sink *sink, struct tk_err *err);

void tk_timeline_release(struct tk_timeline *t);

/* The builder that takes scopes; its table has no rows. Borrows t. */
struct tk_builder tk_timeline_builder(struct tk_timeline *t);

/* The sink for the tables of tk_timeline_table(). */
struct tk_sink tk_timeline_rows(struct tk_timeline *t);

/* Name of the i-th table whose rows are items; NULL behind the last. Static. */
const char *tk_timeline_table(size_t i);

#endif
