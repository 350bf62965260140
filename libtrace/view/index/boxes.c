/*
 * The boxes of windows: a list that grows up to a limit. See index.h.
 */
#include "base/err.h"
#include "view/index/index_internal.h"

#include <stdlib.h>

enum { BOXES_MOST = 1 << 20 };

int tk_index_box_add(struct tk_index_window *out, const struct tk_index_box *box, struct tk_err *err)
{
    if (out->n == BOXES_MOST)
        return tk_err_set(err, TK_ELIMIT,
                          "the window has more than %d boxes; ask for fewer lanes, rows or less time",
                          BOXES_MOST);
    if (out->n == out->cap && tk_vec_grow((void **)&out->boxes, &out->cap, out->n + 1, sizeof *out->boxes))
        return tk_err_nomem(err, "the boxes of a window");
    out->boxes[out->n++] = *box;
    return TK_OK;
}

int tk_index_damaged(struct tk_err *err)
{
    return tk_err_set(err, TK_EOUTPUT, "the temporary file of an index was changed by another program");
}

void tk_index_window_release(struct tk_index_window *out)
{
    free(out->boxes);
    free(out->ends);
    *out = (struct tk_index_window){0};
}
