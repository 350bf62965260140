/*
 * damage-tracy STEP [FILE]
 *
 * Damages a capture of the Tracy profiler in many ways, and queries everything of each: its unpacked stream
 * cut off at every STEP-th byte, one bit of every STEP-th byte of the stream flipped, and of the file.
 * Without FILE the capture is the sample of the unit tests: in three versions, and cut off in one of each
 * layout.
 *
 * What is requested must end with an answer or an error with a cause; from a longer piece there must not come
 * fewer events; a cut and a flipped bit of the stream must not keep a capture with a whole header from being
 * opened. The rest is for sanitizers and limits to find. Prints how many captures were requested.
 *
 *   blocks: u32 size, bytes; block k is of stream k modulo N                                     tracy-file 1
 */
#include "unit/format/tracy/sample.h"

#include <inttypes.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <tracekit.h>
#include <unistd.h>
#include <zstd.h>

enum { BLOCK = 65536, MOST_TABLES = 128, FRONT = 8 };

struct stream {
    ZSTD_DCtx *zstd;
    uint8_t *before; /* the last block */
    int n_before;
};

struct damage {
    char scratch[256];
    size_t step;
    uint8_t *payload;
    size_t n;
    uint64_t requested, wrong;
};

static void fail(struct damage *d, const char *what, size_t at, const char *why)
{
    if (d->wrong++ < 10)
        fprintf(stderr, "%s at %zu: %s\n", what, at, why);
}

/* ---- querying ---- */

/* Events so far in *self. */
static int count_rows(void *self, const struct tk_table *table, const struct tk_rows *rows,
                      struct tk_err *err)
{
    uint64_t *events = self;
    (void)err;
    for (size_t i = 0; i < rows->n && strcmp(table->name, "event_counts") == 0; i++)
        *events += rows->cells[i * table->n_columns + 1].v.u;
    return TK_OK;
}

static int ask_tables(struct tk_trace *trace, uint64_t *events, struct tk_err *err)
{
    const char *names[MOST_TABLES];
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_sink sink = {.self = events, .rows = count_rows};
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    for (size_t i = 0; i < n; i++)
        if (!(tables[i]->flags & TK_TABLE_ON_REQUEST) && tk_has_table(trace, tables[i]->name))
            names[query.n_tables++] = tables[i]->name;
    query.tables = names;
    query.mixed = true;
    return tk_query_run(trace, &query, &sink, err);
}

/* Tables that only add up: zones come closed to these. */
static int ask_sums(struct tk_trace *trace, struct tk_err *err)
{
    static const char *const names[] = {"timers", "quality"};
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_sink sink = {0};
    query.tables = names;
    query.n_tables = sizeof names / sizeof *names;
    return tk_query_run(trace, &query, &sink, err);
}

static int ask_preset(struct tk_trace *trace, const char *table, bool unwrap, struct tk_err *err)
{
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_export_options options = TK_INIT(struct tk_export_options);
    struct tk_export_zones zones = TK_INIT(struct tk_export_zones);
    query.tables = &table;
    query.n_tables = 1;
    zones.unwrap = unwrap;
    zones.truncated_mean = unwrap ? 0 : 90;
    options.preset = "tracy";
    options.path = "/dev/null";
    options.force = true;
    options.zones = &zones;
    return tk_export_run(trace, &query, &options, err);
}

static int ask_presets(struct tk_trace *trace, struct tk_err *err)
{
    static const struct {
        const char *table;
        bool unwrap;
    } cases[] = {{"zones", false}, {"zones", true}, {"gpu", false}, {"messages", false}, {"plots", true}};
    int rc = TK_OK;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && rc == TK_OK; i++)
        rc = ask_preset(trace, cases[i].table, cases[i].unwrap, err);
    return rc;
}

