/*
 * From samples to stacks of locations.
 */
#include "model/samples/sample_record.h"

#include "base/err.h"
#include "base/sort.h"
#include "model/samples/sample_stacks.h"
#include "tracekit/tables.h"

#include <stdio.h>
#include <stdlib.h>

/* Numbers of tracks of threads that are none of the capture: beyond those that are, below those of GPUs. */
#define OTHER_THREADS UINT64_C(1500000000)

static const struct tk_table table = {.name = "sampled", .help = "samples by stack"};

/* What a location was made of. */
struct key {
    uint64_t address;
    bool exact, own; /* own: of a thread of the capture */
};

struct record {
    const struct tk_sample_record_request *request;
    struct tk_sample_stacks samples;
    struct tk_map index; /* hash of a key -> place in keys, and in the locations */
    TK_VEC(struct key) keys;
    struct tk_map module_index; /* place in the modules of the capture -> place in those here */
    struct tk_map image_index;  /* address of a name -> place in the modules here */
    TK_VEC(uint32_t) places;    /* by stack: its place here; UINT32_MAX: it is not selected */
};

static int open_record(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                       void **self, struct tk_err *err)
{
    struct record *r = calloc(1, sizeof *r);
    (void)wanted;
    if (!r)
        return tk_err_nomem(err, "samples");
    r->request = builder->user;
    tk_sample_stacks_init(&r->samples, view);
    r->samples.keeps_times = r->request->moments;
    *self = r;
    return TK_OK;
}

static int feed_record(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    return tk_sample_stacks_batch(&((struct record *)self)->samples, batch, "samples", err);
}

static int take_calls(void *self, const struct tk_slices *slices, unsigned worker)
{
    (void)worker;
    return tk_sample_stacks_take(&((struct record *)self)->samples, slices);
}

static int lane_calls(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    return tk_sample_stacks_lane(&((struct record *)self)->samples, end, "samples", err);
}

/* ---- locations ---- */

static const struct tk_str *kept(struct record *r, const struct tk_str *text)
{
    return tk_intern(&r->request->sampled->texts, text->p, text->n, (enum tk_encoding)text->enc);
}

static int add_place(void *to, const struct tk_sample_place *place, bool own)
{
    struct record *r = to;
    const struct tk_sampled_place made = {.function = kept(r, place->function),
                                          .file = place->file ? kept(r, place->file) : NULL,
                                          .line = place->line,
                                          .known = place->known};
    (void)own;
    if (!made.function || (place->file && !made.file))
        return -1;
    return tk_vec_push(&r->request->sampled->places, made);
}

/* The place of a module, made on first use; TK_MAP_NONE if out of memory. */
static uint32_t add_module(struct record *r, struct tk_map *index, uint64_t key,
                           const struct tk_sampled_module *made)
{
    struct tk_sampled *to = r->request->sampled;
    const uint32_t at = (uint32_t)to->modules.n;
    if (!made->name || tk_vec_push(&to->modules, *made) || tk_map_put(index, key, at))
        return TK_MAP_NONE;
    return at;
}

/* How many bytes an id has without the zeros that fill those of ELF files up to 20; 0: it is all zeros. */
static size_t length_of_id(const struct tk_fact_module *info)
{
    size_t n = info->n_image;
    while (n && !info->image[n - 1])
        n--;
    if (info->n_image != 20 || n == 0)
        return n ? info->n_image : 0;
    return n <= 8 ? 8 : n <= 16 ? 16 : 20;
}

static void fill_id(struct tk_sampled_module *made, const struct tk_fact_module *info)
{
    const size_t most = (sizeof made->id - 1) / 2, n = length_of_id(info);
    for (size_t i = 0; i < n && i < most; i++)
        snprintf(made->id + 2 * i, 3, "%02x", info->image[i]);
}

static int module_of(struct record *r, uint32_t thread, uint64_t address, uint32_t *place)
{
    const struct tk_module *module = tk_sample_module(&r->samples, thread, address);
    const struct tk_str *image = module ? NULL : tk_code_image(&r->samples.code, address);
    struct tk_map *index = module ? &r->module_index : &r->image_index;
    const uint64_t key =
        module ? (uint64_t)(module - r->samples.code.modules.modules.v) : (uint64_t)(uintptr_t)image;
    struct tk_sampled_module made = {.end = 0};
    *place = TK_MAP_NONE;
    if (!module && !image)
        return 0;
    if ((*place = tk_map_get(index, key)) != TK_MAP_NONE)
        return 0;
    if (module) {
        const struct tk_str name = tk_module_short_name(module);
        made.name = kept(r, &name);
        made.base = module->info.base;
        made.end = module->last < UINT64_MAX ? module->last + 1 : module->last;
        fill_id(&made, &module->info);
    } else {
        const struct tk_str name = tk_path_last_part(image);
        made.name = kept(r, &name);
    }
    *place = add_module(r, index, key, &made);
    return *place == TK_MAP_NONE ? -1 : 0;
}

