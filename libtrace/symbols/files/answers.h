/*
 * Questions and answers: addresses of a symbol file, and the functions that they lie in. Every reader of
 * symbols takes the one and gives the other.
 */
#ifndef TK_SYMBOLS_READER_ANSWERS_H
#define TK_SYMBOLS_READER_ANSWERS_H

#include "base/binary_search.h"
#include "base/text/intern.h"
#include "base/vec.h"

/* A function that an address lies in. */
struct tk_sym_frame {
    const struct tk_str *function, *file; /* NULL: not known */
    uint32_t line;                        /* 0: not known */
};

/* An address to look up, as the file counts addresses, and its frames. */
struct tk_sym_question {
    uint64_t address;
    uint32_t first, n; /* of the frames of the answers, the innermost inlined function first; n 0: none yet */
};

/* Answers so far. Zero-initialise to begin, release with tk_sym_answers_release. */
struct tk_sym_answers {
    struct tk_intern texts; /* owns all texts of the frames */
    TK_VEC(struct tk_sym_frame) frames;
    uint64_t lost;   /* units and modules of files that could not be read */
    const char *why; /* the first cause of that; static */
    bool failed;     /* out of memory */
};

/* A text that answers own. NULL for an empty text and if out of memory, which `failed` says. */
const struct tk_str *tk_sym_text(struct tk_sym_answers *a, const char *p, size_t n);

/* The same for the name of a function as the linker has it: mangled ones of Rust are demangled. */
const struct tk_str *tk_sym_function(struct tk_sym_answers *a, const char *p, size_t n);

/* Adds a frame to the answer of a question, whose frames have to be added in one go. */
void tk_sym_add(struct tk_sym_answers *a, struct tk_sym_question *q, struct tk_sym_frame frame);

/* Counts a part of a file that could not be read. */
void tk_sym_lose(struct tk_sym_answers *a, const char *why);

void tk_sym_answers_release(struct tk_sym_answers *a);

/* The first of n questions, which are sorted, at or behind an address. */
static inline size_t tk_sym_from(const struct tk_sym_question *v, size_t n, uint64_t address)
{
    size_t at;
    TK_SEARCH(at, n, v[at].address < address);
    return at;
}

#endif
