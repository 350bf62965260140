/*
 * The texts of a capture that are replaced, and their words: first all are learned, then texts are rewritten,
 * and the output is searched for texts that must not be in it. Uses the key, classes and pieces; edits of
 * captures are built on it.
 */
#ifndef TK_EDIT_ANONYMISE_DICTIONARY_H
#define TK_EDIT_ANONYMISE_DICTIONARY_H

#include "base/arena.h"
#include "base/checksum.h"
#include "base/err.h"
#include "base/hash.h"
#include "edit/anonymise/pieces.h"

#include <stddef.h>

/*
 * Words in place of texts, and bytes in place of identities: by a key, so that nobody can guess by trying.
 * Below the dictionary.
 */

/* Bytes of a word; of one that is longer, as two texts would have the same otherwise; and space for that with
 * the number of a thread. */
enum { TK_ANON_WORD = 17, TK_ANON_LONG_WORD = 33, TK_ANON_LONGEST = 40 };

/* Writes the word of n bytes: a letter, 14 digits that they give, and two by which the key knows its words
 * again. No NUL. Returns its bytes. */
size_t tk_anon_word_of(const struct tk_hmac *key, const uint8_t *p, size_t n, bool longer,
                       char out[TK_ANON_LONGEST]);

/* Is it a word that this key gave, alone or with the number of a thread? What is anonymised already stays as
 * it is. */
bool tk_anon_word_is_own(const struct tk_hmac *key, const uint8_t *p, size_t n);

/* Appends n bytes in place of an identity of n bytes: the same for the same, and itself for one of its own.
 */
void tk_anon_identity(const struct tk_hmac *key, const uint8_t *p, size_t n, struct tk_anon_text *out);

/* Distinguishes two keys. */
uint32_t tk_anon_key_check(const struct tk_hmac *key);

/* A shorter one is replaced where it stands, but not looked for elsewhere. */
#define TK_ANON_SHORTEST 4

/* A text that was learned. */
struct tk_anon_entry {
    const uint8_t *text; /* in the arena */
    uint32_t n;
    uint8_t n_word;
    bool kept;     /* stays wherever it stands */
    bool identity; /* of a person, a machine, a command line or the project: replaced in timers that stay, too */
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

/* Do names of timers stay? They stay as a class: of what other texts make known, only identities are replaced
 * in them. */
static inline bool tk_anon_keeps_timers(const struct tk_anon *a)
{
    return !tk_anon_has(a->classes, TK_ANON_TIMERS);
}

/* The first text that is replaced in texts of this class and stands here as a whole word; NULL: none. */
const struct tk_anon_entry *tk_anon_find(const struct tk_anon *a, enum tk_anon_class class, const uint8_t *p,
                                         size_t n);

void tk_anon_release(struct tk_anon *a);

/*
 * The key of anonymised texts, from a file or at random.
 * Below the dictionary of words; reads the file by os/.
 */

/* Reads the key of a file, which only its owner may read; NULL: one that nobody knows. TK_OK; TK_EIO:
 * the file is missing, empty, too large, or others may read it, or the system has no random bits. */
int tk_anon_key_read(struct tk_hmac *key, const char *path, struct tk_err *err);

#endif
