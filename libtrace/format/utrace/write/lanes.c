/* Events and their way into packets. */
#include "format/utrace/write/lanes.h"

#include <string.h>

/*
 * Scope records: a code, then 7 bytes for a stamp or 8 for the clock's own value.   wire 3.4, 3.5, 5.4
 */

struct scope_codes {
    uint8_t enter;
    uint8_t leave;
    uint8_t enter_stamp;
    uint8_t leave_stamp;
    bool delta; /* stamps are differences */
};

static const struct scope_codes codes[] = {
    [4] = {0x02, 0x06, 0x04, 0x08, true},
    [5] = {0x08, 0x0a, 0x10, 0x18, true},
    [6] = {0x08, 0x0a, 0x10, 0x18, true},
    [7] = {0x08, 0x0a, 0x10, 0x12, false},
};

enum { ENTER_ABSOLUTE = 0x0c, LEAVE_ABSOLUTE = 0x0e };

static const struct scope_codes *codes_of(const struct tk_uw_lane *lane)
{
    return &codes[lane->stream->protocol & 7];
}

static void put(struct tk_uw_lane *lane, uint8_t code, uint64_t value, unsigned bytes)
{
    tk_uw_lane_mark(lane);
    tk_uw_u8(&lane->pending, code);
    tk_uw_uint(&lane->pending, value, bytes);
    tk_uw_lane_mark(lane);
}

static void put_stamp(struct tk_uw_lane *lane, uint8_t code, uint64_t cycle)
{
    put(lane, code, codes_of(lane)->delta ? cycle - lane->stamp : cycle, 7);
    lane->stamp = cycle;
}

void tk_uw_enter(struct tk_uw_lane *lane)
{
    put(lane, codes_of(lane)->enter, 0, 0);
}

void tk_uw_leave(struct tk_uw_lane *lane)
{
    put(lane, codes_of(lane)->leave, 0, 0);
}

void tk_uw_enter_at(struct tk_uw_lane *lane, uint64_t cycle)
{
    put_stamp(lane, codes_of(lane)->enter_stamp, cycle);
}

void tk_uw_leave_at(struct tk_uw_lane *lane, uint64_t cycle)
{
    put_stamp(lane, codes_of(lane)->leave_stamp, cycle);
}

void tk_uw_enter_absolute(struct tk_uw_lane *lane, uint64_t cycle)
{
    put(lane, ENTER_ABSOLUTE, cycle, 8);
}

void tk_uw_leave_absolute(struct tk_uw_lane *lane, uint64_t cycle)
{
    put(lane, LEAVE_ABSOLUTE, cycle, 8);
}

enum framing { P0, P1, P2, P4, THREAD, HEADED };

/* How the records of a framing are written. Values begin with a u32: size and index shifted, and the code. */
struct framing_rule {
    bool shifted; /* uid * 2 + 1 */
    bool sized;
    uint8_t serial_bytes;
    uint8_t aux_code;
    uint8_t aux_end;
    uint8_t index_shift;
    uint8_t size_shift;
};

static const struct framing_rule rules[] = {
    [P0] = {.sized = true},
    [P1] =
        {.sized = true, .serial_bytes = 2, .aux_code = 0x80, .aux_end = 0, .index_shift = 0, .size_shift = 8},
    [P2] =
        {.sized = true, .serial_bytes = 3, .aux_code = 0x80, .aux_end = 0, .index_shift = 0, .size_shift = 8},
    [P4] = {.shifted = true,
            .sized = true,
            .serial_bytes = 3,
            .aux_code = 0x80,
            .aux_end = 0,
            .index_shift = 0,
            .size_shift = 8},
    [THREAD] = {.shifted = true,
                .serial_bytes = 3,
                .aux_code = 0x02,
                .aux_end = 0x06,
                .index_shift = 8,
                .size_shift = 13},
    [HEADED] = {.sized = true, .aux_code = 0x01, .aux_end = 0x03, .index_shift = 8, .size_shift = 13},
};

static const uint8_t old_framings[] = {P0, P1, P2, P2, P4};

enum { BLOB_HEAD = 4, BLOB_LIMIT = 0x7ffff, WORTHWHILE = 16 };

