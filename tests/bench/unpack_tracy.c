/*
 * bench-unpack-tracy FILE [--jobs N] [--runs N]
 *
 * What a reader's time is compared with: unpacks the blocks of a capture, which is in memory, and throws them
 * away. Each thread has the streams whose number it is modulo N. Prints the seconds on the clock of the best
 * of N runs (3) and the unpacked bytes.
 *
 *   74 72 FD 50, u8 codec (0 LZ4, 1 zstd), u8 streams; then blocks in turn: u32 size, bytes       tracy-file
 * 1
 */
#include "size.h"

#include <inttypes.h>
#include <lz4.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

enum { BLOCK = 65536, HEAD = 6, JOBS_MAX = 64 };

struct capture {
    uint8_t *data;
    size_t size;
    const uint8_t **blocks; /* their bytes, behind their sizes */
    size_t n;
    unsigned streams;
    bool zstd;
};

struct job {
    const struct capture *capture;
    unsigned number, jobs;
    uint64_t bytes;
    bool failed;
    pthread_t thread;
};

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int load(struct capture *c, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return -1;
    c->size = (size_t)ftell(file);
    rewind(file);
    c->data = malloc(c->size + 1);
    c->blocks = malloc((c->size / 5 + 1) * sizeof *c->blocks);
    if (!c->data || !c->blocks || fread(c->data, 1, c->size, file) != c->size || c->size < HEAD)
        return -1;
    fclose(file);
    c->zstd = c->data[4] == 1;
    c->streams = c->data[5];
    for (size_t at = HEAD; at + 4 <= c->size; at += 4 + load32(c->data + at))
        c->blocks[c->n++] = c->data + at + 4;
    return c->streams ? 0 : -1;
}

static void unpack_zstd(struct job *job, unsigned stream, uint8_t *buffer)
{
    const struct capture *c = job->capture;
    ZSTD_DCtx *context = ZSTD_createDCtx();
    for (size_t i = stream; i < c->n && !job->failed; i += c->streams) {
        ZSTD_inBuffer in = {c->blocks[i], load32(c->blocks[i] - 4), 0};
        ZSTD_outBuffer out = {buffer, BLOCK, 0};
        job->failed = ZSTD_isError(ZSTD_decompressStream(context, &out, &in));
        job->bytes += out.pos;
    }
    ZSTD_freeDCtx(context);
}

static void unpack_lz4(struct job *job, unsigned stream, uint8_t *buffer)
{
    const struct capture *c = job->capture;
    unsigned turn = 0;
    int before = 0;
    for (size_t i = stream; i < c->n && !job->failed; i += c->streams, turn ^= 1) {
        int n = LZ4_decompress_safe_usingDict((const char *)c->blocks[i], (char *)buffer + turn * BLOCK,
                                              (int)load32(c->blocks[i] - 4), BLOCK,
                                              (const char *)buffer + (turn ^ 1) * BLOCK, before);
        job->failed = n < 0;
        before = n;
        job->bytes += n > 0 ? (uint64_t)n : 0;
    }
}

static void *work(void *ctx)
{
    struct job *job = ctx;
    uint8_t *buffer = malloc(2 * BLOCK);
    job->bytes = 0;
    job->failed = !buffer;
    for (unsigned s = job->number; s < job->capture->streams && !job->failed; s += job->jobs)
        (job->capture->zstd ? unpack_zstd : unpack_lz4)(job, s, buffer);
    free(buffer);
    return NULL;
}

/* Seconds of one run. */
static double run(const struct capture *c, unsigned jobs, uint64_t *bytes)
{
    struct job job[JOBS_MAX];
    struct timespec begin, end;
    bool failed = false;
    *bytes = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned i = 0; i < jobs; i++) {
        job[i] = (struct job){.capture = c, .number = i, .jobs = jobs};
        if (pthread_create(&job[i].thread, NULL, work, &job[i]))
            exit(1);
    }
    for (unsigned i = 0; i < jobs; i++) {
        pthread_join(job[i].thread, NULL);
        *bytes += job[i].bytes;
        failed |= job[i].failed;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (failed)
        exit(1);
    return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

int main(int argc, char **argv)
{
    struct capture c = {0};
    uint64_t jobs = 1, runs = 3, bytes = 0;
    double best = 0;
    for (int i = 2; i + 1 < argc; i += 2)
        if (tk_bench_size(argv[i + 1], strcmp(argv[i], "--jobs") == 0 ? &jobs : &runs))
            argc = 0;
    if (argc < 2 || !jobs || jobs > JOBS_MAX || load(&c, argv[1])) {
        fprintf(stderr, "usage: bench-unpack-tracy FILE [--jobs N] [--runs N]\n");
        return 2;
    }
    for (uint64_t i = 0; i < runs; i++) {
        double seconds = run(&c, (unsigned)jobs, &bytes);
        best = i && best < seconds ? best : seconds;
    }
    printf("unpack %.6f %" PRIu64 "\n", best, bytes);
    free(c.blocks);
    free(c.data);
    return 0;
}
