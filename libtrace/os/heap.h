/*
 * What the C library keeps of memory that is free. Part of os/, for programs and servers that run for long.
 */
#ifndef TK_OS_HEAP_H
#define TK_OS_HEAP_H

#include <stddef.h>

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

#endif
