/*
 * Trees that are cut.
 */
#include "base/sort.h"
#include "edit/tracy/edit_tracy.h"
#include "fact/scopes.h"

/*
 * Trees of zones that stay as they are: looked at in the first walk, many zones at once, and copied in the
 * second. Part of a pass; pass_zones.c has those that change.
 */

enum { ZONE = 26 };

struct look {
    uint64_t parents;
    bool unknown; /* a zone is of no source location that exists */
    bool begins;  /* the last one was a begin */
};

/* A zone whose begin follows that of another is its child. */
static void look_at(struct look *l, const uint32_t *ops, size_t n, uint32_t unknown)
{
    uint64_t parents = l->begins && n && ops[0] < TK_OP_END;
    uint32_t found = 0;
    for (size_t i = 0; i < n; i++)
        found |= ops[i] == unknown;
    for (size_t i = 1; i < n; i++)
        parents += (ops[i - 1] | ops[i]) < TK_OP_END;
    l->parents += parents;
    l->unknown |= found;
    l->begins = n ? ops[n - 1] < TK_OP_END : l->begins;
}

/* Is all of it as it is to be? */
static bool look_at_tree(struct tk_tracy_pass *p, uint64_t zones)
{
    enum { CAPACITY = 512 }; /* 6 KB of a stack */
    int64_t times[CAPACITY];
    uint32_t ops[CAPACITY];
    const struct tk_tracy_zone_out out = {.timers = p->c->locations.timers, .time = times, .op = ops};
    const uint64_t end = tk_tracy_at(p->in) + 4 + ZONE * zones;
    struct look l = {0};
    tk_tracy_tree_open(&p->tree);
    p->tree.roots = tk_tracy_u32(p->in, "zones of a thread");
    p->tree.zones = zones;
    tk_tracy_zones_begin(&p->zones, (uint32_t)p->tree.roots);
    for (size_t n = 1; n;) {
        n = tk_tracy_zones_run(&p->zones, p->in, out, CAPACITY);
        look_at(&l, ops, n, p->c->locations.unknown);
    }
    p->tree.parents += l.parents;
    return tk_tracy_ok(p->in) && tk_tracy_zones_done(&p->zones) && p->zones.fault == TK_TRACY_ZONE_SOUND &&
           !p->zones.too_deep && !l.unknown && tk_tracy_at(p->in) == end;
}

void tk_tracy_pass_keep_tree(struct tk_tracy_pass *p, uint64_t zones)
{
    if (!p->out) {
        p->irregular |= !p->irregular && !look_at_tree(p, zones);
        return;
    }
    tk_tracy_skip(p->in, 4, "zones of a thread");
    tk_tracy_pass_copy(p, ZONE * zones);
}

/*
 * What the sections of a pass have in common: copies, numbers in front of lists, and strings.
 */

void tk_tracy_pass_copy(struct tk_tracy_pass *p, uint64_t n)
{
    if (!p->out) {
        tk_tracy_skip(p->in, n, "a section");
        return;
    }
    while (n && tk_tracy_pass_going(p)) {
        const uint64_t have = (uint64_t)(p->in->end - p->in->p);
        const size_t part = have == 0 ? 1 : (size_t)(have < n ? have : n);
        const uint8_t *bytes = have == 0 ? tk_tracy_take(p->in, 1, "a section") : p->in->p;
        if (!bytes)
            return;
        if (have)
            p->in->p += part;
        tk_tracy_put_bytes(p->out, bytes, part);
        n -= part;
    }
}

uint64_t tk_tracy_pass_number(struct tk_tracy_pass *p)
{
    const uint64_t v = tk_tracy_u64(p->in, "a number");
    tk_tracy_pass_put(p, v, 8);
    return v;
}

size_t tk_tracy_pass_note(struct tk_tracy_pass *p)
{
    if (p->out)
        return p->at++;
    p->failed |= tk_vec_push(&p->counts, 0) != 0;
    return p->counts.n - 1;
}