void tk_uw_lane_init(struct tk_uw_lane *lane, struct tk_uw_stream *stream, uint16_t tid)
{
    uint8_t protocol = stream->protocol;

    memset(lane, 0, sizeof(*lane));
    lane->stream = stream;
    lane->tid = tid;
    lane->limit = TK_UW_PACKET_USUAL;
    if (protocol < 5)
        lane->framing = old_framings[protocol];
    else
        lane->framing = tid < TK_UW_TID_FIRST ? HEADED : THREAD;
}

void tk_uw_lane_release(struct tk_uw_lane *lane)
{
    tk_uw_bytes_release(&lane->pending);
}

void tk_uw_lane_cut(struct tk_uw_lane *lane, size_t size, uint16_t flags)
{
    struct tk_uw_packets *packets = &lane->stream->packets;
    uint16_t tid = packets->transport == 2 ? 0 : (uint16_t)(lane->tid | flags);

    if (lane->pending.failed)
        tk_uw_packets_fail(packets);
    if (!size)
        return;
    tk_uw_packet(packets, tid, lane->pending.data, size);
    tk_uw_bytes_drop(&lane->pending, size);
    lane->border = lane->border > size ? lane->border - size : 0;
    lane->size_at -= size;
}

static void cut_anywhere(struct tk_uw_lane *lane, size_t least)
{
    while (lane->pending.size >= least && lane->pending.size)
        tk_uw_lane_cut(lane, lane->pending.size < lane->limit ? lane->pending.size : lane->limit, 0);
}

void tk_uw_lane_flush(struct tk_uw_lane *lane)
{
    if (lane->anywhere) {
        cut_anywhere(lane, 1);
        return;
    }
    if (lane->pending.size > lane->limit)
        tk_uw_lane_cut(lane, lane->border, 0);
    tk_uw_lane_cut(lane, lane->pending.size, 0);
}

void tk_uw_lane_mark(struct tk_uw_lane *lane)
{
    if (lane->anywhere)
        cut_anywhere(lane, lane->limit);
    else if (lane->pending.size > lane->limit)
        tk_uw_lane_cut(lane, lane->border, 0);
    lane->border = lane->pending.size;
}

void tk_uw_begin(struct tk_uw_lane *lane, const struct tk_uw_type *type)
{
    tk_uw_begin_serial(lane, type, lane->stream->serial);
    if (!(type->flags & TK_UW_NOSYNC) && rules[lane->framing].serial_bytes)
        lane->stream->serial++;
}

void tk_uw_begin_serial(struct tk_uw_lane *lane, const struct tk_uw_type *type, uint32_t serial)
{
    const struct framing_rule *rule = &rules[lane->framing];
    unsigned important = lane->framing == P0 && (type->flags & TK_UW_IMPORTANT) ? 0x4000 : 0;

    tk_uw_lane_mark(lane);
    tk_uw_u16(&lane->pending, (uint16_t)(rule->shifted ? type->uid * 2U + 1U : type->uid | important));
    lane->sizeless = rule->sized;
    if (rule->sized) {
        lane->size_at = lane->pending.size;
        tk_uw_u16(&lane->pending, 0);
    }
    if (!(type->flags & TK_UW_NOSYNC))
        tk_uw_uint(&lane->pending, serial, rule->serial_bytes);
}

/* The size that an event states ends before its values, except where the framing has them inside. */
static bool size_holds_values(const struct tk_uw_lane *lane, const struct tk_uw_type *type)
{
    return lane->framing == P0 || lane->framing == HEADED ||
           (lane->framing == P4 && (type->flags & TK_UW_IMPORTANT));
}

static void fill_in_size(struct tk_uw_lane *lane, const struct tk_uw_type *type)
{
    size_t serial = type->flags & TK_UW_NOSYNC ? 0 : rules[lane->framing].serial_bytes;
    size_t size = lane->pending.size - lane->size_at - 2 - serial;

    lane->sizeless = false;
    if (lane->pending.failed)
        return;
    lane->pending.data[lane->size_at] = (uint8_t)size;
    lane->pending.data[lane->size_at + 1] = (uint8_t)(size >> 8);
}

