/*
 * What lies behind a row "(no function in mesh.dll)": its offsets, and how many samples each has. Tables that
 * sum up samples show them.
 */
#ifndef TK_MODEL_CODE_CODE_OFFSETS_H
#define TK_MODEL_CODE_CODE_OFFSETS_H

#include "base/hash.h"
#include "base/vec.h"
#include "query/builder.h"
#include "table/cell.h"

struct tk_code_offset {
    uint64_t offset;
    uint64_t excl, incl; /* samples right there, and with it in their stack */
    uint64_t stack;      /* that was added last */
    uint32_t row;
};

/* Zero-initialise to begin. */
struct tk_code_offsets {
    TK_VEC(struct tk_code_offset) v; /* when settled: by row, the most frequent first */
    struct tk_map index;             /* row and offset -> place in v */
};

#define TK_CODE_OFFSETS_HELP                                                                                 \
    "without a function: the most frequent offsets in the module, or addresses, with samples"

/* Samples of a stack, numbered from 1, which has an offset of a row; own: it is the innermost. A stack counts
 * once, however often it has it. 0, or -1 if out of memory. */
int tk_code_offsets_add(struct tk_code_offsets *o, uint32_t row, uint64_t offset, uint64_t stack, bool own,
                        uint64_t samples);

/* All are added. 0, or -1 if out of memory. */
int tk_code_offsets_settle(struct tk_code_offsets *o);

/* "0x1130 (41), 0x11a2 (7), 12 more", by exclusive samples; by inclusive ones in a row that has no others. No
 * value for a row without offsets, and where there is no memory for
 * the text, which the status of `emit` says. */
struct tk_cell tk_code_offsets_cell(const struct tk_code_offsets *o, uint32_t row, struct tk_emit *emit);

void tk_code_offsets_release(struct tk_code_offsets *o);

#endif
