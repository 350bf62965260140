/*
 * Exports pictures: the screenshots of a capture, one file each in a folder. It feeds the sink of pictures.h.
 */
#include "api/tables.h"
#include "base/err.h"
#include "export/export.h"
#include "sink/tables/pictures.h"

#include <string.h>

int tk_export_pictures(const struct tk_export *e, struct tk_err *err)
{
    static const char *const tables[] = {"screenshots"};
    struct tk_query query = *e->query;
    struct tk_pictures *pictures;
    if (strcmp(e->options->path, "-") == 0)
        return tk_err_set(err, TK_EUSAGE, "pictures need a folder to be written to");
    if (!tk_format_rows_find(e->trace->ctx.format, tables[0]))
        return tk_err_set(err, TK_EMATCH, "captures of this kind have no screenshots");
    query.tables = tables;
    query.n_tables = 1;
    query.columns = tk_picture_columns;
    query.n_columns = TK_PICTURE_COLUMNS;
    int rc = tk_pictures_open(&pictures, e->options->path, e->options->force, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_pictures_sink(pictures);
    rc = tk_query_run(e->trace, &query, &sink, err);
    if (rc == TK_OK)
        return tk_pictures_commit(pictures, err);
    tk_pictures_discard(pictures);
    return rc;
}
