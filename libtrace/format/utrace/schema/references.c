/*
 * What fields refer to: see references.h.
 */
#include "format/utrace/schema/references.h"

/* ---- definitions ---- */

static uint64_t key_of_references(uint32_t type, uint64_t id)
{
    return tk_hash_pair(id, type);
}

/* The key under which it is, or would be. */
static uint64_t find_references(const struct tk_ut_references *r, uint32_t type, uint64_t id, uint32_t *at)
{
    uint64_t key = key_of_references(type, id);
    while ((*at = tk_map_get(&r->index, key)) != TK_MAP_NONE &&
           (r->items.v[*at].type != type || r->items.v[*at].id != id))
        key++;
    return key;
}

int tk_ut_references_add(struct tk_ut_references *r, const struct tk_fact_definition *info, uint64_t limit)
{
    struct tk_ut_reference item = {info->type, info->id, info->text};
    uint32_t at;
    uint64_t key = find_references(r, item.type, item.id, &at);
    if (at != TK_MAP_NONE) {
        r->items.v[at] = item;
        return TK_OK;
    }
    if (r->items.n >= limit) {
        r->left_out++;
        return TK_OK;
    }
    return tk_vec_push(&r->items, item) || tk_map_put(&r->index, key, (uint32_t)r->items.n - 1) ? TK_ENOMEM
                                                                                                : TK_OK;
}

/* ---- values ---- */

struct shown {
    struct tk_record rec;
    struct tk_cell id, text;
};

static void value(const struct tk_record *rec, uint32_t field, struct tk_cell *out)
{
    const struct shown *shown = rec->impl;
    *out = field ? shown->text : shown->id;
}

static const struct tk_str fields[] = {{"id", 2, TK_ENC_UTF8}, {"text", 4, TK_ENC_UTF8}};
static const struct tk_record_type bare = {
    .name = "reference", .n_fields = 1, .fields = fields, .value = value};
static const struct tk_record_type resolved = {
    .name = "reference", .n_fields = 2, .fields = fields, .value = value};

static const struct tk_str *text_of_references(const struct tk_ut_references *r, const struct tk_ut_event *ev,
                                               const struct tk_ut_field *f, uint64_t id)
{
    const struct tk_ut_type *type = tk_ut_schema_find(r->schema, f->ref, ev->offset);
    uint32_t at = TK_MAP_NONE;
    if (type)
        find_references(r, type->same, id, &at);
    return at == TK_MAP_NONE ? NULL : r->items.v[at].text;
}

static void show(const struct tk_ut_event *ev, const struct tk_ut_field *f, struct tk_cell *out)
{
    struct shown *shown = out->kind == TK_UINT ? tk_arena_alloc(ev->scratch, sizeof *shown) : NULL;
    if (!shown)
        return;
    const struct tk_str *text = text_of_references(ev->references, ev, f, out->v.u);
    *shown = (struct shown){.rec = {text ? &resolved : &bare, shown}, .id = *out};
    if (text)
        shown->text = (struct tk_cell){.kind = TK_TEXT, .enc = text->enc, .n = text->n, .v.p = text->p};
    *out = (struct tk_cell){.kind = TK_RECORD, .v.p = &shown->rec};
}

void tk_ut_references_init(struct tk_ut_references *r, const struct tk_ut_schema *schema)
{
    *r = (struct tk_ut_references){.schema = schema, .show = show};
}

void tk_ut_references_release(struct tk_ut_references *r)
{
    tk_map_release(&r->index);
    tk_vec_release(&r->items);
}
