/*
 * Sums of an edit. See edit_report.h.
 */
#include "run/edit_report.h"

#include "terminal/host.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <string.h>

static uint64_t cell_of(const struct tk_table *table, const struct tk_cell *row, const char *column)
{
    const int at = tk_table_column(table, column);
    return at < 0 ? 0 : tk_cell_uint(&row[at]);
}

static int add_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_edit_report *r = self;
    (void)err;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        r->events += cell_of(table, row, "events");
        r->bytes += cell_of(table, row, "bytes");
        r->kept += cell_of(table, row, "kept");
        r->kept_bytes += cell_of(table, row, "kept_bytes");
        r->changed += cell_of(table, row, "changed");
    }
    return TK_OK;
}

struct tk_sink tk_edit_report_sink(struct tk_edit_report *report)
{
    return (struct tk_sink){.self = report, .rows = add_rows};
}

void tk_edit_report_say(const struct tk_edit_report *r, const char *path)
{
    if (r->quiet || !tk_host_terminal(stderr))
        return;
    tk_message_say(
        r->program, TK_MESSAGE_NOTE,
        "wrote %s: %" PRIu64 " of %" PRIu64 " events, %" PRIu64 " of %" PRIu64 " bytes of them (unpacked)",
        strcmp(path, "-") == 0 ? "standard output" : path, r->kept, r->events, r->kept_bytes, r->bytes);
}
