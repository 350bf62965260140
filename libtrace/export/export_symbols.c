/*
 * Exports symbols: the functions of all addresses of callstacks and samples, as a file that takes the place
 * of symbols on another machine. The symbols of the capture write it.
 */
#include "api/tables.h"
#include "base/err.h"
#include "export/export.h"
#include "io/output.h"

#include <stdlib.h>

/* The table of files of symbols looks up every address that there is. */
static int look_up(const struct tk_export *e, struct tk_err *err)
{
    static const char *const tables[] = {"symbol_files"};
    const struct tk_sink nowhere = {0};
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = tables;
    query.n_tables = 1;
    query.unit = TK_UNIT_NS;
    return tk_query_run(e->trace, &query, &nowhere, err);
}

static int write_symbols(struct tk_trace *trace, struct tk_output *output, bool strip, struct tk_err *err)
{
    size_t n;
    uint8_t *bytes = tk_trace_symbols(trace, strip, &n);
    int rc = bytes ? tk_output_write(output, bytes, n, err) : tk_err_nomem(err, "symbols");
    free(bytes);
    return rc;
}

int tk_export_tksym(const struct tk_export *e, struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    struct tk_output *output = NULL;
    int rc = tk_export_refuse_order(e, "tksym", err);
    if (rc == TK_OK && !e->trace->symbols.symbols)
        rc =
            tk_err_set(err, TK_EUSAGE, "symbols are switched off (--no-symbols), so there are none to write");
    if (rc == TK_OK && !tk_has_table(e->trace, "symbol_files"))
        rc = tk_err_set(err, TK_EMATCH, "captures of this kind have no addresses");
    if (rc == TK_OK)
        rc = tk_output_open_packed(&output, opt->path, opt->force, TK_PACKING_NONE, err);
    if (rc < 0)
        return rc;
    rc = look_up(e, err);
    if (rc == TK_OK)
        rc = write_symbols(e->trace, output, opt->strip_paths, err);
    if (rc == TK_OK)
        return tk_output_commit(output, err);
    tk_output_discard(output);
    return rc;
}
