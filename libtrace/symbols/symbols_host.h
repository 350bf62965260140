/*
 * Symbols of a capture that is open: the symbolizer of its tables. The api opens it with the capture.
 */
#ifndef TK_SYMBOLS_HOST_SYMBOLS_HOST_H
#define TK_SYMBOLS_HOST_SYMBOLS_HOST_H

#include "fact/symbolizer.h"
#include "tracekit.h"

struct tk_symbols_host {
    struct tk_symbolizer symbolizer;
    struct tk_symbols *symbols; /* owned; NULL: none are wanted */
    bool fold;                  /* inlined calls belong to their callers */
};

/* By the options of a capture; path is that of its file, or NULL. 0, or -1 if out of memory. */
int tk_symbols_host_open(struct tk_symbols_host *host, const struct tk_options *options, const char *path);

/* As tk_symbols_tell. */
int tk_symbols_host_tell(const struct tk_symbols_host *host, char *text, size_t n);

/* All that was looked up, as a file of symbols to send along, to be freed: as tk_kept_bytes. Not where no
 * symbols are wanted. */
uint8_t *tk_symbols_host_bytes(struct tk_symbols_host *host, bool strip, size_t *n);

void tk_symbols_host_close(struct tk_symbols_host *host);

#endif
