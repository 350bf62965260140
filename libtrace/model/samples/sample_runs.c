/*
 * Stacks of samples on cores and waiting.
 */
#include "base/sort.h"
#include "model/samples/sample_stacks.h"
#include "model/samples/samples_in.h"

#include <stdlib.h>

/*
 * Functions of addresses that samples met.
 */

/* ---- texts ---- */

static const struct tk_str *keep(struct tk_sample_places *p, struct tk_map *map, const struct tk_str *key,
                                 const struct tk_str *text)
{
    const struct tk_str *kept = tk_intern(&p->texts, text->p, text->n, (enum tk_encoding)text->enc);
    if (!kept || tk_vec_push(&p->kept, kept) || tk_map_put(map, (uintptr_t)key, (uint32_t)p->kept.n - 1))
        return NULL;
    return kept;
}

/* A text as equal ones are one. NULL: it is none, or out of memory. */
static const struct tk_str *own_text(struct tk_sample_places *p, const struct tk_str *text)
{
    const uint32_t at = text ? tk_map_get(&p->known, (uintptr_t)text) : TK_MAP_NONE;
    return !text ? NULL : at != TK_MAP_NONE ? p->kept.v[at] : keep(p, &p->known, text, text);
}

/* The path of a module or image without folders. NULL: there is none, or out of memory. */
static const struct tk_str *short_name(struct tk_sample_places *p, const struct tk_str *path)
{
    const uint32_t at = path ? tk_map_get(&p->short_names, (uintptr_t)path) : TK_MAP_NONE;
    if (at != TK_MAP_NONE || !path)
        return path ? p->kept.v[at] : NULL;
    const struct tk_str name = tk_path_last_part(path);
    return keep(p, &p->short_names, path, &name);
}

/* ---- places ---- */

struct requested {
    const struct tk_code_map *code;
    struct tk_code_address address;
    const struct tk_module *module;
    const struct tk_str *name; /* of the module or image */
};

/* One text for a module, so that equal ones stay one. */
static const struct tk_str *no_function(struct tk_sample_places *p, const struct tk_str *module)
{
    const uint32_t at = tk_map_get(&p->unnamed, (uintptr_t)module);
    if (at != TK_MAP_NONE)
        return p->kept.v[at];
    const struct tk_str *text = tk_code_no_function(&p->texts, module);
    return text ? keep(p, &p->unnamed, module, text) : NULL;
}

static uint64_t offset_of(const struct requested *a)
{
    const struct tk_code_place place = tk_code_place_of(a->code, a->module, a->address.address);
    return place.has_offset ? place.offset : a->address.address;
}

static int add(struct tk_sample_places *p, const struct requested *a, const struct tk_symbol_place *place)
{
    const struct tk_sample_place made = {.function = place->function ? own_text(p, place->function)
                                                                     : no_function(p, a->name),
                                         .module = a->name,
                                         .offset = place->function ? 0 : offset_of(a),
                                         .file = own_text(p, place->file),
                                         .line = place->line,
                                         .number = (uint32_t)p->v.n,
                                         .known = place->function != NULL};
    if (!made.function || (place->file && !made.file) || p->v.n >= TK_MAP_NONE - 1)
        return -1;
    return tk_vec_push(&p->v, made);
}

/* Adds the functions of an address; of a symbol they are those of all its addresses. */
static int find(struct tk_sample_places *p, const struct requested *a, const struct tk_symbol *symbol,
                struct tk_sample_places_at *made)
{
    static const struct tk_symbol_place nothing = {.function = NULL};
    const bool known = symbol && !symbol->open;
    int rc = 0;
    *made = (struct tk_sample_places_at){(uint32_t)p->v.n, known ? symbol->n : 1};
    for (uint32_t i = 0; i < made->n && rc == 0; i++)
        rc = add(p, a, known ? tk_symbol_place(&a->code->symbols, symbol, i) : &nothing);
    return rc;
}

/* Have all addresses of a symbol the same places? Those of one are in one module; but what an address without
 * a function is called is its own, and so is the image that a capture says. */
