/*
 * Counts of what nobody reads.
 */
#include "format/events/capture.h"
#include "format/events/feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tk_ev_unread *find(const struct tk_ev_capture *c, const char *name)
{
    for (size_t i = 0; i < c->unread.n; i++)
        if (strcmp(c->unread.v[i]->name, name) == 0)
            return c->unread.v[i];
    return NULL;
}

static struct tk_ev_unread *add(struct tk_ev_capture *c, const char *name, bool listed)
{
    struct tk_ev_unread *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    snprintf(u->name, sizeof u->name, "%s", name);
    u->type.name = u->name;
    u->type.family = listed ? NULL : TK_FAMILY_UNREAD;
    if (tk_vec_push(&c->unread, u)) {
        free(u);
        return NULL;
    }
    return u;
}

static int count(struct tk_ev_capture *c, const char *name, bool listed, uint64_t bytes)
{
    struct tk_ev_unread *u = find(c, name);
    if (!u && c->unread.n >= TK_EV_UNREAD_MOST) {
        name = "others";
        u = find(c, name);
    }
    if (!u)
        u = add(c, name, listed);
    if (!u)
        return -1;
    u->count++;
    u->bytes += bytes;
    return 0;
}

int tk_ev_unread(struct tk_ev_capture *c, const char *prefix, const void *name, size_t n, bool listed,
                 uint64_t bytes)
{
    char text[TK_EV_UNREAD_NAME];
    const uint8_t *in = name;
    if (c->pass != TK_EV_GATHER)
        return 0;
    size_t at = (size_t)snprintf(text, sizeof text, "%s", prefix);
    for (size_t i = 0; i < n && at + 1 < sizeof text; i++)
        text[at++] = (char)(in[i] > ' ' && in[i] < 0x7f ? in[i] : '?');
    text[at] = 0;
    return count(c, text, listed, bytes);
}

int tk_ev_unread_number(struct tk_ev_capture *c, const char *prefix, const char *text, uint32_t number,
                        bool listed, uint64_t bytes)
{
    char digits[16];
    if (!text)
        snprintf(digits, sizeof digits, "%" PRIu32, number);
    const char *name = text ? text : digits;
    return tk_ev_unread(c, prefix, name, strlen(name), listed, bytes);
}

void tk_ev_unread_release(struct tk_ev_capture *c)
{
    for (size_t i = 0; i < c->unread.n; i++)
        free(c->unread.v[i]);
    tk_vec_release(&c->unread);
}
