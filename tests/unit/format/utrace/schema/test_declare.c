/*
 * Declarations: both record forms, what is refused, redeclaration by place (wire 3.7 to 3.10).
 */
#include "format/utrace/lines.h"
#include "format/utrace/schema/schema.h"
#include "utrace_writer.h"

struct fixture {
    struct tk_intern strings;
    struct tk_health health;
    struct tk_ut_schema schema;
};

static const struct tk_ut_describer describer = {NULL, NULL};

static void set_up(struct fixture *f, uint8_t protocol)
{
    *f = (struct fixture){.health = {.max_items = 100}};
    const struct tk_limits limits = tk_limits_default();
    ck_assert_int_eq(
        tk_ut_schema_init(&f->schema, protocol, &f->strings, &f->health, &limits, &describer, NULL), TK_OK);
}

static void tear_down(struct fixture *f)
{
    tk_ut_schema_release(&f->schema);
    tk_intern_release(&f->strings);
    tk_health_release(&f->health);
}

/* In memory of exactly its size. */
static void declare_at(struct fixture *f, const void *p, size_t n, uint64_t offset)
{
    uint8_t *copy = malloc(n + !n);
    memcpy(copy, p, n);
    ck_assert_int_eq(tk_ut_schema_declare(&f->schema, copy, n, offset), TK_OK);
    free(copy);
}

#define DECLARE(f, text) declare_at((f), (text), sizeof(text) - 1, 0)

static void declare_type(struct fixture *f, const struct tk_uw_type *type, uint64_t offset)
{
    struct tk_uw_bytes bytes = {0};
    tk_uw_declaration(&bytes, f->schema.protocol, type);
    declare_at(f, bytes.data, bytes.size, offset);
    tk_uw_bytes_release(&bytes);
}

static uint64_t refused(const struct fixture *f)
{
    return f->health.counts[TK_HEALTH_DECLARATION_DAMAGED];
}

static void check_field(const struct tk_ut_type *t, unsigned i, const char *name, unsigned offset,
                        unsigned size, unsigned info)
{
    const struct tk_ut_field *field = &t->fields[i];
    ck_assert_uint_eq(field->name->n, strlen(name));
    ck_assert_int_eq(memcmp(field->name->p, name, field->name->n), 0);
    ck_assert_uint_eq(field->offset, offset);
    ck_assert_uint_eq(field->size, size);
    ck_assert_uint_eq(field->info, info);
    ck_assert(field->readable);
    ck_assert_ptr_eq(tk_ut_type_field(t, name), field);
    ck_assert_uint_eq(tk_ut_field_index(t, field), i);
}

/* The example of wire 3.7. */
START_TEST(form_a)
{
    struct fixture f;
    set_up(&f, 5);
    DECLARE(&f,
            "\x10\x00\x04\x05\x06\x08"
            "\x00\x00\x08\x00\x03\x0A\x08\x00\x08\x00\x03\x0E\x10\x00\x02\x00\x01\x06\x12\x00\x01\x00\x00\x0B"
            "$TraceNewTraceStartCycleCycleFrequencyEndianPointerSize");
    const struct tk_ut_type *t = tk_ut_schema_find(&f.schema, 16, 0);
    ck_assert_ptr_nonnull(t);
    ck_assert_str_eq(t->name->p, "$Trace.NewTrace");
    ck_assert_uint_eq(t->flags, TK_UT_FLAG_IMPORTANT | TK_UT_FLAG_NOSYNC);
    ck_assert_uint_eq(t->fixed, 19);
    ck_assert_uint_eq(t->n_fields, 4);
    check_field(t, 0, "StartCycle", 0, 8, 3);
    check_field(t, 1, "CycleFrequency", 8, 8, 3);
    check_field(t, 2, "Endian", 16, 2, 1);
    check_field(t, 3, "PointerSize", 18, 1, 0);
    ck_assert_uint_eq(t->role, TK_UT_ROLE_NEW_TRACE);
    ck_assert_ptr_null(tk_ut_type_field(t, "startcycle"));
    ck_assert_ptr_null(tk_ut_type_field(t, "StartCycl"));
    ck_assert_uint_eq(refused(&f), 0);
    tear_down(&f);
}
END_TEST

