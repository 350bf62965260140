/*
 * Source locations, and how many zones each has.
 *
 *   static:  u64 n, each u64 address, 35 bytes; expand: u64 n, each u64 address; dynamic: u64 n, each 35
 * bytes counts:  u64 n, each i16 location, u64 zones; from 0.7.15 once more for GPU zones tracy-file 5.5, 5.6
 */
#include "format/tracy/walk/section.h"

struct state {
    struct tk_tracy_list statics, expand, dynamics;
    uint64_t lost;
};

static bool has_space_locations(struct tk_tracy_walk *w, struct state *s, size_t n)
{
    bool capacity = n < w->c->ctx->limits.timers;
    s->lost += !capacity;
    return capacity;
}

static bool read_location(struct tk_tracy_walk *w, struct tk_tracy_location *location)
{
    if (!tk_tracy_read_location(&w->in, location))
        return false;
    tk_tracy_use_ref(w, location->name);
    tk_tracy_use_ref(w, location->function);
    tk_tracy_use_ref(w, location->file);
    w->items++;
    return true;
}

static int read_static(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_locations *l = &w->c->locations;
    uint64_t address = tk_tracy_u64(&w->in, "address of a source location");
    struct tk_tracy_location location;
    if (!read_location(w, &location) || !has_space_locations(w, s, l->statics.n))
        return TK_OK;
    if (tk_map_put(&l->by_address, address, (uint32_t)l->statics.n) || tk_vec_push(&l->statics, location))
        return TK_ENOMEM;
    return TK_OK;
}

static int read_expand(struct tk_tracy_walk *w, struct state *s)
{
    uint64_t address = tk_tracy_u64(&w->in, "address of a source location");
    if (!tk_tracy_ok(&w->in) || !has_space_locations(w, s, w->c->locations.expand.n))
        return TK_OK;
    return tk_vec_push(&w->c->locations.expand, address) ? TK_ENOMEM : TK_OK;
}

static int read_dynamic(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_location location;
    if (!read_location(w, &location) || !has_space_locations(w, s, w->c->locations.dynamics.n))
        return TK_OK;
    return tk_vec_push(&w->c->locations.dynamics, location) ? TK_ENOMEM : TK_OK;
}

static int step_locations(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    if (!w->defining) {
        const size_t size = tk_tracy_location_size(&w->c->layout);
        tk_tracy_pass_list(w, 8 + size, "static source locations");
        tk_tracy_skip_items(w, tk_tracy_read_count(w, "addresses of source locations"), 8,
                            "addresses of source locations");
        tk_tracy_pass_list(w, size, "dynamic source locations");
        return TK_OK;
    }
    while (rc == TK_OK && tk_tracy_list_next(w, &s->statics, "static source locations"))
        rc = read_static(w, s);
    while (rc == TK_OK && tk_tracy_list_next(w, &s->expand, "addresses of source locations"))
        rc = read_expand(w, s);
    while (rc == TK_OK && tk_tracy_list_next(w, &s->dynamics, "dynamic source locations"))
        rc = read_dynamic(w, s);
    if (s->lost)
        tk_tracy_limit(w, TK_LIMIT_timers, tk_tracy_at(&w->in), s->lost, "source locations were left out");
    return rc;
}

/* Those of zones of threads; programs leave those of GPU zones at 0. */
static int keep_count(struct tk_tracy_walk *w, const struct tk_tracy_zone_count *count)
{
    struct tk_tracy_locations *l = &w->c->locations;
    if (l->counts.n > UINT16_MAX)
        return TK_OK;
    return tk_vec_push(&l->counts, *count) ? TK_ENOMEM : TK_OK;
}

static int step_counts(struct tk_tracy_walk *w, void *state)
{
    struct tk_tracy_list *lists = state;
    for (unsigned i = 0; i < (w->c->layout.gpu_counts ? 2 : 1); i++)
        while (tk_tracy_list_next(w, &lists[i], "zone counts")) {
            struct tk_tracy_zone_count count;
            w->items++;
            if (!tk_tracy_read_zone_count(&w->in, &count) || !w->defining || !count.zones)
                continue;
            w->c->empty = false;
            if (i == 0 && keep_count(w, &count) != TK_OK)
                return TK_ENOMEM;
        }
    return TK_OK;
}

const struct tk_tracy_section tk_tracy_sec_locations = {
    .name = "source_locations", .step = step_locations, .size = sizeof(struct state)};

const struct tk_tracy_section tk_tracy_sec_zone_counts = {
    .name = "zone_counts", .step = step_counts, .size = 2 * sizeof(struct tk_tracy_list)};
