/*
 * A module of a PDB: its procedures, its inlined calls and its lines.
 */
#include "symbols/files/files_in.h"
#include "symbols/files/symbol_file.h"

enum {
    S_LPROC32 = 0x110f,
    S_GPROC32 = 0x1110,
    S_LPROC32_ID = 0x1146,
    S_GPROC32_ID = 0x1147,
    S_INLINESITE = 0x114d,
    S_INLINESITE_END = 0x114e,
    S_INLINESITE2 = 0x115d,
    DEBUG_S_LINES = 0xf2,
    DEBUG_S_FILECHKSMS = 0xf4,
    DEBUG_S_INLINEELINES = 0xf6
};

static bool is_procedure(uint16_t kind)
{
    return kind == S_LPROC32 || kind == S_GPROC32 || kind == S_LPROC32_ID || kind == S_GPROC32_ID;
}

static size_t from_address(const struct tk_pdb_reading *r, uint64_t address)
{
    size_t at;
    TK_SEARCH(at, r->n, r->questions[at]->address < address);
    return at;
}

/* ---- subsections ---- */

static int take_inlinees(struct tk_pdb_reading *r, struct tk_bytes data)
{
    struct tk_cur cur = tk_cur_of(data.p, data.n);
    bool extra = tk_u32(&cur, "inlinees") != 0;
    while (tk_cur_left(&cur) >= 12) {
        uint32_t id = tk_u32(&cur, "inlinee");
        struct tk_pdb_source source = {.file = tk_u32(&cur, "inlinee"), .line = tk_u32(&cur, "inlinee")};
        if (extra)
            tk_take(&cur, (size_t)tk_u32(&cur, "inlinee") * 4, "inlinee");
        /* functions of several sources that are optimised as one may have equal ids: the first counts */
        if (tk_map_get(&r->inlinee_index, id) != TK_MAP_NONE)
            continue;
        if (r->inlinees.n >= TK_MAP_NONE - 1 || tk_vec_push(&r->inlinees, source) ||
            tk_map_put(&r->inlinee_index, id, (uint32_t)r->inlinees.n - 1))
            return -1;
    }
    return 0;
}

/* Two lines of the format stand for code that debuggers step over or into. */
static uint32_t real_line(uint32_t line)
{
    return line == 0xfeefee || line == 0xf00f00 ? 0 : line;
}

static int take_block(struct tk_pdb_reading *r, uint64_t base, uint64_t end, const uint8_t *p,
                      struct tk_bytes rows, uint32_t n)
{
    uint32_t file = tk_load32(p);
    for (uint32_t i = 0; i < n && (uint64_t)(i + 1) * 8 <= rows.n; i++) {
        struct tk_pdb_row row = {
            .address = base + tk_load32(rows.p + (size_t)i * 8),
            .end = end,
            .source = {file, real_line(tk_load32(rows.p + (size_t)i * 8 + 4) & 0xffffff)}};
        if (tk_vec_push(&r->rows, row))
            return -1;
    }
    return 0;
}

/* Lines of a part of a section, where a question is in it. */
static int take_lines(struct tk_pdb_reading *r, struct tk_bytes data)
{
    uint64_t base;
    if (data.n < 12 || !tk_pdb_address(r->pdb, tk_load16(data.p + 4), tk_load32(data.p), &base))
        return 0;
    uint64_t end = base + tk_load32(data.p + 8);
    size_t q = from_address(r, base);
    if (q >= r->n || r->questions[q]->address >= end)
        return 0;
    for (size_t at = 12; at + 12 <= data.n;) {
        uint32_t n = tk_load32(data.p + at + 4), bytes = tk_load32(data.p + at + 8);
        if (bytes < 12 || bytes > data.n - at)
            return 0;
        if (take_block(r, base, end, data.p + at, (struct tk_bytes){data.p + at + 12, bytes - 12}, n) < 0)
            return -1;
        at += bytes;
    }
    return 0;
}

static int take_subsection(struct tk_pdb_reading *r, uint32_t kind, struct tk_bytes data)
{
    if (kind == DEBUG_S_FILECHKSMS)
        r->checksums = data;
    return kind == DEBUG_S_LINES          ? take_lines(r, data)
           : kind == DEBUG_S_INLINEELINES ? take_inlinees(r, data)
                                          : 0;
}

