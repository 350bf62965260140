/*
 * Messages of protobuf: their fields one after another, each checked against the remaining bytes (import
 * 5.1).
 */
#ifndef TK_FORMAT_PERFETTO_MESSAGE_H
#define TK_FORMAT_PERFETTO_MESSAGE_H

#include "base/bits.h"
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

/* A varint in any form. 1; 0: the bytes end in it; -1: it is longer than ten bytes. */
int tk_pf_any_varint(const uint8_t **p, const uint8_t *end, uint64_t *out);

/* The seven low bits of eight bytes in a row. */
static inline uint64_t tk_pf_sevens(uint64_t v)
{
    v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
}

enum { TK_PF_VARINT_BYTES = 10 };

/* The same, of which most are of one byte, and some of eight. */
static inline int tk_pf_varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    const uint8_t *q = *p;
    if (q < end && *q < 0x80) {
        *out = *q;
        *p = q + 1;
        return 1;
    }
    if (end - q < TK_PF_VARINT_BYTES)
        return tk_pf_any_varint(p, end, out);
    const uint64_t bytes = tk_load64(q), ends = ~bytes & UINT64_C(0x8080808080808080);
    if (!ends)
        return tk_pf_any_varint(p, end, out);
    /* all bits up to that which ends it */
    *out = tk_pf_sevens(bytes & (ends ^ (ends - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f));
    *p = q + tk_zeros_below(ends) / 8 + 1;
    return 1;
}

/* The next field in any form. 1; 0 at the end; -1: the message is broken. */
int tk_pf_any_field(struct tk_pf_message *m, struct tk_pf_field *out);

/* The same, of which most are numbers or bytes, with a tag of one or two bytes. */
static inline int tk_pf_next(struct tk_pf_message *m, struct tk_pf_field *out)
{
    const uint8_t *p = m->p;
    uint64_t value;
    if (p == m->end)
        return 0;
    unsigned tag = *p++;
    if (tag >= 0x80 && p < m->end && *p < 0x80)
        tag = (tag & 0x7f) | (unsigned)*p++ << 7;
    const unsigned wire = tag & 7;
    if (tag < 8 || (tag & 0x80 && p == m->p + 1) || (wire != TK_PF_VARINT && wire != TK_PF_BYTES))
        return tk_pf_any_field(m, out);
    if (tk_pf_varint(&p, m->end, &value) != 1)
        return -1;
    out->number = tag >> 3;
    out->wire = (uint8_t)wire;
    out->value = wire == TK_PF_BYTES ? 0 : value;
    const uint64_t n = wire == TK_PF_BYTES ? value : 0;
    if (n > (size_t)(m->end - p))
        return -1;
    out->bytes = (struct tk_bytes){p, (size_t)n};
    m->p = p + n;
    return 1;
}

/* Repeated numbers, packed or not: the next one of a field. 1, 0, -1. Begin with *at = NULL. */
int tk_pf_number(const struct tk_pf_field *f, uint8_t wire, const uint8_t **at, uint64_t *out);

static inline double tk_pf_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#endif
