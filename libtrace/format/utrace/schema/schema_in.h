/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_UTRACE_SCHEMA_SCHEMA_IN_H
#define TK_FORMAT_UTRACE_SCHEMA_SCHEMA_IN_H

#include "base/cursor.h"

/*
 * CBOR: the values of metadata (events 0.6): a subset of RFC 8949, numbers big-endian.
 *
 *   a head of one byte: kind in bits 5 to 7, length or value in the others (24 to 27: in the 1, 2, 4, 8 bytes
 * that follow) | bytes of texts
 */

enum tk_ut_cbor_kind { TK_UT_CBOR_INT, TK_UT_CBOR_REAL, TK_UT_CBOR_TEXT, TK_UT_CBOR_BOOL, TK_UT_CBOR_NULL };

struct tk_ut_cbor {
    enum tk_ut_cbor_kind kind;
    bool is_signed;       /* INT: negative */
    uint64_t u;           /* INT (two's complement), BOOL */
    double r;             /* REAL */
    struct tk_bytes text; /* TEXT; borrowed */
};

/* The next value; what is in arrays and maps comes one by one, without them. false at the end, and at what is
 * no CBOR: then the cursor has a fault. */
bool tk_ut_cbor_next(struct tk_cur *c, struct tk_ut_cbor *out);

#endif
