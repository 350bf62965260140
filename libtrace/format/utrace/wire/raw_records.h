/*
 * Where records of a raw packet may end. Those of protocols 1 to 4 state their size, so that no declaration
 * is needed (wire 3.3, 3.4); which types have a serial number and array data is not known, so that each way
 * is tried.
 */
#ifndef TK_FORMAT_UTRACE_WIRE_RAW_RECORDS_H
#define TK_FORMAT_UTRACE_WIRE_RAW_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TK_UT_RAW_RECORDS_MOST 384u /* bytes of payload that are looked at */

struct tk_ut_raw_records {
    const uint8_t *p; /* borrowed */
    size_t n;
    bool ends[TK_UT_RAW_RECORDS_MOST + 1]; /* whole records lie before this place */
};

/* Finds the places in a payload. None of other protocols, and none behind TK_UT_RAW_RECORDS_MOST bytes. */
void tk_ut_raw_records_find(struct tk_ut_raw_records *r, uint8_t protocol, const uint8_t *p, size_t n);

/* Do whole records lie before a place of the payload? */
static inline bool tk_ut_raw_records_end(const struct tk_ut_raw_records *r, uint64_t place)
{
    return place <= r->n && r->ends[place];
}

#endif
