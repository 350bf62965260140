/*
 * Points in the program's code that messages come from: file, line and format of log messages and bookmarks,
 * by the address that stands for them (events 3.2, 3.3). Messages that come before their point is
 * defined wait.
 */
#ifndef TK_FORMAT_UTRACE_FAMILIES_MARKS_MESSAGE_POINTS_H
#define TK_FORMAT_UTRACE_FAMILIES_MARKS_MESSAGE_POINTS_H

#include "base/hash.h"
#include "format/utrace/feed/family.h"

struct tk_ut_message_point {
    const struct tk_str *file, *format, *category; /* file, category NULL: not known */
    uint32_t line;
    uint8_t verbosity;
};

/* The arguments of a message. */
struct tk_ut_message_args {
    struct tk_bytes bytes;
    bool partial; /* that their end is missing was reported of the event */
};

/* Those in a field of an event. */
static inline struct tk_ut_message_args tk_ut_message_args(const struct tk_ut_event *ev, unsigned field)
{
    return (struct tk_ut_message_args){tk_ut_bytes(ev, field), ev->incomplete};
}

/* A message that waits for its point. */
struct tk_ut_message {
    struct tk_fact fact;
    uint64_t point;
    struct tk_ut_message_args args; /* its bytes are owned */
};

struct tk_ut_message_points {
    struct tk_map index; /* address -> place in points */
    TK_VEC(struct tk_ut_message_point) points;
    TK_VEC(struct tk_ut_message) waiting; /* of this reading */
};

/* Sets the point of an address; a later one replaces it. */
int tk_ut_message_point_put(struct tk_ut_message_points *s, uint64_t address,
                            const struct tk_ut_message_point *point);

/* The point of an address, or NULL. Valid until the next put. */
const struct tk_ut_message_point *tk_ut_message_point_get(const struct tk_ut_message_points *s,
                                                          uint64_t address);

/*
 * Fills the file name and format of a point in: fields `file` and `format` of the handler, or the attachment
 * (narrow file name, NUL, wide format).
 */
int tk_ut_message_point_texts(struct tk_ut_feed *feed, const struct tk_ut_event *ev, unsigned file,
                              unsigned format, struct tk_ut_message_point *point);

/* Keeps a message until its point is defined. */
int tk_ut_message_wait(struct tk_ut_feed *feed, struct tk_ut_message_points *s, const struct tk_fact *fact,
                       uint64_t point, struct tk_ut_message_args args);

/* Completes a message with its point (NULL: unknown) and says it. */
typedef int tk_ut_message_fn(struct tk_ut_feed *feed, struct tk_fact *fact,
                             const struct tk_ut_message_point *point, struct tk_ut_message_args args);

/* Says what waited. At the end of a reading. */
int tk_ut_messages_finish(struct tk_ut_feed *feed, struct tk_ut_message_points *s, tk_ut_message_fn *say);

/* The text of a message: the format filled in with the arguments, living as long as the batch. */
int tk_ut_message_text(struct tk_ut_feed *feed, const struct tk_str *format, struct tk_ut_message_args args,
                       struct tk_str *out);

void tk_ut_message_points_release(struct tk_ut_message_points *s);

#endif
