/*
 * Exports stacks: the call tree of the scopes and allocations by callstack, or samples. It feeds the sink of
 * stack_writer.h.
 */
#include "api/trace.h"
#include "base/err.h"
#include "engine/run.h"
#include "export/export_in.h"
#include "io/file.h"
#include "model/samples/sample_record.h"
#include "model/timeline/timeline_items.h"
#include "sink/timelines/stack_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int find_weight(const char *name, enum tk_stack_weight *out, struct tk_err *err)
{
    static const char *const names[] = {"time", "count", "bytes", "samples"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!name || strcmp(names[i], name) == 0) {
            *out = (enum tk_stack_weight)i;
            return TK_OK;
        }
    return tk_err_set(err, TK_EUSAGE, "there is no weight '%s'; there are time, count, bytes and samples",
                      name);
}

/* Can the capture tell what was allocated? */
static bool has_allocations(const struct tk_export *e)
{
    return tk_has_table(e->trace, "memory") && tk_has_table(e->trace, "callstacks");
}

/* What was allocated is known by callstack alone. */
static int check_bytes(const struct tk_export *e, struct tk_err *err)
{
    if (e->options->per_thread)
        return tk_err_set(err, TK_EUSAGE, "allocated bytes are not known by thread");
    return e->query->select.n_timers ? tk_err_set(err, TK_EUSAGE, "allocated bytes have no timers") : TK_OK;
}

/* Scopes where the weight is of them, and the rows that are left out. */
static int read_scopes(const struct tk_export *e, bool scopes, enum tk_stack_roots roots,
                       struct tk_stacks *stacks, struct tk_left *left, struct tk_err *err)
{
    struct tk_stacks_request request = {.stacks = stacks, .roots = roots};
    const struct tk_builder builder = tk_stacks_builder(&request), *const builders[] = {&builder};
    const struct tk_sink nowhere = {0};
    struct tk_query query = *e->query;
    query.unit = TK_UNIT_NS;
    query.n_columns = query.n_tables = 0;
    return tk_left_run(left, e, builders, scopes, &query, &nowhere, err);
}

static int read_samples(const struct tk_export *e, struct tk_stacks *stacks, struct tk_err *err)
{
    struct tk_sample_profile_request request = {.stacks = stacks, .per_thread = e->options->per_thread};
    const struct tk_builder builder = tk_sample_profile_builder(&request), *const builders[] = {&builder};
    const struct tk_sink nowhere = {0};
    struct tk_query query = *e->query;
    query.n_columns = query.n_tables = 0;
    return tk_run(&e->trace->ctx, e->trace->capture, builders, 1, &query, &nowhere, err);
}

/* Flame graphs begin with threads and queues; who shows all weights has stacks of functions. */
static enum tk_stack_roots roots_of(const struct tk_export *e, bool all_weights)
{
    return e->options->per_thread ? TK_ROOTS_THREADS : all_weights ? TK_ROOTS_SCOPES : TK_ROOTS_NAMES;
}

static int fill_stacks(const struct tk_export *e, enum tk_stack_weight weight, bool all_weights,
                       struct tk_stacks *stacks, struct tk_left *left, struct tk_err *err)
{
    const bool bytes = all_weights || weight == TK_WEIGHT_BYTES;
    if (weight == TK_WEIGHT_SAMPLES)
        return read_samples(e, stacks, err);
    int rc = read_scopes(e, weight != TK_WEIGHT_BYTES, roots_of(e, all_weights), stacks, left, err);
    if (rc == TK_OK && bytes && has_allocations(e))
        rc = tk_export_allocations(e, stacks, err);
    return rc;
}

/* What was left out for a limit. */
static void tell_limits(struct tk_health *health, const struct tk_stack_bounds *bounds)
{
    if (bounds->cut)
        tk_health_limit(health, TK_LIMIT_stack_name_bytes, TK_NO_OFFSET, bounds->cut,
                        "%" PRIu64 " names in stacks are cut", bounds->cut);
    if (bounds->left_out)
        tk_health_limit(health, bounds->by, TK_NO_OFFSET, bounds->left_out,
                        "%" PRIu64 " stacks are left out: the export has %" PRIu64 " bytes of others",
                        bounds->left_out, bounds->bytes);
}

