/*
 * Events of any type in a capture of a test, in one line each; put_event.h says how types and values are
 * given.
 */
#ifndef TK_TESTS_UNIT_ROOT_PUT_H
#define TK_TESTS_UNIT_ROOT_PUT_H

#include "captured.h"
#include "put_event.h"

/* Declares a type; flags as TK_UW_NOSYNC, ... */
static inline struct put_type *put_new(struct captured *c, const char *name, const char *fields,
                                       uint8_t flags)
{
    struct put_type *t = put_declare(&c->uw, name, fields, flags);
    ck_assert_ptr_nonnull(t);
    return t;
}

/* Writes an event on a lane of the capture (of thread 2 + lane). */
static inline void put(struct captured *c, unsigned lane, const struct put_type *t, ...)
{
    va_list values;
    va_start(values, t);
    put_event_of(&c->lanes[lane], t, values);
    va_end(values);
}

#endif
