/*
 * The first bytes of an Unreal program: see hello.h.
 */
#include "live/hello.h"

#include "base/cursor.h"
#include "format/utrace/wire/header.h"

#include <string.h>

enum { MAGIC = 4, FIXED = 6, VERSIONS = 2 };
enum { FIELD_PORT = 0, FIELD_SESSION = 1, FIELD_TRACE = 2 };

static bool is_magic(const uint8_t *p, size_t n)
{
    static const char rest[] = "CRT";
    if (n > 0 && p[0] != 'E' && (p[0] < '2' || p[0] > '9'))
        return false;
    return n <= 1 || memcmp(p + 1, rest, n < MAGIC ? n - 1 : MAGIC - 1) == 0;
}

static void take_field(struct tk_hello *h, uint8_t id, const uint8_t *p, size_t n)
{
    if (id == FIELD_PORT && n == 2) {
        h->control_port = tk_load16(p);
        h->has_port = true;
    } else if (id == FIELD_SESSION && n == 16) {
        memcpy(h->session_guid, p, 16);
        h->has_session = true;
    } else if (id == FIELD_TRACE && n == 16) {
        memcpy(h->trace_guid, p, 16);
        h->has_trace = true;
    }
}

/* Fields of a size, an id and so many bytes; false where they do not fill the block. */
static bool take_fields(struct tk_hello *h, const uint8_t *p, size_t n)
{
    while (n >= 2 && p[0] <= n - 2) {
        const size_t size = 2u + p[0];
        take_field(h, p[1], p + 2, p[0]);
        p += size;
        n -= size;
    }
    return n == 0;
}

enum tk_hello_state tk_hello_judge(const uint8_t *p, size_t n, struct tk_hello *out)
{
    struct tk_hello h = {0};
    if (!is_magic(p, n))
        return TK_HELLO_FOREIGN;
    if (n < FIXED)
        return TK_HELLO_MORE;
    const bool fields = p[0] != 'E';
    const size_t block = fields ? tk_load16(p + MAGIC) : 0;
    h.size = (fields ? FIXED + block : MAGIC) + VERSIONS;
    if (n < h.size)
        return TK_HELLO_MORE;
    if (fields && !take_fields(&h, p + FIXED, block))
        return TK_HELLO_DAMAGED;
    h.transport = p[h.size - 2];
    h.protocol = p[h.size - 1];
    *out = h;
    return TK_HELLO_WHOLE;
}

void tk_hello_guid_text(char out[33], const uint8_t guid[16])
{
    tk_ut_guid_text(out, guid);
}

const char *tk_hello_engine(const struct tk_hello *h)
{
    static const char *const by_protocol[] = {[0] = "UE 4", [1] = "UE 4",   [2] = "UE 4",   [3] = "UE 4",
                                              [4] = "UE 4", [5] = "UE 5.0", [6] = "UE 5.1", [7] = "UE 5"};
    return h->protocol < sizeof by_protocol / sizeof *by_protocol ? by_protocol[h->protocol] : "UE";
}
