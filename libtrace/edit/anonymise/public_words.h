/*
 * Words that everybody knows: of the engine, of systems, of English. They say nothing about a project, and
 * stay.
 * Data of the dictionary.
 */
#ifndef TK_ANONYMISE_PUBLIC_WORDS_H
#define TK_ANONYMISE_PUBLIC_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is this token one? Case is significant. */
bool tk_anon_is_public(const uint8_t *p, size_t n);

#endif
