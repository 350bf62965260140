/*
 * Messages; they become facts when their threads are known.
 *
 *   u64 n, each u64 key, dt time, 9 text, u32 colour, u24 callstack [, u8 source, u8 severity] tracy-file 5.8
 */
#include "format/tracy/walk/section.h"

#define INFO 2 /* severity of those that do not state one */

struct state {
    struct tk_tracy_list list;
    int64_t time;
};

static int read_message(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    struct tk_tracy_message m = {.at = tk_tracy_at(&w->in), .thread = TK_NO_THREAD, .severity = INFO};
    uint64_t key = tk_tracy_u64(&w->in, "key of a message");
    m.time = tk_tracy_time(&w->in, &s->time, "time of a message");
    m.text = tk_tracy_ref(&w->in, "text of a message");
    tk_tracy_use_ref(w, m.text);
    m.colour = tk_tracy_u32(&w->in, "colour of a message");
    m.callstack = tk_tracy_u24(&w->in, "callstack of a message");
    tk_tracy_use_stack(w, m.callstack);
    if (w->c->layout.message_source) {
        m.source = tk_tracy_u8(&w->in, "source of a message");
        m.severity = tk_tracy_u8(&w->in, "severity of a message");
        tk_tracy_use_kind(w, m.source, 1);
        tk_tracy_use_kind(w, m.severity, 5);
    }
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_MESSAGE, 1, w->c->layout.message_source ? 34 : 32);
    return tk_tracy_messages_take(w, key, &m);
}

static int step_messages(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    if (!tk_tracy_wants_fact(w, TK_FACT_LOG) && !tk_tracy_wants(w, TK_TRACY_MESSAGE)) {
        tk_tracy_skip_list(w, w->c->layout.message_source ? 34 : 32, TK_TRACY_MESSAGE, "messages");
        return TK_OK;
    }
    return tk_tracy_list_walk(w, &s->list, "messages", read_message, s);
}

const struct tk_tracy_section tk_tracy_sec_messages = {.name = "messages",
                                                       .step = step_messages,
                                                       .size = sizeof(struct state),
                                                       .facts = TK_FACT_MASK(LOG),
                                                       .records = TK_TRACY_RECORD_MASK(MESSAGE)};
