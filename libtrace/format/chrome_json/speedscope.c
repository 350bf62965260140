/*
 * Files of speedscope (import2 10): frames that all profiles share, and profiles of two types. Events that
 * open and close frames have times, and are scopes of a thread; samples with weights have none, and are all
 * at 0.
 */
#include "format/chrome_json/chrome_json_in.h"

#include <math.h>
#include <string.h>

static const char *const keys[] = {"shared", "profiles"};

struct speedscope {
    struct tk_cj_meaning *m;
    TK_VEC(uint32_t) frames; /* by number: of code */
    TK_VEC(uint32_t) timers; /* and of scopes */
    TK_VEC(uint32_t) stack;  /* at work */
    uint32_t process, thread, number;
    double scale;
};

static struct tk_jscan_value member(const struct tk_jscan_value *object, const char *key)
{
    return tk_cj_member(object, key, strlen(key));
}

/* Nanoseconds of a unit, or 1 where it is another. */
static double scale_of(const struct tk_jscan_value *unit)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"microseconds", 1e3}, {"milliseconds", 1e6}, {"seconds", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (tk_jscan_is(unit, units[i].name, strlen(units[i].name)))
            return units[i].scale;
    return 1;
}

/* A number in the unit of the profile. false: it is none, or beyond 2^62. */
static bool scaled(const struct speedscope *s, const struct tk_jscan_value *v, int64_t *out)
{
    struct tk_number number;
    if (v->kind != TK_JSON_NUMBER)
        return false;
    if (s->scale == 1 && tk_jscan_integer(v, out))
        return true;
    if (!tk_jscan_measure(v, &number))
        return false;
    const double value = (number.real ? number.v.r : (double)number.v.i) * s->scale;
    *out = fabs(value) < 0x1p62 ? llround(value) : 0;
    return fabs(value) < 0x1p62;
}

/* ---- frames ---- */

static int add_frame(struct speedscope *s, const struct tk_jscan_value *v)
{
    struct tk_ev_capture *c = s->m->c;
    const struct tk_jscan_value name = member(v, "name"), file = member(v, "file"), line = member(v, "line");
    int64_t number = 0;
    tk_jscan_integer(&line, &number);
    struct tk_ev_code_frame f = {.function = tk_cj_name(s->m, &name),
                                 .file = tk_cj_name(s->m, &file),
                                 .module = TK_EV_NO_NAME,
                                 .build = TK_EV_NO_NAME,
                                 .line = number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0};
    if (f.function == TK_EV_NO_NAME)
        f.function = tk_ev_name(&c->names, "(anonymous)", 11);
    const uint32_t timer =
        c->names.failed ? TK_EV_NO_NAME
                        : tk_ev_timer(&c->names, f.function, tk_ev_name_text(&c->names, f.file), f.line);
    const uint32_t frame = timer == TK_EV_NO_NAME ? UINT32_MAX : tk_ev_code_frame(c, &f);
    return frame == UINT32_MAX || tk_vec_push(&s->frames, frame) || tk_vec_push(&s->timers, timer) ? -1 : 0;
}

/* The place of a frame in the list; SIZE_MAX: there is none, which is counted. */
static size_t place_of(const struct speedscope *s, const struct tk_jscan_value *v)
{
    int64_t number;
    if (tk_jscan_integer(v, &number) && number >= 0 && (uint64_t)number < s->frames.n)
        return (size_t)number;
    tk_ev_note(s->m->c, TK_EV_UNKNOWN_STACK, TK_NO_OFFSET);
    return SIZE_MAX;
}

/* ---- profiles ---- */

/* An array of frames, the outermost first. 0 or -1. */
static int take_stack(struct speedscope *s, const struct tk_jscan_value *v, uint32_t *stack)
{
    struct tk_jscan_scan in = tk_cj_inside(v, TK_JSON_ARRAY);
    s->stack.n = 0;
    for (struct tk_jscan_value one; tk_cj_next_value(&in, &one);) {
        const size_t at = place_of(s, &one);
        if (at != SIZE_MAX && tk_vec_push(&s->stack, s->frames.v[at]))
            return -1;
    }
    for (size_t i = 0; i < s->stack.n / 2; i++) {
        const uint32_t other = s->stack.v[s->stack.n - 1 - i];
        s->stack.v[s->stack.n - 1 - i] = s->stack.v[i];
        s->stack.v[i] = other;
    }
    *stack = s->stack.n ? tk_ev_stack(s->m->c, s->stack.v, s->stack.n) : 0;
    return *stack == UINT32_MAX ? -1 : 0;
}

