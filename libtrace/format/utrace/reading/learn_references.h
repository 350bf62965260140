/*
 * Learning references: a reading of all definitions of a capture, before the reading that shows events with
 * them.
 */
#ifndef TK_FORMAT_UTRACE_READING_LEARN_REFERENCES_H
#define TK_FORMAT_UTRACE_READING_LEARN_REFERENCES_H

#include "format/utrace/reading/capture.h"

/* Reads all definitions of the capture, once, if the request wants to see an event with a reference. TK_OK or
 * as a reading. */
int tk_ut_references_learn(struct tk_ut_capture *c, const struct tk_request *request, struct tk_err *err);

#endif
