/*
 * Moves of what is alive, and the sums of groups.
 *
 * A group is touched at random, so those of moves ahead are brought near. What is alive after a move is
 * computed the same way for both directions: which of them it is cannot be predicted.
 */
#include "model/memory/memory_model.h"
#include "model/memory/memory_names.h"

#include <stdlib.h>

/*
 * Places of callstacks.
 */

enum { NOWHERE, NOT_DEFINED };

void tk_alloc_places_init(struct tk_alloc_places *p, struct tk_context *ctx, const char *allocators)
{
    *p = (struct tk_alloc_places){.settled = false};
    tk_memory_names_init(&p->names, ctx);
    p->names.allocators.text = allocators;
}

int tk_alloc_places_feed(struct tk_alloc_places *p, const struct tk_fact *fact)
{
    return TK_ALLOC_PLACE_FACTS >> fact->kind & 1 ? tk_memory_names_feed(&p->names, fact) : 0;
}

/* The number of a text, from 1; 0: none. 0, or -1 if out of memory. */
static int number_of(struct tk_alloc_places *p, const struct tk_str *text, uint32_t *out)
{
    const uint64_t key = (uint64_t)(uintptr_t)text;
    *out = 0;
    if (!text)
        return 0;
    *out = tk_map_get(&p->text_index, key);
    if (*out != TK_MAP_NONE)
        return 0;
    if (tk_vec_push(&p->texts, text))
        return -1;
    *out = (uint32_t)p->texts.n;
    return tk_map_put(&p->text_index, key, *out);
}

/* The number of a key in a map, which is `next` where it is new. */
static int number_in(struct tk_map *map, uint64_t key, size_t next, uint32_t *out)
{
    *out = tk_map_get(map, key);
    if (*out != TK_MAP_NONE)
        return 0;
    *out = (uint32_t)next;
    return tk_map_put(map, key, *out);
}

/* The number of the place with these texts. 0, or -1 if out of memory. */
static int place_with(struct tk_alloc_places *p, const struct tk_alloc_place *place, uint32_t *out)
{
    const uint32_t *texts = place->texts;
    uint32_t pair;
    if (number_in(&p->pairs, (uint64_t)texts[TK_ALLOC_FUNCTION] << 32 | texts[TK_ALLOC_MODULE],
                  p->pairs.count, &pair) ||
        number_in(&p->index, (uint64_t)pair << 32 | texts[TK_ALLOC_FILE], p->places.n, out))
        return -1;
    return *out == p->places.n ? tk_vec_push(&p->places, *place) : 0;
}

static int find_place(struct tk_alloc_places *p, uint64_t callstack, uint32_t *out)
{
    struct tk_memory_place found;
    struct tk_alloc_place place;
    if (tk_memory_place_of(&p->names, callstack, &found) ||
        number_of(p, found.function, &place.texts[TK_ALLOC_FUNCTION]) ||
        number_of(p, found.module, &place.texts[TK_ALLOC_MODULE]) ||
        number_of(p, found.file, &place.texts[TK_ALLOC_FILE]))
        return -1;
    return place_with(p, &place, out);
}

/* That of callstack 0, and that of callstacks which are not defined. */
static int settle_fixed(struct tk_alloc_places *p)
{
    const struct tk_alloc_place nowhere = {{0}};
    struct tk_alloc_place missing = {{0}};
    uint32_t at;
    if (place_with(p, &nowhere, &at) ||
        number_of(p, tk_memory_not_defined(), &missing.texts[TK_ALLOC_FUNCTION]))
        return -1;
    return place_with(p, &missing, &at);
}

int tk_alloc_places_settle(struct tk_alloc_places *p)
{
    const size_t n = p->names.callstacks.stacks.n;
    int rc = tk_memory_names_settle(&p->names) || settle_fixed(p) || tk_vec_reserve(&p->of, n) ? -1 : 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = find_place(p, p->names.callstacks.stacks.v[i].id, &p->of.v[p->of.n++]);
    tk_memory_names_forget(&p->names);
    p->settled = true;
    return rc;
}

uint32_t tk_alloc_place_of(const struct tk_alloc_places *p, uint64_t callstack)
{
    const uint32_t i = tk_map_get(&p->names.callstacks.index, callstack);
    if (i != TK_MAP_NONE)
        return p->of.v[i];
    return callstack && !p->names.callstacks.full ? NOT_DEFINED : NOWHERE;
}

