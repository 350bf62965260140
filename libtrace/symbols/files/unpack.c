/*
 * Compressed sections of ELF files: zlib and Zstandard behind the header of ELF, zlib behind that of old GNU
 * tools. Images call it for a section that is asked for. (symbols 3.3)
 */
#include "symbols/files/image_internal.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define MOST_UNPACKED (UINT64_C(4) << 30)

/* What all sections of a file may be together: so many times its size, and this. Those of compilers are a
 * tenth of that. */
#define MOST_RATIO 32u
#define MOST_MORE  (UINT64_C(64) << 20)

enum { PACKED_ZLIB = 1, PACKED_ZSTD = 2 };

struct packed {
    struct tk_bytes data;
    uint64_t size; /* as it says */
    uint32_t type;
};

static int read_head(struct packed *p, const struct tk_section *section, struct tk_bytes stored, bool wide)
{
    struct tk_cur cur = tk_cur_of(stored.p, stored.n);
    if (section->packed_gnu) {
        const uint8_t *head = tk_take(&cur, 12, "header");
        if (!head || memcmp(head, "ZLIB", 4) != 0)
            return -1;
        for (unsigned i = 4; i < 12; i++)
            p->size = p->size << 8 | head[i];
        p->type = PACKED_ZLIB;
    } else {
        p->type = tk_u32(&cur, "header");
        if (wide)
            tk_u32(&cur, "header");
        p->size = wide ? tk_u64(&cur, "header") : tk_u32(&cur, "header");
        tk_take(&cur, wide ? 8 : 4, "header");
    }
    p->data = (struct tk_bytes){cur.p, tk_cur_left(&cur)};
    return tk_cur_ok(&cur) ? 0 : -1;
}

static bool unpack_zlib(uint8_t *to, size_t n, struct tk_bytes data)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data.p, .next_out = to};
    size_t in = data.n, out = n;
    int rc = inflateInit(&z);
    while (rc == Z_OK) {
        uInt give = (uInt)(in < UINT32_MAX ? in : UINT32_MAX),
             room = (uInt)(out < UINT32_MAX ? out : UINT32_MAX);
        z.avail_in = give;
        z.avail_out = room;
        rc = inflate(&z, Z_NO_FLUSH);
        in -= give - z.avail_in;
        out -= room - z.avail_out;
    }
    inflateEnd(&z);
    return rc == Z_STREAM_END && out == 0;
}

static bool unpack_zstd(uint8_t *to, size_t n, struct tk_bytes data)
{
    size_t got = ZSTD_decompress(to, n, data.p, data.n);
    return !ZSTD_isError(got) && got == n;
}

static bool has_room(const struct tk_image *image, uint64_t size)
{
    const uint64_t most = MOST_RATIO * (uint64_t)image->bytes.n + MOST_MORE;
    return size <= MOST_UNPACKED && image->unpacked <= most && size <= most - image->unpacked;
}

int tk_section_unpack(struct tk_image *image, struct tk_section *section, struct tk_bytes stored,
                      const char **why)
{
    struct packed p = {0};
    *why = "a compressed section is damaged";
    if (read_head(&p, section, stored, image->wide) < 0 || (p.type != PACKED_ZLIB && p.type != PACKED_ZSTD))
        return -1;
    if (!has_room(image, p.size)) {
        *why = "a compressed section is much too large for its file";
        return -1;
    }
    uint8_t *out = malloc(p.size ? (size_t)p.size : 1);
    bool done = out && (p.type == PACKED_ZLIB ? unpack_zlib : unpack_zstd)(out, (size_t)p.size, p.data);
    if (!done) {
        free(out);
        return -1;
    }
    section->unpacked = out;
    section->n_unpacked = p.size;
    image->unpacked += p.size;
    *why = NULL;
    return 0;
}
