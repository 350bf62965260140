/*
 * Declaration records (wire 3.7, 3.8):
 *
 *   u16 uid | u8 fields | u8 flags | u8 logger length | u8 event length | field records | names back to back
 *   A, protocols 0..5:  u16 offset | u16 size | u8 info | u8 name length
 *   B, protocols 6, 7:  u8 family | u8 - | u16 offset | u16 size or uid | u8 info | u8 name length
 *                       a definition id has its info in the last byte and no name
 */
#include "base/cursor.h"
#include "format/utrace/schema/schema.h"

#define RESERVED_UIDS 16 /* from protocol 5 on */

/* Bytes. */
#define FRAME   4                   /* u16 0 | u16 size in front of a record */
#define WINDOW  ((size_t)3 * 65536) /* of a damaged thread 0, in which the next record is searched */
#define HEAD    6
#define FIELD_A 6
#define FIELD_B 8

static bool is_reserved(const struct tk_ut_schema *s, uint32_t uid)
{
    return s->protocol >= 5 && uid < RESERVED_UIDS;
}

static size_t field_width(const struct tk_ut_schema *s)
{
    return s->protocol >= 6 ? FIELD_B : FIELD_A;
}

static void parse_a(struct tk_cur *c, struct tk_ut_field *f, uint8_t *name_length)
{
    f->offset = tk_u16(c, "field offset");
    f->size = tk_u16(c, "field size");
    f->info = tk_u8(c, "field type");
    *name_length = tk_u8(c, "field name length");
}

/* False when the family is not known. */
static bool parse_b(struct tk_cur *c, struct tk_ut_field *f, uint8_t *name_length)
{
    f->family = tk_u8(c, "field family");
    tk_u8(c, "padding");
    f->offset = tk_u16(c, "field offset");
    f->size = tk_u16(c, "field size");
    f->info = tk_u8(c, "field type");
    *name_length = tk_u8(c, "field name length");
    if (f->family == TK_UT_REGULAR)
        return true;
    if (f->family == TK_UT_DEFINITION_ID) {
        f->info = *name_length;
        *name_length = 0;
    }
    f->ref = f->size;
    f->info &= TK_UT_INFO_WIDTH;
    f->size = (uint16_t)(1u << f->info);
    return f->family == TK_UT_REFERENCE || f->family == TK_UT_DEFINITION_ID;
}

static const struct tk_str *take_name(struct tk_ut_schema *s, struct tk_cur *c, size_t n)
{
    const uint8_t *p = tk_take(c, n, "name");
    return tk_intern_always(s->strings, p ? p : (const uint8_t *)"", p ? n : 0, TK_ENC_UTF8);
}

static int take_names(struct tk_ut_schema *s, struct tk_cur *c, struct tk_ut_type *t, const uint8_t *lengths)
{
    t->logger = take_name(s, c, lengths[0]);
    t->event = take_name(s, c, lengths[1]);
    for (size_t i = 0; i < t->n_fields; i++) {
        struct tk_ut_field *f = &t->fields[i];
        f->name = f->family == TK_UT_DEFINITION_ID
                      ? tk_intern_always(s->strings, "DefinitionId", 12, TK_ENC_UTF8)
                      : take_name(s, c, lengths[2 + i]);
        if (!f->name)
            return TK_ENOMEM;
    }
    return t->logger && t->event ? TK_OK : TK_ENOMEM;
}

/* Sums the field sizes up and marks the fields that do not lie inside the sum. */
static void lay_out_declare(struct tk_ut_type *t)
{
    t->fixed = 0;
    for (size_t i = 0; i < t->n_fields; i++)
        t->fixed += t->fields[i].size;
    for (size_t i = 0; i < t->n_fields; i++) {
        struct tk_ut_field *f = &t->fields[i];
        f->readable = (uint32_t)f->offset + f->size <= t->fixed;
    }
}

/* The length of a record by what it says of its fields and names; 0 when not all of that is there, or it is
 * none. */
static size_t length_of(const struct tk_ut_schema *s, const uint8_t *p, size_t n)
{
    size_t width = field_width(s);
    if (n < HEAD || n - HEAD < p[2] * width || is_reserved(s, tk_load16(p)) || !p[4] || !p[5])
        return 0;
    size_t length = HEAD + p[2] * width + p[4] + p[5];
    for (const uint8_t *field = p + HEAD; field < p + HEAD + p[2] * width; field += width)
        if (s->protocol < 6 || field[0] != TK_UT_DEFINITION_ID)
            length += field[width - 1];
    return length;
}

/* Can a record of that length have a size of n bytes? */
static bool fits_declare(size_t length, size_t n)
{
    return n >= length && n - length <= length % 2; /* some writers pad to an even length */
}

static int refuse(const char **why, const char *text)
{
    *why = text;
    return TK_EFORMAT;
}

