/*
 * Writing of answers of a module, in the layout of answer_section.h: to the cache, and to files that are sent
 * along.
 */
#ifndef TK_SYMBOLS_STORE_ANSWER_WRITER_H
#define TK_SYMBOLS_STORE_ANSWER_WRITER_H

#include "base/hash.h"
#include "symbols/answer_section.h"

/* Nodes are those of answer_section.h. */
struct tk_answer_node {
    uint32_t function, file, line, caller;
};

/* Zero-initialise to begin. */
struct tk_answer_writer {
    bool strip; /* files without their folders */
    TK_VEC(const struct tk_str *) texts;
    TK_VEC(struct tk_answer_node) nodes;
    TK_VEC(struct tk_sym_question) addresses; /* `first` is the place of its frames */
    struct tk_map text_index, node_index;
    struct tk_intern short_files;
};

/* Adds an address, above all that were added before, with its frames, the innermost first. The texts have to
 * stay. 0, or -1 if out of memory. */
int tk_answer_writer_add(struct tk_answer_writer *w, uint64_t address, const struct tk_sym_frame *frames,
                         uint32_t n);

/* The bytes of the section, to be freed. NULL if out of memory. */
uint8_t *tk_answer_writer_end(const struct tk_answer_writer *w, const struct tk_answer_origin *origin,
                              size_t *n);

void tk_answer_writer_release(struct tk_answer_writer *w);

#endif
