/*
 * The container of a PDB, "MSF 7.00".
 */
#include "symbols/files/files_in.h"
#include "symbols/files/pdb.h"

/*
 * Public symbols of a PDB: names of what has no function of its own, as assembly has not.
 */

enum { S_PUB32 = 0x110e, PUBLIC_FUNCTION = 2, HEAD = 28, MOST_BACK = 64 };

struct publics {
    const struct tk_pdb *pdb;
    struct tk_msf_bytes map; /* offsets of records, by address */
    size_t n;
};

static int open_publics(struct publics *p, const struct tk_pdb *pdb)
{
    struct tk_msf_bytes head;
    *p = (struct publics){.pdb = pdb};
    int rc = tk_msf_read(&pdb->msf, pdb->public_stream, 0, HEAD, &head);
    if (rc == 0 && head.span.n == HEAD) {
        uint32_t hash = tk_load32(head.span.p), map = tk_load32(head.span.p + 4);
        rc = tk_msf_read(&pdb->msf, pdb->public_stream, HEAD + (uint64_t)hash, map, &p->map);
        p->n = p->map.span.n / 4;
    }
    tk_msf_bytes_release(&head);
    return rc;
}

struct public
{
    uint64_t address;
    uint32_t flags;
    struct tk_msf_bytes record;
};

/* The symbol of a place of the map; its record is to be released. */
static bool public_at(const struct publics *p, size_t i, struct public *out)
{
    uint64_t at = tk_load32(p->map.span.p + i * 4);
    struct tk_msf_bytes head;
    uint16_t n = 0;
    *out = (struct public){0};
    if (tk_msf_read(&p->pdb->msf, p->pdb->record_stream, at, 2, &head) == 0 && head.span.n == 2)
        n = tk_load16(head.span.p);
    tk_msf_bytes_release(&head);
    if (n < 12 || tk_msf_read(&p->pdb->msf, p->pdb->record_stream, at + 2, n, &out->record) < 0)
        return false;
    const uint8_t *r = out->record.span.p;
    if (out->record.span.n < 12 || tk_load16(r) != S_PUB32)
        return false;
    out->flags = tk_load32(r + 2);
    return tk_pdb_address(p->pdb, tk_load16(r + 10), tk_load32(r + 6), &out->address);
}

static uint64_t address_at(const struct publics *p, size_t i)
{
    struct public one;
    uint64_t address = public_at(p, i, &one) ? one.address : 0;
    tk_msf_bytes_release(&one.record);
    return address;
}

static const struct tk_pdb_section *section_of(const struct tk_pdb *pdb, uint64_t address)
{
    for (size_t i = 0; i < pdb->sections.n; i++) {
        uint64_t at = pdb->sections.v[i].address;
        if (address >= at && address - at < pdb->sections.v[i].size)
            return &pdb->sections.v[i];
    }
    return NULL;
}

/* The nearest at or before an address in its section; of several there, a function. Outside of sections of
 * code only functions count: jumps to what is imported are none. */
static const struct tk_str *name_at(const struct publics *p, uint64_t address, struct tk_sym_answers *answers)
{
    const struct tk_pdb_section *section = section_of(p->pdb, address);
    size_t at;
    uint64_t there = 0;
    const struct tk_str *name = NULL;
    bool done = !section;
    TK_SEARCH(at, p->n, address_at(p, at) <= address);
    for (size_t back = 0; at-- > 0 && back < MOST_BACK && !done; back++) {
        struct public one;
        if (public_at(p, at, &one)) {
            const bool function = one.flags & PUBLIC_FUNCTION, further = name && one.address != there;
            const bool inside = one.address >= section->address;
            struct tk_bytes text = tk_pdb_text(one.record.span, 12);
            if (inside && !further && (section->code || function) && (!name || function)) {
                name = tk_sym_function(answers, (const char *)text.p, text.n);
                there = one.address;
                done = function;
            }
            done = done || further || !inside;
        }
        tk_msf_bytes_release(&one.record);
    }
    return name;
}

