/*
 * Where a Tracy program is: what stands behind tracy://, and the addresses that are tried for it.
 */
#ifndef TK_CMD_LIVE_TRACY_SOURCE_H
#define TK_CMD_LIVE_TRACY_SOURCE_H

#include "args/opt.h"
#include "live/tracy/link.h"

#define TK_TRACY_SCHEME "tracy://"

struct tk_tracy_source {
    char host[256]; /* "": none was named */
    uint16_t port;  /* 0: none was named */
};

/* "tracy://", "tracy://HOST", "tracy://HOST:PORT", "tracy://[::1]:PORT". true, or false with a sentence. */
bool tk_tracy_source_read(struct tk_tracy_source *s, const char *text, char message[TK_OPT_MESSAGE]);

/* The addresses of a source. Without a port those that programs choose: 8086, on this machine those behind
 * it, too. true, or false with a sentence. */
bool tk_tracy_source_find(const struct tk_tracy_source *s, struct tk_tl_link_options *out,
                          char message[TK_OPT_MESSAGE]);

/* Is an address one of this machine's? */
bool tk_tracy_is_here(const struct tk_os_address *at);

/* A text of a program for a line on a terminal: what could steer it is escaped. Returns out. */
const char *tk_tracy_shown(const char *text, char *out, size_t room);

#endif
