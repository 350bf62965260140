/*
 * Sections of images by their names.
 */
#include "symbols/files/files_in.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/*
 * Compressed sections of ELF files: zlib and Zstandard behind the header of ELF, zlib behind that of old GNU
 * tools. Images call it for a section that is requested. (symbols 3.3)
 */

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
             capacity = (uInt)(out < UINT32_MAX ? out : UINT32_MAX);
        z.avail_in = give;
        z.avail_out = capacity;
        rc = inflate(&z, Z_NO_FLUSH);
        in -= give - z.avail_in;
        out -= capacity - z.avail_out;
    }
    inflateEnd(&z);
    return rc == Z_STREAM_END && out == 0;
}

static bool unpack_zstd(uint8_t *to, size_t n, struct tk_bytes data)
{
    size_t got = ZSTD_decompress(to, n, data.p, data.n);
    return !ZSTD_isError(got) && got == n;
}

static bool has_space(const struct tk_image *image, uint64_t size)
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
    if (!has_space(image, p.size)) {
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

/* "debug_info" of ".debug_info", "__debug_info" and ".zdebug_info". */
static size_t bare_name(const uint8_t **name, size_t n)
{
    size_t skip = n > 1 && (*name)[0] == '.' ? 1 : n > 2 && memcmp(*name, "__", 2) == 0 ? 2 : 0;
    *name += skip;
    return n - skip;
}

int tk_image_add(struct tk_image *image, const uint8_t *name, size_t n, struct tk_section section)
{
    n = bare_name(&name, n);
    if (n > 7 && memcmp(name, "zdebug_", 7) == 0) {
        section.packed_gnu = true;
        name++;
        n--;
    }
    n = n < TK_IMAGE_NAME - 1 ? n : TK_IMAGE_NAME - 1;
    if (n)
        memcpy(section.name, name, n);
    if (strcmp(section.name, "debug_str_offs") == 0) /* Mach-O has 16 characters */
        memcpy(section.name, "debug_str_offsets", sizeof "debug_str_offsets");
    return tk_vec_push(&image->sections, section);
}

static struct tk_section *find_section(const struct tk_image *image, const char *name, size_t *from)
{
    for (size_t i = *from; i < image->sections.n; i++)
        if (image->sections.v[i].stored && strcmp(image->sections.v[i].name, name) == 0) {
            *from = i + 1;
            return &image->sections.v[i];
        }
    return NULL;
}

struct tk_bytes tk_image_section_from(struct tk_image *image, const char *name, size_t *from,
                                      const char **why)
{
    struct tk_section *section = find_section(image, name, from);
    const struct tk_bytes none = {NULL, 0};
    if (!section)
        return none;
    struct tk_bytes stored = tk_sym_slice(image->bytes, section->at, section->stored);
    if (!stored.p) {
        *why = "a section lies beyond the end of the file";
        return none;
    }
    if (!section->packed && !section->packed_gnu)
        return stored;
    if (!section->unpacked && tk_section_unpack(image, section, stored, why) < 0)
        return none;
    return (struct tk_bytes){section->unpacked, (size_t)section->n_unpacked};
}

struct tk_bytes tk_image_section(struct tk_image *image, const char *name, const char **why)
{
    size_t from = 0;
    return tk_image_section_from(image, name, &from, why);
}

bool tk_image_has(const struct tk_image *image, const char *name)
{
    size_t from = 0;
    return find_section(image, name, &from) != NULL;
}

void tk_image_read_link(struct tk_image *image)
{
    const char *why = NULL;
    struct tk_bytes link = tk_image_section(image, "gnu_debuglink", &why);
    size_t n = tk_sym_text_length(link.p, link.n), at = (n + 4) & ~(size_t)3;
    if (!n || n >= sizeof image->link || at + 4 > link.n)
        return;
    memcpy(image->link, link.p, n);
    image->link_crc = tk_load32(link.p + at);
}

uint32_t tk_image_crc(struct tk_bytes bytes)
{
    uLong crc = crc32(0, NULL, 0);
    for (size_t at = 0, n; at < bytes.n; at += n) {
        n = bytes.n - at < (size_t)1 << 30 ? bytes.n - at : (size_t)1 << 30;
        crc = crc32(crc, bytes.p + at, (uInt)n);
    }
    return (uint32_t)crc;
}

void tk_image_release(struct tk_image *image)
{
    for (size_t i = 0; i < image->sections.n; i++)
        free(image->sections.v[i].unpacked);
    tk_vec_release(&image->sections);
}
