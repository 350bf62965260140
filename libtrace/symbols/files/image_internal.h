/*
 * What the readers of the containers share. See image.h.
 */
#ifndef TK_SYMBOLS_CONTAINERS_IMAGE_INTERNAL_H
#define TK_SYMBOLS_CONTAINERS_IMAGE_INTERNAL_H

#include "symbols/files/image.h"
#include "symbols/files/symbol_file.h"

#define TK_MOST_SECTIONS 65536u

/* They fill an image whose bytes are set. 0, or -1 with *why. */
int tk_elf_open(struct tk_image *image, const char **why);
int tk_pe_open(struct tk_image *image, const char **why);
int tk_macho_open(struct tk_image *image, const uint8_t *uuid, uint32_t n_uuid, const char **why);

/* Adds a section; its name without what the format puts in front. 0, or -1 if out of memory. */
int tk_image_add(struct tk_image *image, const uint8_t *name, size_t n, struct tk_section section);

/* Reads the name and the checksum of the file of symbols that .gnu_debuglink leads to. */
void tk_image_read_link(struct tk_image *image);

/* Unpacks a section of an image to memory. 0, or -1 with *why. */
int tk_section_unpack(struct tk_image *image, struct tk_section *section, struct tk_bytes stored,
                      const char **why);

#endif
