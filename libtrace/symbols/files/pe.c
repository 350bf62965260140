/*
 * PE files, of 32 and 64 bits: sections, the GUID and the name of the PDB, exports. Addresses of DWARF inside
 * count from the preferred base, those of a PDB from the first byte. (symbols 1.2, 3.5)
 */
#include "symbols/files/files_in.h"

enum { DIRECTORY_EXPORT = 0, DIRECTORY_DEBUG = 6, DEBUG_CODEVIEW = 2 };

struct optional {
    const uint8_t *directories;
    uint32_t n;
};

/* The bytes at an address that counts from the first byte of the image. */
static struct tk_bytes at_rva(const struct tk_image *image, uint64_t rva, uint64_t n)
{
    for (size_t i = 0; i < image->sections.n; i++) {
        const struct tk_section *s = &image->sections.v[i];
        if (rva >= s->address && rva - s->address < s->stored && n <= s->stored - (rva - s->address))
            return tk_sym_slice(image->bytes, s->at + (rva - s->address), n);
    }
    return (struct tk_bytes){NULL, 0};
}

static int read_optional(struct tk_image *image, struct tk_bytes head, struct optional *o)
{
    uint16_t magic = head.n >= 96 ? tk_load16(head.p) : 0;
    image->wide = magic == 0x20b;
    size_t at = image->wide ? 112 : 96;
    if ((magic != 0x10b && magic != 0x20b) || head.n < at)
        return -1;
    image->base = image->wide ? tk_load64(head.p + 24) : tk_load32(head.p + 28);
    image->extent = tk_load32(head.p + 56);
    uint32_t n = tk_load32(head.p + at - 4), capacity = (uint32_t)((head.n - at) / 8);
    *o = (struct optional){head.p + at, n < capacity ? n : capacity};
    return 0;
}

/* Names of more than eight characters are in the table of strings. */
static struct tk_bytes section_name(struct tk_bytes strings, const uint8_t *p)
{
    size_t n = tk_sym_text_length(p, 8), at = 0;
    if (n < 2 || p[0] != '/')
        return (struct tk_bytes){p, n};
    for (size_t i = 1; i < n && p[i] >= '0' && p[i] <= '9'; i++)
        at = at * 10 + (size_t)(p[i] - '0');
    if (at >= strings.n)
        return (struct tk_bytes){p, n};
    return (struct tk_bytes){strings.p + at, tk_sym_text_length(strings.p + at, strings.n - at)};
}

static int read_sections(struct tk_image *image, uint64_t at, uint16_t n, struct tk_bytes strings)
{
    for (uint16_t i = 0; i < n; i++) {
        struct tk_bytes one = tk_sym_slice(image->bytes, at + (uint64_t)i * 40, 40);
        if (!one.p)
            return 0;
        struct tk_section section = {.size = tk_load32(one.p + 8),
                                     .address = tk_load32(one.p + 12),
                                     .stored = tk_load32(one.p + 16),
                                     .at = tk_load32(one.p + 20)};
        if (section.size && section.size < section.stored) /* the rest fills up a block */
            section.stored = section.size;
        struct tk_bytes name = section_name(strings, one.p);
        if (tk_image_add(image, name.p, name.n, section))
            return -1;
    }
    return 0;
}

static void take_codeview(struct tk_image *image, struct tk_bytes data)
{
    if (data.n < 24 || memcmp(data.p, "RSDS", 4) != 0 || image->n_id)
        return;
    memcpy(image->id, data.p + 4, 20);
    image->n_id = 20;
    const uint8_t *name = data.p + 24;
    size_t n = tk_sym_text_length(name, data.n - 24), from = n;
    while (from && name[from - 1] != '/' && name[from - 1] != '\\')
        from--;
    if (n - from < sizeof image->link && n > from)
        memcpy(image->link, name + from, n - from);
}

static void read_debug(struct tk_image *image, const struct optional *o)
{
    if (o->n <= DIRECTORY_DEBUG)
        return;
    const uint8_t *d = o->directories + DIRECTORY_DEBUG * 8;
    struct tk_bytes list = at_rva(image, tk_load32(d), tk_load32(d + 4));
    for (size_t at = 0; at + 28 <= list.n; at += 28)
        if (tk_load32(list.p + at + 12) == DEBUG_CODEVIEW)
            take_codeview(
                image, tk_sym_slice(image->bytes, tk_load32(list.p + at + 24), tk_load32(list.p + at + 16)));
}

int tk_pe_open(struct tk_image *image, const char **why)
{
    struct optional o = {0};
    image->kind = TK_IMAGE_PE;
    *why = "a broken PE file";
    uint64_t at = image->bytes.n >= 64 ? tk_load32(image->bytes.p + 60) : UINT64_MAX;
    struct tk_bytes head = tk_sym_slice(image->bytes, at, 24);
    if (!head.p || memcmp(head.p, "PE\0\0", 4) != 0)
        return -1;
    uint16_t n_sections = tk_load16(head.p + 6), n_optional = tk_load16(head.p + 20);
    uint64_t strings = tk_load32(head.p + 12), n_symbols = tk_load32(head.p + 16);
    if (read_optional(image, tk_sym_slice(image->bytes, at + 24, n_optional), &o) < 0)
        return -1;
    strings = strings ? strings + n_symbols * 18 : image->bytes.n;
    struct tk_bytes texts = {NULL, 0};
    if (strings < image->bytes.n)
        texts = (struct tk_bytes){image->bytes.p + strings, image->bytes.n - (size_t)strings};
    if (read_sections(image, at + 24 + n_optional, n_sections, texts) < 0) {
        *why = "out of memory";
        return -1;
    }
    read_debug(image, &o);
    if (!image->link[0]) /* of other compilers than that of the system */
        tk_image_read_link(image);
    *why = NULL;
    return 0;
}