static int write_bounded(const struct tk_export *e, struct tk_output *output,
                         const struct tk_stack_writer_format *format, const struct tk_stacks *stacks,
                         enum tk_stack_weight weight, struct tk_err *err)
{
    struct tk_context *ctx = &e->trace->ctx;
    struct tk_stack_bounds bounds = tk_stack_bounds_of(&ctx->limits, tk_file_stored_size(ctx->file));
    tk_output_stop(output, tk_run_stopped, ctx);
    if (e->options->escape && format->packing == TK_PACKING_NONE)
        tk_output_escape(output);
    int rc = tk_stack_writer_write(output, format, stacks, weight, &bounds, err);
    if (rc == TK_OK)
        tell_limits(&ctx->health, &bounds);
    return rc;
}

/* ---- samples and allocations with their addresses ---- */

static int record_samples(const struct tk_export *e, struct tk_sampled *sampled, struct tk_err *err)
{
    struct tk_sample_record_request request = {.sampled = sampled};
    const struct tk_builder builder = tk_sample_record_builder(&request), *const builders[] = {&builder};
    const struct tk_sink nowhere = {0};
    struct tk_query query = *e->query;
    query.n_columns = query.n_tables = 0;
    return tk_run(&e->trace->ctx, e->trace->capture, builders, 1, &query, &nowhere, err);
}

typedef int fill_fn(const struct tk_export *e, struct tk_sampled *sampled, struct tk_err *err);

static int write_addresses(const struct tk_export *e, const struct tk_stack_writer_format *format,
                           fill_fn *fill, struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    struct tk_context *ctx = &e->trace->ctx;
    struct tk_stack_bounds bounds = tk_stack_bounds_of(&ctx->limits, tk_file_stored_size(ctx->file));
    struct tk_sampled sampled = {.period = 0};
    struct tk_output *output = NULL;
    int rc = tk_export_refuse_order(e, format->name, err);
    if (rc == TK_OK)
        rc = tk_stack_writer_open(&output, format, opt->path, opt->force, err);
    if (rc < 0)
        return rc;
    rc = fill(e, &sampled, err);
    if (rc == TK_OK) {
        tk_output_stop(output, tk_run_stopped, ctx);
        rc = tk_stack_writer_write_samples(output, format, &sampled, opt->per_thread, &bounds, err);
    } else {
        tk_output_discard(output);
    }
    if (rc == TK_OK)
        tell_limits(&ctx->health, &bounds);
    tk_sampled_release(&sampled);
    return rc;
}

static int write_stacks(const struct tk_export *e, const struct tk_stack_writer_format *format,
                        struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    enum tk_stack_weight weight = TK_WEIGHT_TIME;
    struct tk_stacks stacks = {0};
    struct tk_output *output = NULL;
    struct tk_left left;
    int rc = tk_export_refuse_order(e, format->name, err);
    if (rc == TK_OK)
        rc = find_weight(opt->weight, &weight, err);
    if (rc == TK_OK && weight == TK_WEIGHT_BYTES)
        rc = check_bytes(e, err);
    if (rc == TK_OK)
        rc = tk_stack_writer_open(&output, format, opt->path, opt->force, err);
    if (rc < 0)
        return rc;
    const bool bytes = format->all_weights || weight == TK_WEIGHT_BYTES;
    rc = tk_left_init(&left, e, bytes ? TK_HOLDS_BYTES : 0, err);
    if (rc == TK_OK)
        rc = fill_stacks(e, weight, format->all_weights, &stacks, &left, err);
    if (rc == TK_OK)
        rc = write_bounded(e, output, format, &stacks, weight, err);
    else
        tk_output_discard(output);
    tk_stacks_release(&stacks);
    if (rc == TK_OK && weight != TK_WEIGHT_SAMPLES)
        tk_left_tell(&left, e);
    tk_left_release(&left);
    return rc;
}

int tk_export_folded(const struct tk_export *e, struct tk_err *err)
{
    return write_stacks(e, &tk_folded_format, err);
}

int tk_export_pprof(const struct tk_export *e, struct tk_err *err)
{
    const char *weight = e->options->weight ? e->options->weight : "";
    if (strcmp(weight, "samples") == 0)
        return write_addresses(e, &tk_pprof_samples_format, record_samples, err);
    if (strcmp(weight, "bytes") != 0)
        return write_stacks(e, &tk_pprof_format, err);
    const int rc = check_bytes(e, err);
    if (rc != TK_OK || !has_allocations(e))
        return rc != TK_OK ? rc : write_stacks(e, &tk_pprof_format, err);
    return write_addresses(e, &tk_pprof_samples_format, tk_export_allocated_addresses, err);
}

int tk_export_flamegraph(const struct tk_export *e, struct tk_err *err)
{
    return write_stacks(e, &tk_flame_graph_format, err);
}
