/* Every event that a family understands, declared with fields of other types than it has, with none of them,
 * and with numbers as large as they get: all tables are read, and what is there in addition is read as ever.
 */
#include "format/utrace/reading/reading_in.h"
#include "put.h"

static const struct {
    const char *kind; /* of all fields (put.h), NULL: there are none */
    uint64_t number;
    size_t n; /* bytes of arrays */
} forms[] = {
    {NULL, 0, 0},         {"b", UINT64_MAX, 0}, {"q", 0, 0},  {"q", UINT64_MAX, 0}, {"k", INT64_MAX, 0},
    {"q", 0x7fffffff, 0}, {"f", 0, 0},          {"d", 0, 0},  {"w", 0, 0},          {"s", 0, 0},
    {"B", 0, 0},          {"B", 0, 7},          {"B", 0, 64}, {"I", 0, 60},
};

enum { BINDS = 512, FIELDS_TEXT = 256 };

struct hostile {
    struct captured *c;
    struct put_type *types[BINDS];
    size_t n;
};

static void declare(struct hostile *h, const struct tk_ut_bind *bind, const char *kind)
{
    char fields[FIELDS_TEXT] = "";
    size_t at = 0;
    for (unsigned i = 0; kind && i < TK_UT_BIND_FIELDS && bind->fields[i]; i++)
        at +=
            (size_t)snprintf(fields + at, sizeof fields - at, "%s%s:%s", i ? " " : "", bind->fields[i], kind);
    ck_assert_uint_lt(h->n, BINDS);
    h->types[h->n] = put_new(h->c, bind->event, fields, h->n % 3 ? 0 : TK_UW_NOSYNC);
    h->n++;
}

/* All values of a kind, whatever the field. */
static void write_event(struct captured *c, unsigned lane, const struct put_type *t, size_t form)
{
    static const uint8_t bytes[64] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x0f, 0x84};
    struct tk_uw_lane *to = &c->lanes[lane];
    struct tk_uw_bytes text = {0};
    tk_uw_wide(&text, "%s %d %n/*");
    tk_uw_begin(to, &t->type);
    for (unsigned i = 0; i < t->type.field_count; i++)
        if (!put_is_value(&t->fields[i]))
            tk_uw_uint(&to->pending, forms[form].number, 1u << (t->fields[i].type & 3));
    for (unsigned i = 0; i < t->type.field_count; i++) {
        if (t->fields[i].type == TK_UW_WIDE || t->fields[i].type == TK_UW_ANSI)
            tk_uw_value(to, &t->type, i, text.data, text.size);
        else if (put_is_value(&t->fields[i]))
            tk_uw_value(to, &t->type, i, bytes, forms[form].n);
    }
    tk_uw_end(to, &t->type);
    tk_uw_bytes_release(&text);
}

static void declare_all(struct hostile *h, size_t form)
{
    for (size_t f = 0; tk_ut_families[f]; f++)
        for (const struct tk_ut_bind *b = tk_ut_families[f]->binds; b->event; b++)
            if (!strchr(b->event, '*') && strncmp(b->event, "$Trace.", 7) != 0)
                declare(h, b, forms[form].kind);
}

/* Each table alone: every family is requested by some, and not by the others. */
static void read_all(struct captured *c)
{
    static const char *const every = "*";
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    for (size_t i = 0; i < n; i++) {
        struct tk_query q = TK_INIT(struct tk_query);
        struct tk_options options = TK_INIT(struct tk_options);
        struct tk_sink nowhere = {NULL, NULL, NULL, NULL};
        struct tk_trace *trace = NULL;
        q.tables = &tables[i]->name;
        q.n_tables = 1;
        q.tree.callers = q.tree.callees = q.histogram = q.source_of = every;
        q.per_frame = &every;
        q.n_per_frame = 1;
        q.by = strcmp(tables[i]->name, "groups") == 0 ? TK_BY_REGION : 0;
        ck_assert_msg(tk_open(&trace, c->path, &options, &c->err) == TK_OK, "%s", c->err.text[0]);
        int rc = tk_query_run(trace, &q, &nowhere, &c->err);
        ck_assert_msg(rc == TK_OK || rc == TK_EMATCH, "table %s: %d, %s", tables[i]->name, rc,
                      c->err.text[0]);
        tk_close(trace);
    }
}

START_TEST(other_fields)
{
    size_t form = (size_t)_i;
    struct hostile h = {.c = captured_new(7)};
    struct put_type *counter = put_new(h.c, "Sound.Value", "Cycle:q X:i", 0);
    declare_all(&h, form);
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < h.n; i++)
            write_event(h.c, (unsigned)((i + round) % 2), h.types[i], form);
        put(h.c, 0, counter, Q(1000 + round), Q(round));
        captured_send(h.c);
    }
    captured_close(h.c);
    read_all(h.c);
    const char *const mine[] = {"Sound.*"};
    h.c->select = (struct tk_selection){.events = mine, .n_events = 1};
    ck_assert_str_eq(captured_table(h.c, "events", "event,time,fields"),
                     "Sound.Value|1000|{Cycle=1000 X=0}\nSound.Value|1001|{Cycle=1001 X=1}\n"
                     "Sound.Value|1002|{Cycle=1002 X=2}\n");
    for (size_t i = 0; i < h.n; i++)
        free(h.types[i]);
    free(counter);
    captured_free(h.c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {other_fields};
    return RUN_TESTS_EACH("hostile", tests, (int)(sizeof forms / sizeof *forms));
}