void tk_pdb_publics_resolve(const struct tk_pdb *pdb, struct tk_sym_question *questions, size_t n,
                            struct tk_sym_answers *answers)
{
    struct publics p;
    if (open_publics(&p, pdb) < 0)
        tk_sym_lose(answers, "the public symbols of a PDB are damaged");
    for (size_t i = 0; i < n && p.n; i++) {
        struct tk_sym_question *q = &questions[i];
        bool nameless = q->n == 1 && !answers->frames.v[q->first].function;
        const struct tk_str *name = q->n && !nameless ? NULL : name_at(&p, q->address, answers);
        if (name && nameless)
            answers->frames.v[q->first].function = name;
        else if (name)
            tk_sym_add(answers, q, (struct tk_sym_frame){.function = name});
    }
    tk_msf_bytes_release(&p.map);
}

/*
 * Records of types and ids of a PDB by their numbers, without reading all of them.
 */

enum { TYPES_HEAD = 56 };

int tk_pdb_types_open(struct tk_pdb_types *t, const struct tk_msf *msf, uint32_t stream)
{
    struct tk_msf_bytes head;
    *t = (struct tk_pdb_types){.msf = msf, .stream = stream};
    if (tk_msf_read(msf, stream, 0, TYPES_HEAD, &head) < 0 || head.span.n < TYPES_HEAD) {
        tk_msf_bytes_release(&head);
        return -1;
    }
    const uint8_t *p = head.span.p;
    t->records = tk_load32(p + 4);
    t->first = tk_load32(p + 8);
    t->end = tk_load32(p + 12);
    t->bytes = tk_load32(p + 16);
    uint32_t hashes = tk_load16(p + 20), at = tk_load32(p + 40), n = tk_load32(p + 44);
    tk_msf_bytes_release(&head);
    return hashes == 0xffff ? 0 : tk_msf_read(msf, hashes, at, n, &t->index);
}

/* Where the records of a number or of one before it begin. */
static uint64_t start_of(const struct tk_pdb_types *t, uint32_t number, uint32_t *from)
{
    size_t at, n = t->index.span.n / 8;
    const uint8_t *p = t->index.span.p;
    TK_SEARCH(at, n, tk_load32(p + at * 8) <= number);
    *from = at ? tk_load32(p + (at - 1) * 8) : t->first;
    return at ? tk_load32(p + (at - 1) * 8 + 4) : 0;
}

/* The index says where each 8 KB begin. */
int tk_pdb_types_record(const struct tk_pdb_types *t, uint32_t number, struct tk_msf_bytes *record)
{
    *record = (struct tk_msf_bytes){{NULL, 0}, NULL};
    if (number < t->first || number >= t->end)
        return -1;
    uint32_t from;
    uint64_t at = start_of(t, number, &from);
    for (uint32_t i = from; at + 4 <= t->bytes; i++) {
        struct tk_msf_bytes head;
        uint16_t n = 0;
        if (tk_msf_read(t->msf, t->stream, t->records + at, 2, &head) == 0 && head.span.n == 2)
            n = tk_load16(head.span.p);
        tk_msf_bytes_release(&head);
        if (n < 2)
            return -1;
        if (i == number)
            return tk_msf_read(t->msf, t->stream, t->records + at + 2, n, record);
        at += 2 + (uint64_t)n;
    }
    return -1;
}

void tk_pdb_types_release(struct tk_pdb_types *t)
{
    tk_msf_bytes_release(&t->index);
}

static const char magic[] = "Microsoft C/C++ MSF 7.00\r\n\x1a"
                            "DS\0\0";

enum { MOST_STREAMS = 1 << 20 };

static uint64_t blocks_of(const struct tk_msf *m, uint64_t bytes)
{
    return (bytes + m->block - 1) / m->block;
}

/* A block, or nothing. The last of a file may be cut. */
static struct tk_bytes block_at(const struct tk_msf *m, uint32_t number)
{
    uint64_t at = (uint64_t)number * m->block;
    if (at >= m->bytes.n)
        return (struct tk_bytes){NULL, 0};
    uint64_t left = m->bytes.n - at;
    return (struct tk_bytes){m->bytes.p + at, (size_t)(left < m->block ? left : m->block)};
}

