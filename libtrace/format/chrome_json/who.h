/*
 * Whose an event is: processes and threads, and what metadata says of them (import 3.2, 3.8).
 */
#ifndef TK_FORMAT_CHROME_JSON_WHO_H
#define TK_FORMAT_CHROME_JSON_WHO_H

#include "format/chrome_json/meaning.h"

/* The place of the thread or the process of an event in the capture; UINT32_MAX if out of memory. */
uint32_t tk_cj_thread(struct tk_cj_meaning *m, const struct tk_cj_event *e);
uint32_t tk_cj_process(struct tk_cj_meaning *m, const struct tk_cj_event *e);

/* An event of phase M. 0 or -1. */
int tk_cj_metadata(struct tk_cj_meaning *m, const struct tk_cj_event *e, const struct tk_jscan_value *name,
                   const struct tk_jscan_value *args);

/* Notes that the recorder lost events for want of room. */
void tk_cj_tell_overflow(struct tk_cj_meaning *m);

#endif
