/*
 * Events and what the scheduler did (import 4.2, 4.3).
 */
#include "format/fuchsia/fuchsia_in.h"

#include <math.h>
#include <stdio.h>

enum {
    INSTANT,
    COUNTER,
    BEGIN,
    END,
    COMPLETE,
    ASYNC_BEGIN,
    ASYNC_INSTANT,
    ASYNC_END,
    FLOW_BEGIN,
    FLOW_STEP,
    FLOW_END,
    EVENTS
};

/* An event on its way. */
struct at_work {
    struct tk_fx_trace *t;
    struct tk_ev_capture *c;
    uint64_t koid; /* of the process */
    unsigned kind;
    int64_t time;
    uint32_t process, thread, category, name;
    uint64_t last; /* the extra word */
};

static int kept(int rc)
{
    return rc ? TK_FX_NO_MEMORY : TK_FX_FINE;
}

/* ---- counters ---- */

/* NAME, NAME[id], then the series where it is not "value". */
static uint32_t counter_of(struct at_work *w, const struct tk_fx_arg *arg)
{
    const struct tk_str *name = tk_ev_name_text(&w->c->names, w->name),
                        *series = tk_ev_name_text(&w->c->names, arg->name);
    size_t n = name ? name->n : 0, more = series ? series->n : 0;
    if (tk_vec_reserve(&w->t->text, n + more + 32))
        return UINT32_MAX;
    char *text = (char *)w->t->text.v;
    if (n)
        memcpy(text, name->p, n);
    if (w->last)
        n += (size_t)snprintf(text + n, 32, "[%llu]", (unsigned long long)w->last);
    if (more && !(more == 5 && memcmp(series->p, "value", 5) == 0)) {
        text[n++] = ' ';
        memcpy(text + n, series->p, more);
        n += more;
    }
    uint32_t full = tk_ev_name(&w->c->names, text, n);
    return full == TK_EV_NO_NAME ? UINT32_MAX : tk_ev_counter(w->c, w->process, full, 0);
}

/* 1: it is a number; 0: it is none. */
static bool number_of(const struct tk_fx_arg *arg, struct tk_number *out)
{
    *out = (struct tk_number){.v.i = (int64_t)arg->bits};
    if (arg->kind == 4 && arg->bits > INT64_MAX)
        *out = (struct tk_number){.real = true, .v.r = (double)arg->bits};
    if (arg->kind == 5) {
        out->real = true;
        memcpy(&out->v.r, &arg->bits, sizeof out->v.r);
        return isfinite(out->v.r);
    }
    return arg->kind >= 1 && arg->kind <= 4;
}

static int take_counter(struct at_work *w)
{
    struct tk_number number;
    for (unsigned i = 0; i < w->t->n_args; i++) {
        if (!number_of(&w->t->args[i], &number)) {
            tk_ev_note(w->c, TK_EV_NO_NUMBER, w->t->offset);
            continue;
        }
        uint32_t counter = counter_of(w, &w->t->args[i]);
        if (counter == UINT32_MAX || tk_ev_value(w->c, counter, w->time, number))
            return TK_FX_NO_MEMORY;
    }
    return TK_FX_FINE;
}

/* ---- durations ---- */

static int tell_text(struct at_work *w)
{
    const struct tk_str *text = w->c->pass == TK_EV_TEXTS && w->t->n_args ? tk_fx_args_text(w->t) : NULL;
    return text ? tk_ev_scope_text(w->c, w->thread, text) : 0;
}

static int take_begin(struct at_work *w)
{
    if (tell_text(w))
        return TK_FX_NO_MEMORY;
    return kept(tk_ev_begin(w->c, w->thread, w->time, tk_ev_timer(&w->c->names, w->name, NULL, 0)));
}

/* It ends the innermost, whatever its name. */
static int take_end(struct at_work *w)
{
    return kept(tk_ev_end(w->c, w->thread, w->time, TK_EV_NO_NAME));
}

static int take_complete(struct at_work *w)
{
    int64_t end;
    if (!tk_fx_time(w->t->provider, w->last, &end)) {
        tk_ev_note(w->c, TK_EV_NO_TIME, w->t->offset);
        return TK_FX_FINE;
    }
    if (end < w->time) {
        tk_ev_note(w->c, TK_EV_NEGATIVE_DURATION, w->t->offset);
        return TK_FX_FINE;
    }
    if (tell_text(w))
        return TK_FX_NO_MEMORY;
    return kept(tk_ev_whole(w->c, w->thread, w->time, end, tk_ev_timer(&w->c->names, w->name, NULL, 0)));
}

