/*
 * A growing run of bytes that little-endian values are appended to.
 *
 * Bottom of the capture writer: everything above builds its records in one of these. A failed allocation is
 * remembered in `failed` and later appends do nothing, so callers check once, at the end.
 */
#ifndef TK_FORMAT_UTRACE_WRITE_BYTES_H
#define TK_FORMAT_UTRACE_WRITE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is a valid empty run. */
struct tk_uw_bytes {
    uint8_t *data; /* owned */
    size_t size;
    size_t capacity;
    bool failed;
};

/* Frees the memory and leaves an empty run. */
void tk_uw_bytes_release(struct tk_uw_bytes *bytes);

/* Forgets the content and keeps the memory. */
void tk_uw_bytes_clear(struct tk_uw_bytes *bytes);

/* Makes space for `count` more bytes and returns where they go, or NULL. The size is not changed. */
uint8_t *tk_uw_bytes_space(struct tk_uw_bytes *bytes, size_t count);

/* Removes the first `count` bytes. */
void tk_uw_bytes_drop(struct tk_uw_bytes *bytes, size_t count);

/* Appends the low `count` (at most 8) bytes of `value`, least significant first. */
void tk_uw_uint(struct tk_uw_bytes *bytes, uint64_t value, unsigned count);

void tk_uw_u8(struct tk_uw_bytes *bytes, uint8_t value);
void tk_uw_u16(struct tk_uw_bytes *bytes, uint16_t value);
void tk_uw_u32(struct tk_uw_bytes *bytes, uint32_t value);
void tk_uw_u64(struct tk_uw_bytes *bytes, uint64_t value);
void tk_uw_f32(struct tk_uw_bytes *bytes, float value);
void tk_uw_f64(struct tk_uw_bytes *bytes, double value);
void tk_uw_raw(struct tk_uw_bytes *bytes, const void *data, size_t size);

/* Appends the first `size` bytes of an array of numbers of this machine, `width` bytes each. */
void tk_uw_numbers(struct tk_uw_bytes *bytes, const void *numbers, size_t size, unsigned width);

/* Appends the characters of a text without its NUL. */
void tk_uw_text(struct tk_uw_bytes *bytes, const char *text);

/* Appends a text of 7-bit characters as UTF-16, without a terminator. */
void tk_uw_wide(struct tk_uw_bytes *bytes, const char *text);

/* Appends a number in groups of 7 bits, least significant group first, bit 7 set on all bytes but the last.
 */
void tk_uw_varint(struct tk_uw_bytes *bytes, uint64_t value);

#endif
