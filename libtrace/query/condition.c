/*
 * Conditions on rows: what they can be queried of, and a comparison with a cell.
 */
#include "base/text/glob.h"
#include "query/select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Reads conditions: from a text to an operator and what the value is as a number, a time, a size, a severity.
 */

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

static bool is_time(unsigned kind)
{
    return kind == TK_TIME || kind == TK_DURATION || kind == TK_MEAN;
}

static bool is_number(unsigned kind)
{
    return kind == TK_INT || kind == TK_UINT || kind == TK_HEX || kind == TK_REAL32 || kind == TK_REAL ||
           kind == TK_SIZE || is_time(kind);
}

static enum tk_amount_kind amount_kind(unsigned kind, bool cycles)
{
    if (kind == TK_SIZE)
        return TK_AMOUNT_SIZE;
    return is_time(kind) && !cycles ? TK_AMOUNT_TIME : TK_AMOUNT_COUNT;
}

static bool is_order(enum tk_condition_op op)
{
    return op >= TK_CONDITION_BELOW && op <= TK_CONDITION_AT_LEAST;
}

static bool holds_text(enum tk_condition_op op)
{
    return op == TK_CONDITION_HOLDS || op == TK_CONDITION_HOLDS_NOT;
}

static bool truth_of(const struct tk_condition *c, bool *out)
{
    static const char *const yes[] = {"true", "yes", "1"}, *const no[] = {"false", "no", "0"};
    for (size_t i = 0; i < 3; i++) {
        *out = tk_condition_is_word(yes[i], c->value, c->n_value);
        if (*out || tk_condition_is_word(no[i], c->value, c->n_value))
            return true;
    }
    return false;
}

static int bad_value(const struct tk_condition *c, const char *what, struct tk_err *err)
{
    return tk_err_set(err, TK_EUSAGE, "condition '%s': %s", c->text, what);
}

int tk_condition_check(const struct tk_condition *c, unsigned kind, bool cycles, struct tk_err *err)
{
    static const char *const wanted[TK_AMOUNT_KINDS] = {
        [TK_AMOUNT_COUNT] = "the column has numbers, compare it with one (12, 0x1f, 2.5k, 5%)",
        [TK_AMOUNT_TIME] = "the column has times, compare it with one that has a unit (250us, 5ms, 1.5s)",
        [TK_AMOUNT_SIZE] = "the column has sizes, compare it with one (4096, 64KiB, 1.5MB)"};
    bool truth;
    const enum tk_amount_kind amount = amount_kind(kind, cycles);
    if (c->n_value == 0 && !is_order(c->op))
        return TK_OK;
    if (kind == TK_BOOL)
        return truth_of(c, &truth) && !is_order(c->op) && !holds_text(c->op)
                   ? TK_OK
                   : bad_value(c, "the column is true or false: use =true or =false", err);
    if (is_number(kind) && holds_text(c->op))
        return bad_value(c, "~ looks into texts, and the column has numbers: use = < or >", err);
    if (is_number(kind) && !c->amounts[amount].valid)
        return bad_value(c, wanted[amount], err);
    if (kind == TK_TEXT && is_order(c->op) && c->severity < 0)
        return bad_value(c, "texts have no order, other than severities (<=warning): use = or ~", err);
    if (kind == TK_ARRAY || kind == TK_LIST || kind == TK_BYTES)
        return bad_value(c, "the column has lists, which cannot be compared", err);
    return TK_OK;
}

/* ---- comparing ---- */

static int compare_whole(bool minus, uint64_t magnitude, const struct tk_amount *to)
{
    const bool below = minus && magnitude, to_below = to->minus && to->magnitude;
    if (below != to_below)
        return below ? -1 : 1;
    const int order = (magnitude > to->magnitude) - (magnitude < to->magnitude);
    return below ? -order : order;
}

static bool is_real(unsigned kind)
{
    return kind == TK_REAL || kind == TK_REAL32 || kind == TK_MEAN;
}

static bool is_signed(unsigned kind)
{
    return kind == TK_INT || kind == TK_TIME || kind == TK_DURATION;
}

