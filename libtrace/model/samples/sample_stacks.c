/*
 * Stacks of samples. See sample_stacks.h.
 */
#include "model/samples/sample_stacks.h"

#include "base/text/text.h"
#include "model/code/code_place.h"

#include <inttypes.h>
#include <string.h>

void tk_sample_stacks_init(struct tk_sample_stacks *s, const struct tk_query_context *view)
{
    *s = (struct tk_sample_stacks){.view = view, .timers = {.view = view}};
    tk_callstack_list_init(&s->callstacks, &view->ctx->health, view->ctx->limits.callstack_bytes, UINT32_MAX);
}

/* ---- reading ---- */

static bool is_same(const struct tk_sample_stacks *s, const struct tk_sample_stack *a, uint32_t thread,
                    const struct tk_fact_sample *sample)
{
    if (a->thread != thread || a->callstack != sample->callstack)
        return false;
    if (a->callstack)
        return true;
    return a->n == sample->n && (!a->n || memcmp(s->addresses.v + a->first, sample->addresses,
                                                 a->n * sizeof *sample->addresses) == 0);
}

static int keep_addresses(struct tk_sample_stacks *s, struct tk_sample_stack *stack,
                          const struct tk_fact_sample *sample)
{
    stack->first = s->addresses.n;
    if (sample->callstack || !sample->n)
        return 0;
    if (s->addresses.n + (uint64_t)sample->n > s->view->ctx->limits.sample_addresses) {
        s->cut++;
        return 0;
    }
    if (tk_vec_reserve(&s->addresses, s->addresses.n + sample->n))
        return -1;
    memcpy(s->addresses.v + s->addresses.n, sample->addresses, sample->n * sizeof *sample->addresses);
    s->addresses.n += sample->n;
    stack->n = sample->n;
    return 0;
}

/* The place of a stack, made on first use. One whose hash another has is made anew each time, which costs
 * memory alone. */
static struct tk_sample_stack *reach(struct tk_sample_stacks *s, uint32_t thread,
                                     const struct tk_fact_sample *sample)
{
    uint64_t hash =
        sample->callstack
            ? tk_hash_pair(thread, sample->callstack)
            : tk_hash_bytes(sample->addresses, sample->n * sizeof *sample->addresses, ~(uint64_t)thread);
    uint32_t at = tk_map_get(&s->index, hash);
    if (at != TK_MAP_NONE && is_same(s, &s->v.v[at], thread, sample))
        return &s->v.v[at];
    struct tk_sample_stack stack = {.thread = thread, .callstack = sample->callstack};
    if (s->v.n >= TK_MAP_NONE - 1 || keep_addresses(s, &stack, sample) || tk_vec_push(&s->v, stack) ||
        tk_map_put(&s->index, hash, (uint32_t)s->v.n - 1))
        return NULL;
    return &s->v.v[s->v.n - 1];
}

static int add_sample(struct tk_sample_stacks *s, const struct tk_fact *fact)
{
    const struct tk_fact_sample *sample = &fact->u.sample;
    const bool counts = tk_select_has(tk_sample_stacks_times(s), fact->time);
    if (!counts && !s->keeps_all)
        return 0;
    uint32_t thread = tk_system_thread_of(&s->threads, sample->system_id);
    struct tk_sample_stack *stack = thread == TK_MAP_NONE ? NULL : reach(s, thread, sample);
    if (!stack)
        return -1;
    stack->count += counts;
    if (!s->keeps_times && !tk_timer_times_needed(s->view))
        return 0;
    return tk_vec_push(&s->timed, ((struct tk_timed_sample){fact->time, (uint32_t)(stack - s->v.v), thread}));
}

int tk_sample_stacks_feed(struct tk_sample_stacks *s, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_SAMPLE)
        return add_sample(s, fact);
    return tk_system_threads_feed(&s->threads, fact) || tk_callstack_list_feed(&s->callstacks, fact) ||
                   tk_code_map_feed(&s->code, fact)
               ? -1
               : 0;
}

int tk_sample_stacks_batch(struct tk_sample_stacks *s, const struct tk_batch *batch, const char *what,
                           struct tk_err *err)
{
    int rc = tk_timer_times_needed(s->view) ? tk_timer_times_feed(&s->timers, batch) : 0;
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++)
        rc = tk_sample_stacks_feed(s, &batch->facts[i]);
    return rc ? tk_err_nomem(err, what) : TK_OK;
}

