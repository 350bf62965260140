/*
 * The container of a .tracy file that is written: its head, and blocks of 64 KiB that one or several streams
 * compress in turn (tracy-file 1). payload.h cuts the payload into the blocks.
 */
#ifndef TK_FORMAT_TRACY_WRITE_PACKER_H
#define TK_FORMAT_TRACY_WRITE_PACKER_H

#include "base/cursor.h"
#include "base/err.h"
#include "format/tracy/file/payload.h"
#include "format/tracy/file/read.h"
#include "format/tracy/file/version.h"
#include "io/scratch/pool.h"

/* The first bytes of the file. The first two have one stream and a codec of their own. */
enum tk_tracy_mark { TK_TRACY_MARK_LZ4, TK_TRACY_MARK_ZSTD, TK_TRACY_MARK_STREAMS };

struct tk_tracy_packing {
    enum tk_tracy_mark mark;
    enum tk_tracy_codec codec;
    int level;            /* of zstd; of LZ4: 0 is the fast one, others are those of LZ4 HC */
    unsigned streams;     /* 1 to 255 */
    struct tk_pool *pool; /* whose threads compress while blocks are filled; borrowed; NULL: nobody does. The
                             file is the same */
};

/* What Tracy's own tools of a version choose: one stream of LZ4 before 0.11, four of zstd level 3 since. */
struct tk_tracy_packing tk_tracy_packing_of(uint32_t version);

/* Takes bytes of the file. TK_OK or a negative TK_E... with its cause. */
typedef int tk_tracy_write_fn(void *ctx, const void *p, size_t n, struct tk_err *err);

struct tk_tracy_packed_stream {
    uint8_t *capacity; /* owned: the block that is filled, the one under way, and that before it, in turn */
    size_t filled;     /* bytes of the block that waits */
    const uint8_t *block; /* the one under way, n bytes, */
    size_t n;
    uint8_t *packed; /* and what became of it, `size` bytes, 0 where it failed; owned */
    size_t size;
    unsigned turn;
    union LZ4_stream_u *lz4; /* owned, one of the three */
    union LZ4_streamHC_u *lz4hc;
    struct ZSTD_CCtx_s *zstd;
};

struct tk_tracy_packer {
    struct tk_tracy_packing packing;
    tk_tracy_write_fn *write;
    void *ctx; /* borrowed */
    unsigned turn;
    unsigned waiting;                       /* blocks that are filled, */
    unsigned first, running;                /* those that are under way, and the turn of the first of them */
    struct tk_tracy_packed_stream *streams; /* owned */
    struct tk_task task;
};

/* Writes the head. TK_OK, TK_EUSAGE (a packing that no file can have), TK_ENOMEM or what `write` said. Close
 * it in any case. */
int tk_tracy_packer_open(struct tk_tracy_packer *p, const struct tk_tracy_packing *packing,
                         tk_tracy_write_fn *write, void *ctx, struct tk_err *err);

/* Where the next block is to be put: space for TK_TRACY_BLOCK bytes. */
uint8_t *tk_tracy_packer_space(struct tk_tracy_packer *p);

/* Packs and writes the n bytes in that space, at once or with later ones: TK_TRACY_BLOCK of them but for the
 * last block. TK_OK, TK_ENOMEM or what `write` said. */
int tk_tracy_packer_block(struct tk_tracy_packer *p, size_t n, struct tk_err *err);

/* Writes all that is not written yet. As tk_tracy_packer_block. */
int tk_tracy_packer_flush(struct tk_tracy_packer *p, struct tk_err *err);

/* Frees everything; a packer of zeros may be closed. */
void tk_tracy_packer_close(struct tk_tracy_packer *p);

/*
 * The payload of a .tracy file that is written: values one after the other, cut into blocks that packer.h
 * compresses (tracy-file 3). The records of sections are put with it.
 *
 * The first error sticks: later values are dropped, and tk_tracy_writer_close returns the error. Callers
 * therefore put whole sections without looking.
 */

struct tk_tracy_writer {
    struct tk_tracy_packer packer;
    uint32_t version;
    struct tk_tracy_layout layout;
    uint8_t *block;         /* in the packer's space */
    size_t n;               /* bytes in it */
    uint64_t total;         /* bytes of the payload in blocks before */
    int64_t time, gpu_time; /* running times of the list that is written */
    int rc;                 /* the first error, or TK_OK */
    struct tk_err *err;     /* borrowed */
};

