/* Format arguments and CBOR values. */
#include "values.h"

#include <string.h>

enum { ARG_INT = 0x40, ARG_FLOAT = 0x80, ARG_TEXT = 0xc0 };

void tk_uw_args_release(struct tk_uw_args *args)
{
    tk_uw_bytes_release(&args->kinds);
    tk_uw_bytes_release(&args->values);
}

void tk_uw_arg_int(struct tk_uw_args *args, unsigned size, uint64_t value)
{
    tk_uw_u8(&args->kinds, (uint8_t)(ARG_INT | size));
    tk_uw_uint(&args->values, value, size);
}

void tk_uw_arg_double(struct tk_uw_args *args, double value)
{
    tk_uw_u8(&args->kinds, ARG_FLOAT | 8);
    tk_uw_f64(&args->values, value);
}

void tk_uw_arg_ansi(struct tk_uw_args *args, const char *text)
{
    tk_uw_u8(&args->kinds, ARG_TEXT | 1);
    tk_uw_raw(&args->values, text, strlen(text) + 1);
}

void tk_uw_arg_wide(struct tk_uw_args *args, const char *text)
{
    tk_uw_u8(&args->kinds, ARG_TEXT | 2);
    tk_uw_wide(&args->values, text);
    tk_uw_u16(&args->values, 0);
}

void tk_uw_args_put(const struct tk_uw_args *args, struct tk_uw_bytes *out)
{
    tk_uw_u8(out, (uint8_t)args->kinds.size);
    tk_uw_raw(out, args->kinds.data, args->kinds.size);
    tk_uw_raw(out, args->values.data, args->values.size);
}

static void put_big_endian(struct tk_uw_bytes *out, uint64_t value, unsigned bytes)
{
    while (bytes--)
        tk_uw_u8(out, (uint8_t)(value >> (8 * bytes)));
}

/* Major type in the top three bits, then the number: inside the byte below 24, else in 1, 2, 4 or 8 bytes. */
static void put_head(struct tk_uw_bytes *out, unsigned major, uint64_t value)
{
    unsigned log = value > UINT32_MAX ? 3 : value > UINT16_MAX ? 2 : value > UINT8_MAX ? 1 : 0;

    if (value < 24) {
        tk_uw_u8(out, (uint8_t)(major << 5 | (unsigned)value));
        return;
    }
    tk_uw_u8(out, (uint8_t)(major << 5 | (24 + log)));
    put_big_endian(out, value, 1U << log);
}

void tk_uw_cbor_uint(struct tk_uw_bytes *out, uint64_t value)
{
    put_head(out, 0, value);
}

void tk_uw_cbor_int(struct tk_uw_bytes *out, int64_t value)
{
    put_head(out, value < 0, value < 0 ? ~(uint64_t)value : (uint64_t)value);
}

void tk_uw_cbor_double(struct tk_uw_bytes *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    tk_uw_u8(out, 0xfb);
    put_big_endian(out, bits, 8);
}

void tk_uw_cbor_bool(struct tk_uw_bytes *out, bool value)
{
    tk_uw_u8(out, value ? 0xf5 : 0xf4);
}

void tk_uw_cbor_text(struct tk_uw_bytes *out, const char *text, bool ansi)
{
    put_head(out, ansi ? 2 : 3, strlen(text));
    tk_uw_text(out, text);
}
