/*
 * Images: which container it is.
 */
#include "symbols/files/files_in.h"

int tk_image_open(struct tk_image *image, struct tk_bytes bytes, const uint8_t *arch, uint32_t n_arch,
                  const char **why)
{
    *image = (struct tk_image){.bytes = bytes};
    uint32_t magic = bytes.n >= 4 ? tk_load32(bytes.p) : 0;
    if (magic == 0x464c457f)
        return tk_elf_open(image, why);
    if ((magic & 0xffff) == 0x5a4d)
        return tk_pe_open(image, why);
    if (magic == 0xfeedfacf || magic == 0xfeedface || magic == 0xbebafeca || magic == 0xbfbafeca)
        return tk_macho_open(image, arch, n_arch, why);
    *why = "not a known symbol file format";
    return -1;
}
