/*
 * Rounds: see blocks.h. Block k belongs to stream k mod N; each stream decodes its blocks of a round in
 * order, as one piece of work.
 *
 * Blocks of a stream lie behind each other in memory, in a ring as large as two rounds need: LZ4 refers to
 * the block before, and is faster where that is what stands before its output. With more streams than blocks
 * in a round there is no ring, and a stream keeps a copy of its last block.
 */
#include "tracy/blocks.h"

#include <stdlib.h>

#include "io/file.h"
#include "tracy/codec.h"

#define ROUND 8u /* blocks: 512 KiB unpacked, so that two rounds stay in the cache of a core or near it */

struct round {
    size_t first, n; /* blocks */
    uint64_t begin;  /* file offset of the first */
    uint8_t *raw;    /* owned */
    size_t cap_raw, n_raw;
    size_t got[ROUND]; /* unpacked bytes of each block */
    int status[ROUND]; /* of each block: TK_OK, TK_EFORMAT, TK_ENOMEM, TK_EIO (not in the file any more) */
    struct tk_task task;
    bool started;
    struct tk_tracy_blocks *owner;
};

struct tk_tracy_blocks {
    struct tk_context *ctx;               /* borrowed */
    const struct tk_tracy_container *box; /* borrowed */
    struct tk_tracy_stream *streams;      /* owned; box->streams of them */
    uint8_t *out;                         /* owned; room for all blocks of two rounds */
    size_t ring;                          /* blocks of a stream in it; 0: one round behind the other */
    struct round rounds[2];
    unsigned turn;               /* the round that is handed out next */
    const struct round *current; /* the one that is handed out, `usable` blocks; NULL before the first */
    size_t at, usable;           /* the next one of them */
    size_t next;                 /* block with which the next round begins */
    size_t bad;                  /* first block that cannot be unpacked, or box->n */
    int why;                     /* its status */
    bool full, ended;
};

int tk_tracy_blocks_open(struct tk_tracy_blocks **out, struct tk_context *ctx,
                         const struct tk_tracy_container *box, struct tk_err *err)
{
    struct tk_tracy_blocks *b = calloc(1, sizeof *b);
    if (!b)
        return tk_err_nomem(err, "blocks");
    *out = b;
    b->ctx = ctx;
    b->box = box;
    b->bad = box->n;
    b->streams = calloc(box->streams, sizeof *b->streams);
    b->ring = box->streams <= ROUND ? (2 * ROUND + box->streams - 1) / box->streams : 0;
    b->out = malloc((b->ring ? b->ring * box->streams : 2 * ROUND) * TK_TRACY_BLOCK);
    b->rounds[0].owner = b->rounds[1].owner = b;
    if (b->streams && b->out)
        return TK_OK;
    tk_tracy_blocks_close(b);
    *out = NULL;
    return tk_err_nomem(err, "blocks");
}

/* Where a block is unpacked to. Any 2 * ROUND blocks in a row have places of their own. */
static uint8_t *place_of(const struct tk_tracy_blocks *b, size_t block)
{
    size_t streams = b->box->streams;
    size_t place = b->ring ? block % streams * b->ring + block / streams % b->ring : block % (2 * ROUND);
    return b->out + place * TK_TRACY_BLOCK;
}

/* ---- unpacking, by any worker ---- */

static int unpack_block(struct round *r, size_t i)
{
    const struct tk_tracy_container *box = r->owner->box;
    uint64_t at = box->blocks.v[r->first + i] - r->begin;
    struct tk_cur c = tk_cur_of(r->raw, r->n_raw);
    tk_take(&c, (size_t)at, "block");
    uint32_t n = tk_u32(&c, "block size");
    const uint8_t *p = tk_take(&c, n, "block");
    if (!p)
        return TK_EIO;
    return tk_tracy_stream_unpack(&r->owner->streams[(r->first + i) % box->streams], box->codec, p, n,
                                  place_of(r->owner, r->first + i), &r->got[i]);
}

/* The blocks of one stream; they are `streams` apart. */
static void unpack_piece(void *ctx, size_t piece, unsigned worker)
{
    struct round *r = ctx;
    unsigned streams = r->owner->box->streams;
    int rc = TK_OK;
    (void)worker;
    for (size_t i = piece; i < r->n; i += streams)
        rc = r->status[i] = rc == TK_OK ? unpack_block(r, i) : rc;
    /* With more streams than blocks in a round the buffer is used again before the stream's next block. */
    if (rc == TK_OK && streams > ROUND && r->owner->box->codec == TK_TRACY_LZ4)
        r->status[piece] = tk_tracy_stream_keep(&r->owner->streams[(r->first + piece) % streams]);
}

