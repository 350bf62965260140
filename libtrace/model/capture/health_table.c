/*
 * Table `health`: what is wrong with the capture. Who requests it has everything decoded. First the faults
 * that were kept one by one; then, for each kind that has more, a row for the rest.
 */
#include "base/health/health.h"
#include "model/code/callstack_list.h"
#include "model/code/module_list.h"
#include "model/marks/counting.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Table `ledger`: where every byte of the file went.
 */

enum { PART, BYTES, SHARE, HELP, LEDGER_COLUMNS };

static const struct tk_column ledger_columns[LEDGER_COLUMNS] = {
    [PART] = {"part", TK_TEXT, 0, NULL, "part of the file"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "size of the part; the sizes add up to the file size"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "share of the file, 0 to 1"},
    [HELP] = {"help", TK_TEXT, 0, NULL, "content of the part"},
};

static const struct tk_table ledger_table = {
    .name = "ledger",
    .help = "what every byte of the file is used for",
    .columns = ledger_columns,
    .n_columns = LEDGER_COLUMNS,
};

/* What cannot be unpacked shows where it is read; counting events is the least that reads all. */
static void add_needs_ledger(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)wanted;
    if (!view->query->in_passing)
        needs->facts |= TK_FACT_MASK(RECORD_COUNT);
}

static int finish_ledger(void *self, struct tk_emit *emit, struct tk_err *err)
{
    const struct tk_query_context *view = self;
    struct tk_health known;
    uint64_t bytes[TK_LEDGER_COUNT], sum = 0;
    (void)err;
    tk_health_reread_known(&view->ctx->health, view->ctx->earlier, &known);
    memcpy(bytes, known.ledger, sizeof bytes);
    tk_health_release(&known);
    for (int i = 0; i < TK_LEDGER_COUNT; i++)
        sum += bytes[i];
    for (int i = 0; i < TK_LEDGER_COUNT; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        row[PART] = tk_cell_of_c(tk_ledger_name((enum tk_ledger_part)i));
        row[BYTES] = tk_cell_of_size(bytes[i]);
        if (sum)
            row[SHARE] = tk_cell_of_real((double)bytes[i] / (double)sum);
        row[HELP] = tk_cell_of_c(tk_ledger_help((enum tk_ledger_part)i));
    }
    return tk_emit_status(emit);
}

const struct tk_builder tk_builder_ledger = {
    .table = &ledger_table,
    .needs = {.order = TK_NEEDS_LAST},
    .add_needs = add_needs_ledger,
    .open = tk_query_context_open,
    .finish = finish_ledger,
};

enum { KIND, DAMAGE, COUNT, OFFSET, TEXT, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [KIND] = {"kind", TK_TEXT, 0, NULL, "kind of fault"},
    [DAMAGE] = {"damage", TK_BOOL, 0, NULL, "is it damage? otherwise a notice about an intact capture"},
    [COUNT] = {"count", TK_UINT, 0, "faults", "number of faults combined in this row"},
    [OFFSET] = {"offset", TK_UINT, 0, "bytes", "file offset, if the fault has one"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "description of the fault"},
};

static const struct tk_table table = {
    .name = "health",
    .help = "faults in the capture; reads the whole capture",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct health_table {
    const struct tk_query_context *view;
    bool whole; /* everything is read for it */
    bool all;   /* and no times are selected */
    struct tk_stack_references stacks;
    struct tk_counter_references counters;
    struct tk_module_list modules;
};

static void add_needs_health(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)wanted;
    if (!view->query->in_passing)
        needs->facts |= TK_FACT_ALL;
}

static void send_health_table(struct tk_emit *emit, enum tk_health_kind kind, uint64_t count, uint64_t offset,
                              const char *text)
{
    struct tk_cell *row = tk_emit_row(emit);
    if (!row)
        return;
    row[KIND] = tk_cell_of_c(tk_health_name(kind));
    row[DAMAGE] = tk_cell_of_bool(tk_health_is_damage(kind));
    row[COUNT] = tk_cell_of_uint(count);
    if (offset != TK_NO_OFFSET)
        row[OFFSET] = tk_cell_of_uint(offset);
    row[TEXT] = tk_cell_of_c(text);
}

/* Faults of a kind that were only counted; with how more of them are listed, if that is why. */
static int send_rest(struct tk_emit *emit, const struct tk_health *health, enum tk_health_kind kind,
                     uint64_t count)
{
    char text[256];
    const char *lasting;
    snprintf(text, sizeof text, "%s", tk_health_help(kind));
    if (health->n_items >= health->max_items)
        tk_limit_tell(text, sizeof text, TK_LIMIT_health_items);
    if (!(lasting = tk_emit_bytes(emit, text, strlen(text) + 1)))
        return TK_ENOMEM;
    send_health_table(emit, kind, count, TK_NO_OFFSET, lasting);
    return TK_OK;
}

