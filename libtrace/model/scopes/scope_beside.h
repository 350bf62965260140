/*
 * What a kernel keeps beside the stack, and what slices have from there. In each of these loops, over the ops
 * of a block, an op both writes a scope above the stack and a slice behind the slices, and depth and count
 * say which of the two is there. Paths, which have to be looked up, are only hashed here.
 */
#ifndef TK_MODEL_SCOPES_SCOPE_BESIDE_H
#define TK_MODEL_SCOPES_SCOPE_BESIDE_H

#include "base/bits.h"
#include "model/scopes/scope_lane.h"

/* Counts scopes in and out, from the depth and the slice before the block. */
TK_ALWAYS_INLINE void tk_scope_count_open(struct tk_slice_room *out, uint8_t *outer, const uint32_t *op,
                                          const uint32_t *ended, size_t n, uint64_t selected)
{
    uint32_t *const open_scopes = out->open;
    const uint32_t n_open = out->n_open; /* of late timers, which step begins, nothing is counted */
    size_t at = out->n;
    for (size_t i = 0; i < n; i++) {
        const uint32_t end = op[i] >> 31;
        const uint32_t timer = (op[i] | (*ended & (0 - end))) & TK_OP_TIMER; /* an end has none itself */
        uint32_t *open = &open_scopes[timer < n_open ? timer : n_open];
        out->outer[at] = *outer;
        outer[1] = *open == 0;
        *open += 1 - 2 * end;
        outer += 1 - 2 * (ptrdiff_t)end;
        ended += end;
        at += end & selected;
    }
}

/* Numbers scopes as they begin. */
TK_ALWAYS_INLINE void tk_scope_put_ids(struct tk_slice_room *out, uint64_t *id, uint64_t begun,
                                       const uint32_t *op, size_t n, uint64_t selected)
{
    size_t at = out->n;
    for (size_t i = 0; i < n; i++) {
        const uint64_t end = op[i] >> 31;
        out->id[at] = *id;
        out->parent[at] = id[-(ptrdiff_t)end];
        begun += end ^ 1;
        id[1] = begun;
        id += 1 - 2 * (ptrdiff_t)end;
        at += (size_t)(end & selected);
    }
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
