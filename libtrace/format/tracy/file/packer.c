/*
 * Compresses block by block, each with the stream whose turn it is (tracy-file 1). payload.c fills the
 * blocks.
 */
#include "format/tracy/file/sections_out.h"
#include "format/tracy/file/version.h"

#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* LZ4 looks back into the block before that in its hands, while the next one is filled. What it makes of
 * blocks depends on whether they stand side by side: two of a pair do, as where there is one pair. */
enum { PAIR = 2, SPACES = 2 * PAIR, GAP = 64, PAIR_BYTES = PAIR * TK_TRACY_BLOCK + GAP };

static const uint8_t marks[][4] = {
    {0x74, 0x6c, 0x5a, 0x04}, {0x74, 0x5a, 0x73, 0x74}, {0x74, 0x72, 0xfd, 0x50}};

struct tk_tracy_packing tk_tracy_packing_of(uint32_t version)
{
    if (version < TK_TRACY_V(0, 11, 0))
        return (struct tk_tracy_packing){.mark = TK_TRACY_MARK_LZ4, .codec = TK_TRACY_LZ4, .streams = 1};
    return (struct tk_tracy_packing){
        .mark = TK_TRACY_MARK_STREAMS, .codec = TK_TRACY_ZSTD, .level = 3, .streams = 4};
}

static bool open_packed_stream(struct tk_tracy_packed_stream *s, const struct tk_tracy_packing *packing)
{
    s->capacity = malloc((size_t)SPACES / PAIR * PAIR_BYTES);
    s->packed = malloc(TK_TRACY_BLOCK_STORED);
    if (packing->codec == TK_TRACY_ZSTD) {
        s->zstd = ZSTD_createCCtx();
        if (s->zstd)
            ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, packing->level);
    } else if (packing->level == 0) {
        s->lz4 = LZ4_createStream();
    } else {
        s->lz4hc = LZ4_createStreamHC();
        if (s->lz4hc)
            LZ4_resetStreamHC_fast(s->lz4hc, packing->level);
    }
    return s->capacity && s->packed && (s->lz4 || s->lz4hc || s->zstd);
}

static bool is_possible(const struct tk_tracy_packing *k)
{
    if (k->streams < 1 || k->streams > 255)
        return false;
    if (k->mark == TK_TRACY_MARK_STREAMS)
        return true;
    return k->streams == 1 && (k->codec == TK_TRACY_ZSTD) == (k->mark == TK_TRACY_MARK_ZSTD);
}

int tk_tracy_packer_open(struct tk_tracy_packer *p, const struct tk_tracy_packing *packing,
                         tk_tracy_write_fn *write, void *ctx, struct tk_err *err)
{
    const uint8_t kind[2] = {packing->codec == TK_TRACY_ZSTD, (uint8_t)packing->streams};
    memset(p, 0, sizeof *p);
    if (!is_possible(packing))
        return tk_err_set(err, TK_EUSAGE, "a .tracy file cannot have this codec with these streams");
    p->packing = *packing;
    p->write = write;
    p->ctx = ctx;
    p->streams = calloc(packing->streams, sizeof *p->streams);
    bool ok = p->streams != NULL;
    for (unsigned i = 0; ok && i < packing->streams; i++)
        ok = open_packed_stream(&p->streams[i], packing);
    if (!ok)
        return tk_err_nomem(err, "the compression of a .tracy file");
    int rc = write(ctx, marks[packing->mark], sizeof marks[0], err);
    if (rc == TK_OK && packing->mark == TK_TRACY_MARK_STREAMS)
        rc = write(ctx, kind, sizeof kind, err);
    return rc;
}

static struct tk_tracy_packed_stream *stream_of(struct tk_tracy_packer *p, unsigned turn)
{
    return &p->streams[turn % p->packing.streams];
}

static uint8_t *space_of(const struct tk_tracy_packed_stream *s)
{
    const size_t capacity = s->turn % SPACES;
    return s->capacity + capacity / PAIR * PAIR_BYTES + capacity % PAIR * TK_TRACY_BLOCK;
}

uint8_t *tk_tracy_packer_space(struct tk_tracy_packer *p)
{
    return space_of(stream_of(p, p->turn));
}

/* What the stream makes of its block; 0 when it fails. */
static size_t pack(struct tk_tracy_packed_stream *s)
{
    ZSTD_inBuffer in = {s->block, s->n, 0};
    ZSTD_outBuffer out = {s->packed, TK_TRACY_BLOCK_STORED, 0};
    int got = 0;
    if (s->zstd)
        return ZSTD_compressStream2(s->zstd, &out, &in, ZSTD_e_flush) == 0 ? out.pos : 0;
    if (s->lz4)
        got = LZ4_compress_fast_continue(s->lz4, (const char *)s->block, (char *)s->packed, (int)s->n,
                                         (int)TK_TRACY_BLOCK_STORED, 1);
    else
        got = LZ4_compress_HC_continue(s->lz4hc, (const char *)s->block, (char *)s->packed, (int)s->n,
                                       (int)TK_TRACY_BLOCK_STORED);
    return got > 0 ? (size_t)got : 0;
}

