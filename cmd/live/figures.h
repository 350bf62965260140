/*
 * Numbers of live commands: sizes and times as options give them, and as lines show them.
 */
#ifndef TK_CMD_LIVE_SAY_FIGURES_H
#define TK_CMD_LIVE_SAY_FIGURES_H

#include "args/opt.h"

enum { TK_FIGURE = 32 }; /* bytes of the text of a size or a time */

/* "500M", "2G", "1.5GB", "1000": bytes, with powers of 1000. NULL leaves *out. true, or false with a
 * sentence. */
bool tk_live_read_size(const char *option, const char *text, uint64_t *out, char message[TK_OPT_MESSAGE]);

/* Ports, with commas between them: at most `most`, *n of them. NULL leaves all. true, or false with a
 * sentence. */
bool tk_live_read_ports(const char *option, const char *text, uint16_t *out, size_t most, size_t *n,
                        char message[TK_OPT_MESSAGE]);

/* "1.2 MB". Returns out. */
const char *tk_live_size(uint64_t bytes, char out[TK_FIGURE]);

/* "3.2 s", "5 min 02 s". Returns out. */
const char *tk_live_time(double seconds, char out[TK_FIGURE]);

/* "12,345". Returns out. */
const char *tk_live_count(uint64_t n, char out[TK_FIGURE]);

#endif
