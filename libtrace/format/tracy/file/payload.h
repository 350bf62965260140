/*
 * Payload: a checked reader over the unpacked stream of a capture, forwards only, across the borders of the
 * pieces in which it comes.
 *
 * Like the cursor (base/cursor.h): the first read that does not fit sets a sticky fault, all later reads give
 * zero, so a record is read in straight lines and checked once with tk_tracy_ok(). Values read after a fault
 * must not be stored.
 */
#ifndef TK_FORMAT_TRACY_CONTAINER_PAYLOAD_H
#define TK_FORMAT_TRACY_CONTAINER_PAYLOAD_H

#include "base/cursor.h"
#include "base/err.h"
#include "base/vec.h"
#include "fact/format.h"

#include <stdbool.h>

#define TK_TRACY_TAKE 64 /* most bytes that are taken at once */

/* Gives the next piece, not empty, borrowed until the next call: TK_ITEM, TK_OK at the end, negative on
 * failure. */
typedef int tk_tracy_more_fn(void *ctx, struct tk_bytes *out, struct tk_err *err);

struct tk_tracy_layout;

struct tk_tracy_payload {
    const uint8_t *p, *end; /* what is left of the piece; borrowed */
    uint64_t end_at;        /* offset of `end` in the payload, bytes */
    const char *fault; /* NULL, or a static text: what was read when the bytes ran out, or what is wrong */
    uint64_t fault_at; /* offset where that began */
    bool content;      /* the fault is one of content, known by tk_tracy_fail(), not of missing bytes */
    int rc;            /* TK_OK, or the failure of `more` that caused the fault */
    struct tk_err err; /* of rc */
    tk_tracy_more_fn *more;
    void *ctx;
    const struct tk_tracy_layout *layout; /* of records.h; borrowed, set by who reads records */
    uint64_t most;                        /* greatest count of records that is believed */
    int64_t time, gpu_time;               /* running times of the list that is read; set where it begins */
    uint8_t carry[TK_TRACY_TAKE];
};

/* A string: none, a pointer of the program, or its number in the table (tracy-file 3, StringRef). */
struct tk_tracy_ref {
    uint64_t value;
    uint8_t flags; /* 1 value is a number, 2 there is a string */
};
enum { TK_TRACY_REF_NONE = 0, TK_TRACY_REF_POINTER = 2, TK_TRACY_REF_NUMBER = 3 };

struct tk_tracy_name12 {
    uint8_t v[12];
};

/* Begins at offset 0; `more` is called when the first byte is needed. */
void tk_tracy_payload_init(struct tk_tracy_payload *in, tk_tracy_more_fn *more, void *ctx);

/* The parts of the functions below that leave the piece. */
const uint8_t *tk_tracy_take_far(struct tk_tracy_payload *in, size_t n, const char *what);
void tk_tracy_skip_far(struct tk_tracy_payload *in, uint64_t n, const char *what);

/* Copies the next n bytes. */
void tk_tracy_copy(struct tk_tracy_payload *in, void *out, size_t n, const char *what);

/* Is the payload at its end? Requests another piece where it must. False after a fault. */
bool tk_tracy_at_end(struct tk_tracy_payload *in);

/* Sets a fault of content at an offset, unless there is one. `what` must be a static text. */
void tk_tracy_fail(struct tk_tracy_payload *in, uint64_t at, const char *what);

static inline bool tk_tracy_ok(const struct tk_tracy_payload *in)
{
    return in->fault == NULL;
}

/* Offset of the next byte. */
static inline uint64_t tk_tracy_at(const struct tk_tracy_payload *in)
{
    return in->end_at - (uint64_t)(in->end - in->p);
}

/* The next n (at most TK_TRACY_TAKE) bytes in a row, borrowed until the next read; NULL and a fault when
 * fewer are left. */
static inline const uint8_t *tk_tracy_take(struct tk_tracy_payload *in, size_t n, const char *what)
{
    const uint8_t *p = in->p;
    if ((size_t)(in->end - p) < n)
        return tk_tracy_take_far(in, n, what);
    in->p = p + n;
    return p;
}

