/*
 * Texts cut into the pieces that are replaced one by one: parts of paths, what stands between the conversions
 * of a format, or all of it; and tokens, of which whole words are made.
 * Below the dictionary, which knows what is replaced by what.
 */
#ifndef TK_EDIT_ANONYMISE_PIECES_H
#define TK_EDIT_ANONYMISE_PIECES_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Classes of information that an anonymised capture leaves out: the words of --anonymise. Below the
 * dictionary of words, which replaces texts of the classes that are chosen.
 */

enum tk_anon_class {
    TK_ANON_USERS,     /* people and machines */
    TK_ANON_ADDRESSES, /* of hosts, and URLs */
    TK_ANON_PATHS,     /* of files and folders */
    TK_ANON_COMMANDS,  /* command lines */
    TK_ANON_PROJECT,   /* project, branch, build */
    TK_ANON_LOGS,      /* texts of logs, bookmarks and messages */
    TK_ANON_ASSETS,
    TK_ANON_OBJECTS,
    TK_ANON_FUNCTIONS, /* and modules */
    TK_ANON_NAMES,     /* threads, counters, regions, categories, and what has no other class */
    TK_ANON_PICTURES,  /* are left out */
    TK_ANON_SOURCES,   /* source files in a capture are left out */
    TK_ANON_TIMERS,
    TK_ANON_CLASSES
};

/* The word of a class. Static. */
const char *tk_anon_class_name(enum tk_anon_class c);

/* One bit for each class of a list of words with commas between them; NULL and "": all but timers; "all":
 * all. TK_OK, TK_EUSAGE with the word that is none. */
int tk_anon_classes_read(uint32_t *classes, const char *list, struct tk_err *err);

static inline bool tk_anon_has(uint32_t classes, enum tk_anon_class c)
{
    return classes >> c & 1;
}

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

/*
 * A growing text: the anonymised form of another. At the bottom of its folder.
 */

/* Zero-initialise; release with tk_vec_release(&t->bytes). */
struct tk_anon_text {
    TK_VEC(uint8_t) bytes;
    bool failed; /* memory ran out; nothing is appended from then on */
};

static inline void tk_anon_put(struct tk_anon_text *t, const void *p, size_t n)
{
    if (t->failed || !n || !p)
        return;
    if (tk_vec_reserve(&t->bytes, t->bytes.n + n) != 0) {
        t->failed = true;
        return;
    }
    memcpy(t->bytes.v + t->bytes.n, p, n);
    t->bytes.n += n;
}

/*
 * What the files of this folder share, and nobody else.
 */

/*
 * Words that everybody knows: of the engine, of systems, of English. They say nothing about a project, and
 * stay.
 * Data of the dictionary.
 */

/* Is this token one? Case is significant. */
bool tk_anon_is_public(const uint8_t *p, size_t n);

#endif
