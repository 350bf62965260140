/*
 * Cuts blocks into events and calls their handlers; hands out questions and counts their answers (tracy-live
 * 4, 5, 8, 10, 11).
 */
#include "live/tracy/state/state.h"

#include <string.h>

enum {
    ANSWERS = 1,      /* one question less */
    FOLLOWS = 2,      /* counts while draining, too */
    SAYS_FAILURE = 4, /* counts after a failure, too */
    SUMS = 8          /* counts where only sums are wanted, as all answers do */
};

typedef int handler_fn(struct tk_tl_state *s, const uint8_t *p);

#define HANDLER_FIXED(name)  tk_tl_on_##name
#define HANDLER_TEXT8(name)  tk_tl_on_##name
#define HANDLER_TEXT16(name) tk_tl_on_##name
#define HANDLER_DATA16(name) tk_tl_on_##name
#define HANDLER_DATA32(name) tk_tl_on_##name
#define HANDLER_NEVER(name)  NULL

static handler_fn *const handlers[TK_TL_EVENT_COUNT] = {
#define HANDLER_ROW(name, a, b, c, d, e, f, g, form, size, since, more) HANDLER_##form(name),
    TK_TL_EVENTS(HANDLER_ROW)
#undef HANDLER_ROW
};

static const uint8_t duties[TK_TL_EVENT_COUNT] = {
    [TK_TL_string_data] = ANSWERS | FOLLOWS | SAYS_FAILURE,
    [TK_TL_thread_name] = ANSWERS | FOLLOWS | SAYS_FAILURE,
    [TK_TL_source_location] = ANSWERS | FOLLOWS | SAYS_FAILURE,
    [TK_TL_plot_name] = ANSWERS | FOLLOWS,
    [TK_TL_frame_name] = ANSWERS | FOLLOWS,
    [TK_TL_fiber_name] = ANSWERS | FOLLOWS | SAYS_FAILURE,
    [TK_TL_external_name] = ANSWERS | FOLLOWS,
    [TK_TL_external_thread_name] = FOLLOWS,
    [TK_TL_thread_group_hint] = FOLLOWS,
    [TK_TL_callstack_frame_size] = ANSWERS | FOLLOWS | SAYS_FAILURE,
    [TK_TL_callstack_frame] = FOLLOWS | SAYS_FAILURE,
    [TK_TL_symbol_information] = ANSWERS | FOLLOWS,
    [TK_TL_symbol_code] = ANSWERS | FOLLOWS,
    [TK_TL_source_code] = ANSWERS | FOLLOWS,
    [TK_TL_ack_server_query_noop] = ANSWERS | FOLLOWS,
    [TK_TL_ack_source_code_not_available] = ANSWERS | FOLLOWS,
    [TK_TL_ack_symbol_code_not_available] = ANSWERS | FOLLOWS,
    [TK_TL_single_string_data] = FOLLOWS | SAYS_FAILURE,
    [TK_TL_single_string_data_8] = FOLLOWS | SAYS_FAILURE,
    [TK_TL_second_string_data] = FOLLOWS | SAYS_FAILURE,
    [TK_TL_second_string_data_8] = FOLLOWS | SAYS_FAILURE,
    [TK_TL_terminate] = FOLLOWS | SUMS,
    [TK_TL_crash] = FOLLOWS | SUMS,
    [TK_TL_thread_context] = SUMS,
    [TK_TL_zone_begin] = SUMS,
    [TK_TL_zone_begin_32] = SUMS,
    [TK_TL_zone_begin_16] = SUMS,
    [TK_TL_zone_begin_callstack] = SUMS,
    [TK_TL_zone_begin_callstack_32] = SUMS,
    [TK_TL_zone_begin_callstack_16] = SUMS,
    [TK_TL_zone_begin_alloc_src_loc] = SUMS,
    [TK_TL_zone_begin_alloc_src_loc_callstack] = SUMS,
    [TK_TL_source_location_payload] = SUMS,
    [TK_TL_zone_end] = SUMS,
    [TK_TL_zone_end_32] = SUMS,
    [TK_TL_zone_end_16] = SUMS,
    [TK_TL_fiber_enter] = SUMS,
    [TK_TL_fiber_leave] = SUMS,
    [TK_TL_frame_mark_msg] = SUMS,
};

void tk_tl_session_begin(struct tk_tl_session *s, unsigned protocol, const struct tk_tl_options *options)
{
    memset(s, 0, sizeof *s);
    s->protocol = protocol;
    s->options = *options;
}

void tk_tl_session_end(struct tk_tl_session *s)
{
    tk_tl_state_close(s->state);
    memset(s, 0, sizeof *s);
}

int tk_tl_session_welcome(void *ctx, const struct tk_tl_welcome *w, struct tk_err *err)
{
    struct tk_tl_session *s = ctx;
    int rc = tk_tl_state_open(&s->state, s->protocol, w, &s->options, err);
    if (rc != TK_OK) {
        tk_tl_state_close(s->state);
        s->state = NULL;
    }
    return rc;
}

/* Where the data of an event begins and how long it is; false: the event is not whole. */
static bool cut_data(struct tk_tl_state *s, enum tk_tl_form form, const uint8_t *p, size_t left, size_t *size)
{
    static const uint8_t heads[] = {
        [TK_TL_TEXT8] = 1, [TK_TL_TEXT16] = 2, [TK_TL_DATA16] = 10, [TK_TL_DATA32] = 12};
    const size_t head = heads[form];
    size_t n = 0;
    if (left < head)
        return false;
    if (form == TK_TL_TEXT8)
        n = p[0];
    else if (form == TK_TL_TEXT16)
        n = tk_load16(p) + (s->protocol.short_strings ? 256u : 0u);
    else if (form == TK_TL_DATA16)
        n = tk_load16(p + 8);
    else
        n = tk_load32(p + 8);
    if (n > left - head)
        return false;
    if (form == TK_TL_DATA16 || form == TK_TL_DATA32)
        s->key = tk_load64(p);
    s->data = (struct tk_bytes){p + head, n};
    *size = head + n;
    return true;
}