/* What tk_open or a query returned; the events of the capture. */
static int ask(struct damage *d, uint64_t *events, bool *opened)
{
    struct tk_err err = {0};
    struct tk_trace *trace = NULL;
    int rc = tk_open(&trace, d->scratch, NULL, &err);
    *events = 0;
    *opened = rc >= 0;
    if (rc >= 0)
        rc = ask_tables(trace, events, &err);
    if (rc >= 0)
        rc = ask_sums(trace, &err);
    if (rc >= 0)
        rc = ask_presets(trace, &err);
    if (rc < 0 && !err.n)
        fail(d, "error", (size_t)-rc, "it has no cause");
    tk_close(trace);
    d->requested++;
    return rc;
}

/* ---- captures ---- */

static int write_file(const char *path, const void *p, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return -1;
    int bad = fwrite(p, 1, n, file) != n;
    return fclose(file) || bad ? -1 : 0;
}

/* The stream in blocks of one LZ4 stream that do not refer to each other. */
static int write_stream(const struct damage *d, size_t n)
{
    static const uint8_t magic[] = {0x74, 0x72, 0xfd, 0x50, 0, 1};
    size_t capacity = sizeof magic + (n / BLOCK + 1) * (4 + (size_t)LZ4_compressBound(BLOCK)),
           at = sizeof magic;
    uint8_t *out = malloc(capacity);
    if (!out)
        return -1;
    memcpy(out, magic, sizeof magic);
    for (size_t i = 0; i < n; i += BLOCK) {
        int part = (int)(n - i < BLOCK ? n - i : BLOCK);
        int packed = LZ4_compress_default((const char *)d->payload + i, (char *)out + at + 4, part,
                                          LZ4_compressBound(BLOCK));
        for (int k = 0; k < 4; k++)
            out[at + (size_t)k] = (uint8_t)((unsigned)packed >> (8 * k));
        at += 4 + (size_t)packed;
    }
    int rc = write_file(d->scratch, out, at);
    free(out);
    return rc;
}

static int unpack(struct stream *s, bool zstd, const uint8_t *p, size_t n, uint8_t *out)
{
    if (zstd) {
        ZSTD_inBuffer in = {p, n, 0};
        ZSTD_outBuffer to = {out, BLOCK, 0};
        s->zstd = s->zstd ? s->zstd : ZSTD_createDCtx();
        return ZSTD_isError(ZSTD_decompressStream(s->zstd, &to, &in)) ? -1 : (int)to.pos;
    }
    int got = LZ4_decompress_safe_usingDict((const char *)p, (char *)out, (int)n, BLOCK,
                                            (const char *)s->before, s->n_before);
    s->before = out;
    s->n_before = got > 0 ? got : 0;
    return got;
}

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Unpacks a file of several streams. */
static int take(struct damage *d, const uint8_t *file, size_t size)
{
    struct stream streams[256] = {{0}};
    size_t n = 0, cap = 0;
    int rc = size > 6 && file[5] ? 0 : -1;
    for (size_t at = 6; rc == 0 && at + 4 <= size; at += 4 + load32(file + at))
        cap += BLOCK;
    d->payload = malloc(cap + 1);
    d->n = 0;
    for (size_t at = 6; rc == 0 && at + 4 <= size; at += 4 + load32(file + at), n++) {
        int got =
            unpack(&streams[n % file[5]], file[4] == 1, file + at + 4, load32(file + at), d->payload + d->n);
        rc = got < 0 ? -1 : 0;
        d->n += got > 0 ? (size_t)got : 0;
    }
    for (size_t i = 0; i < 256; i++)
        ZSTD_freeDCtx(streams[i].zstd);
    return rc;
}

/* ---- damage ---- */

static void cut_stream(struct damage *d)
{
    uint64_t before = UINT64_MAX, events;
    bool opened;
    for (size_t n = d->n; n > 0; n -= n < d->step ? n : d->step) {
        if (write_stream(d, n))
            fail(d, "cut", n, "cannot write");
        int rc = ask(d, &events, &opened);
        if (opened != (n >= FRONT))
            fail(d, "cut", n, opened ? "a part of the version is enough" : "it cannot be opened");
        if (opened && rc < 0)
            fail(d, "cut", n, "it cannot be asked");
        if (opened && events > before)
            fail(d, "cut", n, "it has more events than a longer piece");
        before = events;
    }
}

