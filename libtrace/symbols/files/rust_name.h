/*
 * Demangling of names of Rust: version 0 (RFC 2603, `_R...`) and the older ones (`_ZN...17h<hash>E`). Hashes
 * of crates and of legacy names are left out, as are the types of constants.
 */
#ifndef TK_SYMBOLS_MANGLED_RUST_NAME_H
#define TK_SYMBOLS_MANGLED_RUST_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TK_RUST_MOST_TEXT = 4000 };

struct tk_rust_name {
    size_t n;
    bool full; /* the text was longer */
    char text[TK_RUST_MOST_TEXT];
};

/* false: it is no such name, has something that the grammar does not know, or its text would be too long. */
bool tk_rust_demangle(struct tk_rust_name *out, const char *p, size_t n);

/* The two kinds, without the suffix that compilers append after a dot. *used: bytes of the name. */
bool tk_rust_demangle_v0(struct tk_rust_name *out, const char *p, size_t n, size_t *used);
bool tk_rust_demangle_legacy(struct tk_rust_name *out, const char *p, size_t n, size_t *used);

/* Appends bytes, and a code point, which is to be one of Unicode. */
void tk_rust_put(struct tk_rust_name *out, const char *p, size_t n);
void tk_rust_put_code(struct tk_rust_name *out, uint32_t code);

/* Appends an identifier in punycode, whose separator is `_`. false: it is none. */
bool tk_rust_put_punycode(struct tk_rust_name *out, const char *p, size_t n);

#endif
