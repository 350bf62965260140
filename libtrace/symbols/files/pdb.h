/*
 * PDB: the functions that addresses lie in, with those inlined there, and their lines. It reads a file of
 * Microsoft's or LLVM's linker; a module of it is in memory at a time. (symbols 5)
 */
#ifndef TK_SYMBOLS_FILES_PDB_H
#define TK_SYMBOLS_FILES_PDB_H

#include "symbols/files/symbol_file.h"

#include <stdlib.h>

/*
 * Streams of a PDB: bytes in blocks all over the file. The reader of PDB takes its parts from them. (symbols
 * 5)
 */

struct tk_msf {
    struct tk_bytes bytes;    /* borrowed */
    struct tk_sym_file *file; /* borrowed: that they are of, to be reported what is read; may be NULL */
    uint32_t block;           /* size */
    uint32_t n_streams;
    uint8_t *directory; /* owned */
    uint64_t n_directory;
    uint64_t *blocks_at; /* owned: in the directory, where the blocks of each stream are listed */
};

/* A stream, or a part of one: where its blocks stand one behind the other the bytes are those of the file. */
struct tk_msf_bytes {
    struct tk_bytes span;
    uint8_t *copy; /* owned; NULL: they are those of the file */
};

/* Reads the directory. 0; -1 with *why, a static text. Release it always. */
int tk_msf_open(struct tk_msf *msf, struct tk_bytes bytes, const char **why);

/* The size of a stream; 0 where there is none. */
uint64_t tk_msf_size(const struct tk_msf *msf, uint32_t stream);

/* n bytes of a stream from `at` on, fewer where it ends before. 0; -1: its blocks are not there, or out of
 * memory, and there are none. Release them always. */
int tk_msf_read(const struct tk_msf *msf, uint32_t stream, uint64_t at, uint64_t n, struct tk_msf_bytes *out);

static inline void tk_msf_bytes_release(struct tk_msf_bytes *b)
{
    free(b->copy);
    *b = (struct tk_msf_bytes){{NULL, 0}, NULL};
}

void tk_msf_release(struct tk_msf *msf);

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
