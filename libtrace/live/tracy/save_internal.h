/*
 * What the files of this folder share: the parts of a capture, and columns read in order of time. Each part
 * returns TK_OK, TK_EOUTPUT or TK_ENOMEM; the writer keeps its own errors.
 */
#ifndef TK_LIVE_TRACY_FILE_SAVE_INTERNAL_H
#define TK_LIVE_TRACY_FILE_SAVE_INTERNAL_H

#include "live/tracy/save.h"

/* Records of 16 bytes that begin with their time, as they came or sorted; equal ones stay in order. */
enum { TK_TL_ORDERED = 16 };

struct tk_tl_ordered {
    struct tk_spill_column_reading reading;
    struct tk_external_sort *sort; /* owned; NULL: they are in order */
    struct tk_err *err;            /* borrowed */
};

/* TK_OK, TK_EOUTPUT, TK_ENOMEM. Close it in any case. */
int tk_tl_ordered_open(struct tk_tl_ordered *o, struct tk_tl_state *s, const struct tk_spill_column *c,
                       bool sort, struct tk_err *err);
/* TK_ITEM, TK_OK at the end, or an error. */
int tk_tl_ordered_next(struct tk_tl_ordered *o, const void **record);
void tk_tl_ordered_close(struct tk_tl_ordered *o);

int tk_tl_save_frames(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_sections(struct tk_tl_state *s, struct tk_tracy_writer *w);
void tk_tl_save_names(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_locks(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_messages(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_extras(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_threads(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_gpus(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_plots(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_memory(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_code(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_images(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_switches(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_symbols(struct tk_tl_state *s, struct tk_tracy_writer *w);

/* Copies n bytes of a column of bytes. */
int tk_tl_save_bytes(struct tk_spill_column_reading *r, struct tk_tracy_writer *w, uint64_t n);

#endif
