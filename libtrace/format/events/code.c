/*
 * Code and samples of it: frames, stacks of them, and which thread was found in which.
 *
 * Frames have numbers instead of addresses, as most of these formats know names of functions and no addresses
 * of a program: what facts state as an address is the number of a frame.
 */
#include "format/events/feed.h"

#include <string.h>

uint32_t tk_ev_code_frame(struct tk_ev_capture *c, const struct tk_ev_code_frame *f)
{
    const struct tk_ev_key key = {{(uint64_t)f->function << 32 | f->file,
                                   (uint64_t)f->module << 32 | f->build, f->line, f->address,
                                   f->has_address}};
    const uint32_t at = tk_ev_ids_number(&c->code_ids, &key, c->ctx->limits.definitions);
    if (at == UINT32_MAX || at < c->code.n)
        return at;
    if (at == TK_EV_IDS_FULL) {
        c->left_out[TK_EV_BEYOND_CODE]++;
        return at;
    }
    return tk_vec_push(&c->code, *f) ? UINT32_MAX : at;
}

uint32_t tk_ev_stack(struct tk_ev_capture *c, const uint32_t *frames, size_t n)
{
    const uint64_t hash = tk_hash_bytes(frames, n * sizeof *frames, n);
    uint64_t key = hash;
    uint32_t at;
    for (; (at = tk_map_get(&c->stack_index, key)) != TK_MAP_NONE; key++) {
        const struct tk_ev_stack *have = &c->stacks.v[at];
        if (have->n == n && (!n || memcmp(c->stack_frames.v + have->first, frames, n * sizeof *frames) == 0))
            return at + 1;
    }
    at = (uint32_t)c->stacks.n;
    const struct tk_ev_stack fresh = {c->stack_frames.n, (uint32_t)n};
    if (c->stacks.n >= c->ctx->limits.definitions) {
        c->left_out[TK_EV_BEYOND_CODE]++;
        return 0;
    }
    if (tk_vec_reserve(&c->stack_frames, c->stack_frames.n + n + 1) || tk_vec_push(&c->stacks, fresh) ||
        tk_map_put(&c->stack_index, key, at))
        return UINT32_MAX;
    if (n)
        memcpy(c->stack_frames.v + c->stack_frames.n, frames, n * sizeof *frames);
    c->stack_frames.n += n;
    return at + 1;
}