int tk_sample_stacks_take(struct tk_sample_stacks *s, const struct tk_slices *slices)
{
    return tk_timer_times_take(&s->timers, slices) ? TK_ENOMEM : TK_OK;
}

int tk_sample_stacks_lane(struct tk_sample_stacks *s, const struct tk_lane_end *end, const char *what,
                          struct tk_err *err)
{
    return tk_timer_times_lane(&s->timers, end) ? tk_err_nomem(err, what) : TK_OK;
}

/* ---- addresses ---- */

const uint64_t *tk_sample_stack_addresses(const struct tk_sample_stacks *s,
                                          const struct tk_sample_stack *stack, uint32_t *n)
{
    const struct tk_callstack *kept =
        stack->callstack ? tk_callstack_of(&s->callstacks, stack->callstack) : NULL;
    *n = stack->callstack ? (kept ? kept->n : 0) : stack->n;
    return kept ? s->callstacks.frames.v + kept->first : s->addresses.v + stack->first;
}

/* Of samples that fell into none of the timers that are selected nothing is left. */
static int settle_timers(struct tk_sample_stacks *s)
{
    if (!tk_timer_times_needed(s->view))
        return 0;
    if (tk_timer_times_settle(&s->timers))
        return -1;
    for (size_t i = 0; i < s->timed.n; i++) {
        struct tk_sample_stack *stack = &s->v.v[s->timed.v[i].stack];
        uint32_t thread = s->threads.v.v[stack->thread].thread;
        if (tk_timer_times_has(&s->timers, thread, s->timed.v[i].time))
            continue;
        stack->count -= tk_select_has(tk_sample_stacks_times(s), s->timed.v[i].time);
        s->timed.v[i].stack = UINT32_MAX;
    }
    return 0;
}

uint64_t tk_sample_stacks_want(const struct tk_query_context *view, uint64_t columns)
{
    (void)columns;
    return tk_timer_times_needed(view) ? TK_FACT_MASK(SCOPES) : 0;
}

unsigned tk_sample_stacks_slices(const struct tk_query_context *view, uint64_t columns, bool *needs_frames)
{
    (void)columns;
    (void)needs_frames;
    return tk_timer_times_needed(view) ? TK_SLICE_BEGIN : 0;
}

int tk_sample_stacks_settle(struct tk_sample_stacks *s)
{
    tk_system_threads_resolve(&s->threads, s->view->dict);
    if (settle_timers(s))
        return -1;
    if (s->cut)
        tk_health_limit(&s->view->ctx->health, TK_LIMIT_sample_addresses, TK_NO_OFFSET, s->cut,
                        "%" PRIu64 " stacks of samples are without their addresses", s->cut);
    for (size_t i = 0; i < s->v.n; i++) {
        uint32_t n;
        const uint64_t *addresses = tk_sample_stack_addresses(s, &s->v.v[i], &n);
        for (uint32_t k = 0; k < n; k++)
            if (tk_code_map_want(&s->code, addresses[k], tk_code_is_exact(addresses, k)))
                return -1;
        s->samples += tk_sample_stack_selected(s, &s->v.v[i]) ? s->v.v[i].count : 0;
    }
    return tk_code_map_settle(&s->code, s->view->ctx);
}

bool tk_sample_stack_selected(const struct tk_sample_stacks *s, const struct tk_sample_stack *stack)
{
    return stack->count && tk_system_thread_selected(&s->threads.v.v[stack->thread], s->view);
}

/* ---- functions ---- */

/* The path of a module or image without folders, made once. NULL: there is none, or memory is out. */
static const struct tk_str *short_name(struct tk_sample_stacks *s, const struct tk_str *path)
{
    const uint64_t key = (uint64_t)(uintptr_t)path;
    const uint32_t at = path ? tk_map_get(&s->modules, key) : TK_MAP_NONE;
    if (at != TK_MAP_NONE || !path)
        return path ? s->module_names.v[at] : NULL;
    const struct tk_str name = tk_path_last_part(path);
    const struct tk_str *kept = tk_intern(&s->texts, name.p, name.n, (enum tk_encoding)name.enc);
    if (!kept || tk_vec_push(&s->module_names, kept) ||
        tk_map_put(&s->modules, key, (uint32_t)s->module_names.n - 1))
        return NULL;
    return kept;
}

