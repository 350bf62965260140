/*
 * The preset `tracy`: its tables, options and versions. It calls the file of each table.
 */
#include "base/err.h"
#include "engine/run.h"
#include "presets/presets_in.h"
#include "query/select.h"

#include <string.h>

enum { ZONES, GPU, MESSAGES, PLOTS, TABLES };

static const char *const tables[] = {
    [ZONES] = "zones", [GPU] = "gpu", [MESSAGES] = "messages", [PLOTS] = "plots", NULL};

/* The tables requested as bits. */
static int requested_tables(const struct tk_query *query, unsigned *out, struct tk_err *err)
{
    unsigned requested = query->n_tables ? 0 : 1u << ZONES;
    for (size_t i = 0; i < query->n_tables; i++) {
        size_t k = 0;
        while (tables[k] && strcmp(tables[k], query->tables[i]) != 0)
            k++;
        if (!tables[k])
            return tk_err_set(err, TK_EMATCH,
                              "the preset has no table '%s'; it has zones, gpu, messages and plots",
                              query->tables[i]);
        requested |= 1u << k;
    }
    *out = requested;
    if (requested & (requested - 1) && requested != (1u << ZONES | 1u << PLOTS))
        return tk_err_set(err, TK_EUSAGE, "of the preset's tables only zones and plots go to one file");
    return TK_OK;
}

static int write_tables(struct tk_csvexport *x, struct tk_csvexport *other, unsigned requested,
                        struct tk_err *err)
{
    (void)other;
    if (requested == 1u << GPU)
        return tk_csvexport_write_gpu(x, err);
    if (requested == 1u << MESSAGES)
        return tk_csvexport_write_messages(x, err);
    if (!x->opt->unwrap && !(requested & 1u << PLOTS))
        return tk_csvexport_write_sums(x, err);
    if (requested & 1u << ZONES && !x->opt->unwrap)
        return tk_err_set(err, TK_EUSAGE, "plots can only follow single zones (--unwrap)");
    x->no_zones = !(requested & 1u << ZONES);
    int rc = tk_csvexport_write_zones(x, err);
    return rc == TK_OK && requested & 1u << PLOTS ? tk_csvexport_write_plots(x, err) : rc;
}

/* What the other tool has no option for, and a file as it writes it could not tell. */
static int check_whole(const struct tk_query *query, struct tk_err *err)
{
    const struct tk_selection *select = &query->select;
    if (tk_selection_has_times(select) || select->n_threads || select->n_timers || query->n_columns)
        return tk_err_set(err, TK_EUSAGE,
                          "this preset writes whole captures in columns of its own; zones are chosen by "
                          "'--filter' alone");
    return TK_OK;
}

/* Begins with the options of a job. To be released in any case. */
static int begin_csvexport(struct tk_csvexport *x, const struct tk_preset_job *job,
                           struct tk_export_zones *opt, struct tk_err *err)
{
    const struct tk_export_zones *given = job->options->zones;
    x->job = job;
    x->opt = opt;
    int rc = check_whole(job->query, err);
    if (rc == TK_OK)
        rc = tk_struct_size_take(opt, sizeof *opt, given, "the options of zones", err);
    if (rc < 0)
        return rc;
    opt->separator = opt->separator ? opt->separator : ",";
    x->n_separator = strlen(opt->separator);
    if (opt->truncated_mean > 99)
        return tk_err_set(err, TK_EUSAGE, "the percentile of the truncated mean is 1 to 99");
    return tk_dict_init(&x->dict, &job->ctx->limits, err);
}

/* Calls write with the output open. */
static int write_file_csvexport(struct tk_csvexport *x, struct tk_csvexport *other, unsigned requested,
                                int (*write)(struct tk_csvexport *x, struct tk_csvexport *other,
                                             unsigned requested, struct tk_err *err),
                                struct tk_err *err)
{
    const struct tk_export_options *opt = x->job->options;
    struct tk_output *output;
    int rc = tk_output_open(&output, opt->path, opt->force, err);
    if (rc < 0)
        return rc;
    tk_output_stop(output, tk_run_stopped, x->job->ctx);
    rc = tk_buffer_init(&x->out, output, err);
    if (rc == TK_OK)
        rc = write(x, other, requested, err);
    if (rc == TK_OK)
        rc = tk_buffer_flush(&x->out);
    tk_buffer_release(&x->out);
    if (rc == TK_OK)
        return tk_output_commit(output, err);
    tk_output_discard(output);
    return rc;
}

static int run_csvexport(const struct tk_preset_job *job, const struct tk_tracy_layout_of *layout,
                         struct tk_err *err)
{
    struct tk_export_zones opt = {0};
    struct tk_csvexport x = {.layout = layout};
    unsigned requested = 0;
    int rc = requested_tables(job->query, &requested, err);
    if (rc == TK_OK)
        rc = begin_csvexport(&x, job, &opt, err);
    if (rc == TK_OK)
        rc = write_file_csvexport(&x, NULL, requested, write_tables, err);
    tk_dict_release(&x.dict);
    return rc;
}

/* ---- two captures ---- */

static int write_pair(struct tk_csvexport *x, struct tk_csvexport *other, unsigned frames, struct tk_err *err)
{
    return tk_csvexport_write_pair(x, other, frames, err);
}

static int compare_csvexport(const struct tk_preset_job *job, const struct tk_preset_job *other,
                             struct tk_err *err)
{
    static const struct tk_tracy_layout_of layout = {.guards = true};
    struct tk_export_zones opt[2] = {{0}};
    struct tk_csvexport x[2] = {{.layout = &layout}, {.layout = &layout}};
    bool frames = job->query->n_tables == 1 && strcmp(job->query->tables[0], "frames") == 0;
    if (job->query->n_tables > 1 ||
        (job->query->n_tables && !frames && strcmp(job->query->tables[0], "zones") != 0))
        return tk_err_set(err, TK_EMATCH, "the preset compares zones or frames");
    int rc = begin_csvexport(&x[0], job, &opt[0], err);
    if (rc == TK_OK)
        rc = begin_csvexport(&x[1], other, &opt[1], err);
    if (rc == TK_OK)
        rc = write_file_csvexport(&x[0], &x[1], frames, write_pair, err);
    tk_dict_release(&x[0].dict);
    tk_dict_release(&x[1].dict);
    return rc;
}

/* ---- versions ---- */

static int run_newest(const struct tk_preset_job *job, struct tk_err *err)
{
    static const struct tk_tracy_layout_of layout = {.thread = true, .value = true, .guards = true};
    return run_csvexport(job, &layout, err);
}

static int run_0_10(const struct tk_preset_job *job, struct tk_err *err)
{
    static const struct tk_tracy_layout_of layout = {.thread = true, .guards = true};
    return run_csvexport(job, &layout, err);
}

static int run_0_9(const struct tk_preset_job *job, struct tk_err *err)
{
    static const struct tk_tracy_layout_of layout = {0};
    return run_csvexport(job, &layout, err);
}

const struct tk_preset tk_preset_tracy = {
    {"tracy", "as Tracy's csvexport since 0.12: zones (single ones with --unwrap), gpu, messages, plots",
     tables},
    run_newest,
    compare_csvexport};
const struct tk_preset tk_preset_tracy_0_10 = {
    {"tracy-0.10", "as that of 0.10 and 0.11: single zones without their values", tables},
    run_0_10,
    compare_csvexport};
const struct tk_preset tk_preset_tracy_0_9 = {
    {"tracy-0.9", "as that of 0.8 and 0.9: single zones without threads and values", tables},
    run_0_9,
    compare_csvexport};
