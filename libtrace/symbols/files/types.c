/*
 * Records of types and ids of a PDB by their numbers, without reading all of them. See pdb_internal.h.
 */
#include "symbols/files/pdb_internal.h"

enum { HEAD = 56 };

int tk_pdb_types_open(struct tk_pdb_types *t, const struct tk_msf *msf, uint32_t stream)
{
    struct tk_msf_bytes head;
    *t = (struct tk_pdb_types){.msf = msf, .stream = stream};
    if (tk_msf_read(msf, stream, 0, HEAD, &head) < 0 || head.span.n < HEAD) {
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
