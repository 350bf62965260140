/*
 * Public symbols of a PDB: names of what has no function of its own, as assembly has not. See pdb_internal.h.
 */
#include "symbols/files/pdb_internal.h"

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
            const bool beside = one.address >= section->address;
            struct tk_bytes text = tk_pdb_text(one.record.span, 12);
            if (beside && !further && (section->code || function) && (!name || function)) {
                name = tk_sym_function(answers, (const char *)text.p, text.n);
                there = one.address;
                done = function;
            }
            done = done || further || !beside;
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
