/*
 * Line programs of DWARF: rows of addresses, files and lines.
 */
#include "base/sort.h"
#include "symbols/dwarf/dwarf_in.h"
#include "symbols/files/symbol_file.h"

/*
 * Headers of line programs of DWARF 2 to 5: folders and files.
 */

enum { DW_LNCT_path = 1, DW_LNCT_directory_index = 2, MOST_FORMATS = 64, MOST_ENTRIES = 1 << 20 };

static int read_start(struct tk_dw_lines *l, struct tk_cur *cur, struct tk_cur *head)
{
    uint64_t n = tk_u32(cur, "length");
    l->offset_size = n == UINT32_MAX ? 8 : 4;
    if (l->offset_size == 8)
        n = tk_u64(cur, "length");
    if (n > tk_cur_left(cur))
        return -1;
    struct tk_cur unit = tk_sub(cur, (size_t)n, "line program");
    l->version = tk_u16(&unit, "version");
    if (l->version < 2 || l->version > 5)
        return -1;
    if (l->version >= 5) {
        l->address_size = tk_u8(&unit, "address size");
        tk_u8(&unit, "segment size");
    }
    n = l->offset_size == 8 ? tk_u64(&unit, "length") : tk_u32(&unit, "length");
    if (n > tk_cur_left(&unit))
        return -1;
    *head = tk_sub(&unit, (size_t)n, "header");
    l->program = unit;
    l->least_length = tk_u8(head, "header");
    if (l->version >= 4)
        tk_u8(head, "header"); /* instructions in one word: of machines that are not supported */
    tk_u8(head, "header");
    l->line_base = (int8_t)tk_u8(head, "header");
    l->line_range = tk_u8(head, "header");
    l->opcode_base = tk_u8(head, "header");
    l->operands = tk_take(head, l->opcode_base ? l->opcode_base - 1u : 0, "header");
    return tk_cur_ok(head) && l->operands && l->opcode_base ? 0 : -1;
}

static struct tk_bytes take_text(struct tk_cur *cur)
{
    size_t n = tk_sym_text_length(cur->p, tk_cur_left(cur));
    struct tk_bytes text = {cur->p, n};
    tk_take(cur, n + 1, "name");
    return text;
}

/* Tables up to version 4: texts up to an empty one. Both begin with 1; a folder 0 is that of the unit. */
static int read_old_tables(struct tk_dw_lines *l, struct tk_cur *head)
{
    if (tk_vec_push(&l->folders, l->unit_folder) || tk_vec_push(&l->files, (struct tk_dw_file){0}))
        return -1;
    for (struct tk_bytes text; (text = take_text(head)).n && tk_cur_ok(head);)
        if (tk_vec_push(&l->folders, text))
            return -1;
    for (struct tk_bytes text; (text = take_text(head)).n && tk_cur_ok(head);) {
        struct tk_dw_file file = {.name = text, .folder = tk_varint(head, "folder")};
        tk_varint(head, "time");
        tk_varint(head, "size");
        if (tk_vec_push(&l->files, file))
            return -1;
    }
    return tk_cur_ok(head) ? 0 : -1;
}

struct formats {
    struct tk_dw_attr v[MOST_FORMATS];
    uint32_t n;
};

static int read_formats(struct formats *f, struct tk_cur *head)
{
    f->n = tk_u8(head, "formats");
    if (f->n > MOST_FORMATS)
        return -1;
    for (uint32_t i = 0; i < f->n; i++) {
        uint64_t name = tk_varint(head, "format"), form = tk_varint(head, "format");
        f->v[i] = (struct tk_dw_attr){.name = name > UINT16_MAX ? UINT16_MAX : (uint16_t)name,
                                      .form = form > UINT16_MAX ? UINT16_MAX : (uint16_t)form};
    }
    return tk_cur_ok(head) ? 0 : -1;
}

static struct tk_dw_file read_entry(const struct tk_dw_unit *text_unit, const struct formats *f,
                                    struct tk_cur *head)
{
    struct tk_dw_file file = {0};
    for (uint32_t i = 0; i < f->n; i++) {
        struct tk_dw_value value;
        tk_dw_read(text_unit, head, &f->v[i], &value);
        if (f->v[i].name == DW_LNCT_path)
            file.name = tk_dw_text(text_unit, &value);
        else if (f->v[i].name == DW_LNCT_directory_index)
            file.folder = value.u;
    }
    return file;
}

static int read_new_tables(struct tk_dw_lines *l, const struct tk_dw_unit *text_unit, struct tk_cur *head)
{
    struct formats f;
    if (read_formats(&f, head) < 0)
        return -1;
    uint64_t n = tk_varint(head, "folders");
    for (uint64_t i = 0; i < n && f.n && tk_cur_ok(head); i++)
        if (i >= MOST_ENTRIES || tk_vec_push(&l->folders, read_entry(text_unit, &f, head).name))
            return -1;
    if (read_formats(&f, head) < 0)
        return -1;
    n = tk_varint(head, "files");
    for (uint64_t i = 0; i < n && f.n && tk_cur_ok(head); i++)
        if (i >= MOST_ENTRIES || tk_vec_push(&l->files, read_entry(text_unit, &f, head)))
            return -1;
    return tk_cur_ok(head) ? 0 : -1;
}

int tk_dw_lines_open(struct tk_dw_lines *l, const struct tk_dw_unit *unit)
{
    const struct tk_dwarf_sections *s = unit->lines;
    *l = (struct tk_dw_lines){
        .unit_folder = unit->folder, .address_size = unit->address_size, .fuel = unit->fuel};
    if (unit->line_at >= s->line.n)
        return -1;
    struct tk_cur cur = tk_cur_of(s->line.p + unit->line_at, s->line.n - (size_t)unit->line_at), head;
    if (read_start(l, &cur, &head) < 0 || !tk_dw_burn(l->fuel, tk_cur_left(&head)))
        return -1;
    struct tk_dw_unit text_unit = *unit;
    text_unit.s = s;
    text_unit.offset_size = l->offset_size;
    return l->version >= 5 ? read_new_tables(l, &text_unit, &head) : read_old_tables(l, &head);
}

const struct tk_str *tk_dw_lines_path(struct tk_dw_lines *l, uint64_t number, struct tk_sym_answers *answers)
{
    struct tk_sym_path path = {.n = 0};
    if (number >= l->files.n || !l->files.v[number].name.n)
        return NULL;
    struct tk_dw_file *file = &l->files.v[number];
    if (file->path)
        return file->path;
    tk_sym_path_add(&path, l->unit_folder);
    if (file->folder < l->folders.n)
        tk_sym_path_add(&path, l->folders.v[file->folder]);
    tk_sym_path_add(&path, file->name);
    file->path = tk_sym_text(answers, path.text, path.n);
    return file->path;
}

void tk_dw_lines_release(struct tk_dw_lines *l)
{
    tk_vec_release(&l->folders);
    tk_vec_release(&l->files);
}

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