/* Begins a file of a version that is known (TK_TRACY_OLDEST to TK_TRACY_NEWEST). err is where the first error
 * will be reported. Close it in any case. */
void tk_tracy_writer_open(struct tk_tracy_writer *w, uint32_t version, const struct tk_tracy_packing *packing,
                          tk_tracy_write_fn *write, void *ctx, struct tk_err *err);

/* Writes the last block and frees. TK_OK or the first error. */
int tk_tracy_writer_close(struct tk_tracy_writer *w);

/* Bytes of the payload so far. */
static inline uint64_t tk_tracy_writer_size(const struct tk_tracy_writer *w)
{
    return w->total + w->n;
}

/* Bytes as they are. */
void tk_tracy_put_bytes(struct tk_tracy_writer *w, const void *p, size_t n);

/* As tk_tracy_put where the block has no space for the value. */
void tk_tracy_put_across(struct tk_tracy_writer *w, uint64_t value, unsigned bytes);

/* The low bytes of a number, 8 at most. */
static inline void tk_tracy_put(struct tk_tracy_writer *w, uint64_t value, unsigned bytes)
{
    if (w->rc != TK_OK || w->n + 8 > TK_TRACY_BLOCK) {
        tk_tracy_put_across(w, value, bytes);
        return;
    }
    /* all eight, so that it is one store: there is space, and what is too much is written over */
    uint8_t *p = w->block + w->n;
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
    p[4] = (uint8_t)(value >> 32);
    p[5] = (uint8_t)(value >> 40);
    p[6] = (uint8_t)(value >> 48);
    p[7] = (uint8_t)(value >> 56);
    w->n += bytes;
}

/* A length of 8 bytes with its text. */
void tk_tracy_put_text(struct tk_tracy_writer *w, const void *p, size_t n);

/* A list's running time begins at 0; a time is written as the difference to the one before. */
static inline void tk_tracy_put_time(struct tk_tracy_writer *w, int64_t time)
{
    tk_tracy_put(w, (uint64_t)time - (uint64_t)w->time, 8);
    w->time = time;
}

static inline void tk_tracy_put_ref(struct tk_tracy_writer *w, struct tk_tracy_ref ref)
{
    tk_tracy_put(w, ref.value, 8);
    tk_tracy_put(w, ref.flags, 1);
}

/* A count, and the running times of its list begin at 0. */
static inline void tk_tracy_put_list(struct tk_tracy_writer *w, uint64_t n)
{
    tk_tracy_put(w, n, 8);
    w->time = w->gpu_time = 0;
}

static inline void tk_tracy_put_f64(struct tk_tracy_writer *w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    tk_tracy_put(w, bits, 8);
}

static inline void tk_tracy_put_f32(struct tk_tracy_writer *w, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    tk_tracy_put(w, bits, 4);
}

/* As tk_tracy_put_time, of the GPU. */
static inline void tk_tracy_put_gpu_time(struct tk_tracy_writer *w, int64_t time)
{
    tk_tracy_put(w, (uint64_t)time - (uint64_t)w->gpu_time, 8);
    w->gpu_time = time;
}

/* Fields of records.h, by their kinds. */
#define TK_TRACY_PUT_U8(w, v)     tk_tracy_put(w, v, 1)
#define TK_TRACY_PUT_I8(w, v)     tk_tracy_put(w, (uint8_t)(v), 1)
#define TK_TRACY_PUT_U16(w, v)    tk_tracy_put(w, v, 2)
#define TK_TRACY_PUT_I16(w, v)    tk_tracy_put(w, (uint16_t)(v), 2)
#define TK_TRACY_PUT_U24(w, v)    tk_tracy_put(w, v, 3)
#define TK_TRACY_PUT_U32(w, v)    tk_tracy_put(w, v, 4)
#define TK_TRACY_PUT_I32(w, v)    tk_tracy_put(w, (uint32_t)(v), 4)
#define TK_TRACY_PUT_U64(w, v)    tk_tracy_put(w, v, 8)
#define TK_TRACY_PUT_I64(w, v)    tk_tracy_put(w, (uint64_t)(v), 8)
#define TK_TRACY_PUT_I48(w, v)    tk_tracy_put(w, (uint64_t)(v), 6)
#define TK_TRACY_PUT_F32(w, v)    tk_tracy_put_f32(w, v)
#define TK_TRACY_PUT_F64(w, v)    tk_tracy_put_f64(w, v)
#define TK_TRACY_PUT_COUNT(w, v)  tk_tracy_put(w, v, 8)
#define TK_TRACY_PUT_DT(w, v)     tk_tracy_put_time(w, v)
#define TK_TRACY_PUT_GT(w, v)     tk_tracy_put_gpu_time(w, v)
#define TK_TRACY_PUT_REF(w, v)    tk_tracy_put_ref(w, v)
#define TK_TRACY_PUT_NAME12(w, x) tk_tracy_put_bytes(w, (x).v, sizeof(x).v)

