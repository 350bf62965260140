/*
 * Text of a name of Rust.
 */
#include "base/text/text.h"
#include "symbols/files/files_in.h"

#include <string.h>

void tk_rust_put(struct tk_rust_name *out, const char *p, size_t n)
{
    out->full |= n > sizeof out->text - out->n;
    if (out->full || !n)
        return;
    memcpy(out->text + out->n, p, n);
    out->n += n;
}

void tk_rust_put_code(struct tk_rust_name *out, uint32_t code)
{
    uint8_t bytes[4];
    size_t n = tk_utf8_put(bytes, code);
    tk_rust_put(out, (const char *)bytes, n);
}
