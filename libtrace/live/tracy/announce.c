/*
 * Datagrams of programs, and the list of those that were heard (tracy-live 2).
 */
#include "base/cursor.h"
#include "live/tracy/link.h"

#include <string.h>

static const double silent = 10; /* seconds; programs announce themselves every 3 */

/* The fixed part of each version of the datagram; the version is its first two bytes. */
static bool read_fixed(struct tk_tl_announced *a, struct tk_cur *c, unsigned version)
{
    a->at.port = TK_TL_ANNOUNCE_PORT;
    if (version <= 1) {
        tk_u32(c, "version");
        a->protocol = tk_u32(c, "protocol");
        if (version == 1)
            a->at.port = (uint16_t)tk_u32(c, "port");
    } else {
        tk_u16(c, "version");
        a->at.port = tk_u16(c, "port");
        a->protocol = tk_u32(c, "protocol");
        if (version == 3)
            a->pid = tk_u64(c, "pid");
    }
    a->active = (int32_t)tk_u32(c, "seconds");
    return tk_cur_ok(c);
}

bool tk_tl_announce_read(struct tk_tl_announced *out, const uint8_t *p, size_t n,
                         const struct tk_os_address *from)
{
    struct tk_cur c = tk_cur_of(p, n);
    *out = (struct tk_tl_announced){.at = *from};
    const unsigned version = n >= 2 ? tk_load16(p) : UINT16_MAX;
    if (version > 3 || !read_fixed(out, &c, version))
        return false;
    const size_t left = tk_cur_left(&c);
    if (left < 1 || left > TK_TL_ANNOUNCE_NAME || out->at.port == 0)
        return false;
    memcpy(out->name, c.p, left);
    out->name[TK_TL_ANNOUNCE_NAME - 1] = 0;
    return true;
}

static struct tk_tl_announced *find(struct tk_tl_announcements *a, const struct tk_os_address *at)
{
    for (size_t i = 0; i < a->list.n; i++)
        if (a->list.v[i].at.port == at->port &&
            memcmp(a->list.v[i].at.bytes, at->bytes, sizeof at->bytes) == 0)
            return &a->list.v[i];
    return NULL;
}

static void forget(struct tk_tl_announcements *a, struct tk_tl_announced *entry)
{
    const size_t i = (size_t)(entry - a->list.v);
    memmove(entry, entry + 1, (a->list.n - i - 1) * sizeof *entry);
    a->list.n--;
}

struct tk_tl_announced *tk_tl_announce_take(struct tk_tl_announcements *a, const uint8_t *p, size_t n,
                                            const struct tk_os_address *from, double now, bool *is_new)
{
    struct tk_tl_announced heard;
    *is_new = false;
    if (!tk_tl_announce_read(&heard, p, n, from))
        return NULL;
    struct tk_tl_announced *entry = find(a, &heard.at);
    heard.heard = now;
    if (heard.active < 0) {
        if (entry)
            forget(a, entry);
        return NULL;
    }
    if (entry) {
        heard.taken = entry->taken;
        *entry = heard;
        return entry;
    }
    if (a->list.n >= TK_TL_ANNOUNCED_MOST || tk_vec_push(&a->list, heard))
        return NULL;
    *is_new = true;
    return &a->list.v[a->list.n - 1];
}

void tk_tl_announce_age(struct tk_tl_announcements *a, double now)
{
    for (size_t i = a->list.n; i-- > 0;)
        if (now - a->list.v[i].heard > silent)
            forget(a, &a->list.v[i]);
}
