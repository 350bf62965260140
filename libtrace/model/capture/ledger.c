/*
 * Table `ledger`: where every byte of the file went.
 */
#include "base/health/health_reread.h"
#include "query/tables.h"
#include "query/context_cells.h"

#include <string.h>

enum { PART, BYTES, SHARE, HELP, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [PART] = {"part", TK_TEXT, 0, NULL, "part of the file"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "size of the part; the sizes add up to the file size"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "share of the file, 0 to 1"},
    [HELP] = {"help", TK_TEXT, 0, NULL, "content of the part"},
};

static const struct tk_table table = {
    .name = "ledger",
    .help = "what every byte of the file is used for",
    .columns = columns,
    .n_columns = COLUMNS,
};

/* What cannot be unpacked shows where it is read; counting events is the least that reads all. */
static uint64_t wants_ledger(const struct tk_query_context *view, uint64_t asked)
{
    (void)asked;
    return view->query->in_passing ? 0 : TK_FACT_MASK(RECORD_COUNT);
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
    .table = &table,
    .traits = TK_BUILDER_JUDGES,
    .wants = wants_ledger,
    .open = tk_query_context_open,
    .finish = finish_ledger,
};
