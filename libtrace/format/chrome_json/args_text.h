/*
 * Arguments of events as the text of a scope.
 */
#ifndef TK_FORMAT_CHROME_JSON_ARGS_TEXT_H
#define TK_FORMAT_CHROME_JSON_ARGS_TEXT_H

#include "format/chrome_json/json_scan.h"

/* Bytes of a text; longer ones are cut. */
#define TK_CJ_ARGS_BYTES 1024u

/* The value of the only member, or else "k=v, k=v". out has room for TK_CJ_ARGS_BYTES. Returns the length. */
size_t tk_cj_args_text(const struct tk_jscan_value *args, uint8_t *out);

#endif
