/*
 * Table `can`: which questions a capture can answer, by what was recorded, and how the rest would have been.
 * Of the whole capture, whatever is selected.
 */
#include "model/capture/can.h"

#include "query/context_cells.h"
#include "query/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUESTION, ANSWER, FOUND, LACKS, HOW, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [QUESTION] = {"question", TK_TEXT, 0, NULL, "the question"},
    [ANSWER] = {"answer", TK_TEXT, 0, NULL,
                "yes, partly, no; unread: it was recorded, and this version does not read it"},
    [FOUND] = {"found", TK_UINT, 0, NULL, "number of records that answer it"},
    [LACKS] = {"missing", TK_TEXT, TK_COL_OPTIONAL, NULL, "what the capture lacks"},
    [HOW] = {"how", TK_TEXT, 0, NULL, "what would have recorded it: a trace channel, macro or option"},
};

static const struct tk_table table = {
    .name = "can",
    .help = "questions that the capture can answer, and how to record the rest",
    .schema = 2,
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST,
};

/* A question is answered where both are there, in part with the first alone. */
static const struct question {
    const char *name;
    uint64_t facts, also; /* masks; also 0: nothing else is needed */
    uint8_t hint, also_hint;
    const char *lacks, *also_lacks;
} questions[] = {
    {"frames", TK_FACT_MASK(FRAME), 0, TK_HINT_FRAMES, 0, "frame marks", NULL},
    {"CPU time by timer", TK_FACT_MASK(SCOPES), 0, TK_HINT_CPU, 0, "scopes of threads", NULL},
    {"GPU time", TK_FACT_MASK(GPU_SCOPES), 0, TK_HINT_GPU, 0, "scopes of the GPU", NULL},
    {"what threads wait for",
     TK_FACT_MASK(TASK) | TK_FACT_MASK(TASK_WAIT) | TK_FACT_MASK(LOCK) | TK_FACT_MASK(SWITCH),
     TK_FACT_MASK(SWITCH), TK_HINT_WAITS, TK_HINT_SWITCHES, "tasks, locks and context switches",
     "context switches"},
    {"memory", TK_FACT_MASK(MEMORY), 0, TK_HINT_MEMORY, 0, "allocations", NULL},
    {"memory by call stack", TK_FACT_MASK(MEMORY), TK_FACT_MASK(CALLSTACK), TK_HINT_MEMORY,
     TK_HINT_CALLSTACKS, "allocations", "call stacks"},
    {"loading", TK_FACT_MASK(PACKAGE) | TK_FACT_MASK(LOAD_STEP) | TK_FACT_MASK(FILE_IO), 0, TK_HINT_LOADING,
     0, "packages and files", NULL},
    {"network", TK_FACT_MASK(NET_PACKET), 0, TK_HINT_NETWORK, 0, "packets", NULL},
    {"samples", TK_FACT_MASK(SAMPLE), 0, TK_HINT_SAMPLES, 0, "stack samples", NULL},
    {"functions of addresses", TK_FACT_MASK(SYMBOL) | TK_FACT_MASK(MODULE), TK_FACT_MASK(SYMBOL),
     TK_HINT_MODULES, TK_HINT_SYMBOLS, "modules and symbols", "names of functions"},
    {"counters", TK_FACT_MASK(COUNTER_VALUE) | TK_FACT_MASK(STAT_VALUE) | TK_FACT_MASK(SERIES_VALUE), 0,
     TK_HINT_COUNTERS, 0, "values over time", NULL},
    {"log", TK_FACT_MASK(LOG), 0, TK_HINT_LOG, 0, "messages", NULL},
    {"regions and bookmarks", TK_FACT_MASK(REGION) | TK_FACT_MASK(BOOKMARK), 0, TK_HINT_REGIONS, 0, "regions",
     NULL},
};

#define QUESTIONS (sizeof questions / sizeof *questions)

const char *tk_can_lacks(const struct tk_format *format, const char *what, const char **how)
{
    for (size_t i = 0; i < QUESTIONS; i++) {
        const struct question *q = &questions[i];
        const bool also = q->also_lacks && strcmp(what, q->also_lacks) == 0;
        if (!also && strcmp(what, q->name) != 0)
            continue;
        *how = format->hints[also ? q->also_hint : q->hint];
        return also ? q->also_lacks : q->lacks;
    }
    return NULL;
}