/* The example of wire 3.8; padding and unused bytes are garbage. */
START_TEST(form_b)
{
    struct fixture f;
    set_up(&f, 7);
    DECLARE(&f, "\x13\x00\x02\x0E\x04\x03"
                "\x00\xEE\x00\x00\x00\x00\x89\x04\x02\xEE\x00\x00\xEE\xEE\xEE\x02"
                "DemoStrText\x00");
    DECLARE(&f,
            "\x14\x00\x03\x02\x04\x03"
            "\x00\x00\x00\x00\x04\x00\x42\x05\x01\x00\x04\x00\x13\x00\x02\x04\x00\x00\x08\x00\x00\x00\x81\x04"
            "DemoHitValueNameData");
    const struct tk_ut_type *str = tk_ut_schema_find(&f.schema, 19, 0),
                            *hit = tk_ut_schema_find(&f.schema, 20, 0);
    ck_assert_ptr_nonnull(str);
    ck_assert_ptr_nonnull(hit);
    ck_assert_uint_eq(str->flags, TK_UT_FLAG_AUX | TK_UT_FLAG_NOSYNC | TK_UT_FLAG_DEFINITION);
    ck_assert_uint_eq(str->fixed, 4);
    check_field(str, 0, "Text", 0, 0, 0x89);
    check_field(str, 1, "DefinitionId", 0, 4, 2);
    ck_assert_uint_eq(str->fields[1].family, TK_UT_DEFINITION_ID);
    ck_assert_uint_eq(hit->fixed, 8);
    check_field(hit, 0, "Value", 0, 4, 0x42);
    check_field(hit, 1, "Name", 4, 4, 2);
    check_field(hit, 2, "Data", 8, 0, 0x81);
    ck_assert_uint_eq(hit->fields[1].family, TK_UT_REFERENCE);
    ck_assert_uint_eq(hit->fields[1].ref, 19);
    ck_assert_uint_eq(refused(&f), 0);
    tear_down(&f);
}
END_TEST

/* Ids and references of all four sizes. */
START_TEST(definition_sizes)
{
    for (unsigned log2 = 0; log2 < 4; log2++) {
        uint8_t bytes[] = "\x13\x00\x02\x08\x01\x01"
                          "\x01\x00\x00\x00\x13\x00\x00\x01\x02\x00\x00\x00\x00\x00\x00\x00"
                          "ABR";
        struct fixture f;
        set_up(&f, 6);
        bytes[6 + 6] = (uint8_t)log2;
        bytes[6 + 8 + 2] = (uint8_t)(1u << log2);
        bytes[6 + 8 + 7] = (uint8_t)log2;
        declare_at(&f, bytes, sizeof bytes - 1, 0);
        const struct tk_ut_type *t = tk_ut_schema_find(&f.schema, 19, 0);
        check_field(t, 0, "R", 0, 1u << log2, log2);
        check_field(t, 1, "DefinitionId", 1u << log2, 1u << log2, log2);
        tear_down(&f);
    }
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        const char *bytes;
        size_t n;
        uint8_t protocol;
        const char *why;
    } cases[] = {
        {"", 0, 7, "shorter than its head"},
        {"\x13\x00\x00\x00\x01", 5, 7, "shorter than its head"},
        {"\x0F\x00\x00\x00\x01\x01"
         "AB",
         8, 7, "reserved"},
        {"\x00\x00\x00\x00\x01\x01"
         "AB",
         8, 5, "reserved"},
        {"\x13\x00\x01\x00\x01\x01\x00\x00\x00\x00\x04\x00\x02", 13, 7, "fields do not fit"},
        {"\x13\x00\x01\x00\x01\x01\x00\x00\x04\x00\x02", 11, 5, "fields do not fit"},
        {"\x13\x00\xFF\x00\x01\x01"
         "AB",
         8, 5, "fields do not fit"},
        {"\x13\x00\x00\x00\x01\x02"
         "AB",
         8, 7, "names do not fit"},
        {"\x13\x00\x01\x00\x01\x01\x00\x00\x04\x00\x02\x02"
         "ABN",
         15, 5, "names do not fit"},
        {"\x13\x00\x00\x00\x01\x01"
         "AB\x00\x00",
         10, 7, "longer than its content"},
        {"\x13\x00\x00\x00\x01\x01"
         "AB\x00",
         9, 7, "longer than its content"}, /* padding makes it even, not odd */
        {"\x13\x00\x01\x00\x01\x01\x03\x00\x00\x00\x04\x00\x02\x01"
         "ABN",
         17, 7, "unknown family"},
        {"\x13\x00\x01\x00\x01\x01\xFF\x00\x00\x00\x04\x00\x02\x01"
         "ABN",
         17, 6, "unknown family"},
        /* record A read as B and the other way round: the protocol number is wrong */
        {"\x13\x00\x02\x00\x01\x01\x00\x00\x04\x00\x02\x01\x04\x00\x04\x00\x02\x01"
         "ABNM",
         22, 7, "do not fit"},
        {"\x13\x00\x01\x00\x01\x01\x00\x00\x00\x00\x04\x00\x02\x01"
         "ABN",
         17, 5, "longer than its content"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        set_up(&f, cases[i].protocol);
        declare_at(&f, cases[i].bytes, cases[i].n, 77);
        ck_assert_msg(refused(&f) == 1, "case %zu was not refused", i);
        ck_assert_msg(strstr(f.health.items[0].text, cases[i].why) != NULL, "case %zu: %s", i,
                      f.health.items[0].text);
        ck_assert_uint_eq(f.health.items[0].offset, 77);
        ck_assert_uint_eq(f.schema.types.n, 0);
        ck_assert_ptr_null(tk_ut_schema_find(&f.schema, 19, 1000));
        tear_down(&f);
    }
}
END_TEST

