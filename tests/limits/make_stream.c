/*
 * Makers of what the stream itself has: types, packets, threads, events of any kind, serial numbers.
 */
#include "make.h"

#include <inttypes.h>
#include <stdio.h>

static const struct tk_uw_field one_field[] = {{.name = "A", .type = TK_UW_U8}};
static const struct tk_uw_field data_field[] = {{.name = "Data", .type = TK_UW_U8S}};

static void types_of(struct make *m, uint8_t fields, unsigned name_size)
{
    static char names[255][256];
    static struct tk_uw_field list[255];
    char event[32];
    for (unsigned i = 0; i < fields; i++) {
        snprintf(names[i], sizeof names[i], "%0*u", (int)name_size, i);
        list[i] = (struct tk_uw_field){.name = names[i], .type = TK_UW_U8};
    }
    for (uint64_t i = 0; i < m->n; i++) {
        struct tk_uw_type type = {.logger = "T", .event = event, .fields = list, .field_count = fields};
        snprintf(event, sizeof event, "E%" PRIu64, i);
        /* all uids of the wire, then again from the first on */
        m->uw.next_uid = (uint16_t)(100 + i % 16000);
        tk_uw_register(&m->uw, &type);
    }
}

static void types(struct make *m)
{
    types_of(m, 1, 1);
}

static void widest_types(struct make *m)
{
    types_of(m, 255, 240); /* as much as a declaration of 64 KiB holds */
}

static void packets(struct make *m)
{
    struct tk_uw_type type = {.logger = "T", .event = "E", TK_UW_FIELDS(one_field), .flags = TK_UW_NOSYNC};
    tk_uw_register(&m->uw, &type);
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_begin(&m->lane, &type);
        tk_uw_u8(&m->lane.pending, 1);
        tk_uw_end(&m->lane, &type);
        tk_uw_lane_flush(&m->lane);
    }
}

static void threads(struct make *m)
{
    char name[32];
    for (uint64_t i = 0; i < m->n; i++) {
        snprintf(name, sizeof name, "Thread%" PRIu64, i);
        tk_uw_thread_info(&m->uw, (uint32_t)(2 + i), (uint32_t)i, 0, name);
        make_drain(m, i);
    }
}

/* An event whose array has n bytes, all of them 0: in packets that grow to 64 KiB from some 300 bytes. */
static void array(struct make *m)
{
    struct tk_uw_type type = {
        .logger = "T", .event = "Data", TK_UW_FIELDS(data_field), .flags = TK_UW_NOSYNC | TK_UW_AUX};
    static uint8_t zeros[32000];
    tk_uw_register(&m->uw, &type);
    tk_uw_lane_flush(&m->uw.important);
    tk_uw_begin(&m->lane, &type);
    for (uint64_t left = m->n, some; left > 0; left -= some) {
        some = left < sizeof zeros ? left : sizeof zeros;
        tk_uw_blob(&m->lane, &type, 0, zeros, (size_t)some);
        tk_uw_lane_flush(&m->lane);
    }
    tk_uw_end(&m->lane, &type);
}

/* n events of their own, 60000 bytes of zeros each. */
static void arrays(struct make *m)
{
    struct tk_uw_type type = {
        .logger = "T", .event = "Data", TK_UW_FIELDS(data_field), .flags = TK_UW_NOSYNC | TK_UW_AUX};
    static uint8_t zeros[60000];
    tk_uw_register(&m->uw, &type);
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_begin(&m->lane, &type);
        tk_uw_value(&m->lane, &type, 0, zeros, sizeof zeros);
        tk_uw_end(&m->lane, &type);
        tk_uw_lane_flush(&m->lane);
    }
}

/* n events inside of an open one with array data. */
static void group(struct make *m)
{
    struct tk_uw_type outer = {
        .logger = "T", .event = "Outer", TK_UW_FIELDS(data_field), .flags = TK_UW_NOSYNC | TK_UW_AUX};
    struct tk_uw_type inner = {
        .logger = "T", .event = "Inner", TK_UW_FIELDS(one_field), .flags = TK_UW_NOSYNC};
    tk_uw_register(&m->uw, &outer);
    tk_uw_register(&m->uw, &inner);
    tk_uw_lane_flush(&m->uw.important);
    tk_uw_begin(&m->lane, &outer);
    tk_uw_value(&m->lane, &outer, 0, "x", 1);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_begin(&m->lane, &inner);
        tk_uw_u8(&m->lane.pending, 1);
        tk_uw_end(&m->lane, &inner);
        make_drain(m, i);
    }
    tk_uw_end(&m->lane, &outer);
}

