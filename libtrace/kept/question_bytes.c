/*
 * Questions as bytes: see question_bytes.h. A field that is added to struct tk_query has to be added here;
 * its size is among the bytes, so that none is found by another one's.
 */
#include "kept/question_bytes.h"

#include "base/checksum.h"
#include "kept/health_bytes.h"

#include <string.h>

static void put_text(struct tk_kept_bytes *out, const char *text)
{
    tk_kept_put(out, text ? strlen(text) + 1 : 0);
    if (text)
        tk_kept_put_bytes(out, text, strlen(text));
}

static void put_texts(struct tk_kept_bytes *out, const char *const *texts, size_t n)
{
    tk_kept_put(out, n);
    for (size_t i = 0; i < n; i++)
        put_text(out, texts[i]);
}

static void put_real(struct tk_kept_bytes *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    tk_kept_put(out, bits);
}

static void put_times(struct tk_kept_bytes *out, const struct tk_selection *s)
{
    tk_kept_put(out, s->has_from);
    tk_kept_put_signed(out, s->from_ns);
    tk_kept_put(out, s->has_to);
    tk_kept_put_signed(out, s->to_ns);
    tk_kept_put(out, s->has_frames);
    tk_kept_put(out, s->first_frame);
    tk_kept_put(out, s->last_frame);
    put_text(out, s->frame_list);
    put_text(out, s->from_bookmark);
    put_text(out, s->to_bookmark);
}

static void put_selection(struct tk_kept_bytes *out, const struct tk_selection *s)
{
    put_times(out, s);
    put_texts(out, s->regions, s->n_regions);
    put_texts(out, s->threads, s->n_threads);
    put_texts(out, s->timers, s->n_timers);
    put_texts(out, s->events, s->n_events);
    tk_kept_put(out, s->unmatched);
    tk_kept_put(out, s->n_thread_ids);
    for (size_t i = 0; i < s->n_thread_ids; i++)
        tk_kept_put(out, s->thread_ids[i]);
}

static void put_memory(struct tk_kept_bytes *out, const struct tk_memory_query *m)
{
    tk_kept_put(out, m->has_at);
    tk_kept_put(out, m->has_window);
    tk_kept_put_signed(out, m->at_ns);
    tk_kept_put_signed(out, m->from_ns);
    tk_kept_put_signed(out, m->to_ns);
}

static void put_tree(struct tk_kept_bytes *out, const struct tk_tree_query *t)
{
    put_text(out, t->callers);
    put_text(out, t->callees);
    tk_kept_put(out, t->depth);
    put_real(out, t->min_share);
}

static void put_hitches(struct tk_kept_bytes *out, const struct tk_query *q)
{
    tk_kept_put_signed(out, q->hitches.budget_ns);
    put_real(out, q->hitches.times);
    tk_kept_put(out, q->hitches.reasons);
    tk_kept_put(out, q->top_hitches);
    tk_kept_put(out, q->worst_first);
}

static void put_query(struct tk_kept_bytes *out, const struct tk_query *q)
{
    tk_kept_put(out, sizeof *q);
    put_texts(out, q->tables, q->n_tables);
    put_texts(out, q->columns, q->n_columns);
    tk_kept_put(out, (uint64_t)q->unit);
    tk_kept_put(out, q->by);
    tk_kept_put(out, (uint64_t)q->order);
    put_selection(out, &q->select);
    put_memory(out, &q->memory);
    tk_kept_put(out, q->clip);
    tk_kept_put(out, q->mixed);
    put_tree(out, &q->tree);
    put_hitches(out, q);
    put_text(out, q->histogram);
    put_texts(out, q->per_frame, q->n_per_frame);
    tk_kept_put(out, q->slowest);
    put_text(out, q->work);
    tk_kept_put(out, q->in_passing);
    put_texts(out, q->where, q->n_where);
    put_text(out, q->allocators);
    put_text(out, q->source_of);
}

/* Faults can be many: two checksums stand for them. */
static void put_state(struct tk_kept_bytes *out, const struct tk_context *ctx)
{
    struct tk_kept_bytes health = {.failed = false};
    tk_kept_health_put(&health, &ctx->health);
    tk_kept_put(out, health.bytes.n);
    for (uint64_t seed = 0; seed < 2; seed++)
        tk_kept_put(out, health.bytes.n ? tk_checksum(health.bytes.v, health.bytes.n, seed) : 0);
    out->failed |= health.failed;
    tk_kept_release(&health);
    tk_kept_put(out, ctx->read);
    tk_kept_put(out, ctx->options && ctx->options->strict);
    tk_kept_put(out, ctx->symbolizer != NULL);
}

void tk_kept_question_put(struct tk_kept_bytes *out, const struct tk_context *ctx,
                          const struct tk_query *query)
{
    put_query(out, query);
    put_state(out, ctx);
}
