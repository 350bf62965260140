/*
 * Sums of an edit. See edit_report.h.
 */
#include "run/edit_report.h"

#include "terminal/host.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t cell_of(const struct tk_table *table, const struct tk_cell *row, const char *column)
{
    const int at = tk_table_column(table, column);
    return at < 0 ? 0 : tk_cell_uint(&row[at]);
}

/* The first types by name, as far as there is room. */
static void name_emptied(struct tk_edit_report *r, const struct tk_table *table, const struct tk_cell *row)
{
    const int at = tk_table_column(table, "type");
    const uint64_t n = cell_of(table, row, "emptied");
    const size_t used = strlen(r->emptied), left = sizeof r->emptied - used;
    if (!n || at < 0)
        return;
    if (r->n_emptied++ && left < 100)
        return;
    const struct tk_cell *type = &row[at];
    const int size = type->n < 80 ? (int)type->n : 80;
    snprintf(r->emptied + used, left, "%s%.*s (%" PRIu64 ")", used ? ", " : "", size, (const char *)type->v.p,
             n);
}

static int add_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_edit_report *r = self;
    (void)err;
    if (strcmp(table->name, "edit") != 0)
        return TK_OK;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        r->events += cell_of(table, row, "events");
        r->bytes += cell_of(table, row, "bytes");
        r->kept += cell_of(table, row, "kept");
        r->kept_bytes += cell_of(table, row, "kept_bytes");
        r->changed += cell_of(table, row, "changed");
        r->replaced += cell_of(table, row, "replaced");
        name_emptied(r, table, row);
    }
    return TK_OK;
}

struct tk_sink tk_edit_report_sink(struct tk_edit_report *report)
{
    return (struct tk_sink){.self = report, .rows = add_rows};
}

static void say_emptied(const struct tk_edit_report *r)
{
    tk_message_say(r->program, TK_MESSAGE_WARNING,
                   "texts of %zu unknown event types were left out (type and events): %s%s", r->n_emptied,
                   r->emptied, strlen(r->emptied) + 100 > sizeof r->emptied ? ", ..." : "");
}

void tk_edit_report_say(const struct tk_edit_report *r, const char *path)
{
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    if (r->quiet)
        return;
    if (r->n_emptied)
        say_emptied(r);
    if (!tk_host_terminal(stderr))
        return;
    tk_message_say(r->program, TK_MESSAGE_NOTE,
                   "wrote %s: %" PRIu64 " of %" PRIu64 " events, %" PRIu64 " of %" PRIu64
                   " bytes before compression",
                   name, r->kept, r->events, r->kept_bytes, r->bytes);
    if (r->replaced)
        tk_message_say(r->program, TK_MESSAGE_NOTE,
                       "texts of %" PRIu64 " events were replaced, and none of them is in the result",
                       r->replaced);
}
