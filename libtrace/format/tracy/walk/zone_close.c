/*
 *
 *   zone: i16 location, dt start, u32 extra, u32 n, n zones, dt end tracy-file 5.10
 *
 * Bytes in a row go through a loop whose number of turns is bounded before by bytes, space and depth, and
 * which stops at anything that is not plain; that goes event by event.
 */
#include "base/bits.h"
#include "format/tracy/walk/section.h"
#include "format/tracy/walk/zone_tree.h"

#include <stdlib.h>

/* One task decodes, wherever the next block was unpacked. Each place has a task that
 * sums up what was decoded into it; these wait for nothing, so anybody may wait for them.
 */

/* With several jobs: so that nobody waits for the consumer. Where two take turns, each has always the same.
 */
#define PLACES_JOBS 8u

struct tk_tracy_zones_place {
    const struct tk_tracy_zone_pipeline *owner;
    struct tk_task sums; /* zeroed: nothing to wait for */
    struct tk_tracy_zones_reported reported;
    struct tk_tracy_closed closed;
};

static void sum_up(void *ctx, size_t index, unsigned worker)
{
    struct tk_tracy_zones_place *place = ctx;
    const struct tk_tracy_zone_pipeline *z = place->owner;
    const struct tk_tracy_closed *closed = &place->closed;
    const uint32_t *same = z->closing.same;
    for (size_t i = 0; same && i < closed->n; i++)
        place->closed.key[i] = same[closed->timer[i]];
    const struct tk_closed_scopes scopes = {
        z->thread,     z->lane,      closed->n,     closed->timer,
        closed->total, closed->excl, closed->outer, same ? closed->key : closed->timer};
    (void)index;
    int rc = closed->n ? z->taker->take(z->taker->ctx, &scopes, worker) : TK_OK;
    if (place->reported.status == TK_OK)
        place->reported.status = rc;
}

/* Decodes up to the end of a piece, as whoever has the next one at hand goes on, or while there is space. */
static void decode(struct tk_tracy_zone_pipeline *z, struct tk_tracy_zones_place *place)
{
    struct tk_tracy_closing *c = &z->closing;
    place->closed.n = 0;
    int status = tk_tracy_closing_run(c, &z->in, &place->closed);
    z->ended = status != TK_OK || c->too_deep || c->fault != TK_TRACY_ZONE_SOUND ||
               tk_tracy_closing_done(c) || !tk_tracy_ok(&z->in);
    place->reported =
        (struct tk_tracy_zones_reported){tk_tracy_at(&z->in), c->none, c->unknown, status, z->ended};
    c->none = c->unknown = 0;
}

static bool make_piece(void *ctx, size_t number, unsigned worker)
{
    struct tk_tracy_zone_pipeline *z = ctx;
    struct tk_tracy_zones_place *place = &z->places[number % z->n_places];
    if (z->ended)
        return false;
    decode(z, place);
    /* the rest of a zone that lies on the border is the matter of who has more of it */
    if (z->in.end - z->in.p < TK_TRACY_ZONE_BYTES)
        z->ahead.task.home = tk_tracy_blocks_home(z->blocks);
    if (z->at_once)
        sum_up(place, 0, worker);
    else
        tk_pool_start_here(z->pool, &place->sums, sum_up, place);
    return true;
}

int tk_tracy_zone_pipeline_open(struct tk_tracy_zone_pipeline *z, const struct tk_context *ctx,
                                const struct tk_tracy_locations *locations,
                                const struct tk_closed_taker *taker)
{
    z->taker = taker;
    z->pool = ctx->pool;
    const bool alone = tk_pool_jobs(ctx->pool) == 1;
    z->at_once = alone || taker->in_order;
    z->closing.same = taker->by_source || !locations->keys.merged ? NULL : locations->keys.same.v;
    z->closing.by_piece = !alone;
    z->n_places = alone ? 1 : PLACES_JOBS;
    z->places = calloc(z->n_places, sizeof *z->places);
    for (size_t i = 0; z->places && i < z->n_places; i++)
        z->places[i].owner = z;
    return z->places
               ? tk_tracy_closing_open(&z->closing, locations, ctx->limits.open_scopes, ctx->limits.nesting)
               : TK_ENOMEM;
}

