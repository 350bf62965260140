/*
 * When samples were taken.
 */
#include "base/sort.h"
#include "model/code/code_map.h"
#include "model/samples/sample_record.h"
#include "model/samples/samples_in.h"
#include "tracekit/tables.h"

#include <inttypes.h>
#include <string.h>

/*
 * What a sample stands for.
 */

#define MOST_PERIOD INT64_C(1000000000000) /* ns; more is no interval of samples */

static const struct {
    const char *key;
    int64_t unit; /* ns */
} intervals[] = {{"SamplingPeriod", 1}, {"SamplingInterval", 1000}};

static int64_t number_of(const struct tk_cell *cell)
{
    if (cell->kind == TK_UINT && cell->v.u <= (uint64_t)MOST_PERIOD)
        return (int64_t)cell->v.u;
    return cell->kind == TK_INT && cell->v.i > 0 && cell->v.i <= MOST_PERIOD ? cell->v.i : 0;
}

int64_t tk_sample_period(const struct tk_dict *dict)
{
    for (size_t i = 0; i < dict->session.n; i++)
        for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
            const struct tk_str *key = dict->session.v[i].key;
            if (key->n != strlen(intervals[k].key) || memcmp(key->p, intervals[k].key, key->n) != 0)
                continue;
            int64_t ns = number_of(&dict->session.v[i].value) * intervals[k].unit;
            return ns <= MOST_PERIOD ? ns : 0;
        }
    return 0;
}

struct tk_cell tk_sample_time(const struct tk_query_context *view, int64_t period, uint64_t samples)
{
    const struct tk_fact_clock *clock = &view->dict->clock;
    if (!period || samples > (uint64_t)(INT64_MAX / period))
        return (struct tk_cell){.kind = TK_NONE};
    int64_t ns = period * (int64_t)samples;
    if (view->query->unit != TK_UNIT_CYCLES || !clock->frequency)
        return tk_cell_of_span(ns);
    return tk_cell_of_span(
        (int64_t)((double)ns * (double)(clock->frequency / tk_fact_clock_parts(clock)) / 1e9 + 0.5));
}

/*
 * Gathers stack samples. A callstack that a sample refers to may be defined after it.
 */

int tk_sample_list_start(void *self)
{
    struct tk_sample_list *s = self;
    struct tk_context *ctx = s->g.view->ctx;
    tk_callstack_list_init(&s->callstacks, &ctx->health, ctx->limits.callstack_bytes,
                           s->whole ? UINT32_MAX : 1);
    return 0;
}

void tk_sample_list_release(void *self)
{
    struct tk_sample_list *s = self;
    tk_system_threads_release(&s->threads);
    tk_vec_release(&s->v);
    tk_vec_release(&s->addresses);
    tk_callstack_list_release(&s->callstacks);
    tk_code_map_release(&s->code);
}

/* Keeps the addresses of a sample, as far as there is capacity: all of them, or the innermost. */
static int keep_addresses(struct tk_sample_list *s, const struct tk_fact_sample *info,
                          struct tk_listed_sample *sample)
{
    const uint32_t n = s->whole || !info->n ? info->n : 1;
    if (s->kept + n > s->g.view->ctx->limits.sample_addresses) {
        s->cut++;
        return 0;
    }
    sample->n = n;
    s->kept += n;
    if (!n)
        return 0;
    sample->first = s->whole ? s->addresses.n : info->addresses[0];
    if (s->whole && tk_vec_reserve(&s->addresses, s->addresses.n + n))
        return -1;
    if (s->whole) {
        memcpy(s->addresses.v + s->addresses.n, info->addresses, n * sizeof *info->addresses);
        s->addresses.n += n;
    }
    return info->callstack ? 0 : tk_code_map_want(&s->code, info->addresses[0], true);
}

static int add_samples(struct tk_sample_list *s, const struct tk_fact *fact)
{
    const struct tk_fact_sample *info = &fact->u.sample;
    struct tk_listed_sample sample = {
        .time = fact->time, .depth = info->n, .callstack = info->callstack, .weight = tk_sample_weight(info)};
    if (!tk_select_has(s->g.view->select, fact->time) || !tk_row_limit_for(&s->g.capacity, s->v.n))
        return 0;
    sample.thread = tk_system_thread_of(&s->threads, info->system_id);
    if (sample.thread == TK_MAP_NONE || keep_addresses(s, info, &sample))
        return -1;
    return tk_vec_push(&s->v, sample);
}

int tk_sample_list_take(void *self, const struct tk_fact *fact)
{
    struct tk_sample_list *s = self;
    if (fact->kind == TK_FACT_SAMPLE)
        return add_samples(s, fact) || tk_callstack_list_feed_sampled(&s->callstacks, fact) ? -1 : 0;
    return tk_system_threads_feed(&s->threads, fact) || tk_callstack_list_feed(&s->callstacks, fact) ||
                   tk_code_map_feed(&s->code, fact)
               ? -1
               : 0;
}

