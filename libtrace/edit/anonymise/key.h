/*
 * The key of anonymised texts, from a file or at random.
 * Below the dictionary of words; reads the file by os/.
 */
#ifndef TK_ANONYMISE_KEY_H
#define TK_ANONYMISE_KEY_H

#include "base/err.h"
#include "base/sha256.h"

/* Reads the key of a file, which only its owner may read; NULL: one that nobody knows. TK_OK; TK_EIO:
 * the file is missing, empty, too large, or others may read it, or the system has no random bits. */
int tk_anon_key_read(struct tk_hmac *key, const char *path, struct tk_err *err);

#endif
