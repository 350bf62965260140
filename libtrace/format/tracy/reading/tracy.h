/*
 * The .tracy format (captures saved by the Tracy profiler): see docs/format/tracy-file.md for the bytes.
 *
 *   container (blocks of the file) -> blocks (unpacked ahead) -> payload (checked reader) -> walk (section
 * after section, in the one order there is) -> facts
 *
 * There is no table of contents and no random access: every reading begins at the first byte and stops behind
 * the last section that it needs. Opening walks the front (header to source locations) and keeps what it
 * defines; a reading goes over the front again without building anything.
 */
#ifndef TK_FORMAT_TRACY_READING_TRACY_H
#define TK_FORMAT_TRACY_READING_TRACY_H

#include "fact/format.h"

extern const struct tk_format tk_format_tracy;

#endif
