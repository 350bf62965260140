/*
 * Hitches that a side has and the other has not, or fewer of. They are matched by what they are of, not by
 * when they happen: by the first reason, the kind of thread and the part of the program.
 */
#include "compare/verdict/matrix.h"

#include <math.h>

#define MOST_GROUPS 512u /* with more, reasons say nothing */

/* The innermost region of a block: that with the fewest blocks; empty where there is none. */
static const struct tk_str *part_of(struct tk_matrix *m, const struct tk_base_run *run, size_t block)
{
    const struct tk_run_segment *found = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < run->segments.n && block < run->n_blocks; i++) {
        const struct tk_run_segment *s = &run->segments.v[i];
        size_t n = 0;
        if (!s->name->n || !s->has[block])
            continue;
        for (uint32_t b = 0; b < run->n_blocks; b++)
            n += s->has[b];
        if (n < least) {
            least = n;
            found = s;
        }
    }
    return found ? tk_intern(&m->out->names, found->name->p, found->name->n, found->name->enc)
                 : tk_intern_c(&m->out->names, "");
}

static const struct tk_str *name_of(struct tk_matrix *m, const struct tk_str *name)
{
    return tk_intern(&m->out->names, name->p, name->n, name->enc);
}

/* NULL if out of memory. Names are interned, so that they are equal where their places are. */
static struct tk_hitch_group *group_of(struct tk_matrix *m, const struct tk_hitch_group *like)
{
    struct tk_comparison *out = m->out;
    for (size_t i = 0; i < out->hitches.n; i++) {
        struct tk_hitch_group *g = &out->hitches.v[i];
        if (g->timer == like->timer && g->thread == like->thread && g->part == like->part &&
            g->role == like->role)
            return g;
    }
    return tk_vec_push(&out->hitches, *like) ? NULL : &out->hitches.v[out->hitches.n - 1];
}

static int count_hitch(struct tk_matrix *m, size_t r, const struct tk_base_hitch *hitch, size_t frame)
{
    const struct tk_base_run *run = m->runs[r];
    const struct tk_hitch_group like = {.timer = name_of(m, hitch->timer),
                                        .thread = name_of(m, hitch->thread),
                                        .part = part_of(m, run, tk_base_run_block(run, frame)),
                                        .role = hitch->role};
    if (!like.timer || !like.thread || !like.part)
        return -1;
    struct tk_hitch_group *g = group_of(m, &like);
    if (!g)
        return -1;
    const unsigned side = m->side[r];
    if (!g->side[side].n++ || hitch->excess > g->side[side].excess) {
        g->side[side].excess = hitch->excess;
        g->side[side].frame = hitch->frame;
    }
    return 0;
}

/* The hitches of a run that count; *n of them. */
static int count_run(struct tk_matrix *m, size_t r, size_t *n)
{
    const struct tk_base_run *run = m->runs[r];
    const size_t first = run->starts[m->skip[r]];
    int rc = 0;
    *n = 0;
    for (size_t i = 0; i < run->reasons.n && rc == 0 && m->out->hitches.n < MOST_GROUPS; i++) {
        const struct tk_base_hitch *hitch = &run->reasons.v[i];
        const size_t frame = tk_base_run_find_frame(run, hitch->number);
        if (frame < first || frame >= run->frames.n || !tk_is_hitch(tk_base_run_is(run, frame, false)))
            continue;
        rc = count_hitch(m, r, hitch, frame);
        ++*n;
    }
    return rc;
}

static size_t hitches_of(const struct tk_matrix *m, size_t r)
{
    size_t n = 0;
    for (size_t i = m->runs[r]->starts[m->skip[r]]; i < m->runs[r]->frames.n; i++)
        n += tk_is_hitch(tk_base_run_is(m->runs[r], i, false));
    return n;
}

/* By how much the sides differ, in hitches a run. */
static double difference(const struct tk_comparison *c, const struct tk_hitch_group *g)
{
    return fabs((double)g->side[1].n / (double)c->runs[1] - (double)g->side[0].n / (double)c->runs[0]);
}

/* Few groups: a stable sort by insertion. */
static void sort_groups(struct tk_comparison *c)
{
    for (size_t i = 1; i < c->hitches.n; i++)
        for (size_t k = i; k && difference(c, &c->hitches.v[k]) > difference(c, &c->hitches.v[k - 1]); k--) {
            const struct tk_hitch_group swap = c->hitches.v[k];
            c->hitches.v[k] = c->hitches.v[k - 1];
            c->hitches.v[k - 1] = swap;
        }
}

int tk_matrix_group_hitches(struct tk_matrix *m)
{
    struct tk_comparison *out = m->out;
    int rc = 0;
    out->knows_hitches = true;
    for (size_t r = 0; r < m->n_runs && rc == 0; r++) {
        size_t n = 0;
        if (m->side[r] >= 2)
            continue;
        rc = count_run(m, r, &n);
        out->knows_hitches &= n == hitches_of(m, r);
    }
    if (!out->knows_hitches)
        out->hitches.n = 0;
    sort_groups(out);
    return rc;
}