static int take_sampled(struct speedscope *s, const struct tk_jscan_value *profile)
{
    const struct tk_jscan_value samples = member(profile, "samples"), weights = member(profile, "weights");
    struct tk_jscan_scan in = tk_cj_inside(&samples, TK_JSON_ARRAY),
                         of = tk_cj_inside(&weights, TK_JSON_ARRAY);
    int rc = 0;
    for (struct tk_jscan_value v, w; rc == 0 && tk_cj_next_value(&in, &v);) {
        int64_t weight = 1;
        uint32_t stack;
        if (weights.kind == TK_JSON_ARRAY && (!tk_cj_next_value(&of, &w) || !scaled(s, &w, &weight)))
            weight = 0;
        if (weight < 0)
            tk_ev_note(s->m->c, TK_EV_NEGATIVE_WEIGHT, TK_NO_OFFSET);
        rc = take_stack(s, &v, &stack);
        if (rc == 0 && weight > 0)
            rc = tk_ev_samples(s->m->c, 0, s->number, stack, (uint64_t)weight);
    }
    return rc;
}

/* type O or C, frame, at. */
static int take_event(struct speedscope *s, const struct tk_jscan_value *v)
{
    const struct tk_jscan_value type = member(v, "type"), frame = member(v, "frame"), at = member(v, "at");
    struct tk_ev_capture *c = s->m->c;
    int64_t time;
    if (!scaled(s, &at, &time)) {
        tk_ev_note(c, TK_EV_NO_TIME, TK_NO_OFFSET);
        return 0;
    }
    const size_t place = place_of(s, &frame);
    if (place == SIZE_MAX)
        return 0;
    const uint32_t timer = s->timers.v[place];
    return tk_jscan_is(&type, "O", 1) ? tk_ev_begin(c, s->thread, time, timer)
                                      : tk_ev_end(c, s->thread, time, c->names.timers.v[timer].name);
}

static int take_evented(struct speedscope *s, const struct tk_jscan_value *profile)
{
    const struct tk_jscan_value events = member(profile, "events");
    struct tk_jscan_scan in = tk_cj_inside(&events, TK_JSON_ARRAY);
    for (struct tk_jscan_value v; tk_cj_next_value(&in, &v);)
        if (take_event(s, &v))
            return -1;
    return 0;
}

/* Each profile is a thread. */
static int take_profile(struct speedscope *s, const struct tk_jscan_value *profile)
{
    const struct tk_jscan_value type = member(profile, "type"), name = member(profile, "name"),
                                unit = member(profile, "unit");
    struct tk_ev_capture *c = s->m->c;
    const struct tk_ev_id id = {NULL, ++s->number};
    s->thread = tk_ev_thread(c, s->process, &id, 0);
    if (s->thread == UINT32_MAX)
        return -1;
    const struct tk_str *text = tk_ev_name_text(&c->names, tk_cj_name(s->m, &name));
    if (!c->threads.v[s->thread]->is_beyond && text) {
        c->threads.v[s->thread]->name = text;
        c->threads.v[s->thread]->named = true;
    }
    s->scale = scale_of(&unit);
    return tk_jscan_is(&type, "sampled", 7) ? take_sampled(s, profile) : take_evented(s, profile);
}

bool tk_cj_is_speedscope(const struct tk_cj_meaning *m)
{
    return m->sections[TK_CJ_SHARED].value.kind == TK_JSON_OBJECT &&
           m->sections[TK_CJ_PROFILES].value.kind == TK_JSON_ARRAY;
}

static int read_all(struct speedscope *s)
{
    const struct tk_jscan_value frames = member(&s->m->sections[TK_CJ_SHARED].value, "frames");
    struct tk_jscan_scan in = tk_cj_inside(&frames, TK_JSON_ARRAY);
    int rc = 0;
    for (struct tk_jscan_value v; rc == 0 && tk_cj_next_value(&in, &v);)
        rc = add_frame(s, &v);
    in = tk_cj_inside(&s->m->sections[TK_CJ_PROFILES].value, TK_JSON_ARRAY);
    for (struct tk_jscan_value v; rc == 0 && tk_cj_next_value(&in, &v);)
        rc = v.kind == TK_JSON_OBJECT ? take_profile(s, &v) : 0;
    return rc;
}

int tk_cj_speedscope(struct tk_cj_meaning *m)
{
    const struct tk_ev_id id = {NULL, 0};
    struct speedscope s = {.m = m, .process = tk_ev_process(m->c, &id)};
    if (s.process == UINT32_MAX)
        return -1;
    m->c->processes.v[s.process].unknown = true;
    const int rc = read_all(&s);
    tk_vec_release(&s.frames);
    tk_vec_release(&s.timers);
    tk_vec_release(&s.stack);
    return rc || m->c->names.failed ? -1 : 0;
}

int tk_cj_speedscope_unread(struct tk_cj_meaning *m)
{
    int rc = 0;
    for (int i = 0; i < 2 && rc == 0; i++) {
        const struct tk_jscan_value *v = &m->sections[TK_CJ_SHARED + i].value;
        if (v->kind != TK_JSON_NONE)
            rc = tk_ev_unread(m->c, "Chrome.", keys[i], strlen(keys[i]), v->n);
    }
    return rc;
}
