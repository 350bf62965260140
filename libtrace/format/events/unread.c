/*
 * What captures have that is not in their facts: counts of what nobody reads, and troubles.
 */
#include "format/events/capture.h"
#include "format/events/feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS "others"

static struct tk_ev_unread *find(const struct tk_ev_capture *c, const char *name)
{
    for (size_t i = 0; i < c->unread.n; i++)
        if (strcmp(c->unread.v[i]->name, name) == 0)
            return c->unread.v[i];
    return NULL;
}

static struct tk_ev_unread *add(struct tk_ev_capture *c, const char *name, const struct tk_record_type *like)
{
    struct tk_ev_unread *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    snprintf(u->name, sizeof u->name, "%s", name);
    if (like)
        u->type = *like;
    u->type.name = u->name;
    u->type.family = like ? NULL : TK_FAMILY_UNREAD;
    if (tk_vec_push(&c->unread, u)) {
        free(u);
        return NULL;
    }
    return u;
}

static int count(struct tk_ev_capture *c, const char *name, const struct tk_record_type *like, uint64_t bytes)
{
    struct tk_ev_unread *u = find(c, name);
    if (!u && c->unread.n >= TK_EV_UNREAD_MOST) {
        name = OTHERS;
        u = find(c, name);
    }
    if (!u)
        u = add(c, name, like);
    if (!u)
        return -1;
    u->count++;
    u->bytes += bytes;
    return 0;
}

int tk_ev_unread(struct tk_ev_capture *c, const char *prefix, const void *name, size_t n, uint64_t bytes)
{
    char text[TK_EV_UNREAD_NAME];
    const uint8_t *in = name;
    if (c->pass != TK_EV_GATHER)
        return 0;
    size_t at = (size_t)snprintf(text, sizeof text, "%s", prefix);
    for (size_t i = 0; i < n && at + 1 < sizeof text; i++)
        text[at++] = (char)(in[i] > ' ' && in[i] < 0x7f ? in[i] : '?');
    text[at] = 0;
    return count(c, text, NULL, bytes);
}

static void name_of(char text[TK_EV_UNREAD_NAME], const char *prefix, uint32_t number)
{
    snprintf(text, TK_EV_UNREAD_NAME, "%s%" PRIu32, prefix, number);
}

int tk_ev_unread_number(struct tk_ev_capture *c, const char *prefix, uint32_t number,
                        const struct tk_record_type *like, uint64_t bytes)
{
    char text[TK_EV_UNREAD_NAME];
    name_of(text, prefix, number);
    return c->pass == TK_EV_GATHER ? count(c, text, like, bytes) : 0;
}

const struct tk_record_type *tk_ev_unread_type(const struct tk_ev_capture *c, const char *prefix,
                                               uint32_t number, const struct tk_record_type *like)
{
    char text[TK_EV_UNREAD_NAME];
    name_of(text, prefix, number);
    const struct tk_ev_unread *u = find(c, text);
    if (!u)
        u = find(c, OTHERS);
    return u && u->type.value ? &u->type : like;
}

void tk_ev_unread_release(struct tk_ev_capture *c)
{
    for (size_t i = 0; i < c->unread.n; i++)
        free(c->unread.v[i]);
    tk_vec_release(&c->unread);
}

/*
 * Telling of troubles.
 */

static const struct {
    enum tk_health_kind kind;
    const char *text;
    const char *one, *many; /* NULL: what the file consists of */
} list[] = {
#define TROUBLE_ROW(symbol, kind, text)               {TK_HEALTH_##kind, text, NULL, NULL},
#define TROUBLE_OF_ROW(symbol, kind, one, many, text) {TK_HEALTH_##kind, text, one, many},
    TK_EV_TROUBLES(TROUBLE_ROW) TK_EV_TROUBLES_OF(TROUBLE_OF_ROW)
#undef TROUBLE_ROW
#undef TROUBLE_OF_ROW
};

void tk_ev_troubles_tell(const struct tk_ev_troubles *t, struct tk_health *health, const char *one,
                         const char *many)
{
    for (unsigned i = 0; i < TK_EV_TROUBLE_COUNT; i++) {
        uint64_t n = t->of[i].count;
        const char *noun = n == 1 ? one : many;
        if (list[i].one)
            noun = n == 1 ? list[i].one : list[i].many;
        if (n)
            tk_health_note(health, list[i].kind, t->of[i].first, n, "%llu %s %s", (unsigned long long)n, noun,
                           list[i].text);
    }
}
