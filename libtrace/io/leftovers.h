/*
 * What processes left that were killed while they wrote: unfinished outputs by the names that staging.c
 * gives them.
 */
#ifndef TK_IO_OUTPUT_LEFTOVERS_H
#define TK_IO_OUTPUT_LEFTOVERS_H

/* A name is the first with the host, the process and a number, and the second. */
#define TK_LEFTOVER_BEGIN ".tracekit-%08x-"
#define TK_LEFTOVER_END   ".part"

/* Removes what others left in the folder of what was just made: what was made on this host by this user, was
 * not changed for an hour, and is not locked. */
void tk_leftovers_remove(const char *made);

/* The file in an unfinished folder whose lock is that of the folder, to be freed; NULL without memory. */
char *tk_leftovers_lock_of(const char *folder);

/* Removes an unfinished folder with the files in it, and those of unfinished folders in it. */
void tk_leftovers_clear(const char *folder);

#endif
