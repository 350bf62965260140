/*
 * Decoding of collected batches (scope_collect.h): in pieces by the pool's workers, then what needs the order
 * of the file.
 */
#include "format/utrace/scopes/batch_times.h"
#include "format/utrace/scopes/timer_ids.h"

#include <string.h>

static void decode_piece(void *ctx, size_t i, unsigned worker)
{
    struct tk_ut_batch *out = ctx;
    (void)worker;
    out->chunks.v[i]->failed = tk_cpu_decode(&out->chunks.v[i]->cpu) != 0;
}

static int set_up_chunks(struct tk_ut_feed *feed, struct tk_ut_batch *out)
{
    const struct tk_ut_capture *capture = feed->capture;
    struct tk_ut_timers *timers = feed->capture->timers;
    uint32_t coroutine = 0, frame = 0;
    for (size_t i = 0; i < out->n_chunks; i++) {
        struct tk_cpu_chunk *c = &out->chunks.v[i]->cpu;
        if (c->form >= 2 && tk_ut_timer_coroutine(feed, &coroutine, &frame) != TK_OK)
            return TK_ENOMEM;
        c->bytes = out->chunks.v[i]->bytes;
        memset(out->chunks.v[i]->bytes + out->chunks.v[i]->n_bytes, 0, TK_CPU_PADDING);
        c->sizes = out->chunks.v[i]->sizes.v;
        c->n_batches = (uint32_t)out->chunks.v[i]->sizes.n;
        c->start_cycle = capture->clock.start;
        c->spec_timer = timers->by_spec;
        c->n_specs = (uint32_t)timers->n_specs;
        c->coroutine_timer = coroutine;
        c->frame_timer = frame;
        c->max_depth = (uint32_t)capture->ctx->limits.open_scopes;
    }
    return TK_OK;
}

/* The column of texts of a chunk, all NULL. */
static int make_texts(struct tk_ut_chunk *c)
{
    if (!c->has_text && tk_vec_grow((void **)&c->text, &c->cap_text, c->cpu.n, sizeof *c->text))
        return TK_ENOMEM;
    if (!c->has_text)
        memset(c->text, 0, c->cpu.n * sizeof *c->text);
    c->has_text = true;
    return TK_OK;
}

static int fix_text(struct tk_ut_feed *feed, struct tk_ut_chunk *c, const struct tk_cpu_fixup *f)
{
    if (f->kind != TK_CPU_FIX_METADATA || !tk_ut_asked(feed, TK_FACT_MASK(SCOPE_TEXT)))
        return TK_OK;
    int rc = make_texts(c);
    return rc == TK_OK ? tk_ut_scope_text_of(feed, f->raw, &c->text[f->at]) : rc;
}

/* Sets the ops that the decoder left open, in the order of the file, so that ids come out the same for all
 * jobs. */
static int fix_chunk(struct tk_ut_feed *feed, struct tk_ut_chunk *c)
{
    c->has_text = false;
    for (size_t i = 0; i < c->cpu.n_fixups; i++) {
        const struct tk_cpu_fixup *f = &c->cpu.fixups[i];
        uint32_t timer;
        int rc = f->kind == TK_CPU_FIX_METADATA ? tk_ut_timer_of_instance(feed, f->raw, &timer)
                                                : tk_ut_timer_of_spec(feed, f->raw, &timer);
        if (rc != TK_OK)
            return rc;
        c->cpu.op[f->at] = timer;
        if (fix_text(feed, c, f) != TK_OK)
            return TK_ENOMEM;
    }
    for (size_t i = 0; i < c->cpu.n_faults; i++) {
        uint64_t offset = c->offsets.v[c->cpu.faults[i].batch];
        if (offset != TK_NO_OFFSET)
            tk_health_note(&feed->out->health, TK_HEALTH_PAYLOAD_DAMAGED, offset, 1,
                           "a batch of scopes of thread %u: %s", c->thread, c->cpu.faults[i].what);
    }
    return TK_OK;
}

int tk_ut_scopes_decode(struct tk_ut_feed *feed, bool last)
{
    int rc = set_up_chunks(feed, feed->out);
    if (rc != TK_OK)
        return rc;
    tk_pool_run(feed->capture->ctx->pool, decode_piece, feed->out, feed->out->n_chunks);
    for (size_t i = 0; i < feed->out->n_chunks && rc == TK_OK; i++)
        rc = feed->out->chunks.v[i]->failed ? TK_ENOMEM : TK_OK;
    if (rc == TK_OK)
        rc = tk_ut_batch_times_check(feed, last);
    if (last && rc == TK_OK)
        tk_ut_stamps_end(feed);
    for (size_t i = 0; i < feed->out->n_chunks && rc == TK_OK; i++)
        rc = fix_chunk(feed, feed->out->chunks.v[i]);
    return rc;
}
