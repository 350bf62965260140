/*
 * Where important events begin and end, by what they hold (wire 3.6, 9.2); private to their stream.
 */
#ifndef TK_FORMAT_UTRACE_LANES_IMPORTANT_RESYNC_H
#define TK_FORMAT_UTRACE_LANES_IMPORTANT_RESYNC_H

#include "format/utrace/lanes/lane.h"

#define TK_UT_IMPORTANT_BLOB     0x01
#define TK_UT_IMPORTANT_TERMINAL 0x03

/* Do sound events follow each other from p on? TK_ITEM yes, TK_OK no, TK_UT_MORE: not to be said yet, only
 * when it is not the `last` of the stream. */
int tk_ut_important_proven(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last);

/*
 * The size of the event whose head of 4 bytes is at p: as its content says, if sound events follow there;
 * else *size, as it is stated. TK_ITEM; TK_OK: both are wrong; TK_UT_MORE: not all there, or not to be said
 * yet.
 */
int tk_ut_important_size(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last,
                         size_t *size);

/* Is the incomplete event in these n bytes, at the end of a stream, one whose missing part was simply cut
 * off? */
bool tk_ut_important_begins(const struct tk_ut_decoder *d, const uint8_t *p, size_t n);

#endif
