/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_EDIT_ANONYMISE_ANONYMISE_IN_H
#define TK_EDIT_ANONYMISE_ANONYMISE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Words that everybody knows: of the engine, of systems, of English. They say nothing about a project, and
 * stay.
 * Data of the dictionary.
 */

/* Is this token one? Case is significant. */
bool tk_anon_is_public(const uint8_t *p, size_t n);

#endif
