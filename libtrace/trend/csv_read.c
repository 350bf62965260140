/*
 * Cuts CSV into fields, and reads numbers. See csv_read.h.
 */
#include "trend/csv_read.h"

#include "base/text/byte_order_mark.h"

#include <math.h>

void tk_csv_begin(struct tk_csv *csv, const char *name, char *text, size_t n)
{
    *csv = (struct tk_csv){.name = name, .p = text + tk_byte_order_mark(text, n), .end = text + n, .next = 1};
}

void tk_csv_release(struct tk_csv *csv)
{
    tk_vec_release(&csv->row);
}

static bool ends_row(const struct tk_csv *csv)
{
    return csv->p == csv->end || *csv->p == '\n' || *csv->p == '\r';
}

/* Steps over the end of a line. */
static void end_row(struct tk_csv *csv)
{
    if (csv->p < csv->end && *csv->p == '\r')
        csv->p++;
    if (csv->p < csv->end && *csv->p == '\n')
        csv->p++;
    csv->next++;
}

/* Behind its opening quote; unquoted in place. */
static int quoted(struct tk_csv *csv, struct tk_csv_field *f, struct tk_err *err)
{
    char *to = csv->p;
    bool closed = false;
    f->p = to;
    while (csv->p < csv->end) {
        if (*csv->p == '"') {
            csv->p++;
            closed = csv->p == csv->end || *csv->p != '"';
            if (closed)
                break;
        }
        csv->next += *csv->p == '\n';
        *to++ = *csv->p++;
    }
    f->n = (size_t)(to - f->p);
    if (!closed || (!ends_row(csv) && *csv->p != ','))
        return tk_err_set(err, TK_EFORMAT, "%s, line %llu: a quote is not closed, or text follows it",
                          csv->name, (unsigned long long)csv->line);
    return TK_OK;
}

static int read_field(struct tk_csv *csv, struct tk_err *err)
{
    struct tk_csv_field f = {csv->p, 0};
    int rc = TK_OK;
    if (csv->p < csv->end && *csv->p == '"') {
        csv->p++;
        rc = quoted(csv, &f, err);
    } else {
        while (!ends_row(csv) && *csv->p != ',')
            csv->p++;
        f.n = (size_t)(csv->p - f.p);
    }
    if (rc == TK_OK && tk_vec_push(&csv->row, f))
        return tk_err_nomem(err, "a row");
    return rc;
}

int tk_csv_next(struct tk_csv *csv, struct tk_err *err)
{
    while (csv->p < csv->end && ends_row(csv))
        end_row(csv);
    if (csv->p == csv->end)
        return 0;
    csv->row.n = 0;
    csv->line = csv->next;
    for (;;) {
        int rc = read_field(csv, err);
        if (rc < 0)
            return rc;
        if (ends_row(csv))
            break;
        csv->p++; /* the comma */
    }
    end_row(csv);
    return 1;
}

/* ---- numbers ---- */

#define MOST_DIGITS 18 /* that fit into 64 bits */

struct digits {
    uint64_t value;
    int exponent, count;
};

/* Digits of a number and its point; what is beyond 18 digits only counts for the size. */
static const char *read_digits(const char *p, const char *end, struct digits *d)
{
    bool point = false;
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        d->count++;
        if (d->value < UINT64_C(100000000000000000)) {
            d->value = d->value * 10 + (uint64_t)(*p - '0');
            d->exponent -= point;
        } else {
            d->exponent += !point;
        }
    }
    return p;
}

static const char *read_exponent(const char *p, const char *end, struct digits *d)
{
    int sign = 1, value = 0, count = 0;
    if (p == end || (*p != 'e' && *p != 'E'))
        return p;
    if (++p < end && (*p == '-' || *p == '+'))
        sign = *p++ == '-' ? -1 : 1;
    for (; p < end && *p >= '0' && *p <= '9'; p++, count++)
        value = value < 10000 ? value * 10 + *p - '0' : value;
    d->exponent += sign * value;
    return count ? p : NULL;
}

bool tk_csv_real(const struct tk_csv_field *f, double *out)
{
    struct digits d = {0};
    const char *p = f->p, *end = f->p + f->n;
    double sign = 1;
    if (p < end && (*p == '-' || *p == '+'))
        sign = *p++ == '-' ? -1 : 1;
    p = read_digits(p, end, &d);
    p = d.count ? read_exponent(p, end, &d) : NULL;
    if (p != end)
        return false;
    /* powers of ten up to 22 are exact, so that usual numbers are rounded once */
    double v = (double)d.value;
    if (d.exponent > -400 && d.exponent < 400)
        v = d.exponent < 0 ? v / pow(10, -d.exponent) : v * pow(10, d.exponent);
    else if (d.value)
        v = d.exponent < 0 ? 0 : INFINITY;
    *out = sign * v;
    return isfinite(v);
}

bool tk_csv_uint(const struct tk_csv_field *f, uint64_t *out)
{
    uint64_t v = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->p[i] < '0' || f->p[i] > '9' || i >= MOST_DIGITS)
            return false;
        v = v * 10 + (uint64_t)(f->p[i] - '0');
    }
    *out = v;
    return f->n > 0;
}
