/*
 * Blocks. Block k belongs to stream k modulo the streams; each stream unpacks its blocks in
 * order, by itself, as far ahead as it has places.
 *
 * Blocks of a stream lie behind each other in memory: LZ4 refers to the block before, and is faster where
 * that is what stands before its output. So a stream has two places at least.
 */
#include "format/tracy/file/file_in.h"
#include "format/tracy/file/payload.h"
#include "io/file.h"
#include "io/scratch/readahead.h"

#include <stdlib.h>

/* Blocks that have places, of all streams: one job has the last few in the cache of a core, more have enough
 * of them ahead that nobody has to wait. */
#define PLACES       16u
#define PLACES_JOBS  32u
#define PLACES_LEAST 2u /* of a stream */

#define STORED (TK_TRACY_BLOCK_STORED + (size_t)4) /* bytes of a block in the file and of its size */

struct place {
    size_t got; /* unpacked bytes */
    int status; /* TK_OK, TK_EFORMAT, TK_ENOMEM, TK_EDAMAGE (not in the file any more), TK_EIO */
};

struct line {
    struct tk_tracy_blocks *owner;
    size_t number;
    struct tk_tracy_stream stream;
    struct tk_readahead ahead;
    struct tk_err err; /* of TK_EIO */
    bool failed;
};

struct tk_tracy_blocks {
    struct tk_context *ctx;               /* borrowed */
    const struct tk_tracy_container *box; /* borrowed */
    size_t places;                        /* of a stream */
    struct line *lines;                   /* owned, box->streams of them */
    struct place *table;                  /* owned, `places` of each stream that has a block */
    uint8_t *out;                         /* owned: the same, TK_TRACY_BLOCK bytes each */
    uint8_t *raw;                         /* owned: STORED bytes for each job */
    size_t next;                          /* block that is handed out next */
    bool given;                           /* the one before is in use */
    size_t bad;                           /* first block that cannot be unpacked, or box->n */
    const char *why;                      /* static */
    bool gone, full, ended;
};

/* ---- unpacking, by any worker ---- */

static size_t place_of_blocks(const struct tk_tracy_blocks *b, size_t block)
{
    size_t streams = b->box->streams;
    return block % streams * b->places + block / streams % b->places;
}

/* Reads and unpacks a block into its place. */
static int unpack_block(struct line *line, size_t block, uint8_t *raw, struct place *place)
{
    const struct tk_tracy_blocks *b = line->owner;
    const struct tk_tracy_container *box = b->box;
    uint64_t at = box->blocks.v[block];
    size_t stored = (size_t)(box->blocks.v[block + 1] - at), have;
    if (tk_file_read(b->ctx->file, at, raw, stored, &have, &line->err) != TK_OK)
        return TK_EIO;
    struct tk_cur c = tk_cur_of(raw, have);
    uint32_t n = tk_u32(&c, "block size");
    const uint8_t *p = tk_take(&c, n, "block");
    if (!p)
        return TK_EDAMAGE;
    return tk_tracy_stream_unpack(&line->stream, box->codec, p, n,
                                  b->out + place_of_blocks(b, block) * TK_TRACY_BLOCK, &place->got);
}

static bool make_block(void *ctx, size_t number, unsigned worker)
{
    struct line *line = ctx;
    const struct tk_tracy_blocks *b = line->owner;
    size_t block = number * b->box->streams + line->number;
    if (block >= b->box->n || line->failed)
        return false;
    struct place *place = &b->table[place_of_blocks(b, block)];
    place->got = 0;
    place->status = unpack_block(line, block, b->raw + worker * STORED, place);
    line->failed = place->status != TK_OK;
    return true;
}

/* ---- in order ---- */

/* A stream that has no block needs no places. */
static size_t used_streams(const struct tk_tracy_container *box)
{
    size_t n = box->n < box->streams ? box->n : box->streams;
    return n ? n : 1;
}