static bool is_shared(const struct tk_code_map *code, uint32_t number, const struct tk_symbol *symbol)
{
    bool known = symbol && symbol == tk_code_found(code, number) &&
                 !tk_symbol_at(&code->symbols, code->wanted.v[number].address);
    for (uint32_t i = 0; known && i < symbol->n; i++)
        known = tk_symbol_place(&code->symbols, symbol, i)->function != NULL;
    return known;
}

static int look_up(struct tk_sample_places *p, const struct tk_code_map *code, uint32_t number, bool own,
                   struct tk_sample_places_at *made)
{
    const struct tk_code_address address = code->wanted.v[number];
    const struct tk_symbol *symbol = tk_code_symbol(code, address.address, address.exact);
    const size_t at = symbol ? (size_t)(symbol - code->symbols.symbols.v) : 0;
    const bool shares = is_shared(code, number, symbol);
    if (shares && tk_vec_reach(&p->shared[own], at + 1))
        return -1;
    if (shares && p->shared[own].v[at].n) {
        *made = p->shared[own].v[at];
        return 0;
    }
    struct requested a = {code, address, own ? tk_module_at(&code->modules, address.address) : NULL, NULL};
    const struct tk_str *path = a.module ? a.module->info.name : tk_code_image(code, address.address);
    a.name = short_name(p, path);
    if ((path && !a.name) || find(p, &a, symbol, made))
        return -1;
    if (shares)
        p->shared[own].v[at] = *made;
    return 0;
}

/* Addresses that were not announced are from now on. */
static uint32_t number_of(struct tk_code_map *code, struct tk_code_address address)
{
    const uint32_t number = tk_code_number(code, address.address, address.exact);
    if (number != TK_MAP_NONE)
        return number;
    return tk_code_map_want(code, address.address, address.exact) ? TK_MAP_NONE
                                                                  : (uint32_t)code->wanted.n - 1;
}

int tk_sample_places_of(struct tk_sample_places *p, struct tk_code_map *code, struct tk_code_address address,
                        bool own, uint32_t *first, uint32_t *n)
{
    const uint32_t number = number_of(code, address);
    if (number == TK_MAP_NONE || tk_vec_reach(&p->at[own], code->wanted.n))
        return -1;
    struct tk_sample_places_at *at = &p->at[own].v[number];
    if (!at->n && look_up(p, code, number, own, at))
        return -1;
    *first = at->first;
    *n = at->n;
    return 0;
}

void tk_sample_places_release(struct tk_sample_places *p)
{
    tk_vec_release(&p->v);
    for (unsigned i = 0; i < 2; i++) {
        tk_vec_release(&p->at[i]);
        tk_vec_release(&p->shared[i]);
    }
    tk_intern_release(&p->texts);
    tk_map_release(&p->known);
    tk_map_release(&p->short_names);
    tk_map_release(&p->unnamed);
    tk_vec_release(&p->kept);
}

/* A sample, or a stretch of time on cores, of a thread of the system. */
struct moment {
    uint64_t system_id;
    int64_t time;
    uint32_t stack;
};

struct stretch {
    uint64_t system_id;
    int64_t begin, end;
};

struct sharing {
    const struct tk_select *select;
    TK_VEC(struct moment) samples;
    TK_VEC(struct stretch) runs;
    struct tk_sample_run_times *out;
    size_t next; /* sample */
};

