/*
 * trace-stats --save and --summary: a run as a baseline, or as Parquet for fleets.
 */
#ifndef TK_CMD_STATS_STATS_SAVE_H
#define TK_CMD_STATS_STATS_SAVE_H

#include "stats_args.h"

/* `set` has all options, as they were given. The exit status. */
int tk_stats_save(const struct tk_call *call, const struct tk_stats_args *args, const struct tk_opt_set *set);

#endif
