/*
 * Pieces of many streams, kept in one temporary file without a name. They are read back stream by stream.
 */
#ifndef TK_IO_SCRATCH_SPILL_H
#define TK_IO_SCRATCH_SPILL_H

#include "base/err.h"
#include "base/vec.h"

struct tk_spill;

struct tk_spill_piece {
    uint64_t offset;
    size_t n;
};

/* Where a stream's pieces are. Zero-initialise; release with tk_vec_release(&s->pieces). */
struct tk_spilled {
    TK_VEC(struct tk_spill_piece) pieces;
};

/* dir may be NULL: TMPDIR, else /tmp. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_spill_open(struct tk_spill **out, const char *dir, struct tk_err *err);

/* Appends a piece of a stream. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_spill_write(struct tk_spill *s, struct tk_spilled *stream, const void *p, size_t n,
                   struct tk_err *err);

/* Reads piece i of a stream into p, which has room for it. TK_OK or TK_EOUTPUT. */
int tk_spill_read(const struct tk_spill *s, const struct tk_spilled *stream, size_t i, void *p,
                  struct tk_err *err);

/* Bytes that are free where the file is. */
uint64_t tk_spill_room(const struct tk_spill *s);

/* NULL is allowed. */
void tk_spill_close(struct tk_spill *s);

#endif
