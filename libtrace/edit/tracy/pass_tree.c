/*
 * Trees that are cut. See pass_tree.h.
 */
#include "edit/tracy/pass_tree.h"

#include "base/sort.h"

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

static void add_edge(struct tk_tracy_tree *t, uint64_t ordinal, uint64_t children)
{
    const struct tk_tracy_edge edge = {ordinal, children, false};
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
        add_edge(t, t->waiting.v[i].ordinal, t->waiting.v[i].children);
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
    const struct tk_tracy_edge edge = {t->first, 0, true};
    t->failed |= tk_vec_push(&t->edges, edge) != 0;
    t->zones = t->roots = 1;
    return true;
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
    const struct tk_tracy_tree_level level = t->levels.v[--t->levels.n];
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
        add_edge(t, level.ordinal, level.children);
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
