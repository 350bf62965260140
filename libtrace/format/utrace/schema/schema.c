/*
 * The registry of types. Parsing of the records is in declare.c.
 */
#include "format/utrace/schema/schema.h"

#include "base/hash.h"
#include "format/utrace/schema/event.h"

#include <stdlib.h>
#include <string.h>

/*
 * What fields refer to.
 */

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

struct displayed {
    struct tk_record rec;
    struct tk_cell id, text;
};

static void value(const struct tk_record *rec, uint32_t field, struct tk_cell *out)
{
    const struct displayed *displayed = rec->impl;
    *out = field ? displayed->text : displayed->id;
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
    struct displayed *displayed =
        out->kind == TK_UINT ? tk_arena_alloc(ev->scratch, sizeof *displayed) : NULL;
    if (!displayed)
        return;
    const struct tk_str *text = text_of_references(ev->references, ev, f, out->v.u);
    *displayed = (struct displayed){.rec = {text ? &resolved : &bare, displayed}, .id = *out};
    if (text)
        displayed->text = (struct tk_cell){.kind = TK_TEXT, .enc = text->enc, .n = text->n, .v.p = text->p};
    *out = (struct tk_cell){.kind = TK_RECORD, .v.p = &displayed->rec};
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

int tk_ut_schema_init(struct tk_ut_schema *s, uint8_t protocol, struct tk_intern *strings,
                      struct tk_health *health, const struct tk_limits *limits,
                      const struct tk_ut_describer *describer, struct tk_err *err)
{
    *s = (struct tk_ut_schema){.describer = describer,
                               .strings = strings,
                               .health = health,
                               .max_types = limits->types,
                               .max_fields = limits->fields,
                               .protocol = protocol};
    s->by_uid = calloc((size_t)UINT16_MAX + 1, sizeof *s->by_uid);
    return s->by_uid ? TK_OK : tk_err_nomem(err, "the event types");
}

static bool same_field(const struct tk_ut_field *a, const struct tk_ut_field *b)
{
    return a->name == b->name && a->offset == b->offset && a->size == b->size && a->info == b->info &&
           a->family == b->family && a->ref == b->ref;
}

static bool same_layout(const struct tk_ut_type *a, const struct tk_ut_type *b)
{
    if (a->logger != b->logger || a->event != b->event || a->flags != b->flags || a->n_fields != b->n_fields)
        return false;
    for (size_t i = 0; i < a->n_fields; i++)
        if (!same_field(&a->fields[i], &b->fields[i]))
            return false;
    return true;
}

/* "Logger.Event", NUL-terminated behind its length. */
static const struct tk_str *full_name(struct tk_ut_schema *s, const struct tk_ut_type *t)
{
    size_t n = (size_t)t->logger->n + 1 + t->event->n;
    char *p = tk_arena_bytes(&s->arena, n + 1);
    struct tk_str *name = tk_arena_alloc(&s->arena, sizeof *name);
    if (!p || !name)
        return NULL;
    memcpy(p, t->logger->p, t->logger->n);
    p[t->logger->n] = '.';
    memcpy(p + t->logger->n + 1, t->event->p, t->event->n);
    p[n] = 0;
    *name = (struct tk_str){p, (uint32_t)n, t->logger->enc > t->event->enc ? t->logger->enc : t->event->enc};
    return name;
}

static uint8_t role_of(const struct tk_ut_type *t)
{
    static const char *const names[] = {"", "$Trace.NewTrace", "$Trace.Timing", "$Trace.ThreadTiming",
                                        "Tracekit.Gap"};
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (strcmp(t->name->p, names[i]) == 0)
            return (uint8_t)i;
    return TK_UT_ROLE_NONE;
}

/* The first type of its names, or its own id. Names are interned: same text, same address. */
static int first_of_name(struct tk_ut_schema *s, struct tk_ut_type *t)
{
    uint64_t key = tk_hash_u64((uintptr_t)t->logger) ^ (uintptr_t)t->event;
    for (;; key = tk_hash_u64(key)) {
        uint32_t at = tk_map_get(&s->by_name, key);
        t->same = at == TK_MAP_NONE ? t->id : at;
        if (at == TK_MAP_NONE)
            return tk_map_put(&s->by_name, key, t->id);
        if (s->types.v[at]->logger == t->logger && s->types.v[at]->event == t->event)
            return 0;
    }
}

static int describe_schema(struct tk_ut_schema *s, struct tk_ut_type *t)
{
    struct tk_str *names = tk_arena_alloc(&s->arena, t->n_fields * sizeof *names);
    if (!names || !(t->name = full_name(s, t)))
        return TK_ENOMEM;
    for (size_t i = 0; i < t->n_fields; i++)
        names[i] = *t->fields[i].name;
    t->record = (struct tk_record_type){.name = t->name->p,
                                        .text = t->name,
                                        .n_fields = t->n_fields,
                                        .fields = names,
                                        .value = s->describer->value};
    if (s->describer->family_of)
        t->record.family = s->describer->family_of(t);
    return TK_OK;
}

/* Values of fields that do not lie inside of their events are not displayed. */
static void note_unreadable(struct tk_ut_schema *s, const struct tk_ut_type *t, uint64_t offset)
{
    for (size_t i = 0; i < t->n_fields; i++)
        if (!t->fields[i].readable)
            tk_health_note(s->health, TK_HEALTH_FIELD_UNREADABLE, offset, 1,
                           "field %zu of the type with uid %u lies outside its events", i, t->uid);
}

static int keep_stated(struct tk_ut_schema *s, struct tk_ut_type *t, const uint8_t *p, size_t n)
{
    if (n > TK_UT_MOST_STATED - s->stated_bytes)
        return TK_OK;
    s->stated_bytes += n;
    t->stated_bytes = (uint32_t)n;
    t->stated = tk_arena_copy(&s->arena, p, n);
    return t->stated ? TK_OK : TK_ENOMEM;
}

int tk_ut_schema_declare(struct tk_ut_schema *s, const uint8_t *p, size_t n, uint64_t offset)
{
    struct tk_ut_type t;
    const char *why = NULL;
    int rc = tk_ut_declare_parse(s, p, n, &t, &why);
    if (rc == TK_ENOMEM)
        return rc;
    if (rc != TK_OK) {
        tk_health_note(s->health, TK_HEALTH_DECLARATION_DAMAGED, offset, 1,
                       "a type declaration was refused: %s", why);
        return TK_OK;
    }
    struct tk_ut_type *old = s->by_uid[t.uid];
    if (old && same_layout(old, &t))
        return TK_OK;
    note_unreadable(s, &t, offset);
    if (s->types.n >= s->max_types) {
        tk_health_limit(s->health, TK_LIMIT_types, offset, 1, "more than %zu event types", s->types.n);
        return TK_OK;
    }
    if (t.n_fields > s->max_fields - s->n_fields) {
        tk_health_limit(s->health, TK_LIMIT_fields, offset, 1, "an event type with %u fields was left out",
                        (unsigned)t.n_fields);
        return TK_OK;
    }
    struct tk_ut_type *kept = tk_arena_alloc(&s->arena, sizeof *kept);
    t.id = (uint32_t)s->types.n;
    if (!kept || keep_stated(s, &t, p, n) != TK_OK || describe_schema(s, &t) != TK_OK ||
        tk_vec_reserve(&s->types, s->types.n + 1) || first_of_name(s, &t))
        return TK_ENOMEM;
    t.role = role_of(&t);
    t.plain = !t.role && !(t.flags & TK_UT_FLAG_AUX);
    t.from = offset;
    t.older = old;
    *kept = t;
    s->types.v[s->types.n++] = kept;
    s->by_uid[t.uid] = kept;
    s->n_fields += t.n_fields;
    if (old)
        tk_health_note(s->health, TK_HEALTH_TYPE_REDECLARED, offset, 1,
                       "uid %u is declared again as '%s', with another layout", t.uid, t.name->p);
    return TK_OK;
}

const struct tk_ut_field *tk_ut_type_field(const struct tk_ut_type *t, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < t->n_fields; i++)
        if (t->fields[i].name->n == n && memcmp(t->fields[i].name->p, name, n) == 0)
            return &t->fields[i];
    return NULL;
}

void tk_ut_schema_release(struct tk_ut_schema *s)
{
    free(s->by_uid);
    tk_vec_release(&s->types);
    tk_map_release(&s->by_name);
    tk_arena_release(&s->arena);
    *s = (struct tk_ut_schema){0};
}
