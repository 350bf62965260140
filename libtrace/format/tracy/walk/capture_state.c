/*
 * Definitions of a capture: each fact that all of its readings begin with is kept in its state.
 */
#include "format/tracy/walk/capture_state.h"

int tk_tracy_define(struct tk_tracy_capture *c, const struct tk_fact *fact)
{
    return c->interned.failed || tk_vec_push(&c->definitions, *fact) ? TK_ENOMEM : TK_OK;
}

static struct tk_fact new_fact(enum tk_fact_kind kind, uint32_t thread)
{
    return (struct tk_fact){
        .kind = (uint16_t)kind, .size = sizeof(struct tk_fact), .thread = thread, .seq = TK_NO_SEQ};
}

int tk_tracy_define_clock(struct tk_tracy_capture *c)
{
    struct tk_fact fact = new_fact(TK_FACT_CLOCK, TK_NO_THREAD);
    fact.u.clock = c->clock;
    return tk_tracy_define(c, &fact);
}

int tk_tracy_define_session(struct tk_tracy_capture *c, const char *key, struct tk_cell value)
{
    struct tk_fact fact = new_fact(TK_FACT_SESSION, TK_NO_THREAD);
    fact.u.session = (struct tk_fact_session){tk_intern_c(&c->interned, key), value};
    return fact.u.session.key ? tk_tracy_define(c, &fact) : TK_ENOMEM;
}

const struct tk_str *tk_tracy_intern(struct tk_tracy_capture *c, const struct tk_str *s)
{
    return s ? tk_intern(&c->interned, s->p, s->n, (enum tk_encoding)s->enc) : NULL;
}

struct tk_fact tk_tracy_thread_fact(struct tk_tracy_capture *c, uint32_t number, bool fiber)
{
    uint64_t tid = c->threads.local.v[number];
    struct tk_fact fact = new_fact(TK_FACT_THREAD, number);
    struct tk_fact_thread *info = &fact.u.thread_info;
    info->name = tk_tracy_intern(c, tk_tracy_thread_name(&c->threads, &c->strings, tid));
    info->group = fiber ? tk_intern_c(&c->interned, "Fiber") : NULL;
    info->named = info->name != NULL;
    info->has_system = !fiber;
    info->system_id = fiber ? 0 : tid;
    return fact;
}

struct tk_fact tk_tracy_timer_fact(struct tk_tracy_capture *c, uint32_t timer)
{
    static const struct tk_str unknown = {"<unknown>", 9, TK_ENC_UTF8};
    struct tk_fact fact = new_fact(TK_FACT_TIMER, TK_NO_THREAD);
    struct tk_tracy_place place = {.name = timer == c->locations.unknown ? &unknown : &tk_tracy_missing};
    if (timer < c->locations.none)
        place = tk_tracy_location_of(&c->locations, &c->strings, tk_tracy_location_id(&c->locations, timer));
    fact.u.timer = (struct tk_fact_timer){.id = timer,
                                          .kind = TK_TIMER_ZONE,
                                          .line = place.line,
                                          .colour = place.colour,
                                          .name = tk_tracy_intern(c, place.name),
                                          .file = tk_tracy_intern(c, place.file)};
    return fact;
}