void tk_alloc_places_release(struct tk_alloc_places *p)
{
    tk_memory_names_release(&p->names);
    tk_vec_release(&p->of);
    tk_vec_release(&p->places);
    tk_vec_release(&p->texts);
    tk_map_release(&p->text_index);
    tk_map_release(&p->pairs);
    tk_map_release(&p->index);
}

enum { AHEAD = 8, SPACE_ALONE = 512, CAPACITY = 2048 };

/* A move as it is added to groups. */
struct step {
    uint64_t bytes, one; /* what is alive is more by these, modulo 2^64 */
    uint64_t grows;      /* all bits where it can become more than ever, else 0 */
    uint64_t size;
    uint32_t kind;
    const struct tk_alloc_when *when;
};

/* What is alive in a group. Where it is more than ever that is a peak, and where that is wanted its moment is
 * kept. */
TK_ALWAYS_INLINE void move_one(const struct tk_alloc_groups *g, const struct step *s, uint32_t group,
                               bool ends)
{
    struct tk_alloc_flow *flow = &g->flows.v[group];
    const uint64_t count = flow->alive_count + s->one, bytes = flow->alive_bytes + s->bytes;
    flow->alive_count = count;
    flow->alive_bytes = bytes;
    if ((count & s->grows) > flow->peak_count)
        flow->peak_count = count;
    if ((bytes & s->grows) > flow->peak_bytes) {
        flow->peak_bytes = bytes;
        if (ends)
            g->ends.v[group].peak_time = s->when->time;
    }
}

/* is: 1, or 0: nothing is added. */
TK_ALWAYS_INLINE void add_where(struct tk_alloc_amount *sum, uint64_t size, uint64_t is)
{
    sum->count += is;
    sum->bytes += size & (0 - is);
}

/* What came into a group, and out of it. */
TK_ALWAYS_INLINE void count_one(const struct tk_alloc_groups *g, const struct step *s, uint32_t group)
{
    struct tk_alloc_flow *flow = &g->flows.v[group];
    const uint64_t in = ~s->kind & TK_ALLOC_MOVE_OUT, apart = (s->kind & TK_ALLOC_MOVE_APART) != 0;
    flow->in_count += in;
    flow->in_bytes += s->size & (0 - in);
    if (s->kind & TK_ALLOC_MOVE_REALLOC) {
        flow->re_in += in;
        flow->re_out += in ^ 1;
    }
    if (g->parts & TK_ALLOC_SOON)
        add_where(&g->soon.v[group], s->size, apart & ~in);
    if (g->parts & TK_ALLOC_UNFRAMED)
        add_where(&g->unframed.v[group], s->size, apart & in);
}

/* The most in a game frame. */
static void frame_one(const struct tk_alloc_groups *g, const struct step *s, uint32_t group)
{
    struct tk_alloc_frame *f = &g->frames.v[group];
    const uint64_t in_bytes = g->flows.v[group].in_bytes;
    if (!s->when->frame || !s->grows || s->kind & TK_ALLOC_MOVE_ONLY)
        return;
    if (f->frame != s->when->frame) {
        f->frame = s->when->frame;
        f->from = in_bytes - s->size;
    }
    f->max = in_bytes - f->from > f->max ? in_bytes - f->from : f->max;
}

/* The groups that a site does not know. */
TK_ALWAYS_INLINE void move_apart(const struct tk_alloc_groups *g, const struct tk_alloc_move *m,
                                 const struct step *s, bool more)
{
    uint32_t groups[TK_ALLOC_BY_COUNT];
    const unsigned n = tk_alloc_groups_apart(g, m->stack, m->sized, groups);
    for (unsigned i = 0; i < n; i++) {
        move_one(g, s, groups[i], more && g->parts & TK_ALLOC_ENDS);
        count_one(g, s, groups[i]);
        if (more && g->parts & TK_ALLOC_FRAME_MAX)
            frame_one(g, s, groups[i]);
    }
}

/* Those that it knows: what came and went is added to them later, but where it has to be known in each frame.
 */
