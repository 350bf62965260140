/*
 * Parts of the records of protocols 0 to 4 (lane_protocol0.c); private to the lane.
 */
#ifndef TK_FORMAT_UTRACE_LANES_LANE_PROTOCOL0_H
#define TK_FORMAT_UTRACE_LANES_LANE_PROTOCOL0_H

#include "format/utrace/lanes/lane_parse.h"

/* Bytes of the serial number. */
static inline size_t tk_ut_old_serial(const struct tk_ut_decoder *d, bool synced)
{
    return !synced ? 0 : d->protocol == 1 ? 2 : 3;
}

/* The uid that a record begins with. */
static inline uint32_t tk_ut_old_uid(const struct tk_ut_decoder *d, const uint8_t *p, size_t code_size)
{
    uint32_t code = code_size == 2 ? (uint32_t)tk_load16(p) : (uint32_t)*p;
    return d->protocol == 4 ? code >> 1 : code & (d->protocol ? 0x7fffu : 0x3fffu);
}

/* Array data at p with its terminal; 0 when that is not all before the end. */
static inline size_t tk_ut_old_blobs(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *start = p;
    while (end - p >= 4 && *p & 0x80 && (size_t)(end - p) - 4 >= tk_load32(p) >> 8)
        p += 4 + (tk_load32(p) >> 8);
    return p < end && !*p ? (size_t)(p + 1 - start) : 0;
}

/* As tk_ut_length_old. */
typedef size_t tk_ut_length_fn(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                               const struct tk_ut_input *in, struct tk_ut_record_kind *kind);

/* The length of a record of an undeclared uid, and the bytes of its serial number, as what follows in its
 * packet proves; 0: nothing does. */
size_t tk_ut_step_over(const struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_input *in,
                       uint32_t uid, size_t code_size, size_t *serial, tk_ut_length_fn *length);

#endif
