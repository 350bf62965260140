/*
 * The process, what it may take, and the machine that it runs on.
 */
#ifndef TK_OS_PROCESS_H
#define TK_OS_PROCESS_H

#include <stdbool.h>
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

#endif
