/*
 * The byte order mark that a text in UTF-8 may begin with. Below all that reads texts which other programs
 * wrote.
 */
#ifndef TK_BASE_TEXT_BYTE_ORDER_MARK_H
#define TK_BASE_TEXT_BYTE_ORDER_MARK_H

#include <stddef.h>
#include <string.h>

/* Bytes of the mark at the begin of a text of n bytes: 3, or 0 where there is none. */
static inline size_t tk_byte_order_mark(const void *text, size_t n)
{
    return n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

#endif
