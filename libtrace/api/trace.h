/*
 * Trace: an open capture with all that its parts share.
 */
#ifndef TK_API_TRACE_H
#define TK_API_TRACE_H

#include "fact/format.h"
#include "fact/symbolizer.h"
#include "query/builder.h"
#include "tracekit/captures.h"

struct tk_kept_file;

struct tk_trace {
    struct tk_options options; /* those of the caller; nothing it points to is used after opening, but for
                                  progress, and metrics with what measures them */
    struct tk_context ctx;
    struct tk_file *file;       /* owned */
    char *path;                 /* owned: as it was opened; NULL: it has none */
    char *made;                 /* owned: the capture that was made of a recording; NULL: it is none */
    struct tk_capture *capture; /* owned */
    struct tk_open_symbols
        *symbols;               /* owned: functions and lines of its addresses; NULL: this build has none */
    struct tk_kept_file *known; /* owned: what is kept of it between questions; NULL: nothing */
    struct tk_health opened;    /* health as it was when the capture had been opened */
};

/* A hash of the bytes of a capture, or of a large one of pieces of them: the same for the same file. TK_OK,
 * TK_EIO, TK_ENOMEM. */
int tk_trace_content(const struct tk_trace *trace, uint64_t *hash, struct tk_err *err);

/* When the capture began, in nanoseconds since 1970; INT64_MIN: it does not say. TK_OK, or as
 * tk_query_run. */
int tk_trace_begin(struct tk_trace *trace, int64_t *ns, struct tk_err *err);

/* The symbols of all addresses that were looked up, as a file of symbols to send along, to be freed; `strip`:
 * source files without their folders. NULL if out of memory. Not without a symbolizer. */
uint8_t *tk_trace_symbols(struct tk_trace *trace, bool strip, size_t *n);

/*
 * The table of tables: every table that can be requested, and who makes its rows.
 */

/* All tables are no more than this. */
enum { TK_MOST_TABLES = 128 };

/* The builder of a table of the model, or NULL. Static. */
const struct tk_builder *tk_builder_find(const char *name);

/* The table of a name that a format describes its files with, or NULL. Static. */
const struct tk_table *tk_format_table_find(const struct tk_format *format, const char *name);

/* The table of a name whose rows a format says as facts, or NULL. Static. */
const struct tk_table *tk_format_rows_find(const struct tk_format *format, const char *name);

/* Says that there is no table of the name, and which names are near: the status that the caller returns. */
int tk_tables_fail(const char *name, struct tk_err *err);

#endif
