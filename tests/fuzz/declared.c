/*
 * Captures from a description of events.
 */
#include "declared.h"

#include "declarations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = sizeof declarations / sizeof *declarations, FIELDS = 12, LANES = 3, MOST_EVENTS = 400 };

enum { SCOPE = 4, SCOPE_END = 8, SEND = 16, STAMPED = 32, THREE = 64 };

struct declared {
    struct tk_uw_type type;
    struct tk_uw_field fields[FIELDS];
    char logger[32], event[48], names[192];
};

struct script {
    struct tk_uw uw;
    struct tk_uw_lane lanes[LANES];
    struct declared *types[TYPES]; /* owned; NULL until used */
    uint16_t usable[TYPES];
    unsigned n_usable;
    uint64_t time; /* cycles since the start */
};

static bool wanted(const char *event, const char *const *loggers)
{
    size_t n = strcspn(event, ".");
    for (; loggers && *loggers; loggers++)
        if (strlen(*loggers) == n && strncmp(*loggers, event, n) == 0)
            return true;
    return !loggers;
}

static void take_fields(struct declared *d, const char *fields)
{
    snprintf(d->names, sizeof d->names, "%s", fields);
    for (char *p = strtok(d->names, " "); p && d->type.field_count < FIELDS; p = strtok(NULL, " ")) {
        char *colon = strchr(p, ':');
        *colon = 0;
        d->fields[d->type.field_count++] =
            (struct tk_uw_field){.name = p, .type = (uint8_t)strtoul(colon + 1, NULL, 16)};
    }
}

static struct declared *declare(struct script *s, unsigned index)
{
    struct declared *d = s->types[index];
    if (d)
        return d;
    const char *event = declarations[index].event, *point = strchr(event, '.');
    d = s->types[index] = calloc(1, sizeof *d);
    fuzz_promise(d != NULL, "memory for a type");
    snprintf(d->logger, sizeof d->logger, "%.*s", (int)(point - event), event);
    snprintf(d->event, sizeof d->event, "%s", point + 1);
    take_fields(d, declarations[index].fields);
    d->type.logger = d->logger;
    d->type.event = d->event;
    d->type.fields = d->fields;
    d->type.flags = declarations[index].flags;
    tk_uw_register(&s->uw, &d->type);
    return d;
}

static bool is_array(const struct tk_uw_field *f)
{
    return f->type & 0x80;
}

static bool is_time(const char *name)
{
    return strstr(name, "Cycle") || strstr(name, "Time");
}

static void put_number(struct script *s, struct tk_uw_lane *lane, const struct tk_uw_field *f,
                       struct fuzz_in *in)
{
    unsigned bytes = 1u << (f->type & 3);
    uint64_t v = fuzz_u8(in);
    if (v >= 0xf0)
        v = fuzz_uint(in, bytes);
    else if (bytes == 8 && is_time(f->name))
        v = s->uw.start_cycle + (s->time += v);
    tk_uw_uint(&lane->pending, v, bytes);
}

static void put_event(struct script *s, struct tk_uw_lane *lane, const struct tk_uw_type *type,
                      struct fuzz_in *in)
{
    tk_uw_begin(lane, type);
    for (unsigned i = 0; i < type->field_count; i++)
        if (!is_array(&type->fields[i]))
            put_number(s, lane, &type->fields[i], in);
    for (unsigned i = 0; i < type->field_count; i++)
        if (is_array(&type->fields[i])) {
            struct fuzz_in value = fuzz_take(in, (size_t)fuzz_u8(in) << (type->fields[i].type & 3));
            tk_uw_value(lane, type, i, value.p, value.n);
        }
    tk_uw_end(lane, type);
}

static void step(struct script *s, struct fuzz_in *in)
{
    const struct declared *d = declare(s, s->usable[fuzz_u8(in) % s->n_usable]);
    unsigned how = fuzz_u8(in);
    bool important = d->type.flags & TK_UW_IMPORTANT;
    struct tk_uw_lane *lane = important ? &s->uw.important : &s->lanes[how % 4 % LANES];
    if ((how & SCOPE) && !important && (how & STAMPED))
        tk_uw_enter_at(lane, s->time += 5);
    else if ((how & SCOPE) && !important)
        tk_uw_enter(lane);
    for (int i = 0; i < (how & THREE ? 3 : 1); i++)
        put_event(s, lane, &d->type, in);
    if ((how & SCOPE_END) && !important && (how & STAMPED))
        tk_uw_leave_at(lane, s->time += 5);
    else if ((how & SCOPE_END) && !important)
        tk_uw_leave(lane);
    if (how & SEND) {
        struct tk_uw_lane *lanes[LANES] = {&s->lanes[0], &s->lanes[1], &s->lanes[2]};
        tk_uw_round(&s->uw, lanes, LANES);
    }
}

static void begin(struct script *s, struct tk_uw_bytes *out, unsigned how)
{
    struct tk_uw_options options = {TK_UW_DEFAULTS, .memory = out};
    options.start_cycle = options.frequency = 1000;
    options.protocol = (uint8_t)(7 - how % 4 % 3);
    options.packing = how & 4 ? TK_UW_LZ4 : TK_UW_AUTO;
    fuzz_promise(tk_uw_open(&s->uw, &options) == 0, "a writer");
    for (uint16_t i = 0; i < LANES; i++) {
        tk_uw_thread(&s->uw, &s->lanes[i], (uint16_t)(2 + i));
        s->lanes[i].limit = how & 8 ? 100 : TK_UW_PACKET_USUAL;
    }
    tk_uw_new_trace(&s->uw);
    tk_uw_thread_info(&s->uw, 2, 100, 0, "GameThread");
    for (unsigned i = 0; i < LANES; i++)
        tk_uw_thread_timing(&s->uw, &s->lanes[i], 0);
}

static void end(struct script *s)
{
    for (unsigned i = 0; i < LANES; i++) {
        tk_uw_lane_flush(&s->lanes[i]);
        tk_uw_lane_release(&s->lanes[i]);
    }
    tk_uw_close(&s->uw); /* events that are too large for a packet may have failed */
    for (unsigned i = 0; i < TYPES; i++)
        free(s->types[i]);
}

void fuzz_declared(struct tk_uw_bytes *out, const uint8_t *data, size_t size, const char *const *loggers)
{
    struct fuzz_in in = {data, size};
    struct script *s = calloc(1, sizeof *s);
    fuzz_promise(s != NULL, "memory for a script");
    for (uint16_t i = 0; i < TYPES; i++)
        if (wanted(declarations[i].event, loggers))
            s->usable[s->n_usable++] = i;
    begin(s, out, fuzz_u8(&in));
    for (unsigned i = 0; in.n && i < MOST_EVENTS; i++)
        step(s, &in);
    end(s);
    free(s);
}