/* Every prefix of a declaration is refused, or (where only its padding is missing) right. */
START_TEST(prefixes)
{
    static const uint8_t bytes[] = "\x13\x00\x02\x0E\x04\x03"
                                   "\x00\x00\x00\x00\x00\x00\x89\x04\x02\x00\x00\x00\x00\x00\x00\x02"
                                   "DemoStrText\x00";
    for (size_t n = 0; n < sizeof bytes - 1; n++) {
        struct fixture f;
        set_up(&f, 7);
        declare_at(&f, bytes, n, 0);
        ck_assert_uint_eq(refused(&f), n < sizeof bytes - 2);
        tear_down(&f);
    }
}
END_TEST

START_TEST(smallest_and_largest)
{
    static char names[255][4];
    struct tk_uw_field fields[255];
    struct tk_uw_type many = {.logger = "A", .event = "Many", TK_UW_FIELDS(fields), .uid = 32766};
    struct tk_uw_type none = {.logger = "A", .event = "None", .uid = 16};
    for (unsigned i = 0; i < 255; i++) {
        snprintf(names[i], sizeof names[i], "%u", i);
        fields[i] = (struct tk_uw_field){.name = names[i], .type = i % 3 ? TK_UW_U64 : TK_UW_ANSI};
    }
    for (uint8_t protocol = 5; protocol <= 7; protocol++) {
        struct fixture f;
        set_up(&f, protocol);
        declare_type(&f, &many, 0);
        declare_type(&f, &none, 0);
        const struct tk_ut_type *t = tk_ut_schema_find(&f.schema, 32766, 0);
        ck_assert_uint_eq(t->n_fields, 255);
        ck_assert_uint_eq(t->fixed, 170 * 8);
        check_field(t, 253, "253", 168 * 8, 8, 3);
        check_field(t, 254, "254", 169 * 8, 8, 3);
        t = tk_ut_schema_find(&f.schema, 16, 0);
        ck_assert_uint_eq(t->n_fields, 0);
        ck_assert_uint_eq(t->fixed, 0);
        ck_assert_uint_eq(f.health.n_items, 0);
        tear_down(&f);
    }
}
END_TEST

/* A field that lies outside is not read, the others are (wire 3.9). */
START_TEST(field_outside)
{
    struct fixture f;
    set_up(&f, 5);
    DECLARE(&f, "\x13\x00\x02\x00\x01\x01\x02\x00\x04\x00\x02\x01\x00\x00\x02\x00\x01\x01"
                "ABNM");
    const struct tk_ut_type *t = tk_ut_schema_find(&f.schema, 19, 0);
    ck_assert(t->fields[0].readable); /* 2 + 4 of 6 bytes */
    DECLARE(&f, "\x14\x00\x02\x00\x01\x01\x03\x00\x04\x00\x02\x01\x00\x00\x02\x00\x01\x01"
                "ABNM");
    t = tk_ut_schema_find(&f.schema, 20, 0);
    ck_assert(!t->fields[0].readable);
    ck_assert(t->fields[1].readable);
    ck_assert_uint_eq(t->fixed, 6);
    ck_assert_uint_eq(f.health.counts[TK_HEALTH_FIELD_UNREADABLE], 1);
    tear_down(&f);
}
END_TEST

static const struct tk_uw_field n_field[] = {{.name = "N", .type = TK_UW_U32}};
static const struct tk_uw_field m_field[] = {{.name = "M", .type = TK_UW_U16}};

