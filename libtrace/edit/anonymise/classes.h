/*
 * Classes of information that an anonymised capture leaves out: the words of --anonymise. Below the
 * dictionary of words, which replaces texts of the classes that are chosen.
 */
#ifndef TK_ANONYMISE_CLASSES_H
#define TK_ANONYMISE_CLASSES_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
