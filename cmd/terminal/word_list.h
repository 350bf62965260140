/*
 * Lists of words: what options were given, names of files; and the room for a sentence about one of them.
 */
#ifndef TK_CMD_TERMINAL_WORD_LIST_H
#define TK_CMD_TERMINAL_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a sentence that says what is wrong with a word, with its NUL. */
#define TK_OPT_MESSAGE 512

struct tk_opt_list {
    char **v; /* owned, and the texts */
    size_t n;
};

/* Adds a copy; false if out of memory. */
bool tk_opt_list_add(struct tk_opt_list *list, const char *text, size_t n);

void tk_opt_list_release(struct tk_opt_list *list);

#endif
