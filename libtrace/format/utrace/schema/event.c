/*
 * Values of events.
 */
#include "format/utrace/schema/event.h"

#include "base/text/text.h"

static bool in_blobs(const struct tk_ut_field *f)
{
    return f->family == TK_UT_REGULAR && (f->info & (TK_UT_INFO_ARRAY | TK_UT_INFO_STRING)) && f->size == 0;
}

static struct tk_bytes join_event(const struct tk_ut_event *ev, uint32_t field, size_t total)
{
    uint8_t *p = tk_arena_bytes(ev->scratch, total);
    size_t at = 0;
    if (!p)
        return (struct tk_bytes){NULL, 0};
    for (size_t i = 0; i < ev->n_blobs; i++) {
        if (ev->blobs[i].field == field) {
            memcpy(p + at, ev->blobs[i].p, ev->blobs[i].n);
            at += ev->blobs[i].n;
        }
    }
    return (struct tk_bytes){p, total};
}

static struct tk_bytes blob_bytes(const struct tk_ut_event *ev, uint32_t field)
{
    const struct tk_ut_blob *only = NULL;
    size_t pieces = 0, total = 0;
    for (size_t i = 0; i < ev->n_blobs; i++) {
        if (ev->blobs[i].field == field && ev->blobs[i].n) {
            only = &ev->blobs[i];
            pieces++;
            total += only->n;
        }
    }
    if (pieces <= 1)
        return only ? (struct tk_bytes){only->p, only->n} : (struct tk_bytes){(const uint8_t *)"", 0};
    return join_event(ev, field, total);
}

struct tk_bytes tk_ut_event_bytes(const struct tk_ut_event *ev, const struct tk_ut_field *f)
{
    if (!f)
        return (struct tk_bytes){NULL, 0};
    if (in_blobs(f))
        return blob_bytes(ev, tk_ut_field_index(ev->type, f));
    if (!f->readable || (uint32_t)f->offset + f->size > ev->n_fixed)
        return (struct tk_bytes){NULL, 0};
    return (struct tk_bytes){ev->fixed + f->offset, f->size};
}

const struct tk_ut_field *tk_ut_event_odd_array(const struct tk_ut_event *ev, bool numbers)
{
    uint8_t sizes[UINT8_MAX + 1] = {0}; /* by field; no more of them than the rest is requested of */
    for (size_t i = 0; i < ev->n_blobs; i++)
        sizes[(uint8_t)ev->blobs[i].field] += (uint8_t)ev->blobs[i].n;
    for (uint32_t i = 0; i < ev->type->n_fields; i++) {
        const struct tk_ut_field *f = &ev->type->fields[i];
        if (in_blobs(f) && (numbers || f->info & TK_UT_INFO_STRING) &&
            sizes[i] & ((1u << (f->info & TK_UT_INFO_WIDTH)) - 1))
            return f;
    }
    return NULL;
}

/* The number in a scalar field: as many bytes as size and type both allow. */
static bool scalar(const struct tk_ut_event *ev, const struct tk_ut_field *f, uint64_t *out)
{
    size_t width = (size_t)1 << (f->info & TK_UT_INFO_WIDTH);
    struct tk_bytes b;
    if (in_blobs(f) || (b = tk_ut_event_bytes(ev, f)).n == 0)
        return false;
    if (width > b.n)
        width = b.n;
    *out = tk_load_le(b.p, width);
    if (f->info & TK_UT_INFO_SIGNED && width < 8 && *out >> (8 * width - 1))
        *out |= UINT64_MAX << (8 * width);
    return true;
}

