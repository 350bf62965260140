/*
 * Thrift's compact protocol: the part that headers of pages and footers of Parquet need. Fields of a struct
 * come in order of their ids.
 */
#ifndef TK_SINK_PARQUET_THRIFT_H
#define TK_SINK_PARQUET_THRIFT_H

#include "sink/write/protobuf.h"

enum tk_thrift_type {
    TK_THRIFT_TRUE = 1,
    TK_THRIFT_FALSE,
    TK_THRIFT_I8,
    TK_THRIFT_I32 = 5,
    TK_THRIFT_I64,
    TK_THRIFT_BINARY = 8,
    TK_THRIFT_LIST,
    TK_THRIFT_STRUCT = 12
};

#define TK_THRIFT_DEPTH 8

/* begin: {.b = buffer}. */
struct tk_thrift {
    struct tk_buffer *b;
    unsigned last[TK_THRIFT_DEPTH], depth; /* ids of the structs that are open */
};

/* Fields of these structs are less than 16 apart. */
static inline void tk_thrift_field(struct tk_thrift *t, unsigned id, enum tk_thrift_type type)
{
    tk_buffer_char(t->b, (char)((id - t->last[t->depth]) << 4 | (unsigned)type));
    t->last[t->depth] = id;
}

static inline void tk_thrift_number(struct tk_thrift *t, int64_t v)
{
    tk_pb_number(t->b, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static inline void tk_thrift_i32(struct tk_thrift *t, unsigned id, int32_t v)
{
    tk_thrift_field(t, id, TK_THRIFT_I32);
    tk_thrift_number(t, v);
}

static inline void tk_thrift_i64(struct tk_thrift *t, unsigned id, int64_t v)
{
    tk_thrift_field(t, id, TK_THRIFT_I64);
    tk_thrift_number(t, v);
}

static inline void tk_thrift_bool(struct tk_thrift *t, unsigned id, bool v)
{
    tk_thrift_field(t, id, v ? TK_THRIFT_TRUE : TK_THRIFT_FALSE);
}

static inline void tk_thrift_bytes(struct tk_thrift *t, const void *p, size_t n)
{
    tk_pb_number(t->b, n);
    tk_buffer_put(t->b, p, n);
}

static inline void tk_thrift_binary(struct tk_thrift *t, unsigned id, const void *p, size_t n)
{
    tk_thrift_field(t, id, TK_THRIFT_BINARY);
    tk_thrift_bytes(t, p, n);
}

static inline void tk_thrift_list(struct tk_thrift *t, unsigned id, enum tk_thrift_type of, size_t n)
{
    tk_thrift_field(t, id, TK_THRIFT_LIST);
    tk_buffer_char(t->b, (char)((n < 15 ? n : 15) << 4 | (unsigned)of));
    if (n >= 15)
        tk_pb_number(t->b, n);
}

/* A struct in a field, or (id 0) in a list. */
static inline void tk_thrift_open(struct tk_thrift *t, unsigned id)
{
    if (id)
        tk_thrift_field(t, id, TK_THRIFT_STRUCT);
    t->last[++t->depth] = 0;
}

static inline void tk_thrift_close(struct tk_thrift *t)
{
    tk_buffer_char(t->b, 0);
    t->depth--;
}

/* A struct without fields, as members of unions are. */
static inline void tk_thrift_empty(struct tk_thrift *t, unsigned id)
{
    tk_thrift_open(t, id);
    tk_thrift_close(t);
}

#endif
