/*
 * Structs of tracekit.h that callers without their layout make and fill: queries and options of captures.
 * Each lies at the start of a block that only such a struct has, and owns the texts that were set in it.
 */
#include "base/given.h"
#include "base/text/copy.h"
#include "base/text/glob.h"
#include "judge/hitches.h"
#include "query/query_fields.h"
#include "tracekit/captures.h"
#include "tracekit/queries.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum type { TYPE_BOOL, TYPE_UNSIGNED, TYPE_ENUM, TYPE_I64, TYPE_U64, TYPE_REAL, TYPE_TEXT, TYPE_LIST };

struct field {
    const char *name;
    enum type type;
    size_t at;
    size_t more;   /* TYPE_LIST: where its number of texts is; else a bool that says that the field counts */
    bool has_more; /* of the others than TYPE_LIST */
};

/* What stands for one kind of struct. */
struct form {
    const char *what;
    size_t size;
    const struct field *fields;
    size_t n;
};

#define FIELD(in, type, name, member)                                                                        \
    {                                                                                                        \
        name, type, offsetof(struct in, member), 0, false                                                    \
    }
#define MARKED(in, type, name, member, has)                                                                  \
    {                                                                                                        \
        name, type, offsetof(struct in, member), offsetof(struct in, has), true                              \
    }
#define LIST(in, name, member, number)                                                                       \
    {                                                                                                        \
        name, TYPE_LIST, offsetof(struct in, member), offsetof(struct in, number), false                     \
    }

#define QUERY_LIST(name, member, number)       LIST(tk_query, name, member, number),
#define QUERY_FIELD(kind, name, member)        FIELD(tk_query, TYPE_##kind, name, member),
#define QUERY_MARKED(kind, name, member, flag) MARKED(tk_query, TYPE_##kind, name, member, flag),
#define QUERY_NUMBERS(member, number)

static const struct field query_fields[] = {
    TK_QUERY_FIELDS(QUERY_LIST, QUERY_FIELD, QUERY_MARKED, QUERY_NUMBERS)};

static const struct field option_fields[] = {
    LIST(tk_options, "limits", limits, n_limits),
    FIELD(tk_options, TYPE_TEXT, "spool_dir", spool_dir),
    FIELD(tk_options, TYPE_BOOL, "map", map),
    FIELD(tk_options, TYPE_BOOL, "strict", strict),
    FIELD(tk_options, TYPE_UNSIGNED, "jobs", jobs),
    LIST(tk_options, "symbols", symbols, n_symbols),
    LIST(tk_options, "sources", sources, n_sources),
    FIELD(tk_options, TYPE_BOOL, "no_symbols", no_symbols),
    FIELD(tk_options, TYPE_BOOL, "cache_symbols", cache_symbols),
    FIELD(tk_options, TYPE_BOOL, "no_inlines", no_inlines),
    FIELD(tk_options, TYPE_BOOL, "in_part", in_part),
    FIELD(tk_options, TYPE_TEXT, "frames_from", frames_from),
    FIELD(tk_options, TYPE_TEXT, "per", per),
    FIELD(tk_options, TYPE_TEXT, "index", index),
};

static const struct form forms[] = {
    {"query", sizeof(struct tk_query), query_fields, sizeof query_fields / sizeof *query_fields},
    {"options", sizeof(struct tk_options), option_fields, sizeof option_fields / sizeof *option_fields},
};

enum { QUERY, OPTIONS };

/* ---- making and freeing ---- */

static int make(const struct form *form, void **out, struct tk_err *err)
{
    *out = calloc(1, form->size);
    if (!*out)
        return tk_err_nomem(err, form->what);
    memcpy(*out, &form->size, sizeof form->size);
    return TK_OK;
}

/* Members are pointers to what is constant for everybody else, so they are read and written as bytes. */
static void *pointer_at(const void *s, size_t at)
{
    void *p;
    memcpy(&p, (const char *)s + at, sizeof p);
    return p;
}

static void set_pointer(void *s, size_t at, void *p)
{
    memcpy((char *)s + at, &p, sizeof p);
}

static size_t length_of(const void *s, const struct field *field)
{
    size_t n;
    memcpy(&n, (const char *)s + field->more, sizeof n);
    return n;
}

static void release_field(void *s, const struct field *field)
{
    if (field->type == TYPE_TEXT)
        free(pointer_at(s, field->at));
    if (field->type != TYPE_LIST)
        return;
    char **list = pointer_at(s, field->at);
    for (size_t i = 0; i < length_of(s, field); i++)
        free(list[i]);
    free(list);
}

static void release(const struct form *form, void *s)
{
    for (size_t i = 0; s && i < form->n; i++)
        release_field(s, &form->fields[i]);
    free(s);
}

/* ---- setting ---- */

/* NULL with TK_EMATCH in err where there is none of one of these types. */
static const struct field *find_field(const struct form *form, const char *name, unsigned types,
                                      struct tk_err *err)
{
    struct tk_nearest_search near;
    size_t n = 0;
    tk_nearest_begin(&near, name);
    for (size_t i = 0; i < form->n; i++) {
        const struct field *field = &form->fields[i];
        if (!(types >> field->type & 1))
            continue;
        if (strcmp(field->name, name) == 0)
            return field;
        n++;
        tk_nearest_offer(&near, field->name, strlen(field->name));
    }
    tk_nearest_fail(&near, "field", n, err);
    return NULL;
}

static int put_text(const struct form *form, void *s, const char *name, const char *text, struct tk_err *err)
{
    const struct field *field = find_field(form, name, 1u << TYPE_TEXT, err);
    if (!field)
        return TK_EMATCH;
    char *copy = tk_text_copy(text);
    if (!copy)
        return tk_err_nomem(err, "a text");
    free(pointer_at(s, field->at));
    set_pointer(s, field->at, copy);
    return TK_OK;
}

