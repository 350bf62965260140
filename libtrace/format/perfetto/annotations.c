/*
 * Texts of debug annotations; see annotations.h.
 */
#include "format/perfetto/annotations.h"

#include "base/text/text.h"

enum { MOST_DEPTH = 8 }; /* of dictionaries and lists that are shown */

static void put(struct tk_pf_text *t, const void *p, size_t n)
{
    size_t room = sizeof t->p - t->n;
    n = n < room ? n : room;
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
