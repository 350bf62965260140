/*
 * Screenshots (events 3.5): a header and chunks, by a number; the chunks together are the picture's
 * file. One row for each, when its last chunk has come; at the end those that are not complete.
 */
#include "base/record_map.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"

#include <stdlib.h>
#include <string.h>

enum { TIME, ID, NAME, WIDTH, HEIGHT, SIZE, CHUNKS, CHUNKS_TOTAL, COMPLETE, HASH, DATA, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was taken"},
    [ID] = {"screenshot_id", TK_UINT, 0, NULL, "its number"},
    [NAME] = {"name", TK_TEXT, 0, NULL, "its name"},
    [WIDTH] = {"width", TK_UINT, 0, "pixels", "width of the picture"},
    [HEIGHT] = {"height", TK_UINT, 0, "pixels", "height of the picture"},
    [SIZE] = {"bytes", TK_SIZE, 0, NULL, "size of the picture file, as announced"},
    [CHUNKS] = {"chunks", TK_UINT, 0, NULL, "number of chunks in the capture"},
    [CHUNKS_TOTAL] = {"chunks_total", TK_UINT, TK_COL_EXTRA, NULL, "number of chunks announced"},
    [COMPLETE] = {"complete", TK_BOOL, 0, NULL, "are all chunks present, with the announced total size?"},
    [HASH] = {"hash", TK_HEX, 0, NULL,
              "FNV-1a hash of the picture file (64 bits, standard basis); empty if it is incomplete"},
    [DATA] = {"data", TK_BYTES, TK_COL_EXTRA, NULL, "the picture file; empty if it is incomplete"},
};

const struct tk_table tk_ut_table_screenshots = {
    .name = "screenshots",
    .help = "screenshots, in the order in which they were completed",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
};

struct chunk {
    uint32_t number, size;
    uint8_t *bytes; /* owned */
};

struct shot {
    uint32_t thread, width, height, total, size;
    int64_t time;
    uint64_t seq, bytes;
    const struct tk_str *name;
    TK_VEC(struct chunk) chunks; /* by number */
};

struct state {
    struct tk_record_map shots;
    uint64_t bytes; /* of all chunks */
};

static void drop(struct state *s, struct shot *shot)
{
    for (size_t i = 0; i < shot->chunks.n; i++)
        free(shot->chunks.v[i].bytes);
    s->bytes -= shot->bytes;
    shot->bytes = 0;
    tk_vec_release(&shot->chunks);
}

static bool is_complete(const struct shot *shot)
{
    return shot->chunks.n == shot->total && shot->bytes == shot->size &&
           (!shot->total || shot->chunks.v[shot->total - 1].number == shot->total - 1);
}

static uint64_t fnv1a(const uint8_t *p, size_t n)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(1099511628211);
    return hash;
}

static int fill_data(struct tk_ut_feed *feed, const struct shot *shot, struct tk_cell *row)
{
    uint8_t *p = tk_arena_bytes(&feed->out->arena, shot->size);
    size_t at = 0;
    if (!p)
        return TK_ENOMEM;
    for (size_t i = 0; i < shot->chunks.n; i++) {
        memcpy(p + at, shot->chunks.v[i].bytes, shot->chunks.v[i].size);
        at += shot->chunks.v[i].size;
    }
    row[HASH] = tk_cell_of_hex(fnv1a(p, at));
    row[DATA] = (struct tk_cell){.kind = TK_BYTES, .n = (uint32_t)at, .v.p = p};
    return TK_OK;
}

static int say_screenshot(struct tk_ut_feed *feed, uint32_t id, const struct shot *shot)
{
    bool complete = is_complete(shot);
    struct tk_cell *row =
        tk_ut_row(feed, &tk_ut_table_screenshots,
                  (struct tk_ut_row_key){shot->thread, shot->seq, true, shot->time, shot->time});
    if (!row)
        return TK_ENOMEM;
    row[TIME] = tk_cell_of_time(shot->time);
    row[ID] = tk_cell_of_uint(id);
    row[NAME] = tk_cell_of_nonempty(shot->name);
    row[WIDTH] = tk_cell_of_uint(shot->width);
    row[HEIGHT] = tk_cell_of_uint(shot->height);
    row[SIZE] = tk_cell_of_size(shot->size);
    row[CHUNKS] = tk_cell_of_uint(shot->chunks.n);
    row[CHUNKS_TOTAL] = tk_cell_of_uint(shot->total);
    row[COMPLETE] = tk_cell_of_bool(complete);
    return complete ? fill_data(feed, shot, row) : TK_OK;
}

/* Says a screenshot and forgets it. */
static int end_screenshot(struct tk_ut_feed *feed, struct state *s, uint32_t id, struct shot *shot)
{
    int rc = say_screenshot(feed, id, shot);
    drop(s, shot);
    tk_record_map_remove(&s->shots, id);
    return rc;
}

enum { H_ID, H_NAME, H_CYCLE, H_WIDTH, H_HEIGHT, H_TOTAL, H_SIZE };