/* Each declaration holds from its packet on; before the first one that one holds too (wire 3.10, 4.2). */
START_TEST(redeclared)
{
    struct fixture f;
    struct tk_uw_type type = {.logger = "A", .event = "B", TK_UW_FIELDS(n_field), .uid = 50};
    set_up(&f, 7);
    declare_type(&f, &type, 1000);
    declare_type(&f, &type, 1500); /* the same again changes nothing */
    ck_assert_uint_eq(f.schema.types.n, 1);
    ck_assert_uint_eq(f.health.n_items, 0);
    type.fields = m_field;
    declare_type(&f, &type, 2000);
    type.event = "C";
    declare_type(&f, &type, 3000);
    static const struct {
        uint64_t offset;
        const char *event, *field;
    } at[] = {{0, "A.B", "N"},    {999, "A.B", "N"},  {1000, "A.B", "N"}, {1999, "A.B", "N"},
              {2000, "A.B", "M"}, {2999, "A.B", "M"}, {3000, "A.C", "M"}, {UINT64_MAX, "A.C", "M"}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const struct tk_ut_type *t = tk_ut_schema_find(&f.schema, 50, at[i].offset);
        ck_assert_str_eq(t->name->p, at[i].event);
        ck_assert_ptr_nonnull(tk_ut_type_field(t, at[i].field));
    }
    ck_assert_uint_eq(f.health.counts[TK_HEALTH_TYPE_REDECLARED], 2);
    ck_assert(!tk_health_damaged(&f.health));
    tear_down(&f);
}
END_TEST

/* Two uids of one name are one type for whoever counts. */
START_TEST(same_name)
{
    struct fixture f;
    struct tk_uw_type type = {.logger = "A", .event = "B", TK_UW_FIELDS(n_field), .uid = 50};
    set_up(&f, 7);
    declare_type(&f, &type, 0);
    type.event = "C";
    type.uid = 51;
    declare_type(&f, &type, 0);
    type.event = "B";
    type.uid = 52;
    declare_type(&f, &type, 0);
    ck_assert_uint_eq(f.schema.types.v[0]->same, 0);
    ck_assert_uint_eq(f.schema.types.v[1]->same, 1);
    ck_assert_uint_eq(f.schema.types.v[2]->same, 0);
    tear_down(&f);
}
END_TEST

/* A refused redeclaration leaves the old one in force. */
START_TEST(refused_again)
{
    struct fixture f;
    struct tk_uw_type type = {.logger = "A", .event = "B", TK_UW_FIELDS(n_field), .uid = 50};
    set_up(&f, 7);
    declare_type(&f, &type, 0);
    DECLARE(&f, "\x32\x00\x00\x00\x01\x02"
                "AB");
    ck_assert_uint_eq(refused(&f), 1);
    ck_assert_str_eq(tk_ut_schema_find(&f.schema, 50, UINT64_MAX)->name->p, "A.B");
    tear_down(&f);
}
END_TEST

START_TEST(limit)
{
    struct fixture f;
    set_up(&f, 7);
    f.schema.max_types = 2;
    for (uint16_t uid = 20; uid < 24; uid++)
        declare_type(&f, &(struct tk_uw_type){.logger = "A", .event = "B", .uid = uid}, 0);
    ck_assert_uint_eq(f.schema.types.n, 2);
    ck_assert_uint_eq(f.health.counts[TK_HEALTH_LIMIT_REACHED], 2);
    ck_assert_ptr_null(tk_ut_schema_find(&f.schema, 22, 0));
    tear_down(&f);
}
END_TEST

/* Names need not be valid text. */
START_TEST(odd_names)
{
    struct fixture f;
    set_up(&f, 5);
    DECLARE(&f, "\x13\x00\x01\x00\x02\x00\x00\x00\x01\x00\x00\x00"
                "\xFF\xFE");
    const struct tk_ut_type *t = tk_ut_schema_find(&f.schema, 19, 0);
    ck_assert_uint_eq(t->logger->n, 2);
    ck_assert_uint_eq(t->event->n, 0);
    ck_assert_uint_eq(t->logger->enc, TK_ENC_BYTES);
    ck_assert_uint_eq(t->name->enc, TK_ENC_BYTES);
    ck_assert_uint_eq(t->fields[0].name->n, 0);
    tear_down(&f);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        form_a,        form_b,     definition_sizes, refusals,      prefixes, smallest_and_largest,
        field_outside, redeclared, same_name,        refused_again, limit,    odd_names};
    return RUN_TESTS("utrace declare", tests);
}
