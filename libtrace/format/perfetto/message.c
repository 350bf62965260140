/*
 * Walking over messages of protobuf; see message.h.
 */
#include "format/perfetto/message.h"

int tk_pf_any_varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (*p == end)
            return 0;
        uint8_t b = *(*p)++;
        if (shift < 64)
            value |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            *out = value;
            return 1;
        }
    }
    return -1;
}

static int fixed(struct tk_pf_message *m, unsigned n, uint64_t *out)
{
    *out = 0;
    if ((size_t)(m->end - m->p) < n)
        return -1;
    for (unsigned i = 0; i < n; i++)
        *out |= (uint64_t)m->p[i] << (8 * i);
    m->p += n;
    return 1;
}

int tk_pf_any_field(struct tk_pf_message *m, struct tk_pf_field *out)
{
    uint64_t tag, n;
    if (m->p == m->end)
        return 0;
    if (tk_pf_varint(&m->p, m->end, &tag) != 1 || tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
        return -1;
    out->number = (uint32_t)(tag >> 3);
    out->wire = tag & 7;
    out->bytes = (struct tk_bytes){m->p, 0};
    switch (out->wire) {
    case TK_PF_VARINT:
        return tk_pf_varint(&m->p, m->end, &out->value) == 1 ? 1 : -1;
    case TK_PF_FIXED64:
        return fixed(m, 8, &out->value);
    case TK_PF_FIXED32:
        return fixed(m, 4, &out->value);
    case TK_PF_BYTES:
        if (tk_pf_varint(&m->p, m->end, &n) != 1 || n > (size_t)(m->end - m->p))
            return -1;
        out->value = 0;
        out->bytes = (struct tk_bytes){m->p, (size_t)n};
        m->p += n;
        return 1;
    default:
        return -1;
    }
}

int tk_pf_number(const struct tk_pf_field *f, uint8_t wire, const uint8_t **at, uint64_t *out)
{
    if (f->wire != TK_PF_BYTES) {
        *out = f->value;
        return *at ? 0 : (*at = f->bytes.p, 1);
    }
    struct tk_pf_message m = {*at ? *at : f->bytes.p, f->bytes.p + f->bytes.n};
    if (m.p == m.end)
        return 0;
    int rc = wire == TK_PF_FIXED64 ? fixed(&m, 8, out) : tk_pf_varint(&m.p, m.end, out);
    *at = m.p;
    return rc == 1 ? 1 : -1;
}