/* Events that are recorded and not read. */
struct unread {
    const char *event; /* static, of the first kind; NULL: there are none */
    uint64_t count, bytes;
    char text[160];
};

struct can {
    const struct tk_query_context *view;
    uint64_t counts[TK_FACT_COUNT];
    struct unread unread[TK_HINTS];
};

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)wanted;
    for (size_t i = 0; i < QUESTIONS; i++)
        needs->facts |= questions[i].facts | questions[i].also;
    needs->facts |= view->ctx->format->unread ? TK_FACT_MASK(RECORD_COUNT) : 0;
}

static int open_can(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t requested,
                    void **self, struct tk_err *err)
{
    struct can *c = calloc(1, sizeof *c);
    (void)builder;
    (void)requested;
    if (!c)
        return tk_err_nomem(err, "what a capture can answer");
    c->view = view;
    *self = c;
    return TK_OK;
}

static void note_unread(struct can *c, const struct tk_fact_record_count *count)
{
    const char *family = count->type->family;
    if (!c->view->ctx->format->unread || !count->count ||
        (family && strcmp(family, TK_FAMILY_UNREAD) != 0 && strcmp(family, TK_FAMILY_LOSSES) != 0))
        return;
    for (const struct tk_unread_says *u = c->view->ctx->format->unread; u->event; u++) {
        if (strcmp(u->event, count->type->name) != 0)
            continue;
        struct unread *sum = &c->unread[u->hint];
        sum->event = sum->event ? sum->event : u->event;
        sum->count += count->count;
        sum->bytes += count->bytes;
    }
}

static int feed_can(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct can *c = self;
    (void)emit;
    (void)err;
    for (size_t i = 0; i < batch->n_facts; i++) {
        if (batch->facts[i].kind == TK_FACT_RECORD_COUNT)
            note_unread(c, &batch->facts[i].u.record_count);
        else
            c->counts[batch->facts[i].kind]++;
    }
    for (size_t i = 0; i < batch->n_runs; i++)
        c->counts[batch->runs[i].kind == TK_LANE_THREAD ? TK_FACT_SCOPES : TK_FACT_GPU_SCOPES] +=
            batch->runs[i].n;
    return TK_OK;
}

static uint64_t found_of(const struct can *c, uint64_t facts)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < TK_FACT_COUNT; i++)
        found += facts >> i & 1 ? c->counts[i] : 0;
    return found;
}

/* It was recorded: neither an answer, nor a reason to record it once more. */
static void fill_unread(struct unread *u, struct tk_cell *row)
{
    snprintf(u->text, sizeof u->text,
             "%s and the like, %" PRIu64 " event%s of %" PRIu64
             " bytes, are recorded; this version does not read them",
             u->event, u->count, u->count == 1 ? "" : "s", u->bytes);
    row[ANSWER] = tk_cell_of_c(TK_FAMILY_UNREAD);
    row[LACKS] = tk_cell_of_c(u->text);
}

static void fill_can(struct can *c, const struct question *q, struct tk_cell *row)
{
    const struct tk_format *format = c->view->ctx->format;
    uint64_t found = found_of(c, q->facts);
    bool whole = found && (!q->also || found_of(c, q->also));
    row[QUESTION] = tk_cell_of_c(q->name);
    row[ANSWER] = tk_cell_of_c(whole ? "yes" : found ? "partly" : "no");
    row[FOUND] = tk_cell_of_uint(found);
    if (whole)
        return;
    if (!found && c->unread[q->hint].event) {
        fill_unread(&c->unread[q->hint], row);
        return;
    }
    const char *how = format->hints[found ? q->also_hint : q->hint];
    row[LACKS] = tk_cell_of_c(found ? q->also_lacks : q->lacks);
    if (how)
        row[HOW] = tk_cell_of_c(how);
}

static int finish_can(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct can *c = self;
    (void)err;
    for (size_t i = 0; i < QUESTIONS; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_can(c, &questions[i], row);
    }
    return tk_emit_status(emit);
}

static void close_can(void *self)
{
    free(self);
}

const struct tk_builder tk_builder_can = {
    .table = &table,
    .add_needs = add_needs,
    .open = open_can,
    .feed = feed_can,
    .finish = finish_can,
    .close = close_can,
};
