/*
 * Times of events: in which field a type has one, and what an event says there. Besides events with such a
 * field, stamped scopes have the time of their stamp, and CPU batches that of their first entry.
 */
#ifndef TK_FORMAT_UTRACE_FEED_EVENT_TIME_H
#define TK_FORMAT_UTRACE_FEED_EVENT_TIME_H

#include "format/utrace/schema/event.h"

/* Where events of a type have their time. */
struct tk_ut_time_rule {
    const struct tk_ut_field *field; /* NULL: nowhere but in a stamp */
    uint8_t shift;                   /* of a batch: flag bits below its first time; 0: no batch */
    bool relative;                   /* counts from the start */
    bool clock;                      /* is the start itself, at which nothing happened */
};

struct tk_ut_time_rule tk_ut_time_rule_of(const struct tk_ut_type *type);

/* The time of an event in cycles since `start`; false where it says none. */
bool tk_ut_time_by_rule(const struct tk_ut_time_rule *rule, const struct tk_ut_event *ev, uint64_t start,
                        int64_t *time);

#endif
