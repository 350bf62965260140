/*
 * The process: its number.
 */
#include "os/posix/posix.h"

#include "os/process.h"

uint64_t tk_os_process_id(void)
{
    return (uint64_t)getpid();
}
