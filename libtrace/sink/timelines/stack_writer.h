/*
 * The writer of profiles: a sink of stacks (table/cell.h) that writes a file. A format is one file with one
 * struct tk_stack_writer_format.
 */
#ifndef TK_SINK_STACKS_STACK_WRITER_H
#define TK_SINK_STACKS_STACK_WRITER_H

#include "base/health/limits.h"
#include "io/output.h"
#include "sink/write/buffer.h"
#include "table/cell.h"
#include "table/timeline.h"

/* What lines of folded stacks count. Samples are the calls of stacks that hold nothing else. */
enum tk_stack_weight { TK_WEIGHT_TIME, TK_WEIGHT_COUNT, TK_WEIGHT_BYTES, TK_WEIGHT_SAMPLES };

/* How much is written of stacks, and what was not: a recursion of a thousand calls with a long name is a
 * thousand lines of up to a thousand times that name. */
struct tk_stack_bounds {
    size_t name_bytes; /* of a name in a line; longer ones are cut */
    uint64_t bytes;    /* of the file, before it is compressed */
    enum tk_limit by;  /* which limit that is */
    uint64_t cut;      /* names that were */
    uint64_t left_out; /* stacks for which there was no space */
};

/* By the limits, for a capture whose file has so many bytes. */
struct tk_stack_bounds tk_stack_bounds_of(const struct tk_limits *limits, uint64_t capture);

/* A profile that is being written. */
struct tk_stack_writer {
    const struct tk_stacks *stacks;
    const struct tk_sampled *sampled; /* in the place of stacks, and as a timeline has them; NULL: stacks */
    bool threads;                     /* sampled: their threads are distinguished */
    enum tk_stack_weight weight;
    struct tk_stack_bounds *bounds;
    struct tk_buffer out, part, inner, clean; /* out: to the file; the others grow */
};

struct tk_stack_writer_format {
    const char *name;
    enum tk_compressing packing;              /* whatever the name of the file; NONE: by its name */
    bool all_weights;                         /* holds bytes alongside calls and time */
    void (*write)(struct tk_stack_writer *p); /* failures stick in the buffers */
};

extern const struct tk_stack_writer_format tk_folded_format;
extern const struct tk_stack_writer_format tk_pprof_format;
extern const struct tk_stack_writer_format tk_flame_graph_format;

/* pprof of samples: with modules, addresses and inlined functions. */
extern const struct tk_stack_writer_format tk_pprof_samples_format;

/* Is there space for another stack? One that has none is counted. */
bool tk_stack_writer_has_space(struct tk_stack_writer *p);

/* Opens the output of a format, before there are stacks. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_stack_writer_open(struct tk_output **output, const struct tk_stack_writer_format *format,
                         const char *path, bool force, struct tk_err *err);

/* Writes the stacks and puts the file in its place; *bounds then says what was left out. What fails leaves no
 * file; the output is gone either way. TK_OK, TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
int tk_stack_writer_write(struct tk_output *output, const struct tk_stack_writer_format *format,
                          const struct tk_stacks *stacks, enum tk_stack_weight weight,
                          struct tk_stack_bounds *bounds, struct tk_err *err);

/* The same for samples. */
int tk_stack_writer_write_samples(struct tk_output *output, const struct tk_stack_writer_format *format,
                                  const struct tk_sampled *sampled, bool threads,
                                  struct tk_stack_bounds *bounds, struct tk_err *err);

#endif
