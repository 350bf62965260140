/*
 * PDB: the functions that addresses lie in, with those inlined there, and their lines. It reads a file of
 * Microsoft's or LLVM's linker; a module of it is in memory at a time. (symbols 5)
 */
#ifndef TK_SYMBOLS_PDB_PDB_H
#define TK_SYMBOLS_PDB_PDB_H

#include "symbols/files/msf.h"
#include "symbols/files/answers.h"

enum { TK_PDB_GUID = 16 };

/* A section of the image. */
struct tk_pdb_section {
    uint32_t address, size;
    bool code; /* is it executed? */
};

/* A module: an object file of the program. */
struct tk_pdb_module {
    uint32_t stream;
    uint32_t symbols, old_lines, lines; /* bytes in the stream */
};

struct tk_pdb {
    struct tk_msf msf;
    uint8_t guid[TK_PDB_GUID];
    uint32_t age;   /* of the image, in the stream of modules */
    uint32_t names; /* stream of texts; UINT32_MAX: none */
    uint32_t public_stream, record_stream;
    struct tk_msf_bytes modules_stream;
    struct tk_bytes contributions; /* in it */
    TK_VEC(struct tk_pdb_section) sections;
    TK_VEC(struct tk_pdb_module) modules;
};

/* Reads what identifies it, and its lists. 0; -1 with *why, a static text. bytes are borrowed. Release it
 * always. */
int tk_pdb_open(struct tk_pdb *pdb, struct tk_bytes bytes, const char **why);

/* Answers those of n questions that have no answer yet; their addresses count from the first byte of the
 * image and are sorted. */
void tk_pdb_resolve(const struct tk_pdb *pdb, struct tk_sym_question *questions, size_t n,
                    struct tk_sym_answers *answers);

void tk_pdb_release(struct tk_pdb *pdb);

#endif
