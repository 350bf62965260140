/*
 * Reads conditions: from a text to an operator and what the value is as a number, a time, a size, a severity.
 * See condition.h.
 */
#include "query/condition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *sign;
    enum tk_condition_op op;
} operators[] = {
    /* longer ones before those that begin them */
    {"==", TK_CONDITION_EQUAL},    {"!=", TK_CONDITION_UNEQUAL},   {"<=", TK_CONDITION_AT_MOST},
    {">=", TK_CONDITION_AT_LEAST}, {"!~", TK_CONDITION_HOLDS_NOT}, {"=", TK_CONDITION_EQUAL},
    {"<", TK_CONDITION_BELOW},     {">", TK_CONDITION_ABOVE},      {"~", TK_CONDITION_HOLDS},
};

/* Severities of log messages, whatever wrote them; the worse, the lower. */
static const struct {
    const char *word;
    int severity;
} severities[] = {{"nologging", 0},   {"fatal", 1}, {"error", 2}, {"warning", 3},
                  {"display", 4},     {"info", 4},  {"log", 5},   {"verbose", 6},
                  {"veryverbose", 7}, {"debug", 6}, {"trace", 7}};

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool tk_condition_is_word(const char *word, const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && word[i] && word[i] == tk_condition_lower(p[i]))
        i++;
    return i == n && word[i] == 0;
}

static void trim(const char **p, size_t *n)
{
    while (*n && is_blank(**p)) {
        (*p)++;
        (*n)--;
    }
    while (*n && is_blank((*p)[*n - 1]))
        (*n)--;
}

int tk_condition_severity(const char *p, size_t n)
{
    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++)
        if (tk_condition_is_word(severities[i].word, p, n))
            return severities[i].severity;
    return -1;
}

/* ---- numbers ---- */

struct suffix {
    const char *name; /* in lower case */
    uint64_t factor;
};

static const struct suffix counts[] = {{"", 1}, {"k", 1000}, {"m", 1000000}, {"g", 1000000000}, {0}};
static const struct suffix times[] = {
    {"ns", 1},          {"us", 1000}, {"\xc2\xb5s", 1000}, {"ms", 1000000}, {"s", 1000000000},
    {"m", 60000000000}, {0}};
static const struct suffix sizes[] = {{"", 1},
                                      {"b", 1},
                                      {"kib", 1 << 10},
                                      {"k", 1 << 10},
                                      {"kb", 1000},
                                      {"mib", 1 << 20},
                                      {"m", 1 << 20},
                                      {"mb", 1000000},
                                      {"gib", 1 << 30},
                                      {"g", 1 << 30},
                                      {"gb", 1000000000},
                                      {"tib", UINT64_C(1) << 40},
                                      {"tb", 1000000000000},
                                      {0}};
static const struct suffix *const suffixes[TK_AMOUNT_KINDS] = {
    [TK_AMOUNT_COUNT] = counts, [TK_AMOUNT_TIME] = times, [TK_AMOUNT_SIZE] = sizes};

enum { MOST_DIGITS = 40 };

/* A decimal number as it is typed: its digits without the point, and how many of them stand behind it. */
struct decimal {
    char digits[MOST_DIGITS + 16];
    int n, behind;
    bool minus;
};

static size_t read_decimal(struct decimal *d, const char *p, size_t n)
{
    size_t i = 0;
    bool point = false;
    *d = (struct decimal){0};
    if (i < n && (p[i] == '-' || p[i] == '+'))
        d->minus = p[i++] == '-';
    for (; i < n && (is_digit(p[i]) || (p[i] == '.' && !point)); i++) {
        if (p[i] == '.') {
            point = true;
        } else if (d->n < MOST_DIGITS) {
            d->digits[d->n++] = p[i];
            d->behind += point;
        } else {
            return 0;
        }
    }
    return d->n ? i : 0;
}

/* Digits without a point and a power of ten: every locale reads that. */
static double real_of(struct decimal d, int exponent)
{
    snprintf(d.digits + d.n, 16, "e%d", exponent - d.behind);
    const double v = strtod(d.digits, NULL);
    return d.minus ? -v : v;
}

static bool multiply(uint64_t *v, uint64_t by)
{
    if (by && *v > UINT64_MAX / by)
        return false;
    *v *= by;
    return true;
}

