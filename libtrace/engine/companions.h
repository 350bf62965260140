/*
 * Tables that are made along where all of a capture is judged: who pairs begins and ends notes what does not
 * fit, and health says so whatever else is asked. Their rows go nowhere. run.c opens them.
 */
#ifndef TK_ENGINE_COMPANIONS_H
#define TK_ENGINE_COMPANIONS_H

#include "query/builder.h"

enum { TK_COMPANIONS = 5 };

extern const struct tk_builder *const tk_companions[TK_COMPANIONS];

/* Takes their rows. */
extern const struct tk_sink tk_companion_sink;

/* The query that they are opened with: without what is said of columns and rows. */
struct tk_query tk_companion_query(const struct tk_query *query);

#endif
