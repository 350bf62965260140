/*
 * The file of a merge, and what it says of itself. See edit_tracy_merge.h.
 */
#include "edit/tracy/edit_tracy_merge.h"

#include "edit/tracy/edit_tracy.h"
#include "format/tracy/walk/edits.h"

#include <inttypes.h>
#include <stdio.h>

int tk_edit_tracy_merge_plan(struct tk_edit_tracy_merge *e, const char *compress, unsigned streams,
                             struct tk_err *err)
{
    const int rc = tk_tracy_merge_plan(&e->merge, err);
    return rc == TK_OK ? tk_edit_tracy_packing(&e->packing, e->merge.parts[0].c, e->merge.version, compress,
                                               streams, err)
                       : rc;
}

/* One line, without names of captures. */
static size_t make_record(const struct tk_tracy_merge *m, char *text, size_t room)
{
    size_t n = (size_t)snprintf(
        text, room,
        TK_TRACY_EDIT_MARK "%s\",\"options\":[\"merge\"],\"merged\":%zu,\"earlier_edits\":%zu,\"shifted\":[",
        TK_VERSION, m->n, m->edits);
    for (size_t i = 0; i < m->n && n < room; i++)
        n += (size_t)snprintf(text + n, room - n, "%s%" PRId64, i ? "," : "", m->parts[i].shift);
    n += n < room ? (size_t)snprintf(text + n, room - n, "]}") : 0;
    return n < room ? n : room - 1;
}

int tk_edit_tracy_merge_write(struct tk_edit_tracy_merge *e, tk_tracy_write_fn *write, void *ctx,
                              struct tk_err *err)
{
    char record[256 + 24 * TK_TRACY_MERGED_MOST];
    struct tk_tracy_writer out;
    e->merge.record = record;
    e->merge.n_record = make_record(&e->merge, record, sizeof record);
    tk_tracy_writer_open(&out, e->merge.version, &e->packing, write, ctx, err);
    const int rc = out.rc == TK_OK ? tk_tracy_merge_write(&e->merge, &out, err) : out.rc;
    const int closed = tk_tracy_writer_close(&out);
    e->merge.record = NULL;
    e->merge.out = NULL;
    return rc == TK_OK ? closed : rc;
}

void tk_edit_tracy_merge_release(struct tk_edit_tracy_merge *e)
{
    tk_tracy_merge_release(&e->merge);
}
