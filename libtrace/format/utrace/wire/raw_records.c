/*
 * Records of a raw packet, by their sizes: see raw_records.h.
 */
#include "format/utrace/wire/raw_records.h"

#include "base/cursor.h"

static void reach(struct tk_ut_raw_records *r, size_t at)
{
    if (at <= r->n)
        r->ends[at] = true;
}

/* Behind array data and its terminal, where those stand at a place. */
static void reach_behind_blobs(struct tk_ut_raw_records *r, size_t at)
{
    while (at + 4 <= r->n && r->p[at] & 0x80)
        at += 4 + (size_t)(tk_load32(r->p + at) >> 8);
    if (at < r->n && !r->p[at])
        reach(r, at + 1);
}

/* Behind a record that states its size at a place, with `serial` bytes of a number or without. */
static void reach_behind_sized(struct tk_ut_raw_records *r, size_t at, size_t serial)
{
    if (at + 2 > r->n)
        return;
    size_t end = at + 2 + tk_load16(r->p + at);
    reach(r, end);
    reach(r, end + serial);
    reach_behind_blobs(r, end);
    reach_behind_blobs(r, end + serial);
}

/* Protocol 4: records of scopes have no size. */
static void reach_behind_coded(struct tk_ut_raw_records *r, size_t at)
{
    uint8_t code = r->p[at];
    if (code == 2 || code == 6)
        reach(r, at + 1);
    if (code == 4 || code == 8)
        reach(r, at + 8);
    if (code & 1)
        reach_behind_sized(r, at + 2, 3);
}

void tk_ut_raw_records_find(struct tk_ut_raw_records *r, uint8_t protocol, const uint8_t *p, size_t n)
{
    bool known = protocol >= 1 && protocol <= 4;
    *r = (struct tk_ut_raw_records){.p = p, .n = n < TK_UT_RAW_RECORDS_MOST ? n : TK_UT_RAW_RECORDS_MOST};
    r->ends[0] = known;
    for (size_t at = 0; at < r->n; at++) {
        if (!r->ends[at])
            continue;
        if (protocol == 4)
            reach_behind_coded(r, at);
        else
            reach_behind_sized(r, at + 2, protocol == 1 ? 2 : 3);
    }
}
