/*
 * Tokens of SQL, and formulas of columns of results: what they are made of, and so the kind of what they
 * give.
 */
#include "sql/sql_in.h"
#include "sql/tables/shape.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* What a column of a result is made of, in the order in which a stack works it off: columns of tables,
 * numbers, and what is done with them. */
enum step { COLUMN, NUMBER, COUNTED, CONVERSION, ADD, SUBTRACT, MULTIPLY, DIVIDE };

enum { MOST_DEPTH = 12 };

struct parser {
    struct tk_sql_token t;
    const char *end;
    struct tk_sql_formula *f;
};

static bool is_at(const struct parser *p, char c)
{
    return p->t.p < p->end && *p->t.p == c;
}

static void pass(struct parser *p)
{
    p->t = tk_sql_token_next(&p->t, p->end);
}

static void add_step(struct parser *p, enum step step)
{
    if (p->f->n == TK_SQL_FORMULA_STEPS)
        p->f->failed = true;
    else
        p->f->steps[p->f->n++] = (uint8_t)step;
}

/* Behind the parenthesis that is open at t, or the end. */
static struct tk_sql_token behind_group(struct tk_sql_token t, const char *end)
{
    const size_t depth = t.depth;
    do
        t = tk_sql_token_next(&t, end);
    while (t.p < end && t.depth > depth);
    return t;
}

/* Behind FILTER (...) and OVER (...) or OVER name, which an alias or the next column follows. */
static struct tk_sql_token behind_clauses(struct tk_sql_token t, const char *end)
{
    static const char *const clauses[] = {"filter", "over"};
    while (t.p < end && tk_sql_token_says_one_of(&t, clauses, COUNT(clauses))) {
        t = tk_sql_token_next(&t, end);
        if (t.p < end)
            t = *t.p == '(' ? behind_group(t, end) : tk_sql_token_next(&t, end);
    }
    return t;
}

static void parse_sum(struct parser *p);

/* Is the number one by which units are converted into others: a power of 1000 or 1024? */
static bool is_conversion(double value)
{
    if (value < 1)
        value = 1 / value;
    for (double power = 1e3, binary = 1024; power < 1e19; power *= 1e3, binary *= 1024)
        if (value > power * (1 - 1e-12) && value < power * (1 + 1e-12))
            return true;
        else if (value == binary)
            return true;
    return false;
}

/* Digits, a point and an exponent may be several tokens. */
static void parse_number(struct parser *p)
{
    char text[40];
    const char *begin = p->t.p, *stop = begin;
    while (stop < p->end && (tk_sql_is_word(*stop) || *stop == '.' ||
                             ((*stop == '-' || *stop == '+') && (stop[-1] == 'e' || stop[-1] == 'E'))))
        stop++;
    const size_t n = (size_t)(stop - begin) < sizeof text - 1 ? (size_t)(stop - begin) : sizeof text - 1;
    memcpy(text, begin, n);
    text[n] = '\0';
    add_step(p, is_conversion(strtod(text, NULL)) ? CONVERSION : NUMBER);
    p->t = tk_sql_token_at(stop, p->end, p->t.depth);
}

/* A SELECT in parentheses is a column, whose kind SQLite says. */
static void parse_select(struct parser *p)
{
    struct tk_sql_formula *f = p->f;
    const struct tk_sql_token begin = p->t;
    p->t = behind_group(p->t, p->end);
    const char *end = p->t.p; /* back to the parenthesis: what is between is a space or a comment */
    while (end > begin.p && end[-1] != ')')
        end--;
    if (f->n_columns == TK_SQL_FORMULA_COLUMNS)
        f->failed = true;
    else
        f->columns[f->n_columns++] = (struct tk_sql_token){begin.p, end, begin.depth};
    add_step(p, COLUMN);
}

/* CASE gives what follows its first THEN. */
static void parse_case(struct parser *p)
{
    const size_t depth = p->t.depth;
    unsigned open = 1;
    do
        pass(p);
    while (p->t.p < p->end && p->t.depth >= depth &&
           !(p->t.depth == depth && (tk_sql_token_says(&p->t, "then") || tk_sql_token_says(&p->t, "case"))));
    if (!tk_sql_token_says(&p->t, "then")) {
        p->f->failed = true;
        return;
    }
    pass(p);
    parse_sum(p);
    while (!p->f->failed && p->t.p < p->end && p->t.depth >= depth && open) {
        open += tk_sql_token_says(&p->t, "case");
        open -= tk_sql_token_says(&p->t, "end");
        pass(p);
    }
    p->f->failed |= open > 0;
}

/* CAST to a number gives what it is of. */
static void parse_cast(struct parser *p)
{
    static const char *const numbers[] = {"real", "integer", "int", "numeric", "double", "float"};
    pass(p);
    const struct tk_sql_token after = behind_group(p->t, p->end);
    pass(p);
    parse_sum(p);
    p->f->failed |= !tk_sql_token_says(&p->t, "as");
    pass(p);
    p->f->failed |= !tk_sql_token_says_one_of(&p->t, numbers, COUNT(numbers));
    p->t = after;
}

