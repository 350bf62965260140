/*
 * Writes and reads streams of a temporary file. The external sort, presets and speedscope keep their data
 * there.
 */
#include "io/scratch/spill.h"

#include "io/os_error.h"
#include "os/file.h"

#include <stdlib.h>

struct tk_spill {
    struct tk_os_file *file;
    uint64_t size;
};

static int fail_spill(struct tk_err *err, struct tk_os_result why, const char *what)
{
    if (why.error == TK_OS_CLOSED_PIPE) /* it has no reader who could go, as an output has */
        why = tk_os_result_of(TK_OS_IO);
    return tk_os_error_set(err, TK_EOUTPUT, why, "cannot %s a temporary file", what);
}

int tk_spill_open(struct tk_spill **out, const char *dir, struct tk_err *err)
{
    struct tk_spill *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return tk_err_nomem(err, "a temporary file");
    struct tk_os_result why =
        tk_os_file_create_nameless(&s->file, dir && *dir ? dir : tk_os_temporary_folder());
    if (why.error) {
        free(s);
        return fail_spill(err, why, "make");
    }
    *out = s;
    return TK_OK;
}

int tk_spill_write(struct tk_spill *s, struct tk_spilled *stream, const void *p, size_t n, struct tk_err *err)
{
    const struct tk_spill_piece piece = {.offset = s->size, .n = n};
    if (tk_vec_push(&stream->pieces, piece))
        return tk_err_nomem(err, "a temporary file");
    struct tk_os_result why = tk_os_file_write(s->file, p, n);
    s->size += n;
    return why.error ? fail_spill(err, why, "write to") : TK_OK;
}

int tk_spill_read(const struct tk_spill *s, const struct tk_spilled *stream, size_t i, void *p,
                  struct tk_err *err)
{
    const struct tk_spill_piece *piece = &stream->pieces.v[i];
    size_t got;
    struct tk_os_result why = tk_os_file_read_at(s->file, piece->offset, p, piece->n, &got);
    if (why.error == TK_OS_OK && got < piece->n)
        why = tk_os_result_of(TK_OS_IO);
    return why.error ? fail_spill(err, why, "read back") : TK_OK;
}

uint64_t tk_spill_space(const struct tk_spill *s)
{
    return tk_os_file_space(s->file);
}

void tk_spill_close(struct tk_spill *s)
{
    if (!s)
        return;
    tk_os_file_close(s->file);
    free(s);
}
