/*
 * Batches at the edges of a window.
 */
#include "edit/utrace/cut/survey.h"

#include <stdlib.h>

enum { SCOPE, COROUTINE, RETURNED };

#define DEEPEST 1024 /* of what comes back with a coroutine; as the limit open_scopes has it */

static uint64_t bits_of(unsigned form, bool coroutine, bool begins)
{
    return form > 1 ? (coroutine ? 2u : 0) + (begins ? 1u : 0) : (begins ? 1u : 0);
}

static void put_time(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                     int64_t time, bool coroutine, bool begins)
{
    const uint64_t cycles = s->any ? (uint64_t)(time - s->last) : (uint64_t)time + w->start;
    tk_uw_varint(&s->out, cycles << (form > 1 ? 2 : 1) | bits_of(form, coroutine, begins));
    s->last = time;
    s->any = true;
}

static int put_begin(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                     int64_t time, const struct tk_edit_open *open, uint64_t depth)
{
    put_time(s, w, form, time, open->kind == COROUTINE, true);
    tk_uw_varint(&s->out, open->number);
    if (open->kind == COROUTINE)
        tk_uw_varint(&s->out, depth);
    return s->used && open->kind == SCOPE ? s->used(s->ctx, open->number) : 0;
}

static uint64_t scopes_of(const struct tk_edit_entry *e)
{
    return 1 + (e->depth < DEEPEST ? e->depth : DEEPEST);
}

/* How many of the scopes that are open now end at the time of the begin in hand, as entries behind it say. */
static uint64_t ending_now(const struct tk_edit_cut_scopes *s, unsigned form,
                           const struct tk_edit_entry *begin)
{
    struct tk_cur c = tk_cur_of(s->rest.p, s->rest.n);
    struct tk_edit_entry e;
    uint64_t begun = scopes_of(begin), ending = 0;
    while (tk_edit_batch_next(&c, form, &e) && e.cycles == 0) {
        const uint64_t n = scopes_of(&e);
        ending += !e.begins && n > begun ? n - begun : 0;
        begun = e.begins ? begun + n : begun > n ? begun - n : 0;
    }
    return ending < s->stack.n ? ending : s->stack.n;
}

/* The window begins: what is open is begun at its first cycle, the outermost first, but for those that end at
 * that cycle, too. */
static int carry(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form, uint64_t ending)
{
    const size_t n = s->stack.n - (size_t)ending;
    int rc = 0;
    if (s->carried)
        return 0;
    s->carried = true;
    s->clipped += ending > 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct tk_edit_open *open = &s->stack.v[i];
        uint64_t depth = 0;
        open->kept = true;
        while (open->kind == COROUTINE && i + 1 + depth < n && open[1 + depth].kind == RETURNED)
            depth++;
        if (open->kind != RETURNED)
            rc = put_begin(s, w, form, w->from, open, depth);
        s->clipped++;
    }
    s->front = s->out.size;
    s->any = false;
    return rc;
}

static int push(struct tk_edit_cut_scopes *s, uint64_t number, uint8_t kind, bool kept)
{
    const struct tk_edit_open open = {number, kind, kept};
    return tk_vec_push(&s->stack, open);
}

static int take_begin(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                      const struct tk_edit_entry *e, int64_t time)
{
    const bool kept = time >= w->from && time < w->to;
    const uint64_t ending = time == w->from && !s->carried ? ending_now(s, form, e) : 0;
    int rc = time >= w->from ? carry(s, w, form, ending) : 0;
    const uint64_t depth = e->depth < DEEPEST ? e->depth : DEEPEST;
    const struct tk_edit_open open = {e->number, e->coroutine ? COROUTINE : SCOPE, kept};
    if (rc == 0 && kept)
        rc = put_begin(s, w, form, time, &open, e->depth);
    s->clipped += !kept;
    if (rc == 0)
        rc = push(s, open.number, open.kind, kept);
    for (uint64_t i = 0; i < depth && rc == 0; i++)
        rc = push(s, 0, RETURNED, kept);
    return rc;
}

/* How many of the scopes that an entry ends are in the result. */
static uint64_t pop(struct tk_edit_cut_scopes *s, uint64_t n)
{
    uint64_t kept = 0;
    for (; n && s->stack.n; n--)
        kept += s->stack.v[--s->stack.n].kept;
    return kept;
}

static int take_end(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                    const struct tk_edit_entry *e, int64_t time)
{
    const bool before = time < w->from || (time == w->from && !s->carried), known = s->stack.n > 0;
    int rc = before ? 0 : carry(s, w, form, 0);
    const uint64_t kept = pop(s, scopes_of(e));
    if (before || rc != 0 || (known && !kept) || (!known && time >= w->to)) {
        s->clipped++;
        return rc;
    }
    const int64_t end = time < w->to ? time : w->to;
    s->clipped += end != time;
    put_time(s, w, form, end, e->coroutine, false);
    if (e->coroutine)
        tk_uw_varint(&s->out, time < w->to ? e->depth : kept - 1);
    return 0;
}

int64_t tk_edit_cut_begin(const struct tk_edit_window *w, unsigned form, const uint8_t *p, size_t n)
{
    struct tk_cur c = tk_cur_of(p, n);
    struct tk_edit_entry e = {0};
    if (!tk_edit_batch_next(&c, form, &e))
        return INT64_MIN;
    return (int64_t)(e.cycles < w->start ? e.cycles : e.cycles - w->start);
}

bool tk_edit_cut_over(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, int64_t begin)
{
    if (!s->carried || begin < w->to)
        return false;
    for (size_t i = 0; i < s->stack.n; i++)
        if (s->stack.v[i].kept)
            return false;
    s->stack.n = 0;
    return true;
}

/* An entry by itself. 1: done; 0: there is none; -1: out of memory. */
static int take_one(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                    struct tk_edit_cut_place *place)
{
    struct tk_cur c = tk_cur_of(place->p, (size_t)(place->end - place->p));
    struct tk_edit_entry e;
    if (!tk_edit_batch_next(&c, form, &e))
        return 0;
    if (place->first)
        place->time = (int64_t)(e.cycles < w->start ? e.cycles : e.cycles - w->start);
    else
        place->time = (int64_t)((uint64_t)place->time + e.cycles);
    place->first = false;
    place->p += tk_cur_at(&c);
    s->rest = (struct tk_bytes){place->p, (size_t)(place->end - place->p)};
    return (e.begins ? take_begin : take_end)(s, w, form, &e, place->time) ? -1 : 1;
}

int tk_edit_cut_batch(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                      const uint8_t *p, size_t n, bool *same)
{
    struct tk_edit_cut_place place = {.p = p, .end = p + n, .first = true};
    int rc = 1;
    tk_uw_bytes_clear(&s->out);
    s->front = 0;
    s->any = false;
    s->clipped = 0;
    while (rc == 1) {
        if (tk_edit_cut_alike(s, w, form, &place) != 0)
            return -1;
        rc = take_one(s, w, form, &place);
    }
    *same = !s->clipped;
    return s->out.failed ? -1 : rc;
}

int tk_edit_cut_rest(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form)
{
    tk_uw_bytes_clear(&s->out);
    s->any = false;
    const int rc = carry(s, w, form, 0);
    return s->out.failed ? -1 : rc;
}

void tk_edit_cut_scopes_release(struct tk_edit_cut_scopes *s)
{
    tk_vec_release(&s->stack);
    tk_uw_bytes_release(&s->out);
}
