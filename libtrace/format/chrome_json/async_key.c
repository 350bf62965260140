/*
 * Keys of asynchronous work.
 */
#include "format/chrome_json/chrome_json_in.h"

#include <string.h>

enum { BY_ID = 1, BY_GLOBAL, BY_LOCAL };

static bool is_id(const struct tk_jscan_value *v)
{
    return v->kind == TK_JSON_STRING || v->kind == TK_JSON_NUMBER || v->kind == TK_JSON_TRUE ||
           v->kind == TK_JSON_FALSE;
}

/* Where the id stands: by id, or in id2. */
static unsigned find_id(const struct tk_cj_event *e, struct tk_jscan_value *id)
{
    *id = e->field[TK_CJ_ID];
    if (is_id(id))
        return BY_ID;
    *id = tk_cj_member(&e->field[TK_CJ_ID2], "global", 6);
    if (is_id(id))
        return BY_GLOBAL;
    *id = tk_cj_member(&e->field[TK_CJ_ID2], "local", 5);
    return is_id(id) ? BY_LOCAL : 0;
}

/* An id is compared as it stands: a number and a text of the same digits are one. 0, or -1 without memory. */
static int hash_id(struct tk_cj_meaning *m, const struct tk_jscan_value *v, uint64_t *out)
{
    struct tk_bytes text = {v->p, v->n};
    if (v->escaped) {
        if (tk_vec_reserve(&m->text, v->n))
            return -1;
        text = (struct tk_bytes){m->text.v, tk_jscan_unescape(v, m->text.v)};
    }
    *out = tk_hash_bytes(text.p, text.n, 0);
    return 0;
}

int tk_cj_async_key(struct tk_cj_meaning *m, const struct tk_cj_event *e, bool old, struct tk_ev_key *key,
                    bool *without)
{
    struct tk_jscan_value id;
    unsigned by = find_id(e, &id);
    *key = (struct tk_ev_key){{0}};
    *without = !by;
    if (!by)
        return 0;
    uint32_t process = by == BY_LOCAL ? tk_cj_process(m, e) : 0;
    if (by == BY_LOCAL && process == UINT32_MAX)
        return -1;
    key->word[0] = by | (old ? 16u : 0);
    if (hash_id(m, &id, &key->word[1]))
        return -1;
    key->word[2] = by == BY_LOCAL ? (uint64_t)process + 1 : 0;
    key->word[3] = tk_cj_name(m, &e->field[TK_CJ_SCOPE]);
    key->word[4] = old ? TK_EV_NO_NAME : tk_cj_name(m, &e->field[TK_CJ_CAT]);
    key->word[5] = old ? tk_cj_name(m, &e->field[TK_CJ_NAME]) : TK_EV_NO_NAME;
    return m->c->names.failed ? -1 : 0;
}

struct tk_jscan_value tk_cj_first_loc(const struct tk_jscan_value *args)
{
    struct tk_jscan_value none = {.kind = TK_JSON_NONE};
    const uint8_t *p = args->p, *end = args->p + args->n;
    while ((p = memchr(p, 'l', (size_t)(end - p))) != NULL) { /* a look before it is parsed */
        if (end - p >= 4 && p[-1] == '"' && memcmp(p, "loc\"", 4) == 0)
            return tk_cj_member(args, "loc", 3);
        p++;
    }
    return none;
}
