/*
 * The identity of a capture: a hash of its bytes. Baselines and databases keep it with each run.
 */
#include "api/trace.h"
#include "base/checksum.h"
#include "io/file.h"

#include <stdlib.h>

/* Of files of more than this, PIECES pieces are looked at. */
#define WHOLE  (1u << 20)
#define PIECES 256u
#define PIECE  4096u

/* What tells captures apart: their size, and all bytes of a small one; of a larger one pieces at equal
 * distances, the first and the last bytes among them. Events are full of times, so that two recordings differ
 * in all of these, and a capture need not be read once more. */
static int hash_file(const struct tk_file *file, uint64_t *hash, struct tk_err *err)
{
    uint64_t size = tk_file_size(file);
    bool whole = size <= WHOLE;
    size_t n = whole ? WHOLE : PIECE, got;
    uint8_t *piece = malloc(n);
    int rc = piece ? TK_OK : tk_err_nomem(err, "a run");
    *hash = size;
    for (unsigned i = 0; rc == TK_OK && i < (whole ? 1 : PIECES); i++) {
        uint64_t at = whole ? 0 : (size - PIECE) / (PIECES - 1) * i;
        rc = tk_file_read(file, i == PIECES - 1 ? size - PIECE : at, piece, n, &got, err);
        if (rc == TK_OK && got < (whole ? size : PIECE))
            rc = tk_err_set(err, TK_EIO, "the file was truncated while it was read");
        if (rc == TK_OK && got)
            *hash = tk_checksum(piece, got, *hash);
    }
    free(piece);
    return rc;
}

int tk_trace_content(const struct tk_trace *trace, uint64_t *hash, struct tk_err *err)
{
    return hash_file(trace->file, hash, err);
}
