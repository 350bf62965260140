/*
 * Opening a .utrace: header, packet index, index pass; and readings of it.
 */
#include "base/wrap.h"
#include "fact/kept.h"
#include "format/utrace/families/threads/gpu_clock.h"
#include "format/utrace/reading/reading_common.h"
#include "format/utrace/reading/reading_in.h"
#include "format/utrace/scopes/timer_ids.h"
#include "format/utrace/wire/index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Types are declared before their first event. */
static bool capture_may_have(const struct tk_capture *base, uint64_t facts)
{
    const struct tk_ut_capture *c = (const struct tk_ut_capture *)base;
    for (size_t f = 0; tk_ut_families[f]; f++) {
        const struct tk_ut_family *family = tk_ut_families[f];
        for (size_t i = 0; i < c->schema.types.n && family->facts & facts; i++)
            for (size_t b = 0; family->binds[b].event; b++)
                if (tk_ut_bind_concerns(&family->binds[b], c->schema.types.v[i]))
                    return true;
    }
    return false;
}

/* As work of a queue may be (events 10). */
static bool known_by_several(const struct tk_capture *base, const struct tk_request *request)
{
    const uint64_t gpu = request->facts & TK_FACT_MASK(GPU_SCOPES);
    return gpu && capture_may_have(base, gpu);
}

static int capture_read(struct tk_capture *base, const struct tk_request *request, struct tk_source **out,
                        struct tk_err *err)
{
    struct tk_ut_capture *c = (struct tk_ut_capture *)base;
    int rc = tk_ut_references_learn(c, request, err);
    if (rc < 0)
        return rc;
    if (request->ends)
        rc = tk_ut_source_ends(c, request, out, err);
    else if (request->order == TK_ORDER_SERIAL || known_by_several(base, request))
        rc = tk_ut_source_serial(c, request, out, err);
    else
        rc = tk_ut_source_file(c, request, out, err);
    return rc >= 0 && base->parts > 1 ? tk_ut_source_parts(c, out, err) : rc;
}

static bool capture_truncated(const struct tk_capture *base)
{
    return ((const struct tk_ut_capture *)base)->index.truncated;
}

static bool capture_empty(const struct tk_capture *base)
{
    const struct tk_ut_capture *c = (const struct tk_ut_capture *)base;
    return c->index.n == 0;
}

/* Where a reading went through all of it. Scopes are of no use without the timers that they refer to. */
static void keep_known(const struct tk_ut_capture *c)
{
    struct tk_kept *known = c->ctx->known;
    if (!known || !known->makes || !c->ctx->read)
        return;
    if (!known->has[TK_KEPT_PACKETS].n && c->walked_well)
        tk_ut_kept_packets_make(&c->index, c->ctx, c->walked);
    struct tk_kept_bytes *instances = &known->made[TK_KEPT_INSTANCES];
    if (!known->made[TK_KEPT_SCOPES].bytes.n)
        return;
    known->spoilt = !tk_ut_known_timers_keep(c, instances) || instances->bytes.n > known->most;
}

static void capture_close(struct tk_capture *base)
{
    struct tk_ut_capture *c = (struct tk_ut_capture *)base;
    keep_known(c);
    for (size_t i = 0; c->states && tk_ut_families[i]; i++) {
        if (c->states[i] && tk_ut_families[i]->release)
            tk_ut_families[i]->release(c->states[i]);
        free(c->states[i]);
    }
    free(c->states);
    tk_ut_ahead_close(c);
    tk_ut_timers_free(c->timers);
    tk_ut_index_release(&c->index);
    tk_ut_schema_release(&c->schema);
    tk_vec_release(&c->definitions);
    tk_vec_release(&c->edits);
    tk_ut_references_release(&c->references);
    tk_intern_release(&c->strings);
    tk_arena_release(&c->arena);
    free(c);
}

static const struct tk_capture_ops ops = {capture_read,      tk_ut_describe, capture_may_have,
                                          capture_truncated, capture_empty,  capture_close};

static int make_states(struct tk_ut_capture *c)
{
    c->states = calloc(tk_ut_family_count() + 1, sizeof *c->states);
    c->timers = tk_ut_timers_new();
    if (!c->states || !c->timers)
        return TK_ENOMEM;
    for (size_t i = 0; tk_ut_families[i]; i++)
        if (!(c->states[i] = calloc(1, tk_ut_families[i]->state + 1)))
            return TK_ENOMEM;
    return TK_OK;
}

static int read_header(struct tk_ut_capture *c, struct tk_err *err)
{
    uint8_t *p = malloc(TK_UT_HEADER_MAX);
    size_t got = 0;
    if (!p)
        return tk_err_nomem(err, "the header");
    int rc = tk_file_read(c->ctx->file, 0, p, TK_UT_HEADER_MAX, &got, err);
    if (rc == TK_OK)
        rc = tk_ut_header_parse(&c->header, p, got, &c->ctx->health, err);
    free(p);
    return rc;
}

