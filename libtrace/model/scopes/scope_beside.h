/*
 * What a kernel keeps beside the stack, and what slices have from there. No loop over the ops of a block has
 * a branch on begin or end. What is said of each op lies above the stack, as the ops do. Hashes and texts are
 * stacks of their own: an op both writes one above and a slice behind the slices, and depth and count say
 * which of the two is there. Paths, which have to be looked up, are only hashed here.
 */
#ifndef TK_MODEL_SCOPES_SCOPE_BESIDE_H
#define TK_MODEL_SCOPES_SCOPE_BESIDE_H

#include "base/bits.h"
#include "model/scopes/scope_lane.h"

/* Counts the scopes of n ops in and out, whose ends have the timers of their scopes, and says of each op
 * whether none of its timer was open. */
TK_ALWAYS_INLINE void tk_scope_count_open(const struct tk_slice_room *out, uint8_t *outer, const uint32_t *op,
                                          size_t n)
{
    uint32_t *const open_scopes = out->open;
    const uint32_t n_open = out->n_open; /* of late timers, which step begins, nothing is counted */
    for (size_t i = 0; i < n; i++) {
        const uint32_t timer = op[i] & TK_OP_TIMER;
        uint32_t *open = &open_scopes[timer < n_open ? timer : n_open];
        outer[i] = *open == 0;
        *open += 1 - 2 * (op[i] >> 31);
    }
}

/* Numbers the scopes that n ops begin. */
TK_ALWAYS_INLINE void tk_scope_put_ids(uint64_t *id, uint64_t begun, const uint32_t *op, size_t n)
{
    for (size_t i = 0; i < n; i++)
        id[i] = begun += op[i] >> 31 ^ 1;
}

TK_ALWAYS_INLINE void tk_scope_put_hashes(struct tk_slice_room *out, uint64_t *hash, const uint32_t *op,
                                          size_t n, uint64_t selected)
{
    size_t at = out->n;
    for (size_t i = 0; i < n; i++) {
        const uint64_t end = op[i] >> 31;
        out->hash[at] = *hash;
        hash[1] = tk_path_hash(*hash, op[i] & TK_OP_TIMER);
        hash += 1 - 2 * (ptrdiff_t)end;
        at += (size_t)(end & selected);
    }
}

/* texts NULL: none of the scopes has one. */
TK_ALWAYS_INLINE void tk_scope_put_texts(struct tk_slice_room *out, const struct tk_str **text,
                                         const uint32_t *op, const struct tk_str *const *texts, size_t n,
                                         uint64_t selected)
{
    size_t at = out->n;
    for (size_t i = 0; i < n; i++) {
        const uint64_t end = op[i] >> 31;
        out->text[at] = *text;
        text[1] = texts ? texts[i] : NULL;
        text += 1 - 2 * (ptrdiff_t)end;
        at += (size_t)(end & selected);
    }
}

/* What slices of one segment have in common, from `from` to `to`. */
TK_ALWAYS_INLINE void tk_scope_put_frame(struct tk_slice_room *out, size_t from, size_t to, uint32_t frame,
                                         int64_t last, unsigned want)
{
    if (want & TK_SLICE_FRAME)
        for (size_t k = from; k < to; k++)
            out->frame[k] = frame;
    /* no frame lies between the end of a scope and the last time */
    if ((want & TK_SLICE_NO_FRAME) && frame == TK_FRAME_NONE)
        for (size_t k = from; k < to; k++)
            out->end[k] = last;
}

#endif
