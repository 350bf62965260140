/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_SYMBOLS_SYMBOLS_IN_H
#define TK_SYMBOLS_SYMBOLS_IN_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/vec.h"
#include "fact/symbolizer.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/files/image.h"
#include "symbols/files/pdb.h"
#include "symbols/files/symbol_file.h"
#include "tracekit/captures.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names of files below folders, so that a file is found wherever it lies. The search for symbols queries it.
 * (symbols 6.2)
 */

struct tk_indexed_file {
    const char *path;
    size_t name;    /* where its last part begins */
    uint32_t order; /* in which it was found */
};

struct tk_file_index {
    struct tk_arena arena;
    TK_VEC(struct tk_indexed_file) files; /* by name without case, once it is sorted */
    bool sorted;
    bool no_links; /* links to files are left out; else they are as good as the files */
    bool full;     /* there were more than the most that it takes */
};

/* Adds the files in and below a folder, or a file alone. What cannot be read is left out, links to folders
 * are not followed, entries of a folder come in order of their names. 0, or -1 if out of memory. */
int tk_file_index_walk(struct tk_file_index *index, const char *root);

/* The files of a name, whose case does not count: the first and how many. */
const struct tk_indexed_file *tk_file_index_find(struct tk_file_index *index, const char *name, size_t *n);

void tk_file_index_release(struct tk_file_index *index);

/*
 * Places of the numbers of an answer section, for its reader and its writer. All are little-endian; parts
 * begin at multiples of eight bytes.
 */

#define TK_ANSWERS_MAGIC   UINT32_C(0x59534b54) /* TKSY */
#define TK_ANSWERS_VERSION UINT32_C(1)

enum {
    TK_AT_MAGIC = 0,
    TK_AT_VERSION = 4,
    TK_AT_CHECKSUM = 8, /* of all behind it */
    TK_AT_SIZE = 16,    /* of the section */
    TK_AT_READER = 24,
    TK_AT_STATE = 28,
    TK_AT_DEPTH = 29,
    TK_AT_KIND = 30,
    TK_AT_N_ID = 31,
    TK_AT_ID = 32,
    TK_AT_MODULE_SIZE = 96,
    TK_AT_EXTENT = 104,
    TK_AT_FILE_SIZE = 112,
    TK_AT_MODIFIED = 120,
    TK_AT_N_NAME = 128,
    TK_AT_N_PATH = 132,
    TK_AT_N_HOW = 136,
    TK_AT_N_TEXTS = 140,
    TK_AT_N_NODES = 144,
    TK_AT_N_ADDRESSES = 148,
    TK_AT_TEXT_BYTES = 152,
    TK_ANSWERS_HEAD = 160,
    TK_ANSWERS_NODE = 16, /* function, file, line, and the node of its caller; texts and nodes from 1 */
    TK_ANSWERS_MOST_FRAMES = 1024,
    TK_ANSWERS_MOST_PATH = 4096,
};

/*
 * Answers of the addresses of a module, sorted. symbols.c looks them up, and kept.c writes them.
 */

/* Addresses are from the start of the module; n 0: it was looked for, and is not there. Zero-initialise to
 * begin. */
struct tk_answer_list {
    TK_VEC(struct tk_sym_question) v;
    size_t at; /* where the last was found: they are requested in order mostly */
};

/* The answer of an address, or NULL. Until others are added. */
const struct tk_sym_question *tk_answer_list_find(struct tk_answer_list *list, uint64_t address);

/* Adds n answers, which are sorted and of addresses that the list has not. 0, or -1 if out of memory. */
int tk_answer_list_add(struct tk_answer_list *list, const struct tk_sym_question *v, size_t n);

void tk_answer_list_release(struct tk_answer_list *list);

/*
 * A module whose symbols are wanted, by what a capture says of it, and the texts that files are found by: its
 * names without folders, its id in the forms of symbol stores. The search and the readers ask. (symbols 1.1,
 * 3.2 to 3.5)
 */

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

/* An id of n bytes in small digits; out has space for 2 * n + 1. */
void tk_id_hex(char *out, const uint8_t *id, size_t n);

/* The folder of symbol stores for a GUID of 16 bytes as in files, with an age: 576A33AB...1. */
enum { TK_GUID_AGE = 48 };
void tk_guid_age(char out[TK_GUID_AGE], const uint8_t *guid, uint32_t age);

/* Are n bytes of an id those of a capture, where it pads them with zeros? */
bool tk_wanted_has_id(const struct tk_wanted *w, const uint8_t *id, uint32_t n);

/*
 * Answers of the symbols of a module as bytes: the addresses that were requested, and their frames as a tree,
 * in which equal chains of callers are there once. The cache has a file of one, a file to send along has
 * many. Reading trusts nothing that it reads. (symbols 6.3, 6.4)
 */

/* Raised when readers of symbols answer otherwise than they did: older answers are not used where the file of
 * symbols can be queried again. */
enum { TK_ANSWERS_OF_READER = 3 };

