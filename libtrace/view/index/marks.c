/*
 * Marks: from which place of the capture on the scopes of a lane are.
 */
#include "base/err.h"
#include "fact/scopes.h"
#include "query/dict.h"
#include "view/index/index_in.h"

#include <stdlib.h>

/*
 * The boxes of windows: a list that grows up to a limit.
 */

enum { BOXES_MOST = 1 << 20 };

int tk_index_box_add(struct tk_index_window *out, const struct tk_index_box *box, struct tk_err *err)
{
    if (out->n == BOXES_MOST)
        return tk_err_set(err, TK_ELIMIT,
                          "the window has more than %d boxes; ask for fewer lanes, rows or less time",
                          BOXES_MOST);
    if (out->n == out->cap && tk_vec_grow((void **)&out->boxes, &out->cap, out->n + 1, sizeof *out->boxes))
        return tk_err_nomem(err, "the boxes of a window");
    out->boxes[out->n++] = *box;
    return TK_OK;
}

int tk_index_damaged(struct tk_err *err)
{
    return tk_err_set(err, TK_EOUTPUT, "the temporary file of an index was changed by another program");
}

void tk_index_window_release(struct tk_index_window *out)
{
    free(out->boxes);
    free(out->ends);
    *out = (struct tk_index_window){0};
}

/*
 * What an index knows of lanes, timers and times.
 */

int tk_index_keep_text(struct tk_index *index, const struct tk_str *from, const struct tk_str **out)
{
    *out = from ? tk_intern(&index->texts, from->p, from->n, (enum tk_encoding)from->enc) : NULL;
    return from && !*out ? TK_ENOMEM : TK_OK;
}

uint32_t tk_index_timer_of(const struct tk_index *index, unsigned reading, uint32_t timer)
{
    const uint32_t unknown = (uint32_t)index->timers.n - 1;
    if (timer >= TK_LATE) {
        const uint32_t slot = timer - TK_LATE;
        timer = slot < index->late[reading].n ? index->late[reading].v[slot] : unknown;
    }
    return timer < unknown ? timer : unknown;
}

uint64_t tk_index_chunks_bytes(const struct tk_index_chunks *list)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < list->v.n; i++)
        bytes += list->v.v[i].stored;
    return bytes;
}

void tk_index_tell(const struct tk_index *index, struct tk_index_about *out)
{
    *out = (struct tk_index_about){
        .first = index->first,
        .last = index->last,
        .frequency = index->clock.frequency,
        .start = index->clock.start,
        .lanes = (uint32_t)index->lanes.n,
        .timers = (uint32_t)index->timers.n,
        .finest = (int64_t)(UINT64_C(1) << index->shift),
        .scopes = index->scopes,
        .bytes = tk_index_store_bytes(index->store),
        .drawn = tk_index_store_bytes(index->store) - index->briefs,
    };
}

bool tk_index_lane_get(const struct tk_index *index, uint32_t lane, struct tk_index_lane *out)
{
    if (lane >= index->lanes.n)
        return false;
    *out = index->lanes.v[lane]->info;
    return true;
}

bool tk_index_timer_get(const struct tk_index *index, uint32_t timer, struct tk_index_timer *out)
{
    if (timer >= index->timers.n)
        return false;
    const struct tk_index_name *name = &index->timers.v[timer];
    *out = (struct tk_index_timer){
        .name = *name->name, .line = name->line, .scopes = name->scopes, .kind = name->kind};
    if (name->file)
        out->file = *name->file;
    return true;
}

int64_t tk_index_ns(const struct tk_index *index, int64_t cycles)
{
    return tk_clock_time(&index->clock, TK_UNIT_NS, cycles);
}

int64_t tk_index_cycles(const struct tk_index *index, int64_t ns)
{
    return tk_clock_first(&index->clock, ns);
}

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
