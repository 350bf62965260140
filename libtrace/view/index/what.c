/*
 * What an index knows of lanes, timers and times. See index.h.
 */
#include "view/index/index_internal.h"
#include "query/dict.h"

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
    *out = (struct tk_index_timer){.name = *name->name, .line = name->line, .scopes = name->scopes};
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
