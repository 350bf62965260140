/*
 * The payload of a .tracy file that is written: values one after the other, cut into blocks that packer.h
 * compresses (tracy-file 3). The records of sections are put with it.
 *
 * The first error sticks: later values are dropped, and tk_tracy_writer_close returns the error. Callers
 * therefore put whole sections without looking.
 */
#ifndef TK_FORMAT_TRACY_WRITE_PAYLOAD_OUT_H
#define TK_FORMAT_TRACY_WRITE_PAYLOAD_OUT_H

#include "format/tracy/file/version.h"
#include "format/tracy/file/packer.h"

struct tk_tracy_writer {
    struct tk_tracy_packer packer;
    uint32_t version;
    struct tk_tracy_layout layout;
    uint8_t *block;         /* in the packer's room */
    size_t n;               /* bytes in it */
    uint64_t total;         /* bytes of the payload in blocks before */
    int64_t time, gpu_time; /* running times of the list that is written */
    int rc;                 /* the first error, or TK_OK */
    struct tk_err *err;     /* borrowed */
};

/* Begins a file of a version that is known (TK_TRACY_OLDEST to TK_TRACY_NEWEST). err is where the first error
 * will be told. Close it in any case. */
void tk_tracy_writer_open(struct tk_tracy_writer *w, uint32_t version, const struct tk_tracy_packing *packing,
                          tk_tracy_write_fn *write, void *ctx, struct tk_err *err);

/* Writes the last block and frees. TK_OK or the first error. */
int tk_tracy_writer_close(struct tk_tracy_writer *w);

/* Bytes of the payload so far. */
static inline uint64_t tk_tracy_writer_size(const struct tk_tracy_writer *w)
{
    return w->total + w->n;
}

/* Bytes as they are. */
void tk_tracy_put_bytes(struct tk_tracy_writer *w, const void *p, size_t n);

/* As tk_tracy_put where the block has no room for the value. */
void tk_tracy_put_across(struct tk_tracy_writer *w, uint64_t value, unsigned bytes);

/* The low bytes of a number, 8 at most. */
static inline void tk_tracy_put(struct tk_tracy_writer *w, uint64_t value, unsigned bytes)
{
    if (w->rc != TK_OK || w->n + 8 > TK_TRACY_BLOCK) {
        tk_tracy_put_across(w, value, bytes);
        return;
    }
    /* all eight, so that it is one store: there is room, and what is too much is written over */
    uint8_t *p = w->block + w->n;
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
    p[4] = (uint8_t)(value >> 32);
    p[5] = (uint8_t)(value >> 40);
    p[6] = (uint8_t)(value >> 48);
    p[7] = (uint8_t)(value >> 56);
    w->n += bytes;
}

/* A double, and a length of 8 bytes with its text. */
void tk_tracy_put_real(struct tk_tracy_writer *w, double value);
void tk_tracy_put_text(struct tk_tracy_writer *w, const void *p, size_t n);

/* A list's running time begins at 0; a time is written as the difference to the one before. */
static inline void tk_tracy_put_time(struct tk_tracy_writer *w, int64_t time)
{
    tk_tracy_put(w, (uint64_t)time - (uint64_t)w->time, 8);
    w->time = time;
}

/* A string: by its number + 1, 0 for none, in 3 bytes. */
static inline void tk_tracy_put_index(struct tk_tracy_writer *w, uint32_t index)
{
    tk_tracy_put(w, index, 3);
}

/* A string: none, a pointer of the program, or its number in the table (tracy-file 3, StringRef). */
enum tk_tracy_ref_kind { TK_TRACY_REF_NONE = 0, TK_TRACY_REF_POINTER = 2, TK_TRACY_REF_NUMBER = 3 };

struct tk_tracy_ref {
    uint64_t value;
    enum tk_tracy_ref_kind kind;
};

static inline void tk_tracy_put_ref(struct tk_tracy_writer *w, struct tk_tracy_ref ref)
{
    tk_tracy_put(w, ref.kind == TK_TRACY_REF_NONE ? 0 : ref.value, 8);
    tk_tracy_put(w, (uint64_t)ref.kind, 1);
}

#endif
