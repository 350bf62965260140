/*
 * Places of timers in a comparison: at which place of the sources the change of a timer sits, and timers that
 * cost what they did and stand elsewhere. verdict.c calls it once there are verdicts.
 */
#include "base/text/text.h"
#include "compare/baseline/block_walk.h"
#include "compare/verdict/matrix.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAME_COST 0.1 /* of the cost of a place that went, to one that came */

/* A place of a timer on both sides. */
struct place {
    const struct tk_str *file;
    uint32_t line, nth; /* nth: of those of its file, from 0 */
    bool on[2];
    double ms[2]; /* a frame, the mean of the runs of a side */
};

struct places {
    TK_VEC(struct place) v;
    size_t most; /* places of a run */
};

/* Lines move with every edit above them: places of a file go by their order in it. */
static struct place *place_of(struct places *p, const struct tk_series *s, uint32_t nth)
{
    for (size_t i = 0; i < p->v.n; i++)
        if (p->v.v[i].nth == nth && tk_str_order(p->v.v[i].file, s->file) == 0)
            return &p->v.v[i];
    const struct place fresh = {.file = s->file, .line = s->line, .nth = nth};
    return tk_vec_push(&p->v, fresh) ? NULL : &p->v.v[p->v.n - 1];
}

static int add_run(const struct tk_matrix *m, const struct tk_series *s, size_t r, struct places *p)
{
    const struct tk_base_run *run = m->runs[r];
    const double frames = run->starts[run->n_blocks] - run->starts[m->skip[r]];
    const uint8_t side = m->side[r];
    uint32_t nth = 0;
    p->most = tk_series_n_places(s) > p->most ? tk_series_n_places(s) : p->most;
    for (size_t i = 0; i < tk_series_n_places(s); i++) {
        const struct tk_series *at = tk_series_place_at(s, i);
        nth = i && tk_str_order(tk_series_place_at(s, i - 1)->file, at->file) == 0 ? nth + 1 : 0;
        struct place *place = place_of(p, at, nth);
        if (!place)
            return -1;
        const double sum = tk_block_sum(at, m->skip[r], run->n_blocks);
        place->on[side] = true;
        place->line = side == TK_SIDE_CANDIDATE ? at->line : place->line;
        place->ms[side] += frames > 0 ? tk_base_ms(run, sum) / frames / (double)m->out->runs[side] : 0;
    }
    return 0;
}

static const struct tk_str *text_of(struct tk_matrix *m, const struct place *p, bool with_change)
{
    char text[320];
    int n = p->file->n ? snprintf(text, sizeof text, "%.*s:%" PRIu32,
                                  p->file->n < 200 ? (int)p->file->n : 200, p->file->p, p->line)
                       : snprintf(text, sizeof text, "(no file)");
    if (with_change && !p->on[0])
        snprintf(text + n, sizeof text - (size_t)n, " (new)");
    else if (with_change && p->ms[0] > 0)
        snprintf(text + n, sizeof text - (size_t)n, " %+.0f %%", 100 * (p->ms[1] / p->ms[0] - 1));
    return tk_intern_c(&m->out->names, text);
}

/* The place that changed most in the direction of its timer. */
static int name_place(struct tk_matrix *m, const struct places *p, struct tk_change *c)
{
    const double sign = c->candidate > c->baseline ? 1 : -1;
    const struct place *most = NULL;
    for (size_t i = 0; i < p->v.n; i++) {
        const struct place *at = &p->v.v[i];
        if (!most || sign * (at->ms[1] - at->ms[0]) > sign * (most->ms[1] - most->ms[0]))
            most = at;
    }
    if (p->most < 2 || !most)
        return 0;
    c->place = text_of(m, most, true);
    return c->place ? 0 : -1;
}

static bool costs_the_same(const struct place *gone, const struct place *fresh)
{
    return fabs(gone->ms[0] - fresh->ms[1]) <= SAME_COST * fmax(gone->ms[0], fresh->ms[1]);
}

/* A place that went, and one that came with its cost; or the only one of both sides. */
static int note_move(struct tk_matrix *m, const struct places *p, struct tk_change *c)
{
    for (size_t i = 0; i < p->v.n; i++)
        for (size_t k = 0; k < p->v.n && c->verdict != TK_MOVED; k++) {
            const struct place *gone = &p->v.v[i], *fresh = &p->v.v[k];
            if (gone->on[1] || fresh->on[0] || !gone->on[0] || !fresh->on[1] || !gone->file->n ||
                !fresh->file->n || (p->most > 1 && !costs_the_same(gone, fresh)))
                continue;
            c->verdict = TK_MOVED;
            c->place = text_of(m, gone, false);
            c->to = text_of(m, fresh, false);
            if (!c->place || !c->to)
                return -1;
        }
    return 0;
}

int tk_matrix_explain_places(struct tk_matrix *m)
{
    int rc = 0;
    for (size_t i = 0; i < m->n_sorted && rc == 0; i++) {
        const struct tk_row *row = &m->rows.v[i];
        struct tk_change *c = row->change == SIZE_MAX ? NULL : &m->out->changes.v[row->change];
        struct places p = {.most = 0};
        if (!c || !tk_series_has_calls(row->any->kind) || c->verdict > TK_REGRESSED)
            continue;
        for (size_t r = 0; r < m->n_runs && rc == 0; r++)
            if (row->of[r] && m->side[r] < 2)
                rc = add_run(m, row->of[r], r, &p);
        if (rc == 0 && c->verdict != TK_UNCHANGED)
            rc = name_place(m, &p, c);
        else if (rc == 0)
            rc = note_move(m, &p, c);
        tk_vec_release(&p.v);
    }
    return rc;
}
