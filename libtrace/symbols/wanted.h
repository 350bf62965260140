/*
 * A module whose symbols are wanted, by what a capture says of it, and the texts that files are found by: its
 * names without folders, its id in the forms of symbol stores. The search and the readers ask. (symbols 1.1,
 * 3.2 to 3.5)
 */
#ifndef TK_SYMBOLS_SEARCH_WANTED_H
#define TK_SYMBOLS_SEARCH_WANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tk_symbol_kind { TK_SYMBOLS_UNKNOWN, TK_SYMBOLS_PDB, TK_SYMBOLS_DWARF, TK_SYMBOLS_PSYM };

enum { TK_WANTED_NAME = 256, TK_WANTED_ID = 64 };

struct tk_wanted {
    char name[TK_WANTED_NAME]; /* last part of its path; "" where it has none that can be one of a file */
    char stem[TK_WANTED_NAME]; /* without what follows the last dot */
    uint8_t id[TK_WANTED_ID];
    uint32_t n_id;  /* 0: none, or all zeros */
    uint32_t n_raw; /* as in the capture */
    uint64_t size;  /* as in the capture */
    enum tk_symbol_kind kind;
};

/* What a capture says. A name of n bytes with folders of any system; its format "pdb", "dwarf", "psym" or
 * empty. */
struct tk_wanted tk_wanted_of(const char *name, size_t n, const uint8_t *id, uint32_t n_id, uint64_t size,
                              const char *format, size_t n_format);

/* Is a text a name alone, that can be joined to a folder? */
bool tk_is_file_name(const char *p, size_t n);

/* An id of n bytes in small digits; out has room for 2 * n + 1. */
void tk_id_hex(char *out, const uint8_t *id, size_t n);

/* The folder of symbol stores for a GUID of 16 bytes as in files, with an age: 576A33AB...1. */
enum { TK_GUID_AGE = 48 };
void tk_guid_age(char out[TK_GUID_AGE], const uint8_t *guid, uint32_t age);

/* Are n bytes of an id those of a capture, where it pads them with zeros? */
bool tk_wanted_has_id(const struct tk_wanted *w, const uint8_t *id, uint32_t n);

#endif
