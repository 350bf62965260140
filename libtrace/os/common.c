/*
 * What is the same for every system: sentences for errors, and what addresses say by themselves. Sentences
 * that only some systems have are in the error.c of a system.
 */
#include "os/error.h"
#include "os/socket.h"

#include <string.h>

const char *tk_os_error_text(enum tk_os_error error)
{
    static const char *const texts[] = {[TK_OS_OK] = "success",
                                        [TK_OS_NOT_FOUND] = "no such file or directory",
                                        [TK_OS_EXISTS] = "file exists",
                                        [TK_OS_DENIED] = "permission denied",
                                        [TK_OS_BUSY] = "device or resource busy",
                                        [TK_OS_IS_FOLDER] = "is a directory",
                                        [TK_OS_NOT_EMPTY] = "directory not empty",
                                        [TK_OS_NAME] = "file name too long",
                                        [TK_OS_NO_SPACE] = "no space left on device",
                                        [TK_OS_NO_MEMORY] = "cannot allocate memory",
                                        [TK_OS_CLOSED_PIPE] = "broken pipe",
                                        [TK_OS_OTHER_DEVICE] = "invalid cross-device link",
                                        [TK_OS_LIMIT] = "too many open files",
                                        [TK_OS_AGAIN] = "resource temporarily unavailable",
                                        [TK_OS_IN_USE] = "address already in use",
                                        [TK_OS_REFUSED] = "connection refused",
                                        [TK_OS_UNREACHABLE] = "host is unreachable",
                                        [TK_OS_RESET] = "connection reset by peer",
                                        [TK_OS_TIMEOUT] = "connection timed out",
                                        [TK_OS_IO] = "input/output error"};
    return texts[error];
}

/* ---- addresses ---- */

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
