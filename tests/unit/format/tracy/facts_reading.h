/*
 * A capture read into zones, and into lines of messages, of zones of the GPU and of plots. Zones and messages
 * come from facts of their own, the rest from records.
 */
#ifndef TK_TESTS_UNIT_TRACY_FACTS_READING_H
#define TK_TESTS_UNIT_TRACY_FACTS_READING_H

#include "lines.h"
#include "opened.h"

#include <inttypes.h>

#define NO_ZONE SIZE_MAX

struct zone {
    uint32_t timer, thread;
    int64_t start, end; /* end -1: none */
    size_t parent;
    struct tk_str text; /* lives as long as the capture; empty: none */
};

struct timer {
    const struct tk_str *name, *file;
    uint32_t line;
};

/* What is read of a capture; zero-initialise to begin. */
struct reading {
    struct opened o;
    TK_VEC(struct zone) zones; /* in the order of their begins */
    TK_VEC(struct timer) timers;
    TK_VEC(size_t) stack; /* open zones of `thread` */
    uint32_t thread;
    int64_t last_time;
    unsigned minor; /* of the version */
    struct lines messages, gpu, plots;
    TK_VEC(struct zone) gpu_stack; /* timer unused; text is the name */
    TK_VEC(struct tk_str) gpu_files;
};

/* ---- zones ---- */

static inline void see_thread(struct reading *r, uint32_t thread)
{
    if (thread != r->thread)
        r->stack.n = 0;
    r->thread = thread;
}

static inline void begin_zone(struct reading *r, uint32_t timer, int64_t time)
{
    struct zone z = {.timer = timer, .thread = r->thread, .start = time, .end = -1};
    z.parent = r->stack.n ? r->stack.v[r->stack.n - 1] : NO_ZONE;
    must(tk_vec_push(&r->stack, r->zones.n) == 0);
    must(tk_vec_push(&r->zones, z) == 0);
}

static inline void end_zone(struct reading *r, int64_t time)
{
    must(r->stack.n > 0);
    r->zones.v[r->stack.v[--r->stack.n]].end = time;
}

static inline void see_run(struct reading *r, const struct tk_scope_run *run)
{
    see_thread(r, run->thread);
    for (size_t i = 0; i < run->n; i++) {
        if (run->op[i] == TK_OP_END)
            end_zone(r, run->time[i]);
        else
            begin_zone(r, run->op[i], run->time[i]);
    }
}

static inline void see_timer(struct reading *r, const struct tk_fact_timer *t)
{
    must(t->kind == TK_TIMER_ZONE);
    while (r->timers.n <= t->id)
        must(tk_vec_push(&r->timers, ((struct timer){0})) == 0);
    r->timers.v[t->id] = (struct timer){t->name, t->file, t->line};
}

/* ---- the other facts ---- */

static inline void see_session(struct reading *r, const struct tk_fact_session *s)
{
    if (is_text(s->key, "LastTime"))
        r->last_time = s->value.v.i;
    if (is_text(s->key, "TracyVersion"))
        r->minor = (unsigned)strtoul((const char *)s->value.v.p + 2, NULL, 10);
}

static inline void see_fact(struct reading *r, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_TIMER)
        see_timer(r, &fact->u.timer);
    if (fact->kind == TK_FACT_SESSION)
        see_session(r, &fact->u.session);
    if (fact->kind == TK_FACT_LOG) {
        lines_put(&r->messages, fact->u.log.text.p, fact->u.log.text.n);
        lines_printf(&r->messages, ",%" PRId64 "\n", fact->time);
    }
}

static inline struct tk_cell cell_of(const struct tk_fact *fact, const char *name)
{
    const struct tk_record *rec = &fact->u.record.rec;
    struct tk_cell cell = {.kind = TK_NONE};
    uint32_t i = 0;
    while (i < rec->type->n_fields && !is_text(&rec->type->fields[i], name))
        i++;
    must(i < rec->type->n_fields);
    rec->type->value(rec, i, &cell);
    return cell;
}