static double real_of(const struct tk_ut_field *f, uint64_t bits)
{
    if ((f->info & TK_UT_INFO_WIDTH) == 2) {
        uint32_t low = (uint32_t)bits;
        float x;
        memcpy(&x, &low, sizeof x);
        return (double)x;
    }
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool is_real(const struct tk_ut_field *f)
{
    return f->info & TK_UT_INFO_FLOAT && (f->info & TK_UT_INFO_WIDTH) >= 2;
}

static uint64_t truncate_real(double x)
{
    if (x >= -9.2e18 && x <= 9.2e18)
        return (uint64_t)(int64_t)x;
    return 0;
}

uint64_t tk_ut_event_u64(const struct tk_ut_event *ev, const struct tk_ut_field *f)
{
    uint64_t bits;
    if (!f || !scalar(ev, f, &bits))
        return 0;
    return is_real(f) ? truncate_real(real_of(f, bits)) : bits;
}

double tk_ut_event_real(const struct tk_ut_event *ev, const struct tk_ut_field *f)
{
    uint64_t bits;
    if (!f || !scalar(ev, f, &bits))
        return 0.0;
    if (is_real(f))
        return real_of(f, bits);
    return f->info & TK_UT_INFO_SIGNED ? (double)(int64_t)bits : (double)bits;
}

static size_t strip_nuls(const uint8_t *p, size_t n, unsigned width)
{
    n -= n % width;
    while (n >= width && tk_load_le(p + n - width, width) == 0)
        n -= width;
    return n;
}

/* UTF-32 to UTF-8, for writers whose wide characters have four bytes. */
static const struct tk_str *text32(struct tk_intern *strings, const uint8_t *p, size_t n)
{
    struct tk_arena a = {0};
    uint8_t *out = tk_arena_bytes(&a, n + 1);
    size_t at = 0;
    if (!out)
        return NULL;
    for (size_t i = 0; i + 4 <= n; i += 4)
        at += tk_utf8_put(out + at, tk_load32(p + i));
    const struct tk_str *s = tk_intern(strings, out, at, TK_ENC_UTF8);
    tk_arena_release(&a);
    return s;
}

const struct tk_str *tk_ut_text(struct tk_intern *strings, const uint8_t *p, size_t n, unsigned width)
{
    if (width != 1 && width != 2 && width != 4)
        width = 1;
    n = p ? strip_nuls(p, n, width) : 0;
    if (n == 0)
        return tk_intern_c(strings, "");
    if (width == 4)
        return text32(strings, p, n);
    return tk_intern(strings, p, n, width == 2 ? TK_ENC_UTF16 : TK_ENC_UTF8);
}

const struct tk_str *tk_ut_event_text(const struct tk_ut_event *ev, const struct tk_ut_field *f,
                                      unsigned width, struct tk_intern *strings)
{
    struct tk_bytes b = {ev->attachment, ev->n_attachment};
    if (f) {
        bool letters = f->info & (TK_UT_INFO_STRING | TK_UT_INFO_ARRAY);
        b = letters ? tk_ut_event_bytes(ev, f) : (struct tk_bytes){NULL, 0};
        width = 1u << (f->info & TK_UT_INFO_WIDTH);
        if (width > 2)
            width = 1;
    }
    return tk_ut_text(strings, b.p, b.n, width);
}

/* Valid UTF-16 is handed out as UTF-8, which outputs expect; what is not valid keeps its bytes. Half a unit
 * at the end is dropped (wire 8). */
static void text_value(const struct tk_ut_event *ev, const struct tk_ut_field *f, struct tk_bytes b,
                       struct tk_cell *out)
{
    if (f->info & TK_UT_INFO_WIDTH)
        b.n &= ~(size_t)1;
    *out = (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)b.n, .v.p = b.p ? b.p : (const uint8_t *)""};
    if ((f->info & TK_UT_INFO_WIDTH) == 0) {
        out->enc = tk_utf8_valid(out->v.p, b.n) ? TK_ENC_UTF8 : TK_ENC_BYTES;
    } else if (!tk_utf16_valid(out->v.p, b.n)) {
        out->enc = TK_ENC_UTF16;
    } else if (b.n) {
        uint8_t *p = tk_arena_bytes(ev->scratch, b.n / 2 * 3);
        out->n = p ? (uint32_t)tk_utf16_to_utf8(p, b.p, b.n) : 0;
        out->v.p = p ? p : (const uint8_t *)"";
    }
}

static void array_value(const struct tk_ut_field *f, struct tk_bytes b, struct tk_cell *out)
{
    uint8_t log2 = f->info & TK_UT_INFO_WIDTH;
    *out = (struct tk_cell){.kind = TK_ARRAY, .width = (uint8_t)(1u << log2), .v.p = b.p};
    out->n = (uint32_t)(b.n >> log2);
    if (f->info & TK_UT_INFO_FLOAT)
        out->elem = log2 == 2 ? TK_REAL32 : log2 == 3 ? TK_REAL : TK_BYTES;
    else
        out->elem = f->info & TK_UT_INFO_SIGNED ? TK_INT : TK_UINT;
}

static void number_value(const struct tk_ut_field *f, uint64_t bits, struct tk_cell *out)
{
    *out = (struct tk_cell){
        .kind = TK_UINT, .width = (uint8_t)(1u << (f->info & TK_UT_INFO_WIDTH)), .v.u = bits};
    if (is_real(f)) {
        out->kind = (f->info & TK_UT_INFO_WIDTH) == 2 ? TK_REAL32 : TK_REAL;
        out->v.r = real_of(f, bits);
    } else if (f->info & TK_UT_INFO_SIGNED) {
        out->kind = TK_INT;
    }
}

void tk_ut_event_value(const struct tk_ut_event *ev, uint32_t field, struct tk_cell *out)
{
    const struct tk_ut_field *f = &ev->type->fields[field];
    struct tk_bytes b = tk_ut_event_bytes(ev, f);
    uint64_t bits;
    *out = (struct tk_cell){.kind = TK_NONE};
    if (f->family == TK_UT_REGULAR && f->info & TK_UT_INFO_STRING)
        text_value(ev, f, b, out);
    else if (f->family == TK_UT_REGULAR && f->info & TK_UT_INFO_ARRAY)
        array_value(f, b, out);
    else if (f->info & TK_UT_INFO_FLOAT && !is_real(f) && b.n)
        *out = (struct tk_cell){.kind = TK_BYTES, .n = (uint32_t)b.n, .v.p = b.p};
    else if (scalar(ev, f, &bits))
        number_value(f, bits, out);
    if (f->family == TK_UT_REFERENCE && ev->references)
        ev->references->show(ev, f, out);
}

void tk_ut_record_value(const struct tk_record *rec, uint32_t field, struct tk_cell *out)
{
    tk_ut_event_value(rec->impl, field, out);
}

const uint64_t *tk_ut_u64s(const struct tk_ut_event *ev, unsigned i, struct tk_arena *arena, uint32_t *n)
{
    const struct tk_ut_field *f = ev->bound[i];
    struct tk_bytes b = tk_ut_bytes(ev, i);
    unsigned width = f ? 1u << (f->info & TK_UT_INFO_WIDTH) : 8;
    bool numbers = !f || (f->info & TK_UT_INFO_ARRAY && !(f->info & TK_UT_INFO_STRING) && !is_real(f));
    *n = numbers ? (uint32_t)(b.n / width) : 0;
    uint64_t *out = tk_arena_alloc(arena, *n * sizeof *out);
    if (width == sizeof *out) /* as addresses of samples are, by the million */
        for (uint32_t k = 0; out && k < *n; k++)
            out[k] = tk_load64(b.p + (size_t)k * sizeof *out);
    else
        for (uint32_t k = 0; out && k < *n; k++)
            out[k] = tk_load_le(b.p + (size_t)k * width, width);
    return out;
}
