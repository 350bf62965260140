/*
 * Messages, and the points of plots. A plot of each memory pool that had anything is made of its allocations:
 * what it holds after each, beginning with nothing when the recording begins.
 */
#include "base/text/text.h"
#include "model/memory/live_blocks.h"
#include "presets/presets_in.h"

#include <math.h>
#include <string.h>

/* ---- messages ---- */

struct messages {
    struct tk_csvexport *x;
    uint64_t n;
};

static void put_message(struct messages *m, const struct tk_fact *fact)
{
    static const char *const names[] = {"MessageName", "total_ns"};
    if (!m->n++)
        tk_csvexport_put_head(m->x, names, 2);
    tk_csvexport_put_text(m->x, &fact->u.log.text);
    tk_csvexport_put_i64(m->x, tk_clock_time(&m->x->dict.clock, TK_UNIT_NS, fact->time));
    tk_buffer_char(&m->x->out, '\n');
}

static int take_messages(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct messages *m = self;
    (void)err;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (batch->facts[i].kind == TK_FACT_LOG)
            put_message(m, &batch->facts[i]);
    return TK_OK;
}

int tk_csvexport_write_messages(struct tk_csvexport *x, struct tk_err *err)
{
    struct messages m = {.x = x};
    int rc = tk_csvexport_read(x, TK_FACT_MASK(LOG), take_messages, &m, err);
    if (rc == TK_OK && !m.n && x->opt->raw)
        tk_buffer_text(&x->out, "There are currently no messages!\n");
    else if (rc == TK_OK && !m.n)
        tk_csvexport_put_head(x, (const char *const[]){"MessageName", "total_ns"}, 2);
    return rc;
}

/* ---- plots ---- */

/* A pool of memory, or a counter. */
struct plot {
    const struct tk_str *name; /* NULL: not reported */
    bool unnamed, begun;
    uint64_t bytes; /* what a pool holds */
};

struct plots {
    struct tk_csvexport *x;
    TK_VEC(struct plot) counters, pools; /* by id */
    struct tk_live_blocks alive;
    uint64_t main_frames; /* begun so far */
    int64_t first;        /* when the recording begins */
    bool on_demand;
};

/* What is not named has the name of the main frames there. */
static const struct tk_str *name_of_lists(const struct plots *p, const struct plot *plot)
{
    static const struct tk_str main_frames = {"Frame", 5, TK_ENC_UTF8};
    return plot->unnamed && p->x->opt->raw ? &main_frames : plot->name;
}

static void put_point(struct plots *p, const struct plot *plot, int64_t time, double value)
{
    struct tk_csvexport *x = p->x;
    tk_csvexport_put_name(x, name_of_lists(p, plot));
    tk_csvexport_put_separator(x);
    tk_csvexport_put_separator(x);
    tk_csvexport_put_i64(x, tk_clock_time(&x->dict.clock, TK_UNIT_NS, time));
    tk_csvexport_put_separator(x);
    tk_csvexport_put_separator(x);
    tk_csvexport_put_real(x, value);
    tk_buffer_char(&x->out, '\n');
}

static struct plot *plot_of(struct plots *p, bool pool, uint64_t id)
{
    static const struct plot fresh;
    if (id >= p->x->job->ctx->limits.counters)
        return NULL;
    for (;;) {
        struct plot *v = pool ? p->pools.v : p->counters.v;
        if (id < (pool ? p->pools.n : p->counters.n))
            return &v[id];
        if (pool ? tk_vec_push(&p->pools, fresh) : tk_vec_push(&p->counters, fresh))
            return NULL;
    }
}

static int take_name(struct plots *p, bool pool, uint64_t id, const struct tk_str *name, bool unnamed)
{
    struct plot *plot = plot_of(p, pool, id);
    if (!plot)
        return id >= p->x->job->ctx->limits.counters ? TK_OK : TK_ENOMEM;
    plot->name = name;
    plot->unnamed = unnamed;
    return TK_OK;
}

static int allocate(struct plots *p, struct plot *pool, const struct tk_fact_memory *step)
{
    struct tk_block *b = tk_live_blocks_put(&p->alive, step->address, (uint16_t)step->heap);
    if (!b)
        return TK_ENOMEM;
    b->index = 1;
    b->size = step->size;
    pool->bytes += step->size;
    return TK_OK;
}

static void release_lists(struct plots *p, struct plot *pool, const struct tk_fact_memory *step)
{
    struct tk_block *b = tk_live_blocks_find(&p->alive, step->address, (uint16_t)step->heap);
    if (!b)
        return;
    pool->bytes -= b->size;
    tk_live_blocks_take(&p->alive, b);
}

static int take_memory(struct plots *p, const struct tk_fact *fact)
{
    const struct tk_fact_memory *step = &fact->u.memory;
    struct plot *pool = step->op <= TK_MEMORY_FREE ? plot_of(p, true, step->heap) : NULL;
    if (!pool)
        return TK_OK;
    if (!pool->begun)
        put_point(p, pool, p->first, 0);
    pool->begun = true;
    int rc = TK_OK;
    if (step->op == TK_MEMORY_ALLOC)
        rc = allocate(p, pool, step);
    else
        release_lists(p, pool, step);
    put_point(p, pool, fact->time, (double)pool->bytes);
    return rc;
}