/* The first bytes of a file of sections that is sent along; the sections follow. */
static const char tk_sent_magic[8] = {'t', 'k', 's', 'y', 'm', '\r', '\n', '\x1a'};

/* Of whose symbols answers are. */
struct tk_answer_origin {
    struct tk_wanted wanted;
    uint8_t state, depth;   /* as symbols/module_file.h has them */
    const char *path, *how; /* of the file of symbols; "": not known */
    uint64_t file_size;
    int64_t file_modified; /* seconds since 1970 */
    uint64_t extent;       /* bytes of the module in memory; 0: not known */
};

struct tk_answer_section {
    struct tk_answer_origin origin;
    uint32_t reader; /* that answered: TK_ANSWERS_OF_READER, or an older one */
    struct tk_bytes text_ends, text_bytes, nodes, addresses, places; /* borrowed */
    uint32_t n_texts, n_nodes, n_addresses;
    const struct tk_str **texts;             /* owned: those of an answer list, as far as they were needed */
    uint32_t last_place, last_first, last_n; /* whose frames were added last; last_n 0: none yet */
    char *path;                              /* owned, with `how` behind it */
};

/*
 * Opens the section at the begin of some bytes, which have to stay. *used: its bytes. 0; -1: it is none, or
 * damaged, or of another version, with *why, a static text, or NULL if out of memory. What was opened in
 * part is to be released, too.
 */
int tk_answer_section_open(struct tk_answer_section *s, struct tk_bytes bytes, size_t *used,
                           const char **why);

/* Was an address looked up? *place: of its frames, 0: it has none. */
bool tk_answer_section_find(const struct tk_answer_section *s, uint64_t address, uint32_t *place);

/* The addresses that were looked up, by number up to n_addresses. */
uint64_t tk_answer_section_address(const struct tk_answer_section *s, uint32_t i, uint32_t *place);

/* Adds the frames of a place to the answer of a question, or has it share those of the last one. A section
 * always adds to the same answers. */
void tk_answer_section_add(struct tk_answer_section *s, uint32_t place, struct tk_sym_answers *answers,
                           struct tk_sym_question *q);

void tk_answer_section_release(struct tk_answer_section *s);

/*
 * Writing of answers of a module, in the layout of answer_section.h: to the cache, and to files that are sent
 * along.
 */

/* Nodes are those of answer_section.h. */
struct tk_answer_node {
    uint32_t function, file, line, caller;
};

/* Zero-initialise to begin. */
struct tk_answer_writer {
    bool strip; /* files without their folders */
    TK_VEC(const struct tk_str *) texts;
    TK_VEC(struct tk_answer_node) nodes;
    TK_VEC(struct tk_sym_question) addresses; /* `first` is the place of its frames */
    struct tk_map text_index, node_index;
    struct tk_intern short_files;
};

/* Adds an address, above all that were added before, with its frames, the innermost first. The texts have to
 * stay. 0, or -1 if out of memory. */
int tk_answer_writer_add(struct tk_answer_writer *w, uint64_t address, const struct tk_sym_frame *frames,
                         uint32_t n);

/* The bytes of the section, to be freed. NULL if out of memory. */
uint8_t *tk_answer_writer_end(const struct tk_answer_writer *w, const struct tk_answer_origin *origin,
                              size_t *n);

void tk_answer_writer_release(struct tk_answer_writer *w);

/*
 * Where symbols of a module may be: paths of files in the order in which they are to be tried. The resolver
 * opens and verifies them. Nothing here queries a network. (symbols 3, 6.1, 6.2)
 */

struct tk_search_root {
    const char *path;
    bool walk; /* look in all folders below it */
};

/* A place that was named and is of no use. */
struct tk_useless_place {
    const char *path, *why; /* why: static */
};

struct tk_search {
    struct tk_arena arena;
    TK_VEC(struct tk_search_root) roots;
    struct tk_file_index index;
    bool walked;
    TK_VEC(const char *) missing; /* places that were named, and are not there */
    TK_VEC(struct tk_useless_place) useless;
    uint64_t servers; /* in paths of the environment, which are not requested */
};

/* A file that may be it, and how it was found: a static text. */
struct tk_candidate {
    const char *path; /* of the arena of the list */
    const char *how;
};

struct tk_candidates {
    struct tk_arena arena;
    TK_VEC(struct tk_candidate) v;
};

/*
 * The places: n paths (folders or files) or, where there are none, those of the environment: TRACEKIT_SYMBOLS
 * alone where it is set, else `folder` (that of the capture, may be NULL) and the places that other tools
 * use. 0, or -1 if out of memory.
 */
int tk_search_open(struct tk_search *s, const char *const *paths, size_t n, const char *folder);

/* Adds the files that may have the symbols of a module, or be it. 0, or -1 if out of memory. */
int tk_search_find(struct tk_search *s, const struct tk_wanted *w, struct tk_candidates *out);

/* Adds the files of a name that another file says: alongside that file, and in all places. A name with
 * folders is none. */
int tk_search_named(struct tk_search *s, const struct tk_wanted *w, const char *name, const char *near,
                    const char *how, struct tk_candidates *out);