void tk_tracy_zone_pipeline_begin(struct tk_tracy_zone_pipeline *z, uint32_t thread, uint32_t lane,
                                  const struct tk_tracy_blocks *blocks, const struct tk_tracy_payload *in,
                                  uint32_t roots)
{
    tk_readahead_close(&z->ahead);
    tk_readahead_open(&z->ahead, z->pool, make_piece, z, z->n_places);
    z->ahead.task.first = true;
    z->ahead.task.home = tk_tracy_blocks_home(blocks);
    tk_tracy_closing_begin(&z->closing, roots);
    z->thread = thread;
    z->lane = lane;
    z->blocks = blocks;
    z->in = *in;
    z->next = 0;
    z->given = z->ended = false;
}

struct tk_tracy_zones_reported tk_tracy_zone_pipeline_next(struct tk_tracy_zone_pipeline *z,
                                                           struct tk_tracy_payload *in)
{
    if (z->given)
        tk_readahead_give_back(&z->ahead);
    z->given = tk_readahead_take(&z->ahead);
    struct tk_tracy_zones_place *place = &z->places[z->next++ % z->n_places];
    tk_pool_wait(z->pool, &place->sums);
    if (place->reported.last)
        *in = z->in;
    return place->reported;
}

void tk_tracy_zone_pipeline_close(struct tk_tracy_zone_pipeline *z)
{
    tk_readahead_close(&z->ahead);
    for (size_t i = 0; z->places && i < z->n_places; i++)
        tk_pool_wait(z->pool, &z->places[i].sums);
    tk_tracy_closing_release(&z->closing);
    free(z->places);
    *z = (struct tk_tracy_zone_pipeline){0};
}

#define MOST_CAPACITY (UINT32_C(1) << 28)

#define HEAD_BYTES 18
#define TAIL_BYTES 8

/* Another core may have unpacked the bytes: they are requested in time. */
#define AHEAD 4096

int tk_tracy_closing_open(struct tk_tracy_closing *c, const struct tk_tracy_locations *locations,
                          uint64_t limit, uint64_t most)
{
    c->locations = locations;
    c->most = most < MOST_CAPACITY ? (uint32_t)most : MOST_CAPACITY;
    c->limit = limit < c->most ? (uint32_t)limit : c->most;
    c->latest = INT64_MAX;
    c->levels = malloc((c->most + (size_t)2) * sizeof *c->levels);
    c->open = calloc((size_t)locations->unknown + 1, sizeof *c->open);
    return c->levels && c->open ? TK_OK : TK_ENOMEM;
}

void tk_tracy_closing_release(struct tk_tracy_closing *c)
{
    free(c->levels);
    free(c->open);
    tk_vec_release(&c->lost);
    tk_vec_release(&c->rest);
    *c = (struct tk_tracy_closing){0};
}

void tk_tracy_closing_begin(struct tk_tracy_closing *c, uint32_t roots)
{
    c->levels[0] = (struct tk_tracy_level){.left = roots};
    c->depth = c->unclosed = 0;
    c->time = 0;
    c->given = INT64_MIN;
    c->any = c->too_deep = false;
    c->fault = TK_TRACY_ZONE_SOUND;
    c->lane = (struct tk_closed_lane){.last = INT64_MIN};
    c->lost.n = 0;
}

static uint32_t *open_of(const struct tk_tracy_closing *c, uint32_t timer)
{
    return &c->open[c->same ? c->same[timer] : timer];
}

/* ---- event by event ---- */

static void put_zone_close(struct tk_tracy_closing *c, struct tk_tracy_closed *out, uint32_t k)
{
    const struct tk_tracy_level *level = &c->levels[k];
    uint64_t total = (uint64_t)c->lane.last - (uint64_t)level->begin;
    out->timer[out->n] = level->timer;
    out->total[out->n] = total;
    out->excl[out->n] = total - level->children;
    out->outer[out->n++] = level->outer;
    c->levels[k - 1].children += total;
    (*open_of(c, level->timer))--;
    c->lane.scopes++;
}

/* Something happens at a time, which is raised where times go backwards. */
static void happen(struct tk_tracy_closing *c, int64_t time)
{
    if (time < c->lane.last)
        c->lane.raised++;
    else
        c->lane.last = time;
    if (!c->any)
        c->lane.first = time;
    c->any = true;
    c->given = time;
}

/* What has no end is lost before something follows it, innermost first. Its children become those of the zone
 * around it. */
static int lose_unclosed(struct tk_tracy_closing *c)
{
    for (; c->unclosed; c->unclosed--) {
        uint32_t k = c->depth + c->unclosed;
        const struct tk_tracy_level *level = &c->levels[k];
        struct tk_open_scope lost = {.timer = level->timer, .begin = level->begin, .depth = k - 1};
        happen(c, c->given);
        if (k > c->limit)
            continue;
        if (tk_vec_push(&c->lost, lost))
            return TK_ENOMEM;
        c->levels[k - 1].children += level->children;
        (*open_of(c, level->timer))--;
    }
    return TK_OK;
}

