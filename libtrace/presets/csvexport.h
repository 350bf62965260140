/*
 * The tables that Tracy's csvexport writes, column for column (tracy-file 7). Raw, its lines are
 * the same, though not their order; else texts are quoted, a zone without a text has none, and what cannot be
 * computed is 0. Where csvexport races with its own loading (GPU, memory plots) all rows are there.
 *
 * Rows: of source locations in their order; of zones thread by thread in order of their ends; of GPU zones
 * the same by queue; messages and plots in order of time.
 */
#ifndef TK_EXPORT_PRESET_TRACY_CSVEXPORT_H
#define TK_EXPORT_PRESET_TRACY_CSVEXPORT_H

#include "engine/dict_source.h"
#include "presets/preset.h"
#include "presets/zones.h"
#include "sink/write/buffer.h"

/* What versions of the tool differ in. */
struct tk_tracy_layout_of {
    bool thread, value; /* columns of single zones */
    bool guards;        /* the deviation of a single zone is 0 */
};

struct tk_csvexport {
    const struct tk_preset_job *job;
    const struct tk_export_zones *opt; /* whole */
    const struct tk_tracy_layout_of *layout;
    struct tk_buffer out;
    size_t n_separator;
    bool no_zones; /* only the head of single zones */
    struct tk_dict dict;
};

/* Writes one table, header first. TK_OK or negative. */
typedef int tk_csvexport_write(struct tk_csvexport *x, struct tk_err *err);

tk_csvexport_write tk_csvexport_write_sums, tk_csvexport_write_zones, tk_csvexport_write_gpu,
    tk_csvexport_write_messages;

/* How the zones, or the frames, of two captures compare; written to the output of the first. */
int tk_csvexport_write_pair(struct tk_csvexport *x, struct tk_csvexport *other, bool frames,
                            struct tk_err *err);

/* Rows of plots as they follow those of zones. */
tk_csvexport_write tk_csvexport_write_plots;

/* Reads the facts of a mask from begin to end; take gets each batch. TK_OK or negative. */
int tk_csvexport_read(struct tk_csvexport *x, uint64_t facts,
                      int (*take)(void *self, const struct tk_batch *batch, struct tk_err *err), void *self,
                      struct tk_err *err);

/* A text, quoted where it must be; NULL is nothing. */
void tk_csvexport_put_text(struct tk_csvexport *x, const struct tk_str *s);

/* The same for the name of something; raw, one that is missing is "???". */
void tk_csvexport_put_name(struct tk_csvexport *x, const struct tk_str *s);

void tk_csvexport_put_separator(struct tk_csvexport *x);

/* The separator, and a number. */
void tk_csvexport_put_i64(struct tk_csvexport *x, int64_t v);
void tk_csvexport_put_u64(struct tk_csvexport *x, uint64_t v);
void tk_csvexport_put_real(struct tk_csvexport *x, double v); /* six decimals */

/* Names of columns, and the end of the line. */
void tk_csvexport_put_head(struct tk_csvexport *x, const char *const *names, size_t n);

/* Does the name pass the filter? */
bool tk_csvexport_passes(const struct tk_csvexport *x, const struct tk_str *name);

/* A whole number of what is known about the recording; 0 where it is not. */
int64_t tk_csvexport_session(const struct tk_csvexport *x, const char *key);

#endif