/* ---- instants, asynchronous work ---- */

static int take_instant(struct at_work *w)
{
    uint32_t thread = w->kind == INSTANT ? w->thread : TK_NO_THREAD;
    struct tk_ev_mark mark = {w->time, thread, w->name, w->category, 5, false};
    return kept(tk_ev_mark(w->c, &mark));
}

static int take_async(struct at_work *w)
{
    struct tk_ev_key key = {{w->koid, w->category, w->last}};
    struct tk_ev_region region = {w->time,     tk_ev_key_hash(&key), w->name,
                                  w->category, w->kind == ASYNC_END, false};
    return kept(tk_ev_region(w->c, &region));
}

static int take_flow(struct at_work *w)
{
    tk_ev_seen(w->c, w->time);
    return TK_FX_FINE;
}

static int take_record(struct at_work *w, uint64_t bytes)
{
    struct tk_fx_record r = {.kind = w->kind < EVENTS ? (enum tk_fx_kind)w->kind : TK_FX_OTHER_EVENT,
                             .number = w->kind,
                             .thread = w->thread,
                             .has_time = true,
                             .time = w->time,
                             .offset = w->t->offset,
                             .bytes = bytes,
                             .has_id = w->kind == COUNTER || w->kind > COMPLETE,
                             .id = w->last,
                             .name = tk_ev_name_text(&w->c->names, w->name),
                             .category = tk_ev_name_text(&w->c->names, w->category),
                             .args = tk_fx_args_text(w->t)};
    return kept(tk_fx_record_give(w->c, &r));
}

/* Is it empty, or a string of the table that is known? */
static inline bool is_known(const struct tk_fx_provider *p, uint64_t ref)
{
    return !ref || (ref < p->strings.n && p->strings.v[ref]);
}

/* The events that most traces consist of: a begin or an end whose strings and thread stand in the tables, and
 * nothing behind its time. 0: it is something else; nothing was done. */
static inline int take_plain(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    const struct tk_fx_provider *p = t->provider;
    const uint64_t kind = tk_fx_bits(header, 16, 4), ref = tk_fx_bits(header, 24, 8);
    const uint64_t name = header >> 48;
    struct at_work w;
    if ((kind != BEGIN && kind != END) || tk_fx_bits(header, 20, 4) || tk_cur_left(c) != 8 ||
        !p->threads[ref].known || !is_known(p, tk_fx_bits(header, 32, 16)) || !is_known(p, name) ||
        t->c->pass == TK_EV_RECORDS || !tk_fx_time(p, tk_fx_word(c->p), &w.time))
        return 0;
    w.thread = tk_fx_place(t, p->threads[ref].process, p->threads[ref].thread, &w.process);
    if (w.thread == UINT32_MAX)
        return TK_FX_NO_MEMORY;
    if (kind == END)
        return kept(tk_ev_end(t->c, w.thread, w.time, TK_EV_NO_NAME));
    w.name = tk_fx_string(t, c, name);
    return kept(tk_ev_begin(t->c, w.thread, w.time, tk_ev_timer(&t->c->names, w.name, NULL, 0)));
}

int tk_fx_event(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    const int plain = take_plain(t, c, header);
    if (plain)
        return plain;
    static int (*const takes[EVENTS])(struct at_work *) = {
        take_instant, take_counter, take_begin, take_end,  take_complete, take_async,
        take_instant, take_async,   take_flow,  take_flow, take_flow};
    struct at_work w = {.t = t, .c = t->c, .kind = (unsigned)tk_fx_bits(header, 16, 4)};
    uint64_t ticks = tk_fx_next(c), koid;
    tk_fx_thread(t, c, tk_fx_bits(header, 24, 8), &w.koid, &koid);
    w.category = tk_fx_string(t, c, tk_fx_bits(header, 32, 16));
    w.name = tk_fx_string(t, c, tk_fx_bits(header, 48, 16));
    tk_fx_args(t, c, (unsigned)tk_fx_bits(header, 20, 4));
    if (w.kind == COUNTER || (w.kind > END && w.kind < EVENTS))
        w.last = tk_fx_next(c);
    if (!tk_cur_ok(c))
        return TK_FX_SHORT;
    if (w.kind < EVENTS)
        tk_fx_ends(t, c);
    if (!tk_fx_time(t->provider, ticks, &w.time)) {
        tk_ev_note(t->c, TK_EV_NO_TIME, t->offset);
        return TK_FX_FINE;
    }
    w.thread = tk_fx_place(t, w.koid, koid, &w.process);
    if (w.thread == UINT32_MAX || t->c->names.failed)
        return TK_FX_NO_MEMORY;
    if (t->c->pass == TK_EV_RECORDS)
        return take_record(&w, (uint64_t)(c->end - c->base) + 8);
    tk_ev_seen(t->c, w.time);
    int rc = w.kind < EVENTS ? takes[w.kind](&w) : TK_FX_FINE;
    return t->c->names.failed ? TK_FX_NO_MEMORY : rc;
}

