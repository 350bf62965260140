/*
 * Reading of TrackEvents.
 */
#include "base/text/text.h"
#include "format/perfetto/perfetto_in.h"

/*
 * Texts of debug annotations.
 */

enum { MOST_DEPTH = 8 }; /* of dictionaries and lists that are displayed */

static void put(struct tk_pf_text *t, const void *p, size_t n)
{
    size_t capacity = sizeof t->p - t->n;
    n = n < capacity ? n : capacity;
    if (n)
        memcpy(t->p + t->n, p, n);
    t->n += n;
}

static void put_name(struct tk_pf_text *t, const struct tk_ev_capture *c, uint32_t name)
{
    const struct tk_str *s = tk_ev_name_text(&c->names, name);
    if (s)
        put(t, s->p, s->n);
}

/* A number, a text or a reference to one. false: the field is none. */
static bool put_value(struct tk_pf_text *t, const struct tk_pf_sequence *s, const struct tk_ev_capture *c,
                      const struct tk_pf_field *f)
{
    char digits[32];
    uint32_t name;
    switch (f->number) {
    case 2:
        put(t, f->value ? "true" : "false", f->value ? 4 : 5);
        return true;
    case 3:
    case 7:
        put(t, digits, tk_put_u64(digits, f->value));
        return true;
    case 4:
        put(t, digits, tk_put_i64(digits, (int64_t)f->value));
        return true;
    case 5:
        put(t, digits, tk_put_real(digits, tk_pf_double(f->value)));
        return true;
    case 6:
    case 9:
        put(t, f->bytes.p, f->bytes.n);
        return true;
    case 17:
        if (tk_pf_interned(s, TK_PF_ANNOTATION_TEXTS, f->value, &name))
            put_name(t, c, name);
        return true;
    default:
        return false;
    }
}

/* Dictionaries and lists are walked with a stack of what is left of each. */
static void put_nested(struct tk_pf_text *t, const struct tk_pf_sequence *s, const struct tk_ev_capture *c,
                       struct tk_bytes annotation, bool with_name)
{
    struct tk_pf_message stack[MOST_DEPTH];
    struct tk_pf_field f;
    size_t depth = 0;
    bool named = !with_name, any = false;
    uint32_t name;
    stack[depth++] = tk_pf_message_of(annotation);
    while (depth && t->n < sizeof t->p) {
        if (tk_pf_next(&stack[depth - 1], &f) != 1) {
            depth--;
            continue;
        }
        if ((f.number == 10 || (f.number == 1 && depth)) && with_name && !named) {
            if (f.number == 1 && tk_pf_interned(s, TK_PF_ANNOTATION_NAMES, f.value, &name))
                put_name(t, c, name);
            if (f.number == 10)
                put(t, f.bytes.p, f.bytes.n);
            put(t, "=", 1);
            named = true;
        } else if (f.number == 10 && f.wire == TK_PF_BYTES && depth > 1) {
            put(t, any ? "," : "", any);
            put(t, f.bytes.p, f.bytes.n);
            put(t, ":", 1);
            any = false;
        } else if ((f.number == 11 || f.number == 12) && f.wire == TK_PF_BYTES && depth < MOST_DEPTH) {
            stack[depth++] = tk_pf_message_of(f.bytes);
        } else if (f.number >= 2) {
            if (any && depth > 1)
                put(t, ",", 1);
            any = put_value(t, s, c, &f) || any;
        }
    }
}

void tk_pf_annotate(struct tk_pf_text *t, const struct tk_pf_sequence *s, const struct tk_ev_capture *c,
                    struct tk_bytes annotation, bool only)
{
    if (t->n)
        put(t, ", ", 2);
    put_nested(t, s, c, annotation, !only);
}

static int read_legacy(struct tk_bytes message, struct tk_pf_event *e)
{
    struct tk_pf_legacy *l = &e->of_chrome;
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    if (!e->legacy->there)
        *l = (struct tk_pf_legacy){.there = true};
    l->id_scope = (struct tk_bytes){message.p, 0};
    e->legacy = l;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        switch (f.number) {
        case 1:
            l->name = f.value;
            break;
        case 2:
            l->phase = (uint32_t)f.value;
            l->has_phase = true;
            break;
        case 3:
            l->duration = f.value;
            break;
        case 6:
            l->unscoped = f.value;
            l->has_unscoped = true;
            break;
        case 10:
            l->local = f.value;
            l->has_local = true;
            break;
        case 11:
            l->global = f.value;
            l->has_global = true;
            break;
        case 7:
            l->id_scope = f.bytes;
            break;
        case 14:
            l->scope_of_instant = f.value;
            break;
        case 18:
            l->pid = f.value;
            l->has_pid = true;
            break;
        case 19:
            l->tid = f.value;
            l->has_tid = true;
            break;
        default:
            break;
        }
    }
    return rc;
}

static int read_log(struct tk_bytes message, struct tk_pf_event *e)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    e->has_log = true;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 2)
            e->log_body = f.value;
        else if (f.number == 3)
            e->log_level = f.value;
    }
    return rc;
}

static void take_number(struct tk_pf_event *e, const struct tk_pf_field *f)
{
    switch (f->number) {
    case 9:
        e->type = f->value;
        e->has_type = true;
        break;
    case 11:
        e->track = f->value;
        e->has_track = true;
        break;
    case 1:
        e->delta = f->value;
        e->has_delta = true;
        break;
    case 16:
        e->absolute = f->value;
        break;
    case 10:
        e->name_iid = f->value;
        break;
    case 30:
        e->value = f->value;
        e->has_value = true;
        break;
    case 44:
        e->real = f->value;
        e->has_real = true;
        break;
    case 3:
        if (!e->category_iid)
            e->category_iid = f->value;
        break;
    case 34:
        e->location_iid = f->value;
        break;
    default:
        break;
    }
}

static int take_bytes(struct tk_pf_event *e, const struct tk_pf_field *f)
{
    const uint8_t *at = NULL;
    uint64_t first;
    switch (f->number) {
    case 23:
        e->name = f->bytes;
        break;
    case 22:
        if (!e->category.n)
            e->category = f->bytes;
        break;
    case 3:
        if (tk_pf_number(f, TK_PF_VARINT, &at, &first) == 1 && !e->category_iid)
            e->category_iid = first;
        break;
    case 33:
        e->location = f->bytes;
        e->has_location = true;
        break;
    case 4:
        e->annotations++;
        break;
    case 6:
        return read_legacy(f->bytes, e);
    case 21:
        return read_log(f->bytes, e);
    default:
        break;
    }
    return 1;
}

static const struct tk_pf_legacy no_legacy;

int tk_pf_event_read(struct tk_bytes message, struct tk_pf_event *e)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    memset(e, 0, offsetof(struct tk_pf_event, location));
    e->all = message;
    e->legacy = &no_legacy;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        e->has_extra |= f.number == 12 || f.number == 46;
        if (f.wire != TK_PF_BYTES)
            take_number(e, &f);
        else if (take_bytes(e, &f) < 0)
            return -1;
    }
    return rc < 0 ? -1 : 1;
}
