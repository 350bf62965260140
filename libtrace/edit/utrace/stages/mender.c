/*
 * Events of which the end is missing. See mender.h.
 */
#include "edit/utrace/stages/mender.h"

#include "edit/utrace/stages/batch.h"

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    if (!item->ev || !item->ev->incomplete)
        return tk_edit_take(stage->next, item);
    const unsigned form = tk_edit_batch_form(item->ev->type);
    const struct tk_ut_field *data = form ? tk_ut_type_field(item->ev->type, "Data") : NULL;
    if (!data)
        return tk_edit_drop(stage, item);
    const struct tk_bytes bytes = tk_ut_event_bytes(item->ev, data);
    struct tk_ut_blob blob = {bytes.p, (uint32_t)tk_edit_batch_whole(bytes.p, bytes.n, form),
                              tk_ut_field_index(item->ev->type, data)};
    struct tk_ut_event whole = *item->ev;
    struct tk_edit_item changed = *item;
    if (!blob.n)
        return tk_edit_drop(stage, item);
    whole.blobs = &blob;
    whole.n_blobs = 1;
    changed.ev = &whole;
    changed.changed = true;
    return tk_edit_take(stage->next, &changed);
}

const struct tk_edit_stage_ops tk_edit_mender_ops = {.take = take};
