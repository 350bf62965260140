/*
 * What a file names and nobody reads: sections beside its events, kinds of packets without a type. Each is
 * counted by name, for the table `coverage`.
 */
#ifndef TK_FORMAT_EVENTS_UNREAD_H
#define TK_FORMAT_EVENTS_UNREAD_H

#include "tracekit.h"

#include <stddef.h>

struct tk_ev_capture;

enum { TK_EV_UNREAD_NAME = 64, TK_EV_UNREAD_MOST = 256 };

struct tk_ev_unread {
    struct tk_record_type type;
    uint64_t count, bytes;
    char name[TK_EV_UNREAD_NAME];
};

/*
 * One more of what is called by the prefix and n bytes of a name; the first walk counts. listed: it is a
 * record as well. Further names than TK_EV_UNREAD_MOST count as one, "others". 0, or -1 if out of memory.
 */
int tk_ev_unread(struct tk_ev_capture *c, const char *prefix, const void *name, size_t n, bool listed,
                 uint64_t bytes);

/* The same of a number: it is called by `text`, or "prefix number" where that is NULL. */
int tk_ev_unread_number(struct tk_ev_capture *c, const char *prefix, const char *text, uint32_t number,
                        bool listed, uint64_t bytes);

void tk_ev_unread_release(struct tk_ev_capture *c);

#endif