static int add_text(const struct form *form, void *s, const char *name, const char *text, struct tk_err *err)
{
    const struct field *field = find_field(form, name, 1u << TYPE_LIST, err);
    if (!field)
        return TK_EMATCH;
    size_t n = length_of(s, field);
    char **list = realloc(pointer_at(s, field->at), (n + 1) * sizeof *list);
    if (!list)
        return tk_err_nomem(err, "a list");
    set_pointer(s, field->at, list);
    list[n] = tk_text_copy(text);
    if (!list[n])
        return tk_err_nomem(err, "a text");
    n++;
    memcpy((char *)s + field->more, &n, sizeof n);
    return TK_OK;
}

static bool fits(enum type type, int64_t value)
{
    static const int64_t most[] = {[TYPE_BOOL] = 1, [TYPE_UNSIGNED] = UINT32_MAX, [TYPE_ENUM] = INT32_MAX};
    return type == TYPE_I64 || (value >= 0 && (type == TYPE_U64 || value <= most[type]));
}

static void store(void *to, enum type type, int64_t value)
{
    const bool flag = value != 0;
    const unsigned small = (unsigned)value;
    const int number = (int)value;
    if (type == TYPE_BOOL)
        memcpy(to, &flag, sizeof flag);
    else if (type == TYPE_UNSIGNED)
        memcpy(to, &small, sizeof small);
    else if (type == TYPE_ENUM)
        memcpy(to, &number, sizeof number);
    else
        memcpy(to, &value, sizeof value);
}

static int put_number(const struct form *form, void *s, const char *name, int64_t value, struct tk_err *err)
{
    const unsigned types =
        1u << TYPE_BOOL | 1u << TYPE_UNSIGNED | 1u << TYPE_ENUM | 1u << TYPE_I64 | 1u << TYPE_U64;
    const struct field *field = find_field(form, name, types, err);
    if (!field)
        return TK_EMATCH;
    if (!fits(field->type, value))
        return tk_err_set(err, TK_EUSAGE, "the field '%s' cannot be %lld", name, (long long)value);
    store((char *)s + field->at, field->type, value);
    if (field->has_more)
        store((char *)s + field->more, TYPE_BOOL, 1);
    return TK_OK;
}

/* ---- queries ---- */

int tk_query_new(struct tk_query **out, struct tk_err *err)
{
    TK_GIVEN(err, out);
    void *s;
    int rc = make(&forms[QUERY], &s, err);
    *out = s;
    return rc;
}

int tk_query_set(struct tk_query *query, const char *field, int64_t value, struct tk_err *err)
{
    TK_GIVEN(err, query, field);
    return put_number(&forms[QUERY], query, field, value, err);
}

int tk_query_real(struct tk_query *query, const char *field, double value, struct tk_err *err)
{
    TK_GIVEN(err, query, field);
    const struct field *found = find_field(&forms[QUERY], field, 1u << TYPE_REAL, err);
    if (found)
        memcpy((char *)query + found->at, &value, sizeof value);
    return found ? TK_OK : TK_EMATCH;
}

int tk_query_text(struct tk_query *query, const char *field, const char *text, struct tk_err *err)
{
    TK_GIVEN(err, query, field, text);
    return put_text(&forms[QUERY], query, field, text, err);
}

int tk_query_add(struct tk_query *query, const char *field, const char *text, struct tk_err *err)
{
    TK_GIVEN(err, query, field, text);
    return add_text(&forms[QUERY], query, field, text, err);
}

int tk_query_hitches(struct tk_query *query, const char *text, struct tk_err *err)
{
    struct tk_hitch_rule rule;
    TK_GIVEN(err, query, text);
    if (!tk_hitch_rule_parse(text, &rule))
        return tk_err_set(
            err, TK_EUSAGE,
            "hitches are 'local', 'unreal', 'median', milliseconds or a multiple of the median, as 33.3 "
            "or 2.5x, not '%.60s'",
            text);
    struct tk_hitch_query *hitches = &query->hitches;
    hitches->budget_ns = rule.kind == TK_HITCH_RULE_LIMIT ? (int64_t)(rule.value * 1e6 + 0.5) : 0;
    hitches->times = rule.kind == TK_HITCH_RULE_TIMES ? rule.value : 0;
    hitches->engine = rule.kind == TK_HITCH_RULE_ENGINE;
    return TK_OK;
}

void tk_query_free(struct tk_query *query)
{
    release(&forms[QUERY], query);
}

/* ---- options of captures ---- */

int tk_options_new(struct tk_options **out, struct tk_err *err)
{
    TK_GIVEN(err, out);
    void *s;
    int rc = make(&forms[OPTIONS], &s, err);
    *out = s;
    return rc;
}

int tk_options_set(struct tk_options *options, const char *field, int64_t value, struct tk_err *err)
{
    TK_GIVEN(err, options, field);
    return put_number(&forms[OPTIONS], options, field, value, err);
}

int tk_options_text(struct tk_options *options, const char *field, const char *text, struct tk_err *err)
{
    TK_GIVEN(err, options, field, text);
    return put_text(&forms[OPTIONS], options, field, text, err);
}

int tk_options_add(struct tk_options *options, const char *field, const char *text, struct tk_err *err)
{
    TK_GIVEN(err, options, field, text);
    return add_text(&forms[OPTIONS], options, field, text, err);
}

void tk_options_free(struct tk_options *options)
{
    release(&forms[OPTIONS], options);
}
