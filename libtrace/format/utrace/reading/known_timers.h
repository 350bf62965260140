/*
 * Timers that readings define as they meet them, kept between questions: scopes that are kept refer to them
 * by their ids, which are the same in each reading only where they are defined in one order.
 */
#ifndef TK_FORMAT_UTRACE_STATES_KNOWN_TIMERS_H
#define TK_FORMAT_UTRACE_STATES_KNOWN_TIMERS_H

#include "fact/kept.h"
#include "format/utrace/scopes/scope_collect.h"

/* Can the timers that were defined since the capture was opened be told? Those that events name cannot. */
bool tk_ut_known_timers_can(const struct tk_ut_capture *c);

/* Writes TK_KEPT_INSTANCES: these timers, and the instances of metadata that are defined among events. false:
 * they cannot be told. */
bool tk_ut_known_timers_keep(const struct tk_ut_capture *c, struct tk_kept_bytes *out);

/* Defines what is kept, before any reading defines timers; `instances`: these as well, where packets are
 * passed over. Once a capture. TK_OK, TK_ENOMEM; TK_EFORMAT: it is none. */
int tk_ut_known_timers_define(struct tk_ut_feed *feed, bool instances);

#endif
