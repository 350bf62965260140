/*
 * Members of archives as files.
 */
#include "io/archive.h"

#include "base/cursor.h"
#include "io/decompress.h"
#include "io/io_in.h"

#include <stdlib.h>
#include <string.h>

enum { LOCAL = 30, STORED = 0, DEFLATED = 8, BY_ZSTD = 93 };

/* A member whose bytes are known: `stored` of them from `at` on. */
struct place {
    uint64_t at, stored;
    const struct tk_decompressor *packed; /* NULL: as they are */
};

static int find_local(const struct tk_file *f, const struct tk_archive_member *m, struct place *place,
                      struct tk_err *err)
{
    uint8_t p[LOCAL];
    size_t got = 0;
    const int rc = tk_file_read(f, m->at, p, LOCAL, &got, err);
    if (rc < 0)
        return rc;
    const uint64_t size = tk_file_size(f);
    if (got == LOCAL && memcmp(p, "PK\3\4", 4) == 0)
        place->at = m->at + LOCAL + tk_load16(p + 26) + tk_load16(p + 28);
    if (!place->at || place->at > size || m->stored > size - place->at)
        return tk_err_set(err, TK_EFORMAT, "the archive is damaged where '%s' begins", m->name);
    return TK_OK;
}

/* Where the content of a member is. A TAR knows, a ZIP has it behind a head of its own. */
static int find(const struct tk_file *f, const struct tk_archive_member *m, struct place *place,
                struct tk_err *err)
{
    *place = (struct place){.at = m->at, .stored = m->stored};
    if (!m->of_zip)
        return TK_OK;
    if (m->locked)
        return tk_err_set(err, TK_EFORMAT, "'%s' has a password; unpack the archive first", m->name);
    if (m->method != STORED && m->method != DEFLATED && m->method != BY_ZSTD)
        return tk_err_set(err, TK_EFORMAT,
                          "'%s' is compressed in a way (%u) that is not known here; unpack the archive first",
                          m->name, m->method);
    place->packed = m->method == DEFLATED  ? &tk_decompress_deflate
                    : m->method == BY_ZSTD ? &tk_decompress_zstd
                                           : NULL;
    place->at = 0;
    return find_local(f, m, place, err);
}

/* What comes out of the first bytes: at most n. */
static int unpack_head(const struct tk_decompressor *by, const uint8_t *in, size_t n_in, uint8_t *out,
                       size_t n, size_t *got, struct tk_err *err)
{
    struct tk_decompress_io io = {.in = in, .in_n = n_in, .out = out, .out_n = n};
    const char *why = "";
    void *state = by->open();
    if (!state)
        return tk_err_nomem(err, "unpacking");
    enum tk_decompress_state is = TK_UNPACK_INSIDE;
    for (size_t before = SIZE_MAX; is == TK_UNPACK_INSIDE && io.out_n && io.in_n + io.out_n < before;) {
        before = io.in_n + io.out_n;
        is = by->step(state, &io, &why);
    }
    by->close(state);
    *got = n - io.out_n;
    return is == TK_UNPACK_NO_MEMORY ? tk_err_nomem(err, "unpacking") : TK_OK;
}

int tk_archive_head(const struct tk_file *f, const struct tk_archive_member *m, void *p, size_t n,
                    size_t *got, struct tk_err *err)
{
    enum { IN = 64 << 10 };
    struct place place;
    *got = 0;
    int rc = find(f, m, &place, err);
    const size_t most = n > IN ? n : IN;
    uint8_t *in = rc == TK_OK ? malloc(most) : NULL, *out = in ? malloc(most) : NULL;
    if (rc == TK_OK && !out)
        rc = tk_err_nomem(err, "the beginning of a file");
    size_t n_in = 0, n_out = 0;
    if (rc == TK_OK)
        rc = tk_file_read(f, place.at, in, place.stored < most ? (size_t)place.stored : most, &n_in, err);
    const struct tk_decompressor *by = rc == TK_OK ? place.packed : NULL;
    for (unsigned i = 0; rc == TK_OK && i < 2; i++) {
        by = by ? by : tk_decompressor_of(in, n_in);
        if (!by)
            break;
        rc = unpack_head(by, in, n_in, out, most, &n_out, err);
        memcpy(in, out, n_out);
        n_in = n_out;
        by = NULL;
    }
    *got = rc == TK_OK ? (n_in < n ? n_in : n) : 0;
    if (*got)
        memcpy(p, in, *got);
    free(in);
    free(out);
    return rc;
}

/* What a file is becomes what it is a part of. */
static int go_inside(struct tk_file *f, const struct tk_archive_member *m, const struct place *place,
                     struct tk_err *err)
{
    struct tk_file *outer = malloc(sizeof *outer);
    if (!outer)
        return tk_err_nomem(err, "a file");
    *outer = *f;
    *f = (struct tk_file){.outer = outer,
                          .from = place->at,
                          .packed = place->packed,
                          .crc = m->crc,
                          .cut = m->cut,
                          .size = place->stored,
                          .stored = place->stored,
                          .compression = outer->compression};
    return TK_OK;
}

static bool is_packed(const struct tk_file *f, struct tk_err *err, int *rc)
{
    uint8_t head[TK_FILE_HEAD];
    size_t got = 0;
    *rc = tk_file_read(f, 0, head, sizeof head, &got, err);
    return *rc == TK_OK && tk_decompressor_of(head, got);
}

/* Unpacks a member, after which the archive is of no use. */
static int unpack(struct tk_file *f, const char *name, const struct tk_options *opt,
                  const struct tk_limits *limits, struct tk_err *err)
{
    struct tk_file *outer = f->outer;
    const int rc = tk_spool(f, name, opt, limits, NULL, err);
    if (rc == TK_OK)
        tk_file_close(outer);
    return rc;
}

int tk_archive_enter(struct tk_file *f, const struct tk_archive_member *m, const char *name,
                     const struct tk_options *opt, const struct tk_limits *limits, struct tk_err *err)
{
    struct place place;
    int rc = find(f, m, &place, err);
    if (rc == TK_OK)
        rc = go_inside(f, m, &place, err);
    if (rc == TK_OK && f->packed)
        rc = unpack(f, name, opt, limits, err);
    if (rc == TK_OK && is_packed(f, err, &rc))
        rc = unpack(f, name, opt, limits, err);
    return rc;
}
