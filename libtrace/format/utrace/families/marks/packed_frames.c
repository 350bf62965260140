/*
 * Byte codes of callstacks. See packed_frames.h.
 */
#include "format/utrace/families/marks/packed_frames.h"

/* u8 leading zero bits of the XOR with the one before, then its other bytes, the least significant first. */
bool tk_ut_frame_xor(struct tk_bytes bytes, size_t *at, uint64_t previous, uint64_t *address)
{
    unsigned zeros = bytes.p[(*at)++];
    if (zeros > 64)
        return false;
    size_t n = (64 - zeros + 7) / 8;
    if (bytes.n - *at < n)
        return false;
    *address = previous ^ tk_load_le(bytes.p + *at, n);
    *at += n;
    return true;
}

static uint64_t undo_zigzag(uint64_t z)
{
    return (z >> 1) ^ (0 - (z & 1));
}

/* The difference, zigzag, seven bits a byte, the lowest first. */
bool tk_ut_frame_7bit(struct tk_bytes bytes, size_t *at, uint64_t previous, uint64_t *address)
{
    uint64_t z = 0;
    for (unsigned shift = 0; shift < 70 && *at < bytes.n; shift += 7) {
        uint8_t byte = bytes.p[(*at)++];
        if (shift == 63 && byte > 1)
            return false;
        z |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *address = previous + undo_zigzag(z);
            return true;
        }
    }
    return false;
}

/* The difference, zigzag; as many leading ones in the first byte as bytes follow it, the highest first. */
bool tk_ut_frame_varint(struct tk_bytes bytes, size_t *at, uint64_t previous, uint64_t *address)
{
    uint8_t first = bytes.p[(*at)++];
    unsigned more = 0;
    while (more < 8 && first & 0x80 >> more)
        more++;
    if (bytes.n - *at < more)
        return false;
    uint64_t z = more < 7 ? first & 0x7fu >> more : 0;
    for (unsigned i = 0; i < more; i++)
        z = z << 8 | bytes.p[(*at)++];
    *address = previous + undo_zigzag(z);
    return true;
}

void tk_ut_frames_unpack(struct tk_ut_frames *out, struct tk_bytes bytes, tk_ut_frame_code *code)
{
    uint64_t address = 0;
    out->n = 0;
    out->damaged = out->cut = false;
    for (size_t at = 0; at < bytes.n;) {
        if (out->n == TK_UT_MOST_FRAMES) {
            out->cut = true;
            return;
        }
        if (!code(bytes, &at, address, &address)) {
            out->damaged = true;
            return;
        }
        out->v[out->n++] = address;
    }
}
