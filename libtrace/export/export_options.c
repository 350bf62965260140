/*
 * Checks the options of an export and fills in the defaults. It runs before any format does.
 */
#include "base/err.h"
#include "export/export_in.h"

int tk_export_take(struct tk_query *whole, const struct tk_query *query, struct tk_export_options *opt,
                   const struct tk_export_options *options, struct tk_err *err)
{
    int rc = tk_struct_size_take(whole, sizeof *whole, query, "the query", err);
    return rc < 0 ? rc : tk_struct_size_take(opt, sizeof *opt, options, "the options", err);
}
