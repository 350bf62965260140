/*
 * Opening of captures of other tools.
 */
#include "format/events/capture.h"

#include "format/events/events_in.h"
#include "format/events/feed.h"
#include "io/file.h"
#include "table/cell.h"
#include "table/sink.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The table `file` of captures of other tools.
 */

static const struct tk_column columns[] = {
    {"format", TK_TEXT, 0, NULL, "file format"},
    {"form", TK_TEXT, 0, NULL, "how its events are arranged"},
    {"compression", TK_TEXT, 0, NULL, "how the file is compressed"},
    {"bytes", TK_SIZE, 0, NULL, "decompressed size of the file"},
    {"truncated", TK_BOOL, 0, NULL, "does the file end in the middle of a record?"},
};

static const struct tk_table file_table = {.name = "file",
                                           .help = "file type of the capture",
                                           .columns = columns,
                                           .n_columns = sizeof columns / sizeof *columns,
                                           .flags = TK_TABLE_SINGLE};

const struct tk_table *const tk_ev_tables[] = {&file_table, NULL};

int tk_ev_describe(struct tk_capture *base, const struct tk_table *table, const struct tk_sink *sink,
                   struct tk_err *err)
{
    const struct tk_ev_capture *c = (const struct tk_ev_capture *)base;
    const struct tk_cell cells[] = {
        tk_cell_of_c(c->ctx->format->name),
        tk_cell_of_c(c->container),
        tk_cell_of_c(tk_file_compression(c->ctx->file)),
        tk_cell_of_size(tk_file_size(c->ctx->file)),
        tk_cell_of_bool(c->truncated),
    };
    int rc = tk_sink_begin(sink, table, err);
    if (rc == TK_OK)
        rc = tk_sink_row(sink, table, cells, err);
    return rc == TK_OK ? tk_sink_end(sink, table, err) : rc;
}

/* ---- the capture ---- */

static bool capture_may_have(const struct tk_capture *base, uint64_t facts)
{
    const struct tk_ev_capture *c = (const struct tk_ev_capture *)base;
    uint64_t have = TK_FACT_DEFINITIONS | TK_FACT_MASK(SCOPES) | TK_FACT_MASK(SCOPE_TEXT) |
                    TK_FACT_MASK(RECORD) | TK_FACT_MASK(RECORD_COUNT) | TK_FACT_MASK(EXTENT);
    if (c->regions.n || c->own_export)
        have |= TK_FACT_MASK(REGION);
    if (c->kept)
        have |= TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(LOG) | TK_FACT_MASK(FRAME);
    if (c->values.n)
        have |= TK_FACT_MASK(COUNTER) | TK_FACT_MASK(COUNTER_VALUE);
    if (c->queues)
        have |= TK_FACT_MASK(GPU_SCOPES);
    if (c->samples.n)
        have |= TK_FACT_MASK(SAMPLE) | TK_FACT_MASK(CALLSTACK) | TK_FACT_MASK(SYMBOL) |
                TK_FACT_MASK(SYSTEM_THREAD);
    if (c->heap_steps.n)
        have |=
            TK_FACT_MASK(MEMORY) | TK_FACT_MASK(MEMORY_HEAP) | TK_FACT_MASK(CALLSTACK) | TK_FACT_MASK(SYMBOL);
    if (c->n_rows)
        have |= TK_FACT_MASK(ROW);
    if (c->switches.n)
        have |= TK_FACT_MASK(SWITCH) | TK_FACT_MASK(SYSTEM_THREAD);
    return facts & have;
}

static bool capture_truncated(const struct tk_capture *base)
{
    return ((const struct tk_ev_capture *)base)->truncated;
}

static bool capture_empty(const struct tk_capture *base)
{
    return !((const struct tk_ev_capture *)base)->any_time;
}

static void free_thread(struct tk_ev_thread *t)
{
    tk_ev_track_release(&t->scopes);
    tk_vec_release(&t->nested.names);
    tk_vec_release(&t->texts);
    free(t);
}

static void capture_close(struct tk_capture *base)
{
    struct tk_ev_capture *c = (struct tk_ev_capture *)base;
    for (size_t i = 0; i < c->threads.n; i++)
        free_thread(c->threads.v[i]);
    tk_vec_release(&c->threads);
    tk_vec_release(&c->processes);
    tk_vec_release(&c->counters);
    tk_vec_release(&c->session);
    tk_vec_release(&c->systems);
    tk_vec_release(&c->records);
    tk_ev_ids_release(&c->process_ids);
    tk_ev_ids_release(&c->thread_ids);
    tk_ev_ids_release(&c->counter_ids);
    tk_ev_ids_release(&c->system_ids);
    tk_vec_release(&c->sample_weights);
    tk_ev_track_release(&c->regions);
    tk_ev_track_release(&c->marks);
    tk_ev_track_release(&c->values);
    tk_ev_track_release(&c->switches);
    tk_ev_track_release(&c->wakes);
    tk_ev_track_release(&c->late);
    tk_ev_track_release(&c->samples);
    tk_ev_ids_release(&c->code_ids);
    tk_vec_release(&c->code);
    tk_vec_release(&c->code_places);
    tk_vec_release(&c->stacks);
    tk_vec_release(&c->stack_frames);
    tk_vec_release(&c->heap_totals);
    tk_vec_release(&c->heaps);
    tk_vec_release(&c->heap_steps);
    tk_map_release(&c->stack_index);
    tk_ev_names_release(&c->names);
    tk_spill_close(c->spill);
    tk_arena_release(&c->cells);
    tk_intern_release(&c->interned);
    tk_ev_unread_release(c);
    free(c->rows);
    free(c->counts);
    free(c->bytes);
    free(c);
}

