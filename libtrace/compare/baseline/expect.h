/*
 * What a recording shall hold: words of trace-check --expect against runs.
 */
#ifndef TK_COMPARE_BASELINE_EXPECT_H
#define TK_COMPARE_BASELINE_EXPECT_H

#include "base/err.h"
#include "base/text/intern.h"
#include "compare/baseline/baseline.h"

#include <cjson/cJSON.h>

#define TK_EXPECT_TEXT 160

/* Does a run fulfil a word? 1; 0, and `instead` says what there is; TK_EUSAGE (no such word). */
int tk_base_run_expect(const struct tk_base_run *run, const char *word, char instead[TK_EXPECT_TEXT],
                       struct tk_err *err);

/*
 * Reads small JSON files that people write. Budgets (budget_parse.c) and name maps (name_map.c) use it.
 */

/* NUL in texts, which end with one: two bytes that no UTF-8 has. */
#define TK_JSON_NUL "\xc0\x80"

/* The text of a JSON string, interned: with NULs where those had been. NULL without memory. */
const struct tk_str *tk_json_text(struct tk_intern *strings, const cJSON *string);

/* Reads a text that is one JSON value with nothing behind it; `what` it is says the error. \u0000 in
 * strings becomes TK_JSON_NUL. TK_OK; TK_EUSAGE;
 * TK_ENOMEM. *out is to be deleted, and NULL when it fails. */
int tk_json_read(cJSON **out, const char *text, size_t n, const char *what, struct tk_err *err);

/* Is there a member of the same name behind it? cJSON finds the first one alone. */
bool tk_json_is_twice(const cJSON *member);

/* The line, from 1, in which a text that tk_json_read took has the last member `key` of an object; of the
 * object itself where the key is NULL or no member. The object is the whole text, or the item `i` of the list
 * that is its member `list`. */
size_t tk_json_line_of(const char *text, size_t n, const char *list, size_t i, const char *key);

#endif
