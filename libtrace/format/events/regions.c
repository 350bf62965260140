/*
 * Pairing of asynchronous work; see regions.h. As scopes, but what is open inside stays open, as such work
 * may end before its parts.
 */
#include "format/events/regions.h"

static void fill(const struct tk_ev_capture *c, const struct tk_ev_item *item, uint32_t id,
                 struct tk_fact *fact)
{
    static const struct tk_str no_name = {"[No name]", 9, TK_ENC_UTF8};
    uint32_t category = (uint32_t)(uint64_t)item->value;
    const struct tk_str *name = tk_ev_name_text(&c->names, item->what);
    bool begin = !(item->order & TK_EV_REGION_ENDS);
    *fact = (struct tk_fact){.kind = TK_FACT_REGION,
                             .size = sizeof *fact,
                             .thread = TK_NO_THREAD,
                             .time = tk_ev_since(c->first, item->time),
                             .seq = TK_NO_SEQ};
    fact->u.region = (struct tk_fact_region){begin, true, id, begin ? (name ? name : &no_name) : NULL,
                                             tk_ev_name_text(&c->names, category)};
}

static int begin(struct tk_ev_regions *r, uint32_t key, uint32_t name, uint32_t *id)
{
    if (tk_vec_reach(&r->innermost, (size_t)key + 1) || r->open.n >= UINT32_MAX - 1)
        return -1;
    struct tk_ev_open_region open = {name, r->innermost.v[key]};
    if (tk_vec_push(&r->open, open))
        return -1;
    r->innermost.v[key] = (uint32_t)r->open.n;
    *id = (uint32_t)r->open.n;
    return 1;
}

enum { MOST_DEEP = 4096 }; /* open regions of a key that an end is compared with */

static int end(struct tk_ev_regions *r, uint32_t key, uint32_t name, uint32_t *id)
{
    uint32_t *link = key < r->innermost.n ? &r->innermost.v[key] : NULL;
    for (unsigned deep = 0; link && *link && deep < MOST_DEEP; deep++) {
        struct tk_ev_open_region *open = &r->open.v[*link - 1];
        if (name == TK_EV_NO_NAME || open->name == TK_EV_NO_NAME || open->name == name) {
            *id = *link;
            *link = open->outer;
            return 1;
        }
        link = &open->outer;
    }
    r->without_begin++;
    return 0;
}

int tk_ev_regions_take(struct tk_ev_regions *r, const struct tk_ev_capture *c, const struct tk_ev_item *item,
                       struct tk_fact *fact)
{
    uint32_t key = (uint32_t)((uint64_t)item->value >> 32), id = 0;
    int rc = item->order & TK_EV_REGION_ENDS ? end(r, key, item->what, &id) : begin(r, key, item->what, &id);
    if (rc == 1)
        fill(c, item, id, fact);
    else if (rc == 0 && !r->first_unmatched)
        r->first_unmatched = (uint64_t)(item->order >> 1) + 1;
    return rc;
}

void tk_ev_regions_release(struct tk_ev_regions *r)
{
    tk_vec_release(&r->open);
    tk_vec_release(&r->innermost);
}
