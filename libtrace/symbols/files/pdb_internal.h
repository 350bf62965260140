/*
 * What the parts of the reader of PDB share. See pdb.h.
 */
#ifndef TK_SYMBOLS_PDB_PDB_INTERNAL_H
#define TK_SYMBOLS_PDB_PDB_INTERNAL_H

#include "base/hash.h"
#include "symbols/files/pdb.h"

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

#endif