/* A recording on demand begins with the third of the main frames. */
static void take_frame(struct plots *p, const struct tk_fact *fact)
{
    if (fact->u.frame.type != 0 || !fact->u.frame.begin)
        return;
    if (p->main_frames++ == 2 && p->on_demand)
        p->first = fact->time;
}

static int take_fact(struct plots *p, const struct tk_fact *fact)
{
    const struct plot *plot;
    switch (fact->kind) {
    case TK_FACT_COUNTER:
        return take_name(p, false, fact->u.counter.id, fact->u.counter.name, fact->u.counter.unnamed);
    case TK_FACT_MEMORY_HEAP:
        return take_name(p, true, fact->u.memory_heap.id, fact->u.memory_heap.name,
                         fact->u.memory_heap.unnamed);
    case TK_FACT_COUNTER_VALUE:
        plot = plot_of(p, false, fact->u.counter_value.id);
        if (plot)
            put_point(p, plot, fact->time,
                      fact->u.counter_value.number.real ? fact->u.counter_value.number.v.r
                                                        : (double)fact->u.counter_value.number.v.i);
        return TK_OK;
    case TK_FACT_MEMORY:
        return take_memory(p, fact);
    case TK_FACT_FRAME:
        take_frame(p, fact);
        return TK_OK;
    default:
        return TK_OK;
    }
}

static int take_plots(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct plots *p = self;
    p->on_demand = tk_csvexport_session(p->x, "OnDemand");
    for (size_t i = 0; i < batch->n_facts; i++)
        if (take_fact(p, &batch->facts[i]) != TK_OK)
            return tk_err_nomem(err, "plots");
    return TK_OK;
}

int tk_csvexport_write_plots(struct tk_csvexport *x, struct tk_err *err)
{
    struct plots p = {.x = x};
    uint64_t facts = TK_FACT_MASK(COUNTER) | TK_FACT_MASK(COUNTER_VALUE) | TK_FACT_MASK(MEMORY) |
                     TK_FACT_MASK(MEMORY_HEAP) | TK_FACT_MASK(FRAME);
    int rc = tk_csvexport_read(x, facts, take_plots, &p, err);
    tk_vec_release(&p.counters);
    tk_vec_release(&p.pools);
    tk_live_blocks_release(&p.alive);
    return rc;
}

/*
 * Texts and numbers as the rows of the preset `tracy` hold them, and its filter of names. All tables of the
 * preset write through it.
 */

void tk_csvexport_put_separator(struct tk_csvexport *x)
{
    tk_buffer_put(&x->out, x->opt->separator, x->n_separator);
}

static bool holds(const struct tk_str *s, const char *part, size_t n)
{
    for (size_t i = 0; n && i + n <= s->n; i++)
        if (memcmp(s->p + i, part, n) == 0)
            return true;
    return false;
}

static bool needs_quotes(const struct tk_csvexport *x, const struct tk_str *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->p[i] == '"' || s->p[i] == '\n' || s->p[i] == '\r')
            return true;
    return holds(s, x->opt->separator, x->n_separator);
}

void tk_csvexport_put_text(struct tk_csvexport *x, const struct tk_str *s)
{
    if (!s)
        return;
    if (x->opt->raw || !needs_quotes(x, s))
        tk_buffer_put(&x->out, s->p, s->n);
    else
        tk_buffer_quoted(&x->out, *s);
}

void tk_csvexport_put_name(struct tk_csvexport *x, const struct tk_str *s)
{
    static const struct tk_str missing = {"???", 3, TK_ENC_UTF8};
    tk_csvexport_put_text(x, s || !x->opt->raw ? s : &missing);
}

void tk_csvexport_put_i64(struct tk_csvexport *x, int64_t v)
{
    tk_csvexport_put_separator(x);
    tk_buffer_i64(&x->out, v);
}

void tk_csvexport_put_u64(struct tk_csvexport *x, uint64_t v)
{
    tk_csvexport_put_separator(x);
    tk_buffer_u64(&x->out, v);
}

/* What is no number is said to be negative, as processors of that kind make it. */
void tk_csvexport_put_real(struct tk_csvexport *x, double v)
{
    char text[TK_PUT_FIXED];
    tk_csvexport_put_separator(x);
    if (isnan(v))
        tk_buffer_text(&x->out, "-nan");
    else
        tk_buffer_put(&x->out, text, tk_put_fixed(text, v, 6));
}

void tk_csvexport_put_head(struct tk_csvexport *x, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i)
            tk_csvexport_put_separator(x);
        tk_buffer_text(&x->out, names[i]);
    }
    tk_buffer_char(&x->out, '\n');
}

/* ---- the filter ---- */

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool matches_at(const char *p, const char *part, size_t n, bool match_case)
{
    for (size_t i = 0; i < n; i++)
        if (match_case ? p[i] != part[i] : folded(p[i]) != folded(part[i]))
            return false;
    return true;
}

bool tk_csvexport_passes(const struct tk_csvexport *x, const struct tk_str *name)
{
    const char *part = x->opt->filter;
    size_t n = part ? strlen(part) : 0;
    for (size_t i = 0; n && i + n <= name->n; i++)
        if (matches_at(name->p + i, part, n, x->opt->match_case))
            return true;
    return !n;
}
