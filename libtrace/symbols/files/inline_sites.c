/*
 * The notes of inlined calls in a PDB.
 */
#include "symbols/files/files_in.h"

enum note {
    NOTE_END,
    NOTE_CODE,
    NOTE_CODE_BASE,
    NOTE_MOVE_CODE,
    NOTE_CODE_LENGTH,
    NOTE_FILE,
    NOTE_MOVE_LINE,
    NOTE_MOVE_BOTH = 11,
    NOTE_LENGTH_AND_CODE = 12
};

/* Numbers of one, two or four bytes. */
static uint32_t take_number(struct tk_cur *cur)
{
    uint8_t a = tk_u8(cur, "note");
    if (a < 0x80)
        return a;
    if (a < 0xc0)
        return (uint32_t)(a & 0x3f) << 8 | tk_u8(cur, "note");
    uint32_t v = (uint32_t)(a & 0x1f) << 8 | tk_u8(cur, "note");
    v = v << 8 | tk_u8(cur, "note");
    return v << 8 | tk_u8(cur, "note");
}

static uint32_t signed_of(uint32_t v)
{
    return v & 1 ? 0u - (v >> 1) : v >> 1;
}

struct notes {
    struct tk_pdb_reading *r;
    struct tk_pdb_source source;
    uint64_t code, base;
    bool open; /* the last range has no length yet */
    bool failed;
};

static void end_range(struct notes *s, uint64_t end)
{
    struct tk_pdb_range *last = s->r->ranges.n ? &s->r->ranges.v[s->r->ranges.n - 1] : NULL;
    if (last)
        last->end = end > last->from ? end : last->from;
    s->open = false;
}

static void begin_range(struct notes *s)
{
    struct tk_pdb_range range = {
        .from = s->base + s->code, .end = s->base + s->code + 1, .source = s->source};
    if (s->open)
        end_range(s, range.from);
    if (tk_vec_push(&s->r->ranges, range)) {
        s->failed = true;
        return;
    }
    s->open = true;
}

static void take_note(struct notes *s, uint32_t kind, struct tk_cur *cur)
{
    uint32_t v = take_number(cur);
    switch (kind) {
    case NOTE_CODE:
        s->code = v;
        begin_range(s);
        break;
    case NOTE_CODE_BASE:
        s->base = v;
        break;
    case NOTE_MOVE_CODE:
        s->code += v;
        begin_range(s);
        break;
    case NOTE_CODE_LENGTH:
        end_range(s, s->r->ranges.n ? s->r->ranges.v[s->r->ranges.n - 1].from + v : 0);
        s->code += v;
        break;
    case NOTE_FILE:
        s->source.file = v;
        break;
    case NOTE_MOVE_LINE:
        s->source.line += signed_of(v);
        break;
    case NOTE_MOVE_BOTH:
        s->source.line += signed_of(v >> 4);
        s->code += v & 15;
        begin_range(s);
        break;
    case NOTE_LENGTH_AND_CODE:
        s->code += take_number(cur);
        begin_range(s);
        end_range(s, s->base + s->code + v);
        s->code += v;
        break;
    default: /* columns and ends of lines */
        break;
    }
}

/* A range holds the questions in it that no inlined call of the same depth holds already. */
static int mark(struct tk_pdb_reading *r, const struct tk_pdb_range *range, uint32_t function, uint32_t depth)
{
    size_t at, end = r->first + r->n_inside;
    TK_SEARCH(at, r->n_inside, r->questions[r->first + at]->address - r->base < range->from);
    for (at += r->first; at < end && r->questions[at]->address - r->base < range->end; at++) {
        uint32_t around = r->innermost[at];
        if (around != UINT32_MAX && r->hits.v[around].depth >= depth)
            continue;
        struct tk_pdb_hit hit = {function, depth, around, range->source};
        if (r->hits.n >= UINT32_MAX || tk_vec_push(&r->hits, hit))
            return -1;
        r->innermost[at] = (uint32_t)(r->hits.n - 1);
    }
    return 0;
}

int tk_pdb_site_open(struct tk_pdb_reading *r, struct tk_bytes record, size_t notes)
{
    if (record.n < notes || r->depth >= TK_PDB_MOST_DEPTH)
        return -1;
    uint32_t function = tk_load32(record.p + 10), depth = r->depth++;
    uint32_t at = tk_map_get(&r->inlinee_index, function);
    struct notes s = {.r = r, .source = {UINT32_MAX, 0}};
    if (at != TK_MAP_NONE)
        s.source = r->inlinees.v[at];
    r->ranges.n = 0;
    struct tk_cur cur = tk_cur_of(record.p + notes, record.n - notes);
    for (uint32_t kind; tk_cur_left(&cur) && (kind = take_number(&cur)) != NOTE_END && tk_cur_ok(&cur);)
        take_note(&s, kind, &cur);
    int rc = s.failed ? -1 : 0;
    for (size_t i = 0; i < r->ranges.n && rc == 0; i++)
        rc = mark(r, &r->ranges.v[i], function, depth);
    return rc;
}

void tk_pdb_sites_answer(struct tk_pdb_reading *r, size_t i)
{
    for (uint32_t at = r->innermost[i]; at != UINT32_MAX; at = r->hits.v[at].around) {
        const struct tk_pdb_hit *hit = &r->hits.v[at];
        tk_sym_add(r->names->answers, r->questions[i],
                   (struct tk_sym_frame){tk_pdb_function_name(r->names, hit->function),
                                         tk_pdb_file_name(r->names, r->checksums, hit->source.file),
                                         hit->source.line});
    }
}

void tk_pdb_reading_release(struct tk_pdb_reading *r)
{
    tk_vec_release(&r->inlinees);
    tk_map_release(&r->inlinee_index);
    tk_vec_release(&r->rows);
    tk_vec_release(&r->ranges);
    tk_vec_release(&r->hits);
    free(r->innermost);
}