static int begin_zone(struct tk_tracy_closing *c, const uint8_t *p)
{
    uint32_t timer = c->locations->timers[tk_load16(p)];
    int64_t time = tk_tracy_after(&c->time, p + 2);
    if (lose_unclosed(c) != TK_OK)
        return TK_ENOMEM;
    happen(c, time);
    c->none += timer == c->locations->none;
    c->unknown += timer == c->locations->unknown;
    c->begun[timer]++;
    c->most_extra = tk_load32(p + 10) > c->most_extra ? tk_load32(p + 10) : c->most_extra;
    c->levels[c->depth].left--;
    struct tk_tracy_level *level = &c->levels[++c->depth];
    *level = (struct tk_tracy_level){.begin = c->lane.last, .left = tk_load32(p + 14), .timer = timer};
    if (c->depth <= c->limit)
        level->outer = (*open_of(c, timer))++ == 0;
    else
        c->lane.too_deep++;
    if (c->depth > c->lane.max_depth)
        c->lane.max_depth = c->depth;
    return TK_OK;
}

static int end_zone(struct tk_tracy_closing *c, const uint8_t *p, struct tk_tracy_closed *out)
{
    int64_t time = tk_tracy_after(&c->time, p);
    uint32_t k = c->depth;
    if (time < 0) {
        c->depth--;
        c->unclosed++;
        return TK_OK;
    }
    if (lose_unclosed(c) != TK_OK)
        return TK_ENOMEM;
    c->depth--;
    happen(c, time);
    if (k <= c->limit)
        put_zone_close(c, out, k);
    return TK_OK;
}

/* Is the time that comes one that cannot be? */
static bool is_wrong(struct tk_tracy_closing *c, const uint8_t *p, bool begins, uint64_t at)
{
    int64_t last = c->time, highest = c->lane.last > 0 ? c->lane.last : 0;
    c->fault = tk_tracy_zone_judge(tk_tracy_after(&last, p), begins, highest, c->latest);
    c->fault_at = at;
    return c->fault != TK_TRACY_ZONE_SOUND;
}

/* TK_ITEM, TK_OK when there is none, or TK_ENOMEM. */
static int step_zone_close(struct tk_tracy_closing *c, struct tk_tracy_payload *in,
                           struct tk_tracy_closed *out)
{
    bool begins = c->levels[c->depth].left;
    if (!begins && !c->depth)
        return TK_OK;
    if (begins && c->depth == c->most) {
        c->too_deep = true;
        return TK_OK;
    }
    uint64_t at = tk_tracy_at(in);
    const uint8_t *p =
        tk_tracy_take(in, begins ? HEAD_BYTES : TAIL_BYTES, begins ? "begin of a zone" : "end of a zone");
    if (!p || is_wrong(c, begins ? p + 2 : p, begins, at))
        return TK_OK;
    int rc = begins ? begin_zone(c, p) : end_zone(c, p, out);
    return rc == TK_OK ? TK_ITEM : rc;
}

/* ---- many at once ---- */

