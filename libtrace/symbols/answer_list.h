/*
 * Answers of the addresses of a module, sorted. symbols.c looks them up, and kept.c writes them.
 */
#ifndef TK_SYMBOLS_ANSWER_LIST_H
#define TK_SYMBOLS_ANSWER_LIST_H

#include "symbols/files/answers.h"

/* Addresses are from the start of the module; n 0: it was looked for, and is not there. Zero-initialise to
 * begin. */
struct tk_answer_list {
    TK_VEC(struct tk_sym_question) v;
    size_t at; /* where the last was found: they are asked for in order mostly */
};

/* The answer of an address, or NULL. Until others are added. */
const struct tk_sym_question *tk_answer_list_find(struct tk_answer_list *list, uint64_t address);

/* Adds n answers, which are sorted and of addresses that the list has not. 0, or -1 if out of memory. */
int tk_answer_list_add(struct tk_answer_list *list, const struct tk_sym_question *v, size_t n);

void tk_answer_list_release(struct tk_answer_list *list);

#endif