static int open_parts(struct tk_tracy_blocks *b)
{
    const unsigned streams = b->box->streams, jobs = tk_pool_jobs(b->ctx->pool);
    const size_t most = jobs > 1 ? PLACES_JOBS : PLACES, blocks = b->box->n < most ? b->box->n : most;
    b->places = blocks / streams > PLACES_LEAST ? blocks / streams : PLACES_LEAST;
    b->lines = calloc(streams, sizeof *b->lines);
    const size_t all = used_streams(b->box) * b->places;
    b->table = calloc(all, sizeof *b->table);
    b->out = malloc(all * TK_TRACY_BLOCK);
    b->raw = malloc(jobs * STORED);
    if (!b->lines || !b->table || !b->out || !b->raw)
        return TK_ENOMEM;
    for (unsigned i = 0; i < streams; i++) {
        b->lines[i].owner = b;
        b->lines[i].number = i;
        tk_readahead_open(&b->lines[i].ahead, b->ctx->pool, make_block, &b->lines[i], b->places);
        /* what a stream refers to is in the cache of one core; neighbours have the same one, so that who goes
         * through them in order changes seldom */
        b->lines[i].ahead.task.home = 1 + i * jobs / streams;
    }
    return TK_OK;
}

int tk_tracy_blocks_open(struct tk_tracy_blocks **out, struct tk_context *ctx,
                         const struct tk_tracy_container *box, struct tk_err *err)
{
    struct tk_tracy_blocks *b = calloc(1, sizeof *b);
    *out = b;
    if (!b)
        return tk_err_nomem(err, "blocks");
    b->ctx = ctx;
    b->box = box;
    b->bad = box->n;
    if (open_parts(b) == TK_OK)
        return TK_OK;
    tk_tracy_blocks_close(b);
    *out = NULL;
    return tk_err_nomem(err, "blocks");
}

/* Takes note that a block cannot be used. */
static int fail_blocks(struct tk_tracy_blocks *b, const struct line *line, int status, struct tk_err *err)
{
    static const struct {
        int status;
        const char *why;
    } reasons[] = {
        {TK_EFORMAT, "its data cannot be decompressed"},
        {TK_OK, "it decompresses to less than 65536 bytes, but is not the last"},
        {TK_EDAMAGE, "it is no longer in the file"},
    };
    b->ended = true;
    if (status == TK_ENOMEM)
        return tk_err_nomem(err, "unpacking");
    if (status == TK_EIO) {
        if (err)
            *err = line->err;
        return TK_EIO;
    }
    b->bad = b->next;
    b->gone = status == TK_EDAMAGE;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            b->why = reasons[i].why;
    return TK_OK;
}

static void give_back(struct tk_tracy_blocks *b)
{
    if (b->given)
        tk_readahead_give_back(&b->lines[(b->next - 1) % b->box->streams].ahead);
    b->given = false;
}

/* At the first block all streams begin. */
static void begin_blocks(struct tk_tracy_blocks *b)
{
    for (unsigned i = 0; i < b->box->streams; i++)
        tk_readahead_begin(&b->lines[i].ahead);
}

int tk_tracy_blocks_next(struct tk_tracy_blocks *b, struct tk_bytes *out, struct tk_err *err)
{
    give_back(b);
    if (b->ended || b->next == b->box->n)
        return TK_OK;
    if (!b->next)
        begin_blocks(b);
    struct line *line = &b->lines[b->next % b->box->streams];
    tk_readahead_take(&line->ahead);
    size_t at = place_of_blocks(b, b->next);
    const struct place *place = &b->table[at];
    if (place->status != TK_OK || (place->got < TK_TRACY_BLOCK && b->next + 1 < b->box->n))
        return fail_blocks(b, line, place->status, err);
    b->full = place->got == TK_TRACY_BLOCK;
    *out = (struct tk_bytes){b->out + at * TK_TRACY_BLOCK, place->got};
    b->given = true;
    b->next++;
    return TK_ITEM;
}

unsigned tk_tracy_blocks_home(const struct tk_tracy_blocks *b)
{
    return b->lines[b->next % b->box->streams].ahead.task.home;
}

size_t tk_tracy_blocks_bad(const struct tk_tracy_blocks *b, const char **why, bool *gone)
{
    *why = b->why;
    *gone = b->gone;
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
    for (unsigned i = 0; b->lines && i < b->box->streams; i++)
        tk_readahead_close(&b->lines[i].ahead);
    for (unsigned i = 0; b->lines && i < b->box->streams; i++)
        tk_tracy_stream_release(&b->lines[i].stream);
    free(b->lines);
    free(b->table);
    free(b->out);
    free(b->raw);
    free(b);
}
