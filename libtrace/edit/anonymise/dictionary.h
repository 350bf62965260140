/*
 * The texts of a capture that are replaced, and their words: first all are learned, then texts are rewritten,
 * and the output is searched for texts that must not be in it. Uses the key, classes and pieces; edits of
 * captures are built on it.
 */
#ifndef TK_ANONYMISE_DICTIONARY_H
#define TK_ANONYMISE_DICTIONARY_H

#include "edit/anonymise/pieces.h"
#include "edit/anonymise/text_out.h"
#include "edit/anonymise/word.h"
#include "base/arena.h"
#include "base/hash.h"

/* A shorter one is replaced where it stands, but not looked for elsewhere. */
#define TK_ANON_SHORTEST 4

/* A text that was learned. */
struct tk_anon_entry {
    const uint8_t *text; /* in the arena */
    uint32_t n;
    uint8_t n_word;
    bool kept; /* stays wherever it stands */
    enum tk_anon_class class;
    char word[TK_ANON_LONGEST]; /* with the number of a thread */
};

/* Zero-initialise, set the first four, and release. */
struct tk_anon {
    struct tk_hmac key;
    uint32_t classes;
    const char *const *keep; /* globs of texts that stay; borrowed */
    size_t n_keep;
    struct tk_arena arena;
    TK_VEC(struct tk_anon_entry) entries;
    struct tk_map by_text;  /* hash -> place; of one hash the keys follow each other */
    struct tk_map by_word;  /* likewise, of words: no two texts have one */
    struct tk_map by_first; /* hash of the first token -> most tokens of texts that begin with it */
};

/* Learns what of a text of this class is replaced. TK_OK or TK_ENOMEM. */
int tk_anon_learn(struct tk_anon *a, enum tk_anon_class class, enum tk_anon_form form, const uint8_t *p,
                  size_t n);

/* Appends a text as it is to be; when all is learned. */
void tk_anon_rewrite(const struct tk_anon *a, enum tk_anon_class class, enum tk_anon_form form,
                     const uint8_t *p, size_t n, struct tk_anon_text *out);

/* The first text that is replaced and stands here as a whole word; NULL: none. */
const struct tk_anon_entry *tk_anon_find(const struct tk_anon *a, const uint8_t *p, size_t n);

void tk_anon_release(struct tk_anon *a);

#endif