static inline void tk_tracy_skip(struct tk_tracy_payload *in, uint64_t n, const char *what)
{
    if ((uint64_t)(in->end - in->p) >= n)
        in->p += n;
    else
        tk_tracy_skip_far(in, n, what);
}

static inline uint8_t tk_tracy_u8(struct tk_tracy_payload *in, const char *what)
{
    const uint8_t *p = tk_tracy_take(in, 1, what);
    return p ? *p : 0;
}

static inline uint16_t tk_tracy_u16(struct tk_tracy_payload *in, const char *what)
{
    const uint8_t *p = tk_tracy_take(in, 2, what);
    return p ? tk_load16(p) : 0;
}

static inline uint32_t tk_tracy_u24(struct tk_tracy_payload *in, const char *what)
{
    const uint8_t *p = tk_tracy_take(in, 3, what);
    return p ? (uint32_t)tk_load_le(p, 3) : 0;
}

static inline uint32_t tk_tracy_u32(struct tk_tracy_payload *in, const char *what)
{
    const uint8_t *p = tk_tracy_take(in, 4, what);
    return p ? tk_load32(p) : 0;
}

static inline uint64_t tk_tracy_u64(struct tk_tracy_payload *in, const char *what)
{
    const uint8_t *p = tk_tracy_take(in, 8, what);
    return p ? tk_load64(p) : 0;
}

static inline int64_t tk_tracy_i64(struct tk_tracy_payload *in, const char *what)
{
    return (int64_t)tk_tracy_u64(in, what);
}

/* A count at p: one that no payload can hold is a fault, and the next byte is the one behind it. */
static inline uint64_t tk_tracy_load_count(struct tk_tracy_payload *in, const uint8_t *p, const char *what)
{
    const uint64_t n = tk_load64(p);
    if (n <= in->most)
        return n;
    in->p = p + 8;
    tk_tracy_fail(in, tk_tracy_at(in) - 8, what);
    return 0;
}

static inline uint64_t tk_tracy_read_bounded(struct tk_tracy_payload *in, const char *what)
{
    const uint64_t at = tk_tracy_at(in), n = tk_tracy_u64(in, what);
    if (n <= in->most)
        return n;
    tk_tracy_fail(in, at, what);
    return 0;
}

/* Six bytes, signed. */
static inline int64_t tk_tracy_load_i48(const uint8_t *p)
{
    return (int64_t)((tk_load_le(p, 6) ^ UINT64_C(1) << 47) - (UINT64_C(1) << 47));
}

static inline int64_t tk_tracy_i48(struct tk_tracy_payload *in, const char *what)
{
    const uint8_t *p = tk_tracy_take(in, 6, what);
    return p ? tk_tracy_load_i48(p) : 0;
}

