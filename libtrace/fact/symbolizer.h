/*
 * Symbolizer: who knows the functions that addresses of modules lie in, which no capture says. The api puts
 * one into the context, and the tables of code ask it.
 */
#ifndef TK_FACT_SYMBOLIZER_H
#define TK_FACT_SYMBOLIZER_H

#include "fact/memory.h"

/* An address of a module. */
struct tk_symbol_ask {
    uint64_t offset; /* from its base, as captured */
    bool exact;      /* false: a return address, which is behind the call that it stands for */
};

/* What is known of the symbols of a module. Texts live as long as the symbolizer. */
struct tk_module_file_info {
    const char *file; /* that is used, or the one that is of another build; NULL: none */
    const char *how;  /* it was found; NULL: it was not */
    const char *state;
    const char *why;    /* what is wrong with it; NULL: nothing */
    uint64_t extent;    /* bytes in memory by its file; 0: not known */
    uint64_t addresses; /* that were requested so far, each once, and those with a function */
    uint64_t resolved;
    bool usable; /* it is of this build */
};

struct tk_symbolizer {
    void *self;

    /* Finds the file of a module. 0, or -1 if out of memory. */
    int (*module)(void *self, const struct tk_fact_module *module, struct tk_module_file_info *out);

    /* Looks up n addresses. `give` is called for each that lies in a function, with its number and its
     * places, the innermost inlined function first, which are there for the call alone; it returns 0, or -1
     * if out of memory. */
    int (*resolve)(void *self, const struct tk_fact_module *module, const struct tk_symbol_ask *wants,
                   size_t n,
                   int (*give)(void *to, size_t i, const struct tk_symbol_place *places, uint32_t n_places),
                   void *to);
};

/* Who has the sources of a program, which the api may put into the context, too. */
struct tk_source_finder {
    void *self;

    /* The text of the file that a path on the machine of the compiler means: 1, with *out, which lives as
     * long as the finder; 0: there is none; -1 if out of memory. */
    int (*find)(void *self, const struct tk_str *path, struct tk_str *out);
};

/* What is known of the symbols and sources of an open capture. It begins what the wing `symbols` keeps of it.
 */
struct tk_open_symbols {
    struct tk_symbolizer *symbolizer; /* NULL: none is wanted */
    struct tk_source_finder *finder;
};

struct tk_options;

/* Who reads symbols: a wing, which a build may leave out. */
struct tk_symbols_wing {
    /* For a capture with these options; path is that of its file, or NULL. NULL if out of memory. */
    struct tk_open_symbols *(*open)(const struct tk_options *options, const char *path);

    /* As tk_symbols_tell, for n above 0. */
    int (*tell)(const struct tk_open_symbols *symbols, char *text, size_t n);

    /* All that was looked up, as a file of symbols to send along, to be freed; `strip`: source files without
     * their folders. NULL if out of memory. Not where no symbolizer is wanted. */
    uint8_t *(*bytes)(struct tk_open_symbols *symbols, bool strip, size_t *n);

    void (*close)(struct tk_open_symbols *symbols); /* NULL is allowed */
};

/* That of the build; NULL: it has none. */
extern const struct tk_symbols_wing *const tk_symbols_wing;

#endif
