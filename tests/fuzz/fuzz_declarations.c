/*
 * Declarations: u8 protocol, then records of u16 bytes each.
 */
#include "format/utrace/schema/schema.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

/* Names are not NUL-terminated, and one with a NUL inside cannot be requested. */
static void check_name(const struct tk_ut_type *t, const struct tk_str *name)
{
    char text[UINT8_MAX + 1];
    memcpy(text, name->p, name->n);
    text[name->n] = 0;
    if (strlen(text) < name->n)
        return;
    const struct tk_ut_field *found = tk_ut_type_field(t, text);
    fuzz_promise(found && found->name == name, "a field is found by its name");
}

static void check_type(const struct tk_ut_schema *s, const struct tk_ut_type *t)
{
    for (uint32_t i = 0; i < t->n_fields; i++) {
        const struct tk_ut_field *f = &t->fields[i];
        fuzz_promise(!f->readable || (uint32_t)f->offset + f->size <= t->fixed ||
                         (f->info & TK_UT_INFO_ARRAY),
                     "a readable field lies inside of the fixed part");
        check_name(t, f->name);
    }
    fuzz_promise(t->same < s->types.n && s->types.v[t->same]->logger == t->logger &&
                     s->types.v[t->same]->event == t->event,
                 "types of one name are one");
    fuzz_promise(tk_ut_schema_find(s, t->uid, UINT64_MAX) != NULL, "what was declared is found");
}

static const struct tk_ut_describer describer = {NULL, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct tk_intern strings = {.limit = 1 << 20};
    struct tk_health health = {.max_items = 100};
    struct tk_limits limits = tk_limits_default();
    struct tk_ut_schema schema;
    uint8_t protocol = fuzz_u8(&in) % 8;
    limits.types = 64;
    limits.fields = 512;
    fuzz_promise(tk_ut_schema_init(&schema, protocol, &strings, &health, &limits, &describer, NULL) == TK_OK,
                 "a schema");
    for (uint64_t offset = 0; in.n; offset += 10) {
        size_t n = (size_t)fuzz_uint(&in, 2);
        struct fuzz_in record = fuzz_take(&in, n);
        uint8_t *p = fuzz_copy(record.p, record.n);
        int rc = tk_ut_schema_declare(&schema, p, record.n, offset);
        size_t types = schema.types.n;
        fuzz_promise(rc == TK_OK || rc == TK_ENOMEM, "taken or refused");
        rc = tk_ut_schema_declare(&schema, p, record.n, offset + 1);
        fuzz_promise(rc != TK_OK || schema.types.n == types, "the same again is no other type");
        free(p);
    }
    fuzz_promise(schema.types.n <= 64, "no more types than the limit");
    for (size_t i = 0; i < schema.types.n; i++)
        check_type(&schema, schema.types.v[i]);
    tk_ut_schema_release(&schema);
    tk_intern_release(&strings);
    tk_health_release(&health);
    return 0;
}