static const struct tk_ut_describer describer = {tk_ut_record_value, tk_ut_family_of};

/* What edits that cut left, all of them together. */
static void find_kept(struct tk_ut_capture *c)
{
    struct tk_kept_part *kept = &c->ctx->kept;
    *kept = (struct tk_kept_part){false, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < c->edits.n; i++) {
        const int64_t from = (int64_t)(c->edits.v[i].from - c->clock.start),
                      to = (int64_t)(c->edits.v[i].to - c->clock.start);
        if (c->edits.v[i].from && from > kept->from)
            kept->from = from;
        if (c->edits.v[i].to != UINT64_MAX && to < kept->to)
            kept->to = to;
        kept->cut |= c->edits.v[i].from || c->edits.v[i].to != UINT64_MAX;
    }
    kept->cut &= kept->from < kept->to;
    kept->from = tk_saturate_times(kept->from, c->base.parts);
    kept->to = tk_saturate_times(kept->to, c->base.parts);
}

int tk_ut_capture_open(struct tk_context *ctx, struct tk_capture **out, struct tk_err *err)
{
    struct tk_ut_capture *c = calloc(1, sizeof *c);
    if (!c)
        return tk_err_nomem(err, "the capture");
    c->base.ops = &ops;
    c->ctx = ctx;
    c->read_ahead = tk_ut_ahead_read;
    tk_ut_references_init(&c->references, &c->schema);
    tk_intern_bound(&c->strings, ctx->limits.strings, &tk_beyond_limit);
    c->clock.epoch = (double)NAN;
    int rc = make_states(c) == TK_OK ? TK_OK : tk_err_nomem(err, "the capture");
    if (rc == TK_OK)
        rc = read_header(c, err);
    if (rc == TK_OK)
        rc = tk_ut_schema_init(&c->schema, c->header.protocol, &c->strings, &ctx->health, &ctx->limits,
                               &describer, err);
    if (rc == TK_OK && !tk_ut_kept_packets_load(&c->index, ctx, &c->header))
        rc = tk_ut_index_build(&c->index, ctx, &c->header, err);
    memcpy(c->walked, ctx->health.ledger, sizeof c->walked);
    c->walked_well = !ctx->health.n_items && !ctx->health.lost;
    if (rc == TK_OK)
        rc = tk_ut_index_pass(c, err);
    c->base.parts = tk_ut_gpu_clock_parts(c);
    find_kept(c);
    c->opened.definitions = c->definitions.n;
    c->opened.timers = c->timers ? c->timers->timers.n : 0;
    c->opened.instances = c->timers ? c->timers->n_instances : 0;
    if (rc != TK_OK) {
        capture_close(&c->base);
        return rc;
    }
    *out = &c->base;
    return TK_OK;
}

const struct tk_format tk_format_utrace = {
    .name = "utrace",
    .help = "Unreal Engine trace",
    .probe = tk_ut_header_probe,
    .explain = tk_ut_header_explain,
    .open = tk_ut_capture_open,
    .tables = tk_ut_tables,
    .row_tables = tk_ut_row_tables,
    .hints = {
        [TK_HINT_FRAMES] = "Unreal records them with the channel 'frame' on",
        [TK_HINT_REGIONS] = "Unreal records them with the channel 'region' on",
        [TK_HINT_SCOPE_TEXTS] = "Unreal records metadata of scopes from 5.6 on",
        [TK_HINT_CPU] = "Unreal records them with the channel 'cpu' on",
        [TK_HINT_GPU] = "Unreal records them with the channel 'gpu' on",
        [TK_HINT_WAITS] = "Unreal records them with the channels 'task' and 'contextswitch' on",
        [TK_HINT_SWITCHES] =
            "Unreal records them with the channel 'contextswitch' on, on Windows as administrator",
        [TK_HINT_MEMORY] = "Unreal records them with the option -trace=memory from the start on",
        [TK_HINT_CALLSTACKS] =
            "Unreal records them with -trace=memory, which switches the channel 'callstack' on",
        [TK_HINT_LOADING] = "Unreal records them with the channels 'loadtime' and 'file' on",
        [TK_HINT_NETWORK] = "Unreal records them with the channel 'net' on and the option -NetTrace=1",
        [TK_HINT_SAMPLES] =
            "Unreal records them with the channel 'stacksampling' on, on Windows as administrator",
        [TK_HINT_MODULES] = "Unreal records modules with the channel 'module' on",
        [TK_HINT_SYMBOLS] = "Unreal records modules alone: names are in the symbols of the build",
        [TK_HINT_COUNTERS] = "Unreal records them with the channels 'counters', 'stats' and 'csvprofiler' on",
        [TK_HINT_LOG] = "Unreal records them with the channel 'log' on",
    }};