static int by_address(const void *a, const void *b)
{
    const struct tk_pdb_row *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int read_subsections(struct tk_pdb_reading *r, struct tk_bytes all)
{
    for (uint64_t at = 0; at + 8 <= all.n;) {
        uint32_t kind = tk_load32(all.p + at), n = tk_load32(all.p + at + 4);
        struct tk_bytes data = tk_sym_slice(all, at + 8, n);
        if (!data.p && n)
            return -1;
        if (take_subsection(r, kind, data) < 0)
            return -1;
        at += 8 + (((uint64_t)n + 3) & ~UINT64_C(3));
    }
    for (size_t i = 0; i < r->rows.n; i++)
        r->rows.v[i].order = i;
    if (r->rows.n)
        qsort(r->rows.v, r->rows.n, sizeof *r->rows.v, by_address);
    return 0;
}

/* The row that an address is in. */
static struct tk_pdb_source source_of(const struct tk_pdb_reading *r, uint64_t address)
{
    size_t at;
    TK_SEARCH(at, r->rows.n, r->rows.v[at].address <= address);
    if (!at || address >= r->rows.v[at - 1].end)
        return (struct tk_pdb_source){UINT32_MAX, 0};
    return r->rows.v[at - 1].source;
}

/* ---- procedures ---- */

static void answer_procedure(struct tk_pdb_reading *r, struct tk_bytes name)
{
    struct tk_sym_answers *answers = r->names->answers;
    const struct tk_str *function = tk_sym_function(answers, (const char *)name.p, name.n);
    for (size_t i = r->first; i < r->first + r->n_inside; i++) {
        struct tk_sym_question *q = r->questions[i];
        if (q->n)
            continue;
        tk_pdb_sites_answer(r, i);
        struct tk_pdb_source source = source_of(r, q->address);
        tk_sym_add(answers, q,
                   (struct tk_sym_frame){function, tk_pdb_file_name(r->names, r->checksums, source.file),
                                         source.line});
    }
}

static void close_procedure(struct tk_pdb_reading *r, struct tk_bytes *name)
{
    if (r->n_inside)
        answer_procedure(r, *name);
    r->n_inside = 0;
    r->depth = 0;
    r->hits.n = 0;
}

/* A procedure begins; *next is set behind its end where nothing in it is requested. */
static void open_procedure(struct tk_pdb_reading *r, struct tk_bytes *name, struct tk_bytes record,
                           uint64_t *next, uint64_t end)
{
    if (record.n < 37 ||
        !tk_pdb_address(r->pdb, tk_load16(record.p + 34), tk_load32(record.p + 30), &r->base))
        return;
    uint64_t after = r->base + tk_load32(record.p + 14), skip = tk_load32(record.p + 6);
    r->first = from_address(r, r->base);
    for (; r->first + r->n_inside < r->n && r->questions[r->first + r->n_inside]->address < after;
         r->n_inside++)
        r->innermost[r->first + r->n_inside] = UINT32_MAX;
    *name = tk_pdb_text(record, 37);
    if (!r->n_inside && skip > *next && skip < end)
        *next = skip;
}

static int take_record(struct tk_pdb_reading *r, struct tk_bytes *name, struct tk_bytes record,
                       uint64_t *next, uint64_t end)
{
    uint16_t kind = tk_load16(record.p);
    if (is_procedure(kind)) {
        close_procedure(r, name);
        open_procedure(r, name, record, next, end);
    } else if (r->n_inside && (kind == S_INLINESITE || kind == S_INLINESITE2)) {
        return tk_pdb_site_open(r, record, kind == S_INLINESITE ? 14 : 18);
    } else if (kind == S_INLINESITE_END && r->depth) {
        r->depth--;
    }
    return 0;
}

static int read_symbols(struct tk_pdb_reading *r, struct tk_bytes all)
{
    struct tk_bytes name = {NULL, 0};
    r->innermost = malloc((r->n + 1) * sizeof *r->innermost);
    if (!r->innermost)
        return -1;
    for (uint64_t at = 4, next; at + 4 <= all.n; at = next) {
        uint16_t n = tk_load16(all.p + at);
        struct tk_bytes record = tk_sym_slice(all, at + 2, n);
        if (!record.p || n < 2)
            return -1;
        next = at + 2 + n;
        if (take_record(r, &name, record, &next, all.n) < 0)
            return -1;
    }
    close_procedure(r, &name);
    return 0;
}

/* Addresses that have lines and no procedure. */
static void answer_rest(struct tk_pdb_reading *r)
{
    for (size_t i = 0; i < r->n; i++) {
        struct tk_pdb_source source = source_of(r, r->questions[i]->address);
        if (!r->questions[i]->n && source.line)
            tk_sym_add(r->names->answers, r->questions[i],
                       (struct tk_sym_frame){NULL, tk_pdb_file_name(r->names, r->checksums, source.file),
                                             source.line});
    }
}

void tk_pdb_module_resolve(const struct tk_pdb *pdb, const struct tk_pdb_module *module,
                           struct tk_pdb_names *names, struct tk_sym_question *const *questions, size_t n)
{
    struct tk_pdb_reading r = {.pdb = pdb, .names = names, .questions = questions, .n = n};
    struct tk_msf_bytes stream = {{NULL, 0}, NULL};
    uint64_t lines = (uint64_t)module->symbols + module->old_lines;
    int rc = module->stream == 0xffff
                 ? 0
                 : tk_msf_read(&pdb->msf, module->stream, 0, lines + module->lines, &stream);
    if (rc == 0 && stream.span.n) {
        rc = read_subsections(&r, tk_sym_slice(stream.span, lines, module->lines));
        if (read_symbols(&r, tk_sym_slice(stream.span, 0, module->symbols)) < 0)
            rc = -1;
        answer_rest(&r);
    }
    if (rc < 0)
        tk_sym_lose(names->answers, "a module of a PDB is damaged");
    tk_pdb_reading_release(&r);
    tk_msf_bytes_release(&stream);
}
