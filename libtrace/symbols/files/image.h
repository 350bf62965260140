/*
 * Image: an executable, a library or a file of its symbols, as sections that are found by name. ELF, PE and
 * Mach-O files become one; the readers of DWARF, of PDB and of symbol tables take their bytes from it.
 * (symbols 1.2, 3.3 to 3.5)
 */
#ifndef TK_SYMBOLS_CONTAINERS_IMAGE_H
#define TK_SYMBOLS_CONTAINERS_IMAGE_H

#include "base/cursor.h"
#include "base/vec.h"
#include "symbols/files/symbol_file.h"

enum tk_image_kind { TK_IMAGE_NONE, TK_IMAGE_ELF, TK_IMAGE_PE, TK_IMAGE_MACHO };

enum { TK_IMAGE_NAME = 32, TK_IMAGE_ID = 64 };

struct tk_section {
    char name[TK_IMAGE_NAME]; /* "debug_info", whatever the format puts in front */
    uint64_t address, size;   /* in memory */
    uint64_t at, stored;      /* bytes in the file; stored 0: none */
    bool packed;              /* compressed, behind the header of ELF */
    bool packed_gnu;          /* compressed as .zdebug_ sections are */
    uint8_t *unpacked;        /* owned: what was packed */
    uint64_t n_unpacked;
};

/* Names of functions by address, as the container has them. */
struct tk_symbol_tables {
    struct tk_bytes symbols, strings; /* .symtab, or that of Mach-O */
    struct tk_bytes dynamic, dynamic_strings;
};

struct tk_image {
    enum tk_image_kind kind;
    bool wide;               /* of 64 bits */
    struct tk_bytes bytes;   /* borrowed */
    uint8_t id[TK_IMAGE_ID]; /* build id, UUID; GUID and age of a PE */
    uint32_t n_id;           /* 0: it has none */
    uint64_t base;           /* the address in the file that the first byte of the module in memory has */
    uint64_t extent;         /* bytes from there to its end in memory */
    uint64_t size_sum;       /* ELF: as the tracer of the engine counts its size */
    char link[256];    /* name of the file with its symbols; of a PE of its PDB, last part; "" for none */
    uint32_t link_crc; /* checksum of that file; 0: it is a PDB */
    struct tk_symbol_tables tables;
    uint64_t unpacked; /* bytes of sections that were compressed */
    TK_VEC(struct tk_section) sections;
};

/*
 * Reads the headers. `arch`: of a universal Mach-O file the part whose UUID these n_arch bytes are, else its
 * first. 0, with *why where the file was cut; -1 with *why, a static text: it is none of these files, or a
 * broken one. The image is to be released in any case; bytes are borrowed until then.
 */
int tk_image_open(struct tk_image *image, struct tk_bytes bytes, const uint8_t *arch, uint32_t n_arch,
                  const char **why);

/* The bytes of a section, unpacked where they are compressed, as long as the image is there. Empty where
 * there is none, or where *why, which was NULL, says what is wrong with it. */
struct tk_bytes tk_image_section(struct tk_image *image, const char *name, const char **why);

/* The same from the place *from on, which it moves behind the section: several may have one name. */
struct tk_bytes tk_image_section_from(struct tk_image *image, const char *name, size_t *from,
                                      const char **why);

/* Has it a section of that name with bytes in the file? */
bool tk_image_has(const struct tk_image *image, const char *name);

/* The checksum that .gnu_debuglink has of a file. */
uint32_t tk_image_crc(struct tk_bytes bytes);

void tk_image_release(struct tk_image *image);

/*
 * Symbols as text, as Breakpad and the tracers of consoles have them: FILE, FUNC, INLINE, lines, PUBLIC.
 * Addresses count from the first byte of the module. (symbols 3.4, 3.5)
 */

/*
 * Symbols as text, as Breakpad and the tracers of consoles have them: FILE, FUNC, INLINE, lines, PUBLIC.
 * Addresses count from the first byte of the module. (symbols 3.4, 3.5)
 */

/* The first line. */
struct tk_breakpad_head {
    struct tk_bytes system, machine, id, name;
};

/* Is it such a file? */
bool tk_breakpad_head(struct tk_bytes bytes, struct tk_breakpad_head *head);

/* Has the id in hexadecimal these bytes: as they are, or as a GUID with an age, whose groups are numbers? */
bool tk_breakpad_has_id(struct tk_bytes id, const uint8_t *wanted, uint32_t n);

void tk_breakpad_resolve(struct tk_bytes bytes, struct tk_sym_question *questions, size_t n,
                         struct tk_sym_answers *answers);

/*
 * Tables of symbols of ELF and Mach-O files: names of functions by address, without lines. They answer what
 * no debug information does. (symbols 3.3, 3.4)
 */

/* Names functions of questions, sorted, that have no answer yet, or a line without a function. Addresses are
 * those of the image. */
void tk_symbol_table_resolve(const struct tk_image *image, struct tk_sym_question *questions, size_t n,
                             struct tk_sym_answers *answers);

#endif
