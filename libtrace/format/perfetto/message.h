/*
 * Messages of protobuf: their fields one after another, each checked against what is left (import 5.1).
 */
#ifndef TK_FORMAT_PERFETTO_MESSAGE_H
#define TK_FORMAT_PERFETTO_MESSAGE_H

#include "base/cursor.h"

enum { TK_PF_VARINT = 0, TK_PF_FIXED64 = 1, TK_PF_BYTES = 2, TK_PF_FIXED32 = 5 };

struct tk_pf_field {
    uint32_t number;
    uint8_t wire;
    uint64_t value;        /* of a number */
    struct tk_bytes bytes; /* of TK_PF_BYTES */
};

/* A walk over the fields of a message. */
struct tk_pf_message {
    const uint8_t *p, *end;
};

static inline struct tk_pf_message tk_pf_message_of(struct tk_bytes s)
{
    return (struct tk_pf_message){s.p, s.p + s.n};
}

/* A varint. 1; 0: the bytes end in it; -1: it is longer than ten bytes. */
int tk_pf_varint(const uint8_t **p, const uint8_t *end, uint64_t *out);

/* The next field. 1; 0 at the end; -1: the message is broken. */
int tk_pf_next(struct tk_pf_message *m, struct tk_pf_field *out);

/* Repeated numbers, packed or not: the next one of a field. 1, 0, -1. Begin with *at = NULL. */
int tk_pf_number(const struct tk_pf_field *f, uint8_t wire, const uint8_t **at, uint64_t *out);

static inline double tk_pf_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#endif
