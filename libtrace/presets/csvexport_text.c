/*
 * Texts and numbers as the rows of the preset `tracy` hold them, and its filter of names. All tables of the
 * preset write through it.
 */
#include "base/text/text.h"
#include "presets/presets_in.h"

#include <math.h>
#include <string.h>

void tk_csvexport_put_separator(struct tk_csvexport *x)
{
    tk_buffer_put(&x->out, x->opt->separator, x->n_separator);
}

static bool holds(const struct tk_str *s, const char *part, size_t n)
{
    for (size_t i = 0; n && i + n <= s->n; i++)
        if (memcmp(s->p + i, part, n) == 0)
            return true;
    return false;
}

static bool needs_quotes(const struct tk_csvexport *x, const struct tk_str *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->p[i] == '"' || s->p[i] == '\n' || s->p[i] == '\r')
            return true;
    return holds(s, x->opt->separator, x->n_separator);
}

void tk_csvexport_put_text(struct tk_csvexport *x, const struct tk_str *s)
{
    if (!s)
        return;
    if (x->opt->raw || !needs_quotes(x, s))
        tk_buffer_put(&x->out, s->p, s->n);
    else
        tk_buffer_quoted(&x->out, *s);
}

void tk_csvexport_put_name(struct tk_csvexport *x, const struct tk_str *s)
{
    static const struct tk_str missing = {"???", 3, TK_ENC_UTF8};
    tk_csvexport_put_text(x, s || !x->opt->raw ? s : &missing);
}

void tk_csvexport_put_i64(struct tk_csvexport *x, int64_t v)
{
    tk_csvexport_put_separator(x);
    tk_buffer_i64(&x->out, v);
}

void tk_csvexport_put_u64(struct tk_csvexport *x, uint64_t v)
{
    tk_csvexport_put_separator(x);
    tk_buffer_u64(&x->out, v);
}

/* What is no number is said to be negative, as processors of that kind make it. */
void tk_csvexport_put_real(struct tk_csvexport *x, double v)
{
    char text[TK_PUT_FIXED];
    tk_csvexport_put_separator(x);
    if (isnan(v))
        tk_buffer_text(&x->out, "-nan");
    else
        tk_buffer_put(&x->out, text, tk_put_fixed(text, v, 6));
}

void tk_csvexport_put_head(struct tk_csvexport *x, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i)
            tk_csvexport_put_separator(x);
        tk_buffer_text(&x->out, names[i]);
    }
    tk_buffer_char(&x->out, '\n');
}

/* ---- the filter ---- */

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool matches_at(const char *p, const char *part, size_t n, bool match_case)
{
    for (size_t i = 0; i < n; i++)
        if (match_case ? p[i] != part[i] : folded(p[i]) != folded(part[i]))
            return false;
    return true;
}

bool tk_csvexport_passes(const struct tk_csvexport *x, const struct tk_str *name)
{
    const char *part = x->opt->filter;
    size_t n = part ? strlen(part) : 0;
    for (size_t i = 0; n && i + n <= name->n; i++)
        if (matches_at(name->p + i, part, n, x->opt->match_case))
            return true;
    return !n;
}
