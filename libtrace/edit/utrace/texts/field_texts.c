/*
 * Texts in fields.
 */
#include "base/cursor.h"
#include "base/text/glob.h"
#include "edit/utrace/texts/texts.h"

#include <stdio.h>
#include <string.h>

/*
 * The table of texts.
 */

#define TEXT_RULES_TEXT(pattern, class, form)                                                                \
    {                                                                                                        \
        pattern,                                                                                             \
        {                                                                                                    \
            TK_EDIT_HOLDS_TEXT, 0, class, form                                                               \
        }                                                                                                    \
    }
#define NUMBERS(pattern)                                                                                     \
    {                                                                                                        \
        pattern,                                                                                             \
        {                                                                                                    \
            .holds = TK_EDIT_HOLDS_NUMBERS                                                                   \
        }                                                                                                    \
    }
#define IDENTITY(pattern)                                                                                    \
    {                                                                                                        \
        pattern,                                                                                             \
        {                                                                                                    \
            .holds = TK_EDIT_HOLDS_IDENTITY                                                                  \
        }                                                                                                    \
    }
#define SECRET(pattern, class)                                                                               \
    {                                                                                                        \
        pattern,                                                                                             \
        {                                                                                                    \
            TK_EDIT_HOLDS_SECRET, 0, class, TK_ANON_PARTS                                                    \
        }                                                                                                    \
    }
#define HOLDS(pattern, what, class)                                                                          \
    {                                                                                                        \
        pattern,                                                                                             \
        {                                                                                                    \
            TK_EDIT_HOLDS_##what, 0, class, TK_ANON_PARTS                                                    \
        }                                                                                                    \
    }
#define PARTS(pattern, class) TEXT_RULES_TEXT(pattern, class, TK_ANON_PARTS)

/* "Logger.Event.Field"; the first that matches counts. */
static const struct {
    const char *pattern;
    struct tk_edit_text_rule rule;
} table[] = {
    NUMBERS("Tracekit.*"),
    NUMBERS("CpuProfiler.EventBatch*.Data"),
    NUMBERS("Stats.EventBatch*.Data"),
    NUMBERS("GpuProfiler.Frame.Data"),
    NUMBERS("NetTrace.PacketContentEvent.Data"),
    NUMBERS("Memory.CallstackSpec*.CompressedFrames"),
    NUMBERS("Misc.ScreenshotChunk.Data"),
    IDENTITY("Diagnostics.ModuleLoad.ImageId"),
    IDENTITY("Diagnostics.Session2.InstanceId"),
    PARTS("Trace.Channel*", TK_EDIT_STAYS),
    PARTS("$Trace.Channel*", TK_EDIT_STAYS),
    PARTS("GpuProfiler.QueueSpec.TypeString", TK_EDIT_STAYS),
    PARTS("Diagnostics.ModuleInit.SymbolFormat", TK_EDIT_STAYS),
    PARTS("Diagnostics.Session2.Platform", TK_EDIT_STAYS),
    TEXT_RULES_TEXT("Diagnostics.Session2.CommandLine", TK_ANON_COMMANDS, TK_ANON_COMMAND),
    SECRET("Diagnostics.Session2.Changelist", TK_ANON_PROJECT),
    PARTS("Diagnostics.Session2.*", TK_ANON_PROJECT),
    PARTS("CsvProfiler.Metadata.Value", TK_ANON_PROJECT),
    TEXT_RULES_TEXT("$Trace.Thread*.Name", TK_ANON_NAMES, TK_ANON_THREAD),
    TEXT_RULES_TEXT("PlatformEvent.ThreadName.Name", TK_ANON_NAMES, TK_ANON_THREAD),
    HOLDS("*.FormatArgs", ARGS, TK_ANON_LOGS),
    HOLDS("*.FieldNames", CBOR, TK_ANON_TIMERS),
    HOLDS("*.Metadata", CBOR, TK_ANON_ASSETS),
    TEXT_RULES_TEXT("CpuProfiler.*.NameFormat", TK_ANON_TIMERS, TK_ANON_FORMAT),
    TEXT_RULES_TEXT("GpuProfiler.*.NameFormat", TK_ANON_TIMERS, TK_ANON_FORMAT),
    PARTS("CpuProfiler.*Spec.Name", TK_ANON_TIMERS),
    PARTS("GpuProfiler.EventSpec.Name", TK_ANON_TIMERS),
    PARTS("GpuProfiler.*.StaticName", TK_ANON_TIMERS),
    TEXT_RULES_TEXT("*.FormatString", TK_ANON_LOGS, TK_ANON_FORMAT),
    TEXT_RULES_TEXT("LoadTime.*.Format", TK_ANON_LOGS, TK_ANON_FORMAT),
    PARTS("CsvProfiler.Event.Text", TK_ANON_LOGS),
    PARTS("*.FileName", TK_ANON_PATHS),
    PARTS("*.File", TK_ANON_PATHS),
    PARTS("*.Path", TK_ANON_PATHS),
    PARTS("Misc.Screenshot*", TK_ANON_PATHS),
    TEXT_RULES_TEXT("NetTrace.*.Address", TK_ANON_ADDRESSES, TK_ANON_WHOLE),
    PARTS("NetTrace.NameEvent.Name", TK_ANON_OBJECTS),
    TEXT_RULES_TEXT("NetTrace.Connection*.Name", TK_ANON_USERS, TK_ANON_WHOLE),
    TEXT_RULES_TEXT("Http.*", TK_ANON_ADDRESSES, TK_ANON_WHOLE),
    PARTS("Diagnostics.ModuleLoad.Name", TK_ANON_FUNCTIONS),
    PARTS("Verse*", TK_ANON_FUNCTIONS),
    PARTS("Strings.*", TK_ANON_OBJECTS),
    PARTS("CoreUObject.*", TK_ANON_OBJECTS),
    PARTS("Object.*", TK_ANON_OBJECTS),
    PARTS("Metadata.*", TK_ANON_OBJECTS),
    PARTS("LoadTime.*", TK_ANON_ASSETS),
    PARTS("Package.*", TK_ANON_ASSETS),
    PARTS("CookTrace.*", TK_ANON_ASSETS),
    PARTS("Cpu.*", TK_ANON_ASSETS),
    PARTS("*", TK_ANON_NAMES),
};