/* Of functions that give what they are of: their first argument. */
static void parse_function(struct parser *p)
{
    static const char *const same[] = {
        "sum",        "total",  "avg",    "min",         "max",           "median",
        "percentile", "mode",   "abs",    "round",       "quantile_cont", "quantile_disc",
        "coalesce",   "ifnull", "stddev", "stddev_samp", "stddev_pop",    "first_value",
        "last_value", "lag",    "lead",   "time_bucket", "arg_max",       "arg_min",
        "max_by",     "min_by", "iif",    "nullif",      "nth_value"};
    static const char *const second[] = {"time_bucket", "iif"};
    const bool of_second = tk_sql_token_says_one_of(&p->t, second, COUNT(second));
    const bool known = tk_sql_token_says_one_of(&p->t, same, COUNT(same)),
               counts = tk_sql_token_says(&p->t, "count");
    pass(p);
    const struct tk_sql_token after = behind_clauses(behind_group(p->t, p->end), p->end);
    pass(p);
    if (counts) {
        add_step(p, COUNTED);
    } else if (!known) {
        p->f->failed = true;
    } else {
        if (is_at(p, '*') || tk_sql_token_says(&p->t, "distinct"))
            pass(p);
        const size_t depth = p->t.depth;
        while (of_second && p->t.p < after.p && !(is_at(p, ',') && p->t.depth == depth))
            pass(p);
        if (of_second && p->t.p < after.p)
            pass(p);
        parse_sum(p);
        p->f->failed |= !(is_at(p, ',') || is_at(p, ')'));
    }
    p->t = after;
}

/* name, table.name or schema.table.name. */
static void parse_column(struct parser *p)
{
    struct tk_sql_formula *f = p->f;
    const char *begin = p->t.p;
    struct tk_sql_token last = p->t;
    for (;;) {
        pass(p);
        if (!is_at(p, '.'))
            break;
        pass(p);
        last = p->t;
    }
    if (f->n_columns == TK_SQL_FORMULA_COLUMNS || last.p >= p->end)
        f->failed = true;
    else
        f->columns[f->n_columns++] = (struct tk_sql_token){begin, last.end, last.depth};
    add_step(p, COLUMN);
}

static void parse_group(struct parser *p)
{
    static const char *const selects[] = {"select", "with", "values"};
    const struct tk_sql_token after = tk_sql_token_next(&p->t, p->end);
    if (tk_sql_token_says_one_of(&after, selects, COUNT(selects))) {
        parse_select(p);
        return;
    }
    pass(p);
    parse_sum(p);
    p->f->failed |= !is_at(p, ')');
    if (!p->f->failed)
        pass(p);
}

static void parse_factor(struct parser *p)
{
    static const char *const others[] = {"not", "exists", "null", "distinct", "select"};
    while (is_at(p, '-') || is_at(p, '+')) {
        p->f->negates |= is_at(p, '-');
        pass(p);
    }
    if (p->t.p >= p->end || ++p->f->depth > MOST_DEPTH ||
        tk_sql_token_says_one_of(&p->t, others, COUNT(others))) {
        p->f->failed = true;
    } else if (is_at(p, '(')) {
        parse_group(p);
    } else if (tk_sql_token_says(&p->t, "case")) {
        parse_case(p);
    } else if (tk_sql_token_says(&p->t, "cast")) {
        parse_cast(p);
    } else if (*p->t.p >= '0' && *p->t.p <= '9') {
        parse_number(p);
    } else if (*p->t.p == '"' || tk_sql_is_word(*p->t.p)) {
        const struct tk_sql_token after = tk_sql_token_next(&p->t, p->end);
        if (after.p < p->end && *after.p == '(')
            parse_function(p);
        else
            parse_column(p);
    } else {
        p->f->failed = true;
    }
    p->f->depth--;
}

static void parse_product(struct parser *p)
{
    parse_factor(p);
    while (!p->f->failed && (is_at(p, '*') || is_at(p, '/'))) {
        const enum step step = is_at(p, '*') ? MULTIPLY : DIVIDE;
        pass(p);
        parse_factor(p);
        add_step(p, step);
    }
}

static void parse_sum(struct parser *p)
{
    parse_product(p);
    while (!p->f->failed && (is_at(p, '+') || is_at(p, '-'))) {
        const enum step step = is_at(p, '+') ? ADD : SUBTRACT;
        pass(p);
        parse_product(p);
        add_step(p, step);
    }
}

/* Where a column of the result ends, or an alias of it begins; never an operator. */
static bool ends_column(const struct tk_sql_token *t, const char *end)
{
    static const char *const operators[] = {"is",  "in",     "like",  "glob",   "between", "and",    "or",
                                            "not", "regexp", "match", "isnull", "notnull", "collate"};
    if (t->p < end && tk_sql_token_says_one_of(t, operators, COUNT(operators)))
        return false;
    return t->p == end || *t->p == ',' || *t->p == ';' || *t->p == '"' || *t->p == '\'' || *t->p == ')' ||
           tk_sql_is_word(*t->p);
}

