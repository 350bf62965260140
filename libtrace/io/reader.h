/*
 * Readers: bytes that a program has in memory or fetches itself, in the place of a file. A struct tk_file
 * that is no file of the system reads through one.
 */
#ifndef TK_IO_INPUT_READER_H
#define TK_IO_INPUT_READER_H

#include "base/err.h"
#include "tracekit/captures.h"

struct tk_os_monitor;

struct tk_reader {
    const uint8_t *memory; /* borrowed; NULL: what `read` gives */
    tk_read *read;         /* NULL, too: no reader */
    void *ctx;
    uint64_t size;
    struct tk_os_monitor *turn; /* of the threads that read; owned; NULL before tk_reader_begin */
};

static inline bool tk_reader_is(const struct tk_reader *r)
{
    return r->memory || r->read;
}

/* Before the first bytes are read. TK_OK or TK_ENOMEM. */
int tk_reader_begin(struct tk_reader *r, struct tk_err *err);

/*
 * Reads n bytes at an offset, fewer only where there are no more: *got. What lies beyond `size` must not be
 * requested. TK_OK; TK_ECANCELED, TK_ENOMEM or TK_EIO as `read` said. Safe to call from several threads, of
 * which `read` sees one at a time.
 */
int tk_reader_read(const struct tk_reader *r, uint64_t offset, void *p, size_t n, size_t *got,
                   struct tk_err *err);

/* Also of one that was never begun. */
void tk_reader_end(struct tk_reader *r);

#endif