int tk_ut_declare_parse(struct tk_ut_schema *s, const uint8_t *p, size_t n, struct tk_ut_type *out,
                        const char **why)
{
    struct tk_cur c = tk_cur_of(p, n);
    struct tk_ut_type t = {.protocol = s->protocol};
    uint8_t lengths[2 + UINT8_MAX] = {0};
    t.uid = tk_u16(&c, "uid");
    t.n_fields = tk_u8(&c, "field count");
    t.flags = tk_u8(&c, "flags");
    lengths[0] = tk_u8(&c, "logger name length");
    lengths[1] = tk_u8(&c, "event name length");
    if (!tk_cur_ok(&c))
        return refuse(why, "it is shorter than its head");
    if (is_reserved(s, t.uid))
        return refuse(why, "its uid is reserved");
    if ((size_t)t.n_fields * field_width(s) > tk_cur_left(&c))
        return refuse(why, "its fields do not fit");
    if (!(t.fields = tk_arena_alloc(&s->arena, (t.n_fields + 1u) * sizeof *t.fields)))
        return TK_ENOMEM;
    for (size_t i = 0; i < t.n_fields; i++) {
        t.fields[i] = (struct tk_ut_field){0};
        if (s->protocol < 6)
            parse_a(&c, &t.fields[i], &lengths[2 + i]);
        else if (!parse_b(&c, &t.fields[i], &lengths[2 + i]))
            t.unreadable = true;
    }
    if (take_names(s, &c, &t, lengths) != TK_OK)
        return TK_ENOMEM;
    if (!tk_cur_ok(&c))
        return refuse(why, "its names do not fit");
    if (!fits_declare(tk_cur_at(&c), n))
        return refuse(why, "it is longer than its content");
    if (t.unreadable)
        return refuse(why, "a field is of an unknown family");
    lay_out_declare(&t);
    *out = t;
    return TK_OK;
}

bool tk_ut_declare_fits(const struct tk_ut_schema *s, const uint8_t *p, size_t n)
{
    size_t length = length_of(s, p, n);
    return length && fits_declare(length, n);
}

/* Is there a declaration at p that fits its size? TK_ITEM yes, TK_OK no, TK_UT_MORE: not to be said yet. */
static int look_declare(const struct tk_ut_schema *s, const uint8_t *p, const uint8_t *end, bool last)
{
    size_t left = (size_t)(end - p);
    if (left < FRAME || (tk_load16(p) == 0 && left - FRAME < tk_load16(p + 2)))
        return last ? TK_OK : TK_UT_MORE;
    return tk_load16(p) == 0 && tk_ut_declare_fits(s, p + FRAME, tk_load16(p + 2)) ? TK_ITEM : TK_OK;
}

int tk_ut_declare_next(const struct tk_ut_schema *s, const uint8_t **p, const uint8_t *end, bool last)
{
    int rc = TK_OK;
    while (*p < end && (rc = look_declare(s, *p, end, last)) == TK_OK)
        ++*p;
    return rc;
}

/* The declaration whose content is at p may end after n bytes: does another one follow there? As look(). */
static int follows(const struct tk_ut_schema *s, const uint8_t *p, size_t n, const uint8_t *end, bool last,
                   bool to_end)
{
    size_t left = (size_t)(end - p);
    if (left <= n && !last)
        return TK_UT_MORE;
    if (left <= n)
        return left == n && to_end ? TK_ITEM : TK_OK;
    return look_declare(s, p + n, end, last);
}

int tk_ut_declare_size(const struct tk_ut_schema *s, const uint8_t *p, const uint8_t *end, bool last,
                       size_t *size)
{
    const uint8_t *content = p + FRAME;
    bool clipped = (size_t)(end - p) > WINDOW;
    end = clipped ? p + WINDOW : end;
    last |= clipped;
    size_t left = (size_t)(end - content), stated = *size, length = length_of(s, content, left);
    if (!last && (left < stated || left < HEAD || left - HEAD < content[2] * field_width(s)))
        return TK_UT_MORE;
    bool fitting = length && fits_declare(length, stated);
    const size_t tried[] = {fitting ? stated : length, length, length + length % 2, stated};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        int rc = tried[i] ? follows(s, content, tried[i], end, last, !fitting || tried[i] == stated) : TK_OK;
        if (rc == TK_ITEM)
            *size = tried[i];
        if (rc != TK_OK)
            return rc;
    }
    if (left < stated)
        return TK_UT_MORE;
    if (fitting)
        return TK_ITEM;
    /* where there is none, all of it is left out at once: to look again behind each record would take for
     * ever */
    const uint8_t *next = content;
    int rc = tk_ut_declare_next(s, &next, end, last);
    *size = (size_t)(next - content);
    return rc == TK_OK ? TK_ITEM : rc;
}
