/*
 * Rows of families.
 */
#include "format/utrace/feed/table_rows.h"

#include "base/sort.h"
#include "format/utrace/feed/family.h"

#include <string.h>

/*
 * Names of numbers.
 */

int tk_ut_id_names_put(struct tk_ut_feed *feed, struct tk_ut_id_names *n, const struct tk_ut_event *ev,
                       uint64_t number, unsigned name, unsigned width)
{
    const struct tk_str *text = tk_ut_str(feed, ev, name, width);
    uint32_t at = tk_map_get(&n->index, number);
    if (!text)
        return TK_ENOMEM;
    if (at != TK_MAP_NONE) {
        n->names.v[at] = text;
        return TK_OK;
    }
    if (tk_vec_push(&n->names, text) || tk_map_put(&n->index, number, (uint32_t)n->names.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

const struct tk_str *tk_ut_id_names_get(const struct tk_ut_id_names *n, uint64_t number)
{
    uint32_t at = tk_map_get(&n->index, number);
    return at == TK_MAP_NONE || at >= n->names.n ? NULL : n->names.v[at];
}

void tk_ut_id_names_release(struct tk_ut_id_names *n)
{
    tk_map_release(&n->index);
    tk_vec_release(&n->names);
}

/*
 * Records that wait for those in front of them.
 */

uint64_t tk_ut_held_pending(const struct tk_ut_lane *lane)
{
    uint64_t carried = lane->n_carry ? lane->carry_offset : UINT64_MAX;
    uint64_t waiting = lane->group.events.n ? lane->group.events.v[0].ev.offset : UINT64_MAX;
    return waiting < carried ? waiting : carried;
}

/* Keeps the offset of a lane. */
static void put_lane(struct tk_ut_held *h, const struct tk_ut_lane *lane)
{
    uint64_t offset = tk_ut_held_pending(lane);
    unsigned i = 0;
    while (i < h->n_lanes && h->lanes[i].tid != lane->tid)
        i++;
    if (offset == UINT64_MAX || offset <= h->passed) {
        if (i < h->n_lanes)
            h->lanes[i] = h->lanes[--h->n_lanes];
        return;
    }
    if (i == h->n_lanes && h->n_lanes++ == TK_UT_HELD_LANES) {
        h->n_lanes--;
        return;
    }
    h->lanes[i].tid = lane->tid;
    h->lanes[i].offset = offset;
}

static uint64_t least(const struct tk_ut_held *h)
{
    uint64_t offset = UINT64_MAX;
    for (unsigned i = 0; i < h->n_lanes; i++)
        if (h->lanes[i].offset < offset)
            offset = h->lanes[i].offset;
    return offset;
}

static int compare_offsets(const void *a, const void *b)
{
    uint64_t one = ((const struct tk_fact *)a)->u.record.offset;
    uint64_t other = ((const struct tk_fact *)b)->u.record.offset;
    return (one > other) - (one < other);
}

/* Says a record, with a copy of its event that lives as long as the batch. */
static int say(struct tk_ut_feed *feed, const struct tk_fact *held)
{
    struct tk_fact fact = *held;
    const struct tk_ut_event *copy = tk_ut_event_keep(feed, held->u.record.rec.impl, &feed->out->arena);
    if (!copy)
        return TK_ENOMEM;
    fact.u.record.rec.impl = copy;
    if (copy->n_attachment)
        fact.u.record.attachment.v.p = copy->attachment;
    return tk_ut_emit(feed, &fact);
}

/* Says what waits and does not stand behind an offset. */
static int say_until(struct tk_ut_feed *feed, uint64_t offset)
{
    struct tk_ut_held *h = &feed->held;
    size_t n = 0;
    int rc = TK_OK;
    if (tk_sort(h->facts.v, h->facts.n, sizeof *h->facts.v, compare_offsets) != 0)
        return TK_ENOMEM;
    for (; n < h->facts.n && h->facts.v[n].u.record.offset <= offset && rc == TK_OK; n++)
        rc = say(feed, &h->facts.v[n]);
    memmove(h->facts.v, h->facts.v + n, (h->facts.n - n) * sizeof *h->facts.v);
    h->facts.n -= n;
    if (!h->facts.n)
        tk_arena_clear(&h->arena);
    return rc;
}

int tk_ut_held_look(struct tk_ut_feed *feed, const struct tk_ut_lane *lane)
{
    struct tk_ut_held *h = &feed->held;
    uint64_t before = h->behind;
    put_lane(h, lane);
    h->behind = least(h);
    if (h->arena.total + h->facts.n * sizeof *h->facts.v > TK_UT_HELD_BYTES) {
        h->passed = lane->packet;
        return tk_ut_held_flush(feed);
    }
    return h->facts.n && h->behind != before ? say_until(feed, h->behind) : TK_OK;
}

int tk_ut_held_flush(struct tk_ut_feed *feed)
{
    feed->held.n_lanes = 0;
    feed->held.behind = UINT64_MAX;
    return feed->held.facts.n ? say_until(feed, UINT64_MAX) : TK_OK;
}

void tk_ut_held_release(struct tk_ut_held *held)
{
    tk_vec_release(&held->facts);
    tk_arena_release(&held->arena);
}

struct tk_cell *tk_ut_row(struct tk_ut_feed *feed, const struct tk_table *table, struct tk_ut_row_key key)
{
    size_t bytes = table->n_columns * sizeof(struct tk_cell);
    struct tk_cell *cells = tk_arena_alloc(&feed->out->arena, bytes);
    struct tk_fact fact = {.kind = TK_FACT_ROW,
                           .size = sizeof fact,
                           .thread = key.thread,
                           .time = key.timed ? key.begin : 0,
                           .seq = key.seq};
    if (!cells)
        return NULL;
    memset(cells, 0, bytes);
    fact.u.row = (struct tk_fact_row){table, cells, key.end, key.timed};
    return tk_ut_emit(feed, &fact) == TK_OK ? cells : NULL;
}
