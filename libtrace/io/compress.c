/*
 * Compresses output in a thread: one block is filled while the other is compressed. output.c writes through
 * it.
 */
#include "io/compress.h"

#include "io/compressor.h"
#include "os/thread.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 256 << 10 };

struct tk_compress {
    const struct tk_compressor *packer;
    void *state;           /* the packer's */
    struct tk_os_file *to; /* borrowed */
    struct tk_os_thread thread;
    bool running;
    struct tk_os_monitor lock;
    /* guarded by the lock */
    size_t waiting; /* bytes of the block that the thread has or shall take */
    bool busy;      /* it has one */
    bool last, stop;
    struct tk_os_result failed; /* the first failure */
    /* Block `fill` is the writer's, the other the thread's. */
    unsigned fill;
    size_t n;
    uint8_t block[2][BLOCK_BYTES];
};

enum tk_compressing tk_compressing_of(const char *path)
{
    static const struct {
        const char *end;
        enum tk_compressing packing;
    } ends[] = {{".gz", TK_PACKING_GZIP}, {".zst", TK_PACKING_ZSTD}, {".lz4", TK_PACKING_LZ4}};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t k = strlen(ends[i].end);
        if (n > k && strcmp(path + n - k, ends[i].end) == 0)
            return ends[i].packing;
    }
    return TK_PACKING_NONE;
}

static struct tk_os_result write_packed(void *ctx, const void *p, size_t n)
{
    const struct tk_compress *pack = ctx;
    return n ? tk_os_file_write(pack->to, p, n) : tk_os_result_of(TK_OS_OK);
}

static void work(void *ctx)
{
    struct tk_compress *p = ctx;
    tk_os_monitor_lock(&p->lock);
    for (;;) {
        while (!p->busy && !p->stop)
            tk_os_monitor_wait(&p->lock);
        if (!p->busy)
            break;
        const uint8_t *block = p->block[p->fill ^ 1];
        struct tk_os_result why = p->failed;
        tk_os_monitor_unlock(&p->lock);
        if (!why.error)
            why = p->packer->pack(p->state, block, p->waiting, p->last, write_packed, p);
        tk_os_monitor_lock(&p->lock);
        p->failed = why;
        p->busy = false;
        tk_os_monitor_tell(&p->lock);
    }
    tk_os_monitor_unlock(&p->lock);
}

static const struct tk_compressor *packer_of(enum tk_compressing packing)
{
    static const struct tk_compressor *const packers[] = {[TK_PACKING_GZIP] = &tk_compressor_gzip,
                                                          [TK_PACKING_ZSTD] = &tk_compressor_zstd,
                                                          [TK_PACKING_LZ4] = &tk_compressor_lz4};
    return packers[packing];
}

int tk_compress_open(struct tk_compress **out, enum tk_compressing packing, struct tk_os_file *to,
                     struct tk_err *err)
{
    struct tk_compress *p = malloc(sizeof *p);
    *out = NULL;
    if (!p)
        return tk_err_nomem(err, "a compressed output");
    memset(p, 0, offsetof(struct tk_compress, block));
    if (!tk_os_monitor_init(&p->lock)) {
        free(p);
        return tk_err_nomem(err, "a compressed output");
    }
    p->packer = packer_of(packing);
    p->to = to;
    p->state = p->packer->open();
    p->running = p->state && tk_os_thread_start(&p->thread, work, p);
    if (!p->running) {
        tk_compress_close(p);
        return tk_err_nomem(err, "a compressed output");
    }
    *out = p;
    return TK_OK;
}

void tk_compress_threads(struct tk_compress *p, unsigned n)
{
    if (p->packer->threads)
        p->packer->threads(p->state, n);
}

/* Waits until the thread is idle. What failed so far. */
static struct tk_os_result wait_idle(struct tk_compress *p)
{
    tk_os_monitor_lock(&p->lock);
    while (p->busy)
        tk_os_monitor_wait(&p->lock);
    struct tk_os_result why = p->failed;
    tk_os_monitor_unlock(&p->lock);
    return why;
}

static struct tk_os_result hand_over(struct tk_compress *p, bool last)
{
    struct tk_os_result why = wait_idle(p);
    tk_os_monitor_lock(&p->lock);
    p->fill ^= 1;
    p->waiting = p->n;
    p->last = last;
    p->busy = true;
    tk_os_monitor_tell(&p->lock);
    tk_os_monitor_unlock(&p->lock);
    p->n = 0;
    return why;
}

struct tk_os_result tk_compress_write(struct tk_compress *p, const void *bytes, size_t n)
{
    const uint8_t *in = bytes;
    struct tk_os_result why = {0};
    while (n > 0 && !why.error) {
        size_t some = n < BLOCK_BYTES - p->n ? n : BLOCK_BYTES - p->n;
        memcpy(p->block[p->fill] + p->n, in, some);
        p->n += some;
        in += some;
        n -= some;
        if (p->n == BLOCK_BYTES)
            why = hand_over(p, false);
    }
    return why;
}

struct tk_os_result tk_compress_finish(struct tk_compress *p)
{
    struct tk_os_result why = hand_over(p, true), last = wait_idle(p);
    return why.error ? why : last;
}

void tk_compress_close(struct tk_compress *p)
{
    if (!p)
        return;
    if (p->running) {
        tk_os_monitor_lock(&p->lock);
        p->stop = true;
        tk_os_monitor_tell(&p->lock);
        tk_os_monitor_unlock(&p->lock);
        tk_os_thread_join(&p->thread);
    }
    if (p->state)
        p->packer->close(p->state);
    tk_os_monitor_destroy(&p->lock);
    free(p);
}
