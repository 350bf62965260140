/*
 * What addresses say by themselves, the same for every system. Below sockets, which have the rest of
 * address.h.
 */
#include "os/address.h"

#include <string.h>

static const uint8_t v4_prefix[12] = {[10] = 0xFF, [11] = 0xFF};

struct tk_os_address tk_os_address_of_v4(uint32_t v4, uint16_t port)
{
    struct tk_os_address a = {.port = port};
    memcpy(a.bytes, v4_prefix, sizeof v4_prefix);
    for (int i = 0; i < 4; i++)
        a.bytes[12 + i] = (uint8_t)(v4 >> (24 - 8 * i));
    return a;
}

struct tk_os_address tk_os_address_loopback(uint16_t port)
{
    return tk_os_address_of_v4(UINT32_C(0x7F000001), port);
}

struct tk_os_address tk_os_address_every(uint16_t port)
{
    return tk_os_address_of_v4(0, port);
}

bool tk_os_address_is_v4(const struct tk_os_address *a)
{
    return memcmp(a->bytes, v4_prefix, sizeof v4_prefix) == 0;
}

uint32_t tk_os_address_v4(const struct tk_os_address *a)
{
    const uint8_t *b = a->bytes + 12;
    return tk_os_address_is_v4(a) ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                                  : 0;
}

bool tk_os_address_is_loopback(const struct tk_os_address *a)
{
    static const uint8_t one[16] = {[15] = 1};
    return tk_os_address_is_v4(a) ? a->bytes[12] == 127 : memcmp(a->bytes, one, sizeof one) == 0;
}

bool tk_os_address_matches(const struct tk_os_address *a, const struct tk_os_address *b, unsigned bits)
{
    const bool v4 = tk_os_address_is_v4(a);
    if (v4 != tk_os_address_is_v4(b))
        return false;
    const unsigned whole = v4 ? 32 : 128, n = bits < whole ? bits : whole;
    const uint8_t *p = a->bytes + (v4 ? 12 : 0), *q = b->bytes + (v4 ? 12 : 0);
    if (memcmp(p, q, n / 8) != 0)
        return false;
    return n % 8 == 0 || (p[n / 8] ^ q[n / 8]) >> (8 - n % 8) == 0;
}
