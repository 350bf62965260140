/*
 * The steps of memory, one by one: what is alive, containers, pages, tags of threads.
 */
#include "model/memory/memory_in.h"

enum { MOST_PARENTS = 64 };

/* The root heap of a heap. */
static uint32_t root_of(const struct tk_memory *m, uint32_t heap)
{
    for (unsigned i = 0; i < MOST_PARENTS; i++) {
        uint32_t parent = tk_map_get(&m->parents, heap);
        if (parent == TK_MAP_NONE)
            break;
        heap = parent;
    }
    return heap & 0xffff;
}

/* ---- tags of threads ---- */

static uint32_t tag_of(const struct tk_memory_thread *t)
{
    return t->tags.n ? t->tags.v[t->tags.n - 1].tag : 0;
}

static int push_tag(struct tk_memory *m, struct tk_memory_thread *t, uint32_t tag, bool realloc)
{
    struct tk_memory_tag_entry entry = {tag, realloc};
    /* New halves that never come must not pile up. */
    if (t->tags.n >= m->view->ctx->limits.open_scopes && realloc)
        return 0;
    return tk_vec_push(&t->tags, entry);
}

static bool pop_realloc(struct tk_memory_thread *t)
{
    bool is = t->tags.n && t->tags.v[t->tags.n - 1].realloc;
    t->tags.n -= is;
    return is;
}

static void leave_tag(struct tk_memory_thread *t)
{
    while (pop_realloc(t))
        ;
    t->tags.n -= t->tags.n > 0;
}

/* ---- steps ---- */

static bool has_space_memory_steps(struct tk_memory *m)
{
    if (m->alive.count + m->containers.count + m->swapped.count < m->view->ctx->limits.alive_allocations)
        return true;
    m->faults[TK_MEMORY_NOT_KEPT]++;
    return false;
}

/* Mostly the site is that of the thread's allocation before. */
static int find_site(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_alloc_site *site,
                     uint32_t *out)
{
    const struct tk_alloc_site *last = t->has_site ? &m->groups.sites.v[t->site] : NULL;
    if (!last || last->tag != site->tag || last->asset != site->asset || last->heap != site->heap) {
        if (tk_alloc_site_of(&m->groups, site, &t->site))
            return -1;
        t->has_site = true;
    }
    *out = t->site;
    return 0;
}

/* Fills in site, stack and size of a block. */
static int describe_memory_steps(struct tk_memory *m, struct tk_memory_thread *t, uint32_t callstack,
                                 uint64_t size, struct tk_block *b)
{
    unsigned keep = m->groups.keep;
    struct tk_alloc_site site = {.heap = b->heap, .tag = tag_of(t), .left_out = !t->selected};
    if (keep & TK_ALLOC_BIT(TK_ALLOC_BY_THREAD))
        site.thread = t->id;
    if (keep & TK_ALLOC_BIT(TK_ALLOC_BY_ASSET))
        site.asset = tk_asset_now(&t->assets);
    b->size = size;
    if (find_site(m, t, &site, &b->site))
        return -1;
    if (keep & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK) &&
        tk_alloc_stack_of(&m->groups, b->heap, callstack, &b->stack))
        return -1;
    return tk_alloc_size_of(&m->groups, b);
}

/* What is alive at an address that is allocated again is taken as freed. */
static int reserve(struct tk_memory *m, uint64_t address, uint16_t heap)
{
    struct tk_block *old = tk_live_blocks_find(&m->alive, address, heap);
    if (!old)
        return 0;
    m->faults[TK_MEMORY_OVER_LIVE]++;
    if (tk_memory_leave_freed(m, old, false))
        return -1;
    tk_live_blocks_take(&m->alive, old);
    return 0;
}

static int alloc(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                 int64_t time, bool realloc)
{
    if (!f->address)
        return 0;
    m->index++;
    size_t at;
    if (tk_live_blocks_reserve(&m->alive))
        return -1;
    while (tk_live_blocks_seek(&m->alive, f->address, (uint16_t)f->heap, &at))
        if (reserve(m, f->address, (uint16_t)f->heap))
            return -1;
    if (!has_space_memory_steps(m))
        return 0;
    struct tk_block *b = tk_live_blocks_put_at(&m->alive, f->address, (uint16_t)f->heap, at);
    if (!b)
        return -1;
    b->index = m->index;
    b->time = time;
    b->alignment = f->alignment;
    if (describe_memory_steps(m, t, tk_alloc_stack_key(&m->groups, f->id), f->size, b))
        return -1;
    return tk_memory_enter_new(m, b, realloc);
}