size_t tk_tracy_pass_count(struct tk_tracy_pass *p, unsigned bytes)
{
    const size_t place = tk_tracy_pass_note(p);
    tk_tracy_pass_put(p, tk_tracy_pass_noted(p, place), bytes);
    return place;
}

void tk_tracy_pass_mark(struct tk_tracy_pass *p, uint32_t index, enum tk_tracy_role role)
{
    if (!p->out && index && index - 1 < p->roles.n)
        p->roles.v[index - 1] |= UINT32_C(1) << role;
}

static void mark_found(struct tk_tracy_pass *p, uint32_t found, enum tk_tracy_role role)
{
    if (found != TK_MAP_NONE)
        tk_tracy_pass_mark(p, found + 1, role);
}

void tk_tracy_pass_mark_pointer(struct tk_tracy_pass *p, uint64_t pointer, enum tk_tracy_role role)
{
    if (!p->out && pointer)
        mark_found(p, tk_map_get(&p->c->strings.by_pointer, pointer), role);
}

void tk_tracy_pass_mark_key(struct tk_tracy_pass *p, uint64_t key, enum tk_tracy_role role)
{
    if (!p->out)
        mark_found(p, tk_map_get(&p->c->strings.by_key, key), role);
}

void tk_tracy_pass_mark_ref(struct tk_tracy_pass *p, struct tk_tracy_ref ref, enum tk_tracy_role role)
{
    if ((ref.flags & 3) == 3 && ref.value < UINT32_MAX)
        tk_tracy_pass_mark(p, (uint32_t)ref.value + 1, role);
    else if (ref.flags & 2 && !(ref.flags & 1))
        tk_tracy_pass_mark_pointer(p, ref.value, role);
}

/* The new number + 1; what is not there becomes none. */
uint32_t tk_tracy_pass_new_index(const struct tk_tracy_pass *p, uint32_t index)
{
    if (!p->collects || !index)
        return index;
    return index - 1 < p->strings.n && p->strings.v[index - 1] != UINT32_MAX ? p->strings.v[index - 1] + 1
                                                                             : 0;
}

struct tk_tracy_ref tk_tracy_pass_new_ref(const struct tk_tracy_pass *p, struct tk_tracy_ref ref)
{
    if (!p->collects || (ref.flags & 3) != 3)
        return ref;
    const uint32_t index = tk_tracy_pass_new_index(p, ref.value < UINT32_MAX ? (uint32_t)ref.value + 1 : 0);
    return index ? (struct tk_tracy_ref){index - 1, ref.flags} : (struct tk_tracy_ref){0, 0};
}

void tk_tracy_tree_rewind(struct tk_tracy_tree *t)
{
    t->writes = true;
    t->ordinal = t->at = 0;
}

void tk_tracy_tree_open(struct tk_tracy_tree *t)
{
    t->levels.n = t->waiting.n = 0;
    t->first_edge = t->edges.n;
    t->first = t->ordinal;
    t->roots = t->zones = 0;
    t->latest = INT64_MIN;
}

static void add_edge(struct tk_tracy_tree *t, const struct tk_tracy_tree_level *level)
{
    const struct tk_tracy_edge edge = {level->ordinal, level->children, level->after,
                                       level->begin < t->window->from, false};
    t->failed |= tk_vec_push(&t->edges, edge) != 0;
}

