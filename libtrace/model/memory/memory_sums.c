/*
 * What the steps of memory do to the sums of groups.
 */
#include "model/memory/memory_in.h"

static int begin_time(struct tk_memory *m)
{
    tk_alloc_counts_add(&m->swap_counts, &m->swap_flow, UINT64_MAX);
    return tk_alloc_groups_begin(&m->groups) || tk_alloc_groups_begin(&m->container_groups) ? -1 : 0;
}

static int end_time(struct tk_memory *m)
{
    tk_alloc_counts_add(&m->swap_counts, &m->swap_flow, 1);
    return tk_alloc_groups_end(&m->groups) || tk_alloc_groups_end(&m->container_groups) ? -1 : 0;
}

/* ---- both ends of the selected time ---- */

void tk_memory_begin_ends(struct tk_memory *m)
{
    const struct tk_select *select = m->view->select;
    const int64_t time = select->all_time || !select->n_ranges ? m->checked : select->ranges[0].from;
    tk_alloc_moves_settle(&m->groups.moves);
    m->begun = true;
    m->begun_index = m->index;
    for (size_t i = 0; i < m->groups.ends.n; i++) {
        struct tk_alloc_ends *g = &m->groups.ends.v[i];
        g->from_bytes = tk_alloc_alive_bytes(&m->groups.flows.v[i]);
        g->from_count = tk_alloc_alive_count(&m->groups.flows.v[i]);
        g->peak_time = time;
    }
}

static void add_kept(struct tk_memory *m, const struct tk_block *b)
{
    uint32_t groups[TK_ALLOC_BY_COUNT];
    const unsigned n = b && b->index > m->begun_index ? tk_alloc_groups_of(&m->groups, b, groups) : 0;
    for (unsigned k = 0; k < n; k++) {
        m->groups.ends.v[groups[k]].kept_bytes += b->size;
        m->groups.ends.v[groups[k]].kept_count++;
    }
}

void tk_memory_end_ends(struct tk_memory *m)
{
    tk_alloc_moves_settle(&m->groups.moves);
    m->ended = true;
    for (size_t i = 0; i < m->groups.ends.n; i++) {
        struct tk_alloc_ends *g = &m->groups.ends.v[i];
        g->to_bytes = tk_alloc_alive_bytes(&m->groups.flows.v[i]);
        g->to_count = tk_alloc_alive_count(&m->groups.flows.v[i]);
    }
    for (uint32_t i = 0; i < m->alive.n; i++)
        add_kept(m, tk_live_blocks_at(&m->alive, i));
}

/* Where times are selected they have a first and a last; else all is between them. */
static void see_ends(struct tk_memory *m, int64_t time)
{
    const struct tk_select *select = m->view->select;
    const bool all = select->all_time || !select->n_ranges;
    if (!m->begun && (all || time >= select->ranges[0].from))
        tk_memory_begin_ends(m);
    if (!m->ended && !all && time >= select->ranges[select->n_ranges - 1].to)
        tk_memory_end_ends(m);
}

void tk_memory_see_ranges(struct tk_memory *m, int64_t time)
{
    const struct tk_select *select = m->view->select;
    const size_t n = select->all_time ? 0 : select->n_ranges, first = m->next_range;
    while (m->next_range < n && select->ranges[m->next_range].from <= time)
        m->next_range++;
    if (m->next_range == first)
        return;
    tk_alloc_groups_see(&m->groups, select->ranges[first].from);
    tk_alloc_groups_see(&m->container_groups, select->ranges[first].from);
    tk_alloc_peak(&m->swap_flow);
}

/* Is the time of what is played now selected? */
int tk_memory_time(struct tk_memory *m, int64_t time)
{
    bool before = m->time_selected;
    if (m->setup.parts & TK_ALLOC_ENDS)
        see_ends(m, time);
    tk_memory_see_ranges(m, time);
    m->checked = time;
    m->time_selected = tk_select_has(m->view->select, time);
    if (before == m->time_selected)
        return 0;
    return before ? end_time(m) : begin_time(m);
}

/* The counts of a group, or NULL if out of memory. */
static struct tk_alloc_counts *counts_of(struct tk_memory *m, uint32_t group)
{
    return tk_vec_reach(&m->groups.counts, (size_t)group + 1) ? NULL : &m->groups.counts.v[group];
}

/* What a block does to the sums of its groups. 0, or -1 if out of memory. */
static inline int note_move(struct tk_memory *m, const struct tk_block *b, uint32_t kind)
{
    struct tk_alloc_move *move = m->groups.by ? tk_alloc_moves_next(&m->groups.moves) : NULL;
    if (!move)
        return m->groups.by ? -1 : 0;
    *move = (struct tk_alloc_move){b->size, b->site, b->stack, b->sized, kind};
    struct tk_alloc_when *when = tk_alloc_moves_when(&m->groups.moves);
    if (when)
        *when = (struct tk_alloc_when){m->checked, m->in_frame ? m->frame : 0};
    return 0;
}

int tk_memory_enter(struct tk_memory *m, const struct tk_block *b)
{
    uint32_t groups[TK_ALLOC_BY_COUNT];
    unsigned n = m->time_selected ? tk_alloc_groups_of(&m->groups, b, groups) : 0;
    for (unsigned i = 0; i < n; i++) {
        struct tk_alloc_counts *counts = counts_of(m, groups[i]);
        if (!counts)
            return -1;
        counts->allocs--;
        counts->alloc_bytes -= b->size;
    }
    return note_move(m, b, TK_ALLOC_MOVE_ONLY);
}