/* Notes a place that was named and is of no use, once. 0, or -1 if out of memory. */
int tk_search_note_useless(struct tk_search *s, const char *path, const char *why);

void tk_candidates_release(struct tk_candidates *c);
void tk_search_release(struct tk_search *s);

/*
 * The symbol file of a module: opened, verified by its id, and requested. The symbolizer opens one, queries
 * it and closes it. (symbols 1.2, 6.2)
 */

/* What is known of the symbols of a module. */
enum tk_module_state {
    TK_MODULE_NOT_REQUESTED, /* no address falls into it */
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

/*
 * Symbols of the modules of a capture: found, verified, read and kept. The api hands it to the tables as the
 * symbolizer of fact/symbolizer.h. (symbols 5, 6)
 */

struct tk_symbols_options {
    const char *const *paths; /* n folders or files; none: the usual places */
    size_t n;
    const char *folder;  /* of the capture; NULL: not known */
    const char *capture; /* its path: a file of symbols alongside it is used; NULL: not known */
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
    uint64_t addresses;    /* that were requested, each once */
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
    TK_VEC(struct tk_module_symbols *) modules; /* owned, in the order in which they were requested */
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

/*
 * Answers about symbols that are there already: of files that were sent along, and of the cache of the user.
 * symbols.c queries them before it looks for files of symbols. (symbols 6.2 to 6.4)
 */

/* Opens the files of answers among the places of the search, and that alongside the capture (NULL: none). 0,
 * or -1 if out of memory. */
int tk_kept_open(struct tk_symbols *s, const char *capture);

/* Takes what is kept of a module. 1: that is enough, its file need not be found; 0; -1 if out of memory. */
int tk_kept_find(struct tk_symbols *s, struct tk_module_symbols *m);

/* Writes what is new to the cache. */
void tk_kept_save(struct tk_symbols *s);

/* The bytes of a file of all answers so far, to be sent along and to be freed; `strip`: files without their
 * folders. NULL if out of memory. */
uint8_t *tk_kept_bytes(struct tk_symbols *s, bool strip, size_t *n);

void tk_kept_release(struct tk_symbols *s);

/*
 * The sections of DWARF of a file. What is said of a module, of its split units and of what it shares is read
 * from them.
 */

/* The sections of DWARF of an image, whose names end in `suffix`. *why, which was NULL: one cannot be read.
 */
struct tk_dwarf_sections tk_module_sections(struct tk_image *image, const char *suffix, const char **why);

/*
 * DWARF of a module with what its units leave out in .dwp and .dwo files.
 */

/* Answers questions, whose addresses are those of the image, by its DWARF. */
void tk_module_dwarf_resolve(struct tk_module_file *m, struct tk_sym_question *questions, size_t n,
                             struct tk_sym_answers *answers);

/*
 * Symbols of a capture that is open: the symbolizer of its tables.
 */

struct tk_symbols_host {
    struct tk_symbolizer symbolizer;
    struct tk_symbols *symbols; /* owned; NULL: none are wanted */
    bool fold;                  /* inlined calls belong to their callers */
};

/* By the options of a capture; path is that of its file, or NULL. 0, or -1 if out of memory. */
int tk_symbols_host_open(struct tk_symbols_host *host, const struct tk_options *options, const char *path);

/* As tk_symbols_tell. */
int tk_symbols_host_tell(const struct tk_symbols_host *host, char *text, size_t n);

/* All that was looked up, as a file of symbols to send along, to be freed: as tk_kept_bytes. Not where no
 * symbols are wanted. */
uint8_t *tk_symbols_host_bytes(struct tk_symbols_host *host, bool strip, size_t *n);

void tk_symbols_host_close(struct tk_symbols_host *host);

/*
 * Source files of a program below the folders that the user names: who shows lines requests them by the paths
 * of the compiler's machine.
 */

struct tk_source_text {
    char *path; /* that was requested; owned */
    size_t n;
    struct tk_str text; /* owned; p NULL: there is none */
};

/*
 * Of a path only the last parts count: a file below the folders fits that has the same name, and the one that
 * has the most parts in common is taken. No link is followed, and no file is opened that was not found by
 * going through the folders.
 */
struct tk_source_texts {
    struct tk_source_finder finder;
    char **folders; /* owned */
    size_t n_folders;
    struct tk_file_index index; /* when it was requested the first time */
    bool walked;
    TK_VEC(struct tk_source_text) texts;
};

/* Copies the paths. 0, or -1 if out of memory. The struct must stay where it is. */
int tk_source_texts_open(struct tk_source_texts *s, const char *const *folders, size_t n);

/* Writes which of the paths that were requested have no text, and where it was looked for, as a sentence of
 * at most n bytes with its NUL; `before` is put in front of it. 0: there are all, and there is no sentence;
 * 1: no folder was named; 2: those that were named have none. */
int tk_source_texts_tell(const struct tk_source_texts *s, const char *before, char *text, size_t n);

void tk_source_texts_close(struct tk_source_texts *s);
#endif