static size_t least_zone_close(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many turns of the loop below neither bytes, nor space, nor depth can fail; 0 where times were raised,
 * or something without an end waits for what follows. */
static size_t turns(const struct tk_tracy_closing *c, const struct tk_tracy_payload *in, size_t capacity)
{
    size_t bytes = (size_t)(in->end - in->p) / TK_TRACY_ZONE_BYTES;
    if (c->unclosed || !c->any || c->lane.last != c->time || c->time < 0 || c->depth >= c->limit)
        return 0;
    return least_zone_close(least_zone_close(bytes, capacity), c->limit - c->depth);
}

/* Each turn takes at most 26 bytes, closes at most one zone and goes at most one level down. It is one
 * function as its state is in registers: with functions of their own for begins and ends it took 1.17 times
 * the instructions (gcc 12). */
TK_ALWAYS_INLINE void run_turns(struct tk_tracy_closing *c, struct tk_tracy_payload *in,
                                struct tk_tracy_closed *out, size_t n_turns, const uint32_t *same)
{
    struct tk_tracy_level *top = c->levels + c->depth;
    const struct tk_tracy_level *deepest = c->levels + c->lane.max_depth;
    const uint32_t *timers = c->locations->timers;
    const uint32_t none = c->locations->none;
    uint32_t *open = c->open, left = top->left;
    uint64_t *begun = c->begun;
    uint32_t most_extra = c->most_extra;
    uint64_t children = top->children;
    int64_t now = c->time;
    const int64_t latest = c->latest;
    const uint8_t *p = in->p;
    size_t n = out->n;

    for (; n_turns; n_turns--) {
        tk_prefetch(p + AHEAD);
        if (left) {
            uint32_t n_children = tk_load32(p + 14), timer = timers[tk_load16(p)], extra = tk_load32(p + 10);
            uint64_t wait = tk_load64(p + 2);
            if (wait > (uint64_t)(latest - now) || timer >= none)
                break;
            int64_t begin = now + (int64_t)wait;
            most_extra = extra > most_extra ? extra : most_extra;
            deepest = top + 1 > deepest ? top + 1 : deepest;
            if (!n_children) {
                uint64_t total = tk_load64(p + HEAD_BYTES);
                if (total > (uint64_t)(latest - begin))
                    break;
                begun[timer]++;
                out->timer[n] = timer;
                out->total[n] = out->excl[n] = total;
                out->outer[n++] = open[same ? same[timer] : timer] == 0;
                children += total;
                left--;
                now = begin + (int64_t)total;
                p += TK_TRACY_ZONE_BYTES;
            } else {
                top->left = left - 1;
                top->children = children;
                begun[timer]++;
                (++top)->begin = begin;
                top->timer = timer;
                top->outer = open[same ? same[timer] : timer]++ == 0;
                left = n_children;
                children = 0;
                now = begin;
                p += HEAD_BYTES;
            }
        } else {
            uint64_t rest = tk_load64(p);
            if (top == c->levels || rest > (uint64_t)(latest - now))
                break;
            int64_t end = now + (int64_t)rest;
            uint64_t total = (uint64_t)end - (uint64_t)top->begin;
            uint32_t timer = top->timer;
            out->timer[n] = timer;
            out->total[n] = total;
            out->excl[n] = total - children;
            out->outer[n++] = top->outer;
            open[same ? same[timer] : timer]--;
            top--;
            children = top->children + total;
            left = top->left;
            now = end;
            p += TAIL_BYTES;
        }
    }
    top->left = left;
    top->children = children;
    in->p = p;
    c->most_extra = most_extra;
    c->lane.scopes += n - out->n;
    out->n = n;
    c->depth = (uint32_t)(top - c->levels);
    c->lane.max_depth = (uint32_t)(deepest - c->levels);
    c->time = c->given = c->lane.last = now;
}

static void run_fast(struct tk_tracy_closing *c, struct tk_tracy_payload *in, struct tk_tracy_closed *out,
                     size_t n_turns)
{
    if (c->same)
        run_turns(c, in, out, n_turns, c->same);
    else
        run_turns(c, in, out, n_turns, NULL);
}

static bool enough(const struct tk_tracy_closing *c, const struct tk_tracy_payload *in,
                   const struct tk_tracy_closed *out)
{
    return out->n == TK_TRACY_CLOSED || (c->by_piece && out->n && in->end - in->p < TK_TRACY_ZONE_BYTES);
}

int tk_tracy_closing_run(struct tk_tracy_closing *c, struct tk_tracy_payload *in, struct tk_tracy_closed *out)
{
    int rc = TK_ITEM;
    while (rc == TK_ITEM && !enough(c, in, out)) {
        size_t n = turns(c, in, TK_TRACY_CLOSED - out->n);
        if (n)
            run_fast(c, in, out, n);
        if (!enough(c, in, out))
            rc = step_zone_close(c, in, out);
    }
    return rc < 0 ? rc : TK_OK;
}

const struct tk_closed_lane *tk_tracy_closing_end(struct tk_tracy_closing *c)
{
    uint32_t depth = (uint32_t)least_zone_close(c->depth + c->unclosed, c->limit);
    c->lane.covered = c->levels[0].children;
    c->rest.n = 0;
    if (tk_vec_reserve(&c->rest, depth))
        return NULL;
    for (uint32_t k = 1; k <= depth; k++) {
        const struct tk_tracy_level *level = &c->levels[k];
        c->rest.v[c->rest.n++] =
            (struct tk_open_scope){.timer = level->timer, .begin = level->begin, .depth = k - 1};
        c->lane.covered += level->children;
        (*open_of(c, level->timer))--;
    }
    c->lane.open = c->rest.v;
    c->lane.n_open = c->rest.n;
    c->lane.lost = c->lost.v;
    c->lane.n_lost = c->lost.n;
    return &c->lane;
}
