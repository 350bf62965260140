/*
 * The text around events: arrays and objects, one or several, and what is wrong with them (import 3.1, 3.9).
 */
#ifndef TK_FORMAT_CHROME_JSON_DOCUMENT_H
#define TK_FORMAT_CHROME_JSON_DOCUMENT_H

#include "format/events/capture.h"

/* A walk, as in tk_ev_decoder. */
int tk_cj_document_open(struct tk_ev_capture *c, void **walk, struct tk_err *err);
int tk_cj_document_step(void *walk, struct tk_err *err);
void tk_cj_document_close(void *walk);

#endif