/* An event whose array comes in n pieces of one byte, each in a packet of its own. */
static void pieces(struct make *m)
{
    struct put_type *type = make_type(m, "T.Data", "Data:B", TK_UW_NOSYNC);
    tk_uw_begin(&m->lane, &type->type);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_blob(&m->lane, &type->type, 0, "x", 1);
        tk_uw_lane_flush(&m->lane);
    }
    tk_uw_end(&m->lane, &type->type);
}

/* As group, but what is inside holds 1000 bytes of data each. */
static void group_data(struct make *m)
{
    static const char data[1000];
    struct put_type *type = make_type(m, "T.Outer", "Data:B", TK_UW_NOSYNC);
    tk_uw_begin(&m->lane, &type->type);
    tk_uw_value(&m->lane, &type->type, 0, "x", 1);
    for (uint64_t i = 0; i < m->n; i++) {
        put_event(&m->lane, type, data, sizeof data);
        make_drain(m, i);
    }
    tk_uw_end(&m->lane, &type->type);
}

/* Serial numbers that jump about and wrap. */
static void serials(struct make *m)
{
    struct tk_uw_type type = {.logger = "T", .event = "E", TK_UW_FIELDS(one_field)};
    uint32_t serial = 0xfffff0;
    tk_uw_register(&m->uw, &type);
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++, serial += i % 7 ? 1 : i % 5 ? 0x7ffff1 : 3) {
        tk_uw_begin_serial(&m->lane, &type, serial & 0xffffff);
        tk_uw_u8(&m->lane.pending, 1);
        tk_uw_end(&m->lane, &type);
        make_drain(m, i);
    }
}

/* n threads, each with one packet of 64 KiB, which is some 300 bytes in the file: its 13000 events have the
 * same serial number. */
static void waiting(struct make *m)
{
    struct put_type *type = make_type(m, "T.E", "", 0);
    for (uint64_t i = 0; i < m->n; i++) {
        struct tk_uw_lane lane;
        tk_uw_thread(&m->uw, &lane, (uint16_t)(TK_UW_TID_FIRST + 1 + i));
        lane.limit = 1 << 20;
        for (unsigned k = 0; k < 13000; k++) {
            tk_uw_begin_serial(&lane, &type->type, (uint32_t)i);
            tk_uw_end(&lane, &type->type);
        }
        tk_uw_lane_flush(&lane);
        tk_uw_lane_release(&lane);
    }
}

/* n threads with an event each, the first with the highest serial number. */
static void turned(struct make *m)
{
    struct put_type *type = make_type(m, "T.E", "", 0);
    for (uint64_t i = 0; i < m->n; i++) {
        struct tk_uw_lane lane;
        tk_uw_thread(&m->uw, &lane, (uint16_t)(TK_UW_TID_FIRST + 1 + i));
        tk_uw_begin_serial(&lane, &type->type, (uint32_t)(m->n - i));
        tk_uw_end(&lane, &type->type);
        tk_uw_lane_flush(&lane);
        tk_uw_lane_release(&lane);
    }
}

/* n empty records of thread 0, which declare nothing and are no declarations. */
static void empty_declarations(struct make *m)
{
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_u32(&m->uw.news.pending, 0);
        if (i % 16000 == 0)
            tk_uw_lane_flush(&m->uw.news);
    }
}

/*
 * n important events of a type with array data that say that they have 0 bytes: each head is also a piece of
 * 0 bytes of array data, so that the content of each seems to go on for long. After every fifty come three
 * sound ones.
 */
static void hollow(struct make *m)
{
    struct tk_uw_type type = {.logger = "T",
                              .event = "Hollow",
                              TK_UW_FIELDS(data_field),
                              .flags = TK_UW_NOSYNC | TK_UW_AUX | TK_UW_IMPORTANT};
    m->uw.next_uid = 0x1F01;
    tk_uw_register(&m->uw, &type);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_u32(&m->uw.important.pending, 0x1F01);
        for (int sound = 0; i % 50 == 49 && sound < 3; sound++)
            tk_uw_raw(&m->uw.important.pending, "\x01\x1F\x01\x00\x03", 5);
        if (i % 10000 == 0)
            tk_uw_lane_flush(&m->uw.important);
    }
}

const struct make_kind make_stream[] = {
    {"types", types, NULL},     {"widest-types", widest_types, NULL},
    {"packets", packets, NULL}, {"threads", threads, NULL},
    {"array", array, NULL},     {"arrays", arrays, NULL},
    {"group", group, NULL},     {"group-data", group_data, NULL},
    {"pieces", pieces, NULL},   {"serials", serials, NULL},
    {"waiting", waiting, NULL}, {"turned", turned, NULL},
    {"hollow", hollow, NULL},   {"empty-declarations", empty_declarations, NULL},
    {NULL, NULL, NULL},
};
