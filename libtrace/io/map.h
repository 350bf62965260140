/*
 * Views: fixed stretches of address space in which pieces of a file appear, one after another. While a view
 * is open a SIGBUS handler is installed: a page of the file that is gone (the file was cut, or the disk
 * fails) reads as zeros and the view remembers it. Other SIGBUS go where they went before.
 */
#ifndef TK_IO_MAP_H
#define TK_IO_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a view, and what offsets must be multiples of (no page is larger). */
#define TK_MAPPING_BYTES ((size_t)4 << 20)
#define TK_MAPPING_ALIGN ((uint64_t)64 << 10)

struct tk_mapping;

/* A view without anything in it; NULL when there are too many already or the system refuses. */
struct tk_mapping *tk_mapping_open(void);

/*
 * Lets the bytes of the file from offset on appear, in place of those before. Borrowed until the next call;
 * what lies behind the end of the file must not be touched. NULL when the file cannot be mapped.
 */
const uint8_t *tk_mapping_show(struct tk_mapping *view, int fd, uint64_t offset);

/* Did a page turn out to be gone since the view was opened? */
bool tk_mapping_faulted(const struct tk_mapping *view);

void tk_mapping_close(struct tk_mapping *view);

#endif
