/*
 * The sums of summarize.h: scopes of threads that ended, by name; counters of the program; bookmarks by text.
 *
 * Bookmarks `X` and then `XComplete` make a scope "Generated Scope for X". Scopes that load modules add to
 * rows about their exclusive time: without the modules that load meanwhile.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/wrap.h"
#include "engine/run.h"
#include "presets/presets_in.h"
#include "query/tables.h"

#include <stdio.h>
#include <string.h>

enum { LARGEST = 10, MOST_NAME = 4096 };

static const char module_prefix[] = "LoadModule", complete[] = "Complete";

/* Open calls of a track that load modules, outermost first: time that modules inside took. */
struct tk_open_modules {
    TK_STACK(int64_t) inside;
};

static int no_memory_summarize_read(struct tk_err *err)
{
    return tk_err_nomem(err, "a summary");
}

/* A text made of two, kept. NULL without memory. */
static const struct tk_str *join_summarize_read(struct tk_summarize *s, const char *head,
                                                const struct tk_str *name, const char *tail)
{
    char text[MOST_NAME];
    int n =
        snprintf(text, sizeof text, "%s%.*s%s", head, (int)(name->n < 2048 ? name->n : 2048), name->p, tail);
    return tk_intern(&s->texts, text, n > 0 ? (size_t)n : 0, (enum tk_encoding)name->enc);
}

/* ---- scopes ---- */

static const struct tk_str *name_of_summarize_read(struct tk_summarize *s, uint32_t timer)
{
    const struct tk_dict *dict = s->calls.view->dict;
    if (tk_vec_reserve(&s->names, (size_t)timer + 1))
        return NULL;
    while (s->names.n <= timer)
        s->names.v[s->names.n++] = NULL;
    if (!s->names.v[timer] && timer < dict->timers.n) {
        const struct tk_str *displayed = dict->timers.v[timer].displayed;
        s->names.v[timer] =
            tk_intern(&s->texts, displayed->p, displayed->n, (enum tk_encoding)displayed->enc);
    }
    return s->names.v[timer];
}

static bool loads_module(const struct tk_str *name)
{
    const size_t n = sizeof module_prefix - 1;
    return name->n >= n && memcmp(name->p, module_prefix, n) == 0;
}

static int take_track_summarize_read(void *self, struct tk_call_track *track, struct tk_err *err)
{
    struct tk_summarize *s = self;
    struct tk_open_modules *made = calloc(1, sizeof *made);
    if (!made || tk_vec_push(&s->open, made)) {
        free(made);
        return no_memory_summarize_read(err);
    }
    track->wanted = !track->gpu;
    return TK_OK;
}

static int take_begin(void *self, const struct tk_call *call, struct tk_err *err)
{
    struct tk_summarize *s = self;
    const struct tk_str *name = name_of_summarize_read(s, call->timer);
    if (!name)
        return no_memory_summarize_read(err);
    if (loads_module(name) && tk_stack_push(&s->open.v[call->track]->inside, (int64_t)0))
        return no_memory_summarize_read(err);
    return TK_OK;
}

static int take_module(struct tk_summarize *s, const struct tk_call *call, const struct tk_str *name,
                       struct tk_summand one)
{
    struct tk_open_modules *open = s->open.v[call->track];
    const int64_t *inside = tk_stack_pop(&open->inside), whole = one.length;
    int64_t *around = tk_stack_top(&open->inside);
    if (!inside)
        return 0;
    one.length = tk_wrap_sub(one.length, *inside);
    one.seconds = tk_calls_seconds(&s->calls.view->dict->clock, one.length);
    if (around)
        *around = tk_wrap_add(*around, whole);
    return tk_summaries_add(&s->modules, name, &one);
}

static int take_end_summarize_read(void *self, const struct tk_call *call, struct tk_err *err)
{
    struct tk_summarize *s = self;
    if (call->end == TK_CALL_NEVER)
        return TK_OK;
    const struct tk_str *name = name_of_summarize_read(s, call->timer);
    const int64_t length = tk_wrap_sub(call->end, call->begin);
    const struct tk_summand one = {call->begin, call->end, length,
                                   tk_calls_seconds(&s->calls.view->dict->clock, length)};
    if (!name || tk_summaries_add(&s->scopes, name, &one))
        return no_memory_summarize_read(err);
    return loads_module(name) && take_module(s, call, name, one) ? no_memory_summarize_read(err) : TK_OK;
}

/* A row for all modules, and one for each of the largest. */
static int add_modules(struct tk_summarize *s)
{
    static const struct tk_str all = {.p = module_prefix, .n = sizeof module_prefix - 1};
    struct tk_summary sum = {.name = join_summarize_read(s, "", &all, ".excl.all")};
    if (!s->modules.v.n)
        return 0;
    if (!sum.name || tk_summaries_sort(&s->modules))
        return -1;
    for (size_t i = 0; i < s->modules.v.n; i++) {
        struct tk_summary *module = &s->modules.v.v[i];
        tk_summary_merge(&sum, module);
        module->name = join_summarize_read(s, "", module->name, ".excl");
        if (!module->name || (i < LARGEST && tk_vec_push(&s->scopes.v, *module)))
            return -1;
    }
    return tk_vec_push(&s->scopes.v, sum) ? -1 : 0;
}

/* ---- bookmarks ---- */

static struct tk_summary_bookmark *bookmark_of(struct tk_summarize *s, const struct tk_str *text, bool make)
{
    const uint64_t key = (uint64_t)(uintptr_t)text;
    const uint32_t at = tk_map_get(&s->bookmark_index, key);
    const struct tk_summary_bookmark none = {.text = text};
    if (at != TK_MAP_NONE)
        return &s->bookmarks.v[at];
    if (!make || tk_map_put(&s->bookmark_index, key, (uint32_t)s->bookmarks.n) ||
        tk_vec_push(&s->bookmarks, none))
        return NULL;
    return &s->bookmarks.v[s->bookmarks.n - 1];
}