/* An empty table would say that the capture is sound. Stands for no fault, so it has no count. */
static void send_not_read(const struct tk_query_context *view, struct tk_emit *emit)
{
    struct tk_cell *row =
        view->ctx->read || view->capture->ops->empty(view->capture) ? NULL : tk_emit_row(emit);
    if (!row)
        return;
    row[KIND] = tk_cell_of_c("not_read");
    row[DAMAGE] = tk_cell_of_bool(false);
    row[TEXT] = tk_cell_of_c("the events were not read; what is wrong with them is not known");
}

static int send_items(struct tk_emit *emit, const struct tk_health *health)
{
    for (size_t i = 0; i < health->n_items; i++) {
        const struct tk_health_item *item = &health->items[i];
        const char *text = tk_emit_bytes(emit, item->text, strlen(item->text) + 1);
        if (!text)
            return TK_ENOMEM;
        send_health_table(emit, item->kind, item->count, item->offset, text);
    }
    return TK_OK;
}

static int send_all_health_table(struct tk_emit *emit, const struct tk_health *health)
{
    uint64_t listed[TK_HEALTH_COUNT] = {0};
    int rc = health->lost ? TK_ENOMEM : send_items(emit, health);
    for (size_t i = 0; i < health->n_items; i++)
        listed[health->items[i].kind] += health->items[i].count;
    for (int kind = 0; kind < TK_HEALTH_COUNT && rc == TK_OK; kind++)
        if (health->counts[kind] > listed[kind])
            rc = send_rest(emit, health, (enum tk_health_kind)kind, health->counts[kind] - listed[kind]);
    return rc;
}

static int open_health_table(const struct tk_query_context *view, const struct tk_builder *builder,
                             uint64_t requested, void **self, struct tk_err *err)
{
    struct health_table *h = calloc(1, sizeof *h);
    (void)builder;
    (void)requested;
    if (!h)
        return tk_err_nomem(err, "the state of the capture");
    h->view = view;
    h->whole = !view->query->in_passing;
    h->all = h->whole && !tk_selection_has_times(&view->query->select);
    h->stacks.most = view->ctx->limits.callstack_bytes / sizeof(struct tk_stack_use);
    h->counters.most = view->ctx->limits.counters;
    *self = h;
    return TK_OK;
}

static int feed_health_table(void *self, const struct tk_batch *batch, struct tk_emit *emit,
                             struct tk_err *err)
{
    struct health_table *h = self;
    (void)emit;
    int rc = 0;
    for (size_t i = 0; h->whole && i < batch->n_facts && rc == 0; i++) {
        rc = tk_counter_references_feed(&h->counters, &batch->facts[i]);
        if (rc == 0)
            rc = tk_module_list_feed(&h->modules, &batch->facts[i]);
        if (rc == 0 && h->all)
            rc = tk_stack_references_feed(&h->stacks, &batch->facts[i]);
    }
    return rc == 0 ? TK_OK : tk_err_nomem(err, "the state of the capture");
}

static int finish_health_table(void *self, struct tk_emit *emit, struct tk_err *err)
{
    const struct health_table *h = self;
    const struct tk_query_context *view = h->view;
    struct tk_health known;
    tk_stack_references_note(&h->stacks, &view->ctx->health);
    tk_counter_references_note(&h->counters, &view->ctx->health);
    tk_module_list_note(&h->modules, &view->ctx->health);
    tk_health_reread_known(&view->ctx->health, view->ctx->earlier, &known);
    int rc = send_all_health_table(emit, &known);
    tk_health_release(&known);
    if (rc != TK_OK)
        return tk_err_nomem(err, "the state of the capture");
    send_not_read(view, emit);
    return tk_emit_status(emit);
}

static void close_health_table(void *self)
{
    struct health_table *h = self;
    if (h) {
        tk_stack_references_release(&h->stacks);
        tk_counter_references_release(&h->counters);
        tk_module_list_release(&h->modules);
    }
    free(h);
}

const struct tk_builder tk_builder_health = {
    .table = &table,
    .needs = {.order = TK_NEEDS_LAST, .sums = true},
    .add_needs = add_needs_health,
    .open = open_health_table,
    .feed = feed_health_table,
    .finish = finish_health_table,
    .close = close_health_table,
};
