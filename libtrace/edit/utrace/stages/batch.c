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

bool tk_edit_passed_value(const struct tk_ut_type *type, const struct tk_ut_passed *event,
                          struct tk_ut_blob *value)
{
    enum { CODE = 2, SERIAL = 3, BLOB_HEAD = 4, TERMINAL = 1 };
    const size_t head = CODE + (type->flags & TK_UT_FLAG_NOSYNC ? 0u : SERIAL) + type->fixed;
    const uint32_t word = event->n >= head + BLOB_HEAD ? tk_load32(event->p + head) : 0;
    *value = (struct tk_ut_blob){event->p + head + BLOB_HEAD, word >> 13, word >> 8 & 31};
    return value->n && event->n == head + BLOB_HEAD + value->n + TERMINAL;
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

/*
 * States between the bytes of a batch: at the begin of an entry, or in a number behind which so many others
 * belong to the entry. The first byte of an entry says how many: one for a begin, one for a coroutine. A
 * number ends with the first byte that has no highest bit.
 */
enum { AT_ENTRY, IN_LAST, STATE_BITS = 2, STATES = 4 };
enum { BYTE_BITS = 3, BYTE_MASK = 7, GOES_ON = 4, STEP = 4 };

/* `byte`: GOES_ON and the lowest two bits. */
static unsigned next_state(unsigned state, unsigned byte)
{
    const unsigned numbers = state == AT_ENTRY ? IN_LAST + (byte & 1) + (byte >> 1 & 1) : state;
    return byte & GOES_ON ? numbers : numbers - 1;
}

void tk_edit_batch_steps_init(struct tk_edit_batch_steps *steps)
{
    for (unsigned i = 0; i < sizeof steps->to; i++) {
        steps->to[i] = 0;
        for (unsigned from = 0; from < STATES; from++) {
            unsigned state = from;
            for (unsigned k = 0; k < STEP; k++)
                state = next_state(state, i >> (BYTE_BITS * k) & BYTE_MASK);
            steps->to[i] |= (uint8_t)(state << (STATE_BITS * from));
        }
    }
}

/* Does the last entry end with the bytes? Not known where numbers are long, for which it is false. */
static bool ends_whole(const struct tk_edit_batch_steps *steps, const uint8_t *p, size_t n, unsigned form)
{
    const uint32_t flags = form > 1 ? 0x03030303 : 0x01010101;
    unsigned state = AT_ENTRY;
    size_t at = 0;
    for (; n - at >= STEP; at += STEP) {
        const uint32_t word = tk_load32(p + at), high = word & 0x80808080;
        if (high == 0x80808080)
            return false;
        uint32_t bits = (word & flags) | high >> 5;
        bits = (bits | bits >> 5) & 0x003f003f;
        bits = (bits | bits >> 10) & 0xfff;
        state = steps->to[bits] >> (STATE_BITS * state) & (STATES - 1);
    }
    for (; at < n; at++)
        state = next_state(state, (p[at] & flags & 3) | (p[at] & 0x80u) >> 5);
    return state == AT_ENTRY;
}

size_t tk_edit_batch_whole(const struct tk_edit_batch_steps *steps, const uint8_t *p, size_t n, unsigned form)
{
    struct tk_cur c = tk_cur_of(p, n);
    struct tk_edit_entry ignored;
    /* the time of the first one is the longest */
    size_t whole = tk_edit_batch_next(&c, form, &ignored) ? tk_cur_at(&c) : 0;
    if (whole && ends_whole(steps, p + whole, n - whole, form))
        return n;
    while (whole < n && tk_edit_batch_next(&c, form, &ignored))
        whole = tk_cur_at(&c);
    return whole;
}
