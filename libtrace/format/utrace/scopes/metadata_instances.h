/*
 * Metadata instances -> timers. There are millions of them, numbered one after another, of few timers: pages
 * of 4,096 instances with a palette and one byte each, widened where a page has more timers than a byte can
 * number.
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_METADATA_INSTANCES_H
#define TK_FORMAT_UTRACE_SCOPES_METADATA_INSTANCES_H

#include "fact/kept.h"

#include <stdint.h>

struct tk_ut_metadata_instances;

/* Sets the timer of an instance; creates *set on first use. 0, or -1 if out of memory. */
int tk_ut_metadata_instances_put(struct tk_ut_metadata_instances **set, uint32_t instance, uint32_t timer);

/* The timer of an instance, or UINT32_MAX. set may be NULL. */
uint32_t tk_ut_metadata_instances_get(const struct tk_ut_metadata_instances *set, uint32_t instance);

/* All of them as bytes, for what is kept between questions. */
void tk_ut_metadata_instances_keep(const struct tk_ut_metadata_instances *set, struct tk_kept_bytes *out);

/* Adds those of such bytes, of timers below n_timers. TK_OK, TK_ENOMEM, TK_EFORMAT: they are none. */
int tk_ut_metadata_instances_load(struct tk_ut_metadata_instances **set, struct tk_cur c, uint64_t n_timers);

void tk_ut_metadata_instances_free(struct tk_ut_metadata_instances *set);

#endif
