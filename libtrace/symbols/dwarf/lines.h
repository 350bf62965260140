/*
 * Lines of DWARF: which line of which file an address was made from. Units ask it about addresses. See
 * dwarf.h.
 */
#ifndef TK_SYMBOLS_DWARF_LINES_H
#define TK_SYMBOLS_DWARF_LINES_H

#include "symbols/dwarf/unit.h"

/* A file of the table: its name and its folder, an index of folders. */
struct tk_dw_file {
    struct tk_bytes name;
    uint64_t folder;
    const struct tk_str *path; /* once it was asked for */
};

/* The header of a line program. */
struct tk_dw_lines {
    TK_VEC(struct tk_bytes) folders;
    TK_VEC(struct tk_dw_file) files;
    const uint8_t *operands; /* of standard opcodes 1 to opcode_base - 1 */
    struct tk_cur program;
    struct tk_bytes unit_folder;
    uint16_t version;
    uint8_t offset_size, address_size;
    uint8_t least_length, opcode_base, line_range;
    int8_t line_base;
    struct tk_dw_fuel *fuel;
};

/* Reads the header of the program of a unit. 0; -1 when there is none or it is broken. Release it always. */
int tk_dw_lines_open(struct tk_dw_lines *l, const struct tk_dw_unit *unit);

/* The path of a file by its number; NULL: not known. */
const struct tk_str *tk_dw_lines_path(struct tk_dw_lines *l, uint64_t file, struct tk_sym_answers *answers);

/* The line of an address, file TK_DW_NONE: none. */
struct tk_dw_row {
    uint64_t file;
    uint32_t line;
};

/* Runs the program for n addresses in ascending order: the first row that holds each becomes rows[i], where
 * it has no file yet. */
void tk_dw_lines_run(struct tk_dw_lines *l, const uint64_t *addresses, struct tk_dw_row *rows, size_t n);

void tk_dw_lines_release(struct tk_dw_lines *l);

#endif
