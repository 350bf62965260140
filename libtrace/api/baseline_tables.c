/*
 * The tables of baselines. See tracekit.h and compare/baseline/listing.h.
 */
#include "base/given.h"
#include "compare/baseline/listing.h"

#include <string.h>

const struct tk_table *tk_baseline_table(size_t i)
{
    size_t n = 0;
    while (tk_listings[n])
        n++;
    return i < n ? &tk_listings[i]->table : NULL;
}

int tk_baseline_rows(const struct tk_baseline *b, const char *table, const struct tk_sink *sink,
                     struct tk_err *err)
{
    TK_GIVEN(err, b, table, sink);
    for (size_t i = 0; tk_listings[i]; i++)
        if (strcmp(tk_listings[i]->table.name, table) == 0)
            return tk_listing_send(tk_listings[i], b, sink, err);
    return tk_err_set(err, TK_EMATCH, "a baseline has no table '%s'", table);
}
