/*
 * Events of any type, written in one line each. A type is given by its fields: "Id:i Cycle:q Name:w" with
 *   b h i q   unsigned of 1, 2, 4, 8 bytes      j k   signed of 4, 8 bytes      f d   reals
 *   s w       text, narrow and wide             B I U arrays of bytes, of unsigned of 4, of 8 bytes
 *   D         array of reals of 8 bytes
 * and an event by its values in that order: numbers as uint64_t (use Q), reals as double, texts as const char
 * *, arrays as const void * to such numbers and size_t bytes.
 */
#ifndef TK_WRITER_PUT_EVENT_H
#define TK_WRITER_PUT_EVENT_H

#include "utrace_writer.h"

#include <stdarg.h>

#define Q(number) ((uint64_t)(number))

#define PUT_FIELDS 16

struct put_type {
    struct tk_uw_type type;
    struct tk_uw_field fields[PUT_FIELDS];
    char names[256], logger[64], event[64];
};

/* Is it written behind the fixed fields? */
static inline bool put_is_value(const struct tk_uw_field *field)
{
    return field->type & 0x80;
}

/* Declares "Logger.Event" at once; flags as TK_UW_NOSYNC, ... To be freed after the last event of it; NULL
 * if out of memory or the fields are not as above. */
struct put_type *put_declare(struct tk_uw *uw, const char *name, const char *fields, uint8_t flags);

void put_event(struct tk_uw_lane *lane, const struct put_type *type, ...);
void put_event_of(struct tk_uw_lane *lane, const struct put_type *type, va_list values);

#endif
