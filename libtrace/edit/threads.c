/*
 * Threads of a selection. See threads.h.
 */
#include "edit/threads.h"

#include "engine/prescan.h"
#include "query/pattern_check.h"

#include <stdlib.h>

static int choose(bool *wanted, struct tk_select *select, const struct tk_prescan *scan, struct tk_err *err)
{
    tk_pattern_learn_threads(&select->threads, &scan->dict);
    for (uint32_t i = 0; i < TK_EDIT_THREADS; i++)
        wanted[i] = tk_select_thread(select, &scan->dict, i);
    return tk_pattern_check_threads(&select->threads, &scan->dict, err);
}

int tk_edit_threads_choose(bool **out, struct tk_trace *trace, const struct tk_selection *asked,
                           struct tk_err *err)
{
    struct tk_prescan scan = {0};
    struct tk_select select;
    *out = NULL;
    if (!asked || !asked->n_threads)
        return TK_OK;
    const struct tk_selection threads = {.threads = asked->threads, .n_threads = asked->n_threads};
    int rc = tk_select_init(&select, &threads, err);
    if (rc != TK_OK)
        return rc;
    if (!(*out = calloc(TK_EDIT_THREADS, sizeof **out)))
        rc = tk_err_nomem(err, "an edit");
    if (rc == TK_OK)
        rc = tk_prescan_run(&scan, &trace->ctx, trace->capture, NULL, &threads, &(struct tk_prescan_wish){0},
                            err);
    if (rc == TK_OK)
        rc = choose(*out, &select, &scan, err);
    tk_prescan_release(&scan);
    tk_select_release(&select);
    if (rc == TK_OK)
        return TK_OK;
    free(*out);
    *out = NULL;
    return rc;
}