static const struct tk_edit_text_rule *find_rule(const struct tk_ut_type *type,
                                                 const struct tk_ut_field *field)
{
    char path[512];
    const int n = snprintf(path, sizeof path, "%.*s.%.*s", (int)(type->name->n < 250 ? type->name->n : 250),
                           type->name->p, (int)(field->name->n < 250 ? field->name->n : 250), field->name->p);
    size_t i = 0;
    while (!tk_glob(table[i].pattern, strlen(table[i].pattern), path, (size_t)n, false))
        i++; /* the last one always matches */
    return &table[i].rule;
}

/* Bytes and numbers of 16 bits may be characters; what they are of a type that is not known nobody knows. */
static struct tk_edit_text_rule rule_of_numbers(const struct tk_edit_text_rule *found, unsigned width)
{
    struct tk_edit_text_rule rule = *found;
    if (rule.holds == TK_EDIT_HOLDS_TEXT && width == 2)
        rule.width = 2;
    else if (rule.holds == TK_EDIT_HOLDS_TEXT || rule.holds == TK_EDIT_HOLDS_SECRET)
        rule.holds = width > 2 ? TK_EDIT_HOLDS_NUMBERS : TK_EDIT_HOLDS_UNKNOWN;
    return rule;
}

struct tk_edit_text_rule tk_edit_text_rule_of(const struct tk_ut_type *type, const struct tk_ut_field *field)
{
    const struct tk_edit_text_rule numbers = {.holds = TK_EDIT_HOLDS_NUMBERS};
    const unsigned width = 1u << (field->info & TK_UT_INFO_WIDTH);
    const bool text = field->info & TK_UT_INFO_STRING;
    if (field->size && type->record.family && find_rule(type, field)->holds == TK_EDIT_HOLDS_SECRET)
        return *find_rule(type, field);
    if (field->size || !(field->info & TK_UT_INFO_ARRAY) || field->info & TK_UT_INFO_FLOAT)
        return numbers;
    if (!type->record.family)
        return text || width <= 2 ? (struct tk_edit_text_rule){.holds = TK_EDIT_HOLDS_UNKNOWN} : numbers;
    const struct tk_edit_text_rule *found = find_rule(type, field);
    if (!text)
        return rule_of_numbers(found, width);
    struct tk_edit_text_rule rule = *found;
    if (rule.holds == TK_EDIT_HOLDS_NUMBERS)
        return rule;
    rule.holds = TK_EDIT_HOLDS_TEXT;
    rule.width = (uint8_t)width;
    return rule;
}

