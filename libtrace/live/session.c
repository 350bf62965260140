/*
 * One connection of an Unreal program.
 */
#include "live/session.h"

#include "base/cursor.h"
#include "format/utrace/wire/header.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>
#include <string.h>

/*
 * The first bytes of an Unreal program.
 */

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

/*
 * Packets of a stream as they come.
 */

enum { HEAD = 4, HEAD_ENCODED = 6 };

/* The size of the packet that begins with these HEAD bytes; 0: none does. */
static size_t packet_size(const uint8_t *p)
{
    const size_t size = tk_load16(p);
    return size < (tk_load16(p + 2) & TK_UT_ENCODED ? HEAD_ENCODED : HEAD) ? 0 : size;
}

static int take(struct tk_live_packets *s, const uint8_t *p, size_t n, tk_live_packet_fn *fn, void *ctx)
{
    const uint64_t offset = s->whole;
    s->whole += n;
    s->count++;
    return fn ? fn(ctx, p, n, offset) : TK_OK;
}

static int add(struct tk_live_packets *s, const uint8_t *p, size_t n)
{
    if (s->n_carry + n > s->cap_carry) {
        const size_t cap = s->n_carry + n > HEAD ? packet_size(s->n_carry >= HEAD ? s->carry : p) : HEAD;
        uint8_t *grown = realloc(s->carry, cap > s->n_carry + n ? cap : s->n_carry + n);
        if (!grown)
            return TK_ENOMEM;
        s->carry = grown;
        s->cap_carry = cap > s->n_carry + n ? cap : s->n_carry + n;
    }
    memcpy(s->carry + s->n_carry, p, n);
    s->n_carry += n;
    return TK_OK;
}

/* Moves up to `want` bytes in all to what is carried. */
static int fill(struct tk_live_packets *s, const uint8_t **p, size_t *n, size_t want)
{
    const size_t missing = want - s->n_carry, k = *n < missing ? *n : missing;
    const int rc = k ? add(s, *p, k) : TK_OK;
    *p += k;
    *n -= k;
    return rc;
}

/* Goes on with the packet that is carried. TK_OK; it may still not be whole when all bytes are used up. */
static int finish_carried(struct tk_live_packets *s, const uint8_t **p, size_t *n, tk_live_packet_fn *fn,
                          void *ctx)
{
    int rc = s->n_carry < HEAD ? fill(s, p, n, HEAD) : TK_OK;
    if (rc != TK_OK || s->n_carry < HEAD)
        return rc;
    const size_t size = packet_size(s->carry);
    s->damaged = size == 0;
    if (size == 0)
        return TK_OK;
    rc = fill(s, p, n, size);
    if (rc != TK_OK || s->n_carry < size)
        return rc;
    s->n_carry = 0;
    return take(s, s->carry, size, fn, ctx);
}

int tk_live_packets_feed(struct tk_live_packets *s, const uint8_t *p, size_t n, tk_live_packet_fn *fn,
                         void *ctx)
{
    int rc = TK_OK;
    if (s->n_carry && !s->damaged)
        rc = finish_carried(s, &p, &n, fn, ctx);
    while (rc == TK_OK && !s->damaged && n >= HEAD) {
        const size_t size = packet_size(p);
        s->damaged = size == 0;
        if (size > n || size == 0)
            break;
        rc = take(s, p, size, fn, ctx);
        p += size;
        n -= size;
    }
    return rc == TK_OK && n && !s->damaged ? add(s, p, n) : rc;
}

void tk_live_packets_release(struct tk_live_packets *s)
{
    free(s->carry);
    s->carry = NULL;
    s->n_carry = s->cap_carry = 0;
}

const char *tk_session_end_text(enum tk_session_end end)
{
    static const char *const texts[] = {
        [TK_SESSION_GOES_ON] = "it goes on",
        [TK_SESSION_CLOSED] = "closed by the program",
        [TK_SESSION_RESET] = "the connection broke",
        [TK_SESSION_SILENT] = "the program's machine no longer answers",
        [TK_SESSION_SIZE] = "the requested file size was reached",
        [TK_SESSION_STOPPED] = "stopped",
        [TK_SESSION_SECONDS] = "the time limit was reached",
        [TK_SESSION_IDLE] = "no more data came",
        [TK_SESSION_FULL] = "the disk is full",
        [TK_SESSION_FAILED] = "the file cannot be written",
        [TK_SESSION_FOREIGN] = "it is not an Unreal program",
        [TK_SESSION_DAMAGED_HELLO] = "the header of the stream is damaged",
        [TK_SESSION_LATE] = "no header came in time",
        [TK_SESSION_EMPTY] = "closed without a byte",
        [TK_SESSION_CUT_HELLO] = "closed inside the header of the stream",
    };
    return texts[end];
}

void tk_session_free(struct tk_session *s)
{
    if (!s)
        return;
    tk_os_socket_close(s->socket);
    tk_live_file_release(&s->file);
    tk_live_packets_release(&s->packets);
    tk_rotation_release(&s->rotation);
    tk_live_summary_free(s->summary);
    free(s->head);
    free(s);
}
