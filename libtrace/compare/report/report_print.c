/*
 * Prints numbers and names into a growing text, with the escapes of each report format. All reports on
 * comparisons and budgets write through it.
 */
#include "compare/report/report_print.h"

#include "base/text/text.h"
#include "base/vec.h"
#include "compare/report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Values and intervals of a change as people read them: report.h.
 */

#define DIGITS 4
#define MANY   10 /* times as much: no percents */

struct scale {
    double least; /* of what is displayed in this unit, and what one of it is */
    const char *name;
};

static const struct scale times[] = {{1e3, "s"}, {1, "ms"}, {1e-3, "us"}, {1e-6, "ns"}};
static const struct scale sizes[] = {{1073741824, "GiB"}, {1048576, "MiB"}, {1024, "KiB"}, {1, "B"}};

static const struct scaled {
    const char *unit;
    const struct scale *v; /* greatest first */
    size_t n;
    const char *words; /* behind what has it; NULL: nothing */
} scaled[] = {
    {"ms", times, sizeof times / sizeof *times, NULL},
    {"ms/frame", times, sizeof times / sizeof *times, "time a frame"},
    {"ms/run", times, sizeof times / sizeof *times, "time a run"},
    {"ms/occurrence", times, sizeof times / sizeof *times, "time an occurrence"},
    {"bytes", sizes, sizeof sizes / sizeof *sizes, NULL},
};

static const struct scaled *scaled_of(const char *unit)
{
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        if (strcmp(scaled[i].unit, unit) == 0)
            return &scaled[i];
    return NULL;
}

static const struct scale *scale_of(const char *unit, double v)
{
    const struct scaled *s = scaled_of(unit);
    size_t k = 0;
    while (s && k + 1 < s->n && fabs(v) < s->v[k].least)
        k++;
    return s ? &s->v[v == 0 ? 1 : k] : NULL;
}

void tk_report_value(struct tk_print *p, double v, const char *unit)
{
    tk_report_rounded(p, v, unit, DIGITS);
}

void tk_report_rounded(struct tk_print *p, double v, const char *unit, unsigned digits)
{
    const struct scale *scale = scale_of(unit, v);
    const char *per = strchr(unit, '/');
    if (isnan(v)) {
        tk_print(p, "-");
        return;
    }
    tk_print_real(p, scale ? v / scale->least : v, digits);
    if (scale)
        tk_print(p, " %s", scale->name);
    else if (*unit == '1' && per)
        tk_print(p, " %s", per);
    else if (*unit && !per)
        tk_print(p, " %s", unit);
}

void tk_report_side_value(struct tk_print *p, const struct tk_change *c, int side)
{
    tk_print(p, "%s", c->bounded >> side & 1 ? "<= " : "");
    tk_report_value(p, side ? c->candidate : c->baseline, c->unit);
}

static void print_signed(struct tk_print *p, double ratio)
{
    if (ratio >= 1)
        tk_print(p, "+");
    tk_print_fixed(p, (ratio - 1) * 100, 1);
}

static void print_times(struct tk_print *p, double ratio)
{
    tk_print_real(p, ratio, 3);
}

void tk_report_percent(struct tk_print *p, double ratio)
{
    if (!isfinite(ratio))
        return;
    if (ratio >= 1)
        tk_print(p, "+");
    tk_print_fixed(p, (ratio - 1) * 100, 1);
    tk_print(p, " %%");
}

void tk_report_ratio(struct tk_print *p, double ratio)
{
    if (!(ratio >= MANY) || !isfinite(ratio)) {
        tk_report_percent(p, ratio);
        return;
    }
    tk_print(p, "x ");
    tk_print_real(p, ratio, 3);
}

void tk_report_interval(struct tk_print *p, const struct tk_change *c)
{
    const bool many = c->high >= MANY;
    if (!isfinite(c->low) || !isfinite(c->high))
        return;
    tk_print(p, "%s", many ? "x " : "");
    (many ? print_times : print_signed)(p, c->low);
    tk_print(p, " to ");
    (many ? print_times : print_signed)(p, c->high);
    tk_print(p, "%s", many ? "" : " %");
}

