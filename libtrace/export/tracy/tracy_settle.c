/*
 * Settles the events of a .tracy when all is read: names threads, and spreads samples and times on cores over
 * them.
 */
#include "base/err.h"
#include "export/tracy/tracy_events.h"
#include "format/tracy/file/version.h"
#include "model/samples/sample_record.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_threads(const void *a, const void *b)
{
    const struct tk_ts_thread *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* All that are selected, in the order of their numbers, which a .tracy shows. */
static int name_threads(struct tk_ts_events *e)
{
    const struct tk_dict *dict = e->view->dict;
    for (size_t i = 0; i < dict->threads.n; i++)
        if (tk_select_thread(e->view->select, dict, dict->threads.v[i].id) &&
            tk_ts_note_thread(e, dict->threads.v[i].id))
            return -1;
    if (e->threads.n)
        qsort(e->threads.v, e->threads.n, sizeof *e->threads.v, compare_threads);
    for (size_t i = 0; i < e->threads.n; i++) {
        struct tk_ts_thread *t = &e->threads.v[i];
        const struct tk_thread *known = tk_dict_thread(e->view->dict, t->number);
        if (!known)
            return -1;
        t->system_id = known->info.has_system ? known->info.system_id : t->number;
        t->name = tk_intern(&e->texts, known->displayed->p, known->displayed->n,
                            (enum tk_encoding)known->displayed->enc);
        if (!t->name)
            return -1;
    }
    return 0;
}

static int name_systems(struct tk_ts_events *e)
{
    tk_system_threads_resolve(&e->found, e->view->dict);
    for (size_t i = 0; i < e->found.v.n; i++) {
        const struct tk_system_thread *t = &e->found.v.v[i];
        const struct tk_str *name = tk_system_thread_name(t, e->view->dict);
        struct tk_ts_system s = {.system_id = t->system_id,
                                 .process_id = t->process_id,
                                 .has_process = t->has_process,
                                 .thread = t->thread,
                                 .selected = tk_system_thread_selected(t, e->view)};
        if (name && !(s.name = tk_intern(&e->texts, name->p, name->n, (enum tk_encoding)name->enc)))
            return -1;
        s.number = s.selected ? e->n_selected++ : UINT32_MAX;
        if (tk_vec_push(&e->systems, s))
            return -1;
    }
    for (size_t i = 0; i < e->systems.n; i++) {
        tk_spill_column_begin(&e->systems.v[i].samples, e->columns, sizeof(struct tk_ts_sample));
        tk_spill_column_begin(&e->systems.v[i].runs, e->columns, sizeof(struct tk_ts_run));
    }
    return 0;
}

static int spread_samples(struct tk_ts_events *e, struct tk_err *err)
{
    const void *record;
    int rc = tk_external_sort_start(e->samples, err);
    while (rc == TK_OK && (rc = tk_external_sort_next(e->samples, &record, err)) == TK_ITEM) {
        struct tk_ts_sample sample;
        memcpy(&sample, record, sizeof sample);
        struct tk_ts_system *s = &e->systems.v[sample.thread];
        struct tk_ts_sample *to = s->selected ? tk_spill_column_add(&s->samples) : NULL;
        if (s->selected && !to)
            return tk_spill_columns_error(e->columns, err);
        if (to)
            *to = sample;
        rc = TK_OK;
    }
    return rc;
}

static int spread_runs(struct tk_ts_events *e, struct tk_err *err)
{
    const void *record;
    int rc = tk_external_sort_start(e->runs, err);
    while (rc == TK_OK && (rc = tk_external_sort_next(e->runs, &record, err)) == TK_ITEM) {
        struct tk_ts_run run, *to;
        memcpy(&run, record, sizeof run);
        struct tk_ts_system *s = &e->systems.v[run.thread];
        run.thread = s->number;
        struct tk_spill_column *both[] = {&s->runs, run.core < TK_TS_CORES ? &e->cores[run.core] : NULL};
        for (unsigned i = 0; i < 2 && s->selected; i++) {
            if (both[i] && !(to = tk_spill_column_add(both[i])))
                return tk_spill_columns_error(e->columns, err);
            if (both[i])
                *to = run;
        }
        rc = TK_OK;
    }
    return rc;
}

static const struct tk_cell *session_value(const struct tk_dict *dict, const char *key)
{
    for (size_t i = 0; i < dict->session.n; i++) {
        const struct tk_str *name = dict->session.v[i].key;
        if (name->n == strlen(key) && memcmp(name->p, key, name->n) == 0)
            return &dict->session.v[i].value;
    }
    return NULL;
}

/* A part of a version, which has one byte in a file; behind all but the first is a full stop. */
static bool take_part(const char **p, bool first, unsigned *part)
{
    char *end;
    if (!first && *(*p)++ != '.')
        return false;
    const unsigned long v = **p >= '0' && **p <= '9' ? strtoul(*p, &end, 10) : ULONG_MAX;
    if (v > UINT8_MAX)
        return false;
    *part = (unsigned)v;
    *p = end;
    return true;
}

/* Where it comes from a .tracy: its version, such as "0.14.1", and how long it is. */
static void take_session(struct tk_ts_events *e)
{
    const struct tk_cell *version = session_value(e->view->dict, "TracyVersion");
    const struct tk_cell *last = session_value(e->view->dict, "LastTime");
    char text[16];
    unsigned v[3] = {0};
    if (!version || version->kind != TK_TEXT)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(version->n < 15 ? version->n : 15), (const char *)version->v.p);
    const char *at = text;
    if (take_part(&at, true, &v[0]) && take_part(&at, false, &v[1]) && take_part(&at, false, &v[2]))
        e->version = TK_TRACY_V(v[0], v[1], v[2]);
    if (last && (last->kind == TK_INT || last->kind == TK_TIME || last->kind == TK_DURATION) &&
        e->view->select->all_time) {
        e->last_time = last->v.i;
        e->whole = true;
    }
}

int tk_ts_events_settle(struct tk_ts_events *e, struct tk_err *err)
{
    take_session(e);
    e->period = tk_sample_period(e->view->dict);
    if (tk_ts_play_held(e, 0) || name_threads(e) || name_systems(e) || tk_ts_code_settle(e))
        return tk_err_nomem(err, "the events of an export");
    int rc = spread_samples(e, err);
    if (rc == TK_OK)
        rc = spread_runs(e, err);
    if (rc == TK_OK)
        rc = tk_ts_locks_settle(&e->locks, e->columns, err);
    return rc == TK_OK ? tk_spill_columns_seal(e->columns, err) : rc;
}