int tk_memory_leave(struct tk_memory *m, const struct tk_block *b)
{
    uint32_t groups[TK_ALLOC_BY_COUNT];
    unsigned n = m->time_selected ? tk_alloc_groups_of(&m->groups, b, groups) : 0;
    for (unsigned i = 0; i < n; i++) {
        struct tk_alloc_counts *counts = counts_of(m, groups[i]);
        if (!counts)
            return -1;
        counts->frees--;
        counts->freed_bytes -= b->size;
    }
    return note_move(m, b, TK_ALLOC_MOVE_ONLY | TK_ALLOC_MOVE_OUT);
}

int tk_memory_enter_new(struct tk_memory *m, const struct tk_block *b, bool realloc)
{
    const bool unframed = m->time_selected && !m->in_frame;
    return note_move(m, b, (realloc ? TK_ALLOC_MOVE_REALLOC : 0u) | (unframed ? TK_ALLOC_MOVE_APART : 0u));
}

int tk_memory_leave_freed(struct tk_memory *m, const struct tk_block *b, bool realloc)
{
    const bool soon = m->time_selected && !realloc && m->index - b->index <= TK_MEMORY_SOON;
    return note_move(
        m, b, TK_ALLOC_MOVE_OUT | (realloc ? TK_ALLOC_MOVE_REALLOC : 0u) | (soon ? TK_ALLOC_MOVE_APART : 0u));
}

int tk_memory_unknown(struct tk_memory *m, uint32_t heap)
{
    m->faults[TK_MEMORY_UNKNOWN_FREE]++;
    for (enum tk_alloc_by by = TK_ALLOC_BY_TOTAL; by <= TK_ALLOC_BY_HEAP && m->time_selected; by++) {
        uint32_t group;
        if (!(m->groups.by & TK_ALLOC_BIT(by)))
            continue;
        if (tk_alloc_group_of(&m->groups, by, by == TK_ALLOC_BY_TOTAL ? 0 : heap & 0xffff, 0, &group) ||
            tk_vec_reach(&m->groups.unknown, (size_t)group + 1))
            return -1;
        m->groups.unknown.v[group]++;
    }
    return 0;
}

/* ---- the moment requested ---- */

bool tk_memory_answers(const struct tk_memory *m, const struct tk_block *b)
{
    if (m->groups.sites.v[b->site].left_out)
        return false;
    return !m->has_window || (b->time >= m->window_from && b->time < m->window_to);
}

static void add_then(struct tk_alloc_amount *then, const struct tk_block *b)
{
    then->bytes += b->size;
    then->count++;
}

static int reach_containers(struct tk_memory *m)
{
    for (uint32_t i = 0; i < m->containers.n; i++) {
        const struct tk_block *b = tk_live_blocks_at(&m->containers, i);
        uint32_t group;
        if (!b)
            continue;
        if (tk_alloc_group_of(&m->container_groups, TK_ALLOC_BY_HEAP, b->heap, 0, &group) ||
            tk_vec_reach(&m->container_groups.then, (size_t)group + 1))
            return -1;
        if (tk_memory_answers(m, b))
            add_then(&m->container_groups.then.v[group], b);
    }
    return 0;
}

static int reach_blocks(struct tk_memory *m)
{
    m->groups.then_is_now = !m->has_moment && !m->has_window;
    if (m->groups.then_is_now)
        return 0;
    if (tk_vec_reach(&m->groups.then, m->groups.ids.n))
        return -1;
    for (uint32_t i = 0; i < m->alive.n; i++) {
        const struct tk_block *b = tk_live_blocks_at(&m->alive, i);
        uint32_t groups[TK_ALLOC_BY_COUNT];
        unsigned n = b && tk_memory_answers(m, b) ? tk_alloc_groups_of(&m->groups, b, groups) : 0;
        for (unsigned k = 0; k < n; k++)
            add_then(&m->groups.then.v[groups[k]], b);
    }
    return 0;
}

int tk_memory_reach(struct tk_memory *m)
{
    m->reached = true;
    m->swap_then.bytes = tk_alloc_alive_bytes(&m->swap_flow);
    m->swap_then.count = tk_alloc_alive_count(&m->swap_flow);
    m->swap_then_packed = m->swap_packed;
    return reach_blocks(m) || reach_containers(m) ? -1 : 0;
}

struct tk_alloc_group tk_memory_swap(const struct tk_memory *m)
{
    struct tk_alloc_counts counts = m->swap_counts;
    if (m->time_selected)
        tk_alloc_counts_add(&counts, &m->swap_flow, 1);
    return (struct tk_alloc_group){.allocs = counts.allocs,
                                   .frees = counts.frees,
                                   .reallocs = counts.reallocs,
                                   .alloc_bytes = counts.alloc_bytes,
                                   .freed_bytes = counts.freed_bytes,
                                   .peak_bytes = m->swap_flow.peak_bytes,
                                   .peak_count = m->swap_flow.peak_count,
                                   .then_bytes = m->swap_then.bytes,
                                   .then_count = m->swap_then.count};
}
