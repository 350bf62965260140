/*
 * What the makers of tests/limits share: a capture with n of something, to reach a limit with or to be a
 * bomb. How much of each there is follows from n alone, so that a test knows which limit is reached and which
 * is not.
 */
#ifndef TK_TESTS_LIMITS_MAKE_H
#define TK_TESTS_LIMITS_MAKE_H

#include "put_event.h"
#include "tracy_writer.h"

enum { MAKE_TYPES = 4 };

/* A .utrace capture of protocol 7 that is being written. */
struct make {
    struct tk_uw uw;
    struct tk_uw_lane lane; /* of thread 2 */
    uint64_t n, now;
    struct put_type *types[MAKE_TYPES]; /* owned */
    unsigned n_types;
};

struct make_kind {
    const char *name; /* NULL ends a list */
    void (*utrace)(struct make *m);
    void (*tracy)(const struct tk_tw_options *options, uint64_t n);
};

extern const struct make_kind make_stream[], make_cpu[], make_families[], make_tracy[];

/* The next cycle. */
static inline uint64_t make_now(struct make *m)
{
    return m->uw.start_cycle + ++m->now;
}

/* Sends what the writer's lanes hold, now and then; i counts what was written. */
void make_drain(struct make *m, uint64_t i);

/* Declares a type (put_declare), which is freed with the capture. Ends the program when it cannot. */
struct put_type *make_type(struct make *m, const char *name, const char *fields, uint8_t flags);

#endif
