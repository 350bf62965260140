/*
 * The process and the machine that it runs on.
 */
#ifndef TK_OS_PROCESS_H
#define TK_OS_PROCESS_H

#include <stdint.h>

/* A number that no other process has now. */
uint64_t tk_os_process_id(void);

#endif