/* A number can be used again: what came under it so far is all there is of the older one. */
static int on_header(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t id = (uint32_t)tk_ut_u64(ev, H_ID);
    struct shot *shot = tk_record_map_get(&s->shots, id);
    int rc = shot ? end_screenshot(feed, s, id, shot) : TK_OK;
    if (rc != TK_OK)
        return rc;
    if (!(shot = tk_record_map_put(&s->shots, id)) || !(shot->name = tk_ut_str(feed, ev, H_NAME, 2)))
        return TK_ENOMEM;
    shot->thread = ev->tid;
    shot->seq = ev->seq;
    shot->time = tk_ut_since(feed, tk_ut_u64(ev, H_CYCLE));
    shot->width = (uint32_t)tk_ut_u64(ev, H_WIDTH);
    shot->height = (uint32_t)tk_ut_u64(ev, H_HEIGHT);
    shot->total = (uint32_t)tk_ut_u64(ev, H_TOTAL);
    shot->size = (uint32_t)tk_ut_u64(ev, H_SIZE);
    return is_complete(shot) ? end_screenshot(feed, s, id, shot) : TK_OK;
}

/* Where a number belongs: behind those that are smaller. *there: it is there already, before that place. */
static size_t place_of_screenshot(const struct shot *shot, uint32_t number, bool *there)
{
    size_t at = shot->chunks.n;
    while (at && shot->chunks.v[at - 1].number > number)
        at--;
    *there = at && shot->chunks.v[at - 1].number == number;
    return at;
}

static int keep_screenshot(struct shot *shot, size_t at, uint32_t number, const uint8_t *p, uint32_t n)
{
    uint8_t *copy = malloc(n + 1u);
    if (!copy || tk_vec_push(&shot->chunks, ((struct chunk){0}))) {
        free(copy);
        return TK_ENOMEM;
    }
    if (n)
        memcpy(copy, p, n);
    memmove(shot->chunks.v + at + 1, shot->chunks.v + at, (shot->chunks.n - 1 - at) * sizeof(struct chunk));
    shot->chunks.v[at] = (struct chunk){number, n, copy};
    shot->bytes += n;
    return TK_OK;
}

enum { C_ID, C_NUMBER, C_SIZE, C_DATA };

static int on_chunk(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t id = (uint32_t)tk_ut_u64(ev, C_ID);
    struct shot *shot = tk_record_map_get(&s->shots, id);
    struct tk_bytes data = tk_ut_bytes(ev, C_DATA);
    uint64_t size = tk_ut_has(ev, C_SIZE) ? tk_ut_u64(ev, C_SIZE) : data.n;
    if (!shot) {
        tk_health_note(&feed->out->health, TK_HEALTH_DEFINITION_MISSING, ev->offset, 1,
                       "a piece of screenshot %u, which has no header", id);
        return TK_OK;
    }
    uint32_t number = (uint32_t)tk_ut_u64(ev, C_NUMBER);
    bool there;
    size_t at = place_of_screenshot(shot, number, &there);
    if (there)
        return TK_OK;
    if (size < data.n)
        data.n = (size_t)size;
    if (shot->bytes + data.n > shot->size || data.n > feed->capture->ctx->limits.event_bytes - s->bytes) {
        tk_ut_bad_payload(feed, ev, "more bytes than were announced, or than the limit 'event_bytes'");
        return TK_OK;
    }
    if (keep_screenshot(shot, at, number, data.p, (uint32_t)data.n) != TK_OK)
        return TK_ENOMEM;
    s->bytes += data.n;
    return is_complete(shot) ? end_screenshot(feed, s, id, shot) : TK_OK;
}

static int finish_screenshot(struct tk_ut_feed *feed, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    for (uint32_t i = 0; i < s->shots.n && rc == TK_OK; i++) {
        uint64_t id;
        struct shot *shot = tk_record_map_at(&s->shots, i, &id);
        if (shot)
            rc = end_screenshot(feed, s, (uint32_t)id, shot);
    }
    return rc;
}

static void begin_screenshot(void *state)
{
    struct state *s = state;
    for (uint32_t i = 0; i < s->shots.n; i++) {
        uint64_t id;
        struct shot *shot = tk_record_map_at(&s->shots, i, &id);
        if (shot)
            drop(s, shot);
    }
    tk_record_map_release(&s->shots);
    tk_record_map_init(&s->shots, sizeof(struct shot));
}

static const struct tk_ut_bind binds[] = {
    {"Misc.ScreenshotHeader",
     on_header,
     false,
     {"Id", "Name", "Cycle", "Width", "Height", "TotalChunkNum", "Size"}},
    {"Misc.ScreenshotChunk", on_chunk, false, {"Id", "ChunkNum", "Size", "Data"}},
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_screenshots, NULL};

const struct tk_ut_family tk_ut_fam_screenshot = {.name = "screenshot",
                                                  .rows = tables,
                                                  .binds = binds,
                                                  .state = sizeof(struct state),
                                                  .begin = begin_screenshot,
                                                  .finish = finish_screenshot,
                                                  .release = begin_screenshot};
