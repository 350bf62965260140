/*
 * Messages and application information (tracy-live 7.7).
 */
#include "live/tracy/state/topics.h"

enum { SORT_BYTES = 2 << 20, NO_META = 0x20 };

/* By time; of the same time the later one comes first. */
static int compare_messages(const void *a, const void *b)
{
    const struct tk_tl_message *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order > y->order ? -1 : x->order < y->order;
}

static int add_message(struct tk_tl_state *s, struct tk_tl_message *m, const uint8_t *time, uint8_t meta,
                       bool stacked)
{
    struct tk_tl_thread *t;
    uint16_t number;
    TK_TL_TRY(tk_tl_thread_current(s, &t));
    m->time = tk_tl_time_at(s, time);
    m->source = meta & 15;
    m->severity = meta >> 4;
    TK_TL_TRY(tk_tl_thread_number(s, t->tid, &number));
    m->thread = t->number;
    m->order = s->n_messages++;
    m->callstack = stacked ? tk_tl_take_stack(t) : 0;
    if (!s->messages)
        TK_TL_TRY(tk_external_sort_open(&s->messages, s->options.scratch, sizeof *m, compare_messages,
                                        SORT_BYTES, s->err));
    return tk_external_sort_add(s->messages, m, s->err);
}

/* p: time, then the colour where there is one, then metadata. */
static int text_message(struct tk_tl_state *s, const uint8_t *p, bool coloured, bool stacked)
{
    const uint8_t meta = s->protocol.message_meta ? p[coloured ? 11 : 8] : NO_META;
    struct tk_tl_message m = {.colour = coloured ? 0xff000000 | tk_tl_colour(p + 8) : UINT32_MAX};
    m.text = tk_tl_take_text(s);
    return add_message(s, &m, p, meta, stacked);
}

static int literal_message(struct tk_tl_state *s, const uint8_t *p, bool coloured, bool stacked)
{
    const uint64_t v = tk_load64(p + (coloured ? 11 : 8));
    struct tk_tl_message m = {.colour = coloured ? 0xff000000 | tk_tl_colour(p + 8) : UINT32_MAX,
                              .is_pointer = 1};
    bool known;
    m.text = s->protocol.message_meta ? v >> 8 : v;
    TK_TL_TRY(tk_tl_want_text(s, m.text, &known));
    return add_message(s, &m, p, s->protocol.message_meta ? (uint8_t)v : NO_META, stacked);
}

int tk_tl_on_message(struct tk_tl_state *s, const uint8_t *p)
{
    return text_message(s, p, false, false);
}

int tk_tl_on_message_color(struct tk_tl_state *s, const uint8_t *p)
{
    return text_message(s, p, true, false);
}

int tk_tl_on_message_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return text_message(s, p, false, true);
}

int tk_tl_on_message_color_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return text_message(s, p, true, true);
}

int tk_tl_on_message_literal(struct tk_tl_state *s, const uint8_t *p)
{
    return literal_message(s, p, false, false);
}

int tk_tl_on_message_literal_color(struct tk_tl_state *s, const uint8_t *p)
{
    return literal_message(s, p, true, false);
}

int tk_tl_on_message_literal_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return literal_message(s, p, false, true);
}

int tk_tl_on_message_literal_color_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return literal_message(s, p, true, true);
}

int tk_tl_on_message_app_info(struct tk_tl_state *s, const uint8_t *p)
{
    TK_TL_TRY(tk_tl_push(s, &s->app_info, tk_tl_take_text(s)));
    tk_tl_time_at(s, p);
    return TK_OK;
}