/* Blocks that stand one behind the other are one run. Is what a list says one, of n bytes from `at` on? */
static const uint8_t *run_of(const struct tk_msf *m, const uint8_t *list, uint64_t at, uint64_t n)
{
    uint64_t first = at / m->block, last = (at + n - 1) / m->block;
    uint32_t from = tk_load32(list + first * 4);
    for (uint64_t i = first + 1; i <= last; i++)
        if (tk_load32(list + i * 4) != from + (i - first))
            return NULL;
    return tk_sym_slice(m->bytes, (uint64_t)from * m->block + at % m->block, n).p;
}

static int copy_run(const struct tk_msf *m, const uint8_t *list, uint64_t at, uint64_t n, uint8_t *to)
{
    for (uint64_t done = 0, part; done < n; done += part) {
        uint64_t inside = (at + done) % m->block;
        struct tk_bytes block = block_at(m, tk_load32(list + (at + done) / m->block * 4));
        part = m->block - inside < n - done ? m->block - inside : n - done;
        if (!block.p || inside + part > block.n)
            return -1;
        memcpy(to + done, block.p + inside, (size_t)part);
    }
    return 0;
}

static int read_directory(struct tk_msf *m, uint64_t n, uint32_t map_block)
{
    uint64_t n_blocks = blocks_of(m, n);
    struct tk_bytes map = tk_sym_slice(m->bytes, (uint64_t)map_block * m->block, n_blocks * 4);
    if (!map.p || n > m->bytes.n || n < 4)
        return -1;
    m->directory = malloc((size_t)n);
    m->n_directory = n;
    return m->directory ? copy_run(m, map.p, 0, n, m->directory) : -1;
}

static int list_streams(struct tk_msf *m)
{
    m->n_streams = tk_load32(m->directory);
    if (m->n_streams > MOST_STREAMS || 4 + (uint64_t)m->n_streams * 4 > m->n_directory)
        return -1;
    m->blocks_at = malloc((m->n_streams + (size_t)1) * sizeof *m->blocks_at);
    if (!m->blocks_at)
        return -1;
    uint64_t at = 4 + (uint64_t)m->n_streams * 4;
    for (uint32_t i = 0; i < m->n_streams; i++) {
        m->blocks_at[i] = at;
        at += blocks_of(m, tk_msf_size(m, i)) * 4;
        if (at > m->n_directory)
            return -1;
    }
    return 0;
}

int tk_msf_open(struct tk_msf *m, struct tk_bytes bytes, const char **why)
{
    *m = (struct tk_msf){.bytes = bytes};
    *why = "not a PDB";
    if (bytes.n < 56 || memcmp(bytes.p, magic, 32) != 0)
        return -1;
    m->block = tk_load32(bytes.p + 32);
    *why = "a broken PDB";
    if (m->block < 512 || m->block > 1 << 16 || (m->block & (m->block - 1)) != 0)
        return -1;
    if (read_directory(m, tk_load32(bytes.p + 44), tk_load32(bytes.p + 52)) < 0 || list_streams(m) < 0)
        return -1;
    *why = NULL;
    return 0;
}

uint64_t tk_msf_size(const struct tk_msf *m, uint32_t stream)
{
    if (stream >= m->n_streams)
        return 0;
    uint32_t n = tk_load32(m->directory + 4 + (size_t)stream * 4);
    return n == UINT32_MAX ? 0 : n;
}

int tk_msf_read(const struct tk_msf *m, uint32_t stream, uint64_t at, uint64_t n, struct tk_msf_bytes *out)
{
    uint64_t size = tk_msf_size(m, stream);
    *out = (struct tk_msf_bytes){{NULL, 0}, NULL};
    if (at >= size)
        return 0;
    n = n < size - at ? n : size - at;
    if (!n || n > m->bytes.n)
        return n ? -1 : 0;
    tk_sym_file_touch(m->file, n);
    const uint8_t *list = m->directory + m->blocks_at[stream];
    const uint8_t *run = run_of(m, list, at, n);
    if (run) {
        out->span = (struct tk_bytes){run, (size_t)n};
        return 0;
    }
    out->copy = malloc((size_t)n);
    if (!out->copy || copy_run(m, list, at, n, out->copy) < 0) {
        tk_msf_bytes_release(out);
        return -1;
    }
    out->span = (struct tk_bytes){out->copy, (size_t)n};
    return 0;
}

void tk_msf_release(struct tk_msf *m)
{
    free(m->directory);
    free(m->blocks_at);
    *m = (struct tk_msf){0};
}
