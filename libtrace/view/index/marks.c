/*
 * Marks: from which place of the capture on the scopes of a lane are. See making.h.
 */
#include "fact/scope_order.h"
#include "view/index/making.h"

enum { MARKS_MOST = 256 << 10 /* of all lanes */ };

/* There are so many marks that every second one has to go. */
static void thin_marks(struct tk_index_making *m)
{
    m->marks = 0;
    for (size_t i = m->first_lane; i < m->index->lanes.n; i++) {
        struct tk_index_strip *lane = m->index->lanes.v[i];
        size_t kept = 0;
        for (size_t k = 0; k < lane->marks.n; k += 2) {
            struct tk_index_mark mark = lane->marks.v[k];
            if (k + 1 < lane->marks.n)
                mark.to = lane->marks.v[k + 1].to;
            lane->marks.v[kept++] = mark;
        }
        lane->marks.n = kept;
        m->marks += kept;
    }
}

/* Notes from where on the scopes of a run are in the capture. */
int tk_index_mark_run(struct tk_index_making *m, const struct tk_batch *batch, const struct tk_scope_run *run)
{
    struct tk_index_strip *lane = m->index->lanes.v[m->first_lane + run->lane];
    const bool follows = lane->marks.n > 0;
    const struct tk_index_mark none = {.time = INT64_MIN},
                               last = follows ? lane->marks.v[lane->marks.n - 1] : none;
    struct tk_index_mark mark = {.time = last.time, .from = batch->from, .to = batch->to};
    size_t first = 0;
    for (size_t i = 0; i < run->n && !lane->stamped; i++)
        lane->stamped = run->op[i] != TK_OP_CUT && run->op[i] != TK_OP_CLOSE && tk_scope_writer(run->op[i]);
    while (first < run->n && run->time[first] == INT64_MIN)
        first++;
    if (lane->keeps_brief || first == run->n || (follows && last.from == batch->from))
        return TK_OK;
    mark.time = run->time[first] > mark.time ? run->time[first] : mark.time;
    if (tk_vec_push(&lane->marks, mark))
        return TK_ENOMEM;
    if (++m->marks > MARKS_MOST)
        thin_marks(m);
    return TK_OK;
}
