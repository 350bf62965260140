/*
 * Reads small JSON files that people write. Budgets (budget_parse.c) and name maps (name_map.c) use it.
 */
#ifndef TK_COMPARE_BASELINE_JSON_READ_H
#define TK_COMPARE_BASELINE_JSON_READ_H

#include "base/err.h"

#include <cjson/cJSON.h>

/* Reads a text that is one JSON value with nothing behind it; `what` it is says the error. TK_OK; TK_EUSAGE;
 * TK_ENOMEM. *out is to be deleted, and NULL when it fails. */
int tk_json_read(cJSON **out, const char *text, size_t n, const char *what, struct tk_err *err);

#endif
