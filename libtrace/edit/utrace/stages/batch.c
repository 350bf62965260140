/*
 * Entries of batches. See batch.h.
 */
#include "edit/utrace/stages/batch.h"

#include <string.h>

unsigned tk_edit_batch_form(const struct tk_ut_type *type)
{
    static const struct {
        const char *name;
        unsigned form;
    } batches[] = {{"CpuProfiler.EventBatchV3", 3},
                   {"CpuProfiler.EventBatchV2", 2},
                   {"CpuProfiler.EventBatch", 1},
                   {"CpuProfiler.EndCapture", 1}};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        if (strcmp(type->name->p, batches[i].name) == 0)
            return batches[i].form;
    return 0;
}

bool tk_edit_batch_next(struct tk_cur *c, unsigned form, struct tk_edit_entry *out)
{
    if (!tk_cur_left(c))
        return false;
    const uint64_t v = tk_varint(c, "time");
    *out = (struct tk_edit_entry){
        .cycles = v >> (form > 1 ? 2 : 1), .begins = v & 1, .coroutine = form > 1 && (v & 2)};
    if (out->begins)
        out->number = tk_varint(c, "timer");
    if (out->coroutine)
        out->depth = tk_varint(c, "depth");
    return tk_cur_ok(c);
}

size_t tk_edit_batch_whole(const uint8_t *p, size_t n, unsigned form)
{
    struct tk_cur c = tk_cur_of(p, n);
    struct tk_edit_entry ignored;
    size_t whole = 0;
    while (tk_edit_batch_next(&c, form, &ignored))
        whole = tk_cur_at(&c);
    return whole;
}
