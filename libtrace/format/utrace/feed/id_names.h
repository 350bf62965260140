/*
 * Names that events give to numbers (addresses, ids), as far as a reading has come.
 */
#ifndef TK_FORMAT_UTRACE_FEED_ID_NAMES_H
#define TK_FORMAT_UTRACE_FEED_ID_NAMES_H

#include "base/hash.h"
#include "format/utrace/feed/family.h"

struct tk_ut_id_names {
    struct tk_map index; /* number -> place */
    TK_VEC(const struct tk_str *) names;
};

/* Sets the name of a number to field `name` of the event (characters of `width` bytes where it is attached);
 * a later one replaces it. TK_OK or TK_ENOMEM. */
int tk_ut_id_names_put(struct tk_ut_feed *feed, struct tk_ut_id_names *n, const struct tk_ut_event *ev,
                       uint64_t number, unsigned name, unsigned width);

/* The name of a number, or NULL. */
const struct tk_str *tk_ut_id_names_get(const struct tk_ut_id_names *n, uint64_t number);

/* Forgets all. */
void tk_ut_id_names_release(struct tk_ut_id_names *n);

#endif
