/*
 * What a merge does with each record of records.h: it is read from a capture, with the numbers, ids and times
 * that it has in the result.
 */
#ifndef TK_EDIT_TRACY_MERGE_IN_H
#define TK_EDIT_TRACY_MERGE_IN_H

#include "edit/tracy/edit_tracy_merge.h"

/* What is not there becomes 0, or -1 of images. */
uint64_t tk_tracy_merge_key(struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part, uint64_t key);
uint32_t tk_tracy_merge_lock(struct tk_tracy_merge *m, uint32_t id);
int32_t tk_tracy_merge_image(const struct tk_tracy_merge_part *part, int32_t image);
uint64_t tk_tracy_merge_string_key(const struct tk_tracy_merge_part *part, uint64_t key);

static inline uint16_t tk_tracy_merge_external(const struct tk_tracy_merge_part *part, uint16_t thread)
{
    return thread < part->external.n ? part->external.v[thread] : 0;
}

/* ---- by role: what becomes of a value ---- */

#define TK_TRACY_MERGED_PLAIN(x)    x
#define TK_TRACY_MERGED_TIME(x)     tk_tracy_merge_time(part, x)
#define TK_TRACY_MERGED_END(x)      tk_tracy_merge_end(part, x)
#define TK_TRACY_MERGED_LATER(x)    ((x) > 0 ? tk_tracy_merge_time(part, x) : (x))
#define TK_TRACY_MERGED_STACK(x)    tk_tracy_merge_callstack(m, part, x)
#define TK_TRACY_MERGED_LOCAL(x)    tk_tracy_merge_local(part, x)
#define TK_TRACY_MERGED_EXTERNAL(x) tk_tracy_merge_external(part, x)
#define TK_TRACY_MERGED_TID(x)      tk_tracy_merge_tid(m, part, x)
#define TK_TRACY_MERGED_PLACE(x)    tk_tracy_merge_place(part, x)
#define TK_TRACY_MERGED_NAMED(x)    tk_tracy_merge_place(part, x)
#define TK_TRACY_MERGED_ADDRESS(x)  tk_tracy_merge_address(part, x)
#define TK_TRACY_MERGED_KEY(x)      tk_tracy_merge_key(m, part, x)
#define TK_TRACY_MERGED_LOCK(x)     tk_tracy_merge_lock(m, x)
#define TK_TRACY_MERGED_IMAGE(x)    tk_tracy_merge_image(part, x)
#define TK_TRACY_MERGED_POINTER(x)  tk_tracy_merge_pointer(part, x)
#define TK_TRACY_MERGED_INDEX(x)    tk_tracy_merge_index(part, x)
#define TK_TRACY_MERGED_STRING(x)   tk_tracy_merge_string_key(part, x)
#define TK_TRACY_MERGED_REF(x)      tk_tracy_merge_ref(part, x)

#define TK_TRACY_MERGE_FIELD(name, kind, role, text, when, what)                                             \
    if (when)                                                                                                \
        v->name = TK_TRACY_MERGED_##role(v->name);

/* Of each record: gives a record its new numbers; reads one that has them; reads one and puts it. */
#define TK_TRACY_DECLARE_MERGE(record, FIELDS, how, title)                                                   \
    static inline void tk_tracy_merge_number_##record(                                                       \
        struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct tk_tracy_##record *v)             \
    {                                                                                                        \
        const struct tk_tracy_layout *l = &part->c->layout;                                                  \
        (void)m, (void)part, (void)v, (void)l;                                                               \
        FIELDS(TK_TRACY_MERGE_FIELD)                                                                         \
    }                                                                                                        \
    static inline bool tk_tracy_merge_read_##record(                                                         \
        struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct tk_tracy_##record *v)             \
    {                                                                                                        \
        const bool whole = tk_tracy_read_##record(part->in, v);                                              \
        if (whole)                                                                                           \
            tk_tracy_merge_number_##record(m, part, v);                                                      \
        return whole;                                                                                        \
    }                                                                                                        \
    static inline void tk_tracy_merge_put_##record(struct tk_tracy_merge *m,                                 \
                                                   struct tk_tracy_merge_part *part)                         \
    {                                                                                                        \
        struct tk_tracy_##record v;                                                                          \
        if (tk_tracy_merge_read_##record(m, part, &v))                                                       \
            tk_tracy_put_##record(m->out, &v);                                                               \
    }
TK_TRACY_EACH_RECORD(TK_TRACY_DECLARE_MERGE)

#undef TK_TRACY_DECLARE_MERGE
#undef TK_TRACY_MERGE_FIELD

/* Begins a list of a capture: its count is read, and its times run from 0. */
static inline uint64_t tk_tracy_merge_list(struct tk_tracy_merge_part *part, const char *what)
{
    part->in->time = part->in->gpu_time = 0;
    return tk_tracy_u64(part->in, what);
}

/* Puts n records of a capture, or those of all captures behind their number. */
typedef void tk_tracy_merge_put_fn(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part);
void tk_tracy_merge_put_n(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint64_t n,
                          tk_tracy_merge_put_fn *put);
void tk_tracy_merge_records(struct tk_tracy_merge *m, tk_tracy_merge_put_fn *put);

#endif
