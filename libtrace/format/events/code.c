/*
 * Profiles of heaps: what was allocated and freed with each stack, as totals at some times. Blocks are made
 * of them, so that their sums and numbers are those of the profile: those that are freed have the sizes that
 * the frees state, and the others share what is left.
 */
#include "base/sort.h"
#include "format/events/events_in.h"
#include "format/events/feed.h"

#include <stdio.h>
#include <string.h>

int tk_ev_heap_total(struct tk_ev_capture *c, const struct tk_ev_heap_total *total)
{
    tk_ev_seen(c, total->time);
    return c->pass == TK_EV_GATHER ? tk_vec_push(&c->heap_totals, *total) : 0;
}

static int by_key_and_time(const void *a, const void *b)
{
    const struct tk_ev_heap_total *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->heap != y->heap)
        return x->heap < y->heap ? -1 : 1;
    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static int by_time(const void *a, const void *b)
{
    const struct tk_ev_heap_step *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (int)x->order - (int)y->order;
}

static uint32_t heap_of(struct tk_ev_capture *c, uint32_t process, uint32_t name)
{
    for (uint32_t i = 0; i < c->heaps.n; i++)
        if (c->heaps.v[i].process == process && c->heaps.v[i].name == name)
            return i;
    const struct tk_ev_heap fresh = {process, name};
    return tk_vec_push(&c->heaps, fresh) ? UINT32_MAX : (uint32_t)c->heaps.n - 1;
}

/* ---- blocks of one stack ---- */

/* Of one time: what was there before is freed, what comes and goes comes and goes, and the rest is allocated,
 * so that no more is there at a time than a total says. */
enum { FREES, PASSES, PASSED, ALLOCATES };

/* What is being made of the totals [first, first + n) of one stack. */
struct making {
    struct tk_ev_capture *c;
    const struct tk_ev_heap_total *v;
    size_t n;
    uint32_t heap;
    size_t at;     /* the total by which the next block is allocated */
    uint64_t made; /* blocks */
};

/* n blocks of a size, which are freed at a time, or not (TK_EV_OPEN). */
static int add_blocks(struct making *m, uint64_t n, uint64_t size, int64_t freed)
{
    struct tk_ev_capture *c = m->c;
    while (n) {
        while (m->at + 1 < m->n && m->v[m->at].blocks <= m->made)
            m->at++;
        const uint64_t here = m->v[m->at].blocks > m->made && m->v[m->at].blocks - m->made < n
                                  ? m->v[m->at].blocks - m->made
                                  : n;
        const int64_t time = freed != TK_EV_OPEN && freed < m->v[m->at].time ? freed : m->v[m->at].time;
        struct tk_ev_heap_step step = {time,        c->heap_blocks, here,  size,
                                       m->v->stack, m->heap,        false, ALLOCATES};
        step.order = time == freed ? PASSES : ALLOCATES;
        if (tk_vec_push(&c->heap_steps, step))
            return -1;
        step.time = freed;
        step.frees = true;
        step.order = time == freed ? PASSED : FREES;
        if (freed != TK_EV_OPEN && tk_vec_push(&c->heap_steps, step))
            return -1;
        c->heap_blocks += here;
        m->made += here;
        n -= here;
    }
    return 0;
}

/* So many blocks of so many bytes, the first with what does not divide. */
static int share_out(struct making *m, uint64_t blocks, uint64_t bytes, int64_t freed)
{
    struct tk_ev_capture *c = m->c;
    const uint64_t most = c->ctx->limits.alive_allocations,
                   left = most > c->heap_blocks ? most - c->heap_blocks : 0;
    if (!blocks && !bytes)
        return 0;
    blocks = blocks ? blocks : 1; /* how many there were is not recorded */
    if (blocks > left) {
        c->left_out[TK_EV_BEYOND_BLOCK] += blocks - left;
        return 0;
    }
    const uint64_t rest = bytes % blocks;
    if (rest && add_blocks(m, 1, bytes / blocks + rest, freed))
        return -1;
    return add_blocks(m, blocks - (rest != 0), bytes / blocks, freed);
}

/* Totals never fall; where they do the one before holds. */
static uint64_t rise(uint64_t *last, uint64_t total)
{
    const uint64_t by = total > *last ? total - *last : 0;
    *last += by;
    return by;
}

static int make_blocks(struct tk_ev_capture *c, const struct tk_ev_heap_total *v, size_t n)
{
    struct making m = {.c = c, .v = v, .n = n, .heap = heap_of(c, v->process, v->heap)};
    uint64_t freed = 0, frees = 0, bytes = 0, blocks = 0;
    int rc = m.heap == UINT32_MAX ? -1 : 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        const uint64_t by = rise(&freed, v[i].freed);
        rc = share_out(&m, rise(&frees, v[i].frees), by, v[i].time);
        rise(&bytes, v[i].bytes);
        rise(&blocks, v[i].blocks);
    }
    if (rc || bytes < freed)
        return rc;
    return share_out(&m, blocks > frees ? blocks - frees : 0, bytes - freed, TK_EV_OPEN);
}

int tk_ev_heap_finish(struct tk_ev_capture *c)
{
    struct tk_ev_heap_total *const v = c->heap_totals.v;
    const size_t n = c->heap_totals.n;
    int rc = tk_sort(v, n, sizeof *v, by_key_and_time);
    for (size_t i = 0, end; i < n && rc == 0; i = end) {
        for (end = i + 1; end < n && v[end].stack == v[i].stack && v[end].heap == v[i].heap &&
                          v[end].process == v[i].process;)
            end++;
        rc = make_blocks(c, v + i, end - i);
    }
    tk_vec_release(&c->heap_totals);
    return rc == 0 ? tk_sort(c->heap_steps.v, c->heap_steps.n, sizeof *c->heap_steps.v, by_time) : rc;
}

