/*
 * A disk that is as small as a test says: what the system reports as the space for a file is made up.
 */
#ifndef TK_TESTS_UNIT_IO_SMALL_DISK_H
#define TK_TESTS_UNIT_IO_SMALL_DISK_H

#include <stdint.h>

/* Bytes that are free without the file that is in question; 0: a large disk. */
extern uint64_t small_disk;

#endif
