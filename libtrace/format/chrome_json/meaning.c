/*
 * What trace events mean.
 */
#include "base/text/text.h"
#include "format/chrome_json/chrome_json_in.h"

#include <stdlib.h>
#include <string.h>

/* An event on its way. */
struct at_work {
    struct tk_cj_meaning *m;
    struct tk_ev_capture *c;
    const struct tk_cj_event *e;
    uint64_t offset;
    int64_t time;
    enum tk_cj_phase phase;
};

static const struct tk_jscan_value *field(const struct at_work *w, enum tk_cj_field which)
{
    return &w->e->field[which];
}

static uint32_t name_of(struct at_work *w)
{
    return tk_cj_name(w->m, field(w, TK_CJ_NAME));
}

/* Exports of ours write categories where there are none. */
static uint32_t category_of(struct at_work *w)
{
    const struct tk_jscan_value *cat = field(w, TK_CJ_CAT);
    if (w->c->own_export && cat->kind == TK_JSON_STRING && tk_jscan_is(cat, "region", 6))
        return TK_EV_NO_NAME;
    return tk_cj_name(w->m, field(w, TK_CJ_CAT));
}

static int failed(const struct tk_ev_capture *c)
{
    return c->names.failed ? -1 : 0;
}

/* ---- scopes ---- */

/* "file:line", of Tracy; or members of their own, of Turborepo. */
static const struct tk_str *place_of(struct at_work *w, uint32_t *line)
{
    const struct tk_jscan_value *file = field(w, TK_CJ_FILE);
    struct tk_jscan_value loc = {.kind = TK_JSON_NONE};
    int64_t number = 0;
    if (file->kind == TK_JSON_STRING) {
        if (tk_jscan_integer(field(w, TK_CJ_LINE), &number) && number > 0 && number <= UINT32_MAX)
            *line = (uint32_t)number;
        return tk_ev_name_text(&w->c->names, tk_cj_name(w->m, file));
    }
    const struct tk_jscan_value *args = field(w, TK_CJ_ARGS);
    if (args->kind != TK_JSON_OBJECT || args->n < sizeof "{'loc':''}" - 1)
        return NULL;
    loc = tk_cj_first_loc(args);
    if (loc.kind != TK_JSON_STRING)
        return NULL;
    uint32_t whole = tk_cj_name(w->m, &loc);
    const struct tk_str *text = tk_ev_name_text(&w->c->names, whole);
    size_t n = text ? text->n : 0, digits = n;
    while (digits && text->p[digits - 1] >= '0' && text->p[digits - 1] <= '9')
        digits--;
    if (digits < 2 || digits == n || n - digits > 9 || text->p[digits - 1] != ':')
        return text;
    for (size_t i = digits; i < n; i++)
        *line = *line * 10 + (uint32_t)(text->p[i] - '0');
    return tk_ev_text(&w->c->names, text->p, digits - 1);
}

static uint32_t timer_of(struct at_work *w)
{
    uint32_t line = 0;
    const struct tk_str *file = place_of(w, &line);
    return tk_ev_timer(&w->c->names, name_of(w), file, line);
}

static int tell_text(struct at_work *w, uint32_t thread)
{
    uint8_t out[TK_CJ_ARGS_BYTES];
    size_t n = tk_cj_args_text(field(w, TK_CJ_ARGS), out);
    if (!n)
        return 0;
    return tk_ev_scope_text(w->c, thread, tk_ev_text(&w->c->names, out, n));
}

static int take_begin(struct at_work *w)
{
    uint32_t thread = tk_cj_thread(w->m, w->e);
    if (thread == UINT32_MAX || (w->c->pass == TK_EV_TEXTS && tell_text(w, thread)))
        return -1;
    return tk_ev_begin(w->c, thread, w->time, timer_of(w));
}

static int take_end(struct at_work *w)
{
    uint32_t thread = tk_cj_thread(w->m, w->e);
    return thread == UINT32_MAX ? -1 : tk_ev_end(w->c, thread, w->time, name_of(w));
}

/* Without a duration it did not end. */
static int take_open(struct at_work *w)
{
    const uint32_t thread = tk_cj_thread(w->m, w->e);
    if (thread == UINT32_MAX || (w->c->pass == TK_EV_TEXTS && tell_text(w, thread)))
        return -1;
    return tk_ev_open(w->c, thread, w->time, timer_of(w));
}