/* Without frames there is one figure, of the whole run. */
static const char *kind_words(const struct tk_change *c)
{
    static const char whole[] = "duration";
    if (c->kind != TK_CHANGE_FRAME)
        return tk_change_kind_name((enum tk_change_kind)c->kind);
    return c->name->n == strlen(whole) && memcmp(c->name->p, whole, c->name->n) == 0 ? "of a run"
                                                                                     : "frame times";
}

void tk_report_what(struct tk_print *p, const struct tk_change *c,
                    void (*put)(struct tk_print *p, const struct tk_str *s))
{
    const struct scaled *s = scaled_of(c->unit);
    tk_print(p, "%s", kind_words(c));
    if (c->group->n) {
        tk_print(p, ", ");
        put(p, c->group);
    }
    if (c->kind == TK_CHANGE_FUNCTION)
        tk_print(p, ", part of the stack samples");
    if (s && s->words)
        tk_print(p, ", %s", s->words);
}

void tk_print_bytes(struct tk_print *p, const char *s, size_t n)
{
    if (p->failed || tk_vec_reserve(p, p->n + n)) {
        p->failed = true;
        return;
    }
    if (n)
        memcpy(p->v + p->n, s, n);
    p->n += n;
}

void tk_print(struct tk_print *p, const char *fmt, ...)
{
    char line[2048];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (n > 0)
        tk_print_bytes(p, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

/* Figures end in a five more often than by chance. Which side of it they are on may depend on the last bits
 * of the system's exp and log: one rounds up on every system. */
#define LAST_BITS 1e-12

void tk_print_fixed(struct tk_print *p, double v, unsigned digits)
{
    uint64_t unit = 1;
    char text[24];
    if (!isfinite(v) || fabs(v) > 1e15) {
        tk_print_real(p, v, 6);
        return;
    }
    for (unsigned i = 0; i < digits; i++)
        unit *= 10;
    uint64_t whole = (uint64_t)llround(fabs(v) * (double)unit * (1 + LAST_BITS));
    if (v < 0 && whole)
        tk_print_bytes(p, "-", 1);
    tk_print_bytes(p, text, tk_put_u64(text, whole / unit));
    if (digits == 0)
        return;
    size_t n = tk_put_u64(text, whole % unit);
    tk_print_bytes(p, ".", 1);
    for (size_t i = n; i < digits; i++)
        tk_print_bytes(p, "0", 1);
    tk_print_bytes(p, text, n);
}

void tk_print_real(struct tk_print *p, double v, unsigned digits)
{
    char text[32];
    if (!isfinite(v)) {
        tk_print_bytes(p, "null", 4);
        return;
    }
    tk_print_bytes(p, text, tk_put_rounded(text, v, digits));
}

/* How a format writes a character that is not itself, before another one (0: the end); NULL: it is. */
typedef const char *tk_escape(uint32_t c, uint32_t next, char buffer[TK_DISPLAY_BYTES]);

/* Invalid bytes become U+FFFD; with escape NULL everything else stays as it is. What runners of continuous
 * integration would obey gets a backslash where `commands` says so. */
static void print_escaped_as(struct tk_print *p, const struct tk_str *s, tk_escape *escape, bool commands)
{
    const uint8_t *at = (const uint8_t *)s->p;
    char buffer[TK_DISPLAY_BYTES];
    struct tk_display displayed = {0};
    for (size_t i = 0, n, ignored; i < s->n; i += n) {
        uint8_t utf8[4];
        uint32_t c = tk_utf8_next(at + i, s->n - i, &n);
        uint32_t next = i + n < s->n ? tk_utf8_next(at + i + n, s->n - i - n, &ignored) : 0;
        if (commands && tk_display_breaks(&displayed, c, next))
            tk_print_bytes(p, "\\", 1);
        const char *text = escape ? escape(c, next, buffer) : NULL;
        if (text)
            tk_print_bytes(p, text, strlen(text));
        else
            tk_print_bytes(p, (const char *)utf8, tk_utf8_put(utf8, c));
    }
}

static void print_escaped(struct tk_print *p, const struct tk_str *s, tk_escape *escape)
{
    print_escaped_as(p, s, escape, false);
}

static const char *plain(uint32_t c, uint32_t next, char buffer[TK_DISPLAY_BYTES])
{
    (void)next;
    if (!tk_is_unsafe(c))
        return NULL;
    if (c < 0xa0)
        return " ";
    buffer[tk_unsafe_escape(buffer, c)] = '\0';
    return buffer;
}

static const char *xml(uint32_t c, uint32_t next, char buffer[TK_DISPLAY_BYTES])
{
    const char *entity = tk_markup_entity(c);
    if (entity)
        return entity;
    return c == 0xfffe || c == 0xffff ? "?" : plain(c, next, buffer);
}

/* Whoever shows it may make links of @name and #123, whatever their signs are written as, and of www. and ://
 * as they are. */
static const char *markdown(uint32_t c, uint32_t next, char buffer[TK_DISPLAY_BYTES])
{
    if (c < 0x80 && c && strchr("|\\`*_[]<>&#@", (int)c)) {
        const bool refers = (c == '#' || c == '@') && next && next != ' ';
        snprintf(buffer, TK_DISPLAY_BYTES, "&#%u;%s", (unsigned)c, refers ? "<!-- -->" : "");
        return buffer;
    }
    if ((next == '/' && c == ':') || ((c == 'w' || c == 'W') && next == c)) {
        snprintf(buffer, TK_DISPLAY_BYTES, "&#%u;", (unsigned)c);
        return buffer;
    }
    return plain(c, next, buffer);
}

static const char *github(uint32_t c, uint32_t next, char buffer[TK_DISPLAY_BYTES])
{
    if (c == '%' || c == ',' || c == ':') {
        snprintf(buffer, TK_DISPLAY_BYTES, "%%%02X", (unsigned)c);
        return buffer;
    }
    return plain(c, next, buffer);
}

void tk_print_name(struct tk_print *p, const struct tk_str *s)
{
    print_escaped_as(p, s, plain, true);
}

static void put_bytes(void *print, const char *p, size_t n)
{
    tk_print_bytes(print, p, n);
}

void tk_print_json(struct tk_print *p, const struct tk_str *s)
{
    struct tk_print text = {0};
    print_escaped(&text, s, NULL);
    tk_json_put_string(p, put_bytes, text.v, text.n, TK_JSON_HEX);
    p->failed |= text.failed;
    free(text.v);
}

struct tk_html tk_print_html(struct tk_print *p)
{
    return (struct tk_html){.put = put_bytes, .to = p};
}

struct tk_json tk_print_json_writer(struct tk_print *p)
{
    return (struct tk_json){.put = put_bytes, .to = p, .controls = TK_JSON_HEX};
}

void tk_print_json_text(struct tk_json *j, const char *name, const struct tk_str *s)
{
    if (s) {
        tk_json_member(j, name);
        tk_print_json(j->to, s);
    } else {
        tk_json_plain(j, name, "null");
    }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The slashes in front of what is no relative path. */
static const char *root_of(const char *p, size_t n)
{
    if (n > 1 && is_letter(p[0]) && p[1] == ':')
        return "file:///";
    if (n > 1 && (p[0] == '/' || p[0] == '\\'))
        return p[1] == p[0] ? "file:" : "file://";
    return n && p[0] == '/' ? "file://" : "";
}

static bool is_drive(const char *p, size_t i)
{
    return i == 1 && is_letter(p[0]) && p[1] == ':';
}

void tk_print_uri(struct tk_print *p, const struct tk_str *path)
{
    tk_print(p, "\"%s", root_of(path->p, path->n));
    for (size_t i = 0; i < path->n; i++) {
        char c = path->p[i] == '\\' ? '/' : path->p[i], hex[4];
        const bool plain =
            is_letter(c) || (c >= '0' && c <= '9') || (c && strchr("/-._~", c)) || is_drive(path->p, i);
        int n = plain ? 1 : snprintf(hex, sizeof hex, "%%%02X", (unsigned)(uint8_t)c);
        tk_print_bytes(p, plain ? &c : hex, (size_t)n);
    }
    tk_print(p, "\"");
}

void tk_print_xml(struct tk_print *p, const struct tk_str *s)
{
    print_escaped(p, s, xml);
}

void tk_print_markdown(struct tk_print *p, const struct tk_str *s)
{
    print_escaped_as(p, s, markdown, true);
}

void tk_print_csv(struct tk_print *p, const struct tk_str *s)
{
    struct tk_print text = {0};
    if (p->guard && tk_looks_like_formula(s->p, s->n))
        tk_print_bytes(&text, "'", 1);
    print_escaped(&text, s, plain);
    tk_csv_quote(p, put_bytes, text.v, text.n);
    p->failed |= text.failed;
    free(text.v);
}

static const char *github_message(uint32_t c, uint32_t next, char buffer[TK_DISPLAY_BYTES])
{
    return c == '%' ? "%25" : plain(c, next, buffer);
}

void tk_print_github_message(struct tk_print *p, const struct tk_str *s)
{
    print_escaped_as(p, s, github_message, true);
}

void tk_print_github(struct tk_print *p, const struct tk_str *s)
{
    print_escaped_as(p, s, github, true);
}

void tk_print_through(struct tk_print *p, struct tk_print *text, tk_print_put *put)
{
    const struct tk_str s = {.p = text->v, .n = (uint32_t)text->n};
    put(p, &s);
    p->failed |= text->failed;
    free(text->v);
    *text = (struct tk_print){0};
}

void tk_print_pad(struct tk_print *p, size_t from, size_t width)
{
    size_t have = p->failed ? width : tk_utf8_width(p->v + from, p->n - from);
    for (; have < width; have++)
        tk_print_bytes(p, " ", 1);
}

/* ---- lines of pieces ---- */

/* Columns that the text from `from` on takes on a terminal. */
static size_t width_of(const struct tk_print *p, size_t from)
{
    size_t width = 0;
    while (from < p->n) {
        const char *escape = memchr(p->v + from, '\033', p->n - from);
        size_t n = escape ? (size_t)(escape - p->v) - from : p->n - from;
        width += tk_utf8_width(p->v + from, n);
        from += n;
        while (escape && from < p->n && p->v[from++] != 'm')
            continue;
    }
    return width;
}

struct tk_print_line tk_print_line(struct tk_print *p, size_t width)
{
    return (struct tk_print_line){.p = p, .width = width, .from = p->n, .piece = p->n};
}

void tk_print_piece(struct tk_print_line *l)
{
    static const char gap[] = "\n     ";
    struct tk_print *p = l->p;
    if (l->width && l->piece > l->from && p->n > l->piece && width_of(p, l->from) > l->width) {
        size_t from = l->piece;
        while (from < p->n && (p->v[from] == ' ' || p->v[from] == ';')) /* they follow nothing there */
            from++;
        const size_t rest = p->n - from;
        tk_print(p, "%s", gap);
        if (p->failed)
            return;
        memmove(p->v + l->piece + sizeof gap - 1, p->v + from, rest);
        memcpy(p->v + l->piece, gap, sizeof gap - 1);
        p->n = l->piece + sizeof gap - 1 + rest;
        l->from = l->piece + 1;
        if (width_of(p, l->from) > l->width)
            tk_print_wrap(p, l->from, l->width, sizeof gap - 2);
        for (size_t i = l->from; i < p->n; i++)
            l->from = p->v[i] == '\n' ? i + 1 : l->from;
    }
    l->piece = p->n;
}

void tk_print_wrap(struct tk_print *p, size_t from, size_t width, size_t indent)
{
    struct tk_print text = {0};
    tk_print_bytes(&text, p->v + from, p->n - from);
    p->n = from;
    size_t column = 0;
    for (size_t at = 0, end; at < text.n; at = end) {
        if (text.v[at] == '\n') {
            tk_print(p, "\n");
            column = 0;
            end = at + 1;
            continue;
        }
        for (end = at; end < text.n && text.v[end] == ' '; end++)
            ;
        for (; end < text.n && text.v[end] != ' ' && text.v[end] != '\n'; end++)
            ;
        const size_t wide = tk_utf8_width(text.v + at, end - at);
        if (width && column && column + wide > width) {
            tk_print(p, "\n%*s", (int)indent - 1, "");
            column = indent - 1;
        }
        tk_print_bytes(p, text.v + at, end - at);
        column += wide;
    }
    p->failed |= text.failed;
    free(text.v);
}

void tk_print_break(struct tk_print *p, size_t from, size_t width)
{
    size_t begin = from, blank = 0;
    for (size_t i = from; width && !p->failed && i <= p->n; i++) {
        if (i < p->n && p->v[i] != ' ')
            continue;
        if (blank && tk_utf8_width(p->v + begin, i - begin) > width) {
            p->v[blank] = '\n';
            begin = blank + 1;
        }
        blank = i;
    }
}