const uint64_t *tk_sample_list_addresses(const struct tk_sample_list *s,
                                         const struct tk_listed_sample *sample, uint32_t *n)
{
    const struct tk_callstack *stack =
        sample->callstack ? tk_callstack_of(&s->callstacks, sample->callstack) : NULL;
    *n = sample->callstack ? (stack ? stack->n : 0) : sample->n;
    if (!*n)
        return NULL;
    if (stack)
        return tk_vec_at(&s->callstacks.frames, stack->first);
    return s->whole ? tk_vec_at(&s->addresses, (size_t)sample->first) : &sample->first;
}

/* The addresses where threads were are exact: those that came along are wanted by now, not those of
 * callstacks. */
static int want_first(struct tk_sample_list *s)
{
    for (size_t i = 0; i < s->callstacks.stacks.n; i++) {
        const struct tk_callstack *stack = &s->callstacks.stacks.v[i];
        if (stack->n && tk_callstack_is_sampled(&s->callstacks, stack) &&
            tk_code_map_want(&s->code, s->callstacks.frames.v[stack->first], true))
            return -1;
    }
    return 0;
}

int tk_sample_list_settle(void *self)
{
    struct tk_sample_list *s = self;
    tk_system_threads_resolve(&s->threads, s->g.view->dict);
    if (s->cut)
        tk_health_limit(&s->g.view->ctx->health, TK_LIMIT_sample_addresses, TK_NO_OFFSET, s->cut,
                        "%" PRIu64 " stack samples have lost their addresses", s->cut);
    return want_first(s) ? -1 : tk_code_map_settle(&s->code, s->g.view->ctx);
}

bool tk_sample_list_selected(const struct tk_sample_list *s, uint32_t thread)
{
    return tk_system_thread_selected(&s->threads.v.v[thread], s->g.view);
}

uint32_t tk_sample_list_depth(const struct tk_sample_list *s, const struct tk_listed_sample *sample)
{
    const struct tk_callstack *stack = tk_callstack_of(&s->callstacks, sample->callstack);
    return sample->callstack ? (stack ? stack->depth : 0) : sample->depth;
}

void tk_sample_list_fill_address(const struct tk_sample_list *s, uint32_t thread, uint64_t address,
                                 struct tk_cell cells[4])
{
    const struct tk_symbol *symbol = tk_code_symbol(&s->code, address, true);
    const bool own = s->threads.v.v[thread].thread != TK_NO_THREAD;
    const struct tk_module *module = own ? tk_module_at(&s->code.modules, address) : NULL;
    const struct tk_code_place place = tk_code_place_of(&s->code, module, address);
    cells[0] = (struct tk_cell){.kind = TK_HEX, .v.u = address};
    cells[1] = tk_code_module_cell(&place);
    cells[2] = tk_code_offset_cell(&place);
    if (symbol && !symbol->open)
        cells[3] = tk_cell_of_text(tk_symbol_place(&s->code.symbols, symbol, 0)->function);
}

void tk_sample_moments_init(struct tk_sample_moments *s, struct tk_context *ctx)
{
    *s = (struct tk_sample_moments){.health = &ctx->health, .limit = ctx->limits.sample_addresses};
}

int tk_sample_moments_feed(struct tk_sample_moments *s, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_SAMPLE)
        return tk_system_threads_feed(&s->threads, fact);
    struct tk_sample_moment moment = {fact->time, tk_system_thread_of(&s->threads, fact->u.sample.system_id)};
    if (moment.thread == TK_MAP_NONE)
        return -1;
    if (s->v.n >= s->limit) {
        s->left_out++;
        return 0;
    }
    return tk_vec_push(&s->v, moment);
}

static int by_thread(const void *a, const void *b)
{
    const struct tk_sample_moment *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

int tk_sample_moments_finish(struct tk_sample_moments *s, const struct tk_dict *dict)
{
    tk_system_threads_resolve(&s->threads, dict);
    if (s->left_out)
        tk_health_limit(s->health, TK_LIMIT_sample_addresses, TK_NO_OFFSET, s->left_out,
                        "%" PRIu64 " samples are not in the tables by timer", s->left_out);
    for (size_t i = 0; i < s->v.n; i++)
        s->v.v[i].thread = s->threads.v.v[s->v.v[i].thread].thread;
    return tk_sort(s->v.v, s->v.n, sizeof *s->v.v, by_thread);
}

const struct tk_sample_moment *tk_sample_moments_of(const struct tk_sample_moments *s, uint32_t thread,
                                                    size_t *n)
{
    size_t first, end;
    TK_SEARCH(first, s->v.n, s->v.v[first].thread < thread);
    TK_SEARCH(end, s->v.n, s->v.v[end].thread <= thread);
    *n = end - first;
    return tk_vec_at(&s->v, first);
}

void tk_sample_moments_release(struct tk_sample_moments *s)
{
    tk_system_threads_release(&s->threads);
    tk_vec_release(&s->v);
}
