/*
 * The process, what it may take, and the machine that it runs on.
 */
#ifndef TK_OS_PROCESS_H
#define TK_OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number that no other process has now. */
uint64_t tk_os_process_id(void);

/* A number of the machine that the process runs on, by its name; the same for all processes there. */
uint32_t tk_os_host(void);

/* Processors that are there, at least 1. */
unsigned tk_os_processors(void);

/* Lets the process allocate at most so many bytes from here on: what wants more fails. UINT64_MAX: as many as
 * before there was a limit. false when the limit is not in force: the system has a lower one, or none. */
bool tk_os_limit_memory(uint64_t bytes);

/* Lets the process have as many files and sockets open as the system allows it; 0 where it does not say. */
uint64_t tk_os_raise_open_files(void);

/* Sets a variable of the environment that is not set. */
void tk_os_environment_default(const char *name, const char *value);

/*
 * What queries the process to stop.
 */

/* From now on writing to a closed pipe is an error like any other, not the end of the process. */
void tk_os_keep_pipes(void);

/* From now on what requests to stop is noted, the first time; tk_os_stopped() is then which, and 0 before.
 * What was to be ignored stays so. */
void tk_os_note_stop(void);
int tk_os_stopped(void);

/* As tk_os_note_stop, but the second time is noted, too: only a third one ends the process. Whoever calls it
 * looks at tk_os_stops, which is how often it was requested. */
void tk_os_note_stops(void);
unsigned tk_os_stops(void);

/* Ends the process as what requested it to stop would have. */
void tk_os_stop(int stopped);

/*
 * What the C library keeps of memory that is free. Part of os/, for programs and servers that run for long.
 */

/* From now on large pieces go back to the system as soon as they are free. For the process as a whole, before
 * it starts threads. Nothing where the system has no such choice. */
void tk_os_heap_return(void);

/* From now on all threads take memory from one place, so that what one has freed is there for the others, and
 * large pieces go back to the system, too. As tk_os_heap_return() in all else. */
void tk_os_heap_share(void);

/* Memory for n bytes of a table that is looked up all over, in large pages where the system has these and n
 * is worth them: then fewer look-ups wait for where a page is, and fewer pages have to be made. Not zeroed;
 * freed by free(). NULL if out of memory. */
void *tk_os_heap_table(size_t n);

/* Gives memory that is free back to the system, as after a phase that needed much. Takes some milliseconds.
 */
void tk_os_heap_trim(void);

/*
 * Random bits from the system. The key of the tables in memory is made of them.
 */

/* Sets 64 bits that nobody can foresee. False where the system has none: *out is as before. */
bool tk_random(uint64_t *out);

#endif
