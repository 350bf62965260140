/*
 * Names of events, and what the object around them says of the recording.
 */
#include "format/chrome_json/chrome_json_in.h"
#include "table/cell.h"

#include <string.h>

uint32_t tk_cj_name(struct tk_cj_meaning *m, const struct tk_jscan_value *v)
{
    if (v->kind != TK_JSON_STRING || !v->n)
        return TK_EV_NO_NAME;
    if (!v->escaped)
        return tk_ev_name_clean(&m->c->names, v->p, v->n);
    if (tk_vec_reserve(&m->text, v->n)) {
        m->c->names.failed = true;
        return TK_EV_NO_NAME;
    }
    size_t n = tk_jscan_unescape(v, m->text.v);
    return n ? tk_ev_name_clean(&m->c->names, m->text.v, n) : TK_EV_NO_NAME;
}

enum { LONGEST_VALUE = 1024 };

static int tell(struct tk_cj_meaning *m, const struct tk_jscan_value *key, const struct tk_jscan_value *v)
{
    struct tk_number number;
    struct tk_cell cell = {.kind = TK_NONE};
    struct tk_jscan_value text = *v;
    if (v->kind == TK_JSON_NUMBER && tk_jscan_measure(v, &number))
        cell = number.real ? (struct tk_cell){.kind = TK_REAL, .v.r = number.v.r}
                           : (struct tk_cell){.kind = TK_INT, .v.i = number.v.i};
    else if (v->kind == TK_JSON_TRUE || v->kind == TK_JSON_FALSE)
        cell = (struct tk_cell){.kind = TK_BOOL, .v.u = v->kind == TK_JSON_TRUE};
    else if (v->kind == TK_JSON_STRING && v->n <= LONGEST_VALUE) {
        const struct tk_str *s = tk_ev_name_text(&m->c->names, tk_cj_name(m, &text));
        if (s)
            cell = tk_cell_of_text(s);
    }
    return cell.kind == TK_NONE ? 0 : tk_ev_session(m->c, (const char *)key->p, key->n, cell);
}

static void see_tool(struct tk_cj_meaning *m, const struct tk_jscan_value *key,
                     const struct tk_jscan_value *v)
{
    static const char ours[] = "tracekit";
    if (!tk_jscan_is(key, "tool", 4))
        return;
    const struct tk_str *tool = tk_ev_name_text(&m->c->names, tk_cj_name(m, v));
    m->c->own_export |= tool && tool->n >= sizeof ours - 1 && memcmp(tool->p, ours, sizeof ours - 1) == 0;
}

/* VizTracer says so where its buffer was too small. */
static void see_overflow(struct tk_cj_meaning *m, const struct tk_jscan_value *key,
                         const struct tk_jscan_value *v)
{
    const bool is_about = tk_jscan_is(key, "viztracer_metadata", 18);
    if (is_about && tk_cj_member(v, "overflow", 8).kind == TK_JSON_TRUE)
        tk_cj_tell_overflow(m);
}

bool tk_cj_meaning_reads(const struct tk_jscan_value *key, const struct tk_jscan_value *v)
{
    if (v->kind == TK_JSON_OBJECT)
        return tk_jscan_is(key, "otherData", 9) || tk_jscan_is(key, "metadata", 8) ||
               tk_jscan_is(key, "viztracer_metadata", 18);
    return v->kind != TK_JSON_ARRAY && (v->kind != TK_JSON_STRING || v->n <= LONGEST_VALUE);
}

int tk_cj_meaning_session(struct tk_cj_meaning *m, const struct tk_jscan_value *key,
                          const struct tk_jscan_value *v)
{
    struct tk_jscan_scan s = {.p = NULL};
    struct tk_jscan_value member, value;
    bool more = false, about = tk_jscan_is(key, "otherData", 9) || tk_jscan_is(key, "metadata", 8);
    if (v->kind != TK_JSON_OBJECT)
        return tell(m, key, v);
    see_overflow(m, key, v);
    s.p = v->p + 1;
    s.end = v->p + v->n;
    while (about && tk_jscan_member(&s, &member, &more) == TK_JSON_OK && more &&
           tk_jscan_value(&s, &value) == TK_JSON_OK) {
        see_tool(m, &member, &value);
        if (tell(m, &member, &value))
            return -1;
    }
    return 0;
}