static int by_sample(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->system_id != y->system_id)
        return x->system_id < y->system_id ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static int by_run(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    if (x->system_id != y->system_id)
        return x->system_id < y->system_id ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int take_samples(struct sharing *h, const struct tk_sample_stacks *s)
{
    if (tk_vec_reserve(&h->samples, s->timed.n))
        return -1;
    for (size_t i = 0; i < s->timed.n; i++) {
        const struct tk_timed_sample *t = &s->timed.v[i];
        h->samples.v[h->samples.n++] =
            (struct moment){s->threads.v.v[t->thread].system_id, t->time, t->stack};
    }
    return tk_sort(h->samples.v, h->samples.n, sizeof *h->samples.v, by_sample);
}

/* Stretches that follow each other without a gap are one: the thread changed its core. */
static int take_runs(struct sharing *h, const struct tk_switch_list *list)
{
    struct tk_switch_reading r = tk_switches_from_first(list);
    size_t n = 0;
    if (tk_vec_reserve(&h->runs, list->n))
        return -1;
    for (const struct tk_switch *s; (s = tk_switches_next(&r));) {
        h->runs.v[h->runs.n++] = (struct stretch){list->threads.v.v[s->thread].system_id, s->begin, s->end};
    }
    if (tk_sort(h->runs.v, h->runs.n, sizeof *h->runs.v, by_run))
        return -1;
    for (size_t i = 0; i < h->runs.n; i++) {
        struct stretch *last = n ? &h->runs.v[n - 1] : NULL;
        const struct stretch one = h->runs.v[i];
        if (last && last->system_id == one.system_id && one.begin <= last->end)
            last->end = one.end > last->end ? one.end : last->end;
        else
            h->runs.v[n++] = one;
    }
    h->runs.n = n;
    return 0;
}

static uint64_t selected(const struct sharing *h, int64_t begin, int64_t end)
{
    return (uint64_t)tk_select_before(h->select, end) - (uint64_t)tk_select_before(h->select, begin);
}

/* The times of a stack; of a sample that does not count they go nowhere. */
static struct tk_sample_run_times *times_of(const struct sharing *h, size_t sample,
                                            struct tk_sample_run_times *nowhere)
{
    const uint32_t stack = h->samples.v[sample].stack;
    return stack == UINT32_MAX ? nowhere : &h->out[stack];
}

/* Is a sample in a run, whose end belongs to it? */
static bool is_in(const struct sharing *h, size_t sample, const struct stretch *run)
{
    return sample < h->samples.n && h->samples.v[sample].system_id == run->system_id &&
           h->samples.v[sample].time <= run->end;
}

/* after: the next run of the thread, or NULL. */
static void share_run(struct sharing *h, const struct stretch *run, bool woken, const struct stretch *after)
{
    struct tk_sample_run_times nowhere = {0};
    const size_t first = h->next;
    int64_t from = run->begin;
    if (!is_in(h, first, run))
        return;
    for (; is_in(h, h->next, run); h->next++) {
        const int64_t to = is_in(h, h->next + 1, run) ? h->samples.v[h->next + 1].time : run->end;
        times_of(h, h->next, &nowhere)->running += selected(h, from, to);
        from = to;
    }
    if (woken && tk_select_has(h->select, run->begin))
        times_of(h, first, &nowhere)->wakeups++;
    if (!after)
        return;
    struct tk_sample_run_times *last = times_of(h, h->next - 1, &nowhere);
    last->waits += tk_select_has(h->select, run->end);
    last->waiting += selected(h, run->end, after->begin);
}

/* Goes on to the first sample at or behind the begin of a run. */
static void skip_samples(struct sharing *h, const struct stretch *run)
{
    const struct moment begin = {run->system_id, run->begin, 0};
    while (h->next < h->samples.n && by_sample(&h->samples.v[h->next], &begin) < 0)
        h->next++;
}

static void share_all(struct sharing *h)
{
    for (size_t i = 0; i < h->runs.n; i++) {
        const struct stretch *run = &h->runs.v[i];
        const bool woken = i > 0 && run[-1].system_id == run->system_id;
        const bool goes_on = i + 1 < h->runs.n && run[1].system_id == run->system_id;
        skip_samples(h, run);
        share_run(h, run, woken, goes_on ? run + 1 : NULL);
    }
}

struct tk_sample_run_times *tk_sample_runs(const struct tk_sample_stacks *s,
                                           const struct tk_switch_list *list)
{
    struct sharing h = {.select = tk_sample_stacks_times(s), .out = calloc(s->v.n + 1, sizeof *h.out)};
    bool good = h.out && take_samples(&h, s) == 0 && take_runs(&h, list) == 0;
    if (good)
        share_all(&h);
    tk_vec_release(&h.samples);
    tk_vec_release(&h.runs);
    if (good)
        return h.out;
    free(h.out);
    return NULL;
}
