/*
 * The symbol file of a module: opened, verified by its id, and asked. The symbolizer opens one, asks it and
 * closes it. (symbols 1.2, 6.2)
 */
#ifndef TK_SYMBOLS_MODULE_FILE_H
#define TK_SYMBOLS_MODULE_FILE_H

#include "symbols/files/image.h"
#include "symbols/files/pdb.h"
#include "symbols/files/symbol_file.h"
#include "symbols/search.h"

/* What is known of the symbols of a module. */
enum tk_module_state {
    TK_MODULE_NOT_ASKED, /* no address falls into it */
    TK_MODULE_NO_FILE,
    TK_MODULE_OTHER_BUILD, /* there are files of its name, all of other builds */
    TK_MODULE_UNREADABLE,
    TK_MODULE_NO_SYMBOLS, /* the module itself is there, and nothing with names */
    TK_MODULE_NOT_VERIFIED,
    TK_MODULE_BY_SIZE, /* it has no id; name and size are those of the capture */
    TK_MODULE_MATCHED
};

/* How much a file knows. */
enum tk_symbol_depth { TK_DEPTH_NOTHING, TK_DEPTH_EXPORTS, TK_DEPTH_NAMES, TK_DEPTH_LINES };

enum tk_file_kind { TK_FILE_NONE, TK_FILE_IMAGE, TK_FILE_PDB, TK_FILE_TEXT };

struct tk_module_file {
    struct tk_sym_file file;
    enum tk_file_kind kind;
    struct tk_image image;
    struct tk_pdb pdb;
    enum tk_symbol_depth depth;
    enum tk_module_state state;
    const char *path, *how; /* of the candidates */
    const char *why;        /* what is wrong; static, or NULL */
    uint64_t base, extent;  /* of the module's file: see struct tk_image; extent 0: not known */
    struct tk_candidates candidates;
    struct tk_search *search; /* borrowed */
    bool map;
};

/* Finds and opens the best file. It is there until the module file is closed, whatever is returned: 0, or -1
 * if out of memory. */
int tk_module_file_open(struct tk_module_file *m, struct tk_search *search, const struct tk_wanted *w,
                        bool map);

/* Answers n questions, sorted, whose addresses count from the start of the module as the capture does. */
void tk_module_file_resolve(struct tk_module_file *m, struct tk_sym_question *questions, size_t n,
                            struct tk_sym_answers *answers);

void tk_module_file_close(struct tk_module_file *m);

#endif