static const struct tk_capture_ops ops = {tk_ev_source_open, tk_ev_describe, capture_may_have,
                                          capture_truncated, capture_empty,  capture_close};

static void tell_left_out(const struct tk_ev_capture *c)
{
    static const struct {
        enum tk_limit limit;
        const char *text;
    } beyond[TK_EV_BEYOND_COUNT] = {
#define TK_EV_BEYOND_ROW(symbol, limit, text) {TK_LIMIT_##limit, text},
        TK_EV_BEYOND(TK_EV_BEYOND_ROW)
#undef TK_EV_BEYOND_ROW
    };
    for (size_t i = 0; i < TK_EV_BEYOND_COUNT; i++)
        if (c->left_out[i])
            tk_health_limit(&c->ctx->health, beyond[i].limit, TK_NO_OFFSET, c->left_out[i], "%s",
                            beyond[i].text);
}

static void tell_not_utf8(const struct tk_ev_capture *c)
{
    if (c->names.not_utf8 && !c->troubles.of[TK_EV_NOT_UTF8].count)
        tk_health_note(&c->ctx->health, TK_HEALTH_FORM_MENDED, TK_NO_OFFSET, c->names.not_utf8,
                       "%" PRIu64 " text%s not UTF-8; U+FFFD stands for what could not be read",
                       c->names.not_utf8, c->names.not_utf8 == 1 ? " is" : "s are");
}

static int put_session(struct tk_ev_capture *c, const char *key, const char *text)
{
    const struct tk_str *value = text[0] ? tk_ev_text(&c->names, text, strlen(text)) : NULL;
    if (!text[0])
        return 0;
    return value ? tk_ev_session(c, key, strlen(key), tk_cell_of_text(value)) : -1;
}

/* What an archive says of the capture, behind what that says itself. */
static int put_archived(struct tk_ev_capture *c)
{
    const struct tk_archived *a = &c->ctx->archived;
    if (put_session(c, "archive_member", a->member) || put_session(c, "machine", a->machine) ||
        put_session(c, "clock_of", a->has_offset ? a->in_time_of : ""))
        return -1;
    return a->has_offset
               ? tk_ev_session(c, "clock_offset_ns", strlen("clock_offset_ns"), tk_cell_of_int(a->offset))
               : 0;
}

int tk_ev_capture_open(struct tk_context *ctx, struct tk_capture **out, struct tk_err *err)
{
    const struct tk_ev_decoder *decoder = ctx->format->decoder;
    struct tk_ev_capture *c = calloc(1, sizeof *c);
    if (!c)
        return tk_err_nomem(err, "the capture");
    c->base.ops = &ops;
    c->ctx = ctx;
    c->epoch = (double)NAN;
    c->scope_end_at = c->region_end_at = TK_NO_OFFSET;
    c->decoder = decoder;
    tk_intern_bound(&c->interned, ctx->limits.strings, &tk_beyond_limit);
    c->names.interned = &c->interned;
    c->names.most_timers = ctx->limits.timers < TK_LATE ? ctx->limits.timers : TK_LATE - 1;
    c->counts = calloc(decoder->n_types, sizeof *c->counts);
    c->bytes = calloc(decoder->n_types, sizeof *c->bytes);
    ctx->health.ledger[TK_LEDGER_EVENTS] = tk_file_size(ctx->file);
    int rc = c->counts && c->bytes ? tk_ev_walk(c, TK_EV_GATHER, err) : tk_err_nomem(err, "the capture");
    if (rc == TK_OK && (put_archived(c) || tk_ev_heap_finish(c) ||
                        (c->own_export && tk_ev_own_export_finish(c)) || tk_ev_number_threads(c)))
        rc = tk_ev_failed(err);
    if (rc != TK_OK) {
        capture_close(&c->base);
        return rc;
    }
    tk_ev_troubles_tell(&c->troubles, &ctx->health, decoder->noun, decoder->nouns);
    tell_not_utf8(c);
    tell_left_out(c);
    *out = &c->base;
    return TK_OK;
}