TK_ALWAYS_INLINE void move_plain(const struct tk_alloc_groups *g, const struct tk_alloc_move *m,
                                 const struct step *s, bool more)
{
    const struct tk_alloc_site *site = &g->sites.v[m->site];
    const bool framed = more && g->parts & TK_ALLOC_FRAME_MAX, now = framed || m->kind & TK_ALLOC_MOVE_ONLY;
    for (unsigned i = 0; i < g->n_plain; i++)
        move_one(g, s, site->groups[i], more && g->parts & TK_ALLOC_ENDS);
    for (unsigned i = 0; now && i < g->n_plain; i++) {
        count_one(g, s, site->groups[i]);
        if (framed)
            frame_one(g, s, site->groups[i]);
    }
    if (now)
        return;
    struct tk_alloc_amount *sum = &g->pending.v[m->site].of[m->kind];
    sum->count++;
    sum->bytes += m->size;
}

TK_ALWAYS_INLINE void look_ahead(const struct tk_alloc_groups *g, const struct tk_alloc_move *m)
{
    if (!(g->by & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK)))
        return;
    const uint32_t group = g->stack_groups.v[m->stack];
    tk_prefetch_write(&g->flows.v[group]);
    if (g->parts & TK_ALLOC_SOON)
        tk_prefetch_write(&g->soon.v[group]);
    if (g->parts & TK_ALLOC_UNFRAMED)
        tk_prefetch_write(&g->unframed.v[group]);
}

/* more: of parts that need more of moves. */
TK_ALWAYS_INLINE void play(const struct tk_alloc_groups *g, const struct tk_alloc_batch *b, bool more)
{
    const uint64_t selected = 0 - (uint64_t)b->selected;
    for (size_t i = 0; i < b->n; i++) {
        const struct tk_alloc_move *m = &b->moves[i];
        const uint64_t out = m->kind & TK_ALLOC_MOVE_OUT;
        const struct step step = {.bytes = (m->size ^ (0 - out)) + out,
                                  .one = 1 - 2 * out,
                                  .grows = (out - 1) & selected,
                                  .size = m->size,
                                  .kind = m->kind,
                                  .when = more ? &b->when[i] : NULL};
        if (b->n - i > AHEAD)
            look_ahead(g, m + AHEAD);
        if (g->sites.v[m->site].left_out)
            continue;
        move_plain(g, m, &step, more);
        move_apart(g, m, &step, more);
    }
}

static int use(void *ctx, size_t number, unsigned worker)
{
    struct tk_alloc_moves *moves = ctx;
    struct tk_alloc_batch *b = &moves->batches[number % moves->behind.places];
    (void)worker;
    if (b->when)
        play(moves->of, b, true);
    else
        play(moves->of, b, false);
    b->n = 0;
    return 0;
}

/* ---- batches ---- */

void tk_alloc_moves_open(struct tk_alloc_groups *of, struct tk_pool *pool)
{
    const bool alone = tk_pool_jobs(pool) == 1;
    struct tk_alloc_moves *m = &of->moves;
    m->of = of;
    m->capacity = alone ? SPACE_ALONE : CAPACITY;
    tk_writebehind_open(&m->behind, pool, use, m, alone ? 1 : TK_ALLOC_BATCHES);
}

static int reserve(struct tk_alloc_moves *m, struct tk_alloc_batch *b)
{
    if (!b->moves && !(b->moves = malloc(m->capacity * sizeof *b->moves)))
        return -1;
    if (m->of->parts & (TK_ALLOC_FRAME_MAX | TK_ALLOC_ENDS) && !b->when &&
        !(b->when = malloc(m->capacity * sizeof *b->when)))
        return -1;
    return 0;
}

static void give(struct tk_alloc_moves *m)
{
    if (!m->filling || !m->filling->n)
        return;
    m->filling->selected = m->of->open;
    m->filling = NULL;
    tk_writebehind_give(&m->behind); /* which cannot fail */
}

int tk_alloc_moves_turn(struct tk_alloc_moves *m)
{
    give(m);
    struct tk_alloc_batch *next = &m->batches[m->behind.made % m->behind.places];
    if (reserve(m, next))
        return -1;
    m->filling = next;
    return 0;
}

void tk_alloc_moves_settle(struct tk_alloc_moves *m)
{
    if (!m->of)
        return;
    give(m);
    tk_writebehind_drain(&m->behind);
}

void tk_alloc_moves_close(struct tk_alloc_moves *m)
{
    tk_alloc_moves_settle(m);
    for (size_t i = 0; i < TK_ALLOC_BATCHES; i++) {
        free(m->batches[i].moves);
        free(m->batches[i].when);
    }
    *m = (struct tk_alloc_moves){0};
}