static int by_ordinal(const void *a, const void *b)
{
    const struct tk_tracy_edge *x = a, *y = b;
    return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

void tk_tracy_tree_close(struct tk_tracy_tree *t)
{
    if (t->writes)
        return;
    /* nothing came behind them: they are open when the window begins */
    for (size_t i = 0; i < t->waiting.n; i++) {
        add_edge(t, &t->waiting.v[i]);
        t->parents += t->waiting.v[i].children > 0;
    }
    t->zones += t->waiting.n;
    t->roots += t->waiting.n > 0;
    if (t->edges.n > t->first_edge)
        t->failed |= tk_sort(t->edges.v + t->first_edge, t->edges.n - t->first_edge, sizeof *t->edges.v,
                             by_ordinal) != 0;
}

bool tk_tracy_tree_keep_one(struct tk_tracy_tree *t)
{
    if (t->writes || t->zones || t->ordinal == t->first)
        return false;
    const struct tk_tracy_edge edge = {.ordinal = t->first, .outside = true};
    t->failed |= tk_vec_push(&t->edges, edge) != 0;
    t->zones = t->roots = 1;
    return true;
}

int64_t tk_tracy_tree_continued(const struct tk_tracy_tree *t)
{
    int64_t n = 0;
    for (size_t i = t->first_edge; i < t->edges.n && t->edges.v[i].before; i++, n++)
        if (n && t->edges.v[i].ordinal >= t->edges.v[i - 1].after)
            break;
    return t->first_edge < t->edges.n && t->edges.v[t->first_edge].outside ? -1 : n;
}

void tk_tracy_pass_note_continued(struct tk_tracy_pass *p, unsigned kind, const struct tk_tracy_tree *tree)
{
    struct tk_tracy_continued_list *list = &p->continued[kind];
    if (p->out)
        return;
    const struct tk_tracy_continued one = {list->trees++, tk_tracy_tree_continued(tree)};
    p->failed |= p->window.cut && one.zones && tk_vec_push(&list->v, one);
}

/* In the second walk, what the first found of a zone; NULL: nothing is special. */
static const struct tk_tracy_edge *find_edge(struct tk_tracy_tree *t, uint64_t ordinal)
{
    while (t->at < t->edges.n && t->edges.v[t->at].ordinal < ordinal)
        t->at++;
    return t->at < t->edges.n && t->edges.v[t->at].ordinal == ordinal ? &t->edges.v[t->at] : NULL;
}

bool tk_tracy_tree_begin(struct tk_tracy_tree *t, int64_t begin, uint64_t declared, uint64_t *children)
{
    struct tk_tracy_tree_level level = {.ordinal = t->ordinal++, .declared = declared, .begin = begin};
    t->waiting.n = 0;
    if (begin > t->latest)
        t->latest = begin;
    if (t->writes) {
        const struct tk_tracy_edge *edge = find_edge(t, level.ordinal);
        level.outside = edge && edge->outside;
        level.kept = level.outside || (begin < t->window->to && (begin >= t->window->from || edge));
        *children = edge ? edge->children : declared;
    }
    t->failed |= tk_vec_push(&t->levels, level) != 0;
    return level.kept;
}

/* Where no time of it is in the window it stays only if nothing comes behind it. */
static bool waits(const struct tk_tracy_tree *t, const struct tk_tracy_tree_level *level, int64_t end,
                  bool open)
{
    return open && level->begin < t->window->from && end <= t->window->from && level->begin < t->window->to;
}

bool tk_tracy_tree_end(struct tk_tracy_tree *t, int64_t end, bool open)
{
    if (!t->levels.n)
        return false;
    struct tk_tracy_tree_level level = t->levels.v[--t->levels.n];
    level.after = t->ordinal;
    uint64_t *around = t->levels.n ? &t->levels.v[t->levels.n - 1].children : &t->roots;
    if (!open && end > t->latest)
        t->latest = end;
    if (t->writes)
        return level.kept;
    if (waits(t, &level, end, open)) {
        struct tk_tracy_tree_level waiting = level;
        waiting.children += t->waiting.n > 0;
        t->failed |= tk_vec_push(&t->waiting, waiting) != 0;
        return false;
    }
    if (!open)
        t->waiting.n = 0;
    const bool kept =
        level.begin < t->window->to && (level.begin >= t->window->from || end > t->window->from);
    if (!kept) {
        *around += level.children;
        return false;
    }
    if (level.begin < t->window->from || level.children != level.declared)
        add_edge(t, &level);
    t->parents += level.children > 0;
    t->zones++;
    ++*around;
    return true;
}

void tk_tracy_tree_release(struct tk_tracy_tree *t)
{
    tk_vec_release(&t->levels);
    tk_vec_release(&t->edges);
    tk_vec_release(&t->waiting);
    *t = (struct tk_tracy_tree){0};
}
