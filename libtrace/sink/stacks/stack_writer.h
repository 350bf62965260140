/*
 * The writer of profiles: a sink of stacks (table/stacks.h) that writes a file. A format is one file with one
 * struct tk_stack_writer_format.
 */
#ifndef TK_SINK_STACKS_STACK_WRITER_H
#define TK_SINK_STACKS_STACK_WRITER_H

#include "io/output/compress.h"
#include "sink/encode/buffer.h"
#include "table/stacks.h"

/* What lines of folded stacks count. */
enum tk_stack_weight { TK_WEIGHT_TIME, TK_WEIGHT_COUNT, TK_WEIGHT_BYTES };

/* A profile that is being written. */
struct tk_stack_writer {
    const struct tk_stacks *stacks;
    enum tk_stack_weight weight;
    struct tk_buffer out, part, inner, clean; /* out: to the file; the others grow */
};

struct tk_stack_writer_format {
    const char *name;
    enum tk_compressing packing;              /* whatever the name of the file; NONE: by its name */
    bool all_weights;                         /* holds bytes beside calls and time */
    void (*write)(struct tk_stack_writer *p); /* failures stick in the buffers */
};

extern const struct tk_stack_writer_format tk_folded_format;
extern const struct tk_stack_writer_format tk_pprof_format;

/* Opens the output of a format, before there are stacks. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_stack_writer_open(struct tk_output **output, const struct tk_stack_writer_format *format,
                         const char *path, bool force, struct tk_err *err);

/* Writes the stacks and puts the file in its place. What fails leaves no file; the output is gone either way.
 * TK_OK, TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
int tk_stack_writer_write(struct tk_output *output, const struct tk_stack_writer_format *format,
                          const struct tk_stacks *stacks, enum tk_stack_weight weight, struct tk_err *err);

#endif
