/*
 * Messages; they become facts when their threads are known.
 *
 *   u64 n, n messages                                                                          tracy-file 5.8
 */
#include "format/tracy/walk/section.h"

#define INFO 2 /* severity of those that do not state one */

struct state {
    struct tk_tracy_list messages;
    int64_t last;
};

static int read_message(struct tk_tracy_walk *w, void *state)
{
    struct tk_tracy_held_message held = {.at = tk_tracy_at(&w->in), .thread = TK_NO_THREAD};
    struct state *s = state;
    if (!tk_tracy_read_message(&w->in, &held.m))
        return TK_OK;
    tk_tracy_use_order(w, held.m.time, &s->last);
    tk_tracy_use_ref(w, held.m.text);
    tk_tracy_use_stack(w, held.m.callstack);
    tk_tracy_use_kind(w, held.m.source, 1);
    tk_tracy_use_kind(w, held.m.severity, 5);
    if (!w->c->layout.message_source)
        held.m.severity = INFO;
    tk_tracy_count(w, TK_TRACY_MESSAGE, 1, tk_tracy_message_size(&w->c->layout));
    return tk_tracy_messages_take(w, &held);
}

static int step_messages(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    if (!tk_tracy_wants_fact(w, TK_FACT_LOG) && !tk_tracy_wants(w, TK_TRACY_MESSAGE)) {
        tk_tracy_skip_list(w, tk_tracy_message_size(&w->c->layout), TK_TRACY_MESSAGE, "messages");
        return TK_OK;
    }
    if (!s->messages.begun) {
        w->in.time = 0;
        s->last = INT64_MIN;
        w->messages.whole = true;
    }
    return tk_tracy_list_walk(w, &s->messages, "messages", read_message, s);
}

const struct tk_tracy_section tk_tracy_sec_messages = {.name = "messages",
                                                       .step = step_messages,
                                                       .size = sizeof(struct state),
                                                       .facts = TK_FACT_MASK(LOG),
                                                       .records = TK_TRACY_RECORD_MASK(MESSAGE)};
