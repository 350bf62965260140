/*
 * Metadata instances -> timers. There are millions of them, numbered one after another, of few timers: pages
 * of 4,096 instances with a palette and one byte each, widened where a page has more timers than a byte can
 * number.
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_METADATA_INSTANCES_H
#define TK_FORMAT_UTRACE_SCOPES_METADATA_INSTANCES_H

#include <stdint.h>

struct tk_ut_metadata_instances;

/* Sets the timer of an instance; creates *set on first use. 0, or -1 when memory is out. */
int tk_ut_metadata_instances_put(struct tk_ut_metadata_instances **set, uint32_t instance, uint32_t timer);

/* The timer of an instance, or UINT32_MAX. set may be NULL. */
uint32_t tk_ut_metadata_instances_get(const struct tk_ut_metadata_instances *set, uint32_t instance);

void tk_ut_metadata_instances_free(struct tk_ut_metadata_instances *set);

#endif
