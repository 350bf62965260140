/*
 * The section of answers: questions and what was answered to them, the latest last. Answers that are kept
 * (kept_answers.h) are found and added in it.
 */
#ifndef TK_KEPT_ANSWERS_ANSWER_LIST_H
#define TK_KEPT_ANSWERS_ANSWER_LIST_H

#include "fact/kept.h"

/* The answer to a question; n 0: there is none. */
struct tk_bytes tk_kept_answer_find(const struct tk_kept *kept, struct tk_bytes question);

/* Adds one to those that were there and those that were made. The oldest go where they are more than `most`
 * bytes in all. What finds no memory is not there. */
void tk_kept_answer_add(struct tk_kept *kept, struct tk_bytes question, struct tk_bytes answer, size_t most);

#endif
