/*
 * Entries of batches. See batch.h.
 */
#include "edit/utrace/stages/batch.h"

#include "base/bits.h"

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

/* Passes over entries that are within eight bytes, as nearly all are: a number ends with the first byte that
 * has no highest bit. */
static size_t pass_plain(const uint8_t *p, size_t n, unsigned form)
{
    enum { WORD = 8 };
    const uint64_t coroutine = form > 1 ? 2 : 0;
    size_t at = 0;
    while (n - at >= WORD) {
        const uint64_t word = tk_load64(p + at), ends = ~word & UINT64_C(0x8080808080808080),
                       end = word & 1 ? ends & (ends - 1) : ends;
        if (!end || word & coroutine)
            break;
        at += tk_zeros_below(end) / 8 + 1;
    }
    return at;
}

size_t tk_edit_batch_whole(const uint8_t *p, size_t n, unsigned form)
{
    size_t whole = pass_plain(p, n, form);
    for (size_t got = 1; got && whole < n; whole += got) {
        struct tk_cur c = tk_cur_of(p + whole, n - whole);
        struct tk_edit_entry ignored;
        got = tk_edit_batch_next(&c, form, &ignored) ? tk_cur_at(&c) : 0;
        got += got ? pass_plain(p + whole + got, n - whole - got, form) : 0;
    }
    return whole;
}
