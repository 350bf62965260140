/*
 * What the steps of memory do to the sums of groups. See memory_internal.h.
 */
#include "model/memory/memory_internal.h"

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

/* One more is alive in a group. Where it is more than ever that is a peak, and where that is wanted its
 * moment is kept. */
static inline void grow(const struct tk_memory *m, struct tk_alloc_flow *flow, uint32_t group, uint64_t size)
{
    flow->alive_bytes += size;
    flow->alive_count++;
    if (!m->time_selected)
        return;
    if (flow->alive_count > flow->peak_count)
        flow->peak_count = flow->alive_count;
    if (flow->alive_bytes > flow->peak_bytes) {
        flow->peak_bytes = flow->alive_bytes;
        if (m->setup.parts & TK_ALLOC_ENDS)
            m->groups.ends.v[group].peak_time = m->checked;
    }
}

static inline void shrink(struct tk_alloc_flow *flow, uint64_t size)
{
    flow->alive_bytes -= size;
    flow->alive_count--;
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

int tk_memory_enter(struct tk_memory *m, const struct tk_block *b)
{
    uint32_t groups[TK_ALLOC_BY_COUNT];
    unsigned n = tk_alloc_groups_of(&m->groups, b, groups);
    for (unsigned i = 0; i < n; i++) {
        struct tk_alloc_flow *flow = &m->groups.flows.v[groups[i]];
        flow->in_bytes += b->size;
        flow->in_count++;
        grow(m, flow, groups[i], b->size);
        if (!m->time_selected)
            continue;
        struct tk_alloc_counts *counts = counts_of(m, groups[i]);
        if (!counts)
            return -1;
        counts->allocs--;
        counts->alloc_bytes -= b->size;
    }
    return 0;
}

int tk_memory_leave(struct tk_memory *m, const struct tk_block *b)
{
    uint32_t groups[TK_ALLOC_BY_COUNT];
    unsigned n = tk_alloc_groups_of(&m->groups, b, groups);
    for (unsigned i = 0; i < n; i++) {
        shrink(&m->groups.flows.v[groups[i]], b->size);
        if (!m->time_selected)
            continue;
        struct tk_alloc_counts *counts = counts_of(m, groups[i]);
        if (!counts)
            return -1;
        counts->frees--;
        counts->freed_bytes -= b->size;
    }
    return 0;
}

/* What is allocated in a game frame, and what outside of them. */
static void count_frame(const struct tk_memory *m, uint32_t group, uint64_t in_bytes, uint64_t size)
{
    if (!m->in_frame) {
        m->groups.unframed.v[group].count++;
        m->groups.unframed.v[group].bytes += size;
        return;
    }
    struct tk_alloc_frame *f = &m->groups.frames.v[group];
    if (f->frame != m->frame) {
        f->frame = m->frame;
        f->from = in_bytes - size;
    }
    f->max = in_bytes - f->from > f->max ? in_bytes - f->from : f->max;
}

/* In groups that have all sums at once. */
static void enter_groups(const struct tk_memory *m, const uint32_t *groups, unsigned n, uint64_t size,
                         bool realloc)
{
    const bool count =
        m->time_selected && m->setup.parts & (m->in_frame ? TK_ALLOC_FRAME_MAX : TK_ALLOC_UNFRAMED);
    for (unsigned i = 0; i < n; i++) {
        struct tk_alloc_flow *flow = &m->groups.flows.v[groups[i]];
        flow->in_count++;
        flow->in_bytes += size;
        flow->re_in += realloc;
        grow(m, flow, groups[i], size);
        if (count)
            count_frame(m, groups[i], flow->in_bytes, size);
    }
}

void tk_memory_enter_new(struct tk_memory *m, const struct tk_block *b, bool realloc)
{
    const struct tk_alloc_groups *g = &m->groups;
    const struct tk_alloc_site *site = &g->sites.v[b->site];
    const bool unframed = m->time_selected && !m->in_frame;
    uint32_t groups[TK_ALLOC_BY_COUNT];
    /* The most in a frame needs the sums of its groups in each of them. */
    if (m->setup.parts & TK_ALLOC_FRAME_MAX) {
        enter_groups(m, groups, tk_alloc_groups_of(g, b, groups), b->size, realloc);
        return;
    }
    if (site->left_out)
        return;
    for (unsigned i = 0; i < g->n_plain; i++)
        grow(m, &g->flows.v[site->groups[i]], site->groups[i], b->size);
    struct tk_alloc_pending *pending = &g->pending.v[b->site];
    pending->in_count++;
    pending->in_bytes += b->size;
    pending->re_in += realloc;
    pending->unframed_count += unframed;
    pending->unframed_bytes += unframed ? b->size : 0;
    enter_groups(m, groups, tk_alloc_groups_apart(g, b, site, groups), b->size, realloc);
}

void tk_memory_leave_freed(struct tk_memory *m, const struct tk_block *b, bool realloc)
{
    const struct tk_alloc_groups *g = &m->groups;
    const struct tk_alloc_site *site = &g->sites.v[b->site];
    const bool soon = m->time_selected && m->setup.parts & TK_ALLOC_SOON && !realloc &&
                      m->index - b->index <= TK_MEMORY_SOON;
    uint32_t groups[TK_ALLOC_BY_COUNT];
    if (site->left_out)
        return;
    for (unsigned i = 0; i < g->n_plain; i++)
        shrink(&g->flows.v[site->groups[i]], b->size);
    struct tk_alloc_pending *pending = &g->pending.v[b->site];
    pending->re_out += realloc;
    pending->soon_count += soon;
    pending->soon_bytes += soon ? b->size : 0;
    const unsigned n = tk_alloc_groups_apart(g, b, site, groups);
    for (unsigned i = 0; i < n; i++) {
        struct tk_alloc_flow *flow = &g->flows.v[groups[i]];
        shrink(flow, b->size);
        flow->re_out += realloc;
        if (!soon)
            continue;
        g->soon.v[groups[i]].count++;
        g->soon.v[groups[i]].bytes += b->size;
    }
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

/* ---- the moment asked for ---- */

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