static inline struct tk_str text_of(const struct tk_fact *fact, const char *name)
{
    struct tk_cell cell = cell_of(fact, name);
    return cell.kind == TK_TEXT ? (struct tk_str){cell.v.p, cell.n, cell.enc} : (struct tk_str){"", 0, 0};
}

static inline struct tk_str or_missing(struct tk_str s)
{
    return s.n ? s : (struct tk_str){"???", 3, TK_ENC_UTF8};
}

static inline void gpu_begin(struct reading *r, const struct tk_fact *fact)
{
    struct tk_cell start = cell_of(fact, "GpuStart");
    struct zone z = {.text = or_missing(text_of(fact, "Name")),
                     .start = start.kind == TK_NONE ? -1 : start.v.i};
    must(tk_vec_push(&r->gpu_stack, z) == 0);
    must(tk_vec_push(&r->gpu_files, or_missing(text_of(fact, "File"))) == 0);
}

static inline void gpu_end(struct reading *r, const struct tk_fact *fact)
{
    struct tk_cell end = cell_of(fact, "GpuEnd");
    must(r->gpu_stack.n > 0);
    const struct zone *z = &r->gpu_stack.v[--r->gpu_stack.n];
    struct tk_str file = r->gpu_files.v[--r->gpu_files.n];
    if (end.kind == TK_NONE || end.v.i <= z->start)
        return;
    lines_put(&r->gpu, z->text.p, z->text.n);
    lines_put(&r->gpu, ",", 1);
    lines_put(&r->gpu, file.p, file.n);
    lines_printf(&r->gpu, ",%" PRId64 ",%" PRId64 "\n", z->start, end.v.i - z->start);
}

static inline void plot_point(struct reading *r, const struct tk_fact *fact)
{
    struct tk_str name = or_missing(text_of(fact, "Name"));
    lines_put(&r->plots, name.p, name.n);
    lines_printf(&r->plots, ",,,%" PRId64 ",,,%f\n", fact->time, cell_of(fact, "Value").v.r);
}

static inline void zone_begin(struct reading *r, const struct tk_fact *fact)
{
    see_thread(r, fact->thread);
    begin_zone(r, 0, fact->time);
    r->zones.v[r->zones.n - 1].text = text_of(fact, "Text");
}

static inline void zone_end(struct reading *r, const struct tk_fact *fact)
{
    see_thread(r, fact->thread);
    must(cell_of(fact, "Depth").v.u == r->stack.n - 1);
    end_zone(r, fact->time);
}

static const struct {
    const char *name;
    void (*see)(struct reading *r, const struct tk_fact *fact);
} records[] = {
    {"Tracy.GpuZoneBegin", gpu_begin}, {"Tracy.GpuZoneEnd", gpu_end}, {"Tracy.PlotPoint", plot_point},
    {"Tracy.ZoneBegin", zone_begin},   {"Tracy.ZoneEnd", zone_end},
};

static inline void see_record(struct reading *r, const struct tk_fact *fact)
{
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (strcmp(fact->u.record.rec.type->name, records[i].name) == 0)
            records[i].see(r, fact);
}

/* Reads the facts and runs of a mask anew into zones, timers and lines. */
static inline void read_all(struct reading *r, uint64_t facts)
{
    struct tk_batch batch;
    r->zones.n = r->stack.n = 0;
    r->thread = TK_NO_THREAD;
    opened_read(&r->o, facts);
    while (opened_next(&r->o, &batch)) {
        for (size_t i = 0; i < batch.n_facts; i++) {
            see_fact(r, &batch.facts[i]);
            if (batch.facts[i].kind == TK_FACT_RECORD)
                see_record(r, &batch.facts[i]);
        }
        for (size_t i = 0; i < batch.n_runs; i++)
            see_run(r, &batch.runs[i]);
    }
}

#endif
