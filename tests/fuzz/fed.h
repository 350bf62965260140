/*
 * A lane of .utrace that is fed with bytes, whole and in pieces: for the targets of lanes. What is handed on
 * becomes one number.
 */
#ifndef TK_TESTS_FUZZ_FED_H
#define TK_TESTS_FUZZ_FED_H

#include "format/utrace/lanes/lane.h"
#include "lanes.h"
#include "rig.h"

struct fed {
    struct tk_intern strings;
    struct tk_health health;
    struct tk_limits limits;
    struct tk_ut_schema schema;
    struct tk_ut_handler handler;
    struct tk_ut_decoder decoder;
    struct tk_arena scratch;
    uint8_t want[64];
    uint64_t reported; /* of what was handed on */
    uint64_t calls;
};

/* A decoder that knows the types of fed.c: uids from 16 on (from protocol 5), or from 1 on. Must not move. */
void fed_open(struct fed *f, uint8_t protocol, bool declared);
void fed_close(struct fed *f);

/* The types that decoders know, and how many. */
const struct tk_uw_type *fed_types(size_t *n);

#endif
