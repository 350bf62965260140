/*
 * The walk over a file of transports 3 and 4: over all of it, or over both ends.
 */
#include "format/utrace/wire/wire_in.h"
#include "tracekit/captures.h"

#include <stdlib.h>
#include <string.h>

/* Wire 2.5: a counter of one follows the first packet when it has bit 14 set and packets are counted. The
 * file may end in it. */
static bool packets_counted(struct tk_ut_packet_walk *w)
{
    static const uint8_t one[8] = {1};
    struct tk_ut_head head;
    size_t got = 0;
    if (w->ix->header->protocol != 7 || tk_ut_packet_walk_head(w, w->ix->header->size, &head) != TK_UT_GOOD ||
        !(head.word & TK_UT_PARTIAL))
        return false;
    const uint8_t *p = tk_window_at(w->window, head.offset + head.size, 8, &got, w->err);
    return p && got && memcmp(p, one, got) == 0;
}

int tk_ut_packet_walk_tid(struct tk_ut_index *ix, struct tk_context *ctx, struct tk_err *err)
{
    struct tk_ut_packet_walk w = {
        .ix = ix, .ctx = ctx, .size = tk_file_size(ctx->file), .highest = 1, .err = err};
    /* of a recording that went on in this file, any thread may come first */
    w.highest = ix->header->piece.highest > w.highest ? ix->header->piece.highest : w.highest;
    struct tk_ut_packet_walk_ahead *ahead = NULL;
    bool map = ctx->options && ctx->options->map;
    int rc = tk_window_open(&w.window, ctx->file, map, err);
    if (rc != TK_OK)
        return rc;
    ix->counted = packets_counted(&w);
    if (tk_ut_packet_walk_in_part(&w)) {
        w.rc = tk_ut_packet_walk_ends(&w);
    } else if ((w.rc = tk_ut_packet_walk_ahead_open(&ahead, &w)) == TK_OK) {
        tk_ut_packet_walk_to(&w, ahead, ix->header->size, w.size);
        ix->end = w.size;
    }
    tk_ut_packet_walk_ahead_close(ahead);
    if (tk_window_shrank(w.window))
        tk_health_note(&ctx->health, TK_HEALTH_FILE_SHRANK, TK_NO_OFFSET, 1,
                       "the file was truncated while it was read");
    tk_window_close(w.window);
    free(w.census);
    free(w.scratch);
    return w.rc;
}
