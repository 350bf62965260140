/*
 */
#include "format/tracy/walk/section.h"

struct tk_fact *tk_tracy_batch_fact(struct tk_tracy_batch *out, enum tk_fact_kind kind, uint32_t thread,
                                    int64_t time)
{
    if (tk_vec_reserve(&out->facts, out->facts.n + 1))
        return NULL;
    struct tk_fact *fact = &out->facts.v[out->facts.n++];
    *fact = (struct tk_fact){
        .kind = (uint16_t)kind, .size = sizeof *fact, .thread = thread, .time = time, .seq = TK_NO_SEQ};
    return fact;
}

int tk_tracy_batch_open_scopes(struct tk_tracy_batch *out, bool texts, bool stacks)
{
    out->time = malloc(TK_TRACY_OPS * sizeof *out->time);
    out->op = malloc(TK_TRACY_OPS * sizeof *out->op);
    if (texts || stacks)
        out->extra = calloc(TK_TRACY_OPS + 1, sizeof *out->extra);
    if (texts)
        out->text = malloc(TK_TRACY_OPS * sizeof *out->text);
    if (stacks) {
        out->stack = malloc(TK_TRACY_OPS * sizeof *out->stack);
        out->cpu = malloc(TK_TRACY_OPS * sizeof *out->cpu);
    }
    const bool good = out->time && out->op && (!(texts || stacks) || out->extra);
    return good && (!texts || out->text) && (!stacks || (out->stack && out->cpu)) ? TK_OK : TK_ENOMEM;
}

void tk_tracy_batch_clear(struct tk_tracy_batch *out)
{
    out->facts.n = out->runs.n = out->n_ops = 0;
    tk_arena_clear(&out->arena);
}

void tk_tracy_batch_release(struct tk_tracy_batch *out)
{
    tk_vec_release(&out->facts);
    tk_vec_release(&out->runs);
    tk_arena_release(&out->arena);
    free(out->time);
    free(out->op);
    free(out->extra);
    free(out->text);
    free(out->stack);
    free(out->cpu);
    *out = (struct tk_tracy_batch){0};
}