/* Ends what the bookmark with the first part of the text began. */
static int end_scope(struct tk_summarize *s, const struct tk_str *text, int64_t time)
{
    const size_t n = sizeof complete - 1;
    if (text->n <= n || memcmp(text->p + text->n - n, complete, n) != 0)
        return 0;
    const struct tk_str *part = tk_intern(&s->texts, text->p, text->n - n, (enum tk_encoding)text->enc);
    struct tk_summary_bookmark *begun = part ? bookmark_of(s, part, false) : NULL;
    if (!part)
        return -1;
    if (!begun || !begun->open)
        return 0;
    begun->open = false;
    const int64_t length = tk_wrap_sub(time, begun->last);
    const struct tk_summand one = {begun->last, time, length, tk_calls_seconds(&s->calls.clock, length)};
    const struct tk_str *name = join_summarize_read(s, "Generated Scope for ", part, "");
    return name ? tk_summaries_add(&s->scopes, name, &one) : -1;
}

static int take_bookmarks(void *self, const struct tk_table *table, const struct tk_rows *rows,
                          struct tk_err *err)
{
    struct tk_summarize *s = self;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        const int64_t time = tk_clock_of_cycles(&s->calls.clock, row[0].v.i);
        const struct tk_str *text = tk_intern(&s->texts, row[1].v.p, row[1].n, (enum tk_encoding)row[1].enc);
        struct tk_summary_bookmark *b = text ? bookmark_of(s, text, true) : NULL;
        if (!b)
            return no_memory_summarize_read(err);
        b->first = b->count ? b->first : time;
        b->last = time;
        b->count++;
        b->open = true;
        if (end_scope(s, text, time))
            return no_memory_summarize_read(err);
    }
    return TK_OK;
}

static int read_bookmarks(struct tk_summarize *s, const struct tk_preset_job *job, struct tk_err *err)
{
    static const char *const columns[] = {"time", "text"};
    const struct tk_builder *const builders[] = {&tk_builder_bookmarks};
    const struct tk_query query = {
        .size = sizeof query, .columns = columns, .n_columns = 2, .unit = TK_UNIT_CYCLES};
    const struct tk_sink sink = {.self = s, .rows = take_bookmarks};
    return tk_run(job->ctx, job->capture, builders, 1, &query, &sink, err);
}

/* ---- counters ---- */

static double value_of(const struct tk_counter_value *v)
{
    return v->real ? v->v.r : (double)v->v.i;
}

static bool is_less_summarize_read(const struct tk_counter_value *a, const struct tk_counter_value *b)
{
    return a->real || b->real ? value_of(a) < value_of(b) : a->v.i < b->v.i;
}

static int take_value(void *ctx, const struct tk_counter_value *value, struct tk_err *err)
{
    struct tk_samples *sum = ctx;
    const double v = value_of(value), before = v - sum->mean;
    (void)err;
    if (sum->count++ == 0)
        sum->first = sum->min = sum->max = *value;
    if (is_less_summarize_read(value, &sum->min))
        sum->min = *value;
    if (is_less_summarize_read(&sum->max, value))
        sum->max = *value;
    sum->last = *value;
    sum->mean += before / (double)sum->count;
    sum->squares += before * (v - sum->mean);
    return TK_OK;
}

static int read_counters(struct tk_summarize *s, const struct tk_preset_job *job, struct tk_err *err)
{
    int rc = tk_counter_list_read(&s->counters, job, err);
    for (size_t i = 0; i < s->counters.v.n; i++)
        s->counters.v.v[i].wanted = s->counters.v.v[i].plain;
    if (rc == TK_OK)
        rc = tk_counter_list_values(&s->counters, job, &s->calls.clock, err);
    for (size_t i = 0; i < s->counters.v.n && rc == TK_OK; i++) {
        struct tk_samples sum = {.count = 0};
        rc = tk_counter_list_walk(&s->counters, i, take_value, &sum, err);
        if (rc == TK_OK && tk_vec_push(&s->samples, sum))
            rc = no_memory_summarize_read(err);
    }
    return rc;
}

/* ---- all of it ---- */

int tk_summarize_read(struct tk_summarize *s, const struct tk_preset_job *job, struct tk_err *err)
{
    static const struct tk_call_taker taker = {
        .track = take_track_summarize_read, .begin = take_begin, .end = take_end_summarize_read};
    s->calls = (struct tk_calls){.taker = &taker, .self = s};
    int rc = tk_calls_read(&s->calls, job, err);
    if (rc == TK_OK)
        rc = read_bookmarks(s, job, err);
    if (rc == TK_OK && (add_modules(s) || tk_summaries_sort(&s->scopes)))
        rc = no_memory_summarize_read(err);
    return rc == TK_OK ? read_counters(s, job, err) : rc;
}

void tk_summarize_release(struct tk_summarize *s)
{
    for (size_t i = 0; i < s->open.n; i++) {
        tk_stack_release(&s->open.v[i]->inside);
        free(s->open.v[i]);
    }
    tk_vec_release(&s->open);
    tk_vec_release(&s->names);
    tk_vec_release(&s->bookmarks);
    tk_vec_release(&s->samples);
    tk_map_release(&s->bookmark_index);
    tk_summaries_release(&s->scopes);
    tk_summaries_release(&s->modules);
    tk_counter_list_release(&s->counters);
    tk_intern_release(&s->texts);
    tk_calls_release(&s->calls);
}