static double real_value(const struct tk_cell *cell)
{
    if (is_real(cell->kind))
        return cell->v.r;
    return is_signed(cell->kind) ? (double)cell->v.i : (double)cell->v.u;
}

static int compare_number(const struct tk_cell *cell, const struct tk_amount *to)
{
    if (to->whole && !is_real(cell->kind)) {
        const bool minus = is_signed(cell->kind) && cell->v.i < 0;
        return compare_whole(minus, minus ? 0 - cell->v.u : cell->v.u, to);
    }
    const double v = real_value(cell);
    return (v > to->real) - (v < to->real);
}

static bool meets(enum tk_condition_op op, int order)
{
    static const struct {
        bool less, equal, more;
    } met[] = {
        [TK_CONDITION_EQUAL] = {false, true, false},  [TK_CONDITION_UNEQUAL] = {true, false, true},
        [TK_CONDITION_BELOW] = {true, false, false},  [TK_CONDITION_AT_MOST] = {true, true, false},
        [TK_CONDITION_ABOVE] = {false, false, true},  [TK_CONDITION_AT_LEAST] = {false, true, true},
        [TK_CONDITION_HOLDS] = {false, false, false}, [TK_CONDITION_HOLDS_NOT] = {true, true, true},
    };
    return order < 0 ? met[op].less : order == 0 ? met[op].equal : met[op].more;
}

static bool is_text(const struct tk_condition *c, const struct tk_cell *cell)
{
    return (cell->n == c->n_value && memcmp(cell->v.p, c->value, c->n_value) == 0) ||
           tk_glob_typed(c->value, c->n_value, cell->v.p, cell->n);
}

/* Does the text contain what is requested? Without a capital letter case is ignored, as in patterns. */
static bool holds_part(const struct tk_condition *c, const struct tk_cell *cell)
{
    const char *p = cell->v.p;
    bool fold = true;
    for (size_t i = 0; i < c->n_value; i++)
        fold = fold && !(c->value[i] >= 'A' && c->value[i] <= 'Z');
    for (size_t at = 0; at + c->n_value <= cell->n; at++) {
        size_t i = 0;
        while (i < c->n_value && (fold ? tk_condition_lower(p[at + i]) : p[at + i]) == c->value[i])
            i++;
        if (i == c->n_value)
            return true;
    }
    return false;
}

static bool text_meets(const struct tk_condition *c, const struct tk_cell *cell)
{
    if (holds_text(c->op))
        return holds_part(c, cell) == (c->op == TK_CONDITION_HOLDS);
    if (c->op <= TK_CONDITION_UNEQUAL)
        return is_text(c, cell) == (c->op == TK_CONDITION_EQUAL);
    const int severity = tk_condition_severity(cell->v.p, cell->n);
    return severity >= 0 && c->severity >= 0 && meets(c->op, severity - c->severity);
}

static bool is_negative(enum tk_condition_op op)
{
    return op == TK_CONDITION_UNEQUAL || op == TK_CONDITION_HOLDS_NOT;
}

bool tk_condition_holds(const struct tk_condition *c, const struct tk_cell *cell, bool cycles)
{
    bool truth = false;
    const bool none = cell->kind == TK_NONE || (cell->kind == TK_TEXT && cell->n == 0);
    if (none || c->n_value == 0)
        return (none && c->n_value == 0) != is_negative(c->op) && !is_order(c->op);
    if (cell->kind == TK_TEXT)
        return text_meets(c, cell);
    if (cell->kind == TK_BOOL && truth_of(c, &truth))
        return c->op <= TK_CONDITION_UNEQUAL && ((cell->v.u != 0) == truth) == (c->op == TK_CONDITION_EQUAL);
    const struct tk_amount *to = &c->amounts[amount_kind(cell->kind, cycles)];
    if (!is_number(cell->kind) || !to->valid || (is_real(cell->kind) && isnan(cell->v.r)))
        return is_negative(c->op);
    return meets(c->op, compare_number(cell, to));
}
