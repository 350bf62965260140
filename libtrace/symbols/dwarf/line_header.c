/*
 * Headers of line programs of DWARF 2 to 5: folders and files. See lines.h.
 */
#include "symbols/dwarf/lines.h"
#include "symbols/files/source_path.h"
#include "symbols/files/symbol_file.h"

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
