/*
 * Mapped files: a file as memory, for the windows of io/input. While a file is mapped a SIGBUS handler is
 * installed: a page that is gone (the file was cut, or the disk fails) reads as zeros and the mapping
 * remembers it. Other SIGBUS go to the handler that was there before.
 */
#ifndef TK_OS_MAP_H
#define TK_OS_MAP_H

#include "os/file.h"

struct tk_os_map;

/* A view of the first `bytes` bytes of a file; NULL when there are too many already or the system refuses. */
struct tk_os_map *tk_os_map_open(const struct tk_os_file *f, uint64_t bytes);

/* Its bytes, as long as the view is open. */
const uint8_t *tk_os_map_bytes(const struct tk_os_map *view);

/* Gives up the memory behind n bytes from an offset on, a multiple of TK_OS_MAP_ALIGN; they come back when
 * they are touched again. */
void tk_os_map_leave(struct tk_os_map *view, uint64_t offset, size_t n);

/* No page is larger. */
#define TK_OS_MAP_ALIGN ((uint64_t)64 << 10)

/* Did a page turn out to be gone since the view was opened? */
bool tk_os_map_faulted(const struct tk_os_map *view);

void tk_os_map_close(struct tk_os_map *view);

#endif
