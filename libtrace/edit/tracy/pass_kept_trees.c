/*
 * Trees of zones that stay as they are: looked at in the first walk, many zones at once, and copied in the
 * second. Part of a pass; pass_zones.c has those that change.
 */
#include "edit/tracy/tracy_pass.h"
#include "fact/scopes.h"

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
    enum { ROOM = 512 }; /* 6 KB of a stack */
    int64_t times[ROOM];
    uint32_t ops[ROOM];
    const struct tk_tracy_zone_out out = {.timers = p->c->locations.timers, .time = times, .op = ops};
    const uint64_t end = tk_tracy_at(p->in) + 4 + ZONE * zones;
    struct look l = {0};
    tk_tracy_tree_open(&p->tree);
    p->tree.roots = tk_tracy_u32(p->in, "zones of a thread");
    p->tree.zones = zones;
    tk_tracy_zones_begin(&p->zones, (uint32_t)p->tree.roots);
    for (size_t n = 1; n;) {
        n = tk_tracy_zones_run(&p->zones, p->in, out, ROOM);
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
