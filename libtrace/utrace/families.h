/*
 * The event families, one file fam_*.c each.
 */
#ifndef TK_UTRACE_FAMILIES_H
#define TK_UTRACE_FAMILIES_H

#include "utrace/feed.h"

extern const struct tk_ut_family tk_ut_fam_trace;
extern const struct tk_ut_family tk_ut_fam_session;
extern const struct tk_ut_family tk_ut_fam_thread;
extern const struct tk_ut_family tk_ut_fam_channel;
extern const struct tk_ut_family tk_ut_fam_cpu;
extern const struct tk_ut_family tk_ut_fam_frame;
extern const struct tk_ut_family tk_ut_fam_bookmark;
extern const struct tk_ut_family tk_ut_fam_region;
extern const struct tk_ut_family tk_ut_fam_log;

#endif