/* ---- characters ---- */

static void put_utf8(struct tk_anon_text *out, uint32_t c)
{
    uint8_t b[4] = {(uint8_t)c};
    size_t n = 1;
    if (c >= 0x10000) {
        b[0] = (uint8_t)(0xf0 | (c >> 18 & 7));
        b[1] = (uint8_t)(0x80 | (c >> 12 & 63));
        b[2] = (uint8_t)(0x80 | (c >> 6 & 63));
        b[3] = (uint8_t)(0x80 | (c & 63));
        n = 4;
    } else if (c >= 0x800) {
        b[0] = (uint8_t)(0xe0 | c >> 12);
        b[1] = (uint8_t)(0x80 | (c >> 6 & 63));
        b[2] = (uint8_t)(0x80 | (c & 63));
        n = 3;
    } else if (c >= 0x80) {
        b[0] = (uint8_t)(0xc0 | c >> 6);
        b[1] = (uint8_t)(0x80 | (c & 63));
        n = 2;
    }
    tk_anon_put(out, b, n);
}

static void widen_from(struct tk_anon_text *out, const uint8_t *p, size_t n, unsigned width)
{
    for (size_t at = 0; at + width <= n; at += width) {
        uint32_t c = (uint32_t)tk_load_le(p + at, width);
        if (width == 2 && c >= 0xd800 && c < 0xdc00 && at + 4 <= n) {
            const uint32_t low = tk_load16(p + at + 2);
            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                at += 2;
            }
        }
        put_utf8(out, c);
    }
}

/* The character at *at, as put_utf8 writes it; bytes that are none count for themselves. */
static uint32_t next_utf8(const uint8_t *p, size_t n, size_t *at)
{
    const uint8_t head = p[*at];
    const size_t more = head >= 0xf0 ? 3 : head >= 0xe0 ? 2 : head >= 0xc0 ? 1 : 0;
    uint32_t c = more == 3 ? head & 7u : more == 2 ? head & 15u : more == 1 ? head & 31u : head;
    if (*at + more >= n) {
        ++*at;
        return head;
    }
    for (size_t i = 1; i <= more; i++)
        c = c << 6 | (p[*at + i] & 63u);
    *at += 1 + more;
    return c;
}

static void put_unit(struct tk_anon_text *out, uint32_t c, unsigned width)
{
    const uint8_t b[4] = {(uint8_t)c, (uint8_t)(c >> 8), (uint8_t)(c >> 16), (uint8_t)(c >> 24)};
    tk_anon_put(out, b, width);
}

static void put_wide(struct tk_anon_text *out, const uint8_t *p, size_t n, unsigned width)
{
    for (size_t at = 0; at < n;) {
        const uint32_t c = next_utf8(p, n, &at);
        if (width == 2 && c >= 0x10000) {
            put_unit(out, 0xd800 + ((c - 0x10000) >> 10 & 0x3ff), 2);
            put_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff), 2);
        } else {
            put_unit(out, c, width);
        }
    }
}

/* A text without its terminator. */
static void map_text(unsigned width, const uint8_t *p, size_t n, tk_edit_text_fn *fn, void *ctx,
                     struct tk_anon_text *out)
{
    struct tk_anon_text narrow = {0}, changed = {0};
    if (width == 1) {
        fn(ctx, p, n, out);
        return;
    }
    widen_from(&narrow, p, n, width);
    fn(ctx, narrow.bytes.v, narrow.bytes.n, &changed);
    put_wide(out, changed.bytes.v, changed.bytes.n, width);
    out->failed |= narrow.failed || changed.failed;
    tk_vec_release(&narrow.bytes);
    tk_vec_release(&changed.bytes);
}

static void map_field(unsigned width, const uint8_t *p, size_t n, tk_edit_text_fn *fn, void *ctx,
                      struct tk_anon_text *out)
{
    size_t size = n - n % width;
    while (size >= width && tk_load_le(p + size - width, width) == 0)
        size -= width;
    if (size)
        map_text(width, p, size, fn, ctx, out);
    for (size_t i = size; i + width <= n; i += width)
        put_unit(out, 0, width);
}

/* ---- arguments ---- */

