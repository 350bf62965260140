/*
 * Facts of a reading as text, a line each, for comparing with what a description says.
 */
#ifndef TK_TESTS_UNIT_TRACY_DUMP_H
#define TK_TESTS_UNIT_TRACY_DUMP_H

#include "base/cursor.h"
#include "lines.h"
#include "opened.h"

#include <inttypes.h>

static inline void dump_str(struct lines *l, const struct tk_str *s)
{
    if (s)
        lines_put(l, s->p, s->n);
    else
        lines_printf(l, "-");
}

/* Of 8 bytes each. */
static inline void dump_array(struct lines *l, const struct tk_cell *c)
{
    const uint8_t *p = c->v.p;
    lines_printf(l, "[");
    for (uint32_t i = 0; i < c->n; i++)
        lines_printf(l, i ? " %" PRIx64 : "%" PRIx64, tk_load64(p + 8 * (size_t)i));
    lines_printf(l, "]");
}

static inline void dump_cell(struct lines *l, const struct tk_cell *c)
{
    struct tk_str s = {c->v.p, c->n, c->enc};
    if (c->kind == TK_ARRAY)
        dump_array(l, c);
    else if (c->kind == TK_NONE)
        lines_printf(l, "-");
    else if (c->kind == TK_TEXT)
        dump_str(l, &s);
    else if (c->kind == TK_INT)
        lines_printf(l, "%" PRId64, c->v.i);
    else if (c->kind == TK_HEX)
        lines_printf(l, "%" PRIx64, c->v.u);
    else if (c->kind == TK_REAL || c->kind == TK_REAL32)
        lines_printf(l, "%g", c->v.r);
    else if (c->kind == TK_BOOL)
        lines_printf(l, c->v.u ? "yes" : "no");
    else
        lines_printf(l, "%" PRIu64, c->v.u);
}

static inline void dump_thread(struct lines *l, uint32_t thread)
{
    if (thread == TK_NO_THREAD)
        lines_printf(l, " -");
    else
        lines_printf(l, " %" PRIu32, thread);
}

static inline void dump_record(struct lines *l, const struct tk_fact *fact)
{
    const struct tk_record *rec = &fact->u.record.rec;
    lines_printf(l, "%s", rec->type->name);
    if (fact->u.record.has_time)
        lines_printf(l, " @%" PRId64, fact->time);
    dump_thread(l, fact->thread);
    for (uint32_t i = 0; i < rec->type->n_fields; i++) {
        struct tk_cell cell;
        rec->type->value(rec, i, &cell);
        lines_printf(l, " | ");
        dump_cell(l, &cell);
    }
    lines_printf(l, "\n");
}

static inline void dump_definition(struct lines *l, const struct tk_fact *fact)
{
    const struct tk_fact_thread *thread = &fact->u.thread_info;
    const struct tk_fact_timer *timer = &fact->u.timer;
    if (fact->kind == TK_FACT_CLOCK)
        lines_printf(l, "clock %" PRIu64 " %" PRIu64 " %.0f\n", fact->u.clock.start, fact->u.clock.frequency,
                     fact->u.clock.epoch);
    if (fact->kind == TK_FACT_SESSION) {
        dump_str(l, fact->u.session.key);
        lines_printf(l, " = ");
        dump_cell(l, &fact->u.session.value);
        lines_printf(l, "\n");
    }
    if (fact->kind == TK_FACT_THREAD) {
        lines_printf(l, "thread %" PRIu32 " ", fact->thread);
        dump_str(l, thread->name);
        lines_printf(l, " | ");
        dump_str(l, thread->group);
        lines_printf(l, " | %s %s %" PRIu64 "\n", thread->named ? "named" : "-",
                     thread->has_system ? "system" : "-", thread->system_id);
    }
    if (fact->kind == TK_FACT_TIMER) {
        lines_printf(l, "timer %" PRIu32 " %u ", timer->id, timer->kind);
        dump_str(l, timer->name);
        lines_printf(l, " | ");
        dump_str(l, timer->file);
        lines_printf(l, " | %" PRIu32 "\n", timer->line);
    }
}

static inline void dump_event(struct lines *l, const struct tk_fact *fact)
{
    const struct tk_fact_frame *frame = &fact->u.frame;
    const struct tk_fact_log *log = &fact->u.log;
    if (fact->kind == TK_FACT_FRAME) {
        lines_printf(l, "frame %" PRIu32 " %s %" PRId64 " ", frame->type, frame->begin ? "begins" : "ends",
                     fact->time);
        dump_str(l, frame->type_name);
        lines_printf(l, "\n");
    }
    if (fact->kind == TK_FACT_LOG) {
        lines_printf(l, "log @%" PRId64, fact->time);
        dump_thread(l, fact->thread);
        lines_printf(l, " %u ", log->verbosity);
        dump_str(l, log->category);
        lines_printf(l, " ");
        dump_str(l, &log->text);
        lines_printf(l, "\n");
    }
    if (fact->kind == TK_FACT_RECORD)
        dump_record(l, fact);
    if (fact->kind == TK_FACT_RECORD_COUNT)
        lines_printf(l, "%s %" PRIu64 " %" PRIu64 "\n", fact->u.record_count.type->name,
                     fact->u.record_count.count, fact->u.record_count.bytes);
    if (fact->kind == TK_FACT_STREAM)
        lines_printf(l, "stream %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", fact->thread, fact->u.stream.unpacked,
                     fact->u.stream.events);
}

static inline void dump_run(struct lines *l, const struct tk_scope_run *run)
{
    for (size_t i = 0; i < run->n; i++) {
        lines_printf(l, "lane %" PRIu32 " thread %" PRIu32 " @%" PRId64, run->lane, run->thread,
                     run->time[i]);
        if (run->op[i] == TK_OP_END)
            lines_printf(l, " ends\n");
        else if (run->op[i] == TK_OP_LOSE)
            lines_printf(l, " is lost\n");
        else
            lines_printf(l, " begins %" PRIu32 "\n", run->op[i]);
    }
}

enum dumped { DUMP_DEFINITIONS = 1, DUMP_EVENTS = 2 };

/* Reads what is requested and appends it; definitions in the order of their first batch, events as they come.
 */
static inline void dump_reading(struct lines *l, struct opened *o, uint64_t facts, unsigned what)
{
    struct tk_batch batch;
    opened_read(o, facts);
    while (opened_next(o, &batch)) {
        for (size_t i = 0; i < batch.n_facts; i++) {
            if (what & DUMP_DEFINITIONS)
                dump_definition(l, &batch.facts[i]);
            if (what & DUMP_EVENTS)
                dump_event(l, &batch.facts[i]);
        }
        for (size_t i = 0; i < batch.n_runs && what & DUMP_EVENTS; i++)
            dump_run(l, &batch.runs[i]);
    }
}

/* Is the text just this? Both are forgotten. */
static inline void dump_compare(struct lines *l, const char *want, const char *what)
{
    lines_put(l, "", 1);
    size_t at = 0;
    while (want[at] && want[at] == l->text.v[at])
        at++;
    if (want[at] != l->text.v[at]) {
        while (at && want[at - 1] != '\n')
            at--;
        ck_abort_msg("%s, from byte %zu on:\n%.400s\n--- want:\n%.400s", what, at, l->text.v + at, want + at);
    }
    lines_release(l);
    *l = (struct lines){0};
}

#endif
