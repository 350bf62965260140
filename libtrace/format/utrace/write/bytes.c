/* Appending little-endian values to a growing run of bytes. */
#include "format/utrace/write/bytes.h"

#include <stdlib.h>
#include <string.h>

void tk_uw_bytes_release(struct tk_uw_bytes *bytes)
{
    free(bytes->data);
    memset(bytes, 0, sizeof(*bytes));
}

void tk_uw_bytes_clear(struct tk_uw_bytes *bytes)
{
    bytes->size = 0;
}

uint8_t *tk_uw_bytes_space(struct tk_uw_bytes *bytes, size_t count)
{
    if (bytes->failed)
        return NULL;
    if (!bytes->data || bytes->capacity - bytes->size < count) {
        size_t capacity = (bytes->capacity + count) * 2 + 64;
        uint8_t *data = realloc(bytes->data, capacity);

        if (!data) {
            bytes->failed = true;
            return NULL;
        }
        bytes->data = data;
        bytes->capacity = capacity;
    }
    return bytes->data + bytes->size;
}

void tk_uw_bytes_drop(struct tk_uw_bytes *bytes, size_t count)
{
    bytes->size -= count;
    if (bytes->size)
        memmove(bytes->data, bytes->data + count, bytes->size);
}

void tk_uw_uint(struct tk_uw_bytes *bytes, uint64_t value, unsigned count)
{
    uint8_t *at = tk_uw_bytes_space(bytes, count);

    if (!at)
        return;
    for (unsigned i = 0; i < count; i++)
        at[i] = (uint8_t)(value >> (8 * i));
    bytes->size += count;
}

void tk_uw_u8(struct tk_uw_bytes *bytes, uint8_t value)
{
    tk_uw_uint(bytes, value, 1);
}

void tk_uw_u16(struct tk_uw_bytes *bytes, uint16_t value)
{
    tk_uw_uint(bytes, value, 2);
}

void tk_uw_u32(struct tk_uw_bytes *bytes, uint32_t value)
{
    tk_uw_uint(bytes, value, 4);
}

void tk_uw_u64(struct tk_uw_bytes *bytes, uint64_t value)
{
    tk_uw_uint(bytes, value, 8);
}

void tk_uw_f32(struct tk_uw_bytes *bytes, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    tk_uw_u32(bytes, bits);
}

void tk_uw_f64(struct tk_uw_bytes *bytes, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    tk_uw_u64(bytes, bits);
}

void tk_uw_raw(struct tk_uw_bytes *bytes, const void *data, size_t size)
{
    uint8_t *at = tk_uw_bytes_space(bytes, size);

    if (!at || !size)
        return;
    memcpy(at, data, size);
    bytes->size += size;
}

void tk_uw_numbers(struct tk_uw_bytes *bytes, const void *numbers, size_t size, unsigned width)
{
    const uint16_t one = 1;
    const unsigned flip = *(const uint8_t *)&one ? 0 : width - 1; /* widths are powers of two */
    const uint8_t *from = numbers;
    uint8_t *at = tk_uw_bytes_space(bytes, size);

    if (!at)
        return;
    for (size_t i = 0; i < size; i++)
        at[i] = from[i ^ flip];
    bytes->size += size;
}

void tk_uw_text(struct tk_uw_bytes *bytes, const char *text)
{
    tk_uw_raw(bytes, text, strlen(text));
}

void tk_uw_wide(struct tk_uw_bytes *bytes, const char *text)
{
    for (; *text; text++)
        tk_uw_u16(bytes, (uint8_t)*text);
}

void tk_uw_varint(struct tk_uw_bytes *bytes, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        tk_uw_u8(bytes, (uint8_t)(value | 0x80));
    tk_uw_u8(bytes, (uint8_t)value);
}