static int take_complete(struct at_work *w)
{
    const uint8_t kind = field(w, TK_CJ_DUR)->kind;
    int64_t dur;
    if (kind == TK_JSON_NONE || kind == TK_JSON_NULL)
        return take_open(w);
    if (!tk_jscan_time(field(w, TK_CJ_DUR), &dur)) {
        tk_ev_note(w->c, TK_EV_NO_DURATION, w->offset);
        return 0;
    }
    if (dur < 0) {
        tk_ev_note(w->c, TK_EV_NEGATIVE_DURATION, w->offset);
        return 0;
    }
    int64_t end = w->time;
    if (end < INT64_MAX - 1 - dur)
        end += dur;
    else {
        end = INT64_MAX - 1;
        tk_ev_note(w->c, TK_EV_TIME_CUT, w->offset);
    }
    uint32_t thread = tk_cj_thread(w->m, w->e);
    if (thread == UINT32_MAX || (w->c->pass == TK_EV_TEXTS && tell_text(w, thread)))
        return -1;
    return tk_ev_whole(w->c, thread, w->time, end, timer_of(w));
}

enum { MOST_CORES = 65536 };

/* The state of a thread, as Perfetto exports it: where it ran, a core is named. */
static int take_state(struct at_work *w)
{
    const struct tk_jscan_value *name = field(w, TK_CJ_NAME);
    const struct tk_jscan_value cpu = tk_cj_member(field(w, TK_CJ_ARGS), "cpu", 3);
    int64_t dur, core;
    if (name->kind != TK_JSON_STRING || !tk_jscan_is(name, "Running", 7))
        return 0;
    if (!tk_jscan_time(field(w, TK_CJ_DUR), &dur)) {
        tk_ev_note(w->c, TK_EV_NO_DURATION, w->offset);
        return 0;
    }
    if (dur < 0 || (w->time > 0 && dur > INT64_MAX - 1 - w->time)) {
        tk_ev_note(w->c, TK_EV_NEGATIVE_DURATION, w->offset);
        return 0;
    }
    if (!tk_jscan_integer(&cpu, &core) || core < 0 || core >= MOST_CORES)
        return 0; /* it ran, and nobody says where */
    const uint32_t thread = tk_cj_thread(w->m, w->e);
    if (thread == UINT32_MAX)
        return -1;
    const struct tk_ev_id *id = &w->c->threads.v[thread]->id;
    return id->text ? 0
                    : tk_ev_switch(w->c, (uint64_t)id->number, w->time, w->time + dur, (uint32_t)core,
                                   TK_RUN_END_UNKNOWN);
}

/* ---- instants, asynchronous work ---- */

static int take_instant(struct at_work *w)
{
    const struct tk_jscan_value *s = field(w, TK_CJ_S);
    bool wide = s->kind == TK_JSON_STRING && (tk_jscan_is(s, "g", 1) || tk_jscan_is(s, "p", 1));
    uint32_t thread = tk_cj_thread(w->m, w->e);
    struct tk_ev_mark mark = {w->time, thread, name_of(w), category_of(w), 5, wide || w->phase == TK_CJ_MARK};
    if (w->c->own_export) {
        const struct tk_jscan_value *cat = field(w, TK_CJ_CAT);
        mark.bookmark = cat->kind == TK_JSON_STRING && tk_jscan_is(cat, "mark", 4);
    }
    return thread == UINT32_MAX ? -1 : tk_ev_mark(w->c, &mark);
}

static int take_async(struct at_work *w)
{
    bool old = w->phase >= TK_CJ_ASYNC_START && w->phase <= TK_CJ_ASYNC_PAST, without;
    struct tk_ev_key key;
    if (tk_cj_async_key(w->m, w->e, old, &key, &without))
        return -1;
    if (without) {
        tk_ev_note(w->c, TK_EV_ASYNC_WITHOUT_ID, w->offset);
        return 0;
    }
    if (w->phase == TK_CJ_ASYNC_INSTANT || w->phase == TK_CJ_ASYNC_INTO || w->phase == TK_CJ_ASYNC_PAST) {
        struct tk_ev_mark mark = {w->time, TK_NO_THREAD, name_of(w), category_of(w), 5, false};
        return tk_ev_mark(w->c, &mark);
    }
    bool ends = w->phase == TK_CJ_ASYNC_END || w->phase == TK_CJ_ASYNC_FINISH;
    struct tk_ev_region region = {w->time, tk_ev_key_hash(&key), name_of(w), category_of(w), ends, false};
    return tk_ev_region(w->c, &region);
}

/* ---- counters ---- */

/* A text or number without escapes; how many bytes. */
static size_t put_plain(uint8_t *out, const struct tk_jscan_value *v)
{
    if (v->kind == TK_JSON_STRING && v->escaped)
        return tk_jscan_unescape(v, out);
    memcpy(out, v->p, v->n);
    return v->n;
}

