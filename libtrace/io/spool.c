/*
 * Copies pipes and compressed files to a temporary file. file.c calls it when an input is opened.
 */
#include "base/health/health.h"
#include "io/decompress.h"
#include "io/io_in.h"
#include "io/os_error.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK = 256 << 10, FREE_BYTES = 64 << 20 /* below it the limit 'unpacked_ratio' does not hold */ };

struct spool {
    struct tk_file *f;
    const char *name;
    const struct tk_options *opt;
    const struct tk_limits *limits;
    struct tk_err *err;
    const struct tk_decompressor *unpacker; /* NULL: nothing to unpack */
    void *state;                            /* the unpacker's */
    uint8_t *in, *out;                      /* CHUNK bytes each; owned */
    struct tk_os_file *to;                  /* the temporary file; owned */
    uint64_t total_in, total_out;
    uint64_t most;          /* of total_out */
    tk_file_accept *accept; /* NULL once it was requested */
    uint8_t head[TK_FILE_HEAD];
    size_t n_head;
    bool between; /* the input so far is whole frames */
    uint32_t crc; /* of what came out of a member of an archive */
};

static const char *spool_dir(const struct spool *s)
{
    const char *dir = s->opt ? s->opt->spool_dir : NULL;
    return dir && *dir ? dir : tk_os_temporary_folder();
}

static int open_nameless(struct spool *s)
{
    const char *dir = spool_dir(s);
    struct tk_os_result why = tk_os_file_create_nameless(&s->to, dir);
    return why.error ? tk_os_error_set(s->err, TK_EIO, why, "cannot make a temporary file in '%s'", dir)
                     : TK_OK;
}

static int fill_at(struct spool *s, size_t *got)
{
    int rc = tk_file_read(s->f, s->total_in, s->in, CHUNK, got, s->err);
    s->total_in += *got;
    return rc < 0 ? tk_err_add(s->err, "cannot read %s", s->name) : TK_OK;
}

/* Fills the input buffer unless the input ends. */
static int fill_spool(struct spool *s, size_t *got)
{
    if (s->f->size || !s->f->os) /* a pipe has no size, and what lies in another file is none */
        return fill_at(s, got);
    struct tk_os_result why = tk_os_file_read(s->f->os, s->in, CHUNK, got);
    if (why.error)
        return tk_os_error_set(s->err, TK_EIO, why, "cannot read %s", s->name);
    s->total_in += *got;
    return TK_OK;
}

/* Whoever requested another limit gets it; the disk of the others is not filled. */
static uint64_t most_of(const struct spool *s)
{
    const uint64_t limit = s->limits->unpacked_bytes, half = tk_os_file_space(s->to) / 2;
    return limit == tk_limits_default().unpacked_bytes && half < limit ? half : limit;
}

/* Keeps the first bytes and queries about them when they are there. */
static int check_head(struct spool *s, const uint8_t *p, size_t n)
{
    tk_file_accept *accept = s->accept;
    size_t some = n < sizeof s->head - s->n_head ? n : sizeof s->head - s->n_head;
    if (!accept)
        return TK_OK;
    if (some)
        memcpy(s->head + s->n_head, p, some);
    s->n_head += some;
    if (s->n_head < sizeof s->head)
        return TK_OK;
    s->accept = NULL;
    return accept(s->head, s->n_head, s->err);
}

static int fail_too_large(struct spool *s)
{
    const bool disk = s->most < s->limits->unpacked_bytes;
    return tk_err_limit(
        s->err, TK_LIMIT_unpacked_bytes,
        disk ? "cannot decompress %s: it holds more than %llu bytes, half of the free space in '%s'"
             : "cannot decompress %s: it holds more than %llu bytes",
        s->name, (unsigned long long)s->most, spool_dir(s));
}

static int store(struct spool *s, const uint8_t *p, size_t n)
{
    int rc = check_head(s, p, n);
    if (rc < 0)
        return rc;
    if (n > s->most - s->total_out)
        return fail_too_large(s);
    if (s->total_out + n > FREE_BYTES && (s->total_out + n) / s->limits->unpacked_ratio > s->total_in)
        return tk_err_limit(s->err, TK_LIMIT_unpacked_ratio,
                            "cannot decompress %s: %llu bytes grow to more than %llu times as many", s->name,
                            (unsigned long long)s->total_in, (unsigned long long)s->limits->unpacked_ratio);
    s->total_out += n;
    if (s->f->packed)
        s->crc = (uint32_t)crc32(s->crc, p, (uInt)n);
    struct tk_os_result why = tk_os_file_write(s->to, p, n);
    if (why.error == TK_OS_CLOSED_PIPE) /* it has no reader who could go, as an output has */
        why = tk_os_result_of(TK_OS_IO);
    return why.error ? tk_os_error_set(s->err, TK_EIO, why, "cannot write the temporary file for %s in '%s'",
                                       s->name, spool_dir(s))
                     : TK_OK;
}