static inline double tk_tracy_load_f64(const uint8_t *p)
{
    uint64_t bits = tk_load64(p);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline double tk_tracy_f64(struct tk_tracy_payload *in, const char *what)
{
    const uint8_t *p = tk_tracy_take(in, 8, what);
    return p ? tk_tracy_load_f64(p) : 0;
}

static inline float tk_tracy_load_f32(const uint8_t *p)
{
    uint32_t bits = tk_load32(p);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline float tk_tracy_f32(struct tk_tracy_payload *in, const char *what)
{
    const uint8_t *p = tk_tracy_take(in, 4, what);
    return p ? tk_tracy_load_f32(p) : 0;
}

static inline struct tk_tracy_ref tk_tracy_read_ref(struct tk_tracy_payload *in, const char *what)
{
    const uint8_t *p = tk_tracy_take(in, 9, what);
    return p ? (struct tk_tracy_ref){tk_load64(p), p[8]} : (struct tk_tracy_ref){0, 0};
}

static inline struct tk_tracy_name12 tk_tracy_load_name12(const uint8_t *p)
{
    struct tk_tracy_name12 name;
    memcpy(name.v, p, sizeof name.v);
    return name;
}

static inline struct tk_tracy_name12 tk_tracy_read_name12(struct tk_tracy_payload *in, const char *what)
{
    const uint8_t *p = tk_tracy_take(in, sizeof(struct tk_tracy_name12), what);
    return p ? tk_tracy_load_name12(p) : (struct tk_tracy_name12){{0}};
}

/* Adds a difference of times to a running time; wraps, as the format does (tracy-file 3). */
static inline int64_t tk_tracy_after(int64_t *time, const uint8_t *difference)
{
    return *time = (int64_t)((uint64_t)*time + tk_load64(difference));
}

/* Reads a difference and adds it to a running time. */
static inline int64_t tk_tracy_time(struct tk_tracy_payload *in, int64_t *time, const char *what)
{
    return *time = (int64_t)((uint64_t)*time + tk_tracy_u64(in, what));
}

/*
 * The container of a .tracy file: which codec, how many streams, where its blocks lie (tracy-file 1).
 */

#define TK_TRACY_BLOCK 65536u /* bytes that each block but the last unpacks to */

/* Most bytes that a block can take in the file: the larger bound of the two codecs, rounded up. */
#define TK_TRACY_BLOCK_STORED (TK_TRACY_BLOCK + 1024u)

enum tk_tracy_codec { TK_TRACY_LZ4, TK_TRACY_ZSTD };

struct tk_tracy_container {
    enum tk_tracy_codec codec;
    unsigned streams;        /* 1 .. 255 */
    const char *magic;       /* as text, static */
    uint32_t head;           /* bytes before the first block */
    TK_VEC(uint64_t) blocks; /* file offset of each whole block, and of what follows the last one */
    size_t n;                /* blocks */
    uint64_t zeros;          /* offset behind zeros that were seen */
    bool truncated;          /* the file ends inside a block */
};

/* tk_format.probe */
int tk_tracy_container_probe(const uint8_t *head, size_t n);

/*
 * Reads the head and walks the sizes of the blocks; fills the ledger and notes where the walk ends early.
 * TK_OK; TK_EFORMAT with a sentence when the head makes no sense, TK_EIO, TK_ENOMEM, TK_ELIMIT (packets).
 */
int tk_tracy_container_open(struct tk_tracy_container *box, struct tk_context *ctx, struct tk_err *err);

void tk_tracy_container_release(struct tk_tracy_container *box);

/*
 * The blocks of a container, unpacked in order and ahead of their use.
 *
 * Each stream of the container is unpacked by the pool as far ahead as it has places. Memory is bounded by
 * these and the windows of the streams (zstd).
 */

struct tk_tracy_blocks;

/* Begins at the first block. ctx and box are borrowed. TK_OK or TK_ENOMEM. */
int tk_tracy_blocks_open(struct tk_tracy_blocks **out, struct tk_context *ctx,
                         const struct tk_tracy_container *box, struct tk_err *err);

/*
 * The next bytes of the unpacked stream, borrowed until the next call. TK_ITEM; TK_OK behind the last block
 * that can be unpacked; TK_EIO, TK_ENOMEM.
 */
int tk_tracy_blocks_next(struct tk_tracy_blocks *b, struct tk_bytes *out, struct tk_err *err);

/* 1 + the worker of the pool who is to unpack the next bytes, and has them at hand then (tk_task.home). */
unsigned tk_tracy_blocks_home(const struct tk_tracy_blocks *b);

/*
 * After TK_OK: the block that cannot be unpacked, why (static), and whether the file became shorter; box->n
 * and NULL when there was none.
 */
size_t tk_tracy_blocks_bad(const struct tk_tracy_blocks *b, const char **why, bool *gone);

/* After TK_OK: is the last block that was unpacked a full one, so that more may have followed it? */
bool tk_tracy_blocks_full(const struct tk_tracy_blocks *b);

/* NULL is allowed. */
void tk_tracy_blocks_close(struct tk_tracy_blocks *b);

#endif
