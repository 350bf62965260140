/*
 * The wire format of protocol buffers: the part that is written here. Perfetto's traces and pprof's profiles
 * are written with it.
 */
#ifndef TK_SINK_ENCODE_PROTOBUF_H
#define TK_SINK_ENCODE_PROTOBUF_H

#include "sink/write/buffer.h"

/* A number of 7 bits a byte; at most 10 bytes at p. Returns the end. */
static inline char *tk_pb_varint(char *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (char)(v | 0x80);
    *p++ = (char)v;
    return p;
}

static inline void tk_pb_number(struct tk_buffer *b, uint64_t v)
{
    b->n += (size_t)(tk_pb_varint(tk_buffer_space(b, 10), v) - (b->p + b->n));
}

/* Field with a number. */
static inline void tk_pb_uint(struct tk_buffer *b, uint32_t field, uint64_t v)
{
    tk_pb_number(b, (uint64_t)field << 3);
    tk_pb_number(b, v);
}

/* Field with bytes: a text, or a message that was made elsewhere. */
static inline void tk_pb_bytes(struct tk_buffer *b, uint32_t field, const void *p, size_t n)
{
    tk_pb_number(b, (uint64_t)field << 3 | 2);
    tk_pb_number(b, n);
    tk_buffer_put(b, p, n);
}

/* Field with a double. */
static inline void tk_pb_real(struct tk_buffer *b, uint32_t field, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    tk_pb_number(b, (uint64_t)field << 3 | 1);
    for (unsigned i = 0; i < 8; i++)
        tk_buffer_char(b, (char)(bits >> (8 * i)));
}

#endif
