/*
 * Answers of the symbols of a module as bytes: the addresses that were asked, and their frames as a tree, in
 * which equal chains of callers are there once. The cache has a file of one, a file to send along has many.
 * Reading trusts nothing that it reads. (symbols 6.3, 6.4)
 */
#ifndef TK_SYMBOLS_STORE_ANSWER_SECTION_H
#define TK_SYMBOLS_STORE_ANSWER_SECTION_H

#include "base/cursor.h"
#include "symbols/files/answers.h"
#include "symbols/wanted.h"

/* Raised when readers of symbols answer otherwise than they did: older answers are not used where the file of
 * symbols can be asked again. */
enum { TK_ANSWERS_OF_READER = 3 };

/* The first bytes of a file of sections that is sent along; the sections follow. */
static const char tk_sent_magic[8] = {'t', 'k', 's', 'y', 'm', '\r', '\n', '\x1a'};

/* Of whose symbols answers are. */
struct tk_answer_origin {
    struct tk_wanted wanted;
    uint8_t state, depth;   /* as symbols/module_file.h has them */
    const char *path, *how; /* of the file of symbols; "": not known */
    uint64_t file_size;
    int64_t file_modified; /* seconds since 1970 */
    uint64_t extent;       /* bytes of the module in memory; 0: not known */
};

struct tk_answer_section {
    struct tk_answer_origin origin;
    uint32_t reader; /* that answered: TK_ANSWERS_OF_READER, or an older one */
    struct tk_bytes text_ends, text_bytes, nodes, addresses, places; /* borrowed */
    uint32_t n_texts, n_nodes, n_addresses;
    const struct tk_str **texts;             /* owned: those of an answer list, as far as they were needed */
    uint32_t last_place, last_first, last_n; /* whose frames were added last; last_n 0: none yet */
    char *path;                              /* owned, with `how` behind it */
};

/*
 * Opens the section at the begin of some bytes, which have to stay. *used: its bytes. 0; -1: it is none, or
 * damaged, or of another version, with *why, a static text, or NULL if out of memory. What was opened in
 * part is to be released, too.
 */
int tk_answer_section_open(struct tk_answer_section *s, struct tk_bytes bytes, size_t *used,
                           const char **why);

/* Was an address looked up? *place: of its frames, 0: it has none. */
bool tk_answer_section_find(const struct tk_answer_section *s, uint64_t address, uint32_t *place);

/* The addresses that were looked up, by number up to n_addresses. */
uint64_t tk_answer_section_address(const struct tk_answer_section *s, uint32_t i, uint32_t *place);

/* Adds the frames of a place to the answer of a question, or has it share those of the last one. A section
 * always adds to the same answers. */
void tk_answer_section_add(struct tk_answer_section *s, uint32_t place, struct tk_sym_answers *answers,
                           struct tk_sym_question *q);

void tk_answer_section_release(struct tk_answer_section *s);

#endif
