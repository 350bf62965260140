/*
 * Sections of images by their names. See image.h.
 */
#include "symbols/files/image_internal.h"

#include <stdlib.h>
#include <zlib.h>

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
