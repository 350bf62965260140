/*
 * The index pass: declarations, definitions and the clock of a capture, before anything else is read of it
 * (wire 3.6, wire A: a first pass over tids 0 and 1 removes all problems of late declarations; in
 * protocols 0 to 4 both stand on any lane).
 */
#ifndef TK_FORMAT_UTRACE_READING_INDEX_PASS_H
#define TK_FORMAT_UTRACE_READING_INDEX_PASS_H

#include "format/utrace/reading/capture.h"

/* Fills in what a capture whose header and packets are known defines. TK_OK, TK_ENOMEM or TK_EIO. */
int tk_ut_index_pass(struct tk_ut_capture *c, struct tk_err *err);

#endif
