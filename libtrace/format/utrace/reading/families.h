/*
 * The table of event families, made of family_list.h.
 */
#ifndef TK_FORMAT_UTRACE_READING_FAMILIES_H
#define TK_FORMAT_UTRACE_READING_FAMILIES_H

#include "format/utrace/feed/family.h"

/* All families; NULL-terminated. */
extern const struct tk_ut_family *const tk_ut_families[];
size_t tk_ut_family_count(void);

/* Name of the family that understands events of a type, or NULL. Its logger, name and flags are looked at. */
const char *tk_ut_family_of(const struct tk_ut_type *type);

/* Tables that families say rows of; NULL-terminated. */
extern const struct tk_table *const tk_ut_row_tables[];

#endif
