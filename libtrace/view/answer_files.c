/*
 * Answers that are files of their own: a page of a selection, and pictures.
 */
#include "base/err.h"
#include "os/path.h"
#include "os/temporary.h"
#include "report/page.h"
#include "table/cell.h"
#include "tracekit/edits.h"
#include "tracekit/queries.h"
#include "tracekit/sinks.h"
#include "view/view_in.h"

#include <stdlib.h>

/*
 * A page of a selection that needs no server: of the capture, or of one that is anonymised as `trace-edit
 * --anonymise` does it, which is written to a temporary file first.
 */

static int put_page(const struct tk_view_ask *ask, struct tk_trace *trace, const struct tk_selection *select,
                    const char *name)
{
    struct tk_page *page = NULL;
    struct tk_query query = TK_INIT(struct tk_query);
    query.select = *select;
    int rc = tk_page_new(&page, NULL, ask->err);
    if (rc == TK_OK)
        rc = tk_page_add(page, trace, &query, name, ask->err);
    if (rc == TK_OK)
        tk_page_put(page, ask->m);
    tk_page_free(page);
    return rc;
}

/* Names of threads are replaced, so that threads are selected by what the file has. */
static int anonymise(const struct tk_view_ask *ask, const struct tk_selection *select, const char *path)
{
    struct tk_edit_options options = TK_INIT(struct tk_edit_options);
    struct tk_selection threads = *select;
    threads.has_from = threads.has_to = false;
    options.path = path;
    options.force = true;
    options.anonymise = "";
    return tk_edit_run(ask->capture->tables, &threads, &options, NULL, ask->err);
}

/* Symbols of this machine would name what was replaced. */
static int put_page_of(const struct tk_view_ask *ask, const struct tk_selection *select, const char *path)
{
    struct tk_options options = *ask->capture->options;
    struct tk_selection times = {.has_from = select->has_from,
                                 .has_to = select->has_to,
                                 .from_ns = select->from_ns,
                                 .to_ns = select->to_ns};
    struct tk_trace *trace = NULL;
    options.no_symbols = true;
    options.index = NULL;
    int rc = tk_open(&trace, path, &options, ask->err);
    if (rc == TK_OK)
        rc = put_page(ask, trace, &times, "anonymised capture");
    tk_close(trace);
    return rc;
}

static int put_anonymous(const struct tk_view_ask *ask, const struct tk_selection *select)
{
    char *path = NULL;
    const struct tk_os_result made = tk_os_temporary_file(&path, "anonymised");
    if (made.error != TK_OS_OK)
        return tk_err_set(ask->err, TK_EOUTPUT, "cannot make a temporary file: %s", tk_os_text(made));
    int rc = anonymise(ask, select, path);
    if (rc == TK_OK)
        rc = put_page_of(ask, select, path);
    (void)tk_os_path_remove(path);
    free(path);
    return rc;
}

int tk_view_answer_page(const struct tk_view_ask *ask)
{
    struct tk_view_chosen *chosen = NULL;
    int64_t anonymous = 0;
    int rc = tk_view_choose(ask, &chosen);
    if (rc == TK_OK && tk_http_number(ask->query, "anonymous", 0, 1, &anonymous) < 0)
        rc = tk_err_set(ask->err, TK_EUSAGE, "'anonymous' is 0 or 1");
    if (rc == TK_OK)
        rc = anonymous ? put_anonymous(ask, &chosen->query.select)
                       : put_page(ask, ask->capture->tables, &chosen->query.select, ask->path);
    tk_view_chosen_free(chosen);
    return rc;
}

/*
 * Pictures: the bytes of a screenshot or of an image of a frame, as the capture has them.
 */

/* The row that is wanted, and how many came before. */
struct picture {
    int64_t row, seen;
    struct tk_buffer *out;
    bool found;
};

static int take_picture(void *self, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err)
{
    struct picture *p = self;
    (void)err;
    for (size_t i = 0; i < rows->n && !p->found; i++) {
        const struct tk_cell *data = &rows->cells[i * table->n_columns];
        if (p->seen++ != p->row)
            continue;
        p->found = true;
        if (data->kind == TK_BYTES)
            tk_buffer_put(p->out, data->v.p, data->n);
    }
    return p->found ? TK_ECANCELED : TK_OK;
}

static const char *table_of(struct tk_trace *trace)
{
    return tk_has_table(trace, "screenshots")    ? "screenshots"
           : tk_has_table(trace, "frame_images") ? "frame_images"
                                                 : NULL;
}

int tk_view_answer_picture(const struct tk_view_ask *ask)
{
    static const char *const columns[] = {"data"};
    struct picture picture = {.out = &ask->m->out};
    struct tk_query query = TK_INIT(struct tk_query);
    const char *table = table_of(ask->capture->tables);
    if (tk_view_number(ask, "i", 0, INT32_MAX, &picture.row))
        return TK_EUSAGE;
    if (!table)
        return tk_err_set(ask->err, TK_EMATCH, "captures of this kind have no pictures");
    query.tables = &table;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = 1;
    query.in_passing = true;
    const int rc = tk_query_run(ask->capture->tables, &query,
                                &(struct tk_sink){.self = &picture, .rows = take_picture}, ask->err);
    if (rc < 0 && !picture.found)
        return rc;
    return picture.found ? TK_OK : tk_err_set(ask->err, TK_EMATCH, "there is no such picture");
}