/* digits * factor / 10^behind, where that is a whole number. */
static bool whole_of(const struct decimal *d, uint64_t factor, uint64_t *out)
{
    uint64_t v = 0;
    int behind = d->behind, n = d->n;
    while (behind > 0 && (factor % 10 == 0 || d->digits[n - 1] == '0')) {
        if (d->digits[n - 1] == '0')
            n--;
        else
            factor /= 10;
        behind--;
    }
    for (int i = 0; i < n; i++) {
        const uint64_t digit = (uint64_t)(d->digits[i] - '0');
        if (!multiply(&v, 10) || v > UINT64_MAX - digit)
            return false;
        v += digit;
    }
    *out = v;
    return behind == 0 && multiply(out, factor);
}

static struct tk_amount amount_of(const struct decimal *d, uint64_t factor)
{
    struct tk_amount a = {.valid = true, .minus = d->minus, .real = real_of(*d, 0) * (double)factor};
    a.whole = whole_of(d, factor, &a.magnitude);
    return a;
}

static struct tk_amount hexadecimal(const char *p, size_t n)
{
    struct tk_amount a = {.valid = n > 2 && n <= 18, .whole = true};
    for (size_t i = 2; i < n && a.valid; i++) {
        const char c = tk_condition_lower(p[i]);
        const bool letter = c >= 'a' && c <= 'f';
        a.valid = is_digit(c) || letter;
        a.magnitude = a.magnitude << 4 | (uint64_t)(letter ? c - 'a' + 10 : c - '0');
    }
    a.real = (double)a.magnitude;
    return a;
}

/* "1e6", "2.5e-3": an exponent and nothing behind it. */
static bool read_exponent(const char *p, size_t n, int *exponent)
{
    struct decimal d;
    uint64_t v;
    if (n < 2 || tk_condition_lower(*p) != 'e' || read_decimal(&d, p + 1, n - 1) != n - 1 || d.behind ||
        !whole_of(&d, 1, &v) || v > 400)
        return false;
    *exponent = d.minus ? -(int)v : (int)v;
    return true;
}

static struct tk_amount read_amount(enum tk_amount_kind kind, const char *p, size_t n)
{
    struct decimal d;
    int exponent;
    if (kind == TK_AMOUNT_COUNT && n > 2 && p[0] == '0' && tk_condition_lower(p[1]) == 'x')
        return hexadecimal(p, n);
    const size_t at = read_decimal(&d, p, n);
    if (at == 0)
        return (struct tk_amount){0};
    if (kind == TK_AMOUNT_COUNT && read_exponent(p + at, n - at, &exponent))
        return (struct tk_amount){.valid = true, .minus = d.minus, .real = real_of(d, exponent)};
    if (kind == TK_AMOUNT_COUNT && n - at == 1 && p[at] == '%')
        return (struct tk_amount){.valid = true, .minus = d.minus, .real = real_of(d, -2)};
    for (const struct suffix *s = suffixes[kind]; s->name; s++)
        if (tk_condition_is_word(s->name, p + at, n - at))
            return amount_of(&d, s->factor);
    struct tk_amount a = amount_of(&d, 1);
    a.valid = at == n && a.real == 0; /* nothing is nothing in every unit */
    return a;
}

/* ---- conditions ---- */

static int no_condition(const char *text, struct tk_err *err)
{
    return tk_err_set(err, TK_EUSAGE,
                      "'%s' is not a condition: write a column, one of = != < <= > >= ~ !~, and a value",
                      text);
}

static size_t operator_at(const char *p, enum tk_condition_op *op)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const size_t n = strlen(operators[i].sign);
        if (strncmp(p, operators[i].sign, n) == 0) {
            *op = operators[i].op;
            return n;
        }
    }
    return 0;
}

int tk_condition_parse(struct tk_condition *c, const char *text, struct tk_err *err)
{
    const size_t at = strcspn(text, "=<>~!");
    *c = (struct tk_condition){.text = text, .column = text, .n_column = at};
    const size_t sign = operator_at(text + at, &c->op);
    if (sign == 0)
        return no_condition(text, err);
    c->value = text + at + sign;
    c->n_value = strlen(c->value);
    trim(&c->value, &c->n_value);
    trim(&c->column, &c->n_column);
    const char *point = memchr(c->column, '.', c->n_column);
    if (point) {
        c->table = c->column;
        c->n_table = (size_t)(point - c->column);
        c->column = point + 1;
        c->n_column -= c->n_table + 1;
    }
    if (c->n_column == 0 || (point && c->n_table == 0))
        return no_condition(text, err);
    for (unsigned kind = 0; kind < TK_AMOUNT_KINDS; kind++)
        c->amounts[kind] = read_amount(kind, c->value, c->n_value);
    c->severity = tk_condition_severity(c->value, c->n_value);
    return TK_OK;
}