static void pack_piece(void *ctx, size_t i, unsigned worker)
{
    struct tk_tracy_packer *p = ctx;
    struct tk_tracy_packed_stream *s = stream_of(p, p->first + (unsigned)i);
    (void)worker;
    s->size = pack(s);
}

static bool is_alone(const struct tk_tracy_packer *p)
{
    return !p->packing.pool || tk_pool_jobs(p->packing.pool) < 2;
}

/* Blocks that are filled are under way from here on, one of each stream at most. */
static void start(struct tk_tracy_packer *p)
{
    p->first = p->turn - p->waiting;
    p->running = p->waiting;
    p->waiting = 0;
    for (unsigned i = 0; i < p->running; i++) {
        struct tk_tracy_packed_stream *s = stream_of(p, p->first + i);
        s->block = space_of(s);
        s->n = s->filled;
        s->turn++;
    }
    if (!is_alone(p))
        tk_pool_start(p->packing.pool, &p->task, pack_piece, p, p->running);
    for (unsigned i = 0; i < p->running && is_alone(p); i++)
        pack_piece(p, i, 0);
}

static int write_packed(struct tk_tracy_packer *p, const struct tk_tracy_packed_stream *s, struct tk_err *err)
{
    const uint8_t head[4] = {(uint8_t)s->size, (uint8_t)(s->size >> 8), (uint8_t)(s->size >> 16),
                             (uint8_t)(s->size >> 24)};
    if (!s->size)
        return tk_err_nomem(err, "the compression of a .tracy file");
    const int rc = p->write(p->ctx, head, sizeof head, err);
    return rc == TK_OK ? p->write(p->ctx, s->packed, s->size, err) : rc;
}

static int finish(struct tk_tracy_packer *p, struct tk_err *err)
{
    const unsigned n = p->running;
    int rc = TK_OK;
    if (n && !is_alone(p))
        tk_pool_wait(p->packing.pool, &p->task);
    p->running = 0;
    for (unsigned i = 0; i < n && rc == TK_OK; i++)
        rc = write_packed(p, stream_of(p, p->first + i), err);
    return rc;
}

int tk_tracy_packer_block(struct tk_tracy_packer *p, size_t n, struct tk_err *err)
{
    stream_of(p, p->turn)->filled = n;
    p->turn++;
    p->waiting++;
    if (is_alone(p))
        return tk_tracy_packer_flush(p, err);
    if (p->waiting < p->packing.streams)
        return TK_OK;
    const int rc = finish(p, err);
    if (rc == TK_OK)
        start(p);
    else
        p->waiting = 0; /* else a further call would put two blocks on one stream */
    return rc;
}

int tk_tracy_packer_flush(struct tk_tracy_packer *p, struct tk_err *err)
{
    int rc = finish(p, err);
    if (rc == TK_OK && p->waiting) {
        start(p);
        rc = finish(p, err);
    }
    return rc;
}

void tk_tracy_packer_close(struct tk_tracy_packer *p)
{
    if (p->running && !is_alone(p))
        tk_pool_wait(p->packing.pool, &p->task);
    for (unsigned i = 0; p->streams && i < p->packing.streams; i++) {
        free(p->streams[i].capacity);
        free(p->streams[i].packed);
        LZ4_freeStream(p->streams[i].lz4);
        LZ4_freeStreamHC(p->streams[i].lz4hc);
        ZSTD_freeCCtx(p->streams[i].zstd);
    }
    free(p->streams);
    memset(p, 0, sizeof *p);
}

/*
 * Puts what is more than records: the head of a file, the topology, dictionaries and texts (tracy-file
 * 4, 5.15, 5.22).
 */

void tk_tracy_put_head(struct tk_tracy_writer *w, const struct tk_tracy_head *h)
{
    tk_tracy_put_bytes(w, "tracy", 5);
    tk_tracy_put(w, w->version >> 16, 1);
    tk_tracy_put(w, w->version >> 8, 1);
    tk_tracy_put(w, w->version, 1);
    tk_tracy_put_header(w, &h->h);
    tk_tracy_put_text(w, h->capture_name.p, h->capture_name.n);
    tk_tracy_put_text(w, h->program.p, h->program.n);
    tk_tracy_put_header_times(w, &h->t);
    tk_tracy_put_text(w, h->host.p, h->host.n);
}

