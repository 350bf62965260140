/*
 * Blocks that threads compress alongside the one that fills them: the file is that of one thread, and zstd
 * and LZ4 themselves find the payload in it.
 */
#include "format/tracy/file/sections_out.h"
#include "run.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { BLOCKS = 23, REST = 1234, PAYLOAD = BLOCKS * 65536 + REST, MOST_STREAMS = 5, HEAD = 6 };

struct file {
    uint8_t *p;
    size_t n, capacity;
};

static int put(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    struct file *f = ctx;
    if (f->n + n > f->capacity)
        return tk_err_set(err, TK_EOUTPUT, "full");
    memcpy(f->p + f->n, p, n);
    f->n += n;
    return TK_OK;
}

/* Text that repeats what was far before, and near. */
static uint8_t *make_payload(void)
{
    uint8_t *p = malloc(PAYLOAD);
    uint32_t seed = 1;
    for (size_t i = 0; i < PAYLOAD; i++) {
        seed = seed * 1664525u + 1013904223u;
        p[i] = i > 300000 && seed >> 29 ? p[i - 262144 - (seed >> 31)] : (uint8_t)('a' + (seed >> 24) % 7);
    }
    return p;
}

static int pack(const struct tk_tracy_packing *packing, const uint8_t *payload, struct file *f)
{
    struct tk_tracy_packer p;
    int rc = tk_tracy_packer_open(&p, packing, put, f, NULL);
    for (size_t at = 0; rc == TK_OK && at < PAYLOAD; at += TK_TRACY_BLOCK) {
        const size_t n = PAYLOAD - at < TK_TRACY_BLOCK ? PAYLOAD - at : TK_TRACY_BLOCK;
        memcpy(tk_tracy_packer_space(&p), payload + at, n);
        rc = tk_tracy_packer_block(&p, n, NULL);
    }
    if (rc == TK_OK)
        rc = tk_tracy_packer_flush(&p, NULL);
    tk_tracy_packer_close(&p);
    return rc;
}

static void unpack_zstd(const struct file *f, unsigned streams, const uint8_t *payload)
{
    ZSTD_DCtx *context[MOST_STREAMS];
    uint8_t *out = malloc(TK_TRACY_BLOCK);
    size_t at = HEAD, done = 0;
    for (unsigned i = 0; i < streams; i++)
        context[i] = ZSTD_createDCtx();
    for (unsigned turn = 0; at < f->n; turn++) {
        const uint32_t size = f->p[at] | (uint32_t)f->p[at + 1] << 8 | (uint32_t)f->p[at + 2] << 16;
        ZSTD_inBuffer in = {f->p + at + 4, size, 0};
        ZSTD_outBuffer to = {out, TK_TRACY_BLOCK, 0};
        ck_assert(!ZSTD_isError(ZSTD_decompressStream(context[turn % streams], &to, &in)));
        ck_assert_uint_eq(in.pos, size);
        ck_assert_uint_eq(to.pos, PAYLOAD - done < TK_TRACY_BLOCK ? PAYLOAD - done : TK_TRACY_BLOCK);
        ck_assert_mem_eq(out, payload + done, to.pos);
        done += to.pos;
        at += 4 + size;
    }
    ck_assert_uint_eq(done, PAYLOAD);
    for (unsigned i = 0; i < streams; i++)
        ZSTD_freeDCtx(context[i]);
    free(out);
}

/* Each stream looks back into what it unpacked before. */
static void unpack_lz4(const struct file *f, unsigned streams, const uint8_t *payload)
{
    enum { MOST = BLOCKS + 1 };
    uint8_t *of[MOST_STREAMS];
    size_t n[MOST_STREAMS] = {0}, at = HEAD, done = 0;
    for (unsigned i = 0; i < streams; i++)
        of[i] = malloc((size_t)MOST * TK_TRACY_BLOCK);
    for (unsigned turn = 0; at < f->n; turn++) {
        const unsigned i = turn % streams;
        const int size = f->p[at] | f->p[at + 1] << 8 | f->p[at + 2] << 16;
        const int got = LZ4_decompress_safe_usingDict((const char *)f->p + at + 4, (char *)of[i] + n[i], size,
                                                      TK_TRACY_BLOCK, (const char *)of[i], (int)n[i]);
        ck_assert_int_eq(got, PAYLOAD - done < TK_TRACY_BLOCK ? (int)(PAYLOAD - done) : (int)TK_TRACY_BLOCK);
        ck_assert_mem_eq(of[i] + n[i], payload + done, (size_t)got);
        n[i] += (size_t)got;
        done += (size_t)got;
        at += 4 + (size_t)size;
    }
    ck_assert_uint_eq(done, PAYLOAD);
    for (unsigned i = 0; i < streams; i++)
        free(of[i]);
}

START_TEST(the_same_with_threads)
{
    static const struct {
        enum tk_tracy_codec codec;
        int level;
    } codecs[] = {{TK_TRACY_ZSTD, 1}, {TK_TRACY_LZ4, 0}, {TK_TRACY_LZ4, 4}};
    static const unsigned streams[] = {1, 3, MOST_STREAMS};
    const unsigned n = streams[_i % 3];
    struct tk_tracy_packing packing = {.mark = TK_TRACY_MARK_STREAMS,
                                       .codec = codecs[_i / 3].codec,
                                       .level = codecs[_i / 3].level,
                                       .streams = n};
    uint8_t *payload = make_payload();
    struct file alone = {malloc(2 * PAYLOAD), 0, 2 * PAYLOAD}, many = {malloc(2 * PAYLOAD), 0, 2 * PAYLOAD};
    ck_assert_int_eq(pack(&packing, payload, &alone), TK_OK);
    packing.pool = tk_pool_open(3);
    ck_assert_int_eq(pack(&packing, payload, &many), TK_OK);
    ck_assert_uint_eq(many.n, alone.n);
    ck_assert_mem_eq(many.p, alone.p, alone.n);
    (packing.codec == TK_TRACY_ZSTD ? unpack_zstd : unpack_lz4)(&many, n, payload);
    tk_pool_close(packing.pool);
    free(alone.p);
    free(many.p);
    free(payload);
}
END_TEST

START_TEST(a_full_file_ends_it)
{
    struct tk_tracy_packing packing = {
        .mark = TK_TRACY_MARK_STREAMS, .codec = TK_TRACY_ZSTD, .level = 1, .streams = 2};
    uint8_t *payload = make_payload();
    struct file small = {malloc(PAYLOAD), 0, 300000};
    packing.pool = tk_pool_open(2);
    ck_assert_int_eq(pack(&packing, payload, &small), TK_EOUTPUT);
    tk_pool_close(packing.pool);
    free(small.p);
    free(payload);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_same_with_threads, a_full_file_ends_it};
    return RUN_TESTS_EACH("tracy packer", tests, 9);
}
