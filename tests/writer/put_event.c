/*
 * Events in one line each.
 */
#include "put_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The code of a kind of field; -1 for others. */
static int code_of(char kind)
{
    static const char kinds[] = "bhiqjkfdswBIUD";
    static const uint8_t codes[] = {TK_UW_U8,  TK_UW_U16,  TK_UW_U32,  TK_UW_U64,  TK_UW_I32,
                                    TK_UW_I64, TK_UW_F32,  TK_UW_F64,  TK_UW_ANSI, TK_UW_WIDE,
                                    TK_UW_U8S, TK_UW_U32S, TK_UW_U64S, TK_UW_F64S};
    const char *at = kind ? strchr(kinds, kind) : NULL;
    return at ? codes[at - kinds] : -1;
}

/* The fields of a text that stays. */
static bool take_fields(struct put_type *t)
{
    for (char *p = strtok(t->names, " "); p; p = strtok(NULL, " ")) {
        char *colon = strchr(p, ':');
        int code = colon ? code_of(colon[1]) : -1;
        if (code < 0 || t->type.field_count == PUT_FIELDS)
            return false;
        struct tk_uw_field *field = &t->fields[t->type.field_count++];
        *colon = 0;
        *field = (struct tk_uw_field){.name = p, .type = (uint8_t)code};
        if (put_is_value(field))
            t->type.flags |= TK_UW_AUX;
    }
    return true;
}

struct put_type *put_declare(struct tk_uw *uw, const char *name, const char *fields, uint8_t flags)
{
    struct put_type *t = calloc(1, sizeof *t);
    const size_t point = strcspn(name, ".");
    if (!t)
        return NULL;
    snprintf(t->names, sizeof t->names, "%s", fields);
    snprintf(t->logger, sizeof t->logger, "%.*s", (int)point, name);
    snprintf(t->event, sizeof t->event, "%s", name + point + (name[point] == '.'));
    t->type =
        (struct tk_uw_type){.logger = t->logger, .event = t->event, .fields = t->fields, .flags = flags};
    if (!take_fields(t)) {
        free(t);
        return NULL;
    }
    tk_uw_register(uw, &t->type);
    return t;
}

static void put_number(struct tk_uw_bytes *out, const struct tk_uw_field *field, va_list *values)
{
    if (field->type == TK_UW_F32)
        tk_uw_f32(out, (float)va_arg(*values, double));
    else if (field->type == TK_UW_F64)
        tk_uw_f64(out, va_arg(*values, double));
    else
        tk_uw_uint(out, va_arg(*values, uint64_t), 1u << (field->type & 3));
}

static void put_value(struct tk_uw_bytes *out, const struct tk_uw_field *field, va_list *values)
{
    const void *p = va_arg(*values, const void *);
    if (field->type == TK_UW_WIDE)
        tk_uw_wide(out, p);
    else if (field->type == TK_UW_ANSI)
        tk_uw_text(out, p);
    else
        tk_uw_numbers(out, p, va_arg(*values, size_t), 1u << (field->type & 3));
}

void put_event_of(struct tk_uw_lane *lane, const struct put_type *t, va_list values)
{
    struct tk_uw_bytes texts[PUT_FIELDS] = {{0}};
    va_list left;
    va_copy(left, values);
    tk_uw_begin(lane, &t->type);
    for (unsigned i = 0; i < t->type.field_count; i++) {
        if (put_is_value(&t->fields[i]))
            put_value(&texts[i], &t->fields[i], &left);
        else
            put_number(&lane->pending, &t->fields[i], &left);
    }
    for (unsigned i = 0; i < t->type.field_count; i++) {
        if (put_is_value(&t->fields[i]))
            tk_uw_value(lane, &t->type, i, texts[i].data, texts[i].size);
        tk_uw_bytes_release(&texts[i]);
    }
    tk_uw_end(lane, &t->type);
    va_end(left);
}

void put_event(struct tk_uw_lane *lane, const struct put_type *t, ...)
{
    va_list values;
    va_start(values, t);
    put_event_of(lane, t, values);
    va_end(values);
}
