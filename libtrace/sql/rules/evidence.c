/*
 * Rules in words: what is wrong with a file, and evidence: {COLUMN} and {COLUMN:FORM} of a row.
 */
#include "sink/write/human.h"
#include "sql/rules/rules_in.h"
#include "table/cell.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int tk_rule_fail(const struct tk_rule *rule, unsigned line, struct tk_err *err, const char *format, ...)
{
    char text[TK_ERR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tk_err_set(err, TK_EUSAGE, "%s, line %u: %s", rule->path ? rule->path : rule->name, line, text);
}

/* ---- forms ---- */

static double number_of(const struct tk_cell *cell)
{
    switch (cell->kind) {
    case TK_REAL:
    case TK_MEAN:
        return cell->v.r;
    case TK_REAL32:
        return (double)cell->v.r;
    case TK_UINT:
    case TK_SIZE:
    case TK_HEX:
        return (double)cell->v.u;
    case TK_INT:
    case TK_DURATION:
    case TK_TIME:
        return (double)cell->v.i;
    default:
        return 0;
    }
}

static void put_duration(struct tk_buffer *b, double v)
{
    tk_human_span(b, v < 9e18 ? llround(v) : INT64_MAX);
}

static void put_bytes(struct tk_buffer *b, double v)
{
    if (v < 0)
        tk_buffer_char(b, '-');
    tk_human_size(b, fabs(v) < 1e18 ? (uint64_t)fabs(v) : UINT64_MAX);
}

static void put_percent(struct tk_buffer *b, double v)
{
    char text[40];
    snprintf(text, sizeof text, v < 0.1 ? "%.1f %%" : "%.0f %%", v < 1e9 ? v * 100 : 1e11);
    tk_buffer_text(b, text);
}

static void put_count(struct tk_buffer *b, double v)
{
    tk_human_real(b, v < 1000 ? v : floor(v + 0.5));
}

static void put_number_of(struct tk_buffer *b, double v, const char *one, const char *many)
{
    char text[40];
    snprintf(text, sizeof text, v == 1 ? "%.0f %s" : "%.0f %s", v, v == 1 ? one : many);
    tk_buffer_text(b, text);
}

static void put_times(struct tk_buffer *b, double v)
{
    put_number_of(b, v, "time", "times");
}

static void put_calls(struct tk_buffer *b, double v)
{
    put_number_of(b, v, "call", "calls");
}

static const struct form {
    const char *name;
    void (*put)(struct tk_buffer *b, double v);
} forms[] = {{"duration", put_duration}, {"bytes", put_bytes}, {"percent", put_percent},
             {"count", put_count},       {"times", put_times}, {"calls", put_calls}};

static const char allowed[] = "duration, bytes, percent, count, times, calls";

/* ---- parts of a text ---- */

/* {name:form}, or text up to the next of them. */
struct part {
    const char *text, *name;
    size_t n, n_name;
    const struct form *form; /* NULL: as the column is */
    bool known;              /* there is such a form */
};

static const struct form *find_form(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strlen(forms[i].name) == n && memcmp(forms[i].name, name, n) == 0)
            return &forms[i];
    return NULL;
}

/* Returns where it ends. */
static const char *next_part(const char *at, struct part *p)
{
    const char *end = *at == '{' ? strchr(at, '}') : NULL;
    *p = (struct part){.text = at, .known = true};
    if (!end) {
        p->n = *at == '{' ? 1 + strcspn(at + 1, "{") : strcspn(at, "{");
        return at + p->n;
    }
    p->name = at + 1;
    p->n_name = strcspn(p->name, ":}");
    if (p->name[p->n_name] == ':') {
        const char *form = p->name + p->n_name + 1;
        p->form = find_form(form, (size_t)(end - form));
        p->known = p->form != NULL;
    }
    return end + 1;
}

int tk_rule_template_check(const struct tk_rule *rule, enum tk_rule_key key, struct tk_err *err)
{
    const struct tk_rule_value *value = &rule->keys[key];
    struct part p;
    for (const char *at = value->text; *at;) {
        at = next_part(at, &p);
        if (!p.known)
            return tk_rule_fail(rule, value->line, err, "'%.*s' has a form that there is not; there are %s",
                                (int)(at - p.text), p.text, allowed);
    }
    return TK_OK;
}

static int column_of(const struct tk_table *table, const struct part *p)
{
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (strlen(table->columns[i].name) == p->n_name &&
            memcmp(table->columns[i].name, p->name, p->n_name) == 0)
            return (int)i;
    return -1;
}

static bool is_capture(const struct part *p)
{
    return p->n_name == strlen("capture") && memcmp(p->name, "capture", p->n_name) == 0;
}

int tk_rule_template_names(const struct tk_rule *rule, enum tk_rule_key key, const struct tk_table *table,
                           struct tk_err *err)
{
    const struct tk_rule_value *value = &rule->keys[key];
    struct part p;
    for (const char *at = value->text; *at;) {
        at = next_part(at, &p);
        if (p.name && !is_capture(&p) && column_of(table, &p) < 0)
            return tk_rule_fail(rule, value->line, err,
                                "'%.*s' is no column of the statement behind '-- found'", (int)p.n_name,
                                p.name);
    }
    return TK_OK;
}

/* ---- putting ---- */

static void put_value(struct tk_buffer *b, const struct part *p, const struct tk_column *column,
                      const struct tk_cell *cell)
{
    struct tk_human human = {.unit = TK_UNIT_NS};
    tk_human_column(&human, column);
    if (cell->kind == TK_NONE)
        tk_buffer_char(b, '-');
    else if (p->form && cell->kind != TK_TEXT && cell->kind != TK_BYTES)
        p->form->put(b, number_of(cell));
    else
        tk_human_cell(b, cell, &human);
}

/* As one word of a shell. */
static void put_word(struct tk_buffer *b, const char *p, size_t n)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+-@%,=";
    size_t i = 0;
    while (i < n && p[i] && strchr(plain, p[i]))
        i++;
    if (i == n && n) {
        tk_buffer_put(b, p, n);
        return;
    }
    tk_buffer_char(b, '\'');
    for (i = 0; i < n; i++)
        if (p[i] == '\'')
            tk_buffer_text(b, "'\\''");
        else
            tk_buffer_char(b, p[i]);
    tk_buffer_char(b, '\'');
}

static void put_column(struct tk_buffer *b, const struct part *p, enum tk_rule_key key,
                       const struct tk_table *table, const struct tk_cell *row)
{
    const int column = column_of(table, p);
    struct tk_buffer value;
    if (column < 0)
        return;
    if (key != TK_RULE_COMMAND) {
        put_value(b, p, &table->columns[column], &row[column]);
    } else if (tk_buffer_init_scratch(&value, b) == TK_OK) {
        put_value(&value, p, &table->columns[column], &row[column]);
        put_word(b, value.p, value.n);
        tk_buffer_release(&value);
    } else {
        tk_buffer_fail(b, TK_ENOMEM);
    }
}

void tk_rule_template_put(struct tk_buffer *b, const struct tk_rule *rule, enum tk_rule_key key,
                          const struct tk_table *table, const struct tk_cell *row, const char *file)
{
    struct part p;
    for (const char *at = rule->keys[key].text; *at;) {
        at = next_part(at, &p);
        if (!p.name)
            tk_buffer_put(b, p.text, p.n);
        else if (is_capture(&p))
            put_word(b, file, strlen(file));
        else
            put_column(b, &p, key, table, row);
    }
}
