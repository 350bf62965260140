/*
 * Requests for chunks that are fetched on demand, Ias.ChunkRequest (events 8.4): single events, which
 * stand for a request each; one that piggybacks is served by another that is under way.
 */
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"

#include <inttypes.h>
#include <stdio.h>

enum { TIME, OFFSET, SIZE, CHUNK, HASH, PIGGYBACK, THREAD_ID, THREAD, COLUMNS = THREAD + TK_THREAD_COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was created"},
    [OFFSET] = {"offset", TK_UINT, 0, "bytes", "offset in the chunk"},
    [SIZE] = {"requested_bytes", TK_SIZE, 0, NULL, "bytes requested"},
    [CHUNK] = {"chunk", TK_TEXT, 0, NULL,
               "id of the chunk: its 12 bytes as numbers of 8 and 4, in hexadecimal"},
    [HASH] = {"hash", TK_TEXT, 0, NULL,
              "hash of its content: 20 bytes as numbers of 8, 8 and 4, in hexadecimal"},
    [PIGGYBACK] = {"merged", TK_BOOL, 0, NULL, "is it merged into another request in flight?"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that made it"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that made it"),
};

const struct tk_table tk_ut_table_io_chunks = {
    .name = "io_chunks",
    .help = "requests for chunks that are fetched on demand",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

/* A text of the batch. */
static struct tk_cell text_chunk(struct tk_ut_feed *feed, const char *p, int n)
{
    const void *copy = tk_arena_copy(&feed->out->arena, p, (size_t)n);
    if (!copy)
        return (struct tk_cell){.kind = TK_NONE};
    return (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)n, .v.p = copy};
}

enum { E_TIME, E_OFFSET, E_LENGTH, E_HASH_A, E_HASH_B, E_HASH_C, E_ID_A, E_ID_B, E_PIGGYBACK };

static int on_request(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int64_t time = tk_ut_since(feed, tk_ut_u64(ev, E_TIME));
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_io_chunks, tk_ut_row_of(ev, time, time));
    char digits[48];
    (void)state;
    if (!row)
        return TK_ENOMEM;
    row[TIME] = tk_cell_of_time(time);
    row[OFFSET] = tk_cell_of_uint(tk_ut_u64(ev, E_OFFSET));
    row[SIZE] = tk_cell_of_size(tk_ut_u64(ev, E_LENGTH));
    row[CHUNK] = text_chunk(feed, digits,
                            snprintf(digits, sizeof digits, "%016" PRIx64 "%08" PRIx32, tk_ut_u64(ev, E_ID_A),
                                     (uint32_t)tk_ut_u64(ev, E_ID_B)));
    row[HASH] = text_chunk(feed, digits,
                           snprintf(digits, sizeof digits, "%016" PRIx64 "%016" PRIx64 "%08" PRIx32,
                                    tk_ut_u64(ev, E_HASH_A), tk_ut_u64(ev, E_HASH_B),
                                    (uint32_t)tk_ut_u64(ev, E_HASH_C)));
    row[PIGGYBACK] = tk_cell_of_bool(tk_ut_u64(ev, E_PIGGYBACK) != 0);
    return TK_OK;
}

static const struct tk_ut_bind binds[] = {
    {"Ias.ChunkRequest",
     on_request,
     false,
     {"Timestamp", "Offset", "Length", "Hash_A", "Hash_B", "Hash_C", "Id_A", "Id_B", "IsPiggyback"}},
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_io_chunks, NULL};

const struct tk_ut_family tk_ut_fam_chunk = {.name = "io", .rows = tables, .binds = binds};