/* ---- topology: levels of package, die and core, then threads ---- */

static uint32_t level_of(const struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *t, unsigned level)
{
    const uint32_t of[] = {t->package, w->layout.dies ? t->die : 0, t->core, t->thread};
    return of[level];
}

/* Are the first `levels` of both the same? */
static bool is_together(const struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *a,
                        const struct tk_tracy_cpu_thread *b, unsigned levels)
{
    for (unsigned i = 0; i < levels; i++)
        if (level_of(w, a, i) != level_of(w, b, i))
            return false;
    return true;
}

/* Does row i bring a new item of the level below `levels` that it shares with row `of`? */
static bool is_first(const struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t i,
                     size_t of, unsigned levels)
{
    if (!is_together(w, &v[i], &v[of], levels))
        return false;
    for (size_t k = 0; k < i && levels < 3; k++)
        if (is_together(w, &v[k], &v[i], levels + 1))
            return false;
    return true;
}

static void put_level(struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t n, size_t of,
                      unsigned levels)
{
    uint64_t items = 0;
    for (size_t i = 0; i < n; i++)
        items += is_first(w, v, i, of, levels);
    if (levels != 1 || w->layout.dies)
        tk_tracy_put(w, items, 8);
    for (size_t i = 0; i < n; i++) {
        if (!is_first(w, v, i, of, levels))
            continue;
        if (levels != 1 || w->layout.dies)
            tk_tracy_put(w, level_of(w, &v[i], levels), 4);
        if (levels < 3)
            put_level(w, v, n, i, levels + 1);
    }
}

void tk_tracy_put_topology(struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t n)
{
    if (n)
        put_level(w, v, n, 0, 0);
    else
        tk_tracy_put(w, 0, 8);
}

/* ---- images, texts ---- */

void tk_tracy_put_images(struct tk_tracy_writer *w, uint64_t n)
{
    if (w->layout.image_dictionary)
        tk_tracy_put(w, 0, 4);
    tk_tracy_put(w, n, 8);
}

void tk_tracy_put_short_text(struct tk_tracy_writer *w, const void *p, uint32_t n)
{
    tk_tracy_put(w, n, 4);
    tk_tracy_put_bytes(w, p, n);
}

/*
 * Cuts the payload into blocks (tracy-file 1, 3). The records of sections stand on it.
 */

static void fail(struct tk_tracy_writer *w, int rc)
{
    if (w->rc == TK_OK)
        w->rc = rc;
}

void tk_tracy_writer_open(struct tk_tracy_writer *w, uint32_t version, const struct tk_tracy_packing *packing,
                          tk_tracy_write_fn *write, void *ctx, struct tk_err *err)
{
    memset(w, 0, sizeof *w);
    w->version = version;
    w->layout = tk_tracy_layout_of(version);
    w->err = err;
    fail(w, tk_tracy_packer_open(&w->packer, packing, write, ctx, err));
    if (w->rc == TK_OK)
        w->block = tk_tracy_packer_space(&w->packer);
}

static void end_block(struct tk_tracy_writer *w)
{
    fail(w, tk_tracy_packer_block(&w->packer, w->n, w->err));
    w->total += w->n;
    w->n = 0;
    if (w->rc == TK_OK)
        w->block = tk_tracy_packer_space(&w->packer);
}

int tk_tracy_writer_close(struct tk_tracy_writer *w)
{
    if (w->rc == TK_OK && w->n)
        end_block(w);
    if (w->rc == TK_OK)
        fail(w, tk_tracy_packer_flush(&w->packer, w->err));
    tk_tracy_packer_close(&w->packer);
    return w->rc;
}

void tk_tracy_put_bytes(struct tk_tracy_writer *w, const void *p, size_t n)
{
    const uint8_t *bytes = p;
    while (n && w->rc == TK_OK) {
        const size_t capacity = TK_TRACY_BLOCK - w->n, now = n < capacity ? n : capacity;
        memcpy(w->block + w->n, bytes, now);
        w->n += now;
        bytes += now;
        n -= now;
        if (w->n == TK_TRACY_BLOCK)
            end_block(w);
    }
}

void tk_tracy_put_across(struct tk_tracy_writer *w, uint64_t value, unsigned bytes)
{
    uint8_t v[8];
    for (unsigned i = 0; i < sizeof v; i++)
        v[i] = (uint8_t)(value >> (8 * i));
    tk_tracy_put_bytes(w, v, bytes);
}

void tk_tracy_put_text(struct tk_tracy_writer *w, const void *p, size_t n)
{
    tk_tracy_put(w, n, 8);
    tk_tracy_put_bytes(w, p, n);
}
