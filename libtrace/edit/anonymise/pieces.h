/*
 * Texts cut into the pieces that are replaced one by one: parts of paths, what stands between the conversions
 * of a format, or all of it; and tokens, of which whole words are made.
 * Below the dictionary, which knows what is replaced by what.
 */
#ifndef TK_ANONYMISE_PIECES_H
#define TK_ANONYMISE_PIECES_H

#include "edit/anonymise/classes.h"

#include <stddef.h>

/* How a text is cut. */
enum tk_anon_form {
    TK_ANON_PARTS,   /* at / \ . and : ; addresses stay in one piece */
    TK_ANON_WHOLE,   /* not at all */
    TK_ANON_FORMAT,  /* at conversions of printf, too; one with an address only there */
    TK_ANON_COMMAND, /* not at all; what stands in it of paths and people is learned, too */
    TK_ANON_THREAD   /* a number at the end stays */
};

/* A part of a text; of a form and class to begin with. */
struct tk_anon_pieces {
    const uint8_t *p;
    size_t n, at;
    enum tk_anon_form form;
    enum tk_anon_class class; /* of the text */
    bool address;             /* all of it is one */
    bool whose;               /* the next piece is somebody's name */
};

struct tk_anon_piece {
    const uint8_t *p;
    size_t n;
    bool literal;             /* what stands between pieces, and stays */
    enum tk_anon_class class; /* of this piece */
};

void tk_anon_pieces_begin(struct tk_anon_pieces *s, enum tk_anon_class class, enum tk_anon_form form,
                          const uint8_t *p, size_t n);

/* The next one; pieces begin and end with a letter or digit. False at the end. */
bool tk_anon_pieces_next(struct tk_anon_pieces *s, struct tk_anon_piece *out);

/* Letters, digits, _, and whatever is no ASCII: what words are made of. */
static inline bool tk_anon_is_word(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c >= 0x80;
}

/* The next token at or behind *at; it ends before *at then. False: there is none. */
bool tk_anon_token(const uint8_t *p, size_t n, size_t *at, size_t *start);

/* Bytes of a text in front of a number at its end, and of what stands between them. */
size_t tk_anon_stem(const uint8_t *p, size_t n);

#endif
