/*
 * Declarations of event types.
 *
 *   u16 uid, u8 fields, u8 flags, u8 logger length, u8 event length, field records,
 *   names without separators: logger, event, fields
 *
 *   field record A  u16 offset, u16 size, u8 type, u8 name length                       wire 3.7
 *   field record B  u8 family, u8 0, u16 offset, u16 size or uid, u8 type, u8 name length
 *                   a definition id has its type in place of the name length            wire 3.8
 */
#include "format/utrace/write/lanes.h"

#include <string.h>

enum { ARRAY_BITS = 0x88 };

static size_t field_size(const struct tk_uw_field *field)
{
    if (field->family == TK_UW_REGULAR && (field->type & ARRAY_BITS))
        return 0;
    return (size_t)1 << (field->type & 3);
}

size_t tk_uw_type_size(const struct tk_uw_type *type)
{
    size_t size = 0;

    for (unsigned i = 0; i < type->field_count; i++)
        size += field_size(&type->fields[i]);
    return size;
}

static uint8_t name_length(const struct tk_uw_field *field)
{
    return field->family == TK_UW_DEFINITION_ID ? 0 : (uint8_t)strlen(field->name);
}

static void put_field_a(struct tk_uw_bytes *bytes, const struct tk_uw_field *field, size_t offset)
{
    tk_uw_u16(bytes, (uint16_t)offset);
    tk_uw_u16(bytes, (uint16_t)field_size(field));
    tk_uw_u8(bytes, field->type);
    tk_uw_u8(bytes, name_length(field));
}

static void put_field_b(struct tk_uw_bytes *bytes, const struct tk_uw_field *field, size_t offset)
{
    bool id = field->family == TK_UW_DEFINITION_ID;
    uint16_t size = field->family == TK_UW_REGULAR ? (uint16_t)field_size(field) : field->refers_to;

    tk_uw_u8(bytes, field->family);
    tk_uw_u8(bytes, 0);
    tk_uw_u16(bytes, (uint16_t)offset);
    tk_uw_u16(bytes, id ? 0 : size);
    tk_uw_u8(bytes, id ? 0 : field->type);
    tk_uw_u8(bytes, id ? field->type : name_length(field));
}

/* Protocol 0 has attachments where later ones have array fields, so those are not declared. */
static bool is_declared(const struct tk_uw_field *field, uint8_t protocol)
{
    return protocol > 0 || field_size(field) > 0;
}

static uint8_t declared_fields(const struct tk_uw_type *type, uint8_t protocol)
{
    uint8_t count = 0;

    for (unsigned i = 0; i < type->field_count; i++)
        count = (uint8_t)(count + is_declared(&type->fields[i], protocol));
    return count;
}

static void put_fields(struct tk_uw_bytes *bytes, uint8_t protocol, const struct tk_uw_type *type)
{
    size_t offset = 0;

    for (unsigned i = 0; i < type->field_count; i++) {
        const struct tk_uw_field *field = &type->fields[i];

        if (!is_declared(field, protocol))
            continue;
        (protocol >= 6 ? put_field_b : put_field_a)(bytes, field, offset);
        offset += field_size(field);
    }
}

static void put_names(struct tk_uw_bytes *bytes, uint8_t protocol, const struct tk_uw_type *type)
{
    tk_uw_text(bytes, type->logger);
    tk_uw_text(bytes, type->event);
    for (unsigned i = 0; i < type->field_count; i++)
        if (name_length(&type->fields[i]) && is_declared(&type->fields[i], protocol))
            tk_uw_text(bytes, type->fields[i].name);
}

void tk_uw_declaration(struct tk_uw_bytes *bytes, uint8_t protocol, const struct tk_uw_type *type)
{
    size_t start = bytes->size;

    tk_uw_u16(bytes, type->uid);
    tk_uw_u8(bytes, declared_fields(type, protocol));
    tk_uw_u8(bytes, protocol ? type->flags : 0);
    tk_uw_u8(bytes, (uint8_t)strlen(type->logger));
    tk_uw_u8(bytes, (uint8_t)strlen(type->event));
    put_fields(bytes, protocol, type);
    put_names(bytes, protocol, type);
    if (protocol >= 7 && (bytes->size - start) % 2)
        tk_uw_u8(bytes, 0);
}

void tk_uw_declare(struct tk_uw_lane *lane, const struct tk_uw_type *type)
{
    uint8_t protocol = lane->stream->protocol;
    struct tk_uw_type news = {.flags = protocol == 1 || protocol == 2 ? 0 : TK_UW_NOSYNC};

    tk_uw_begin(lane, &news);
    tk_uw_declaration(&lane->pending, protocol, type);
    tk_uw_end(lane, &news);
}
