/*
 * Opens, fills and closes the output file of a profile. export_stacks.c feeds it; folded.c and pprof.c are
 * its formats.
 */
#include "sink/timelines/stack_writer.h"

#include "base/err.h"
#include "io/output.h"

#define SMALL (UINT64_C(64) << 20) /* bytes of a file that stacks may fill whatever the capture is */

struct tk_stack_bounds tk_stack_bounds_of(const struct tk_limits *limits, uint64_t capture)
{
    const uint64_t ratio = limits->stacks_ratio;
    const uint64_t grown = ratio && capture > UINT64_MAX / ratio ? UINT64_MAX : ratio * capture,
                   by_ratio = grown > SMALL ? grown : SMALL, most = limits->stacks_bytes;
    return (struct tk_stack_bounds){
        .name_bytes = limits->stack_name_bytes < SIZE_MAX ? (size_t)limits->stack_name_bytes : SIZE_MAX,
        .bytes = by_ratio < most ? by_ratio : most,
        .by = by_ratio < most ? TK_LIMIT_stacks_ratio : TK_LIMIT_stacks_bytes};
}

bool tk_stack_writer_has_room(struct tk_stack_writer *p)
{
    const bool room = p->out.flushed + p->out.n < p->bounds->bytes;
    p->bounds->left_out += !room;
    return room;
}

static int status_of(const struct tk_stack_writer *p, struct tk_err *err)
{
    return p->out.status == TK_ENOMEM ? tk_err_nomem(err, "a profile") : p->out.status;
}

static int write_all(const struct tk_stack_writer_format *format, struct tk_stack_writer p,
                     struct tk_output *output, struct tk_err *err)
{
    int rc = tk_buffer_init(&p.out, output, err) || tk_buffer_init_scratch(&p.part, &p.out) ||
                     tk_buffer_init_scratch(&p.inner, &p.out) || tk_buffer_init_scratch(&p.clean, &p.out)
                 ? tk_err_nomem(err, "a profile")
                 : TK_OK;
    if (rc == TK_OK) {
        format->write(&p);
        tk_buffer_flush(&p.out);
        rc = status_of(&p, err);
    }
    tk_buffer_release(&p.out);
    tk_buffer_release(&p.part);
    tk_buffer_release(&p.inner);
    tk_buffer_release(&p.clean);
    return rc;
}

int tk_stack_writer_open(struct tk_output **output, const struct tk_stack_writer_format *format,
                         const char *path, bool force, struct tk_err *err)
{
    const enum tk_compressing asked = tk_compressing_of(path),
                              packing = format->packing ? format->packing : asked;
    if (asked != TK_PACKING_NONE && asked != packing)
        return tk_err_set(err, TK_EUSAGE, "'%s': a file of this format is always compressed with gzip", path);
    return tk_output_open_packed(output, path, force, packing, err);
}

static int write_file(const struct tk_stack_writer_format *format, const struct tk_stack_writer *p,
                      struct tk_output *output, struct tk_err *err)
{
    int rc = write_all(format, *p, output, err);
    if (rc == TK_OK)
        return tk_output_commit(output, err);
    tk_output_discard(output);
    return rc;
}

int tk_stack_writer_write(struct tk_output *output, const struct tk_stack_writer_format *format,
                          const struct tk_stacks *stacks, enum tk_stack_weight weight,
                          struct tk_stack_bounds *bounds, struct tk_err *err)
{
    const struct tk_stack_writer p = {.stacks = stacks, .weight = weight, .bounds = bounds};
    return write_file(format, &p, output, err);
}

int tk_stack_writer_write_samples(struct tk_output *output, const struct tk_stack_writer_format *format,
                                  const struct tk_sampled *sampled, bool threads,
                                  struct tk_stack_bounds *bounds, struct tk_err *err)
{
    const struct tk_stack_writer p = {
        .sampled = sampled, .threads = threads, .weight = TK_WEIGHT_SAMPLES, .bounds = bounds};
    return write_file(format, &p, output, err);
}
