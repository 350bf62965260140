/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_SYMBOLS_FILES_FILES_IN_H
#define TK_SYMBOLS_FILES_FILES_IN_H

#include "base/hash.h"
#include "symbols/files/image.h"
#include "symbols/files/pdb.h"
#include "symbols/files/symbol_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the readers of the containers share.
 */

#define TK_MOST_SECTIONS 65536u

/* They fill an image whose bytes are set. 0, or -1 with *why. */
int tk_elf_open(struct tk_image *image, const char **why);
int tk_pe_open(struct tk_image *image, const char **why);
int tk_macho_open(struct tk_image *image, const uint8_t *uuid, uint32_t n_uuid, const char **why);

/* Adds a section; its name without what the format puts in front. 0, or -1 if out of memory. */
int tk_image_add(struct tk_image *image, const uint8_t *name, size_t n, struct tk_section section);

/* Reads the name and the checksum of the file of symbols that .gnu_debuglink leads to. */
void tk_image_read_link(struct tk_image *image);

/* Unpacks a section of an image to memory. 0, or -1 with *why. */
int tk_section_unpack(struct tk_image *image, struct tk_section *section, struct tk_bytes stored,
                      const char **why);

/*
 * What the parts of the reader of PDB share.
 */

/* Records of a stream of types or of ids, which may be of gigabytes: found by number through its index. */
struct tk_pdb_types {
    const struct tk_msf *msf;
    uint32_t stream;
    uint32_t first, end;       /* numbers */
    uint64_t records, bytes;   /* in the stream */
    struct tk_msf_bytes index; /* pairs of number and offset */
};

/* 0; -1: it is broken. Release it always. */
int tk_pdb_types_open(struct tk_pdb_types *t, const struct tk_msf *msf, uint32_t stream);

/* The record of a number, from its kind on; to be released. 0; -1: there is none. */
int tk_pdb_types_record(const struct tk_pdb_types *t, uint32_t number, struct tk_msf_bytes *record);

void tk_pdb_types_release(struct tk_pdb_types *t);

/* What names of inlined functions are looked up with. */
struct tk_pdb_names {
    struct tk_pdb_types types, ids;
    struct tk_msf_bytes texts; /* of files */
    struct tk_map functions;   /* id -> place in known */
    struct tk_map files;       /* offset in texts -> place in known */
    TK_VEC(const struct tk_str *) known;
    struct tk_sym_answers *answers;
};

void tk_pdb_names_open(struct tk_pdb_names *names, const struct tk_pdb *pdb, struct tk_sym_answers *answers);

/* The qualified name of an inlined function by its id. NULL: not known. */
const struct tk_str *tk_pdb_function_name(struct tk_pdb_names *names, uint32_t id);

/* A file by its place in the checksums of a module. */
const struct tk_str *tk_pdb_file_name(struct tk_pdb_names *names, struct tk_bytes checksums, uint32_t place);

void tk_pdb_names_release(struct tk_pdb_names *names);

/* Answers questions by what a module says, from and up to the ones of these places. */
void tk_pdb_module_resolve(const struct tk_pdb *pdb, const struct tk_pdb_module *module,
                           struct tk_pdb_names *names, struct tk_sym_question *const *questions, size_t n);

/* Answers by public symbols what has no function. */
void tk_pdb_publics_resolve(const struct tk_pdb *pdb, struct tk_sym_question *questions, size_t n,
                            struct tk_sym_answers *answers);

/* The address of a place in a section, from 1; false: there is no such section. */
static inline bool tk_pdb_address(const struct tk_pdb *pdb, uint16_t section, uint32_t offset,
                                  uint64_t *address)
{
    if (section == 0 || section > pdb->sections.n)
        return false;
    *address = (uint64_t)pdb->sections.v[section - 1].address + offset;
    return true;
}

/* A text up to its NUL in what is left of a record. */
static inline struct tk_bytes tk_pdb_text(struct tk_bytes record, size_t at)
{
    if (at >= record.n)
        return (struct tk_bytes){NULL, 0};
    const uint8_t *end = memchr(record.p + at, 0, record.n - at);
    return (struct tk_bytes){record.p + at, end ? (size_t)(end - (record.p + at)) : record.n - at};
}

/*
 * Inlined calls of a procedure of a PDB: where in its code they are, and from which lines that was made. The
 * reader of modules collects them and queries. (symbols 5)
 */

enum { TK_PDB_MOST_DEPTH = 256 };

/* A place in a source: the file by its place in the checksums of the module. */
struct tk_pdb_source {
    uint32_t file, line;
};

struct tk_pdb_row {
    uint64_t address, end; /* end: of the part that it belongs to */
    struct tk_pdb_source source;
    size_t order;
};

/* Code of an inlined call, from the start of its procedure. */
struct tk_pdb_range {
    uint64_t from, end;
    struct tk_pdb_source source;
};

/* An inlined call that holds an address. */
struct tk_pdb_hit {
    uint32_t function; /* id */
    uint32_t depth;
    uint32_t around; /* place of that around it, or UINT32_MAX */
    struct tk_pdb_source source;
};

/* A module while it is read. */
struct tk_pdb_reading {
    const struct tk_pdb *pdb;
    struct tk_pdb_names *names;
    struct tk_sym_question *const *questions; /* n, by address */
    size_t n;
    struct tk_bytes checksums;
    TK_VEC(struct tk_pdb_source) inlinees; /* where an inlined function begins */
    struct tk_map inlinee_index;           /* id -> place */
    TK_VEC(struct tk_pdb_row) rows;        /* by address */
    TK_VEC(struct tk_pdb_range) ranges;    /* of one inlined call */
    TK_VEC(struct tk_pdb_hit) hits;
    uint32_t *innermost; /* owned: by question, the place of its hit, or UINT32_MAX */
    uint32_t depth;      /* inlined calls that are open */

    /* the procedure: where it begins, and its questions */
    uint64_t base;
    size_t first, n_inside;
};

/* Takes the record of an inlined call, whose notes begin at an offset of it. 0, or -1 if out of memory. */
int tk_pdb_site_open(struct tk_pdb_reading *r, struct tk_bytes record, size_t notes);

/* Adds the frames of the inlined calls that hold question i, innermost first. */
void tk_pdb_sites_answer(struct tk_pdb_reading *r, size_t i);

void tk_pdb_reading_release(struct tk_pdb_reading *r);

/*
 * Demangling of names of Rust: version 0 (RFC 2603, `_R...`) and the older ones (`_ZN...17h<hash>E`). Hashes
 * of crates and of legacy names are left out, as are the types of constants.
 */

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