static int bad_event(struct tk_tl_session *s, const struct tk_tl_type *t, uint8_t number, struct tk_err *err)
{
    if (t->form == TK_TL_UNKNOWN || t->form == TK_TL_NEVER)
        return tk_err_set(err, TK_EFORMAT, "block %llu of the program has an event of the unknown number %u",
                          (unsigned long long)s->blocks, number);
    return tk_err_set(err, TK_EFORMAT, "block %llu of the program ends inside an event",
                      (unsigned long long)s->blocks);
}

/* Does an event count now? */
static bool counts(const struct tk_tl_session *s, uint8_t duty)
{
    if (s->draining)
        return duty & FOLLOWS;
    if (s->options.sums_only && !(duty & (SUMS | ANSWERS)))
        return false;
    return !s->failed || duty & SAYS_FAILURE;
}

static int handle(struct tk_tl_session *s, const struct tk_tl_type *t, const uint8_t *p)
{
    const uint8_t duty = duties[t->event];
    if (duty & ANSWERS && s->unanswered)
        s->unanswered--;
    if (!counts(s, duty))
        return TK_OK;
    int rc = handlers[t->event](s->state, p);
    if (rc != TK_TL_FAILURE)
        return rc;
    s->failed = true;
    return TK_OK;
}

int tk_tl_session_block(void *ctx, const uint8_t *p, size_t n, struct tk_err *err)
{
    struct tk_tl_session *s = ctx;
    const uint8_t *end = p + n;
    s->state->err = err;
    while (p < end) {
        const uint8_t number = *p++;
        const struct tk_tl_type *t = &s->state->protocol.types[number];
        size_t size = t->size;
        bool ok = t->form == TK_TL_FIXED && size <= (size_t)(end - p);
        if (t->form > TK_TL_FIXED && t->form < TK_TL_NEVER)
            ok = cut_data(s->state, t->form, p, (size_t)(end - p), &size);
        if (!ok)
            return bad_event(s, t, number, err);
        s->events++;
        int rc = handle(s, t, p);
        if (rc != TK_OK)
            return rc;
        p += size;
    }
    s->blocks++;
    return TK_OK;
}

uint64_t tk_tl_session_frames(const struct tk_tl_session *s)
{
    const struct tk_tl_state *k = s->state;
    const uint64_t before = k && k->welcome.flags & TK_TL_ON_DEMAND ? 3 : 2;
    const uint64_t frames = k ? tk_spill_column_count(&k->frame_sets.v[0]->frames) : 0;
    return frames > before + 1 ? frames - before - 1 : 0;
}

/* ---- questions ---- */

static bool take_question(struct tk_tl_session *s, struct tk_tl_queue *q, uint8_t *out)
{
    if (q->head == q->v.n)
        return false;
    const struct tk_tl_question_entry *e = &q->v.v[q->head++];
    tk_tl_question_put(&s->state->protocol, out, e->question, e->pointer, e->extra);
    s->state->charged -= sizeof *e;
    s->unanswered++;
    return true;
}

bool tk_tl_session_question(struct tk_tl_session *s, uint8_t out[TK_TL_QUESTION_BYTES])
{
    return s->state &&
           (take_question(s, &s->state->names_first, out) || take_question(s, &s->state->others, out));
}

static bool has_questions(const struct tk_tl_queue *q)
{
    return q->head < q->v.n;
}

bool tk_tl_session_waits(const struct tk_tl_session *s)
{
    return s->state &&
           (s->unanswered || has_questions(&s->state->names_first) || has_questions(&s->state->others));
}

bool tk_tl_session_is_done(const struct tk_tl_session *s, bool zones)
{
    const struct tk_tl_state *k = s->state;
    if (!k || tk_tl_session_waits(s) || k->answer.open)
        return false;
    if (k->single != TK_TL_NONE || k->second != TK_TL_NONE || k->has_image || k->pending_stack ||
        k->pending_dynamic || k->unnamed_sets || k->unnamed_plots)
        return false;
    return !zones || k->crashed || !k->open_zones;
}

bool tk_tl_session_failure_reported(const struct tk_tl_session *s)
{
    const struct tk_tl_state *k = s->state;
    const struct tk_tl_failure *f = &k->failure;
    const uint32_t name = tk_map_get(&k->thread_name_of, f->tid);
    if (f->tid && name != TK_MAP_NONE && k->thread_names.v[name].text == TK_TL_NONE)
        return false;
    for (uint32_t i = 0; f->callstack && i < k->stacks.v[f->callstack - 1].n; i++) {
        const uint64_t id = k->stack_frames.v[k->stacks.v[f->callstack - 1].first + i];
        const uint32_t frame = tk_map_get(&k->code_frame_of, id);
        if (frame != TK_MAP_NONE && !k->code_frames.v[frame].known)
            return false;
    }
    if (f->place <= 0 || (size_t)f->place >= k->expand.n)
        return true;
    const struct tk_tl_static *p = &k->statics.v[tk_map_get(&k->static_of, k->expand.v[f->place])];
    return p->known && tk_tl_pointer_text(k, p->function) != TK_TL_NONE &&
           tk_tl_pointer_text(k, p->file) != TK_TL_NONE;
}
