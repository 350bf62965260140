/*
 * What formats for programs write to a terminal, with what could steer it escaped. A character may come in
 * pieces.
 */
#ifndef TK_IO_OUTPUT_TERMINAL_FILTER_H
#define TK_IO_OUTPUT_TERMINAL_FILTER_H

#include "base/text/text.h"

/* Zero-initialise to begin. */
struct tk_terminal_filter {
    uint8_t part[4]; /* the beginning of a character */
    size_t n;
};

/* Hands on n bytes. Line feeds and tabs stay as they are, invalid bytes become U+FFFD. */
void tk_terminal_filter_put(struct tk_terminal_filter *f, const void *p, size_t n, tk_text_put *put,
                            void *to);

#endif
