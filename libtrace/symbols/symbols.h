/*
 * Symbols of the modules of a capture: found, verified, read and kept. The api hands it to the tables as the
 * symbolizer of fact/symbolizer.h. (symbols 5, 6)
 */
#ifndef TK_SYMBOLS_SYMBOLS_H
#define TK_SYMBOLS_SYMBOLS_H

#include "symbols/answer_list.h"
#include "symbols/module_file.h"
#include "symbols/answer_section.h"

struct tk_symbols_options {
    const char *const *paths; /* n folders or files; none: the usual places */
    size_t n;
    const char *folder;  /* of the capture; NULL: not known */
    const char *capture; /* its path: a file of symbols beside it is used; NULL: not known */
    bool map;            /* map symbol files */
    bool cache;          /* keep answers in the cache of the user, and use those that are there */
};

/* What is known of a module. */
struct tk_module_symbols {
    struct tk_wanted wanted;
    enum tk_module_state state;
    const char *path; /* of the file that is used, or of one that is not the right one; NULL: none */
    const char *how;  /* it was found; static, NULL: it was not */
    const char *why;  /* what is wrong with it; static, or NULL */
    enum tk_symbol_depth depth;
    uint64_t file_size;    /* of that file, and */
    int64_t file_modified; /* when it was changed last */
    uint64_t extent;       /* bytes in memory by its file; 0: not known */
    uint64_t addresses;    /* that were asked, each once */
    uint64_t resolved;     /* of them: with a function */
    struct tk_answer_list answers;
    struct tk_answer_section *kept; /* answers that are there already; NULL: none */
    struct tk_answer_section cached;
    struct tk_sym_file cache_file;
    uint64_t fresh; /* answers of its file of symbols, which the cache has not */
};

/* A file of symbols that was sent along, or that was to be one. */
struct tk_sent_symbols {
    const char *path;
    const char *why; /* it is not used; static, NULL: it is */
    struct tk_sym_file file;
    TK_VEC(struct tk_answer_section) sections;
};

struct tk_symbols {
    struct tk_search search;
    struct tk_arena arena;
    struct tk_map index;                        /* hash -> place in modules */
    TK_VEC(struct tk_module_symbols *) modules; /* owned, in the order in which they were asked for */
    TK_VEC(struct tk_sent_symbols) sent;
    struct tk_sym_answers answers;
    bool map, cache;
};

/* NULL: out of memory. */
struct tk_symbols *tk_symbols_open(const struct tk_symbols_options *options);

/* What is known of a module, whose file is looked for the first time. It stays until the symbols are closed.
 * NULL if out of memory. */
struct tk_module_symbols *tk_symbols_module(struct tk_symbols *s, const struct tk_wanted *w);

/* Looks up n addresses, from the start of the module, in any order. 0, or -1 if out of memory. */
int tk_symbols_resolve(struct tk_symbols *s, struct tk_module_symbols *m, const uint64_t *addresses,
                       size_t n);

/* The frames of an address that was looked up, innermost first; until the next look-up. n 0: none. */
const struct tk_sym_frame *tk_symbols_frames(const struct tk_symbols *s, struct tk_module_symbols *m,
                                             uint64_t address, uint32_t *n);

/* The state of a module in words. Static. */
const char *tk_module_state_text(enum tk_module_state state);

/* NULL is allowed. */
void tk_symbols_close(struct tk_symbols *s);

#endif