static void map_argument(struct tk_cur *c, unsigned width, tk_edit_text_fn *fn, void *ctx,
                         struct tk_anon_text *out)
{
    const size_t left = tk_cur_left(c);
    size_t n = 0;
    while (n + width <= left && tk_load_le(c->p + n, width) != 0)
        n += width;
    if (n)
        map_text(width, c->p, n, fn, ctx, out);
    if (n + width <= left)
        put_unit(out, 0, width);
    (void)tk_take(c, n + width <= left ? n + width : left, "text");
}

static void map_args(const uint8_t *p, size_t n, tk_edit_text_fn *fn, void *ctx, struct tk_anon_text *out)
{
    enum { TEXT = 3 };
    struct tk_cur c = tk_cur_of(p, n);
    const size_t count = tk_u8(&c, "count");
    const uint8_t *kinds = tk_take(&c, count, "descriptors");
    if (!kinds) /* more are listed than there can be */
        return;
    tk_anon_put(out, p, 1 + count);
    for (size_t i = 0; i < count && tk_cur_ok(&c); i++) {
        const unsigned size = kinds[i] & 63u;
        if (kinds[i] >> 6 == TEXT) {
            map_argument(&c, size == 2 || size == 4 ? size : 1, fn, ctx, out);
            continue;
        }
        const uint8_t *value = tk_take(&c, size, "argument");
        if (value)
            tk_anon_put(out, value, size);
    }
}

/* ---- CBOR ---- */

static void put_head(struct tk_anon_text *out, uint8_t major, size_t n)
{
    uint8_t b[5] = {(uint8_t)(major | n), (uint8_t)n};
    size_t size = 1;
    if (n >= 1u << 16) {
        b[0] = (uint8_t)(major | 26);
        for (unsigned i = 0; i < 4; i++)
            b[1 + i] = (uint8_t)(n >> (24 - 8 * i));
        size = 5;
    } else if (n >= 1u << 8) {
        b[0] = (uint8_t)(major | 25);
        b[1] = (uint8_t)(n >> 8);
        b[2] = (uint8_t)n;
        size = 3;
    } else if (n >= 24) {
        b[0] = (uint8_t)(major | 24);
        size = 2;
    }
    tk_anon_put(out, b, size);
}

static void map_value(struct tk_cur *c, uint8_t major, uint64_t n, tk_edit_text_fn *fn, void *ctx,
                      struct tk_anon_text *out)
{
    const uint8_t *p = n <= tk_cur_left(c) ? tk_take(c, (size_t)n, "a text") : NULL;
    struct tk_anon_text text = {0};
    if (!p) {
        c->p = c->end;
        return;
    }
    if (n)
        fn(ctx, p, (size_t)n, &text);
    put_head(out, major, text.bytes.n);
    tk_anon_put(out, text.bytes.v, text.bytes.n);
    out->failed |= text.failed;
    tk_vec_release(&text.bytes);
}

static void map_cbor(const uint8_t *p, size_t n, tk_edit_text_fn *fn, void *ctx, struct tk_anon_text *out)
{
    enum { BYTES = 0x40, TEXT = 0x60, MAJOR = 0xe0 };
    struct tk_cur c = tk_cur_of(p, n);
    while (tk_cur_left(&c)) {
        const uint8_t *from = c.p;
        const uint8_t head = tk_u8(&c, "a value");
        const unsigned info = head & 31u;
        const size_t width = info >= 24 && info <= 27 ? (size_t)1 << (info - 24) : 0;
        const uint8_t *number = tk_take(&c, width, "a number");
        uint64_t value = info < 24 ? info : 0;
        if (!number)
            return;
        for (size_t i = 0; i < width; i++)
            value = value << 8 | number[i];
        if ((head & MAJOR) == BYTES || (head & MAJOR) == TEXT)
            map_value(&c, head & MAJOR, value, fn, ctx, out);
        else
            tk_anon_put(out, from, (size_t)(c.p - from));
    }
}

void tk_edit_texts_map(enum tk_edit_holds holds, unsigned width, const uint8_t *p, size_t n,
                       tk_edit_text_fn *fn, void *ctx, struct tk_anon_text *out)
{
    if (!n)
        return;
    if (holds == TK_EDIT_HOLDS_TEXT)
        map_field(width, p, n, fn, ctx, out);
    else if (holds == TK_EDIT_HOLDS_ARGS)
        map_args(p, n, fn, ctx, out);
    else if (holds == TK_EDIT_HOLDS_CBOR)
        map_cbor(p, n, fn, ctx, out);
}