/* ---- facts ---- */

/* A heap of a process is called so where there are several processes. */
static int add_heap(struct tk_ev_reading *s, uint32_t at)
{
    struct tk_ev_capture *c = s->c;
    const struct tk_ev_heap *h = &c->heaps.v[at];
    const struct tk_str *name = tk_ev_name_text(&c->names, h->name);
    const struct tk_str *process = c->processes.v[h->process].name;
    bool several = false;
    for (size_t i = 0; i < c->heaps.n; i++)
        several |= c->heaps.v[i].process != h->process;
    if (several && name && process) {
        char text[256];
        const int n = snprintf(text, sizeof text, "%.*s of %.*s", (int)(name->n < 100 ? name->n : 100),
                               (const char *)name->p, (int)(process->n < 100 ? process->n : 100),
                               (const char *)process->p);
        name = tk_ev_text(&c->names, text, (size_t)n);
    }
    struct tk_fact *fact = name ? tk_ev_reading_add(s, TK_FACT_MEMORY_HEAP, TK_NO_THREAD, 0) : NULL;
    if (fact)
        fact->u.memory_heap =
            (struct tk_fact_memory_heap){.id = at, .parent = UINT32_MAX, .root = true, .name = name};
    return fact ? 0 : -1;
}

enum { APART = 16 /* addresses from one block to the next */ };

static int add_step(struct tk_ev_reading *s, const struct tk_ev_heap_step *step, uint64_t block)
{
    struct tk_fact *fact =
        tk_ev_reading_add(s, TK_FACT_MEMORY, TK_NO_THREAD, tk_ev_since(s->c->first, step->time));
    if (!fact)
        return -1;
    fact->u.memory = (struct tk_fact_memory){.address = (step->first + block + 1) * APART,
                                             .size = step->size,
                                             .id = step->stack,
                                             .heap = step->heap,
                                             .op = step->frees ? TK_MEMORY_FREE : TK_MEMORY_ALLOC};
    return 0;
}

int tk_ev_stage_memory(struct tk_ev_reading *s, struct tk_err *err)
{
    const struct tk_ev_capture *c = s->c;
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(MEMORY) | TK_FACT_MASK(MEMORY_HEAP)))
        return TK_OK;
    for (; s->heap < c->heaps.n && tk_ev_reading_wants(s, TK_FACT_MASK(MEMORY_HEAP)); s->heap++)
        if (add_heap(s, (uint32_t)s->heap))
            return tk_ev_reading_no_memory(err);
    if (!tk_ev_reading_wants(s, TK_FACT_MASK(MEMORY)))
        return TK_OK;
    while (s->heap_step < c->heap_steps.n && s->facts.n < TK_EV_BATCH) {
        const struct tk_ev_heap_step *step = &c->heap_steps.v[s->heap_step];
        if (s->heap_block < step->n && add_step(s, step, s->heap_block++))
            return tk_ev_reading_no_memory(err);
        if (s->heap_block < step->n)
            continue;
        s->heap_block = 0;
        s->heap_step++;
    }
    return s->heap_step < c->heap_steps.n ? TK_ITEM : TK_OK;
}

/*
 * Code and samples of it: frames, stacks of them, and which thread was found in which.
 *
 * Frames have numbers instead of addresses, as most of these formats know names of functions and no addresses
 * of a program: what facts state as an address is the number of a frame.
 */

uint32_t tk_ev_code_frame(struct tk_ev_capture *c, const struct tk_ev_code_frame *f)
{
    const struct tk_ev_key key = {{(uint64_t)f->function << 32 | f->file,
                                   (uint64_t)f->module << 32 | f->build, f->line, f->address,
                                   f->has_address}};
    const uint32_t at = tk_ev_ids_number(&c->code_ids, &key, c->ctx->limits.definitions);
    if (at == UINT32_MAX || at < c->code.n)
        return at;
    if (at == TK_EV_IDS_FULL) {
        c->left_out[TK_EV_BEYOND_CODE]++;
        return at;
    }
    return tk_vec_push(&c->code, *f) ? UINT32_MAX : at;
}

uint32_t tk_ev_stack(struct tk_ev_capture *c, const uint32_t *frames, size_t n)
{
    const uint64_t hash = tk_hash_bytes(frames, n * sizeof *frames, n);
    uint64_t key = hash;
    uint32_t at;
    for (; (at = tk_map_get(&c->stack_index, key)) != TK_MAP_NONE; key++) {
        const struct tk_ev_stack *have = &c->stacks.v[at];
        if (have->n == n && (!n || memcmp(c->stack_frames.v + have->first, frames, n * sizeof *frames) == 0))
            return at + 1;
    }
    at = (uint32_t)c->stacks.n;
    const struct tk_ev_stack fresh = {c->stack_frames.n, (uint32_t)n};
    if (c->stacks.n >= c->ctx->limits.definitions) {
        c->left_out[TK_EV_BEYOND_CODE]++;
        return 0;
    }
    if (tk_vec_reserve(&c->stack_frames, c->stack_frames.n + n + 1) || tk_vec_push(&c->stacks, fresh) ||
        tk_map_put(&c->stack_index, key, at))
        return UINT32_MAX;
    if (n)
        memcpy(c->stack_frames.v + c->stack_frames.n, frames, n * sizeof *frames);
    c->stack_frames.n += n;
    return at + 1;
}