/* ---- rounds ---- */

/* Reads what is packed and starts unpacking. */
static int start_round(struct tk_tracy_blocks *b, struct round *r, struct tk_err *err)
{
    size_t left = b->box->n - b->next;
    r->first = b->next;
    r->n = left < ROUND ? left : ROUND;
    b->next += r->n;
    if (!r->n)
        return TK_OK;
    r->begin = b->box->blocks.v[r->first];
    size_t stored = (size_t)(b->box->blocks.v[r->first + r->n] - r->begin);
    if (tk_vec_grow((void **)&r->raw, &r->cap_raw, stored, 1))
        return tk_err_nomem(err, "blocks");
    int rc = tk_file_read(b->ctx->file, r->begin, r->raw, stored, &r->n_raw, err);
    if (rc != TK_OK)
        return rc;
    r->started = true;
    tk_pool_start(b->ctx->pool, &r->task, unpack_piece, r, r->n < b->box->streams ? r->n : b->box->streams);
    return TK_OK;
}

static void wait_round(struct tk_tracy_blocks *b, struct round *r)
{
    if (r->started)
        tk_pool_wait(b->ctx->pool, &r->task);
    r->started = false;
}

/* How many blocks of a round can be used: up to the first one that failed, or that is short before the end.
 */
static size_t count_usable(struct tk_tracy_blocks *b, const struct round *r)
{
    for (size_t i = 0; i < r->n; i++) {
        int status = r->status[i];
        if (status == TK_OK && r->got[i] < TK_TRACY_BLOCK && r->first + i + 1 < b->box->n)
            status = TK_EDAMAGE;
        if (status != TK_OK) {
            b->bad = r->first + i;
            b->why = status;
            return i;
        }
        b->full = r->got[i] == TK_TRACY_BLOCK;
    }
    return r->n;
}

/* Waits for the next round, and lets the one behind it be unpacked meanwhile. */
static int next_round(struct tk_tracy_blocks *b, struct tk_err *err)
{
    struct round *r = &b->rounds[b->turn], *other = &b->rounds[b->turn ^ 1];
    int rc = r->started ? TK_OK : start_round(b, r, err);
    if (rc != TK_OK)
        return rc;
    wait_round(b, r);
    b->current = r;
    b->at = 0;
    b->usable = count_usable(b, r);
    b->turn ^= 1;
    b->ended = b->bad < b->box->n || b->next >= b->box->n;
    if (b->bad < b->box->n && b->why == TK_ENOMEM)
        return tk_err_nomem(err, "unpacking");
    return !b->ended && tk_pool_jobs(b->ctx->pool) > 1 ? start_round(b, other, err) : TK_OK;
}

int tk_tracy_blocks_next(struct tk_tracy_blocks *b, struct tk_span *out, struct tk_err *err)
{
    while (b->at == b->usable) {
        int rc = b->ended ? TK_OK : next_round(b, err);
        if (rc != TK_OK || (b->ended && b->at == b->usable))
            return rc;
    }
    *out = (struct tk_span){place_of(b, b->current->first + b->at), b->current->got[b->at]};
    b->at++;
    return TK_ITEM;
}

size_t tk_tracy_blocks_bad(const struct tk_tracy_blocks *b, const char **why, bool *gone)
{
    static const struct {
        int status;
        const char *why;
    } reasons[] = {
        {TK_EFORMAT, "its data does not unpack"},
        {TK_EDAMAGE, "it unpacks to less than 65536 bytes, but is not the last"},
        {TK_EIO, "it is not in the file any more"},
    };
    *why = NULL;
    *gone = b->bad < b->box->n && b->why == TK_EIO;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0] && b->bad < b->box->n; i++)
        if (reasons[i].status == b->why)
            *why = reasons[i].why;
    return b->bad;
}

bool tk_tracy_blocks_full(const struct tk_tracy_blocks *b)
{
    return b->full;
}

void tk_tracy_blocks_close(struct tk_tracy_blocks *b)
{
    if (!b)
        return;
    /* What one round unpacks may refer to blocks of the other. */
    for (unsigned i = 0; i < 2; i++)
        wait_round(b, &b->rounds[i]);
    for (unsigned i = 0; i < 2; i++)
        free(b->rounds[i].raw);
    free(b->out);
    for (unsigned i = 0; b->streams && i < b->box->streams; i++)
        tk_tracy_stream_release(&b->streams[i]);
    free(b->streams);
    free(b);
}
