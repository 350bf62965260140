/*
 * Events of any type, written in one line each. A type is given by its fields: "Id:i Cycle:q Name:w" with
 *   b h i q   unsigned of 1, 2, 4, 8 bytes      j k   signed of 4, 8 bytes      f d   reals
 *   s w       text, narrow and wide             B I U arrays of bytes, of unsigned of 4, of 8 bytes
 * and an event by its values in that order: numbers as uint64_t (use Q), reals as double, texts as const char
 * *, arrays as const void * and size_t bytes.
 */
#ifndef TK_TESTS_UNIT_ROOT_PUT_H
#define TK_TESTS_UNIT_ROOT_PUT_H

#include "captured.h"

#include <stdarg.h>

#define Q(number) ((uint64_t)(number))

#define PUT_FIELDS 16

struct put_type {
    struct tk_uw_type type;
    struct tk_uw_field fields[PUT_FIELDS];
    char names[256], logger[64], event[64];
};

static inline uint8_t put_code(char kind)
{
    static const struct {
        char kind;
        uint8_t code;
    } codes[] = {{'b', TK_UW_U8},  {'h', TK_UW_U16},  {'i', TK_UW_U32}, {'q', TK_UW_U64},  {'j', TK_UW_I32},
                 {'k', TK_UW_I64}, {'f', TK_UW_F32},  {'d', TK_UW_F64}, {'s', TK_UW_ANSI}, {'w', TK_UW_WIDE},
                 {'B', TK_UW_U8S}, {'I', TK_UW_U32S}, {'U', TK_UW_U64S}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].kind == kind)
            return codes[i].code;
    ck_abort_msg("no kind of field '%c'", kind);
    return 0;
}

static inline bool put_is_value(const struct tk_uw_field *field)
{
    return field->type & 0x80;
}

/* Declares a type; flags as TK_UW_NOSYNC, ... */
static inline struct put_type *put_new(struct captured *c, const char *name, const char *fields,
                                       uint8_t flags)
{
    struct put_type *t = calloc(1, sizeof *t);
    ck_assert_ptr_nonnull(t);
    snprintf(t->names, sizeof t->names, "%s", fields);
    snprintf(t->logger, sizeof t->logger, "%.*s", (int)strcspn(name, "."), name);
    snprintf(t->event, sizeof t->event, "%s", strchr(name, '.') + 1);
    t->type =
        (struct tk_uw_type){.logger = t->logger, .event = t->event, .fields = t->fields, .flags = flags};
    for (char *p = strtok(t->names, " "); p; p = strtok(NULL, " ")) {
        struct tk_uw_field *field = &t->fields[t->type.field_count++];
        char *colon = strchr(p, ':');
        *colon = 0;
        *field = (struct tk_uw_field){.name = p, .type = put_code(colon[1])};
        if (put_is_value(field))
            t->type.flags |= TK_UW_AUX;
    }
    captured_type(c, &t->type);
    return t;
}

static inline void put_number(struct tk_uw_bytes *out, const struct tk_uw_field *field, va_list *values)
{
    if (field->type == TK_UW_F32)
        tk_uw_f32(out, (float)va_arg(*values, double));
    else if (field->type == TK_UW_F64)
        tk_uw_f64(out, va_arg(*values, double));
    else
        tk_uw_uint(out, va_arg(*values, uint64_t), 1u << (field->type & 3));
}

static inline void put_value(struct tk_uw_bytes *out, const struct tk_uw_field *field, va_list *values)
{
    const void *p = va_arg(*values, const void *);
    if (field->type == TK_UW_WIDE)
        tk_uw_wide(out, p);
    else if (field->type == TK_UW_ANSI)
        tk_uw_text(out, p);
    else
        tk_uw_raw(out, p, va_arg(*values, size_t));
}

/* Writes an event on a lane of the capture (of thread 2 + lane). */
static inline void put(struct captured *c, unsigned lane, const struct put_type *t, ...)
{
    struct tk_uw_lane *to = &c->lanes[lane];
    struct tk_uw_bytes texts[PUT_FIELDS] = {{0}};
    va_list values;
    va_start(values, t);
    tk_uw_begin(to, &t->type);
    for (unsigned i = 0; i < t->type.field_count; i++) {
        if (put_is_value(&t->fields[i]))
            put_value(&texts[i], &t->fields[i], &values);
        else
            put_number(&to->pending, &t->fields[i], &values);
    }
    for (unsigned i = 0; i < t->type.field_count; i++) {
        if (put_is_value(&t->fields[i]))
            tk_uw_value(to, &t->type, i, texts[i].data, texts[i].size);
        tk_uw_bytes_release(&texts[i]);
    }
    tk_uw_end(to, &t->type);
    va_end(values);
}

#endif
