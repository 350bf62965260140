/*
 * What fuzz targets of symbols ask: addresses as those that small programs have, and what must hold of
 * answers.
 */
#ifndef TK_TESTS_FUZZ_SYMBOL_QUESTIONS_H
#define TK_TESTS_FUZZ_SYMBOL_QUESTIONS_H

#include "rig.h"
#include "symbols/files/symbol_file.h"

#include <string.h>

enum { FUZZ_QUESTIONS = 192, FUZZ_STEP = 24 };

/* Addresses from a base on, sorted. */
static inline void fuzz_questions(struct tk_sym_question *v, uint64_t base)
{
    for (uint32_t i = 0; i < FUZZ_QUESTIONS; i++)
        v[i] = (struct tk_sym_question){.address = base + (uint64_t)i * FUZZ_STEP};
}

/* Answers lie in what was answered; their texts are there. */
static inline void fuzz_answers(const struct tk_sym_question *v, struct tk_sym_answers *a)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < FUZZ_QUESTIONS && !a->failed; i++) {
        fuzz_promise((uint64_t)v[i].first + v[i].n <= a->frames.n, "frames of an answer are there");
        for (uint32_t k = v[i].first; k < v[i].first + v[i].n; k++)
            bytes += (a->frames.v[k].function ? a->frames.v[k].function->n : 0) +
                     (a->frames.v[k].file ? a->frames.v[k].file->n : 0);
        if (v[i].n && a->frames.v[v[i].first].function)
            fuzz_tell("function", a->frames.v[v[i].first].function->p, a->frames.v[v[i].first].function->n);
    }
    fuzz_promise(bytes < (uint64_t)1 << 40, "names are bounded");
    fuzz_promise((a->lost > 0) == (a->why != NULL), "what is lost has a cause");
    if (a->why)
        fuzz_tell("lost", a->why, strlen(a->why));
    tk_sym_answers_release(a);
}

#endif