/* A text as equal ones are one. NULL: it is none, or memory is out. */
static const struct tk_str *own_text(struct tk_sample_stacks *s, const struct tk_str *text)
{
    const uint64_t key = (uint64_t)(uintptr_t)text;
    const uint32_t at = text ? tk_map_get(&s->own_texts, key) : TK_MAP_NONE;
    if (at != TK_MAP_NONE || !text)
        return text ? s->kept_texts.v[at] : NULL;
    const struct tk_str *kept = tk_intern(&s->texts, text->p, text->n, (enum tk_encoding)text->enc);
    if (!kept || tk_vec_push(&s->kept_texts, kept) ||
        tk_map_put(&s->own_texts, key, (uint32_t)s->kept_texts.n - 1))
        return NULL;
    return kept;
}

struct walking {
    struct tk_sample_stacks *s;
    int (*take)(void *to, const struct tk_sample_place *place, bool own);
    void *to;
    uint32_t thread; /* modules are known of those of the capture: other processes have other ones */
};

/* A frame, and what is said where no function of it is known. */
struct frame {
    uint64_t address;
    const struct tk_symbol *symbol;
    const struct tk_module *module;
    const struct tk_str *module_name;
};

static const struct tk_str *bare_text(const struct walking *w, const struct frame *f)
{
    const struct tk_code_place place = tk_code_place_of(&w->s->code, f->module, f->address);
    return tk_code_bare_text(&w->s->texts, &place, f->address);
}

static int walk_place(const struct walking *w, const struct frame *f, const struct tk_symbol_place *p,
                      bool own)
{
    const struct tk_sample_place one = {.function =
                                            p->function ? own_text(w->s, p->function) : bare_text(w, f),
                                        .module = f->module_name,
                                        .file = own_text(w->s, p->file),
                                        .line = p->line,
                                        .known = p->function != NULL};
    return one.function && (one.file || !p->file) ? w->take(w->to, &one, own) : -1;
}

static int walk_symbol(const struct walking *w, const struct frame *f, bool first)
{
    int rc = 0;
    for (uint32_t i = 0; i < f->symbol->n && rc == 0; i++)
        rc = walk_place(w, f, tk_symbol_place(&w->s->code.symbols, f->symbol, i), first && i == 0);
    return rc;
}

const struct tk_module *tk_sample_module(const struct tk_sample_stacks *s, uint32_t thread, uint64_t address)
{
    const bool own = s->threads.v.v[thread].thread != TK_NO_THREAD;
    return own ? tk_module_at(&s->code.modules, address) : NULL;
}

static int walk_address(const struct walking *w, uint64_t address, bool exact, bool first)
{
    static const struct tk_symbol_place nothing = {.function = NULL};
    struct frame f = {.address = address,
                      .symbol = tk_code_symbol(&w->s->code, address, exact),
                      .module = tk_sample_module(w->s, w->thread, address)};
    f.module_name = short_name(w->s, f.module ? f.module->info.name : tk_code_image(&w->s->code, address));
    return f.symbol && !f.symbol->open ? walk_symbol(w, &f, first) : walk_place(w, &f, &nothing, first);
}

int tk_sample_stack_walk(struct tk_sample_stacks *s, const struct tk_sample_stack *stack,
                         int (*take)(void *to, const struct tk_sample_place *place, bool own), void *to)
{
    const struct walking w = {s, take, to, stack->thread};
    uint32_t n;
    const uint64_t *addresses = tk_sample_stack_addresses(s, stack, &n);
    int rc = 0;
    for (uint32_t i = 0; i < n && rc == 0; i++)
        rc = walk_address(&w, addresses[i], tk_code_is_exact(addresses, i), i == 0);
    return rc;
}

int tk_sample_address_walk(struct tk_sample_stacks *s, uint32_t thread, struct tk_code_address address,
                           int (*take)(void *to, const struct tk_sample_place *place, bool own), void *to)
{
    const struct walking w = {s, take, to, thread};
    return walk_address(&w, address.address, address.exact, false);
}

void tk_sample_stacks_release(struct tk_sample_stacks *s)
{
    tk_system_threads_release(&s->threads);
    tk_callstack_list_release(&s->callstacks);
    tk_code_map_release(&s->code);
    tk_intern_release(&s->texts);
    tk_map_release(&s->own_texts);
    tk_vec_release(&s->kept_texts);
    tk_timer_times_release(&s->timers);
    tk_vec_release(&s->timed);
    tk_vec_release(&s->addresses);
    tk_vec_release(&s->v);
    tk_map_release(&s->index);
    tk_map_release(&s->modules);
    tk_vec_release(&s->module_names);
}