static uint32_t new_location(struct record *r, uint32_t thread, const struct key *key)
{
    struct tk_sampled *to = r->request->sampled;
    struct tk_sampled_location made = {.address = key->address, .first = (uint32_t)to->places.n};
    const struct tk_code_address address = {key->address, key->exact};
    if (to->locations.n >= TK_MAP_NONE - 1 || to->places.n >= UINT32_MAX ||
        module_of(r, thread, key->address, &made.module) ||
        tk_sample_address_walk(&r->samples, thread, address, add_place, r))
        return TK_MAP_NONE;
    made.n = (uint32_t)(to->places.n - made.first);
    if (tk_vec_push(&to->locations, made) || tk_vec_push(&r->keys, *key))
        return TK_MAP_NONE;
    return (uint32_t)to->locations.n - 1;
}

/* The place of a location; TK_MAP_NONE if out of memory. One whose hash another has is made anew. */
static uint32_t reach_location(struct record *r, uint32_t thread, uint64_t address, bool exact)
{
    const struct key key = {address, exact, r->samples.threads.v.v[thread].thread != TK_NO_THREAD};
    const uint64_t hash = tk_hash_pair(address, (uint64_t)key.exact | (uint64_t)key.own << 1);
    uint32_t at = tk_map_get(&r->index, hash);
    if (at != TK_MAP_NONE && r->keys.v[at].address == address && r->keys.v[at].exact == exact &&
        r->keys.v[at].own == key.own)
        return at;
    at = new_location(r, thread, &key);
    return at == TK_MAP_NONE || tk_map_put(&r->index, hash, at) ? TK_MAP_NONE : at;
}

/* ---- stacks ---- */

static int add_stack(struct record *r, const struct tk_sample_stack *stack)
{
    struct tk_sampled *to = r->request->sampled;
    uint32_t n;
    const uint64_t *addresses = tk_sample_stack_addresses(&r->samples, stack, &n);
    const struct tk_sampled_stack made = {
        .count = stack->count, .thread = stack->thread, .first = to->frames.n, .n = n};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = reach_location(r, stack->thread, addresses[i], tk_code_is_exact(addresses, i));
        if (at == TK_MAP_NONE || tk_vec_push(&to->frames, at))
            return -1;
    }
    return tk_vec_push(&to->stacks, made);
}

static int add_threads(struct record *r)
{
    static const struct tk_str unnamed = {"(unnamed)", 9, TK_ENC_UTF8};
    for (size_t i = 0; i < r->samples.threads.v.n; i++) {
        const struct tk_system_thread *t = &r->samples.threads.v.v[i];
        const struct tk_str *text = tk_system_thread_name(t, r->samples.view->dict);
        const struct tk_sampled_thread made = {.name = kept(r, text ? text : &unnamed),
                                               .number =
                                                   t->thread != TK_NO_THREAD ? t->thread : OTHER_THREADS + i,
                                               .system_id = t->system_id,
                                               .process_id = t->process_id,
                                               .has_process = t->has_process};
        if (!made.name || tk_vec_push(&r->request->sampled->threads, made))
            return -1;
    }
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct tk_sampled_moment *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static int add_moments(struct record *r)
{
    const struct tk_fact_clock *clock = &r->samples.view->dict->clock;
    struct tk_sampled *to = r->request->sampled;
    for (size_t i = 0; i < r->samples.timed.n; i++) {
        const struct tk_timed_sample *one = &r->samples.timed.v[i];
        const uint32_t place = one->stack == UINT32_MAX ? UINT32_MAX : r->places.v[one->stack];
        if (place == UINT32_MAX)
            continue;
        const struct tk_sampled_moment made = {tk_clock_time(clock, TK_UNIT_NS, one->time), place,
                                               to->stacks.v[place].thread};
        if (tk_vec_push(&to->moments, made))
            return -1;
    }
    return tk_sort(to->moments.v, to->moments.n, sizeof *to->moments.v, by_time);
}

static int fill_record(struct record *r)
{
    int rc = tk_sample_stacks_settle(&r->samples) || add_threads(r) ? -1 : 0;
    for (size_t i = 0; i < r->samples.v.n && rc == 0; i++) {
        const bool has = tk_sample_stack_selected(&r->samples, &r->samples.v.v[i]);
        const uint32_t place = has ? (uint32_t)r->request->sampled->stacks.n : UINT32_MAX;
        rc = tk_vec_push(&r->places, place) || (has && add_stack(r, &r->samples.v.v[i])) ? -1 : 0;
    }
    r->request->sampled->period = tk_sample_period(r->samples.view->dict);
    return rc == 0 && r->request->moments ? add_moments(r) : rc;
}

static int finish_record(void *self, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    return fill_record(self) ? tk_err_nomem(err, "samples") : TK_OK;
}

static void close_record(void *self)
{
    struct record *r = self;
    tk_sample_stacks_release(&r->samples);
    tk_map_release(&r->index);
    tk_map_release(&r->module_index);
    tk_map_release(&r->image_index);
    tk_vec_release(&r->keys);
    tk_vec_release(&r->places);
    free(r);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_calls, .lane = lane_calls};

struct tk_builder tk_sample_record_builder(struct tk_sample_record_request *request)
{
    return (struct tk_builder){
        .table = &table,
        .needs = {.facts = TK_SAMPLE_STACK_FACTS},
        .scopes = &scope_hooks,
        .add_needs = tk_sample_stacks_add_needs,
        .user = request,
        .open = open_record,
        .feed = feed_record,
        .finish = finish_record,
        .close = close_record,
    };
}
