/*
 * ELF files, of 32 and 64 bits, least significant byte first: segments, sections, the build id and the link
 * to a file of symbols. (symbols 1.2, 3.3)
 */
#include "symbols/files/files_in.h"

enum { PT_LOAD = 1, PT_NOTE = 4, SHT_SYMTAB = 2, SHT_NOBITS = 8, SHT_DYNSYM = 11, SHF_COMPRESSED = 0x800 };

struct header {
    uint64_t segments, sections; /* offsets */
    uint32_t segment_size, section_size, n_segments, n_sections, names;
};

/* A field that is as wide as addresses are. */
static uint64_t word(const struct tk_image *image, const uint8_t *p, size_t at32, size_t at64)
{
    return image->wide ? tk_load64(p + at64) : tk_load32(p + at32);
}

static int read_header(struct tk_image *image, struct header *h, const char **why)
{
    const uint8_t *p = image->bytes.p;
    *why = "a broken ELF file";
    if (image->bytes.n < 52)
        return -1;
    if (p[5] != 1) {
        *why = "an ELF file with the most significant byte first";
        return -1;
    }
    image->wide = p[4] == 2;
    if ((p[4] != 1 && p[4] != 2) || (image->wide && image->bytes.n < 64))
        return -1;
    const uint8_t *tail = p + (image->wide ? 54 : 42);
    *h = (struct header){.segments = word(image, p, 28, 32),
                         .sections = word(image, p, 32, 40),
                         .segment_size = tk_load16(tail),
                         .n_segments = tk_load16(tail + 2),
                         .section_size = tk_load16(tail + 4),
                         .n_sections = tk_load16(tail + 6),
                         .names = tk_load16(tail + 8)};
    return 0;
}

static void take_note(struct tk_image *image, const uint8_t *desc, uint32_t n)
{
    if (n && n <= TK_IMAGE_ID && !image->n_id) {
        memcpy(image->id, desc, n);
        image->n_id = n;
    }
}

static void read_notes(struct tk_image *image, struct tk_bytes notes)
{
    struct tk_cur cur = tk_cur_of(notes.p, notes.n);
    while (tk_cur_left(&cur) >= 12) {
        uint32_t n_name = tk_u32(&cur, "note"), n_desc = tk_u32(&cur, "note"), type = tk_u32(&cur, "note");
        const uint8_t *name = tk_take(&cur, ((size_t)n_name + 3) & ~(size_t)3, "note");
        const uint8_t *desc = tk_take(&cur, ((size_t)n_desc + 3) & ~(size_t)3, "note");
        if (!name || !desc)
            return;
        if (type == 3 && n_name == 4 && memcmp(name, "GNU", 4) == 0)
            take_note(image, desc, n_desc);
    }
}

struct segments {
    bool any;
    uint64_t first, end;
};

static void take_segment(struct tk_image *image, const uint8_t *p, struct segments *s)
{
    uint32_t type = tk_load32(p);
    uint64_t at = word(image, p, 4, 8), address = word(image, p, 8, 16), stored = word(image, p, 16, 32),
             size = word(image, p, 20, 40);
    image->size_sum += size;
    if (type == PT_NOTE)
        read_notes(image, tk_sym_slice(image->bytes, at, stored));
    if (type != PT_LOAD)
        return;
    if (!s->any)
        s->first = address;
    s->any = true;
    if (size <= UINT64_MAX - address && address + size > s->end)
        s->end = address + size;
}

static void read_segments(struct tk_image *image, const struct header *h)
{
    struct segments s = {0};
    uint32_t least = image->wide ? 56 : 32;
    for (uint32_t i = 0; i < h->n_segments && h->segment_size >= least; i++) {
        struct tk_bytes one = tk_sym_slice(image->bytes, h->segments, (uint64_t)(i + 1) * h->segment_size);
        if (one.p)
            take_segment(image, one.p + (size_t)i * h->segment_size, &s);
    }
    image->base = s.first;
    image->extent = s.end > s.first ? s.end - s.first : 0;
}

