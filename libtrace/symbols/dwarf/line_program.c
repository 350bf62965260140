/*
 * Line programs of DWARF: rows of addresses, files and lines. See lines.h.
 */
#include "base/binary_search.h"
#include "symbols/dwarf/lines.h"

enum {
    DW_LNS_extended,
    DW_LNS_copy,
    DW_LNS_advance_pc,
    DW_LNS_advance_line,
    DW_LNS_set_file,
    DW_LNS_set_column,
    DW_LNS_negate_stmt,
    DW_LNS_set_basic_block,
    DW_LNS_const_add_pc,
    DW_LNS_fixed_advance_pc,
    DW_LNS_STANDARD,
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2
};

struct machine {
    struct tk_dw_lines *l;
    const uint64_t *addresses;
    struct tk_dw_row *rows;
    size_t n, next; /* next: the first question at or behind the last row */
    uint64_t address, file, line;
    uint64_t row_address; /* the row before; has_row */
    struct tk_dw_row row;
    bool has_row, removed;
};

static void begin_sequence(struct machine *m)
{
    m->address = 0;
    m->file = m->line = 1;
    m->has_row = m->removed = false;
}

static void find_next(struct machine *m)
{
    TK_SEARCH(m->next, m->n, m->addresses[m->next] < m->address);
}

/* The row before holds what lies between it and this one. */
static void close_row(struct machine *m)
{
    if (m->address < m->row_address) {
        find_next(m);
        return;
    }
    for (; m->next < m->n && m->addresses[m->next] < m->address; m->next++)
        if (m->rows[m->next].file == TK_DW_NONE)
            m->rows[m->next] = m->row;
}

static void emit(struct machine *m)
{
    if (m->removed)
        return;
    if (m->has_row)
        close_row(m);
    else
        find_next(m);
    m->has_row = true;
    m->row_address = m->address;
    m->row = (struct tk_dw_row){m->file, m->line > UINT32_MAX ? 0 : (uint32_t)m->line};
}

static int64_t signed_varint(struct tk_cur *cur)
{
    const uint8_t *p = cur->p;
    uint64_t v = tk_varint(cur, "line");
    size_t n = (size_t)(cur->p - p);
    if (n && n < 10 && cur->p[-1] & 0x40)
        v |= UINT64_MAX << (7 * n);
    return (int64_t)v;
}

static void extended(struct machine *m, struct tk_cur *cur)
{
    uint64_t n = tk_varint(cur, "opcode");
    struct tk_cur inside = tk_sub(cur, n < SIZE_MAX ? (size_t)n : SIZE_MAX, "opcode");
    size_t size;
    switch (tk_u8(&inside, "opcode")) {
    case DW_LNE_end_sequence:
        if (m->has_row && !m->removed)
            close_row(m);
        begin_sequence(m);
        break;
    case DW_LNE_set_address:
        size = tk_cur_left(&inside) < 8 ? tk_cur_left(&inside) : 8;
        m->address = size ? tk_load_le(inside.p, size) : 0;
        m->removed = m->address == 0 || m->address >= (size == 4 ? UINT32_MAX - 1u : UINT64_MAX - 1);
        break;
    default:
        break;
    }
}

static void advance(struct machine *m, uint64_t steps)
{
    m->address += steps * m->l->least_length;
}

static uint64_t const_steps(const struct tk_dw_lines *l)
{
    return l->line_range ? (255u - l->opcode_base) / l->line_range : 0;
}

static void standard(struct machine *m, struct tk_cur *cur, uint8_t opcode)
{
    switch (opcode) {
    case DW_LNS_extended:
        extended(m, cur);
        break;
    case DW_LNS_copy:
        emit(m);
        break;
    case DW_LNS_advance_pc:
        advance(m, tk_varint(cur, "line"));
        break;
    case DW_LNS_advance_line:
        m->line += (uint64_t)signed_varint(cur);
        break;
    case DW_LNS_set_file:
        m->file = tk_varint(cur, "line");
        break;
    case DW_LNS_const_add_pc:
        advance(m, const_steps(m->l));
        break;
    case DW_LNS_fixed_advance_pc:
        m->address += tk_u16(cur, "line");
        break;
    default:
        for (uint8_t i = 0; i < m->l->operands[opcode - 1]; i++)
            tk_varint(cur, "line");
    }
}

static void special(struct machine *m, uint8_t opcode)
{
    const struct tk_dw_lines *l = m->l;
    uint8_t v = (uint8_t)(opcode - l->opcode_base);
    if (l->line_range) {
        advance(m, v / l->line_range);
        m->line += (uint64_t)(int64_t)(l->line_base + v % l->line_range);
    }
    emit(m);
}

void tk_dw_lines_run(struct tk_dw_lines *l, const uint64_t *addresses, struct tk_dw_row *rows, size_t n)
{
    struct machine m = {.l = l, .addresses = addresses, .rows = rows, .n = n};
    struct tk_cur cur = l->program;
    begin_sequence(&m);
    if (!tk_dw_burn(l->fuel, tk_cur_left(&cur)))
        return;
    while (tk_cur_left(&cur) && tk_cur_ok(&cur)) {
        uint8_t opcode = *cur.p++;
        if (opcode >= l->opcode_base)
            special(&m, opcode);
        else
            standard(&m, &cur, opcode);
    }
}
