/*
 * The recorder: what a whole reading finds out of scopes becomes a section.
 */
#include "kept/kept_in.h"

void tk_scope_recorder_begin(struct tk_scope_recorder *r, struct tk_context *ctx, uint64_t mask)
{
    *r = (struct tk_scope_recorder){.ctx = ctx, .mask = mask, .least = INT64_MAX, .greatest = INT64_MIN};
}

static void keep_facts(struct tk_scope_recorder *r, const struct tk_batch *batch)
{
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if (!(r->mask >> fact->kind & 1))
            continue;
        tk_kept_fact_put(&r->facts, fact);
        r->n_facts++;
    }
}

/* The first time that counts in a run: lanes do not go back. */
static void see_run(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                    const struct tk_scope_run *run)
{
    const int64_t last = tk_scope_model_last(m, run->lane);
    if (run->kind != TK_LANE_THREAD || run->closed || tk_vec_reach(&r->changed, (size_t)run->lane + 1)) {
        r->failed = true;
        return;
    }
    r->changed.v[run->lane] = 1;
    for (size_t i = 0; i < run->n; i++) {
        if (run->time[i] == INT64_MIN)
            continue;
        const int64_t first = run->time[i] > last ? run->time[i] : last;
        r->least = first < r->least ? first : r->least;
        return;
    }
}

void tk_scope_recorder_before(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                              const struct tk_batch *batch)
{
    if (!r->ctx || r->failed)
        return;
    keep_facts(r, batch);
    for (size_t i = 0; i < batch->n_runs && m; i++)
        see_run(r, m, &batch->runs[i]);
}

/* ---- points ---- */

/* Open scopes that are the same as before, from the outermost on. */
static size_t same(const struct tk_lane_state *a, const struct tk_lane_state *b)
{
    size_t n = 0;
    while (n < a->open.n && n < b->open.n && a->open.v[n].id == b->open.v[n].id &&
           tk_state_scope_is(&a->open.v[n], b->open.v[n].begin, b->open.v[n].op))
        n++;
    return n;
}

static void put_lane(struct tk_scope_recorder *r, uint32_t lane)
{
    struct tk_kept_bytes *out = &r->lane_bytes;
    const struct tk_lane_state *now = &r->now;
    const size_t kept = same(now, &r->lanes.v[lane]);
    tk_kept_put(out, lane);
    tk_kept_put(out, now->thread);
    tk_kept_put(out, now->kind);
    tk_kept_put_signed(out, now->first);
    tk_kept_put_signed(out, now->last);
    tk_kept_put(out, now->begun);
    tk_kept_put(out, now->unmatched);
    tk_kept_put(out, now->raised);
    tk_kept_put(out, now->max_depth);
    tk_kept_put(out, kept);
    tk_kept_put(out, now->open.n - kept);
    for (size_t k = kept; k < now->open.n; k++) {
        tk_kept_put_signed(out, (int64_t)((uint64_t)now->last - (uint64_t)now->open.v[k].begin));
        tk_kept_put(out, now->begun - now->open.v[k].id);
        tk_kept_put(out, now->open.v[k].op);
    }
}

static bool put_lanes(struct tk_scope_recorder *r, const struct tk_scope_model *m)
{
    r->lane_bytes.bytes.n = 0;
    if (tk_vec_reach(&r->lanes, r->changed.n))
        return false;
    for (uint32_t i = 0; i < r->changed.n; i++) {
        if (!r->changed.v[i])
            continue;
        if (tk_scope_model_state(m, i, &r->now) != TK_OK || !r->now.seen)
            return false;
        put_lane(r, i);
        const struct tk_lane_state old = r->lanes.v[i];
        r->lanes.v[i] = r->now;
        r->now = old;
        r->greatest = r->lanes.v[i].last > r->greatest ? r->lanes.v[i].last : r->greatest;
        r->changed.v[i] = 0;
    }
    tk_kept_put(&r->points, r->lane_bytes.bytes.n);
    tk_kept_put_bytes(&r->points, r->lane_bytes.bytes.v, r->lane_bytes.bytes.n);
    return !r->lane_bytes.failed;
}

/* The greatest time is reported with the lanes that it is found of. */
static void see_greatest(struct tk_scope_recorder *r, const struct tk_scope_model *m)
{
    for (uint32_t i = 0; i < r->changed.n; i++) {
        const int64_t last = r->changed.v[i] ? tk_scope_model_last(m, i) : INT64_MIN;
        r->greatest = last > r->greatest ? last : r->greatest;
    }
}

void tk_scope_recorder_after(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                             const struct tk_batch *batch)
{
    if (!r->ctx || r->failed || !m || !batch->to)
        return;
    r->ended = false;
    if (!batch->n_state)
        return;
    see_greatest(r, m);
    tk_kept_put(&r->points, batch->to - r->place);
    tk_kept_put_signed(&r->points, r->least);
    tk_kept_put_signed(&r->points, r->greatest);
    tk_kept_put(&r->points, batch->n_state);
    tk_kept_put_bytes(&r->points, batch->state, batch->n_state);
    r->numbers = tk_scope_model_numbers(m);
    r->failed = !put_lanes(r, m) || r->points.failed || r->points.bytes.n > r->ctx->known->most;
    r->place = batch->to;
    r->least = INT64_MAX;
    r->ended = true;
}

/* ---- the end ---- */

static bool is_well(const struct tk_context *ctx)
{
    for (size_t i = 0; i < TK_HEALTH_COUNT; i++)
        if (ctx->health.counts[i] != (ctx->opened ? ctx->opened->counts[i] : 0))
            return false;
    return true;
}

void tk_scope_recorder_end(struct tk_scope_recorder *r)
{
    if (!r->ctx || r->failed || !r->ended || r->facts.failed || !is_well(r->ctx))
        return;
    struct tk_kept_bytes *out = &r->ctx->known->made[TK_KEPT_SCOPES];
    tk_kept_release(out);
    tk_kept_put(out, r->mask);
    tk_kept_put(out, r->numbers);
    tk_kept_put(out, r->n_facts);
    tk_kept_put_bytes(out, r->facts.bytes.v, r->facts.bytes.n);
    tk_kept_put_bytes(out, r->points.bytes.v, r->points.bytes.n);
    if (out->failed || out->bytes.n > r->ctx->known->most)
        tk_kept_release(out);
}

void tk_scope_recorder_release(struct tk_scope_recorder *r)
{
    for (size_t i = 0; i < r->lanes.n; i++)
        tk_vec_release(&r->lanes.v[i].open);
    tk_vec_release(&r->now.open);
    tk_vec_release(&r->lanes);
    tk_vec_release(&r->changed);
    tk_kept_release(&r->facts);
    tk_kept_release(&r->points);
    tk_kept_release(&r->lane_bytes);
    *r = (struct tk_scope_recorder){0};
}
