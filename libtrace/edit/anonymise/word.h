/*
 * Words in place of texts, and bytes in place of identities: by a key, so that nobody can guess by trying.
 * Below the dictionary.
 */
#ifndef TK_ANONYMISE_WORD_H
#define TK_ANONYMISE_WORD_H

#include "edit/anonymise/text_out.h"
#include "base/sha256.h"

#include <stddef.h>

/* Bytes of a word; of one that is longer, as two texts would have the same otherwise; and room for that with
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

/* Tells two keys apart. */
uint32_t tk_anon_key_check(const struct tk_hmac *key);

#endif