/* ---- scheduling ---- */

enum { MOST_CORES = 65536, OLD_SWITCH = 0, SWITCH = 1, WAKEUP = 2 };

/* The incoming thread runs from now on; what ran before is known. Koid 0 is idle. */
static int switch_to(struct tk_fx_trace *t, uint64_t core, int64_t time, uint64_t state, uint64_t incoming)
{
    static const uint8_t ends[] = {TK_RUN_END_READY,    TK_RUN_END_READY, TK_RUN_END_STOPPED,
                                   TK_RUN_END_SLEEPING, TK_RUN_END_DEAD,  TK_RUN_END_DEAD};
    const enum tk_run_end end = state < sizeof ends ? (enum tk_run_end)ends[state] : TK_RUN_END_OTHER;
    if (core >= MOST_CORES)
        return TK_FX_FINE;
    if (tk_vec_reach(&t->cores, (size_t)core + 1))
        return TK_FX_NO_MEMORY;
    struct tk_fx_core before = t->cores.v[core];
    t->cores.v[core] = (struct tk_fx_core){true, time, incoming};
    if (!before.running || !before.koid || time < before.since)
        return TK_FX_FINE;
    return kept(tk_ev_switch(t->c, before.koid, before.since, time, (uint32_t)core, end));
}

int tk_fx_scheduling_finish(struct tk_fx_trace *t)
{
    int rc = TK_FX_FINE;
    for (size_t core = 0; core < t->cores.n && rc == TK_FX_FINE; core++) {
        const struct tk_fx_core *c = &t->cores.v[core];
        if (c->running && c->koid)
            rc = kept(tk_ev_switch(t->c, c->koid, c->since, TK_EV_OPEN, (uint32_t)core, TK_RUN_END_RUNNING));
    }
    return rc;
}

int tk_fx_scheduling(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    const unsigned kind = (unsigned)(header >> 60);
    uint64_t core = kind == OLD_SWITCH ? tk_fx_bits(header, 16, 8) : tk_fx_bits(header, 20, 16);
    uint64_t ticks = tk_fx_next(c), process, thread = 0;
    int64_t time;
    if (kind == OLD_SWITCH) {
        tk_fx_thread(t, c, tk_fx_bits(header, 28, 8), &process, &thread);
        tk_fx_thread(t, c, tk_fx_bits(header, 36, 8), &process, &thread);
    } else if (kind == SWITCH || kind == WAKEUP) {
        thread = tk_fx_next(c);
        if (kind == SWITCH)
            thread = tk_fx_next(c);
        tk_fx_args(t, c, (unsigned)tk_fx_bits(header, 16, 4));
    }
    if (!tk_cur_ok(c))
        return TK_FX_SHORT;
    if (kind > WAKEUP)
        tk_ev_note(t->c, TK_EV_UNKNOWN_KIND, t->offset);
    if (!tk_fx_time(t->provider, ticks, &time)) {
        tk_ev_note(t->c, TK_EV_NO_TIME, t->offset);
        return TK_FX_FINE;
    }
    if (kind <= WAKEUP)
        tk_ev_seen(t->c, time);
    const uint64_t state = kind == OLD_SWITCH ? tk_fx_bits(header, 24, 4) : tk_fx_bits(header, 36, 4);
    if (kind == WAKEUP && thread && core < MOST_CORES)
        return kept(tk_ev_wake(t->c, thread, time, (uint32_t)core, true));
    return kind == OLD_SWITCH || kind == SWITCH ? switch_to(t, core, time, state, thread) : TK_FX_FINE;
}
