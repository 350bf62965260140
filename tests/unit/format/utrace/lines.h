/*
 * What was decoded, as lines of text that a test compares with what it expects.
 */
#ifndef TK_TESTS_UNIT_UTRACE_LINES_H
#define TK_TESTS_UNIT_UTRACE_LINES_H

#include "format/utrace/schema/event.h"
#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A growing NUL-terminated text; all zero is an empty one. */
struct lines {
    char *text;
    size_t n, cap;
};

TK_PRINTF(2, 3) static inline void add_line(struct lines *l, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t n = (size_t)vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (tk_vec_grow((void **)&l->text, &l->cap, l->n + n + 1,
                    1)) /* an assertion is slow even when it holds */
        ck_abort_msg("out of memory");
    vsnprintf(l->text + l->n, n + 1, format, again);
    va_end(again);
    l->n += n;
}

static inline void clear_lines(struct lines *l)
{
    if (l->text)
        l->text[0] = '\0';
    l->n = 0;
}

static inline void release_lines(struct lines *l)
{
    free(l->text);
    *l = (struct lines){0};
}

/* Compares, and shows the first line that differs. */
static inline void check_text(const char *reported, const char *expected)
{
    size_t line = 0;
    for (size_t i = 0; reported[i] == expected[i]; i++) {
        if (!reported[i])
            return;
        if (reported[i] == '\n')
            line = i + 1;
    }
    ck_abort_msg("told: %.300s\nexpected: %.300s", reported + line, expected + line);
}

static inline void add_hex(struct lines *l, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_line(l, "%02x", p[i]);
}

/* "text"; what is not valid in hex behind its encoding. */
static inline void add_text(struct lines *l, const void *p, size_t n, unsigned enc)
{
    if (enc == TK_ENC_UTF8) {
        add_line(l, "\"%.*s\"", (int)n, (const char *)p);
        return;
    }
    add_line(l, enc == TK_ENC_BYTES ? "bytes:" : "utf16:");
    add_hex(l, p, n);
}

static inline void add_str(struct lines *l, const struct tk_str *s)
{
    if (s)
        add_text(l, s->p, s->n, s->enc);
    else
        add_line(l, "-");
}

static inline void add_element(struct lines *l, const struct tk_cell *c, uint32_t i)
{
    const uint8_t *p = (const uint8_t *)c->v.p + (size_t)i * c->width;
    uint64_t u = tk_load_le(p, c->width);
    uint32_t low = (uint32_t)u;
    float single;
    double real;
    memcpy(&single, &low, sizeof single);
    memcpy(&real, &u, sizeof real);
    if (c->elem == TK_UINT)
        add_line(l, "%llu", (unsigned long long)u);
    else if (c->elem == TK_INT)
        add_line(l, "%lld", (long long)(int64_t)(u << (64 - 8 * c->width)) >> (64 - 8 * c->width));
    else if (c->elem == TK_REAL32 || c->elem == TK_REAL)
        add_line(l, "%g", c->elem == TK_REAL32 ? (double)single : real);
    else
        add_line(l, "?%llx", (unsigned long long)u);
}

/* Numbers in decimal, reals as %g, texts quoted, bytes as <hex>, arrays as [1,2], nothing as -. */
static inline void add_cell(struct lines *l, const struct tk_cell *c)
{
    if (c->kind == TK_UINT || c->kind == TK_HEX || c->kind == TK_BOOL || c->kind == TK_SIZE) {
        add_line(l, "%llu", (unsigned long long)c->v.u);
    } else if (c->kind == TK_INT) {
        add_line(l, "%lld", (long long)c->v.i);
    } else if (c->kind == TK_REAL || c->kind == TK_REAL32) {
        add_line(l, "%g", c->v.r);
    } else if (c->kind == TK_TEXT) {
        add_text(l, c->v.p, c->n, c->enc);
    } else if (c->kind == TK_BYTES) {
        add_line(l, "<");
        add_hex(l, c->v.p, c->n);
        add_line(l, ">");
    } else if (c->kind == TK_ARRAY) {
        for (uint32_t i = 0; i < c->n; i++) {
            add_line(l, i ? "," : "[");
            add_element(l, c, i);
        }
        add_line(l, c->n ? "]" : "[]");
    } else {
        add_line(l, c->kind == TK_NONE ? "-" : "?");
    }
}

/* "Logger.Event A=1 B=2" */
static inline void add_record(struct lines *l, const struct tk_record *rec)
{
    add_line(l, "%s", rec->type->name);
    for (uint32_t i = 0; i < rec->type->n_fields; i++) {
        struct tk_cell value;
        rec->type->value(rec, i, &value);
        add_line(l, " %.*s=", (int)rec->type->fields[i].n, rec->type->fields[i].p);
        add_cell(l, &value);
    }
}

#endif
