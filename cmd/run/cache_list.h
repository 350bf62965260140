/*
 * What is kept between questions in the folders of the user, listed and removed. It looks into the cache of
 * the library directly.
 */
#ifndef TK_CMD_CACHE_CACHE_LIST_H
#define TK_CMD_CACHE_CACHE_LIST_H

#include "run/command.h"

/* Prints the folders, what is in each, and how much it may be. The exit status. */
int tk_cache_list(const struct tk_call *call);

/* Removes all of it. The exit status. */
int tk_cache_clear(const struct tk_call *call, bool quiet);

#endif