/* The container at an address that belongs to a root heap, the one allocated last; or NULL. */
static struct tk_block *container_at(const struct tk_memory *m, uint64_t address, uint32_t root)
{
    struct tk_block *best = NULL;
    size_t at;
    for (struct tk_block *b = tk_live_blocks_first(&m->containers, address, &at); b;
         b = tk_live_blocks_next(&m->containers, address, &at))
        if (root_of(m, b->heap) == root && (!best || b->index > best->index))
            best = b;
    return best;
}

/* The flow of the containers of a heap, or NULL if out of memory. */
static struct tk_alloc_flow *containers_of(struct tk_memory *m, uint16_t heap)
{
    uint32_t group;
    if (tk_alloc_group_of(&m->container_groups, TK_ALLOC_BY_HEAP, heap, 0, &group))
        return NULL;
    return &m->container_groups.flows.v[group];
}

static int leave_container(struct tk_memory *m, const struct tk_block *b)
{
    struct tk_alloc_flow *flow = containers_of(m, b->heap);
    if (!flow)
        return -1;
    flow->alive_bytes -= b->size;
    flow->alive_count--;
    return 0;
}

/* A container that is freed is one no longer. */
static int release_container(struct tk_memory *m, const struct tk_fact_memory *f, bool realloc, uint32_t *tag)
{
    struct tk_block *b = m->containers.count ? container_at(m, f->address, f->heap & 0xffff) : NULL;
    if (!b)
        return tk_memory_unknown(m, f->heap);
    *tag = m->groups.sites.v[b->site].tag;
    if (leave_container(m, b) || tk_memory_enter(m, b) || tk_memory_leave_freed(m, b, realloc))
        return -1;
    tk_live_blocks_take(&m->containers, b);
    return 0;
}

/* The tag of what a reallocation frees comes back in *tag; 0 where nothing is there. */
static int release_memory_steps(struct tk_memory *m, const struct tk_fact_memory *f, bool realloc,
                                uint32_t *tag)
{
    size_t at;
    struct tk_block *b =
        m->alive.slots ? tk_live_blocks_seek(&m->alive, f->address, (uint16_t)f->heap, &at) : NULL;
    m->index++;
    *tag = 0;
    if (!b)
        return release_container(m, f, realloc, tag);
    *tag = realloc ? m->groups.sites.v[b->site].tag : 0;
    if (tk_memory_leave_freed(m, b, realloc))
        return -1;
    tk_live_blocks_take_at(&m->alive, at);
    return 0;
}

/* As if freed and allocated again, but with the callstack of the first time; it is neither in the counts of
 * allocations nor of frees. */
static int update(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                  int64_t time)
{
    struct tk_block *b = tk_live_blocks_find(&m->alive, f->address, (uint16_t)f->heap);
    m->index++;
    if (!b) {
        m->faults[TK_MEMORY_UNKNOWN_FREE]++;
        return 0;
    }
    uint32_t callstack =
        m->groups.keep & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK) ? m->groups.stacks.v[b->stack].callstack : 0;
    if (tk_memory_leave(m, b) || describe_memory_steps(m, t, callstack, b->size, b))
        return -1;
    b->time = time;
    b->index = m->index;
    return tk_memory_enter(m, b);
}

static int mark(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f, int64_t time)
{
    uint16_t heap = (uint16_t)f->heap;
    struct tk_block *b = tk_live_blocks_find(&m->alive, f->address, (uint16_t)root_of(m, heap));
    struct tk_block *old = tk_live_blocks_find(&m->containers, f->address, heap);
    (void)t, (void)time;
    if (!b) {
        m->faults[TK_MEMORY_UNKNOWN_MARK]++;
        return 0;
    }
    if (old) {
        m->faults[TK_MEMORY_OVER_LIVE]++;
        if (leave_container(m, old))
            return -1;
        tk_live_blocks_take(&m->containers, old);
    }
    struct tk_alloc_flow *flow = containers_of(m, heap);
    struct tk_block moved = *b, *container = tk_live_blocks_put(&m->containers, f->address, heap);
    if (!flow || !container || tk_memory_leave(m, b))
        return -1;
    tk_live_blocks_take(&m->alive, b);
    moved.heap = heap;
    *container = moved;
    tk_alloc_flow_add(flow, moved.size);
    if (m->time_selected)
        tk_alloc_peak(flow);
    return 0;
}