void tk_uw_blob(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned index, const void *data,
                size_t size)
{
    const struct framing_rule *rule = &rules[lane->framing];

    if (lane->sizeless && !size_holds_values(lane, type))
        fill_in_size(lane, type);
    if (lane->framing == THREAD)
        tk_uw_lane_mark(lane);
    if (lane->framing != P0)
        tk_uw_u32(&lane->pending,
                  (uint32_t)size << rule->size_shift | (uint32_t)index << rule->index_shift | rule->aux_code);
    tk_uw_raw(&lane->pending, data, size);
    if (lane->framing == THREAD)
        tk_uw_lane_mark(lane);
}

/* How much of a value the packet being filled can take; one byte stays free for the end of the values. */
static size_t piece(struct tk_uw_lane *lane, size_t size)
{
    size_t used = lane->pending.size + BLOB_HEAD + 1;

    if (used + size > lane->limit && used + WORTHWHILE > lane->limit && !lane->anywhere) {
        tk_uw_lane_mark(lane);
        tk_uw_lane_cut(lane, lane->border, 0);
        used = lane->pending.size + BLOB_HEAD + 1;
    }

    size_t capacity = lane->anywhere || used + WORTHWHILE > lane->limit ? BLOB_LIMIT : lane->limit - used;

    if (lane->blob_max && lane->blob_max < capacity)
        capacity = lane->blob_max;
    return size < capacity ? size : capacity;
}

void tk_uw_value(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned index, const void *data,
                 size_t size)
{
    const uint8_t *at = data;

    if (lane->framing != THREAD) {
        tk_uw_blob(lane, type, index, data, size);
        return;
    }
    while (size) {
        size_t part = piece(lane, size);

        tk_uw_blob(lane, type, index, at, part);
        at += part;
        size -= part;
    }
}

void tk_uw_value_numbers(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned index,
                         const void *numbers, size_t size)
{
    struct tk_uw_bytes value = {0};

    tk_uw_numbers(&value, numbers, size, 1u << (type->fields[index].type & 3));
    lane->pending.failed |= value.failed;
    tk_uw_value(lane, type, index, value.data, value.size);
    tk_uw_bytes_release(&value);
}

void tk_uw_end(struct tk_uw_lane *lane, const struct tk_uw_type *type)
{
    bool aux = (type->flags & TK_UW_AUX) && lane->framing != P0;

    if (lane->sizeless && !size_holds_values(lane, type))
        fill_in_size(lane, type);
    if (aux)
        tk_uw_u8(&lane->pending, rules[lane->framing].aux_end);
    if (lane->sizeless)
        fill_in_size(lane, type);
    tk_uw_lane_mark(lane);
}

/* The same, piece by piece, as packets end in it. */
static void copy_values(struct tk_uw_lane *lane, const struct tk_uw_type *type, const uint8_t *p,
                        const uint8_t *end)
{
    while (end - p >= BLOB_HEAD && *p == rules[lane->framing].aux_code) {
        const uint32_t word =
            (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        const unsigned index = word >> rules[lane->framing].index_shift & 31;
        const size_t size = word >> rules[lane->framing].size_shift;

        p += BLOB_HEAD;
        if (size)
            tk_uw_value(lane, type, index, p, size);
        else
            tk_uw_blob(lane, type, index, NULL, 0);
        p += size;
    }
}

void tk_uw_event_copy(struct tk_uw_lane *lane, const struct tk_uw_type *type, const uint8_t *p, size_t n,
                      size_t fixed, uint32_t serial)
{
    const size_t numbers = type->flags & TK_UW_NOSYNC ? 0 : 3, head = 2 + numbers + fixed;

    tk_uw_lane_mark(lane);
    if (lane->anywhere || lane->blob_max || lane->pending.size + n > lane->limit) {
        tk_uw_begin_serial(lane, type, serial);
        tk_uw_raw(&lane->pending, p + 2 + numbers, fixed);
        copy_values(lane, type, p + head, p + n);
        tk_uw_end(lane, type);
        return;
    }

    uint8_t *at = tk_uw_bytes_space(&lane->pending, n);

    if (!at)
        return;
    memcpy(at, p, n);
    for (size_t i = 0; i < numbers; i++)
        at[2 + i] = (uint8_t)(serial >> (8 * i));
    lane->pending.size += n;
    lane->border = lane->pending.size;
}

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