/* The formula of the column that begins at t, and what follows it. failed: it is none. */
struct tk_sql_token tk_sql_formula_parse(struct tk_sql_formula *f, struct tk_sql_token t, const char *end)
{
    struct parser p = {t, end, f};
    *f = (struct tk_sql_formula){0};
    parse_sum(&p);
    f->failed |= !ends_column(&p.t, end);
    return f->failed ? t : p.t;
}

/* ---- kinds of formulas ---- */

enum tk_kind tk_sql_formula_counted(enum tk_kind kind, const char *unit)
{
    if (unit)
        return TK_SIZE;
    switch (kind) {
    case TK_MEAN:
        return TK_DURATION;
    case TK_UINT:
    case TK_REAL:
    case TK_REAL32:
        return TK_INT;
    case TK_TIME:
    case TK_DURATION:
    case TK_SIZE:
    case TK_INT:
        return kind;
    default:
        return TK_NONE;
    }
}

/* Times and durations, bytes, or numbers that are written in the statement, which take the unit of the other
 * side. */
static enum tk_kind kind_of_sum(enum tk_kind a, enum tk_kind b, bool minus)
{
    if (a == TK_TIME && b == TK_TIME)
        return minus ? TK_DURATION : TK_NONE;
    if ((a == TK_TIME && b == TK_DURATION) || (!minus && a == TK_DURATION && b == TK_TIME))
        return TK_TIME;
    return a == b || b == TK_INT ? a : a == TK_INT && !minus ? b : TK_NONE;
}

static enum tk_kind kind_of_product(enum tk_kind a, enum tk_kind b, bool over)
{
    if (a == TK_TIME || b == TK_TIME)
        return TK_NONE;
    if (b == TK_INT)
        return a;
    return over ? TK_NONE : a == TK_INT ? b : TK_NONE;
}

/* A conversion leaves a number in units that nobody knows. */
static enum tk_kind kind_of(enum step step, enum tk_kind a, enum tk_kind b)
{
    if (a == TK_NONE || b == TK_NONE)
        return TK_NONE;
    return step == ADD || step == SUBTRACT ? kind_of_sum(a, b, step == SUBTRACT)
                                           : kind_of_product(a, b, step == DIVIDE);
}

/* kinds: of its columns. */
enum tk_kind tk_sql_formula_kind(const struct tk_sql_formula *f,
                                 const enum tk_kind kinds[TK_SQL_FORMULA_COLUMNS])
{
    enum tk_kind stack[TK_SQL_FORMULA_STEPS];
    unsigned n = 0, column = 0;
    for (unsigned i = 0; i < f->n; i++) {
        const enum step step = (enum step)f->steps[i];
        if (step == COLUMN)
            stack[n++] = kinds[column++];
        else if (step == NUMBER || step == COUNTED)
            stack[n++] = TK_INT;
        else if (step == CONVERSION)
            stack[n++] = TK_NONE;
        else if (n >= 2) {
            n--;
            stack[n - 1] = kind_of(step, stack[n - 1], stack[n]);
        }
    }
    return n == 1 ? stack[0] : TK_NONE;
}

bool tk_sql_formula_is_written(const struct tk_sql_formula *f)
{
    return !f->n_columns && !memchr(f->steps, COUNTED, f->n);
}

bool tk_sql_formula_subtracts(const struct tk_sql_formula *f)
{
    return f->negates || memchr(f->steps, SUBTRACT, f->n) != NULL;
}

bool tk_sql_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

const char *tk_sql_skip_space(const char *p, const char *end)
{
    while (p < end) {
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (end - p >= 2 && p[0] == '-' && p[1] == '-') {
            while (p < end && *p != '\n')
                p++;
        } else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
            for (p += end - p > 3 ? 3 : end - p; p < end && !(p[0] == '/' && p[-1] == '*'); p++)
                ;
            p += p < end;
        } else {
            break;
        }
    }
    return p;
}

const char *tk_sql_token_end(const char *p, const char *end)
{
    const char quote = *p == '[' ? ']' : *p;
    if (*p == '\'' || *p == '"' || *p == '`' || *p == '[') {
        for (p++; p < end && *p != quote; p++)
            ;
        return p < end ? p + 1 : end;
    }
    if (!tk_sql_is_word(*p))
        return p + 1;
    while (p < end && tk_sql_is_word(*p))
        p++;
    return p;
}

struct tk_sql_token tk_sql_token_at(const char *p, const char *end, size_t depth)
{
    struct tk_sql_token t = {.p = tk_sql_skip_space(p, end), .depth = depth};
    t.end = t.p < end ? tk_sql_token_end(t.p, end) : end;
    return t;
}

struct tk_sql_token tk_sql_token_next(const struct tk_sql_token *t, const char *end)
{
    const size_t depth = t->depth + (*t->p == '(') - (*t->p == ')' && t->depth);
    return tk_sql_token_at(t->end, end, depth);
}

bool tk_sql_token_says(const struct tk_sql_token *t, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(t->end - t->p) == n && sqlite3_strnicmp(t->p, word, (int)n) == 0;
}

bool tk_sql_token_says_one_of(const struct tk_sql_token *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tk_sql_token_says(t, words[i]))
            return true;
    return false;
}
