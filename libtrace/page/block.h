/*
 * Blocks: data of a page that its script unpacks, as deflated and base64-coded JSON in an element that
 * nothing runs. The alphabet of base64 has no "<", so that no text of a capture can end the element.
 */
#ifndef TK_REPORT_ENCODE_BLOCK_H
#define TK_REPORT_ENCODE_BLOCK_H

#include "page/markup.h"

/* Appends the JSON in `data`, whose bytes are then forgotten, as a block with an id. A failure is noted in
 * `page`. */
void tk_block_put(struct tk_markup *page, const char *id, struct tk_markup *data);

#endif