/* NAME, NAME[id] */
static int counter_base(struct at_work *w)
{
    struct tk_cj_meaning *m = w->m;
    const struct tk_jscan_value *id = field(w, TK_CJ_ID);
    const struct tk_str *name = tk_ev_name_text(&w->c->names, name_of(w));
    bool has_id = id->kind == TK_JSON_STRING || id->kind == TK_JSON_NUMBER;
    m->text.n = 0;
    if (tk_vec_reserve(&m->text, (name ? name->n : 0) + (has_id ? id->n : 0) + 2))
        return -1;
    if (name && name->n)
        memcpy(m->text.v, name->p, name->n);
    m->text.n = name ? name->n : 0;
    if (has_id) {
        m->text.v[m->text.n++] = '[';
        m->text.n += put_plain(m->text.v + m->text.n, id);
        m->text.v[m->text.n++] = ']';
    }
    return 0;
}

/* The counter of a series; the base stands in m->text, of `base` bytes. */
static uint32_t counter_of(struct at_work *w, uint32_t process, const struct tk_jscan_value *series,
                           size_t base)
{
    struct tk_cj_meaning *m = w->m;
    size_t n = base;
    if (series->n && !tk_jscan_is(series, "value", 5)) {
        if (tk_vec_reserve(&m->text, base + series->n + 1))
            return UINT32_MAX;
        m->text.v[n++] = ' ';
        n += put_plain(m->text.v + n, series);
    }
    const uint32_t name = tk_ev_name_clean(&w->c->names, m->text.v, n);
    return name == TK_EV_NO_NAME ? UINT32_MAX : tk_ev_counter(w->c, process, name, 0);
}

static int take_counter(struct at_work *w)
{
    const struct tk_jscan_value *args = field(w, TK_CJ_ARGS);
    struct tk_jscan_scan s = {.p = NULL};
    struct tk_jscan_value key, value;
    struct tk_number number;
    bool more = false, any = false;
    uint32_t process = 0;
    if (args->kind == TK_JSON_OBJECT) {
        s.p = args->p + 1;
        s.end = args->p + args->n;
        process = tk_cj_process(w->m, w->e);
        if (process == UINT32_MAX || counter_base(w))
            return -1;
    }
    const size_t base = w->m->text.n;
    while (args->kind == TK_JSON_OBJECT && tk_jscan_member(&s, &key, &more) == TK_JSON_OK && more &&
           tk_jscan_value(&s, &value) == TK_JSON_OK) {
        any = true;
        if (!tk_jscan_measure(&value, &number)) {
            tk_ev_note(w->c, TK_EV_NO_NUMBER, w->offset);
            continue;
        }
        uint32_t counter = counter_of(w, process, &key, base);
        if (counter == UINT32_MAX || tk_ev_value(w->c, counter, w->time, number))
            return -1;
    }
    if (!any)
        tk_ev_note(w->c, TK_EV_NO_VALUE, w->offset);
    return 0;
}

/* ---- metadata ---- */

static int take_metadata(struct at_work *w)
{
    const struct tk_jscan_value *name = field(w, TK_CJ_NAME), *args = field(w, TK_CJ_ARGS);
    if (w->c->pass != TK_EV_GATHER || name->kind != TK_JSON_STRING)
        return 0;
    return tk_cj_metadata(w->m, w->e, name, args);
}

/* ---- records ---- */

static struct tk_cell text_cell(struct tk_ev_capture *c, const struct tk_jscan_value *v)
{
    const struct tk_str *s;
    if (v->kind == TK_JSON_NONE || v->n > UINT32_MAX / 4)
        return (struct tk_cell){.kind = TK_NONE};
    uint8_t *copy = tk_arena_bytes(&c->cells, v->n + 1);
    struct tk_cell cell = {.kind = TK_TEXT, .enc = TK_ENC_UTF8, .v.p = (const char *)copy};
    if (!copy)
        return (struct tk_cell){.kind = TK_NONE};
    if (v->kind == TK_JSON_STRING && v->escaped)
        cell.n = (uint32_t)tk_jscan_unescape(v, copy);
    else {
        memcpy(copy, v->p, v->n);
        cell.n = (uint32_t)v->n;
    }
    if (tk_utf8_valid(copy, cell.n) || !(s = tk_ev_text(&c->names, copy, cell.n)))
        return cell;
    cell.v.p = s->p;
    cell.n = s->n;
    return cell;
}

