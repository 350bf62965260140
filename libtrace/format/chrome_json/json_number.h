/*
 * Numbers of JSON as what they stand for: times, exact to the last digit, identities and values.
 */
#ifndef TK_FORMAT_CHROME_JSON_JSON_NUMBER_H
#define TK_FORMAT_CHROME_JSON_JSON_NUMBER_H

#include "fact/fact.h"
#include "format/chrome_json/json_scan.h"

/* Microseconds, a number or a text that is one, as nanoseconds, rounded half away from zero. false: it is
 * none, or beyond 64 bits. */
bool tk_jscan_time(const struct tk_jscan_value *v, int64_t *ns);

/* A number, or a text that is one, as a value of a counter. false: it is none. */
bool tk_jscan_measure(const struct tk_jscan_value *v, struct tk_number *out);

/* A whole number of 64 bits, also with zeros behind the point. false: it is none. */
bool tk_jscan_integer(const struct tk_jscan_value *v, int64_t *out);

#endif