static void flip_stream(struct damage *d)
{
    uint64_t events;
    bool opened;
    for (size_t i = FRONT; i < d->n; i += d->step) {
        uint8_t bit = (uint8_t)(1u << (i / d->step * 5 % 8));
        d->payload[i] ^= bit;
        if (write_stream(d, d->n))
            fail(d, "flip", i, "cannot write");
        if (ask(d, &events, &opened) < 0)
            fail(d, "flip", i, "it cannot be asked");
        d->payload[i] ^= bit;
    }
}

static void flip_file(struct damage *d, uint8_t *file, size_t size)
{
    uint64_t events;
    bool opened;
    for (size_t i = 0; i < size; i += d->step) {
        uint8_t bit = (uint8_t)(1u << (i / d->step * 3 % 8));
        file[i] ^= bit;
        if (write_file(d->scratch, file, size))
            fail(d, "flip in the file", i, "cannot write");
        ask(d, &events, &opened);
        file[i] ^= bit;
    }
}

static void damage(struct damage *d, uint8_t *file, size_t size, bool flip)
{
    if (take(d, file, size)) {
        fail(d, "capture", 0, "it cannot be unpacked");
    } else {
        cut_stream(d);
        if (flip) {
            flip_stream(d);
            flip_file(d, file, size);
        }
    }
    free(d->payload);
}

static void damage_sample(struct damage *d, uint32_t version, enum tk_tw_codec codec, unsigned streams,
                          bool flip)
{
    struct tk_uw_bytes bytes = {0};
    const struct tk_tw_options options = {.memory = &bytes,
                                          .version = version,
                                          .container = TK_TW_MANY,
                                          .codec = codec,
                                          .level = 3,
                                          .streams = streams};
    if (tk_tw_write(&options, &sample))
        fail(d, "sample", 0, "it cannot be written");
    else
        damage(d, bytes.data, bytes.size, flip);
    tk_uw_bytes_release(&bytes);
}

static void damage_file(struct damage *d, const char *path)
{
    FILE *in = fopen(path, "rb");
    uint8_t *file = malloc(1 << 24);
    size_t size = in && file ? fread(file, 1, 1 << 24, in) : 0;
    if (size)
        damage(d, file, size, true);
    else
        fail(d, path, 0, "it cannot be read");
    if (in)
        fclose(in);
    free(file);
}

static int make_scratch(struct damage *d)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(d->scratch, sizeof d->scratch, "%s/damage-tracy-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    int fd = mkstemp(d->scratch);
    if (fd >= 0)
        return close(fd);
    perror(d->scratch);
    return -1;
}

int main(int argc, char **argv)
{
    struct damage d = {.step = argc > 1 ? strtoul(argv[1], NULL, 10) : 0};
    if (argc < 2 || argc > 3 || !d.step) {
        fprintf(stderr, "usage: damage-tracy STEP [FILE]\n");
        return 2;
    }
    if (make_scratch(&d))
        return 1;
    if (argc == 3) {
        damage_file(&d, argv[2]);
    } else {
        damage_sample(&d, TK_TW_V(0, 14, 1), TK_TW_LZ4, 1, true);
        damage_sample(&d, TK_TW_V(0, 9, 0), TK_TW_ZSTD, 2, true);
        damage_sample(&d, TK_TW_V(0, 7, 0), TK_TW_LZ4HC, 1, true);
        for (size_t i = 0; i < LENGTH(sample_versions); i++)
            damage_sample(&d, sample_versions[i], TK_TW_LZ4, 1, false);
    }
    unlink(d.scratch);
    printf("%" PRIu64 " captures, %" PRIu64 " wrong\n", d.requested, d.wrong);
    return d.wrong != 0;
}
