/*
 * Trace events of Chrome in JSON, as a format: what the list of formats names.
 */
#ifndef TK_FORMAT_CHROME_JSON_CHROME_JSON_H
#define TK_FORMAT_CHROME_JSON_CHROME_JSON_H

#include "fact/format.h"

extern const struct tk_format tk_format_chrome_json;

#endif
