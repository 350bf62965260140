/*
 * Writes and reads the temporary file of an index.
 */
#include "base/sort.h"
#include "io/os_error.h"
#include "os/file.h"
#include "os/thread.h"
#include "view/index/index_in.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { LEVEL = 1, WIDEST = 1 << 20 /* bytes of a chunk */, RECENT = 128 /* chunks that stay unpacked */ };

/* A chunk that was unpacked lately. */
struct recent {
    uint64_t offset;
    uint8_t *p; /* owned; NULL: none */
};

struct packer {
    ZSTD_CCtx *context; /* owned */
    uint8_t *out;       /* owned */
    size_t cap;
};

struct tk_index_store {
    struct tk_os_file *file;
    struct tk_os_monitor lock; /* guards file, size, failed and err while lanes are built */
    bool has_lock;
    uint64_t size;
    int failed;
    struct tk_err err;
    struct packer *packers; /* owned, one a worker */
    unsigned workers;
    ZSTD_DCtx *context; /* owned */
    uint8_t *raw;       /* owned: WIDEST bytes */
    struct recent recent[RECENT];
};

static int fail_store(struct tk_err *err, struct tk_os_result why, const char *what)
{
    if (why.error == TK_OS_CLOSED_PIPE)
        why = tk_os_result_of(TK_OS_IO);
    return tk_os_error_set(err, TK_EOUTPUT, why, "cannot %s the temporary file of an index", what);
}

int tk_index_store_open(struct tk_index_store **out, const char *folder, unsigned workers, struct tk_err *err)
{
    struct tk_index_store *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return tk_err_nomem(err, "an index");
    s->workers = workers;
    s->packers = calloc(workers, sizeof *s->packers);
    s->raw = malloc(WIDEST);
    s->context = ZSTD_createDCtx();
    s->has_lock = tk_os_monitor_init(&s->lock);
    if (!s->packers || !s->raw || !s->context || !s->has_lock) {
        tk_index_store_close(s);
        return tk_err_nomem(err, "an index");
    }
    struct tk_os_result why =
        tk_os_file_create_nameless(&s->file, folder && *folder ? folder : tk_os_temporary_folder());
    if (why.error) {
        tk_index_store_close(s);
        return fail_store(err, why, "make");
    }
    *out = s;
    return TK_OK;
}

/* Packs into the worker's buffer; 0: they do not become fewer, or out of memory. */
static size_t pack(struct packer *packer, const void *p, size_t size)
{
    size_t bound = ZSTD_compressBound(size);
    if (!packer->context)
        packer->context = ZSTD_createCCtx();
    if (packer->cap < bound) {
        free(packer->out);
        packer->out = malloc(bound);
        packer->cap = packer->out ? bound : 0;
    }
    if (!packer->context || !packer->out)
        return 0;
    const size_t n = ZSTD_compressCCtx(packer->context, packer->out, packer->cap, p, size, LEVEL);
    return ZSTD_isError(n) || n >= size ? 0 : n;
}

static int write_chunk(struct tk_index_store *s, struct tk_index_chunk *chunk, const void *p)
{
    tk_os_monitor_lock(&s->lock);
    chunk->offset = s->size;
    if (s->failed == TK_OK) {
        const struct tk_os_result why = tk_os_file_write(s->file, p, chunk->stored);
        s->failed = why.error ? fail_store(&s->err, why, "write to") : TK_OK;
    }
    s->size += chunk->stored;
    const int rc = s->failed;
    tk_os_monitor_unlock(&s->lock);
    return rc;
}

int tk_index_store_add(struct tk_index_store *s, struct tk_index_chunks *list, struct tk_index_chunk chunk,
                       const void *p, size_t size, bool packs, unsigned worker)
{
    struct packer *packer = &s->packers[worker < s->workers ? worker : 0];
    const size_t packed = packs ? pack(packer, p, size) : 0;
    chunk.size = (uint32_t)size;
    chunk.stored = (uint32_t)(packed ? packed : size);
    int rc = write_chunk(s, &chunk, packed ? packer->out : p);
    return rc == TK_OK && tk_vec_push(&list->v, chunk) ? TK_ENOMEM : rc;
}

int tk_index_store_failed(struct tk_index_store *s, struct tk_err *err)
{
    if (s->failed != TK_OK && err)
        *err = s->err;
    return s->failed;
}

static int read_raw(struct tk_index_store *s, const struct tk_index_chunk *chunk, void *p, struct tk_err *err)
{
    size_t got;
    struct tk_os_result why = tk_os_file_read_at(s->file, chunk->offset, p, chunk->stored, &got);
    if (why.error == TK_OS_OK && got < chunk->stored)
        why = tk_os_result_of(TK_OS_IO);
    return why.error ? fail_store(err, why, "read back") : TK_OK;
}

static int unpack(struct tk_index_store *s, const struct tk_index_chunk *chunk, uint8_t *p,
                  struct tk_err *err)
{
    if (chunk->stored == chunk->size)
        return read_raw(s, chunk, p, err);
    int rc = chunk->stored <= WIDEST ? read_raw(s, chunk, s->raw, err) : TK_OK;
    if (rc < 0)
        return rc;
    const size_t n =
        chunk->stored <= WIDEST ? ZSTD_decompressDCtx(s->context, p, chunk->size, s->raw, chunk->stored) : 0;
    return n == chunk->size ? TK_OK : fail_store(err, tk_os_result_of(TK_OS_IO), "read back");
}

int tk_index_store_read(struct tk_index_store *s, const struct tk_index_chunk *chunk, const uint8_t **out,
                        struct tk_err *err)
{
    /* neighbours of one list are far apart in the file, so the offset alone spreads them */
    struct recent *r = &s->recent[(chunk->offset ^ chunk->offset >> 9 ^ chunk->offset >> 17) % RECENT];
    if (r->p && r->offset == chunk->offset) {
        *out = r->p;
        return TK_OK;
    }
    free(r->p);
    r->p = malloc(chunk->size ? chunk->size : 1);
    if (!r->p)
        return tk_err_nomem(err, "a part of an index");
    r->offset = chunk->offset;
    *out = r->p;
    const int rc = unpack(s, chunk, r->p, err);
    if (rc < 0) {
        free(r->p);
        r->p = NULL;
    }
    return rc;
}

uint64_t tk_index_store_bytes(const struct tk_index_store *s)
{
    return s->size;
}

size_t tk_index_chunks_from(const struct tk_index_chunks *list, int64_t key)
{
    size_t at;
    TK_SEARCH(at, list->v.n, list->v.v[at].last < key);
    return at;
}

void tk_index_store_close(struct tk_index_store *s)
{
    if (!s)
        return;
    for (unsigned i = 0; s->packers && i < s->workers; i++) {
        ZSTD_freeCCtx(s->packers[i].context);
        free(s->packers[i].out);
    }
    for (size_t i = 0; i < RECENT; i++)
        free(s->recent[i].p);
    free(s->packers);
    free(s->raw);
    ZSTD_freeDCtx(s->context);
    if (s->has_lock)
        tk_os_monitor_destroy(&s->lock);
    tk_os_file_close(s->file);
    free(s);
}
