/*
 * A page of a selection that needs no server: of the capture, or of one that is anonymised as `trace-edit
 * --anonymise` does it, which is written to a temporary file first.
 */
#include "base/err.h"
#include "os/path.h"
#include "os/temporary.h"
#include "report/page.h"
#include "tracekit/edits.h"
#include "view/view_in.h"

#include <stdlib.h>

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