#define TK_TRACY_PUT_FIELD(name, kind, role, text, when, what)                                               \
    if (when)                                                                                                \
        TK_TRACY_PUT_##kind(w, v->name);

/* Of each record: what puts one, by the layout of the writer. Counts that stand before records are put by the
 * caller. */
#define TK_TRACY_DECLARE_PUT(record, FIELDS, how, title)                                                     \
    static inline void tk_tracy_put_##record(struct tk_tracy_writer *w, const struct tk_tracy_##record *v)   \
    {                                                                                                        \
        const struct tk_tracy_layout *l = &w->layout;                                                        \
        (void)l;                                                                                             \
        FIELDS(TK_TRACY_PUT_FIELD)                                                                           \
    }
TK_TRACY_EACH_RECORD(TK_TRACY_DECLARE_PUT)
#undef TK_TRACY_DECLARE_PUT
#undef TK_TRACY_PUT_FIELD

enum { TK_TRACY_CPU_LISTS = 256 };

/* ---- zones ---- */

/* Behind the head of a thread: how many zones of the first level follow. */
static inline void tk_tracy_put_roots(struct tk_tracy_writer *w, uint32_t roots)
{
    tk_tracy_put(w, roots, 4);
    w->time = 0;
}

/* A zone begins, its children follow, it ends (-1: it is open). */
static inline void tk_tracy_put_zone_begin(struct tk_tracy_writer *w, int16_t location, int64_t start,
                                           uint32_t extra, uint32_t children)
{
    tk_tracy_put(w, (uint16_t)location, 2);
    tk_tracy_put_time(w, start);
    tk_tracy_put(w, (uint64_t)extra | (uint64_t)children << 32, 8);
}

static inline void tk_tracy_put_zone_end(struct tk_tracy_writer *w, int64_t end)
{
    tk_tracy_put_time(w, end);
}

/* How long an allocation lived that was released at `freed`; below 0: it was not released. */
static inline int64_t tk_tracy_life(int64_t time, int64_t freed)
{
    return freed < 0 ? freed : (int64_t)((uint64_t)freed - (uint64_t)time);
}

/* ---- frames, images, texts ---- */

/* A frame of a set. */
static inline void tk_tracy_put_frame_of(struct tk_tracy_writer *w, bool continuous,
                                         const struct tk_tracy_lone_frame *v)
{
    if (continuous)
        tk_tracy_put_frame(w, &(struct tk_tracy_frame){v->start, v->image});
    else
        tk_tracy_put_lone_frame(w, v);
}

/* The dictionary of images (none), and how many images follow. */
void tk_tracy_put_images(struct tk_tracy_writer *w, uint64_t n);

/* A length of 4 bytes with its bytes. */
void tk_tracy_put_short_text(struct tk_tracy_writer *w, const void *p, uint32_t n);

/* ---- the front ---- */

struct tk_tracy_head {
    struct tk_tracy_header h;                    /* times in ns */
    struct tk_tracy_header_times t;              /* in seconds since 1970 */
    struct tk_bytes capture_name, program, host; /* borrowed */
};

/* Mark, version and header. */
void tk_tracy_put_head(struct tk_tracy_writer *w, const struct tk_tracy_head *h);

/* A hardware thread of the CPU. */
struct tk_tracy_cpu_thread {
    uint32_t package, die, core, thread;
};

/* The whole topology; what belongs together need not follow each other. */
void tk_tracy_put_topology(struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t n);

#endif
