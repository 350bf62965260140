/*
 * Where an address lies: the module, or the image that the capture tells, and how far in it; and the text
 * that stands for an address whose function is not known. The tables of code show it. (symbols 6.5)
 */
#ifndef TK_MODEL_CODE_CODE_PLACE_H
#define TK_MODEL_CODE_CODE_PLACE_H

#include "base/text/intern.h"
#include "model/code/code_map.h"
#include "table/cell.h"

struct tk_code_place {
    struct tk_str module; /* without folders; p NULL: not known */
    uint64_t offset;      /* in it */
    bool has_offset;
};

/* module: the one that the address lies in, or NULL. When the map is settled. */
struct tk_code_place tk_code_place_of(const struct tk_code_map *map, const struct tk_module *module,
                                      uint64_t address);

/* Cells of both; no values where they are not known. */
struct tk_cell tk_code_module_cell(const struct tk_code_place *place);
struct tk_cell tk_code_offset_cell(const struct tk_code_place *place);

/* "mesh.dll+0x1130", or the address where the offset is not known. NULL if out of memory. */
const struct tk_str *tk_code_bare_text(struct tk_intern *texts, const struct tk_code_place *place,
                                       uint64_t address);

#endif
