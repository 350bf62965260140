/*
 * Mach-O files, of 32 and 64 bits, alone and as a part of a universal file: segments, sections, UUID, the
 * table of symbols. (symbols 1.2, 3.4)
 */
#include "symbols/files/files_in.h"

enum { SEGMENT32 = 0x1, SYMTAB = 0x2, SEGMENT64 = 0x19, UUID = 0x1b };

enum { MOST_PARTS = 64, MOST_COMMANDS = 4096 };

static uint64_t big(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

struct extent {
    uint64_t text, end;
    bool has_text;
};

static int take_sections(struct tk_image *image, const uint8_t *p, uint32_t n, uint32_t size)
{
    uint32_t head = image->wide ? 72 : 56, each = image->wide ? 80 : 68;
    for (uint32_t i = 0; i < n && head + (uint64_t)(i + 1) * each <= size; i++) {
        const uint8_t *s = p + head + (size_t)i * each;
        struct tk_section section = {.address = image->wide ? tk_load64(s + 32) : tk_load32(s + 32),
                                     .size = image->wide ? tk_load64(s + 40) : tk_load32(s + 36),
                                     .at = tk_load32(s + (image->wide ? 48 : 40))};
        section.stored = section.at ? section.size : 0;
        if (tk_image_add(image, s, tk_sym_text_length(s, 16), section))
            return -1;
    }
    return 0;
}

static int take_segment(struct tk_image *image, const uint8_t *p, uint32_t size, struct extent *e)
{
    if (size < (image->wide ? 72u : 56u))
        return 0;
    uint64_t address = image->wide ? tk_load64(p + 24) : tk_load32(p + 24);
    uint64_t bytes = image->wide ? tk_load64(p + 32) : tk_load32(p + 28);
    bool dwarf = strncmp((const char *)p + 8, "__DWARF", 16) == 0;
    if (strncmp((const char *)p + 8, "__TEXT", 16) == 0) {
        e->text = address;
        e->has_text = true;
    }
    /* the zero page is no part of the module, nor is what the linker left for debuggers */
    bool counts = !dwarf && strncmp((const char *)p + 8, "__PAGEZERO", 16) != 0;
    if (counts && bytes <= UINT64_MAX - address && address + bytes > e->end)
        e->end = address + bytes;
    return take_sections(image, p, tk_load32(p + (image->wide ? 64 : 48)), size);
}

static void take_symtab(struct tk_image *image, const uint8_t *p, uint32_t size)
{
    if (size < 24)
        return;
    uint64_t each = image->wide ? 16 : 12;
    image->tables.symbols = tk_sym_slice(image->bytes, tk_load32(p + 8), tk_load32(p + 12) * each);
    image->tables.strings = tk_sym_slice(image->bytes, tk_load32(p + 16), tk_load32(p + 20));
}

static int take_command(struct tk_image *image, const uint8_t *p, uint32_t size, struct extent *e)
{
    switch (tk_load32(p)) {
    case SEGMENT32:
    case SEGMENT64:
        return take_segment(image, p, size, e);
    case SYMTAB:
        take_symtab(image, p, size);
        return 0;
    case UUID:
        if (size >= 24) {
            memcpy(image->id, p + 8, 16);
            image->n_id = 16;
        }
        return 0;
    default:
        return 0;
    }
}

static int read_one(struct tk_image *image, const char **why)
{
    struct extent e = {0};
    *why = "a broken Mach-O file";
    if (image->bytes.n < 32)
        return -1;
    image->wide = tk_load32(image->bytes.p) == 0xfeedfacf;
    uint32_t n = tk_load32(image->bytes.p + 16);
    uint64_t at = image->wide ? 32 : 28;
    for (uint32_t i = 0; i < n && i < MOST_COMMANDS; i++) {
        struct tk_bytes head = tk_sym_slice(image->bytes, at, 8);
        uint32_t size = head.p ? tk_load32(head.p + 4) : 0;
        struct tk_bytes command = tk_sym_slice(image->bytes, at, size);
        if (!command.p || size < 8)
            return -1;
        if (take_command(image, command.p, size, &e) < 0) {
            *why = "out of memory";
            return -1;
        }
        at += size;
    }
    image->base = e.text;
    image->extent = e.has_text && e.end > e.text ? e.end - e.text : 0;
    *why = NULL;
    return 0;
}

/* Opens a part of a universal file. */
static int read_part(struct tk_image *image, struct tk_bytes whole, uint64_t at, uint64_t n, const char **why)
{
    tk_image_release(image);
    *image = (struct tk_image){.kind = TK_IMAGE_MACHO, .bytes = tk_sym_slice(whole, at, n)};
    uint32_t magic = image->bytes.n >= 4 ? tk_load32(image->bytes.p) : 0;
    if (magic == 0xfeedfacf || magic == 0xfeedface)
        return read_one(image, why);
    *why = "a broken universal file";
    return -1;
}

static int read_universal(struct tk_image *image, const uint8_t *uuid, uint32_t n_uuid, const char **why)
{
    struct tk_bytes whole = image->bytes;
    *why = "a broken universal file";
    if (whole.n < 8)
        return -1;
    bool wide = whole.p[3] == 0xbf;
    uint64_t n = big(whole.p + 4, 4), each = wide ? 32 : 20, first = 0, first_n = 0;
    for (uint64_t i = 0; i < n && i < MOST_PARTS; i++) {
        struct tk_bytes entry = tk_sym_slice(whole, 8 + i * each, each);
        if (!entry.p)
            return -1;
        uint64_t at = big(entry.p + 8, wide ? 8 : 4), size = big(entry.p + (wide ? 16 : 12), wide ? 8 : 4);
        if (i == 0) {
            first = at;
            first_n = size;
        }
        if (read_part(image, whole, at, size, why) == 0 && n_uuid >= 16 && image->n_id == 16 &&
            memcmp(image->id, uuid, 16) == 0)
            return 0;
    }
    return n ? read_part(image, whole, first, first_n, why) : -1;
}

int tk_macho_open(struct tk_image *image, const uint8_t *uuid, uint32_t n_uuid, const char **why)
{
    image->kind = TK_IMAGE_MACHO;
    uint32_t magic = tk_load32(image->bytes.p);
    if (magic == 0xbebafeca || magic == 0xbfbafeca)
        return read_universal(image, uuid, n_uuid, why);
    return read_one(image, why);
}
