/*
 * Structs and readers of the records of a .tracy, made of their lists in records.h.
 */
#ifndef TK_FORMAT_TRACY_FILE_READ_H
#define TK_FORMAT_TRACY_FILE_READ_H

#include "format/tracy/file/payload.h"
#include "format/tracy/file/records.h"
#include "format/tracy/file/version.h"

#include <string.h>

/* ---- kinds ---- */

#define TK_TRACY_TYPE_U8     uint8_t
#define TK_TRACY_TYPE_I8     int8_t
#define TK_TRACY_TYPE_U16    uint16_t
#define TK_TRACY_TYPE_I16    int16_t
#define TK_TRACY_TYPE_U24    uint32_t
#define TK_TRACY_TYPE_U32    uint32_t
#define TK_TRACY_TYPE_I32    int32_t
#define TK_TRACY_TYPE_U64    uint64_t
#define TK_TRACY_TYPE_I64    int64_t
#define TK_TRACY_TYPE_I48    int64_t
#define TK_TRACY_TYPE_F32    float
#define TK_TRACY_TYPE_F64    double
#define TK_TRACY_TYPE_COUNT  uint64_t
#define TK_TRACY_TYPE_DT     int64_t
#define TK_TRACY_TYPE_GT     int64_t
#define TK_TRACY_TYPE_REF    struct tk_tracy_ref
#define TK_TRACY_TYPE_NAME12 struct tk_tracy_name12

#define TK_TRACY_BYTES_U8     1u
#define TK_TRACY_BYTES_I8     1u
#define TK_TRACY_BYTES_U16    2u
#define TK_TRACY_BYTES_I16    2u
#define TK_TRACY_BYTES_U24    3u
#define TK_TRACY_BYTES_U32    4u
#define TK_TRACY_BYTES_I32    4u
#define TK_TRACY_BYTES_U64    8u
#define TK_TRACY_BYTES_I64    8u
#define TK_TRACY_BYTES_I48    6u
#define TK_TRACY_BYTES_F32    4u
#define TK_TRACY_BYTES_F64    8u
#define TK_TRACY_BYTES_COUNT  8u
#define TK_TRACY_BYTES_DT     8u
#define TK_TRACY_BYTES_GT     8u
#define TK_TRACY_BYTES_REF    9u
#define TK_TRACY_BYTES_NAME12 12u

/* Of bytes that are there. */
#define TK_TRACY_LOAD_U8(in, p, what)     (*(p))
#define TK_TRACY_LOAD_I8(in, p, what)     ((int8_t) * (p))
#define TK_TRACY_LOAD_U16(in, p, what)    tk_load16(p)
#define TK_TRACY_LOAD_I16(in, p, what)    ((int16_t)tk_load16(p))
#define TK_TRACY_LOAD_U24(in, p, what)    ((uint32_t)tk_load_le(p, 3))
#define TK_TRACY_LOAD_U32(in, p, what)    tk_load32(p)
#define TK_TRACY_LOAD_I32(in, p, what)    ((int32_t)tk_load32(p))
#define TK_TRACY_LOAD_U64(in, p, what)    tk_load64(p)
#define TK_TRACY_LOAD_I64(in, p, what)    ((int64_t)tk_load64(p))
#define TK_TRACY_LOAD_I48(in, p, what)    tk_tracy_load_i48(p)
#define TK_TRACY_LOAD_F32(in, p, what)    tk_tracy_load_f32(p)
#define TK_TRACY_LOAD_F64(in, p, what)    tk_tracy_load_f64(p)
#define TK_TRACY_LOAD_COUNT(in, p, what)  tk_tracy_load_count(in, p, what)
#define TK_TRACY_LOAD_DT(in, p, what)     tk_tracy_after(&(in)->time, p)
#define TK_TRACY_LOAD_GT(in, p, what)     tk_tracy_after(&(in)->gpu_time, p)
#define TK_TRACY_LOAD_REF(in, p, what)    ((struct tk_tracy_ref){tk_load64(p), (p)[8]})
#define TK_TRACY_LOAD_NAME12(in, p, what) tk_tracy_load_name12(p)

/* ---- structs and readers ---- */

#define TK_TRACY_MEMBER(name, kind, role, text, when, what) TK_TRACY_TYPE_##kind name;

#define TK_TRACY_FIELD_SIZE(name, kind, role, text, when, what) +((when) ? TK_TRACY_BYTES_##kind : 0u)

#define TK_TRACY_LOAD_FIELD(name, kind, role, text, when, what)                                              \
    if (when) {                                                                                              \
        v->name = TK_TRACY_LOAD_##kind(in, p, what);                                                         \
        p += TK_TRACY_BYTES_##kind;                                                                          \
    } else {                                                                                                 \
        memset(&v->name, 0, sizeof v->name);                                                                 \
    }

/*
 * Of each record: its struct; its bytes in a layout; a reader, which is false and may leave anything in the
 * struct where the payload has a fault; and a reader of one field after the other, which gives how many of
 * them were there.
 */
#define TK_TRACY_DECLARE_RECORD(record, FIELDS, how, title)                                                  \
    struct tk_tracy_##record {                                                                               \
        FIELDS(TK_TRACY_MEMBER)                                                                              \
    };                                                                                                       \
    static inline size_t tk_tracy_##record##_size(const struct tk_tracy_layout *l)                           \
    {                                                                                                        \
        (void)l;                                                                                             \
        return 0u FIELDS(TK_TRACY_FIELD_SIZE);                                                               \
    }                                                                                                        \
    static inline void tk_tracy_load_##record(struct tk_tracy_payload *in, const uint8_t *p,                 \
                                              struct tk_tracy_##record *v)                                   \
    {                                                                                                        \
        const struct tk_tracy_layout *l = in->layout;                                                        \
        (void)l;                                                                                             \
        FIELDS(TK_TRACY_LOAD_FIELD)                                                                          \
        (void)p;                                                                                             \
    }                                                                                                        \
    unsigned tk_tracy_step_##record(struct tk_tracy_payload *in, struct tk_tracy_##record *v);               \
    bool tk_tracy_read_far_##record(struct tk_tracy_payload *in, struct tk_tracy_##record *v);               \
    static inline bool tk_tracy_read_##record(struct tk_tracy_payload *in, struct tk_tracy_##record *v)      \
    {                                                                                                        \
        const size_t size = tk_tracy_##record##_size(in->layout);                                            \
        const uint8_t *p = in->p;                                                                            \
        if ((size_t)(in->end - p) < size)                                                                    \
            return tk_tracy_read_far_##record(in, v);                                                        \
        in->p = p + size;                                                                                    \
        tk_tracy_load_##record(in, p, v);                                                                    \
        return tk_tracy_ok(in);                                                                              \
    }

TK_TRACY_EACH_RECORD(TK_TRACY_DECLARE_RECORD)

/* A frame of a set: one that is continuous has no ends (-1). */
static inline bool tk_tracy_read_frame_of(struct tk_tracy_payload *in, bool continuous,
                                          struct tk_tracy_lone_frame *v)
{
    struct tk_tracy_frame f;
    if (!continuous)
        return tk_tracy_read_lone_frame(in, v);
    const bool whole = tk_tracy_read_frame(in, &f);
    *v = (struct tk_tracy_lone_frame){f.start, -1, f.image};
    return whole;
}

#undef TK_TRACY_DECLARE_RECORD
#undef TK_TRACY_LOAD_FIELD

#endif