static const uint8_t *section_at(const struct tk_image *image, const struct header *h, uint32_t i)
{
    struct tk_bytes one = tk_sym_slice(image->bytes, h->sections, (uint64_t)(i + 1) * h->section_size);
    return one.p ? one.p + (size_t)i * h->section_size : NULL;
}

static struct tk_bytes section_bytes(const struct tk_image *image, const uint8_t *p)
{
    if (!p || tk_load32(p + 4) == SHT_NOBITS)
        return (struct tk_bytes){NULL, 0};
    return tk_sym_slice(image->bytes, word(image, p, 16, 24), word(image, p, 20, 32));
}

static void take_symbols(struct tk_image *image, const struct header *h, const uint8_t *p)
{
    uint32_t type = tk_load32(p + 4), link = tk_load32(p + (image->wide ? 40 : 24));
    struct tk_symbol_tables *t = &image->tables;
    struct tk_bytes strings = section_bytes(image, link < h->n_sections ? section_at(image, h, link) : NULL);
    if (type == SHT_SYMTAB && !t->symbols.n) {
        t->symbols = section_bytes(image, p);
        t->strings = strings;
    } else if (type == SHT_DYNSYM && !t->dynamic.n) {
        t->dynamic = section_bytes(image, p);
        t->dynamic_strings = strings;
    }
}

static int take_section(struct tk_image *image, const struct header *h, const uint8_t *p,
                        struct tk_bytes names)
{
    uint32_t name = tk_load32(p);
    uint64_t flags = word(image, p, 8, 8);
    struct tk_section section = {.address = word(image, p, 12, 16),
                                 .at = word(image, p, 16, 24),
                                 .size = word(image, p, 20, 32),
                                 .packed = (flags & SHF_COMPRESSED) != 0};
    section.stored = tk_load32(p + 4) == SHT_NOBITS ? 0 : section.size;
    take_symbols(image, h, p);
    if (name >= names.n)
        return 0;
    return tk_image_add(image, names.p + name, tk_sym_text_length(names.p + name, names.n - name), section);
}

static int read_sections(struct tk_image *image, struct header *h, const char **why)
{
    uint32_t least = image->wide ? 64 : 40;
    if (h->section_size < least)
        return 0;
    const uint8_t *zero = section_at(image, h, 0);
    if (zero && h->n_sections == 0) /* more than fit: they are reported in the first */
        h->n_sections = (uint32_t)word(image, zero, 20, 32);
    if (zero && h->names == 0xffff)
        h->names = tk_load32(zero + (image->wide ? 40 : 24));
    if (h->n_sections > TK_MOST_SECTIONS)
        h->n_sections = TK_MOST_SECTIONS;
    struct tk_bytes names =
        section_bytes(image, h->names < h->n_sections ? section_at(image, h, h->names) : NULL);
    for (uint32_t i = 0; i < h->n_sections; i++) {
        const uint8_t *p = section_at(image, h, i);
        if (p && take_section(image, h, p, names) < 0) {
            *why = "out of memory";
            return -1;
        }
    }
    return 0;
}

/* Where no segment leads to it, as in files of symbols that some tools write. */
static void find_id(struct tk_image *image)
{
    const char *why = NULL;
    if (!image->n_id)
        read_notes(image, tk_image_section(image, "note.gnu.build-id", &why));
}

/* A file that was not copied to its end has no sections, but says which they were. */
static bool is_cut(const struct tk_image *image, const struct header *h)
{
    return h->sections && h->n_sections && h->section_size && !section_at(image, h, h->n_sections - 1);
}

int tk_elf_open(struct tk_image *image, const char **why)
{
    struct header h;
    image->kind = TK_IMAGE_ELF;
    if (read_header(image, &h, why) < 0)
        return -1;
    read_segments(image, &h);
    if (read_sections(image, &h, why) < 0)
        return -1;
    tk_image_read_link(image);
    find_id(image);
    *why = is_cut(image, &h) ? "it is cut: its sections lie behind its end" : NULL;
    return 0;
}