static int unmark(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                  int64_t time)
{
    uint16_t root = (uint16_t)root_of(m, (uint16_t)f->heap);
    struct tk_block *b = tk_live_blocks_find(&m->containers, f->address, (uint16_t)f->heap);
    (void)t, (void)time;
    if (!b) {
        m->faults[TK_MEMORY_UNKNOWN_MARK]++;
        return 0;
    }
    if (reserve(m, f->address, root))
        return -1;
    struct tk_block moved = *b, *back = tk_live_blocks_put(&m->alive, f->address, root);
    if (!back || leave_container(m, b))
        return -1;
    tk_live_blocks_take(&m->containers, b);
    moved.heap = root;
    *back = moved;
    return tk_memory_enter(m, back);
}

/* ---- swapping: pages, always of root heap 0 ---- */

static void swap_in(struct tk_memory *m, struct tk_block *page, uint64_t bytes)
{
    m->swap_flow.alive_bytes -= bytes;
    m->swap_flow.alive_count--;
    m->swap_packed -= page->size;
    tk_live_blocks_take(&m->swapped, page);
}

static int swap_out(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                    int64_t time)
{
    struct tk_block *page = tk_live_blocks_find(&m->swapped, f->address, 0);
    m->index++;
    if (page) {
        m->faults[TK_MEMORY_SWAPPED_TWICE]++;
        swap_in(m, page, f->size);
    }
    if (!has_space_memory_steps(m))
        return 0;
    struct tk_alloc_site site = {.thread = t->id, .left_out = !t->selected};
    if (!(page = tk_live_blocks_put(&m->swapped, f->address, 0)) ||
        tk_alloc_site_of(&m->groups, &site, &page->site))
        return -1;
    page->index = m->index;
    page->size = f->packed;
    page->time = time;
    tk_alloc_flow_add(&m->swap_flow, f->size);
    m->swap_packed += f->packed;
    if (m->time_selected)
        tk_alloc_peak(&m->swap_flow);
    return 0;
}

static int swap_back(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                     int64_t time)
{
    struct tk_block *page = tk_live_blocks_find(&m->swapped, f->address, 0);
    (void)t, (void)time;
    m->index++;
    if (page)
        swap_in(m, page, f->size);
    else
        m->faults[TK_MEMORY_UNKNOWN_FREE]++;
    return 0;
}

/* ---- all of them ---- */

typedef int step_fn(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                    int64_t time);

static int step_alloc(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                      int64_t time)
{
    return alloc(m, t, f, time, false);
}

static int step_realloc_alloc(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                              int64_t time)
{
    int rc = alloc(m, t, f, time, true);
    pop_realloc(t);
    return rc;
}

static int step_free(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                     int64_t time)
{
    uint32_t tag;
    (void)t, (void)time;
    return release_memory_steps(m, f, false, &tag);
}

static int step_realloc_free(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                             int64_t time)
{
    uint32_t tag;
    (void)time;
    return release_memory_steps(m, f, true, &tag) ? -1 : push_tag(m, t, tag, true);
}

static int step_tag_enter(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                          int64_t time)
{
    (void)time;
    return push_tag(m, t, f->id, false);
}

static int step_tag_enter_of(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                             int64_t time)
{
    const struct tk_block *b = tk_live_blocks_find(&m->alive, f->address, (uint16_t)f->heap);
    (void)time;
    return push_tag(m, t, b ? m->groups.sites.v[b->site].tag : 0, false);
}

static int step_tag_leave(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                          int64_t time)
{
    (void)m, (void)f, (void)time;
    leave_tag(t);
    return 0;
}

static int step_lost(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                     int64_t time)
{
    (void)m, (void)f, (void)time;
    t->tags.n = 0;
    return 0;
}

/* TK_MEMORY_TIME does nothing here. */
static step_fn *const steps[] = {
    [TK_MEMORY_ALLOC] = step_alloc,
    [TK_MEMORY_FREE] = step_free,
    [TK_MEMORY_REALLOC_FREE] = step_realloc_free,
    [TK_MEMORY_REALLOC_ALLOC] = step_realloc_alloc,
    [TK_MEMORY_UPDATE] = update,
    [TK_MEMORY_MARK] = mark,
    [TK_MEMORY_UNMARK] = unmark,
    [TK_MEMORY_SWAP_OUT] = swap_out,
    [TK_MEMORY_SWAP_IN] = swap_back,
    [TK_MEMORY_SWAP_FREE] = swap_back,
    [TK_MEMORY_TAG_ENTER] = step_tag_enter,
    [TK_MEMORY_TAG_ENTER_OF] = step_tag_enter_of,
    [TK_MEMORY_TAG_LEAVE] = step_tag_leave,
    [TK_MEMORY_LOST] = step_lost,
};

int tk_memory_step(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                   int64_t time)
{
    step_fn *step = f->op < sizeof steps / sizeof *steps ? steps[f->op] : NULL;
    return step ? step(m, t, f, time) : 0;
}