static int tell_progress(const struct spool *s)
{
    if (!s->opt || !s->opt->progress || !s->opt->progress(s->opt->progress_ctx, s->total_in, s->f->stored))
        return TK_OK;
    return tk_err_set(s->err, TK_ECANCELED, "reading %s was cancelled", s->name);
}

static int broken(const struct spool *s, const struct tk_decompress_io *io, const char *why)
{
    return tk_err_set(s->err, TK_EIO, "cannot decompress %s: broken %s data near byte %llu (%s)", s->name,
                      s->unpacker->name, (unsigned long long)(s->total_in - io->in_n), why);
}

/* Unpacks the input in the buffer until it is used up and nothing more comes out. */
static int unpack(struct spool *s, size_t n)
{
    struct tk_decompress_io io = {.in = s->in, .in_n = n};
    bool more = n > 0;
    while (more) {
        const char *why = "";
        size_t before = io.in_n;
        io.out = s->out;
        io.out_n = CHUNK;
        enum tk_decompress_state state = s->unpacker->step(s->state, &io, &why);
        size_t made = CHUNK - io.out_n;
        if (state == TK_UNPACK_NO_MEMORY)
            return tk_err_nomem(s->err, "unpacking");
        if (state == TK_UNPACK_BROKEN || (io.in_n > 0 && before == io.in_n && made == 0))
            return broken(s, &io, why);
        int rc = store(s, s->out, made);
        if (rc != TK_OK)
            return rc;
        s->between = state == TK_UNPACK_BETWEEN;
        /* A full buffer means that there may be more, but not behind the end of a frame. */
        more = io.in_n > 0 || (io.out_n == 0 && !s->between);
    }
    return TK_OK;
}

static int copy_all(struct spool *s)
{
    size_t n;
    int rc = fill_spool(s, &n);
    if (rc != TK_OK)
        return rc;
    s->unpacker = s->f->packed ? s->f->packed : tk_decompressor_of(s->in, n);
    s->between = true;
    if (s->unpacker && !(s->state = s->unpacker->open()))
        return tk_err_nomem(s->err, "unpacking");
    while (n > 0) {
        rc = s->unpacker ? unpack(s, n) : store(s, s->in, n);
        if (rc == TK_OK)
            rc = tell_progress(s);
        if (rc == TK_OK)
            rc = fill_spool(s, &n);
        if (rc != TK_OK)
            return rc;
    }
    if (s->f->packed && s->between && s->crc != s->f->crc)
        return tk_err_set(s->err, TK_EIO, "cannot decompress %s: it is damaged, as its checksum shows",
                          s->name);
    return TK_OK;
}

static void replace_file(struct spool *s)
{
    struct tk_file *f = s->f;
    tk_os_file_close(f->os);
    tk_reader_end(&f->reader);
    *f = (struct tk_file){
        .os = s->to,
        .cut = !s->between,
        .size = s->total_out,
        .stored = s->total_in,
        .compression = s->unpacker ? s->unpacker->name : NULL,
    };
}

int tk_spool(struct tk_file *f, const char *name, const struct tk_options *opt,
             const struct tk_limits *limits, tk_file_accept *accept, struct tk_err *err)
{
    struct spool s = {.f = f, .name = name, .opt = opt, .limits = limits, .accept = accept, .err = err};
    s.in = malloc(CHUNK);
    s.out = malloc(CHUNK);
    int rc = s.in && s.out ? open_nameless(&s) : tk_err_nomem(err, "a temporary file");
    if (rc == TK_OK) {
        s.most = most_of(&s);
        rc = copy_all(&s);
    }
    if (rc == TK_OK)
        replace_file(&s);
    else
        tk_os_file_close(s.to);
    if (s.state)
        s.unpacker->close(s.state);
    free(s.in);
    free(s.out);
    return rc;
}
