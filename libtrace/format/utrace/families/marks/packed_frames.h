/*
 * Packed frames: the byte codes of callstacks (changes-since 2). Each holds the differences between an
 * address and the one before it, 0 before the first; how many there are is known at the end of the bytes.
 */
#ifndef TK_FORMAT_UTRACE_FAMILIES_CODE_PACKED_FRAMES_H
#define TK_FORMAT_UTRACE_FAMILIES_CODE_PACKED_FRAMES_H

#include "base/cursor.h"

#include <stdbool.h>

#define TK_UT_MOST_FRAMES 255u /* more are not recorded */

/* How bytes become one difference. false: it is cut off, or no such value; *at then has no meaning. */
typedef bool tk_ut_frame_code(struct tk_bytes bytes, size_t *at, uint64_t previous, uint64_t *address);

tk_ut_frame_code tk_ut_frame_xor, tk_ut_frame_7bit, tk_ut_frame_varint;

struct tk_ut_frames {
    uint32_t n;                    /* addresses */
    bool damaged;                  /* the bytes end inside an address, or have none; those before are there */
    bool cut;                      /* there are more than TK_UT_MOST_FRAMES */
    uint64_t v[TK_UT_MOST_FRAMES]; /* innermost first */
};

void tk_ut_frames_unpack(struct tk_ut_frames *out, struct tk_bytes bytes, tk_ut_frame_code *code);

#endif
