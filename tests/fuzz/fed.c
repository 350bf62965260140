/*
 * A lane that is fed.
 */
#include "fed.h"

#include "base/checksum.h"

#include <string.h>

#define FIELD(field_name, code)                                                                              \
    {                                                                                                        \
        .name = field_name, .type = code                                                                     \
    }

static const struct tk_uw_field tick_fields[] = {FIELD("N", TK_UW_U32)};
static const struct tk_uw_field text_fields[] = {FIELD("A", TK_UW_U16), FIELD("Text", TK_UW_ANSI),
                                                 FIELD("Data", TK_UW_U16S)};
static const struct tk_uw_field all_fields[] = {FIELD("U8", TK_UW_U8),     FIELD("I64", TK_UW_I64),
                                                FIELD("Real", TK_UW_F64),  FIELD("Single", TK_UW_F32),
                                                FIELD("Wide", TK_UW_WIDE), FIELD("Reals", TK_UW_F32S)};
static const struct tk_uw_field timing_fields[] = {FIELD("BaseTimestamp", TK_UW_U64)};
static const struct tk_uw_field trace_fields[] = {
    FIELD("StartCycle", TK_UW_U64), FIELD("CycleFrequency", TK_UW_U64), FIELD("Serial", TK_UW_U32),
    FIELD("UserUidBias", TK_UW_U16)};

static const struct tk_uw_type types[] = {
    {"Demo", "Tick", TK_UW_FIELDS(tick_fields), .flags = TK_UW_NOSYNC},
    {"Demo", "Tock", TK_UW_FIELDS(tick_fields)},
    {"Demo", "Text", TK_UW_FIELDS(text_fields), .flags = TK_UW_AUX},
    {"Demo", "Note", TK_UW_FIELDS(text_fields), .flags = TK_UW_AUX | TK_UW_NOSYNC},
    {"Demo", "Bare", .flags = 0},
    {"Cpu", "Work", TK_UW_FIELDS(tick_fields), .flags = TK_UW_NOSYNC},
    {"Cpu", "Talk", TK_UW_FIELDS(text_fields), .flags = TK_UW_AUX | TK_UW_NOSYNC},
    {"$Trace", "ThreadTiming", TK_UW_FIELDS(timing_fields), .flags = TK_UW_NOSYNC},
    {"Demo", "All", TK_UW_FIELDS(all_fields), .flags = TK_UW_AUX},
    {"Demo", "Known", TK_UW_FIELDS(text_fields), .flags = TK_UW_AUX | TK_UW_IMPORTANT | TK_UW_NOSYNC},
    {"Demo", "Mark", TK_UW_FIELDS(tick_fields), .flags = TK_UW_IMPORTANT | TK_UW_NOSYNC},
    {"$Trace", "NewTrace", TK_UW_FIELDS(trace_fields), .flags = TK_UW_IMPORTANT | TK_UW_NOSYNC},
};

enum { TYPES = sizeof types / sizeof *types };

const struct tk_uw_type *fed_types(size_t *n)
{
    *n = TYPES;
    return types;
}

static void tell(struct fed *f, uint64_t v)
{
    f->reported = (f->reported ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    f->reported ^= f->reported >> 29;
}

static void tell_value(struct fed *f, const struct tk_cell *c)
{
    tell(f, c->kind);
    if (c->kind == TK_TEXT || c->kind == TK_BYTES)
        tell(f, tk_checksum(c->v.p, c->n, 0));
    else if (c->kind == TK_ARRAY)
        tell(f, tk_checksum(c->v.p, (size_t)c->n * c->width, 0));
    else if (c->kind != TK_NONE)
        tell(f, c->v.u);
}

static int on_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct fed *f = self;
    (void)lane;
    f->calls++;
    tell(f, ev->type->id);
    tell(f, ev->has_serial ? ev->serial : 0);
    tell(f, tk_checksum(ev->attachment, ev->n_attachment, 0));
    tell(f, ev->incomplete);
    for (uint32_t i = 0; i < ev->type->n_fields; i++) {
        struct tk_cell value = {0};
        tk_ut_event_value(ev, i, &value);
        tell_value(f, &value);
    }
    return TK_OK;
}

static int on_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time)
{
    (void)lane;
    tell(self, type->id);
    tell(self, (uint64_t)time);
    return TK_OK;
}

static int on_leave(void *self, struct tk_ut_lane *lane, int64_t time)
{
    (void)lane;
    tell(self, (uint64_t)time);
    return TK_OK;
}

static int on_cut(void *self, struct tk_ut_lane *lane)
{
    (void)lane;
    tell(self, 77);
    return TK_OK;
}

static int on_skip(void *self, struct tk_ut_lane *lane, uint32_t serial)
{
    (void)lane;
    tell(self, serial);
    return TK_OK;
}

static int on_scope_end(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type)
{
    (void)lane;
    tell(self, type->id + 1000);
    return TK_OK;
}

static void declare(struct fed *f, uint8_t protocol)
{
    for (size_t i = 0; i < TYPES; i++) {
        struct tk_uw_bytes bytes = {0};
        struct tk_uw_type type = types[i];
        type.uid = (uint16_t)((protocol >= 5 ? 16 : protocol == 4 ? 5 : 1) + i);
        tk_uw_declaration(&bytes, protocol, &type);
        fuzz_promise(tk_ut_schema_declare(&f->schema, bytes.data, bytes.size, 0) == TK_OK, "a type");
        tk_uw_bytes_release(&bytes);
    }
}

static const struct tk_ut_describer describer = {.value = tk_ut_record_value};

void fed_open(struct fed *f, uint8_t protocol, bool declared)
{
    memset(f, 0, sizeof *f);
    f->limits = tk_limits_default();
    f->limits.event_bytes = 1 << 16;
    f->limits.group_bytes = 1 << 16;
    f->limits.types = 256;
    f->limits.group_events = 64;
    f->limits.open_scopes = 32;
    f->health.max_items = 100;
    fuzz_promise(tk_ut_schema_init(&f->schema, protocol, &f->strings, &f->health, &f->limits, &describer,
                                   NULL) == TK_OK,
                 "a schema");
    f->handler = (struct tk_ut_handler){.event = on_event,
                                        .enter = on_enter,
                                        .leave = on_leave,
                                        .cut = on_cut,
                                        .skip_serial = on_skip,
                                        .scope_end = on_scope_end,
                                        .self = f};
    if (declared)
        declare(f, protocol);
    memset(f->want, TK_UT_WANT_EVENTS | TK_UT_WANT_SCOPES, sizeof f->want);
    f->want[1] = 0; /* nobody wants Tock */
    f->decoder = (struct tk_ut_decoder){.schema = &f->schema,
                                        .limits = &f->limits,
                                        .health = &f->health,
                                        .handler = &f->handler,
                                        .want = f->want,
                                        .n_want = declared ? TYPES : 0,
                                        .start_cycle = 1000,
                                        .protocol = protocol,
                                        .serial_bits = protocol == 1 ? 16 : 24,
                                        .marks = true,
                                        .declare = protocol <= 4,
                                        .wait = protocol >= 1 && protocol <= 4,
                                        .uid_bias = 5,
                                        .scratch = &f->scratch};
}

void fed_close(struct fed *f)
{
    tk_ut_schema_release(&f->schema);
    tk_intern_release(&f->strings);
    tk_health_release(&f->health);
    tk_arena_release(&f->scratch);
}