static int take_record(struct at_work *w, bool has_time)
{
    static const uint8_t from[TK_CJ_CELLS] = {
        [TK_CJ_AT_NAME] = TK_CJ_NAME,  [TK_CJ_AT_CATEGORY] = TK_CJ_CAT, [TK_CJ_AT_PROCESS] = TK_CJ_PID,
        [TK_CJ_AT_THREAD] = TK_CJ_TID, [TK_CJ_AT_DURATION] = TK_CJ_DUR, [TK_CJ_AT_ID] = TK_CJ_ID,
        [TK_CJ_AT_ARGS] = TK_CJ_ARGS,
    };
    struct tk_cell *cells = tk_arena_alloc(&w->c->cells, TK_CJ_CELLS * sizeof *cells);
    int64_t dur;
    if (!cells)
        return -1;
    for (unsigned i = 0; i < TK_CJ_CELLS; i++)
        cells[i] = text_cell(w->c, field(w, (enum tk_cj_field)from[i]));
    if (tk_jscan_time(field(w, TK_CJ_DUR), &dur) && dur >= 0)
        cells[TK_CJ_AT_DURATION] = (struct tk_cell){.kind = TK_DURATION, .v.i = dur};
    uint32_t thread = w->phase <= TK_CJ_MARK ? tk_cj_thread(w->m, w->e) : TK_NO_THREAD;
    return tk_ev_record(w->c, &w->c->decoder->types[w->phase], thread, has_time, w->time, w->offset, cells);
}

/* ---- all ---- */

static int take_profile(struct at_work *w)
{
    return tk_cj_profile_event(w->m, w->e, w->time);
}

typedef int take_fn(struct at_work *w);

static take_fn *const takes[TK_CJ_PHASE_COUNT] = {
    [TK_CJ_BEGIN] = take_begin,         [TK_CJ_END] = take_end,
    [TK_CJ_COMPLETE] = take_complete,   [TK_CJ_INSTANT] = take_instant,
    [TK_CJ_INSTANT_OLD] = take_instant, [TK_CJ_MARK] = take_instant,
    [TK_CJ_ASYNC_BEGIN] = take_async,   [TK_CJ_ASYNC_END] = take_async,
    [TK_CJ_ASYNC_INSTANT] = take_async, [TK_CJ_ASYNC_START] = take_async,
    [TK_CJ_ASYNC_FINISH] = take_async,  [TK_CJ_ASYNC_INTO] = take_async,
    [TK_CJ_ASYNC_PAST] = take_async,    [TK_CJ_COUNTER] = take_counter,
    [TK_CJ_THREAD_STATE] = take_state,  [TK_CJ_SAMPLE] = take_profile,
};

/* The first letter counts, also where it is escaped. */
static uint8_t letter_of(struct tk_cj_meaning *m, const struct tk_jscan_value *ph)
{
    if (ph->kind != TK_JSON_STRING || !ph->n)
        return 0;
    if (!ph->escaped)
        return ph->p[0];
    if (tk_vec_reserve(&m->text, ph->n))
        return 0;
    return tk_jscan_unescape(ph, m->text.v) ? m->text.v[0] : 0;
}

int tk_cj_meaning_take(struct tk_cj_meaning *m, const struct tk_cj_event *e, uint64_t offset, uint64_t bytes)
{
    uint8_t letter = letter_of(m, &e->field[TK_CJ_PH]);
    m->c->offset = offset;
    struct at_work w = {.m = m, .c = m->c, .e = e, .offset = offset, .phase = tk_cj_phase_of(letter)};
    if (!letter) {
        if (!e->empty)
            tk_ev_note(m->c, TK_EV_NO_PHASE, offset);
        return 0;
    }
    if (w.phase == TK_CJ_ASYNC_INTO && e->field[TK_CJ_DUR].kind != TK_JSON_NONE)
        w.phase = TK_CJ_THREAD_STATE; /* as Perfetto writes it */
    if (m->c->pass == TK_EV_GATHER)
        tk_ev_count(m->c, w.phase, bytes);
    bool has_time = tk_jscan_time(&e->field[TK_CJ_TS], &w.time) && w.time > INT64_MIN + 1;
    if (m->c->pass == TK_EV_RECORDS)
        return take_record(&w, has_time && w.phase != TK_CJ_METADATA);
    if (w.phase == TK_CJ_METADATA)
        return take_metadata(&w) || failed(m->c) ? -1 : 0;
    if (!has_time) {
        tk_ev_note(m->c, TK_EV_NO_TIME, offset);
        return 0;
    }
    if (w.phase == TK_CJ_OTHER)
        tk_ev_note(m->c, TK_EV_UNKNOWN_KIND, offset);
    tk_ev_seen(m->c, w.time);
    return takes[w.phase] ? (takes[w.phase](&w) || failed(m->c) ? -1 : 0) : 0;
}

int tk_cj_meaning_open(struct tk_cj_meaning *m, struct tk_ev_capture *c, struct tk_err *err)
{
    *m = (struct tk_cj_meaning){.c = c, .known = calloc(TK_CJ_THREADS, sizeof *m->known)};
    return m->known ? TK_OK : tk_err_nomem(err, "threads of the capture");
}

void tk_cj_meaning_close(struct tk_cj_meaning *m)
{
    free(m->known);
    tk_vec_release(&m->text);
    tk_cj_profiles_close(m);
}
