/*
 * Tables of symbols.
 */
#include "symbols/files/image.h"
#include "symbols/files/symbol_file.h"

enum { STT_FUNC = 2, STT_GNU_IFUNC = 10, N_STAB = 0xe0, N_TYPE = 0x0e, N_SECT = 0x0e };

/* A function of the table; size 0: up to the next. */
struct entry {
    uint64_t address, size;
    uint32_t name;
};

typedef TK_VEC(struct entry) entry_list;

/* An entry of the table of an ELF file; false: it is no function that is there. */
static bool elf_entry(const uint8_t *p, bool wide, struct entry *e)
{
    uint8_t type = (wide ? p[4] : p[12]) & 15;
    uint16_t section = tk_load16(p + (wide ? 6 : 14));
    *e = (struct entry){.name = tk_load32(p),
                        .address = wide ? tk_load64(p + 8) : tk_load32(p + 4),
                        .size = wide ? tk_load64(p + 16) : tk_load32(p + 8)};
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && section != 0 && e->address != 0;
}

static bool macho_entry(const uint8_t *p, bool wide, struct entry *e)
{
    uint8_t type = p[4];
    *e = (struct entry){.name = tk_load32(p), .address = wide ? tk_load64(p + 8) : tk_load32(p + 8)};
    return (type & N_STAB) == 0 && (type & N_TYPE) == N_SECT;
}

static int read_entries(const struct tk_image *image, struct tk_bytes table, entry_list *out)
{
    bool elf = image->kind == TK_IMAGE_ELF;
    size_t size = elf ? (image->wide ? 24 : 16) : image->wide ? 16 : 12;
    for (size_t at = 0; at + size <= table.n; at += size) {
        struct entry e;
        if ((elf ? elf_entry : macho_entry)(table.p + at, image->wide, &e) && tk_vec_push(out, e))
            return -1;
    }
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static const struct tk_str *name_of(const struct tk_image *image, struct tk_bytes strings, uint32_t at,
                                    struct tk_sym_answers *answers)
{
    if (at >= strings.n)
        return NULL;
    const uint8_t *p = strings.p + at;
    size_t n = tk_sym_text_length(p, strings.n - at);
    if (image->kind == TK_IMAGE_MACHO && n > 1 && p[0] == '_') {
        p++;
        n--;
    }
    return tk_sym_function(answers, (const char *)p, n);
}

static bool is_open(const struct tk_sym_answers *answers, const struct tk_sym_question *q)
{
    return q->n == 0 || (q->n == 1 && !answers->frames.v[q->first].function);
}

static void answer(struct tk_sym_answers *answers, struct tk_sym_question *q, const struct tk_str *name)
{
    if (!name)
        return;
    if (q->n)
        answers->frames.v[q->first].function = name;
    else
        tk_sym_add(answers, q, (struct tk_sym_frame){.function = name});
}

/* The function that an address is in: the last that begins before it, within its size. */
static const struct entry *entry_at(const entry_list *list, uint64_t address)
{
    size_t at;
    TK_SEARCH(at, list->n, list->v[at].address <= address);
    while (at > 1 && list->v[at - 2].address == list->v[at - 1].address)
        at--;
    if (!at)
        return NULL;
    const struct entry *e = &list->v[at - 1];
    return e->size == 0 || address - e->address < e->size ? e : NULL;
}

static void resolve_with(const struct tk_image *image, struct tk_bytes table, struct tk_bytes strings,
                         struct tk_sym_question *questions, size_t n, struct tk_sym_answers *answers)
{
    entry_list list = {0};
    if (read_entries(image, table, &list))
        answers->failed = true;
    else if (list.n)
        qsort(list.v, list.n, sizeof *list.v, by_address);
    for (size_t i = 0; i < n && list.n && !answers->failed; i++) {
        const struct entry *e =
            is_open(answers, &questions[i]) ? entry_at(&list, questions[i].address) : NULL;
        if (e)
            answer(answers, &questions[i], name_of(image, strings, e->name, answers));
    }
    tk_vec_release(&list);
}

void tk_symbol_table_resolve(const struct tk_image *image, struct tk_sym_question *questions, size_t n,
                             struct tk_sym_answers *answers)
{
    const struct tk_symbol_tables *t = &image->tables;
    bool open = false;
    for (size_t i = 0; i < n && !open; i++)
        open = is_open(answers, &questions[i]);
    if (!open)
        return;
    resolve_with(image, t->symbols, t->strings, questions, n, answers);
    resolve_with(image, t->dynamic, t->dynamic_strings, questions, n, answers);
}
